//! Any text as what an apt repository publishes: read or refused, and versions keep an order.
#![no_main]

use std::cmp::Ordering;

use kubexm_builder::packages::deb::clearsigned::ClearSigned;
use kubexm_builder::packages::deb::packages::Pool;
use kubexm_builder::packages::deb::release::Release;
use kubexm_builder::packages::deb::{relation, version};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (&str, &str)| {
    let (text, other) = input;
    let _ = Release::read(text);
    let _ = ClearSigned::read(text.as_bytes()).map(|signed| signed.signed_bytes());
    let mut pool = Pool::default();
    let _ = pool.add(text.to_owned());
    for id in pool.ids() {
        let _ = pool.field(id, "Depends");
    }
    for (_, group) in relation::groups(text) {
        assert!(!group.is_empty());
    }
    assert_eq!(version::compare(text, text), Ordering::Equal);
    assert_eq!(version::compare(text, other), version::compare(other, text).reverse());
});

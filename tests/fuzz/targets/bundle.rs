//! A good bundle with any bytes put over some of it: refused, unless nothing changed.
#![no_main]

use std::sync::LazyLock;

use kubexm_tests::bundles::{accepted, pack, small, trust};
use libfuzzer_sys::fuzz_target;

static GOOD: LazyLock<Vec<u8>> = LazyLock::new(|| pack(&small(), &[1], 1));

fuzz_target!(|edits: (Vec<(u16, Vec<u8>)>, Option<u16>)| {
    let (edits, cut) = edits;
    let mut bytes = GOOD.clone();
    for (at, new) in edits {
        let at = usize::from(at).min(bytes.len());
        let end = (at + new.len()).min(bytes.len());
        bytes[at..end].copy_from_slice(&new[..end - at]);
    }
    if let Some(cut) = cut {
        bytes.truncate(usize::from(cut));
    }
    assert_eq!(accepted(bytes.clone(), &trust(&[1])), bytes == *GOOD);
});

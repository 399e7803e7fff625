//! Any index and any data, signed by the right key: whatever is read back is what the index says.
#![no_main]

use kubexm_model::bundle::MemberPath;
use kubexm_model::digest::Digest;
use kubexm_tests::bundles::{open, sealed, statement, trust};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (Vec<u8>, Vec<u8>)| {
    let (index, data) = input;
    let mut statement = statement();
    statement.data_length = data.len() as u64;
    let Ok(bundle) = open(sealed(statement, &index, &data), &trust(&[1])) else { return };
    let _ = bundle.check(1, &|_| {});
    for member in &bundle.index().members {
        if let Ok(bytes) = bundle.read(member.path) {
            assert_eq!((Digest::of(&bytes), bytes.len() as u64), (member.digest, member.size));
        }
    }
    let _ = bundle.read(MemberPath::Lock);
});

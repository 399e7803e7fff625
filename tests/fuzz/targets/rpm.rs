//! Any bytes as what an rpm repository publishes: read or refused, within bounds.
#![no_main]

use kubexm_builder::packages::rpm::index::Index;
use kubexm_builder::packages::rpm::repomd::Repomd;
use kubexm_builder::packages::rpm::{primary, rich::Rich};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let _ = Repomd::read(bytes);
    let _ = primary::read(bytes, 0, &mut Index::default());
    if let Ok(text) = std::str::from_utf8(bytes) {
        let _ = Rich::parse(text);
    }
});

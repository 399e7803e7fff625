//! Any text as a Kubernetes manifest: images or an error, within bounds.
#![no_main]

use std::sync::LazyLock;

use kubexm_builder::discover::{ImageFields, find};
use libfuzzer_sys::fuzz_target;

static FIELDS: LazyLock<ImageFields> = LazyLock::new(|| ImageFields::builtin().unwrap());

fuzz_target!(|text: &str| {
    let _ = find(text, "fuzz", &FIELDS);
});

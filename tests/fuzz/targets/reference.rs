//! Any text as an image: rewriting is undone by its opposite, happens once, and never changes a digest.
#![no_main]

use std::sync::LazyLock;

use kubexm_model::image::{Reference, Site};
use libfuzzer_sys::fuzz_target;

static SITE: LazyLock<Site> = LazyLock::new(|| Site::new("registry.kubexm.local:5000", Some("company/infra")).unwrap());

fuzz_target!(|text: &str| {
    let Ok(reference) = text.parse::<Reference>() else { return };
    assert_eq!(reference.to_string().parse::<Reference>().unwrap(), reference);
    let Ok(rewritten) = reference.rewrite(&SITE) else { return };
    assert_eq!(rewritten.digest(), reference.digest());
    assert_eq!(rewritten.rewrite(&SITE).unwrap(), rewritten);
    if !SITE.holds(&reference) {
        assert_eq!(rewritten.original(&SITE).unwrap().name(), reference.name());
    }
});

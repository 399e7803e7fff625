//! Any text as cluster.yaml: findings, and a bill of materials if there are none.
#![no_main]

use std::sync::LazyLock;

use kubexm_model::bom;
use kubexm_model::catalogue::Catalogue;
use kubexm_model::cluster::read;
use libfuzzer_sys::fuzz_target;

static CATALOGUE: LazyLock<Catalogue> = LazyLock::new(|| Catalogue::builtin().unwrap());

fuzz_target!(|text: &str| {
    let reading = read(vec![("cluster.yaml".to_owned(), text.to_owned())], &[], &CATALOGUE);
    if let Some(cluster) = &reading.cluster {
        let _ = bom::derive(cluster, &CATALOGUE);
    }
});

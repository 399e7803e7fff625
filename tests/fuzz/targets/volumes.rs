//! Any files as volumes: no panic, and no bundle.
#![no_main]

use kubexm_model::bundle::{ReadAt, VolumeHead, Volumes};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|files: Vec<Vec<u8>>| {
    let found: Vec<(VolumeHead, Box<dyn ReadAt>)> = files
        .into_iter()
        .filter_map(|file| Some((VolumeHead::read(&file).ok()??, Box::new(file) as Box<dyn ReadAt>)))
        .collect();
    let Some(bundle) = found.first().map(|(head, _)| head.bundle) else { return };
    if let Ok(volumes) = Volumes::gather(bundle, found) {
        let mut buffer = [0; 100];
        let _ = volumes.read_exact_at(&mut buffer, volumes.size().unwrap_or(0) / 2);
        let _ = volumes.open();
    }
});

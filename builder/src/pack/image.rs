//! The packages of a bundle once more as an ISO image, for sites whose process asks for one.

use std::io;
use std::path::Path;

use kubexm_model::bom::Kind;
use kubexm_model::lock::Lock;

use super::lock_bytes;
use crate::cache::Cache;
use crate::iso::{self, IsoError};

/// Writes an image with every package of the lock under its digest, and the lock itself; it is whole or not there.
///
/// The lists that a package manager reads are made and signed at the site, beside the mounted image: the site vouches for
/// them, and they name every package by its digest.
pub fn write_image(lock: &Lock, cache: &Cache, image: &Path) -> Result<usize, IsoError> {
    let folder = image.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let content = tempfile::Builder::new().prefix(".kubexm-iso-").tempdir_in(folder)?;
    fs_err::write(content.path().join("cluster.lock"), lock_bytes(lock))?;
    let mut count = 0;
    for entry in lock.entries.iter().filter(|entry| entry.kind == Kind::Package) {
        let is_rpm = entry.source.rsplit_once('.').is_some_and(|(_, ending)| ending == "rpm");
        let ending = if is_rpm { "rpm" } else { "deb" };
        let place = content.path().join(format!("{}.{ending}", entry.blob.digest.hex()));
        if !place.exists() {
            link_or_copy(&cache.path(&entry.blob.digest), &place)?;
            count += 1;
        }
    }
    let scratch = tempfile::Builder::new().prefix(".kubexm-iso-").tempfile_in(folder)?;
    iso::write(content.path(), "KUBEXM", scratch.path())?;
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o644);
    scratch.as_file().set_permissions(mode)?;
    scratch.persist(image).map_err(|error| error.error)?;
    Ok(count)
}

/// A second name costs nothing; on another file system a copy is made.
fn link_or_copy(from: &Path, to: &Path) -> io::Result<()> {
    fs_err::hard_link(from, to).or_else(|_| fs_err::copy(from, to).map(drop))
}

//! Whether a bundle that was written before is still there, so that it need not be written again.

use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

use kubexm_model::digest::Digest;

use crate::cache::Cache;

/// A note in the store that a file was written, and what the kernel says of it since.
pub(super) struct Written<'a> {
    note: PathBuf,
    files: &'a [PathBuf],
}

impl<'a> Written<'a> {
    pub(super) fn of(cache: &Cache, front: &[u8], files: &'a [PathBuf]) -> Self {
        Self { note: cache.root().join("written").join(Digest::of(front).hex()), files }
    }

    /// Device, number, size and times of the files: any change to them changes one of these.
    fn marks(&self) -> io::Result<String> {
        let mut marks = String::new();
        for file in self.files {
            let found = fs_err::metadata(file)?;
            let (changed, modified) = ((found.ctime(), found.ctime_nsec()), (found.mtime(), found.mtime_nsec()));
            let (device, number, size) = (found.dev(), found.ino(), found.len());
            marks = format!("{marks}{device} {number} {size} {changed:?} {modified:?}\n");
        }
        Ok(marks)
    }

    pub(super) fn is_still_there(&self) -> bool {
        let noted = fs_err::read_to_string(&self.note).ok();
        noted.is_some() && noted == self.marks().ok()
    }

    pub(super) fn remember(&self) -> io::Result<()> {
        fs_err::write(&self.note, self.marks()?)
    }
}

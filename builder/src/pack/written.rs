//! Whether a bundle that was written before is still there, so that it need not be written again.

use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use kubexm_model::digest::Digest;

use crate::cache::Cache;

/// A note in the store that a file was written, and what the kernel says of it since.
pub(super) struct Written<'a> {
    note: std::path::PathBuf,
    out: &'a Path,
}

impl<'a> Written<'a> {
    pub(super) fn of(cache: &Cache, front: &[u8], out: &'a Path) -> Self {
        Self { note: cache.root().join("written").join(Digest::of(front).hex()), out }
    }

    /// Device, number, size and times of the file: any change to it changes one of them.
    fn marks(&self) -> io::Result<String> {
        let found = fs_err::metadata(self.out)?;
        let (changed, modified) = ((found.ctime(), found.ctime_nsec()), (found.mtime(), found.mtime_nsec()));
        Ok(format!("{} {} {} {changed:?} {modified:?}", found.dev(), found.ino(), found.len()))
    }

    pub(super) fn is_still_there(&self) -> bool {
        let noted = fs_err::read_to_string(&self.note).ok();
        noted.is_some() && noted == self.marks().ok()
    }

    pub(super) fn remember(&self) -> io::Result<()> {
        fs_err::write(&self.note, self.marks()?)
    }
}

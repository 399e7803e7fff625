//! The content-addressed store on the connected side: blobs under their digests, and downloads that are not finished.
//!
//! ```text
//! blobs/sha256/HEX     whole and verified; comes into being by a rename, so it is never half there
//! partial/KEY          a download that goes on where it stopped, with KEY.etag beside it
//! zstd/HEX-LEVEL       a blob as it stands in a bundle: compressed frames, with their table in HEX-LEVEL.json
//! written/HEX          a note about a bundle that was written, so that it need not be written again
//! locks/KEY            held while somebody works on KEY; the kernel frees it when that process ends, however it ends
//! ```

mod incoming;
mod tidy;

use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use fs_err::File;
use kubexm_model::digest::Digest;

pub use incoming::Incoming;
pub use tidy::Tidied;

/// The store.
#[derive(Debug, Clone)]
pub struct Cache {
    root: PathBuf,
    /// Blobs that have their names and may not be on the disk yet.
    unsettled: Arc<Mutex<Vec<Digest>>>,
}

/// Somebody works on something; dropped when it is done.
#[derive(Debug)]
pub struct Held(#[expect(dead_code, reason = "the lock is held as long as the file is open")] std::fs::File);

const FOLDERS: [&str; 5] = ["blobs/sha256", "partial", "zstd", "written", "locks"];

impl Cache {
    /// Opens the store, and makes it where it is not there. Only its owner may have access: what is in it is trusted.
    pub fn open(root: &Path) -> io::Result<Self> {
        for folder in FOLDERS {
            std::fs::DirBuilder::new().recursive(true).mode(0o700).create(root.join(folder)).map_err(|error| {
                io::Error::new(error.kind(), format!("the cache {} cannot be made: {error}", root.display()))
            })?;
        }
        let found = fs_err::metadata(root)?;
        let mode = found.permissions().mode() & 0o777;
        if found.uid() != rustix::process::geteuid().as_raw() || mode & 0o022 != 0 {
            let message = format!(
                "the cache {} (mode {mode:o}) can be changed by others: chmod 700 it, or use another",
                root.display()
            );
            return Err(io::Error::new(io::ErrorKind::PermissionDenied, message));
        }
        Ok(Self { root: root.to_owned(), unsettled: Arc::default() })
    }

    /// Waits until every blob that came in is on the disk; what a command reports as done must survive a power cut.
    ///
    /// A blob gets its name before that, so that the disk works while the next one is fetched. After a power cut in between it
    /// is shorter than its size, which is looked at before a blob is used.
    pub fn settle(&self) -> io::Result<()> {
        let mut waiting =
            std::mem::take(&mut *self.unsettled.lock().unwrap_or_else(std::sync::PoisonError::into_inner));
        waiting.sort_unstable();
        waiting.dedup();
        for digest in waiting {
            self.read(&digest)?.sync_data()?;
        }
        File::open(self.root.join("blobs/sha256"))?.sync_all()
    }

    /// Where the store is.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Where a blob is, or will be.
    pub fn path(&self, digest: &Digest) -> PathBuf {
        self.root.join("blobs/sha256").join(digest.hex())
    }

    /// The size of a blob that is there.
    pub fn size(&self, digest: &Digest) -> Option<u64> {
        fs_err::metadata(self.path(digest)).ok().filter(std::fs::Metadata::is_file).map(|found| found.len())
    }

    /// Opens a blob.
    pub fn read(&self, digest: &Digest) -> io::Result<File> {
        File::open(self.path(digest))
    }

    /// Puts bytes in memory into the store.
    pub fn put(&self, bytes: &[u8]) -> io::Result<Digest> {
        let digest = Digest::of(bytes);
        if self.size(&digest).is_none() {
            let mut incoming = Incoming::new(self, &format!("put-{}-{}", digest.hex(), std::process::id()))?;
            incoming.restart()?;
            incoming.write(bytes)?;
            incoming.commit()?;
        }
        Ok(digest)
    }

    /// Waits until nobody else works on `key`, and keeps others out until the result is dropped.
    pub fn hold(&self, key: &str) -> io::Result<Held> {
        let path = self.root.join("locks").join(key);
        let file = std::fs::File::options().create(true).truncate(false).write(true).open(path)?;
        file.lock()?;
        Ok(Held(file))
    }

    /// Where a blob's compressed form and its table are.
    pub fn compressed(&self, digest: &Digest, level: i32) -> (PathBuf, PathBuf) {
        let base = self.root.join("zstd").join(format!("{}-{level}", digest.hex()));
        (base.clone(), base.with_extension("json"))
    }

    /// A new file in the store under a name of its own, for something that is renamed when it is whole.
    pub fn scratch(&self) -> io::Result<tempfile::NamedTempFile> {
        tempfile::Builder::new().prefix("scratch-").tempfile_in(self.root.join("partial"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_put_is_found_and_what_is_not_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::open(&folder.path().join("c")).unwrap();
        let digest = cache.put(b"abc").unwrap();
        assert_eq!(cache.size(&digest), Some(3));
        assert_eq!(cache.size(&Digest::of(b"x")), None);
        assert_eq!(cache.put(b"abc").unwrap(), digest);
        assert_eq!(std::fs::read_dir(folder.path().join("c/partial")).unwrap().count(), 0);
    }

    #[test]
    fn a_store_that_others_can_change_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("c");
        Cache::open(&root).unwrap();
        std::fs::set_permissions(&root, std::fs::Permissions::from_mode(0o777)).unwrap();
        assert_eq!(Cache::open(&root).unwrap_err().kind(), io::ErrorKind::PermissionDenied);
    }
}

//! Looks after the store: what is in it, whether it is sound, and what can go.

use std::collections::BTreeSet;
use std::io;
use std::time::{Duration, SystemTime};

use kubexm_model::digest::Digest;

use super::Cache;

/// What was removed.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Tidied {
    /// How many files.
    pub files: u64,
    /// How many bytes.
    pub bytes: u64,
}

/// A download that nobody touched for so long is given up.
const STALE: Duration = Duration::from_hours(24 * 7);

impl Cache {
    /// Every blob with its size, in the order of the digests.
    pub fn list(&self) -> io::Result<Vec<(Digest, u64)>> {
        let mut found = vec![];
        for entry in fs_err::read_dir(self.root().join("blobs/sha256"))? {
            let entry = entry?;
            if let Ok(digest) = Digest::from_hex(&entry.file_name().to_string_lossy()) {
                found.push((digest, entry.metadata()?.len()));
            }
        }
        found.sort_unstable();
        Ok(found)
    }

    /// How many bytes the whole store takes.
    pub fn total(&self) -> io::Result<u64> {
        let mut sum = 0;
        for folder in ["blobs/sha256", "partial", "zstd"] {
            for entry in fs_err::read_dir(self.root().join(folder))? {
                sum += entry?.metadata()?.len();
            }
        }
        Ok(sum)
    }

    /// Hashes every blob again, and removes those that are not what their name says; they are fetched anew when needed.
    pub fn verify(&self, progress: &dyn Fn(&Digest, u64)) -> io::Result<Vec<Digest>> {
        let mut bad = vec![];
        for (digest, size) in self.list()? {
            if Digest::of_reader(self.read(&digest)?)?.0 != digest {
                fs_err::remove_file(self.path(&digest))?;
                bad.push(digest);
            }
            progress(&digest, size);
        }
        Ok(bad)
    }

    /// Removes every blob that is not in `keep`, what was made from such blobs, and downloads that were given up.
    pub fn prune(&self, keep: &BTreeSet<Digest>) -> io::Result<Tidied> {
        let mut tidied = Tidied::default();
        let mut remove = |path: &std::path::Path, size: u64| -> io::Result<()> {
            fs_err::remove_file(path)?;
            tidied.files += 1;
            tidied.bytes += size;
            Ok(())
        };
        for (digest, size) in self.list()? {
            if !keep.contains(&digest) {
                remove(&self.path(&digest), size)?;
            }
        }
        for entry in fs_err::read_dir(self.root().join("zstd"))? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let of = name.split('-').next().and_then(|hex| Digest::from_hex(hex).ok());
            if !of.is_some_and(|digest| keep.contains(&digest)) {
                remove(&entry.path(), entry.metadata()?.len())?;
            }
        }
        for entry in fs_err::read_dir(self.root().join("partial"))? {
            let entry = entry?;
            let found = entry.metadata()?;
            let age = SystemTime::now().duration_since(found.modified()?).unwrap_or_default();
            if age > STALE {
                remove(&entry.path(), found.len())?;
            }
        }
        Ok(tidied)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_damaged_blob_is_found_and_removed_and_what_is_kept_stays() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::open(&folder.path().join("c")).unwrap();
        let (good, bad) = (cache.put(b"good").unwrap(), cache.put(b"bad").unwrap());
        fs_err::write(cache.path(&bad), b"rot").unwrap();
        assert_eq!(cache.verify(&|_, _| {}).unwrap(), [bad]);
        assert_eq!(cache.list().unwrap(), [(good, 4)]);
        let other = cache.put(b"other").unwrap();
        assert_eq!(cache.prune(&[good].into()).unwrap(), Tidied { files: 1, bytes: 5 });
        assert_eq!((cache.size(&good), cache.size(&other)), (Some(4), None));
    }
}

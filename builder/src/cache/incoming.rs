//! A download on its way into the store: hashed while it is written, resumed where it stopped.

use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::PathBuf;

use fs_err::File;
use kubexm_model::digest::{Digest, Hasher};

use super::Cache;

/// A download on its way into the store.
#[derive(Debug)]
pub struct Incoming {
    cache: Cache,
    path: PathBuf,
    file: File,
    hasher: Hasher,
}

impl Incoming {
    /// Opens what was downloaded before under this key, which must be held, or begins anew.
    pub fn new(cache: &Cache, key: &str) -> io::Result<Self> {
        let path = cache.root().join("partial").join(key);
        let file = File::options().create(true).truncate(false).read(true).write(true).open(&path)?;
        let mut incoming = Self { cache: cache.clone(), path, file, hasher: Hasher::default() };
        incoming.hash_again()?;
        Ok(incoming)
    }

    /// Hashes what is there already.
    fn hash_again(&mut self) -> io::Result<()> {
        self.hasher = Hasher::default();
        self.file.seek(SeekFrom::Start(0))?;
        let mut buffer = vec![0; 1024 * 1024];
        loop {
            match self.file.read(&mut buffer)? {
                0 => return Ok(()),
                count => self.hasher.update(&buffer[..count]),
            }
        }
    }

    /// How many bytes are there.
    pub fn length(&self) -> u64 {
        self.hasher.length()
    }

    /// The server's name for the version of what is there.
    pub fn etag(&self) -> Option<String> {
        fs_err::read_to_string(self.etag_path()).ok().filter(|etag| !etag.is_empty())
    }

    /// Remembers the server's name for the version that is being downloaded.
    pub fn set_etag(&self, etag: Option<&str>) -> io::Result<()> {
        match etag {
            Some(etag) => fs_err::write(self.etag_path(), etag),
            None => remove(&self.etag_path()),
        }
    }

    fn etag_path(&self) -> PathBuf {
        self.path.with_extension("etag")
    }

    /// Throws away what is there.
    pub fn restart(&mut self) -> io::Result<()> {
        self.file.set_len(0)?;
        self.file.seek(SeekFrom::Start(0))?;
        self.hasher = Hasher::default();
        self.set_etag(None)
    }

    /// Takes the next bytes.
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all(bytes)?;
        self.hasher.update(bytes);
        Ok(())
    }

    /// The digest of what is there.
    pub fn digest(&self) -> Digest {
        self.hasher.clone().finish().0
    }

    /// Makes what is there a blob of the store; [`Cache::settle`] waits until it is on the disk.
    pub fn commit(self) -> io::Result<(Digest, u64)> {
        let (digest, length) = self.hasher.clone().finish();
        fs_err::rename(&self.path, self.cache.path(&digest))?;
        self.cache.unsettled.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push(digest);
        remove(&self.etag_path())?;
        Ok((digest, length))
    }

    /// Throws the download away.
    pub fn discard(self) -> io::Result<()> {
        remove(&self.etag_path())?;
        remove(&self.path)
    }
}

/// Removes a file that may not be there.
fn remove(path: &std::path::Path) -> io::Result<()> {
    match fs_err::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_download_goes_on_where_it_stopped() {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::open(&folder.path().join("c")).unwrap();
        let mut first = Incoming::new(&cache, "k").unwrap();
        first.write(b"abc").unwrap();
        first.set_etag(Some("\"v1\"")).unwrap();
        drop(first);
        let mut second = Incoming::new(&cache, "k").unwrap();
        assert_eq!((second.length(), second.etag().as_deref()), (3, Some("\"v1\"")));
        second.write(b"def").unwrap();
        let (digest, length) = second.commit().unwrap();
        assert_eq!((digest, length), (Digest::of(b"abcdef"), 6));
        assert_eq!(cache.size(&digest), Some(6));
        assert_eq!(std::fs::read_dir(cache.root().join("partial")).unwrap().count(), 0);
    }
}

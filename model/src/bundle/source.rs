//! Where a bundle's bytes come from and go to: a file that is opened once, volumes, or memory.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

/// Bytes that can be read at any place by several threads at once.
pub trait ReadAt: Send + Sync {
    /// How many there are.
    fn size(&self) -> io::Result<u64>;
    /// Fills the buffer from that place, or fails.
    fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()>;
    /// The number of the volume that holds that place, if there are volumes.
    fn volume_at(&self, _offset: u64) -> Option<u32> {
        None
    }
}

impl ReadAt for File {
    fn size(&self) -> io::Result<u64> {
        Ok(self.metadata()?.len())
    }
    fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        FileExt::read_exact_at(self, buffer, offset)
    }
}

impl ReadAt for Vec<u8> {
    fn size(&self) -> io::Result<u64> {
        Ok(self.len() as u64)
    }
    fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> io::Result<()> {
        let start = usize::try_from(offset).map_err(io::Error::other)?;
        let end = start.checked_add(buffer.len());
        let bytes = end.and_then(|end| self.get(start..end)).ok_or(io::ErrorKind::UnexpectedEof)?;
        buffer.copy_from_slice(bytes);
        Ok(())
    }
}

/// A place where bytes can be written by several threads at once.
pub trait WriteAt: Sync {
    /// Writes the whole buffer at that place, or fails.
    fn write_all_at(&self, buffer: &[u8], offset: u64) -> io::Result<()>;
}

impl WriteAt for File {
    fn write_all_at(&self, buffer: &[u8], offset: u64) -> io::Result<()> {
        FileExt::write_all_at(self, buffer, offset)
    }
}

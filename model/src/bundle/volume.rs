//! A bundle cut into volumes, for media that hold no large files.
//!
//! ```text
//! empty zstd frame                 9 bytes
//! skippable frame: magic, length   8 bytes
//!   "KXV1", number, count, zeros, offset, length, bundle's id   64 bytes
//! a run of whole frames of the bundle
//! ```
//!
//! A volume is a zstd file of its own, and all of them in a row (`cat x.0*`) are one whose plain text is the bundle's tar. The
//! heads are not signed and need not be: every field must fit the other volumes, the file's length and the signed statement,
//! and what stands between the heads is the bundle, which is checked to the last byte.

use std::io;

use super::frame::EMPTY;
use super::read::{Bundle, Refusal, Unverified};
use super::source::ReadAt;
use crate::digest::Digest;

const SKIPPABLE: [u8; 8] = [0x5c, 0x2a, 0x4d, 0x18, 64, 0, 0, 0];
const MAGIC: [u8; 4] = *b"KXV1";
/// More volumes than this are a mistake.
const MOST_VOLUMES: u32 = 9_999;

/// What a volume says about itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VolumeHead {
    /// The bundle that it belongs to: the digest of its statement.
    pub bundle: Digest,
    /// Its number, from 1.
    pub number: u32,
    /// How many there are.
    pub count: u32,
    /// Where its part of the bundle begins.
    pub offset: u64,
    /// How long its part is.
    pub length: u64,
}

impl VolumeHead {
    /// How many bytes stand before the volume's part.
    pub const LENGTH: usize = 9 + 8 + 64;

    /// As it stands in the file.
    pub fn encode(&self) -> Vec<u8> {
        let mut head = Vec::with_capacity(Self::LENGTH);
        head.extend_from_slice(&EMPTY);
        head.extend_from_slice(&SKIPPABLE);
        head.extend_from_slice(&MAGIC);
        head.extend_from_slice(&self.number.to_le_bytes());
        head.extend_from_slice(&self.count.to_le_bytes());
        head.extend_from_slice(&[0; 4]);
        head.extend_from_slice(&self.offset.to_le_bytes());
        head.extend_from_slice(&self.length.to_le_bytes());
        head.extend_from_slice(self.bundle.as_bytes());
        head
    }

    fn decode(head: &[u8]) -> Option<Self> {
        let part = |at: usize| head.get(EMPTY.len() + SKIPPABLE.len() + at..);
        let number = |at: usize| Some(u32::from_le_bytes(part(at)?.first_chunk().copied()?));
        let long = |at: usize| Some(u64::from_le_bytes(part(at)?.first_chunk().copied()?));
        let found = Self {
            number: number(4)?,
            count: number(8)?,
            offset: long(16)?,
            length: long(24)?,
            bundle: Digest::from_bytes(part(32)?.first_chunk().copied()?),
        };
        (found.encode() == head && (1..=found.count).contains(&found.number)).then_some(found)
    }

    /// The head of a volume; `None` if it is none.
    pub fn read(source: &dyn ReadAt) -> io::Result<Option<Self>> {
        let mut head = [0; Self::LENGTH];
        if source.size()? < head.len() as u64 {
            return Ok(None);
        }
        source.read_exact_at(&mut head, 0)?;
        Ok(Self::decode(&head))
    }

    /// How large the volume's file is.
    pub fn file_size(&self) -> u64 {
        Self::LENGTH as u64 + self.length
    }

    fn end(&self) -> Option<u64> {
        self.offset.checked_add(self.length)
    }
}

/// Cuts a bundle whose frames have these lengths into volumes of at most `most` bytes.
pub(super) fn cut(bundle: Digest, frames: impl Iterator<Item = u64>, most: u64) -> io::Result<Vec<VolumeHead>> {
    let room = most.saturating_sub(VolumeHead::LENGTH as u64);
    let mut volumes = vec![VolumeHead { bundle, number: 1, count: 0, offset: 0, length: 0 }];
    for frame in frames {
        if frame > room {
            let least = frame + VolumeHead::LENGTH as u64;
            let message = format!("volumes of {most} bytes are too small: a part of {least} bytes cannot be cut");
            return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
        }
        let at = volumes.len() - 1;
        if volumes[at].length + frame > room {
            let VolumeHead { number, offset, length, .. } = volumes[at];
            volumes.push(VolumeHead { bundle, number: number + 1, count: 0, offset: offset + length, length: 0 });
        }
        let at = volumes.len() - 1;
        volumes[at].length += frame;
    }
    let count = u32::try_from(volumes.len()).ok().filter(|count| *count <= MOST_VOLUMES).ok_or_else(|| {
        io::Error::new(
            io::ErrorKind::InvalidInput,
            format!("volumes of {most} bytes would be more than {MOST_VOLUMES}"),
        )
    })?;
    for volume in &mut volumes {
        volume.count = count;
    }
    Ok(volumes)
}

/// All volumes of a bundle, read as one.
pub struct Volumes {
    parts: Vec<(VolumeHead, Box<dyn ReadAt>)>,
}

impl Volumes {
    /// Puts volumes of one bundle together, in whatever order they come; what belongs to another bundle is left aside.
    pub fn gather(bundle: Digest, found: Vec<(VolumeHead, Box<dyn ReadAt>)>) -> Result<Self, Refusal> {
        let mut parts: Vec<_> = found.into_iter().filter(|(head, _)| head.bundle == bundle).collect();
        parts.sort_by_key(|(head, _)| head.number);
        parts.dedup_by_key(|(head, _)| head.number);
        let count = parts.first().map_or(0, |(head, _)| head.count);
        let missing: Vec<u32> =
            (1..=count.min(MOST_VOLUMES)).filter(|n| !parts.iter().any(|(head, _)| head.number == *n)).collect();
        if !missing.is_empty() || count == 0 || count > MOST_VOLUMES {
            return Err(Refusal::MissingVolumes { missing, count });
        }
        let mut offset = 0;
        for (head, source) in &parts {
            if head.count != count || head.offset != offset || source.size()? != head.file_size() {
                let reason = format!("volume {} does not fit the others, or is cut short", head.number);
                return Err(Refusal::Damaged(reason));
            }
            offset = head.end().ok_or_else(|| Refusal::Damaged("its volumes are larger than any file".to_owned()))?;
        }
        Ok(Self { parts })
    }

    /// Opens the bundle in them.
    pub fn open(self) -> Result<Bundle<Unverified>, Refusal> {
        let named = self.parts.first().map(|(head, _)| head.bundle);
        let bundle = Bundle::open(Box::new(self))?;
        if named == Some(bundle.id()) {
            return Ok(bundle);
        }
        Err(Refusal::Damaged("its volumes say that they belong to another bundle".to_owned()))
    }

    /// The volume that holds the byte at `offset`.
    fn part_at(&self, offset: u64) -> Option<&(VolumeHead, Box<dyn ReadAt>)> {
        let at = self.parts.partition_point(|(head, _)| head.end().is_some_and(|end| end <= offset));
        self.parts.get(at)
    }
}

impl ReadAt for Volumes {
    fn size(&self) -> io::Result<u64> {
        Ok(self.parts.last().and_then(|(head, _)| head.end()).unwrap_or(0))
    }

    fn read_exact_at(&self, mut buffer: &mut [u8], mut offset: u64) -> io::Result<()> {
        while !buffer.is_empty() {
            let (head, source) = self.part_at(offset).ok_or(io::ErrorKind::UnexpectedEof)?;
            let inside = offset - head.offset;
            let length = usize::try_from(head.length - inside).unwrap_or(usize::MAX).min(buffer.len());
            let (now, later) = std::mem::take(&mut buffer).split_at_mut(length);
            source.read_exact_at(now, VolumeHead::LENGTH as u64 + inside)?;
            (buffer, offset) = (later, offset + length as u64);
        }
        Ok(())
    }

    fn volume_at(&self, offset: u64) -> Option<u32> {
        self.part_at(offset).map(|(head, _)| head.number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_never_cut_and_every_volume_fits() {
        let id = Digest::of(b"x");
        let lengths = [5000, 10, 990, 1000, 1, 4999, 3];
        let volumes = cut(id, lengths.into_iter(), 5081).unwrap();
        assert_eq!(volumes.iter().map(|v| v.length).collect::<Vec<_>>(), [5000, 2001, 4999, 3]);
        assert!(volumes.iter().all(|v| v.file_size() <= 5081 && v.count == 4));
        assert!(volumes.windows(2).all(|pair| pair[0].end() == Some(pair[1].offset)));
        assert!(cut(id, lengths.into_iter(), 5080).unwrap_err().to_string().contains("5081 bytes cannot be cut"));
    }

    #[test]
    fn a_head_is_read_back_and_nothing_else_is() {
        let head = VolumeHead { bundle: Digest::of(b"x"), number: 2, count: 3, offset: 77, length: 88 };
        let bytes = head.encode();
        assert_eq!(bytes.len(), VolumeHead::LENGTH);
        assert_eq!(VolumeHead::decode(&bytes), Some(head));
        assert_eq!(VolumeHead::decode(&bytes[1..]), None);
        assert_eq!(VolumeHead::decode(b"KXV1"), None);
        assert_eq!(VolumeHead::decode(&VolumeHead { number: 4, ..head }.encode()), None);
        assert_eq!(zstd::stream::decode_all(&bytes[..]).unwrap(), b"");
    }
}

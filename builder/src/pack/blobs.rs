//! The blobs of a bundle: stored where they are compressed already, compressed where it pays.

use std::collections::BTreeMap;
use std::io::{self, Read};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use kubexm_model::bundle::{Elsewhere, Encoding, Frame, Member, MemberPath, PLAIN_MAX, compress};
use kubexm_model::console::Progress;
use kubexm_model::digest::Digest;
use kubexm_model::lock::Blob;
use serde::{Deserialize, Serialize};

use super::Packing;
use crate::cache::Cache;

/// The members for all blobs of the lock, each once, and those that the other side has. Members that gain by it are
/// compressed first, many at a time.
pub(super) fn members(packing: &Packing<'_>) -> io::Result<(Vec<Member>, Vec<Elsewhere>)> {
    let all: BTreeMap<Digest, &Blob> = packing.lock.blobs().map(|blob| (blob.digest, blob)).collect();
    let (elsewhere, here): (Vec<&Blob>, Vec<&Blob>) =
        all.into_values().partition(|blob| packing.have.blobs.contains(&blob.digest));
    let elsewhere = elsewhere.iter().map(|blob| Elsewhere { digest: blob.digest, size: blob.size }).collect();
    packing.progress.stage("compressing", here.iter().map(|blob| blob.size).sum());
    let next = AtomicUsize::new(0);
    let done: Mutex<io::Result<Vec<Member>>> = Mutex::new(Ok(vec![]));
    let work = || {
        while let Some(blob) = here.get(next.fetch_add(1, Ordering::Relaxed)) {
            let member = member(blob, packing.cache, packing.progress);
            let mut done = done.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            match (member, done.as_mut()) {
                (Ok(member), Ok(list)) => list.push(member),
                (Err(error), Ok(_)) => *done = Err(error),
                _ => {}
            }
        }
    };
    std::thread::scope(|scope| (0..packing.threads.max(1)).for_each(|_| drop(scope.spawn(work))));
    Ok((done.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner)?, elsewhere))
}

/// How hard small things are compressed.
pub(super) const SMALL_LEVEL: i32 = 19;

/// Small things are compressed hard, because it costs nothing; large ones so that the disk stays the slower part.
pub(super) fn level(size: u64) -> i32 {
    match size {
        0..=0x10_0000 => SMALL_LEVEL,
        0x10_0001..=0x400_0000 => 6,
        _ => 3,
    }
}

/// Whether bytes that begin so are compressed already: gzip, zstd, xz, bzip2, Debian and RPM packages.
fn is_compressed(beginning: &[u8]) -> bool {
    const MAGIC: [&[u8]; 6] = [
        &[0x1f, 0x8b],
        &[0x28, 0xb5, 0x2f, 0xfd],
        &[0xfd, b'7', b'z', b'X', b'Z'],
        b"BZh",
        b"!<arch>\n",
        &[0xed, 0xab, 0xee, 0xdb],
    ];
    MAGIC.iter().any(|magic| beginning.starts_with(magic))
}

fn member(blob: &Blob, cache: &Cache, progress: &Progress) -> io::Result<Member> {
    let mut beginning = [0; 16];
    let mut file = cache.read(&blob.digest)?;
    let read = read_up_to(&mut file, &mut beginning)?;
    let path = MemberPath::Blob(blob.digest);
    let stored = Member { path, size: blob.size, digest: blob.digest, encoding: Encoding::Stored };
    if blob.size == 0 || is_compressed(&beginning[..read]) {
        progress.add(blob.size);
        return Ok(stored);
    }
    let frames = compressed(blob, cache, level(blob.size), progress)?;
    Ok(Member { encoding: Encoding::Zstd(frames), ..stored })
}

/// The table of a blob's compressed frames; both are kept in the store, so that the next bundle need not compress again.
#[derive(Serialize, Deserialize)]
struct Table {
    frames: Vec<Frame>,
}

fn compressed(blob: &Blob, cache: &Cache, level: i32, progress: &Progress) -> io::Result<Vec<Frame>> {
    let (data, table) = cache.compressed(&blob.digest, level);
    let _held = cache.hold(&format!("zstd-{}", blob.digest.hex()))?;
    if let Some(known) = fs_err::read(&table).ok().and_then(|text| serde_json::from_slice::<Table>(&text).ok()) {
        let length: u64 = known.frames.iter().map(|frame| u64::from(frame.length)).sum();
        if fs_err::metadata(&data).is_ok_and(|found| found.len() == length) {
            progress.add(blob.size);
            return Ok(known.frames);
        }
    }
    let mut file = cache.read(&blob.digest)?;
    let mut out = cache.scratch()?;
    let mut frames = vec![];
    let mut buffer = vec![0; PLAIN_MAX];
    loop {
        let read = read_up_to(&mut file, &mut buffer)?;
        if read == 0 {
            break;
        }
        let frame = compress(&buffer[..read], level)?;
        io::Write::write_all(&mut out, &frame)?;
        frames.push(table_entry(&frame)?);
        progress.add(read as u64);
    }
    out.persist(&data).map_err(|error| error.error)?;
    let mut text = cache.scratch()?;
    serde_json::to_writer(&mut text, &Table { frames: frames.clone() })?;
    text.persist(&table).map_err(|error| error.error)?;
    Ok(frames)
}

/// Fills the buffer as far as there is something to read.
fn read_up_to(reader: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match reader.read(&mut buffer[filled..])? {
            0 => break,
            count => filled += count,
        }
    }
    Ok(filled)
}

/// A frame as the index lists it.
pub(super) fn table_entry(frame: &[u8]) -> io::Result<Frame> {
    Ok(Frame { length: u32::try_from(frame.len()).map_err(io::Error::other)?, digest: Digest::of(frame) })
}

//! The blobs of a bundle: stored where they are compressed already, compressed where it pays.

use std::collections::BTreeMap;
use std::io::{self, Read};
use std::sync::Mutex;

use kubexm_model::bom::Kind;
use kubexm_model::bundle::{Elsewhere, Encoding, Frame, Member, MemberPath, PLAIN_MAX, compress};
use kubexm_model::console::Progress;
use kubexm_model::digest::Digest;
use kubexm_model::lock::{Blob, Locked};
use serde::{Deserialize, Serialize};

use super::{Arrivals, Packing};
use crate::cache::Cache;

/// The members for all blobs of the lock, each once, and those that the other side has. What gains by it is compressed as it
/// arrives, many at a time; for the others the lock says all that there is to know.
pub(super) fn members(packing: &Packing<'_>, arrivals: &Arrivals) -> io::Result<(Vec<Member>, Vec<Elsewhere>)> {
    let mut blobs: BTreeMap<Digest, (&Blob, bool)> = BTreeMap::new();
    for entry in &packing.lock.entries {
        for blob in entry.blobs() {
            blobs.entry(blob.digest).or_insert((blob, false)).1 |= is_compressed(entry, blob);
        }
    }
    let (elsewhere, here): (Vec<_>, Vec<_>) =
        blobs.into_values().partition(|(blob, _)| packing.have.blobs.contains(&blob.digest));
    let elsewhere = elsewhere.iter().map(|(blob, _)| Elsewhere { digest: blob.digest, size: blob.size }).collect();
    let (stored, others): (Vec<_>, Vec<_>) = here.into_iter().partition(|(blob, stored)| *stored || blob.size == 0);
    let member = |blob: &Blob, encoding| Member {
        path: MemberPath::Blob(blob.digest),
        size: blob.size,
        digest: blob.digest,
        encoding,
    };
    let done: Mutex<Vec<Member>> =
        Mutex::new(stored.into_iter().map(|(blob, _)| member(blob, Encoding::Stored)).collect());
    let others = others.into_iter().map(|(blob, _)| (blob.digest, blob)).collect();
    arrivals.each(others, packing.threads, |blob: &Blob| {
        let frames = compressed(blob, packing.cache, level(blob.size), packing.progress)?;
        let member = member(blob, Encoding::Zstd(frames));
        done.lock().unwrap_or_else(std::sync::PoisonError::into_inner).push(member);
        Ok(())
    })?;
    Ok((done.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner), elsewhere))
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

/// Whether a blob is compressed already, as far as the lock tells: by the type of a layer, by the name of a file.
fn is_compressed(entry: &Locked, blob: &Blob) -> bool {
    const ENDINGS: [&str; 8] = ["gz", "tgz", "zst", "xz", "bz2", "zip", "deb", "rpm"];
    match &blob.media_type {
        Some(kind) => kind.contains("gzip") || kind.contains("zstd"),
        None if entry.kind == Kind::Package => true,
        None => {
            entry.kind != Kind::Image
                && entry.source.rsplit_once('.').is_some_and(|(_, ending)| ENDINGS.contains(&ending))
        }
    }
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

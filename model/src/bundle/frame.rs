//! zstd frames: stored ones in a single canonical form that can be regenerated, compressed ones within limits.
//!
//! A stored frame holds at most [`PLAIN_MAX`] bytes in raw blocks of 128 KiB. Its bytes follow from its content alone, so
//! whoever knows the content's digest needs no second digest of the frame.

use std::io::{self, Read};

/// The most plain data that a frame holds.
pub const PLAIN_MAX: usize = 4 * 1024 * 1024;

/// zstd allows no larger raw block.
const BLOCK_MAX: usize = 128 * 1024;

/// Magic number, descriptor (single segment, four bytes of content size), and the content size.
const HEADER: usize = 9;
const BLOCK_HEADER: usize = 3;

/// A whole frame without content. GNU tar looks at the first bytes of a file, and knows this one and not a skippable frame.
pub(super) const EMPTY: [u8; 9] = [0x28, 0xb5, 0x2f, 0xfd, 0x20, 0x00, 0x01, 0x00, 0x00];

/// How long a stored frame is around so many bytes (at most [`PLAIN_MAX`]).
pub(super) fn stored_length(plain: usize) -> usize {
    HEADER + plain.div_ceil(BLOCK_MAX).max(1) * BLOCK_HEADER + plain
}

/// How long the stored frames around a whole member are; an empty member has none.
pub(super) fn stored_total(size: u64) -> u64 {
    let (full, rest) = (size / PLAIN_MAX as u64, usize::try_from(size % PLAIN_MAX as u64).unwrap_or(0));
    full * stored_length(PLAIN_MAX) as u64 + if rest > 0 { stored_length(rest) as u64 } else { 0 }
}

/// The header of a stored frame, and where its blocks begin and end.
fn header(plain: usize) -> [u8; HEADER] {
    let size = u32::try_from(plain).unwrap_or(u32::MAX).to_le_bytes();
    [0x28, 0xb5, 0x2f, 0xfd, 0xa0, size[0], size[1], size[2], size[3]]
}

fn block_header(length: usize, last: bool) -> [u8; BLOCK_HEADER] {
    // Bit 0: last block; bits 1 and 2: type, 0 is raw; the rest: size.
    let word = u32::try_from(length).unwrap_or(u32::MAX) << 3 | u32::from(last);
    let bytes = word.to_le_bytes();
    [bytes[0], bytes[1], bytes[2]]
}

/// Appends the stored frame of `plain` (at most [`PLAIN_MAX`] bytes) to `out`.
pub(super) fn store(plain: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(&header(plain.len()));
    if plain.is_empty() {
        out.extend_from_slice(&block_header(0, true));
    }
    let blocks = plain.len().div_ceil(BLOCK_MAX);
    for (number, block) in plain.chunks(BLOCK_MAX).enumerate() {
        out.extend_from_slice(&block_header(block.len(), number + 1 == blocks));
        out.extend_from_slice(block);
    }
}

/// Makes `out` the stored frame of the next `plain` bytes of a reader, without copying them twice.
pub(super) fn store_from(reader: &mut dyn Read, plain: usize, out: &mut Vec<u8>) -> io::Result<()> {
    out.resize(stored_length(plain), 0);
    out[..HEADER].copy_from_slice(&header(plain));
    let (mut at, mut left) = (HEADER, plain);
    loop {
        let length = left.min(BLOCK_MAX);
        left -= length;
        out[at..at + BLOCK_HEADER].copy_from_slice(&block_header(length, left == 0));
        at += BLOCK_HEADER;
        reader.read_exact(&mut out[at..at + length])?;
        at += length;
        if left == 0 {
            return Ok(());
        }
    }
}

/// The content of the stored frame of `plain` bytes that `frame` must be, or `None` if it is anything else.
pub(super) fn unstore<'frame>(frame: &'frame [u8], plain: usize) -> Option<Vec<&'frame [u8]>> {
    if frame.len() != stored_length(plain) || frame[..HEADER] != header(plain) {
        return None;
    }
    let mut parts: Vec<&'frame [u8]> = vec![];
    let mut rest = &frame[HEADER..];
    let mut left = plain;
    loop {
        let length = left.min(BLOCK_MAX);
        left -= length;
        let (head, tail) = rest.split_at_checked(BLOCK_HEADER)?;
        let (block, tail) = tail.split_at_checked(length)?;
        if head != block_header(length, left == 0) {
            return None;
        }
        parts.push(block);
        rest = tail;
        if left == 0 {
            return rest.is_empty().then_some(parts);
        }
    }
}

/// Compresses at most [`PLAIN_MAX`] bytes into one frame. The same bytes and level always give the same frame.
pub fn compress(plain: &[u8], level: i32) -> io::Result<Vec<u8>> {
    zstd::bulk::compress(plain, level)
}

/// Decompresses a frame whose bytes were verified before; gives exactly `plain` bytes or an error, and never more.
pub(super) fn decompress(frame: &[u8], plain: usize) -> io::Result<Vec<u8>> {
    let mut decoder = zstd::stream::read::Decoder::with_buffer(frame)?.single_frame();
    // 4 MiB: no frame of ours needs more, so a hostile one cannot ask for it.
    decoder.window_log_max(22)?;
    let mut out = Vec::with_capacity(plain.min(PLAIN_MAX));
    let read = (&mut decoder).take(plain as u64 + 1).read_to_end(&mut out)?;
    if read != plain || !decoder.finish().is_empty() {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "a frame does not hold what the index says"));
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(length: usize) -> Vec<u8> {
        (0..length).map(|n| u8::try_from(n * 31 % 251).unwrap()).collect()
    }

    #[test]
    fn a_stored_frame_is_a_zstd_frame_and_can_be_taken_apart() {
        for length in [0, 1, 511, BLOCK_MAX - 1, BLOCK_MAX, BLOCK_MAX + 1, PLAIN_MAX] {
            let plain = bytes(length);
            let mut frame = vec![];
            store(&plain, &mut frame);
            assert_eq!(frame.len(), stored_length(length));
            let mut same = vec![7; 100];
            store_from(&mut &plain[..], length, &mut same).unwrap();
            assert_eq!(same, frame);
            assert_eq!(zstd::stream::decode_all(&frame[..]).unwrap(), plain, "{length}");
            assert_eq!(unstore(&frame, length).unwrap().concat(), plain);
            assert!(unstore(&frame, length + 1).is_none());
        }
        assert_eq!(zstd::stream::decode_all(&EMPTY[..]).unwrap(), b"");
    }

    #[test]
    fn every_changed_byte_of_the_framing_is_seen() {
        let plain = bytes(BLOCK_MAX + 5);
        let mut frame = vec![];
        store(&plain, &mut frame);
        let framing =
            (0..HEADER + BLOCK_HEADER).chain(HEADER + BLOCK_HEADER + BLOCK_MAX..HEADER + 2 * BLOCK_HEADER + BLOCK_MAX);
        for at in framing {
            for bit in 0..8 {
                let mut bad = frame.clone();
                bad[at] ^= 1 << bit;
                assert!(unstore(&bad, plain.len()).is_none(), "byte {at}, bit {bit}");
            }
        }
    }

    #[test]
    fn totals_add_up() {
        for size in [0, 1, PLAIN_MAX, PLAIN_MAX + 1, 3 * PLAIN_MAX + 77] {
            let mut out = vec![];
            bytes(size).chunks(PLAIN_MAX).for_each(|part| store(part, &mut out));
            assert_eq!(out.len() as u64, stored_total(size as u64));
        }
    }

    #[test]
    fn decompression_stops_at_the_size_that_was_promised() {
        let frame = compress(&vec![0; 1_000_000], 3).unwrap();
        assert_eq!(decompress(&frame, 1_000_000).unwrap().len(), 1_000_000);
        assert!(decompress(&frame, 999_999).is_err());
        assert!(decompress(&frame, 1_000_001).is_err());
        let two = [frame.clone(), frame].concat();
        assert!(decompress(&two, 1_000_000).is_err());
    }
}

//! The front of a bundle: everything before the data.
//!
//! ```text
//! empty zstd frame                 9 bytes
//! skippable frame: magic, length   8 bytes
//!   "KXB1", format, statement length, index length, signature count, zeros   32 bytes
//!   16 places for signatures      112 bytes each, unused ones zero
//!   statement, index
//! ```
//!
//! The places for signatures have a fixed size, so that a bundle can be co-signed without moving its data.

use super::frame::EMPTY;
use super::signature::Signature;
use super::statement::FORMAT;

const SKIPPABLE: [u8; 4] = [0x5b, 0x2a, 0x4d, 0x18];
const MAGIC: [u8; 4] = *b"KXB1";
const HEADER: usize = 32;
/// How many signatures fit.
pub(super) const MOST_SIGNATURES: usize = 16;
const SLOTS: usize = MOST_SIGNATURES * Signature::LENGTH;
/// Where the header begins.
const HEADER_AT: usize = EMPTY.len() + 8;
/// Everything before the statement.
pub(super) const FIXED: usize = HEADER_AT + HEADER + SLOTS;
/// Where the places for signatures begin.
pub(super) const SLOTS_AT: usize = HEADER_AT + HEADER;

/// What a statement and an index may weigh at most.
const MOST_STATEMENT: u64 = 64 * 1024;
const MOST_INDEX: u64 = 512 * 1024 * 1024;

/// The lengths that the fixed part announces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Lengths {
    pub(super) statement: u64,
    pub(super) index: u64,
    pub(super) signatures: usize,
}

impl Lengths {
    /// Where the data begins.
    pub(super) fn data_at(self) -> u64 {
        FIXED as u64 + self.statement + self.index
    }

    fn skippable(self) -> u64 {
        self.data_at() - HEADER_AT as u64
    }
}

/// The fixed part.
pub(super) fn encode(lengths: Lengths, signatures: &[Signature]) -> Vec<u8> {
    let mut front = Vec::with_capacity(FIXED);
    front.extend_from_slice(&EMPTY);
    front.extend_from_slice(&SKIPPABLE);
    front.extend_from_slice(&u32::try_from(lengths.skippable()).unwrap_or(u32::MAX).to_le_bytes());
    front.extend_from_slice(&MAGIC);
    front.extend_from_slice(&FORMAT.to_le_bytes());
    front.extend_from_slice(&lengths.statement.to_le_bytes());
    front.extend_from_slice(&lengths.index.to_le_bytes());
    front.extend_from_slice(&u32::try_from(signatures.len()).unwrap_or(u32::MAX).to_le_bytes());
    front.resize(SLOTS_AT, 0);
    for signature in signatures {
        front.extend_from_slice(&signature.encode());
    }
    front.resize(FIXED, 0);
    front
}

/// Takes the fixed part apart; whatever [`encode`] would not have written exactly so is refused with the reason.
pub(super) fn decode(front: &[u8]) -> Result<(Lengths, Vec<Signature>), String> {
    if front.len() != FIXED || front[HEADER_AT..HEADER_AT + 4] != MAGIC {
        return Err("it is no bundle".to_owned());
    }
    let number = |at: usize, length: usize| {
        let mut bytes = [0; 8];
        bytes[..length].copy_from_slice(&front[HEADER_AT + at..HEADER_AT + at + length]);
        u64::from_le_bytes(bytes)
    };
    if number(4, 4) != u64::from(FORMAT) {
        return Err(format!("it has format {}, and this program reads {FORMAT}", number(4, 4)));
    }
    let lengths = Lengths {
        statement: number(8, 8),
        index: number(16, 8),
        signatures: usize::try_from(number(24, 4)).unwrap_or(usize::MAX),
    };
    if lengths.statement > MOST_STATEMENT || lengths.index > MOST_INDEX || lengths.signatures > MOST_SIGNATURES {
        return Err("its header announces absurd sizes".to_owned());
    }
    let slots = front[SLOTS_AT..].chunks_exact(Signature::LENGTH).take(lengths.signatures);
    let signatures: Option<Vec<Signature>> = slots.map(|slot| Signature::decode(slot.try_into().ok()?)).collect();
    let signatures = signatures.ok_or("a signature is damaged")?;
    if encode(lengths, &signatures) != front {
        return Err("its header is damaged".to_owned());
    }
    Ok((lengths, signatures))
}

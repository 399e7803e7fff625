//! Opens, verifies and reads a bundle. Only a verified bundle can be read, and that is a matter of types.

use std::io::{self, Write};
use std::marker::PhantomData;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::frame::{self, stored_length};
use super::front;
use super::index::{Encoding, Index, Member, Offsets};
use super::layout::{MemberPath, between, end};
use super::signature::{Signature, TrustedKeys};
use super::source::ReadAt;
use super::statement::{FORMAT, Statement};
use crate::digest::{Digest, Hasher};

/// Nothing in the bundle has been checked.
#[derive(Debug)]
pub struct Unverified;
/// Signatures, statement and index are good; members are checked while they are read.
#[derive(Debug)]
pub struct Verified;

/// A bundle.
pub struct Bundle<State = Unverified> {
    source: Box<dyn ReadAt>,
    statement: Statement,
    statement_bytes: Vec<u8>,
    index: Index,
    offsets: Offsets,
    signatures: Vec<Signature>,
    data_at: u64,
    state: PhantomData<State>,
}

/// Why a bundle is refused.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    /// It cannot be read.
    #[error("the bundle cannot be read")]
    Io(#[from] io::Error),
    /// It is damaged, or no bundle at all.
    #[error("the bundle is damaged: {0}")]
    Damaged(String),
    /// Nobody signed it.
    #[error("the bundle is not signed")]
    Unsigned,
    /// A signature does not fit.
    #[error("a signature of the bundle is not valid: key {0}")]
    BadSignature(super::KeyId),
    /// Too few of the trusted keys signed it.
    #[error("the bundle is not signed by a trusted key, but by: {}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "))]
    Untrusted(Vec<super::KeyId>),
    /// Some of its volumes are not there.
    #[error("volume {} of {count} is missing", .missing.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "))]
    MissingVolumes {
        /// Their numbers.
        missing: Vec<u32>,
        /// How many there are in all.
        count: u32,
    },
    /// It builds upon a bundle that is not there.
    #[error("{blobs} of its blobs stand in {base}, which is not here")]
    MissingBase {
        /// What it builds upon.
        base: String,
        /// How many blobs are missing.
        blobs: usize,
    },
    /// A member is not there.
    #[error("the bundle has no {0}")]
    Missing(MemberPath),
}

/// A member that is damaged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bad {
    /// Which one; `None` for what stands between members.
    pub path: Option<MemberPath>,
    /// Where its bytes stand in the file.
    pub offset: u64,
    /// How many bytes that are.
    pub length: u64,
    /// The volume in which they begin, if there are volumes.
    pub volume: Option<u32>,
}

fn damaged<T>(reason: impl Into<String>) -> Result<T, Refusal> {
    Err(Refusal::Damaged(reason.into()))
}

impl<State> std::fmt::Debug for Bundle<State> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Bundle").field("statement", &self.statement).finish_non_exhaustive()
    }
}

impl Bundle<Unverified> {
    /// Reads the front of a bundle, within limits, and checks everything about it that needs no key.
    pub fn open(source: Box<dyn ReadAt>) -> Result<Self, Refusal> {
        let size = source.size()?;
        let mut fixed = vec![0; front::FIXED];
        if size < fixed.len() as u64 {
            return damaged("it is too short");
        }
        source.read_exact_at(&mut fixed, 0)?;
        let (lengths, signatures) = front::decode(&fixed).map_err(Refusal::Damaged)?;
        if size < lengths.data_at() {
            return damaged("it ends before its data begins");
        }
        let read = |length: u64, at: u64| -> io::Result<Vec<u8>> {
            let mut bytes = vec![0; usize::try_from(length).map_err(io::Error::other)?];
            source.read_exact_at(&mut bytes, at)?;
            Ok(bytes)
        };
        let statement_bytes = read(lengths.statement, front::FIXED as u64)?;
        let Ok(statement) = serde_json::from_slice::<Statement>(&statement_bytes) else {
            return damaged("its statement cannot be read");
        };
        if statement.format != FORMAT || statement.index_length != lengths.index {
            return damaged("its statement contradicts its header");
        }
        let index_bytes = read(lengths.index, front::FIXED as u64 + lengths.statement)?;
        if Digest::of(&index_bytes) != statement.index {
            return damaged("its index is not the one that its statement names");
        }
        let Ok(index) = serde_json::from_slice::<Index>(&index_bytes) else {
            return damaged("its index cannot be read");
        };
        if let Some(problem) = index.problem() {
            return damaged(problem);
        }
        let Some(offsets) = index.offsets() else { return damaged("its members are larger than any file") };
        if offsets.end != statement.data_length || lengths.data_at().checked_add(offsets.end) != Some(size) {
            return damaged("its length is not the one that its index adds up to");
        }
        Ok(Self {
            source,
            statement,
            statement_bytes,
            index,
            offsets,
            signatures,
            data_at: lengths.data_at(),
            state: PhantomData,
        })
    }

    /// Checks the signatures. All that are present must be valid, and enough of them by trusted keys.
    pub fn verify(self, keys: &TrustedKeys) -> Result<Bundle<Verified>, Refusal> {
        if self.signatures.is_empty() {
            return Err(Refusal::Unsigned);
        }
        if let Some(bad) = self.signatures.iter().find(|signature| !signature.is_valid(&self.statement_bytes)) {
            return Err(Refusal::BadSignature(bad.key.id()));
        }
        if !keys.are_satisfied_by(&self.signatures) {
            return Err(Refusal::Untrusted(self.signatures.iter().map(|signature| signature.key.id()).collect()));
        }
        let Self { source, statement, statement_bytes, index, offsets, signatures, data_at, .. } = self;
        Ok(Bundle { source, statement, statement_bytes, index, offsets, signatures, data_at, state: PhantomData })
    }

    /// The bytes that a further signature must cover.
    pub fn to_be_signed(&self) -> &[u8] {
        &self.statement_bytes
    }

    /// The first bytes of the file with one more signature, to be written over the old ones; `None` if there is no room.
    ///
    /// The places for signatures have a fixed size, so nothing else in the file changes.
    pub fn co_signed(&self, signature: Signature) -> Option<Vec<u8>> {
        let mut signatures = self.signatures.clone();
        if signatures.len() >= front::MOST_SIGNATURES || signatures.iter().any(|known| known.key == signature.key) {
            return None;
        }
        signatures.push(signature);
        let lengths = front::Lengths {
            statement: self.statement_bytes.len() as u64,
            index: self.statement.index_length,
            signatures: signatures.len(),
        };
        Some(front::encode(lengths, &signatures))
    }
}

impl<State> Bundle<State> {
    /// What it is called by others: the digest of its statement.
    pub fn id(&self) -> Digest {
        Digest::of(&self.statement_bytes)
    }

    /// The keys that signed it, valid or not.
    pub fn signatures(&self) -> &[Signature] {
        &self.signatures
    }
}

impl Bundle<Verified> {
    /// What is signed.
    pub fn statement(&self) -> &Statement {
        &self.statement
    }

    /// Every member.
    pub fn index(&self) -> &Index {
        &self.index
    }

    /// Writes a member, checked. Memory stays at one frame; an error means that what was written must not be used.
    pub fn copy_to(&self, path: MemberPath, out: &mut dyn Write) -> Result<(), Refusal> {
        let Some(at) = self.index.find(path) else { return Err(Refusal::Missing(path)) };
        self.each_part(at, &mut |part| out.write_all(part).map_err(Refusal::Io))
    }

    /// A member in memory; for documents, not for layers.
    pub fn read(&self, path: MemberPath) -> Result<Vec<u8>, Refusal> {
        let mut bytes = vec![];
        self.copy_to(path, &mut bytes)?;
        Ok(bytes)
    }

    /// Checks every byte behind the front with so many threads, and names everything that is damaged.
    ///
    /// `progress` is told how many bytes were read since it was called last.
    pub fn check(&self, threads: usize, progress: &(dyn Fn(u64) + Sync)) -> Result<Vec<Bad>, Refusal> {
        let mut bad = self.check_between()?;
        let all: Vec<usize> = (0..self.index.members.len()).collect();
        bad.extend(self.check_members(&all, threads, progress)?);
        bad.sort_by_key(|bad| bad.offset);
        Ok(bad)
    }

    /// Checks these members.
    pub(super) fn check_members(
        &self,
        members: &[usize],
        threads: usize,
        progress: &(dyn Fn(u64) + Sync),
    ) -> Result<Vec<Bad>, Refusal> {
        let next = AtomicUsize::new(0);
        let found: Mutex<Result<Vec<Bad>, Refusal>> = Mutex::new(Ok(vec![]));
        let work = || {
            while let Some(at) = members.get(next.fetch_add(1, Ordering::Relaxed)).copied() {
                let outcome = self.each_part(at, &mut |_| Ok(()));
                progress(self.index.members[at].length().unwrap_or(0));
                let mut found = found.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                match (outcome, found.as_mut()) {
                    (Err(Refusal::Damaged(_)), Ok(list)) => list.push(self.bad(at)),
                    (Err(refusal), Ok(_)) => *found = Err(refusal),
                    _ => {}
                }
            }
        };
        std::thread::scope(|scope| (0..threads.max(1)).for_each(|_| drop(scope.spawn(work))));
        found.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    fn bad(&self, at: usize) -> Bad {
        let member = &self.index.members[at];
        let offset = self.data_at + self.offsets.members[at];
        let volume = self.source.volume_at(offset);
        Bad { path: Some(member.path), offset, length: member.length().unwrap_or(0), volume }
    }

    /// Compares what stands between the members with what must stand there.
    fn check_between(&self) -> Result<Vec<Bad>, Refusal> {
        let mut bad = vec![];
        let mut before = None;
        let mut expect = |plain: &[u8], ends_at: u64| -> Result<(), Refusal> {
            let length = stored_length(plain.len());
            let offset = self.data_at + ends_at - length as u64;
            let (mut wanted, mut found) = (Vec::with_capacity(length), vec![0; length]);
            frame::store(plain, &mut wanted);
            self.source.read_exact_at(&mut found, offset)?;
            if wanted != found {
                bad.push(Bad { path: None, offset, length: length as u64, volume: self.source.volume_at(offset) });
            }
            Ok(())
        };
        for (member, at) in self.index.members.iter().zip(&self.offsets.members) {
            expect(&between(before, member.path, member.size), *at)?;
            before = Some(member.size);
        }
        expect(&end(before), self.offsets.end)?;
        Ok(bad)
    }

    /// Hands out a member part by part; the last part was handed out before the digest is compared.
    fn each_part(&self, at: usize, part: &mut dyn FnMut(&[u8]) -> Result<(), Refusal>) -> Result<(), Refusal> {
        let member = &self.index.members[at];
        let mut offset = self.data_at + self.offsets.members[at];
        let mut hasher = Hasher::default();
        let mut buffer = vec![];
        for (number, plain) in member.plain_lengths().enumerate() {
            let (length, expected) = match &member.encoding {
                Encoding::Stored => (stored_length(plain), None),
                Encoding::Zstd(frames) => (frames[number].length as usize, Some(frames[number].digest)),
            };
            buffer.resize(length, 0);
            self.source.read_exact_at(&mut buffer, offset)?;
            offset += length as u64;
            match expected {
                None => {
                    let Some(blocks) = frame::unstore(&buffer, plain) else { return damaged(describe(member, number)) };
                    for block in blocks {
                        hasher.update(block);
                        part(block)?;
                    }
                }
                Some(digest) => {
                    // The compressed bytes are checked before the decompressor sees them.
                    if Digest::of(&buffer) != digest {
                        return damaged(describe(member, number));
                    }
                    let Ok(bytes) = frame::decompress(&buffer, plain) else { return damaged(describe(member, number)) };
                    hasher.update(&bytes);
                    part(&bytes)?;
                }
            }
        }
        if hasher.finish().0 == member.digest {
            Ok(())
        } else {
            damaged(format!("{} has another digest than it should", member.path))
        }
    }
}

fn describe(member: &Member, frame: usize) -> String {
    format!("frame {frame} of {}", member.path)
}

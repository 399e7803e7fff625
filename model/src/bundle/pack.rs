//! Writes a bundle. Where every byte goes follows from the index, so members are written by several threads at once and
//! the file is the same however many there are.

use std::io::{self, Read};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::frame::{store, store_from, stored_length};
use super::front::{self, Lengths};
use super::index::{Elsewhere, Encoding, Index, Member, Offsets};
use super::layout::{between, end};
use super::signature::Signature;
use super::source::WriteAt;
use super::statement::Statement;
use super::volume::{self, VolumeHead};
use crate::digest::Digest;

/// A bundle that is ready to be signed and written.
pub struct Plan {
    index: Index,
    index_bytes: Vec<u8>,
    statement_bytes: Vec<u8>,
    offsets: Offsets,
}

/// Writes planned bundles.
pub struct Packer<'a> {
    /// The content of a member as it stands in the file: plain for stored members, compressed frames for the others.
    pub content: &'a (dyn Fn(&Member) -> io::Result<Box<dyn Read + Send>> + Sync),
    /// Is told how many bytes were written since it was called last.
    pub progress: &'a (dyn Fn(u64) + Sync),
}

impl Plan {
    /// Plans a bundle of these members, and of blobs that stand elsewhere. `statement` is taken as a draft: lengths and
    /// digest of the index are filled in.
    pub fn new(mut members: Vec<Member>, mut elsewhere: Vec<Elsewhere>, mut statement: Statement) -> io::Result<Self> {
        members.sort_by_key(|member| member.path);
        elsewhere.sort_by_key(|blob| blob.digest);
        let index = Index { members, elsewhere };
        if let Some(problem) = index.problem() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, problem));
        }
        let offsets = index.offsets().ok_or(io::ErrorKind::FileTooLarge)?;
        let index_bytes = serde_json::to_vec(&index)?;
        statement.index_length = index_bytes.len() as u64;
        statement.index = Digest::of(&index_bytes);
        statement.data_length = offsets.end;
        let statement_bytes = serde_json::to_vec(&statement)?;
        Ok(Self { index, index_bytes, statement_bytes, offsets })
    }

    /// Every member, in the order of the file.
    pub fn members(&self) -> &[Member] {
        &self.index.members
    }

    /// The bytes that a signature must cover.
    pub fn to_be_signed(&self) -> &[u8] {
        &self.statement_bytes
    }

    /// What the bundle is called by others: the digest of its statement.
    pub fn id(&self) -> Digest {
        Digest::of(&self.statement_bytes)
    }

    /// Cuts it into volumes of at most so many bytes.
    pub fn volumes(&self, most: u64) -> io::Result<Vec<VolumeHead>> {
        volume::cut(self.id(), self.parts(), most)
    }

    /// The lengths of everything that must not be cut, in the order of the file.
    fn parts(&self) -> impl Iterator<Item = u64> {
        let mut before = None;
        let members = self.index.members.iter().flat_map(move |member| {
            let header = stored_length(between(before, member.path, member.size).len());
            before = Some(member.size);
            std::iter::once(header).chain(frame_lengths(member).into_iter().map(|(_, length)| length))
        });
        let last = self.index.members.last().map(|member| member.size);
        let parts = members.chain([stored_length(end(last).len())]).map(|length| length as u64);
        std::iter::once(self.lengths(0).data_at()).chain(parts)
    }

    /// How large the file will be.
    pub fn size(&self) -> u64 {
        self.lengths(0).data_at() + self.offsets.end
    }

    fn lengths(&self, signatures: usize) -> Lengths {
        Lengths { statement: self.statement_bytes.len() as u64, index: self.index_bytes.len() as u64, signatures }
    }

    /// Everything before the data.
    pub fn front(&self, signatures: &[Signature]) -> Vec<u8> {
        let mut front = front::encode(self.lengths(signatures.len()), signatures);
        front.extend_from_slice(&self.statement_bytes);
        front.extend_from_slice(&self.index_bytes);
        front
    }
}

impl Packer<'_> {
    /// Writes the whole bundle into an empty file, with so many threads.
    pub fn write(&self, plan: &Plan, signatures: &[Signature], file: &dyn WriteAt, threads: usize) -> io::Result<()> {
        self.write_frame(plan, signatures, file)?;
        let next = AtomicUsize::new(0);
        let failed: Mutex<io::Result<()>> = Mutex::new(Ok(()));
        let work = || {
            while let Some(member) = plan.index.members.get(next.fetch_add(1, Ordering::Relaxed)) {
                if let Err(error) = self.write_member(plan, member, file) {
                    *failed.lock().unwrap_or_else(std::sync::PoisonError::into_inner) = Err(error);
                    next.store(usize::MAX / 2, Ordering::Relaxed);
                }
            }
        };
        std::thread::scope(|scope| (0..threads.max(1)).for_each(|_| drop(scope.spawn(work))));
        failed.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// Writes everything but the members: the front, and what stands between them.
    pub fn write_frame(&self, plan: &Plan, signatures: &[Signature], file: &dyn WriteAt) -> io::Result<()> {
        let front = plan.front(signatures);
        file.write_all_at(&front, 0)?;
        write_between(plan, file, front.len() as u64)
    }

    /// Writes one member, at the place that the plan gives it. A frame is always written at once, so that volumes can be cut
    /// between them.
    pub fn write_member(&self, plan: &Plan, member: &Member, file: &dyn WriteAt) -> io::Result<()> {
        let written = match plan.index.find(member.path) {
            Some(at) => self.member(member, file, plan.lengths(0).data_at() + plan.offsets.members[at]),
            None => Err(io::Error::new(io::ErrorKind::NotFound, "is not in the plan")),
        };
        written.map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", member.path)))
    }

    fn member(&self, member: &Member, file: &dyn WriteAt, mut offset: u64) -> io::Result<()> {
        let mut buffer = vec![];
        let mut content = (self.content)(member)?;
        for (plain, length) in frame_lengths(member) {
            match member.encoding {
                Encoding::Stored => store_from(&mut *content, plain, &mut buffer)?,
                Encoding::Zstd(_) => {
                    buffer.resize(length, 0);
                    content.read_exact(&mut buffer)?;
                }
            }
            file.write_all_at(&buffer, offset)?;
            offset += buffer.len() as u64;
            (self.progress)(buffer.len() as u64);
        }
        // Content that goes on after its size is not what was planned.
        match content.read(&mut [0])? {
            0 => Ok(()),
            _ => Err(io::Error::new(io::ErrorKind::InvalidData, "is longer than planned")),
        }
    }
}

/// The plain length of each of a member's frames, and the length that it has in the file.
fn frame_lengths(member: &Member) -> Vec<(usize, usize)> {
    let plain = member.plain_lengths();
    match &member.encoding {
        Encoding::Stored => plain.map(|plain| (plain, stored_length(plain))).collect(),
        Encoding::Zstd(frames) => plain.zip(frames).map(|(plain, frame)| (plain, frame.length as usize)).collect(),
    }
}

/// tar's headers and padding, which are small and many.
fn write_between(plan: &Plan, file: &dyn WriteAt, data_at: u64) -> io::Result<()> {
    let mut before = None;
    let put = |plain: &[u8], ends_at: u64| {
        let mut framed = vec![];
        store(plain, &mut framed);
        file.write_all_at(&framed, data_at + ends_at - framed.len() as u64)
    };
    for (member, at) in plan.index.members.iter().zip(&plan.offsets.members) {
        put(&between(before, member.path, member.size), *at)?;
        before = Some(member.size);
    }
    put(&end(before), plan.offsets.end)
}

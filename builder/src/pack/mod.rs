//! From the lock and a full store to a signed bundle.

mod arrivals;
mod blobs;
mod documents;
mod image;
mod output;
mod written;

use std::collections::BTreeSet;
use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::Duration;

use ed25519_dalek::SigningKey;
use kubexm_model::bundle::{Base, Encoding, FORMAT, Member, Packer, Plan, Receipt, Statement, sign};
use kubexm_model::catalogue::Platform;
use kubexm_model::console::Progress;
use kubexm_model::digest::Digest;
use kubexm_model::lock::Lock;

use crate::cache::Cache;

pub use arrivals::Arrivals;
use documents::Documents;
pub use documents::lock_bytes;
pub use image::write_image;
use output::Output;
use written::Written;

/// What a bundle is besides its content.
#[derive(Debug, Clone)]
pub struct Label {
    /// The line of bundles that it belongs to.
    pub channel: String,
    /// Its place in that line; without one, the time when the lock was made.
    pub sequence: Option<u64>,
    /// For how many days it may be used for something new.
    pub days: u64,
}

/// What was written.
#[derive(Debug, Clone)]
pub struct Packed {
    /// The size of the bundle.
    pub size: u64,
    /// How many members it has.
    pub members: usize,
    /// The file, or its volumes.
    pub files: Vec<PathBuf>,
}

/// What the other side has already, so that it need not be packed.
#[derive(Debug, Clone, Default)]
pub struct Have {
    /// The bundles that it has.
    pub bases: Vec<Base>,
    /// The blobs of them.
    pub blobs: BTreeSet<Digest>,
}

impl Have {
    /// Adds what a site has.
    pub fn add(&mut self, receipt: Receipt) {
        self.bases.push(receipt.has);
        self.blobs.extend(receipt.blobs);
    }
}

/// A bundle to be packed.
pub struct Packing<'a> {
    /// What goes into it.
    pub lock: &'a Lock,
    /// Where it comes from.
    pub cache: &'a Cache,
    /// What stays out, because the other side has it.
    pub have: &'a Have,
    /// Where it goes.
    pub out: &'a Path,
    /// The largest file that may be written; volumes are cut if the bundle is larger.
    pub volume_size: Option<u64>,
    /// What it is besides its content.
    pub label: &'a Label,
    /// Who signs.
    pub keys: &'a [SigningKey],
    /// How many threads compress and write.
    pub threads: usize,
    /// Is told what happens.
    pub progress: &'a Progress,
}

impl Packing<'_> {
    /// Writes the bundle of a lock beside its place and renames it, so that it is whole or not there. Blobs may still be on
    /// their way: each is taken as it arrives.
    pub fn run(&self, arrivals: &Arrivals) -> io::Result<Packed> {
        let (mut members, documents) = documents::members(self.lock)?;
        let (blobs, elsewhere) = blobs::members(self, arrivals)?;
        members.extend(blobs);
        let count = members.len();
        let plan = Plan::new(members, elsewhere, self.statement())?;
        let signatures: Vec<_> = self.keys.iter().map(|key| sign(plan.to_be_signed(), key)).collect();
        // What fits into one volume is written as one file.
        let volume_size = self.volume_size.filter(|most| plan.size() > *most);
        let files = Output::paths(&plan, self.out, volume_size)?;
        let packed = Packed { size: plan.size(), members: count, files: files.clone() };
        // The front names every byte of the file. If the file that we wrote for it is still there, nothing needs to be written.
        let written = Written::of(self.cache, &plan.front(&signatures), &files);
        if written.is_still_there() {
            return Ok(packed);
        }
        let output = Output::create(&plan, self.out, volume_size)?;
        let content = |member: &Member| content(member, &documents, self.cache);
        let progress = |bytes| self.progress.add(bytes);
        let writer = Packer { content: &content, progress: &progress };
        // What was compressed was counted then, by its plain size.
        let silent = Packer { content: &content, progress: &|_| {} };
        let members = plan.members().iter().map(|member| (member.digest, member)).collect();
        // Documents are here from the beginning.
        for member in plan.members().iter().filter(|member| documents.contains_key(&member.path)) {
            arrivals.arrived(member.digest);
        }
        while_flushing(&output, || {
            writer.write_frame(&plan, &signatures, &output)?;
            arrivals.each(members, self.threads, |member: &Member| {
                let counted = if member.encoding == Encoding::Stored { &writer } else { &silent };
                counted.write_member(&plan, member, &output)
            })
        })?;
        self.progress.stage("syncing", 0);
        output.sync()?;
        output.persist()?;
        if volume_size.is_some() {
            output::remove_leftovers(self.out, &files)?;
            output::write_checksums(self.out, &files)?;
        }
        written.remember()?;
        Ok(packed)
    }

    fn statement(&self) -> Statement {
        let Self { lock, label, .. } = self;
        let mut platforms: Vec<String> =
            lock.entries.iter().flat_map(|entry| &entry.arch).map(|arch| Platform(*arch).to_string()).collect();
        platforms.sort();
        platforms.dedup();
        Statement {
            format: FORMAT,
            cluster: lock.cluster.clone(),
            channel: label.channel.clone(),
            sequence: label.sequence.unwrap_or(lock.created),
            created: lock.created,
            expires: lock.created + label.days * DAY,
            builder: env!("CARGO_PKG_VERSION").to_owned(),
            platforms,
            bases: self.have.bases.clone(),
            lock: Digest::of(&lock_bytes(lock)),
            // Filled in by the plan.
            index_length: 0,
            index: Digest::of(&[]),
            data_length: 0,
        }
    }
}

/// Often enough to keep the disk busy, and seldom enough not to keep the processor busy with it.
const FLUSH_EVERY: Duration = Duration::from_millis(250);

const DAY: u64 = 24 * 60 * 60;

/// Lets the disk work while a file is being written, so that little is left to wait for at the end.
fn while_flushing(output: &Output, write: impl FnOnce() -> io::Result<()>) -> io::Result<()> {
    let (written, wait) = mpsc::channel::<()>();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            while wait.recv_timeout(FLUSH_EVERY) == Err(mpsc::RecvTimeoutError::Timeout) {
                // Whether it worked shows when the whole file is synced.
                let _ = output.sync();
            }
        });
        let outcome = write();
        drop(written);
        outcome
    })
}

fn content(member: &Member, documents: &Documents, cache: &Cache) -> io::Result<Box<dyn Read + Send>> {
    if let Some(bytes) = documents.get(&member.path) {
        return Ok(Box::new(Cursor::new(bytes.clone())));
    }
    match &member.encoding {
        Encoding::Stored => Ok(Box::new(cache.read(&member.digest)?)),
        Encoding::Zstd(_) => {
            Ok(Box::new(fs_err::File::open(cache.compressed(&member.digest, blobs::level(member.size)).0)?))
        }
    }
}

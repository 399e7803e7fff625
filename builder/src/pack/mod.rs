//! From the lock and a full store to a signed bundle.

mod blobs;
mod documents;
mod written;

use std::io::{self, Cursor, Read};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use ed25519_dalek::SigningKey;
use kubexm_model::bundle::{Encoding, FORMAT, Member, Packer, Plan, Statement, sign};
use kubexm_model::catalogue::Platform;
use kubexm_model::digest::Digest;
use kubexm_model::lock::Lock;

use crate::cache::Cache;

use documents::Documents;
pub use documents::lock_bytes;
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
    /// The size of the file.
    pub size: u64,
    /// How many members it has.
    pub members: usize,
}

/// Is told how many bytes were compressed or written since it was called last.
pub type Progress<'a> = &'a (dyn Fn(u64) + Sync);

/// Writes the bundle of a lock beside `out` and renames it, so that it is whole or not there.
pub fn pack(
    lock: &Lock,
    cache: &Cache,
    out: &Path,
    label: &Label,
    keys: &[SigningKey],
    threads: usize,
    progress: Progress<'_>,
) -> io::Result<Packed> {
    let (mut members, documents) = documents::members(lock)?;
    members.extend(blobs::members(lock, cache, threads, progress)?);
    let count = members.len();
    let plan = Plan::new(members, statement(lock, label))?;
    let signatures: Vec<_> = keys.iter().map(|key| sign(plan.to_be_signed(), key)).collect();
    let packed = Packed { size: plan.size(), members: count };
    // The front names every byte of the file. If the file that we wrote for it is still there, nothing needs to be written.
    let written = Written::of(cache, &plan.front(&signatures), out);
    if written.is_still_there() {
        return Ok(packed);
    }
    let folder = out.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let file = tempfile::Builder::new().prefix(".kubexm-").tempfile_in(folder)?;
    let content = |member: &Member| content(member, &documents, cache);
    let writer = Packer { threads, content: &content, progress };
    while_flushing(file.as_file(), || writer.write(&plan, &signatures, file.as_file()))?;
    file.as_file().sync_data()?;
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o644);
    file.as_file().set_permissions(mode)?;
    file.persist(out).map_err(|error| error.error)?;
    written.remember()?;
    Ok(packed)
}

/// Lets the disk work while a file is being written, so that little is left to wait for at the end.
fn while_flushing(file: &std::fs::File, write: impl FnOnce() -> io::Result<()>) -> io::Result<()> {
    let written = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !written.load(Ordering::Relaxed) {
                // Whether it worked shows when the whole file is synced.
                let _ = file.sync_data();
                std::thread::sleep(Duration::from_millis(50));
            }
        });
        let outcome = write();
        written.store(true, Ordering::Relaxed);
        outcome
    })
}

const DAY: u64 = 24 * 60 * 60;

fn statement(lock: &Lock, label: &Label) -> Statement {
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
        lock: Digest::of(&lock_bytes(lock)),
        // Filled in by the plan.
        index_length: 0,
        index: Digest::of(&[]),
        data_length: 0,
    }
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

//! From the lock and a full store to a signed bundle.

use std::collections::BTreeMap;
use std::io::{self, Cursor, Read};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use ed25519_dalek::SigningKey;
use kubexm_model::bundle::{
    Encoding, FORMAT, Frame, Member, MemberPath, PLAIN_MAX, Packer, Plan, Statement, compress, sign,
};
use kubexm_model::catalogue::Platform;
use kubexm_model::digest::Digest;
use kubexm_model::lock::{Blob, Lock};
use serde::{Deserialize, Serialize};

use crate::cache::Cache;
use crate::sbom;

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

/// How the contents of the documents stand in the file, by their paths.
type Documents = BTreeMap<MemberPath, Vec<u8>>;

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
    let (mut members, documents) = documents(lock)?;
    members.extend(blobs(lock, cache, threads, progress)?);
    let count = members.len();
    let plan = Plan::new(members, statement(lock, label))?;
    let signatures: Vec<_> = keys.iter().map(|key| sign(plan.to_be_signed(), key)).collect();
    let folder = out.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let file = tempfile::Builder::new().prefix(".kubexm-").tempfile_in(folder)?;
    let content = |member: &Member| content(member, &documents, cache);
    Packer { threads, content: &content, progress }.write(&plan, &signatures, file.as_file())?;
    file.as_file().sync_data()?;
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o644);
    file.as_file().set_permissions(mode)?;
    file.persist(out).map_err(|error| error.error)?;
    Ok(Packed { size: plan.size(), members: count })
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

/// A lock as it is written to a file and into a bundle.
pub fn lock_bytes(lock: &Lock) -> Vec<u8> {
    serde_json::to_value(lock)
        .ok()
        .and_then(|value| serde_yaml::to_string(&value).ok())
        .unwrap_or_default()
        .into_bytes()
}

fn documents(lock: &Lock) -> io::Result<(Vec<Member>, Documents)> {
    let manifest = serde_json::to_vec(&Contents::of(lock))?;
    let texts = [
        (MemberPath::Lock, lock_bytes(lock)),
        (MemberPath::Manifest, manifest),
        (MemberPath::CycloneDx, sbom::cyclonedx(lock)),
        (MemberPath::Spdx, sbom::spdx(lock)),
    ];
    let (mut members, mut contents) = (vec![], Documents::new());
    for (path, text) in texts {
        let mut frames = vec![];
        let mut bytes = vec![];
        for part in text.chunks(PLAIN_MAX) {
            let frame = compress(part, SMALL_LEVEL)?;
            frames.push(table_entry(&frame)?);
            bytes.extend_from_slice(&frame);
        }
        members.push(Member {
            path,
            size: text.len() as u64,
            digest: Digest::of(&text),
            encoding: Encoding::Zstd(frames),
        });
        contents.insert(path, bytes);
    }
    Ok((members, contents))
}

fn table_entry(frame: &[u8]) -> io::Result<Frame> {
    Ok(Frame { length: u32::try_from(frame.len()).map_err(io::Error::other)?, digest: Digest::of(frame) })
}

/// manifest.json: what the blobs are, for people with stock tools.
#[derive(Serialize)]
struct Contents<'a> {
    entries: Vec<Content<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Content<'a> {
    kind: kubexm_model::bom::Kind,
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    os: Option<&'a str>,
    arch: &'a [kubexm_model::cluster::schema::Arch],
    digest: Digest,
    blobs: Vec<Digest>,
}

impl<'a> Contents<'a> {
    fn of(lock: &'a Lock) -> Self {
        let content = |entry: &'a kubexm_model::lock::Locked| {
            let mut blobs: Vec<Digest> = entry.blobs().map(|blob| blob.digest).collect();
            blobs.sort();
            blobs.dedup();
            Content {
                kind: entry.kind,
                name: &entry.name,
                os: entry.os.as_deref(),
                arch: &entry.arch,
                digest: entry.blob.digest,
                blobs,
            }
        };
        Self { entries: lock.entries.iter().map(content).collect() }
    }
}

/// The members for all blobs of the lock, each once; those that gain by it are compressed first, many at a time.
fn blobs(lock: &Lock, cache: &Cache, threads: usize, progress: Progress<'_>) -> io::Result<Vec<Member>> {
    let all: BTreeMap<Digest, &Blob> = lock.blobs().map(|blob| (blob.digest, blob)).collect();
    let all: Vec<&Blob> = all.into_values().collect();
    let next = AtomicUsize::new(0);
    let done: Mutex<io::Result<Vec<Member>>> = Mutex::new(Ok(vec![]));
    let work = || {
        while let Some(blob) = all.get(next.fetch_add(1, Ordering::Relaxed)) {
            let member = member(blob, cache, progress);
            let mut done = done.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            match (member, done.as_mut()) {
                (Ok(member), Ok(list)) => list.push(member),
                (Err(error), Ok(_)) => *done = Err(error),
                _ => {}
            }
        }
    };
    std::thread::scope(|scope| (0..threads.max(1)).for_each(|_| drop(scope.spawn(work))));
    done.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner)
}

const SMALL_LEVEL: i32 = 19;

/// Small things are compressed hard, because it costs nothing; large ones so that the disk stays the slower part.
fn level(size: u64) -> i32 {
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

fn member(blob: &Blob, cache: &Cache, progress: Progress<'_>) -> io::Result<Member> {
    let mut beginning = [0; 16];
    let mut file = cache.read(&blob.digest)?;
    let read = read_up_to(&mut file, &mut beginning)?;
    let path = MemberPath::Blob(blob.digest);
    let stored = Member { path, size: blob.size, digest: blob.digest, encoding: Encoding::Stored };
    if blob.size == 0 || is_compressed(&beginning[..read]) {
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

fn compressed(blob: &Blob, cache: &Cache, level: i32, progress: Progress<'_>) -> io::Result<Vec<Frame>> {
    let (data, table) = cache.compressed(&blob.digest, level);
    let _held = cache.hold(&format!("zstd-{}", blob.digest.hex()))?;
    if let Some(known) = fs_err::read(&table).ok().and_then(|text| serde_json::from_slice::<Table>(&text).ok()) {
        let length: u64 = known.frames.iter().map(|frame| u64::from(frame.length)).sum();
        if fs_err::metadata(&data).is_ok_and(|found| found.len() == length) {
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
        progress(0);
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

fn content(member: &Member, documents: &Documents, cache: &Cache) -> io::Result<Box<dyn Read + Send>> {
    if let Some(bytes) = documents.get(&member.path) {
        return Ok(Box::new(Cursor::new(bytes.clone())));
    }
    match &member.encoding {
        Encoding::Stored => Ok(Box::new(cache.read(&member.digest)?)),
        Encoding::Zstd(_) => Ok(Box::new(fs_err::File::open(cache.compressed(&member.digest, level(member.size)).0)?)),
    }
}

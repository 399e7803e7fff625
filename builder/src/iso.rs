//! A folder as an ISO 9660 image, with Rock Ridge and Joliet for names of any length: for sites whose process asks for one.
//!
//! The same folder gives the same bytes: every time in the image is the same fixed one.

use std::collections::BTreeSet;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;
use std::sync::Arc;

use fs_err::{File, OpenOptions};
use hadris_iso::read::PathSeparator;
use hadris_iso::write::options::{CreationFeatures, IsoFormatOptions};
use hadris_iso::write::{FileSource, InputEntry, InputEntryKind, InputMetadata, InputTree, IsoImageWriter};

const SECTOR: u64 = 2048;
/// Folders are not nested deeper, nor are they larger.
const DEEPEST: usize = 7;
const MOST_FOLDER: u32 = 64 * 1024 * 1024;
/// The writer ends the program over some names of 131 bytes. No package has such a name.
const LONGEST_NAME: usize = 120;
/// The first moment of 2020, as seconds, as a date with digits, and as a date with bytes.
const SECONDS: i64 = 1_577_836_800;
const DIGITS: &[u8; 17] = b"2020010100000000\0";
const BYTES: [u8; 7] = [120, 1, 1, 0, 0, 0, 0];

/// Why an image cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum IsoError {
    /// A file cannot be read, or the image cannot be written.
    #[error("the image cannot be written")]
    File(#[from] io::Error),
    /// The writer refuses what it is given.
    #[error("the image cannot be made: {reason}")]
    Content {
        /// Why.
        reason: String,
    },
}

fn content(reason: impl Into<String>) -> IsoError {
    IsoError::Content { reason: reason.into() }
}

/// Writes the files of a folder into an image. Contents are streamed; only names and sizes are kept in memory.
pub fn write(folder: &Path, volume: &str, image: &Path) -> Result<(), IsoError> {
    let tree = InputTree { path_separator: PathSeparator::ForwardSlash, entries: entries(folder, 0)? };
    let options = IsoFormatOptions {
        volume_name: volume.to_owned(),
        sector_size: 2048,
        path_separator: PathSeparator::ForwardSlash,
        features: CreationFeatures::extensions(),
        system_id: None,
        volume_set_id: None,
        publisher_id: None,
        preparer_id: None,
        application_id: None,
        strict_charset: false,
    };
    let mut file = OpenOptions::new().read(true).write(true).create(true).truncate(true).open(image)?;
    IsoImageWriter::create(file.file_mut(), tree, options).map_err(|error| content(error.to_string()))?;
    settle_times(&mut file)?;
    file.sync_all()?;
    Ok(())
}

fn entries(folder: &Path, depth: usize) -> Result<Vec<InputEntry>, IsoError> {
    if depth > DEEPEST {
        return Err(content(format!("{} is nested too deeply", folder.display())));
    }
    let mut found = fs_err::read_dir(folder)?.collect::<io::Result<Vec<_>>>()?;
    found.sort_by_key(fs_err::DirEntry::file_name);
    found.iter().map(|entry| one(entry, depth)).collect()
}

fn one(entry: &fs_err::DirEntry, depth: usize) -> Result<InputEntry, IsoError> {
    let path = entry.path();
    let name = entry.file_name().into_string().map_err(|_| content(format!("{} is no text", path.display())))?;
    if name.len() > LONGEST_NAME {
        return Err(content(format!("the name {name} has more than {LONGEST_NAME} bytes")));
    }
    let kind = entry.file_type()?;
    let (mode, kind) = if kind.is_dir() {
        (0o555, InputEntryKind::Directory(entries(&path, depth + 1)?))
    } else if kind.is_file() {
        (0o444, InputEntryKind::Source(FileSource::from_path(&path)?))
    } else {
        return Err(content(format!("{} is neither a file nor a folder", path.display())));
    };
    let time = Some(SECONDS);
    let metadata =
        InputMetadata { mode: Some(mode), uid: Some(0), gid: Some(0), created: time, modified: time, accessed: time };
    Ok(InputEntry { name: Arc::new(name), kind, metadata })
}

/// The writer takes some times from the clock: those of the volume and of records in folders. They get the fixed one.
fn settle_times(file: &mut File) -> Result<(), IsoError> {
    let mut folders = Vec::new();
    for sector in 16..64 {
        let mut descriptor = read_at(file, sector * SECTOR, 2048)?;
        match descriptor[0] {
            // The volume, and the volume with Joliet names.
            1 | 2 => {
                descriptor[813..830].copy_from_slice(DIGITS);
                descriptor[830..847].copy_from_slice(DIGITS);
                descriptor[174..181].copy_from_slice(&BYTES);
                write_at(file, sector * SECTOR, &descriptor)?;
                folders.push(place(&descriptor[156..])?);
            }
            255 => break,
            _ => {}
        }
    }
    let mut seen = BTreeSet::new();
    while let Some((start, length)) = folders.pop() {
        if !seen.insert(start) || length > MOST_FOLDER {
            continue;
        }
        let mut records = read_at(file, u64::from(start) * SECTOR, length as usize)?;
        settle_records(&mut records, &mut folders)?;
        write_at(file, u64::from(start) * SECTOR, &records)?;
    }
    Ok(())
}

/// A folder's records: the time of each, and the folders below.
fn settle_records(records: &mut [u8], folders: &mut Vec<(u32, u32)>) -> Result<(), IsoError> {
    let mut at = 0;
    while at < records.len() {
        let length = usize::from(records[at]);
        if length == 0 {
            // No record crosses the end of a sector.
            at = (at / 2048 + 1) * 2048;
            continue;
        }
        let record = records.get_mut(at..at + length).filter(|record| record.len() > 33);
        let record = record.ok_or_else(|| content("a folder of the image is broken"))?;
        record[18..25].copy_from_slice(&BYTES);
        let name = usize::from(record[32]);
        if record[25] & 2 != 0 && !(name == 1 && record[33] < 2) {
            folders.push(place(record)?);
        }
        let extensions = 33 + name + (name + 1) % 2;
        settle_extensions(record.get_mut(extensions..).unwrap_or_default());
        at += length;
    }
    Ok(())
}

/// Rock Ridge has times of its own.
fn settle_extensions(mut rest: &mut [u8]) {
    while rest.len() > 5 {
        let length = usize::from(rest[2]);
        if length < 5 || length > rest.len() {
            return;
        }
        let (entry, after) = rest.split_at_mut(length);
        if entry.starts_with(b"TF") {
            entry[5..].chunks_exact_mut(7).for_each(|time| time.copy_from_slice(&BYTES));
        }
        rest = after;
    }
}

/// Where a folder is: its first sector, and its length.
fn place(record: &[u8]) -> Result<(u32, u32), IsoError> {
    let number = |at: usize| record.get(at..at + 4).and_then(|bytes| bytes.try_into().ok()).map(u32::from_le_bytes);
    number(2).zip(number(10)).ok_or_else(|| content("a folder of the image is broken"))
}

fn read_at(file: &mut File, at: u64, length: usize) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; length];
    file.seek(SeekFrom::Start(at))?;
    file.read_exact(&mut bytes)?;
    Ok(bytes)
}

fn write_at(file: &mut File, at: u64, bytes: &[u8]) -> io::Result<()> {
    file.seek(SeekFrom::Start(at))?;
    file.write_all(bytes)
}

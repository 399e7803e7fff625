//! What was done and how to undo it: on disk before it happens.
//!
//! A journal is a file of lines, each JSON with a number and a digest over itself and everything before it. A torn last
//! line is what a power cut leaves, and is dropped; anything else that does not fit is refused, because nobody may undo by a
//! file that somebody changed. Many acts write at once: one thread gathers what is waiting and syncs once for all.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError, mpsc};
use std::thread::JoinHandle;

use kubexm_model::digest::Digest;
use serde::{Deserialize, Serialize};
use tokio::sync::oneshot;

use super::undo::Undo;

/// One thing that happened or is about to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Entry {
    /// A run began, or went on after a stop.
    Began {
        /// What decides on the plan: cluster.yaml, bundle, flags; another digest means another plan.
        plan: Digest,
    },
    /// An effect is about to happen.
    Intend {
        /// On which node.
        node: String,
        /// In which task.
        task: String,
        /// By which specific step.
        step: String,
        /// What is brought about.
        what: String,
        /// The way back.
        undo: Vec<Undo>,
    },
    /// The effect of that number happened.
    Done {
        /// The number of its intention.
        intention: u64,
    },
    /// The effect of that number was undone.
    Undone {
        /// The number of its intention.
        intention: u64,
    },
    /// The run ended.
    Ended {
        /// Whether all of it was done.
        whole: bool,
    },
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    number: u64,
    entry: Entry,
    chain: Digest,
}

/// Why a journal cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// It cannot be read or written.
    #[error("the journal {} cannot be used", .path.display())]
    Io {
        /// Its file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// It was changed, or damaged.
    #[error("line {line} of the journal {} does not fit what stands before it", .path.display())]
    Damaged {
        /// Its file.
        path: PathBuf,
        /// The first line that does not fit.
        line: usize,
    },
    /// The thread that writes it is gone.
    #[error("the journal {} can no longer be written", .0.display())]
    Gone(PathBuf),
}

/// An effect that is not undone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Intention {
    /// Its number in the journal.
    pub number: u64,
    /// On which node.
    pub node: String,
    /// In which task.
    pub task: String,
    /// What was brought about.
    pub what: String,
    /// The way back.
    pub undo: Vec<Undo>,
    /// Whether it is known to have happened wholly.
    pub done: bool,
}

/// A journal that is being written.
pub struct Journal {
    path: PathBuf,
    /// What is not undone, in the order in which it was intended.
    open: Mutex<BTreeMap<u64, Intention>>,
    lines: Option<mpsc::Sender<Waiting>>,
    writer: Option<JoinHandle<()>>,
}

struct Waiting {
    entry: Entry,
    /// Told the number once the line is on disk; nobody waits for what may be lost.
    written: Option<oneshot::Sender<std::io::Result<u64>>>,
}

impl Journal {
    /// Opens a journal, new or left by an earlier run, and gives what stands in it.
    pub fn open(path: &Path) -> Result<(Self, Vec<(u64, Entry)>), JournalError> {
        let failed = |source| JournalError::Io { path: path.to_owned(), source };
        let mut file =
            std::fs::OpenOptions::new().read(true).append(true).create(true).mode(0o600).open(path).map_err(failed)?;
        let mut text = vec![];
        file.read_to_end(&mut text).map_err(failed)?;
        let read = read(&text).map_err(|line| JournalError::Damaged { path: path.to_owned(), line })?;
        // A torn last line is cut off, so that the next one begins a line of its own.
        file.set_len(read.length as u64).map_err(failed)?;
        file.sync_all().map_err(failed)?;
        let (lines, waiting) = mpsc::channel();
        let mut writer = Writer { file, chain: read.chain, next: read.entries.len() as u64 };
        let writer = std::thread::spawn(move || writer.run(&waiting));
        let open = Mutex::default();
        let journal = Self { path: path.to_owned(), open, lines: Some(lines), writer: Some(writer) };
        read.entries.iter().for_each(|(number, entry)| journal.remember(*number, entry));
        Ok((journal, read.entries))
    }

    /// What is not undone and meets a condition, the last one first: the way back.
    pub fn way_back(&self, wanted: impl Fn(&Intention) -> bool) -> Vec<Intention> {
        let open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.values().rev().filter(|intention| wanted(intention)).cloned().collect()
    }

    /// The nodes on which something is not undone.
    pub fn nodes(&self) -> BTreeSet<String> {
        let open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.values().map(|intention| intention.node.clone()).collect()
    }

    fn remember(&self, number: u64, entry: &Entry) {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        match entry {
            Entry::Intend { node, task, what, undo, .. } => {
                let (node, task, what, undo) = (node.clone(), task.clone(), what.clone(), undo.clone());
                open.insert(number, Intention { number, node, task, what, undo, done: false });
            }
            Entry::Done { intention } => {
                if let Some(known) = open.get_mut(intention) {
                    known.done = true;
                }
            }
            Entry::Undone { intention } => drop(open.remove(intention)),
            Entry::Began { .. } | Entry::Ended { .. } => {}
        }
    }

    /// Writes an entry and waits until it is on disk; gives its number.
    pub async fn write(&self, entry: Entry) -> Result<u64, JournalError> {
        let (written, wait) = oneshot::channel();
        self.send(Waiting { entry: entry.clone(), written: Some(written) })?;
        let outcome = wait.await.map_err(|_| JournalError::Gone(self.path.clone()))?;
        let number = outcome.map_err(|source| JournalError::Io { path: self.path.clone(), source })?;
        self.remember(number, &entry);
        Ok(number)
    }

    /// Writes that something is done, which may be lost in a power cut: without it something is undone and done once more
    /// than needed.
    pub fn done(&self, intention: u64) -> Result<(), JournalError> {
        let entry = Entry::Done { intention };
        self.remember(intention, &entry);
        self.send(Waiting { entry, written: None })
    }

    fn send(&self, waiting: Waiting) -> Result<(), JournalError> {
        let gone = || JournalError::Gone(self.path.clone());
        self.lines.as_ref().ok_or_else(gone)?.send(waiting).map_err(|_| gone())
    }
}

impl Drop for Journal {
    fn drop(&mut self) {
        drop(self.lines.take());
        if let Some(writer) = self.writer.take() {
            let _ = writer.join();
        }
    }
}

struct Writer {
    file: std::fs::File,
    chain: Digest,
    next: u64,
}

impl Writer {
    fn run(&mut self, waiting: &mpsc::Receiver<Waiting>) {
        while let Ok(first) = waiting.recv() {
            let batch: Vec<Waiting> = std::iter::once(first).chain(waiting.try_iter()).collect();
            let mut text = vec![];
            let numbers: Vec<u64> = batch.iter().map(|waiting| self.line(&waiting.entry, &mut text)).collect();
            let outcome = self.file.write_all(&text).and_then(|()| self.file.sync_data());
            for (waiting, number) in batch.into_iter().zip(numbers) {
                let Some(written) = waiting.written else { continue };
                let told = outcome
                    .as_ref()
                    .map(|()| number)
                    .map_err(|error| std::io::Error::new(error.kind(), error.to_string()));
                // Whoever no longer waits does not want to know.
                let _ = written.send(told);
            }
            if outcome.is_err() {
                // What follows would not fit a line that is missing.
                return;
            }
        }
    }

    fn line(&mut self, entry: &Entry, text: &mut Vec<u8>) -> u64 {
        let number = self.next;
        self.chain = chain(self.chain, number, entry);
        self.next += 1;
        let line = Line { number, entry: entry.clone(), chain: self.chain };
        text.extend(serde_json::to_vec(&line).unwrap_or_default());
        text.push(b'\n');
        number
    }
}

/// The digest over everything up to a line.
fn chain(before: Digest, number: u64, entry: &Entry) -> Digest {
    let entry = serde_json::to_vec(entry).unwrap_or_default();
    Digest::of(&[before.as_bytes().as_slice(), &number.to_le_bytes(), &entry].concat())
}

struct ReadBack {
    entries: Vec<(u64, Entry)>,
    chain: Digest,
    /// How many bytes of the file are whole lines.
    length: usize,
}

/// Reads a journal's bytes, or says which line does not fit.
fn read(text: &[u8]) -> Result<ReadBack, usize> {
    let mut back = ReadBack { entries: vec![], chain: Digest::of(b"kubexm-journal-v1"), length: 0 };
    for (at, line) in text.split_inclusive(|byte| *byte == b'\n').enumerate() {
        let Some(body) = line.strip_suffix(b"\n") else { break };
        let parsed: Option<Line> = serde_json::from_slice(body).ok();
        let Some(Line { number, entry, chain: found }) = parsed else { return Err(at + 1) };
        let wanted = chain(back.chain, number, &entry);
        if number != at as u64 || found != wanted {
            return Err(at + 1);
        }
        back.chain = wanted;
        back.length += line.len();
        back.entries.push((number, entry));
    }
    Ok(back)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::node::NodePath;

    fn intend(number: u8) -> Entry {
        let path = NodePath::new(format!("/etc/{number}")).unwrap();
        let undo = vec![Undo::remove_file(&path)];
        Entry::Intend {
            node: "a".to_owned(),
            task: "os".to_owned(),
            step: "os.test".to_owned(),
            what: format!("write {path}"),
            undo,
        }
    }

    async fn written(path: &Path) {
        let (journal, found) = Journal::open(path).unwrap();
        let first = found.len() as u64;
        for number in 0..5 {
            assert_eq!(journal.write(intend(number)).await.unwrap(), first + u64::from(number) * 2);
            journal.done(first + u64::from(number) * 2).unwrap();
        }
    }

    #[tokio::test]
    async fn what_was_written_is_read_back_and_gone_on_with() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        written(&path).await;
        written(&path).await;
        let (_journal, found) = Journal::open(&path).unwrap();
        assert_eq!(found.len(), 20);
        assert_eq!(found[10].1, intend(0));
    }

    #[tokio::test]
    async fn every_prefix_is_read_and_every_changed_byte_is_seen() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        written(&path).await;
        let text = fs_err::read(&path).unwrap();
        for length in 0..text.len() {
            let whole = text[..length].split(|byte| *byte == b'\n').count() - 1;
            assert_eq!(read(&text[..length]).unwrap_or_else(|line| panic!("{length}: {line}")).entries.len(), whole);
        }
        for at in 0..text.len() {
            let mut bad = text.clone();
            bad[at] ^= 1;
            let found = read(&bad);
            // A changed last line break makes the last line a torn one.
            assert!(found.is_err() || found.is_ok_and(|found| found.entries.len() < 10), "byte {at}");
        }
    }

    #[tokio::test]
    async fn many_write_at_once() {
        let folder = tempfile::tempdir().unwrap();
        let (journal, _) = Journal::open(&folder.path().join("journal")).unwrap();
        let numbers = futures::future::join_all((0..200).map(|number| journal.write(intend(number)))).await;
        let mut numbers: Vec<u64> = numbers.into_iter().map(Result::unwrap).collect();
        numbers.sort_unstable();
        assert_eq!(numbers, (0..200).collect::<Vec<_>>());
    }
}

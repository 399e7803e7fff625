//! Files in memory, with the rules that the kernel and the usual tools have.

use std::collections::BTreeMap;

use kubexm_model::digest::Digest;

use super::links::against;
use super::{Refused, refuse};
use crate::node::change::FileChange;
use crate::node::file::{FileKind, Mode, Owner, Stat};
use crate::node::names::AccountName;
use crate::node::path::NodePath;

/// A tree of files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Files {
    pub(super) entries: BTreeMap<NodePath, Entry>,
}

/// What is at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Entry {
    /// A file.
    File {
        /// Who may do what.
        mode: Mode,
        /// Whose it is.
        owner: Owner,
        /// What is in it.
        content: Vec<u8>,
    },
    /// A directory.
    Directory {
        /// Who may do what.
        mode: Mode,
        /// Whose it is.
        owner: Owner,
    },
    /// A symlink.
    Symlink {
        /// Whose it is.
        owner: Owner,
        /// What it says.
        target: String,
    },
}

pub(super) fn root() -> Owner {
    #[expect(clippy::unwrap_used, reason = "the name is a constant, and this module is for tests")]
    let name = AccountName::new("root").unwrap();
    Owner::new(name.clone(), name)
}

impl Default for Files {
    fn default() -> Self {
        let directory = Entry::Directory { mode: Mode::OPEN, owner: root() };
        #[expect(clippy::unwrap_used, reason = "the path is a constant, and this module is for tests")]
        let top = NodePath::new("/").unwrap();
        Self { entries: BTreeMap::from([(top, directory)]) }
    }
}

impl Files {
    /// What is at exactly this path.
    pub fn entry(&self, path: &NodePath) -> Option<&Entry> {
        self.entries.get(&self.real(path)?)
    }

    /// Sets what is at a path, with all directories above it.
    pub fn set(&mut self, path: &NodePath, entry: Entry) {
        let mut above = path.parent();
        while let Some(directory) = above {
            let made = Entry::Directory { mode: Mode::OPEN, owner: root() };
            self.entries.entry(directory.clone()).or_insert(made);
            above = directory.parent();
        }
        self.entries.insert(path.clone(), entry);
    }

    /// Sets a file that belongs to root and everybody may read.
    pub fn set_file(&mut self, path: &NodePath, content: impl Into<Vec<u8>>) {
        self.set(path, Entry::File { mode: Mode::FILE, owner: root(), content: content.into() });
    }

    /// Sets a directory that belongs to root.
    pub fn set_directory(&mut self, path: &NodePath) {
        self.set(path, Entry::Directory { mode: Mode::OPEN, owner: root() });
    }

    /// Takes away what is at a path and below.
    pub fn unset(&mut self, path: &NodePath) {
        self.entries.retain(|each, _| !each.is_within(path));
    }

    /// All paths with what is there.
    pub fn iter(&self) -> impl Iterator<Item = (&NodePath, &Entry)> {
        self.entries.iter()
    }

    pub(super) fn stat(&self, path: &NodePath) -> Option<Stat> {
        Some(match self.entry(path)? {
            Entry::File { mode, owner, content } => {
                Stat { kind: FileKind::File, mode: *mode, owner: owner.clone(), size: content.len() as u64 }
            }
            Entry::Directory { mode, owner } => {
                Stat { kind: FileKind::Directory, mode: *mode, owner: owner.clone(), size: 0 }
            }
            Entry::Symlink { owner, target } => {
                let kind = FileKind::Symlink(target.clone());
                Stat { kind, mode: Mode::new(0o777), owner: owner.clone(), size: 0 }
            }
        })
    }

    pub(super) fn read(&self, path: &NodePath) -> Result<Option<Vec<u8>>, Refused> {
        match self.followed(path).and_then(|real| self.entries.get(&real)) {
            Some(Entry::File { content, .. }) => Ok(Some(content.clone())),
            Some(_) => Err(refuse(format!("{path}: Is a directory"))),
            None => Ok(None),
        }
    }

    pub(super) fn list(&self, path: &NodePath) -> Option<Vec<String>> {
        let real = self.followed(path)?;
        matches!(self.entries.get(&real), Some(Entry::Directory { .. })).then(|| self.names_in(&real))
    }

    /// Writes a file through its temporary one; how many bytes had to be sent.
    pub(super) fn put(&mut self, path: &NodePath, temporary: &NodePath, entry: &Entry) -> Result<u64, Refused> {
        let real = self.place(path)?;
        let real_temporary = self.place(temporary)?;
        if matches!(self.entries.get(&real), Some(Entry::Directory { .. })) {
            return Err(refuse(format!("{path}: Is a directory")));
        }
        let sent = self.missing(&real, &real_temporary, entry);
        self.entries.remove(&real_temporary);
        self.entries.insert(real, entry.clone());
        Ok(sent)
    }

    /// How much of the content is neither in the file nor in the temporary one.
    fn missing(&self, real: &NodePath, temporary: &NodePath, wanted: &Entry) -> u64 {
        let Entry::File { content: wanted, .. } = wanted else { return 0 };
        match (self.entries.get(real), self.entries.get(temporary)) {
            (Some(Entry::File { content, .. }), _) if content == wanted => 0,
            (_, Some(Entry::File { content, .. })) if wanted.starts_with(content) => {
                (wanted.len() - content.len()) as u64
            }
            _ => wanted.len() as u64,
        }
    }

    pub(super) fn put_half(&mut self, temporary: &NodePath, entry: &Entry) {
        let (Entry::File { mode, owner, content }, Ok(real)) = (entry, self.place(temporary)) else { return };
        let content = content[..content.len() / 2].to_vec();
        self.entries.insert(real, Entry::File { mode: *mode, owner: owner.clone(), content });
    }

    pub(super) fn change(&mut self, change: &FileChange) -> Result<(), Refused> {
        match change {
            FileChange::MakeDirectory { path, mode, owner } => self.make_directory(path, *mode, owner),
            FileChange::Link { path, target } => self.link(path, target),
            FileChange::Remove { path } => self.remove(path),
            FileChange::RemoveDirectory { path } => self.remove_directory(path),
            FileChange::RemoveTree { path } => {
                if let Some(real) = self.to_remove(path)? {
                    self.unset(&real);
                }
                Ok(())
            }
            FileChange::Rename { from, to } => self.rename(from, to),
            FileChange::Copy { from, to } => self.copy(from, to),
            FileChange::SetMode { path, mode } => self.set_mode(path, *mode),
            FileChange::SetOwner { path, owner } => self.set_owner(path, owner),
        }
    }

    /// What a crash in the middle leaves; a change that is one system call leaves nothing.
    pub(super) fn change_half(&mut self, change: &FileChange) {
        match change {
            FileChange::MakeDirectory { path, .. } => {
                if let Ok(real) = self.place(path) {
                    self.entries.entry(real).or_insert(Entry::Directory { mode: Mode::CLOSED, owner: root() });
                }
            }
            FileChange::RemoveTree { path } => self.remove_half(path),
            FileChange::Copy { from, to } if self.copy(from, to).is_ok() => self.remove_half(to),
            _ => {}
        }
    }

    fn remove_half(&mut self, path: &NodePath) {
        let Some(real) = self.real(path) else { return };
        let below: Vec<NodePath> = self.entries.keys().filter(|each| each.is_within(&real)).cloned().collect();
        for path in below.iter().rev().take(below.len().div_ceil(2)) {
            self.entries.remove(path);
        }
    }

    fn make_directory(&mut self, path: &NodePath, mode: Mode, owner: &Owner) -> Result<(), Refused> {
        let real = self.place(path)?;
        match self.entries.get(&real) {
            None | Some(Entry::Directory { .. }) => {
                self.entries.insert(real, Entry::Directory { mode, owner: owner.clone() });
                Ok(())
            }
            Some(_) => Err(refuse(format!("{path}: File exists"))),
        }
    }

    fn link(&mut self, path: &NodePath, target: &str) -> Result<(), Refused> {
        let real = self.place(path)?;
        if matches!(self.entries.get(&real), Some(Entry::Directory { .. })) {
            return Err(refuse(format!("{path}: Is a directory")));
        }
        let leads_to = real.parent().and_then(|parent| self.followed(&against(&parent, target)?));
        let is_file = matches!(self.entries.get(&real), Some(Entry::File { .. }));
        if is_file && leads_to.as_ref() == Some(&real) {
            return Err(refuse(format!("{path} would be a link to itself")));
        }
        self.entries.insert(real, Entry::Symlink { owner: root(), target: target.to_owned() });
        Ok(())
    }

    fn remove(&mut self, path: &NodePath) -> Result<(), Refused> {
        match self.to_remove(path)?.map(|real| (self.entries.get(&real), real.clone())) {
            Some((Some(Entry::Directory { .. }), _)) => Err(refuse(format!("{path}: Is a directory"))),
            Some((_, real)) => {
                self.entries.remove(&real);
                Ok(())
            }
            None => Ok(()),
        }
    }

    fn remove_directory(&mut self, path: &NodePath) -> Result<(), Refused> {
        let Some(real) = self.real(path).filter(|real| self.entries.contains_key(real)) else { return Ok(()) };
        match self.entries.get(&real) {
            Some(Entry::Directory { .. }) if self.names_in(&real).is_empty() => {
                self.entries.remove(&real);
                Ok(())
            }
            Some(Entry::Directory { .. }) => Err(refuse(format!("{path}: Directory not empty"))),
            _ => Err(refuse(format!("{path}: Not a directory"))),
        }
    }

    fn rename(&mut self, from: &NodePath, to: &NodePath) -> Result<(), Refused> {
        let (source, target) = (self.existing(from)?, self.place(to)?);
        if matches!(self.entries.get(&target), Some(Entry::Directory { .. })) {
            return Err(refuse(format!("{to}: Is a directory")));
        }
        if target.is_within(&source) {
            return Err(refuse(format!("cannot move {from} to itself or into itself")));
        }
        let is_directory = matches!(self.entries.get(&source), Some(Entry::Directory { .. }));
        if is_directory && self.entries.contains_key(&target) {
            return Err(refuse(format!("cannot overwrite {to} with a directory")));
        }
        let moved = self.below(&source);
        self.unset(&source);
        self.entries.remove(&target);
        self.graft(&source, &target, moved)
    }

    fn copy(&mut self, from: &NodePath, to: &NodePath) -> Result<(), Refused> {
        let (source, target) = (self.existing(from)?, self.place(to)?);
        if self.entries.contains_key(&target) {
            return Err(refuse(format!("{to}: File exists")));
        }
        if target.is_within(&source) {
            return Err(refuse(format!("cannot copy {from} into itself")));
        }
        self.graft(&source, &target, self.below(&source))
    }

    fn graft(&mut self, from: &NodePath, to: &NodePath, entries: Vec<(NodePath, Entry)>) -> Result<(), Refused> {
        for (path, entry) in entries {
            let rest = path.as_str().strip_prefix(from.as_str()).unwrap_or_default();
            let path = NodePath::new(format!("{to}{rest}")).map_err(|error| refuse(error.to_string()))?;
            self.entries.insert(path, entry);
        }
        Ok(())
    }

    fn set_mode(&mut self, path: &NodePath, new: Mode) -> Result<(), Refused> {
        let missing = || refuse(format!("{path}: No such file or directory"));
        let real = self.followed(path).ok_or_else(missing)?;
        match self.entries.get_mut(&real).ok_or_else(missing)? {
            Entry::File { mode, .. } | Entry::Directory { mode, .. } => *mode = new,
            Entry::Symlink { .. } => {}
        }
        Ok(())
    }

    fn set_owner(&mut self, path: &NodePath, new: &Owner) -> Result<(), Refused> {
        let real = self.existing(path)?;
        if let Some(Entry::File { owner, .. } | Entry::Directory { owner, .. } | Entry::Symlink { owner, .. }) =
            self.entries.get_mut(&real)
        {
            owner.clone_from(new);
        }
        Ok(())
    }

    fn below(&self, path: &NodePath) -> Vec<(NodePath, Entry)> {
        let within = self.entries.iter().filter(|(each, _)| each.is_within(path));
        within.map(|(each, entry)| (each.clone(), entry.clone())).collect()
    }

    fn names_in(&self, real: &NodePath) -> Vec<String> {
        let inside = self.entries.keys().filter(|each| each.parent().as_ref() == Some(real));
        inside.map(|each| each.file_name().to_owned()).collect()
    }

    /// A line for each path, to be compared by people.
    pub(super) fn lines(&self) -> impl Iterator<Item = String> {
        self.entries.iter().map(|(path, entry)| match entry {
            Entry::File { mode, owner, content } => {
                format!("file {path} {mode} {owner} {}", abbreviated(content))
            }
            Entry::Directory { mode, owner } => format!("directory {path} {mode} {owner}"),
            Entry::Symlink { owner, target } => format!("symlink {path} {owner} -> {target}"),
        })
    }
}

/// Short texts as they are; of long ones the beginning, the length and the digest.
fn abbreviated(content: &[u8]) -> String {
    match std::str::from_utf8(content) {
        Ok(text) if text.len() <= 200 => format!("{text:?}"),
        _ => {
            let beginning = String::from_utf8_lossy(&content[..content.len().min(60)]);
            format!("{beginning:?}… {} bytes, {}", content.len(), Digest::of(content))
        }
    }
}

//! Where paths lead: directories and symlinks, as the kernel follows them.

use super::{Entry, Files, Refused, refuse};
use crate::node::path::NodePath;

/// How many symlinks Linux follows for one path.
const LOOP: usize = 40;

impl Files {
    /// Where something to be removed is; what is not there need not be removed, but symlinks in a circle are an error.
    pub(super) fn to_remove(&self, path: &NodePath) -> Result<Option<NodePath>, Refused> {
        let mut links = LOOP;
        match self.real_within(path, &mut links) {
            None if links == 0 => Err(refuse(format!("{path}: Too many levels of symbolic links"))),
            real => Ok(real),
        }
    }

    pub(super) fn existing(&self, path: &NodePath) -> Result<NodePath, Refused> {
        let real = self.real(path).filter(|real| self.entries.contains_key(real));
        real.ok_or_else(|| refuse(format!("{path}: No such file or directory")))
    }

    /// Where something new at this path would be: its directory is there.
    pub(super) fn place(&self, path: &NodePath) -> Result<NodePath, Refused> {
        self.real(path).ok_or_else(|| refuse(format!("{path}: No such file or directory")))
    }

    /// The path with the symlinks of its directories followed, but not the last part; nothing without that directory.
    pub(super) fn real(&self, path: &NodePath) -> Option<NodePath> {
        self.real_within(path, &mut { LOOP })
    }

    /// The path with all symlinks followed; what it leads to need not be there.
    pub(super) fn followed(&self, path: &NodePath) -> Option<NodePath> {
        self.followed_within(path, &mut { LOOP })
    }

    fn real_within(&self, path: &NodePath, links: &mut usize) -> Option<NodePath> {
        let Some(parent) = path.parent() else { return Some(path.clone()) };
        let directory = self.followed_within(&parent, links)?;
        matches!(self.entries.get(&directory)?, Entry::Directory { .. })
            .then(|| directory.join(path.file_name()).ok())?
    }

    fn followed_within(&self, path: &NodePath, links: &mut usize) -> Option<NodePath> {
        let path = self.real_within(path, links)?;
        let Some(Entry::Symlink { target, .. }) = self.entries.get(&path) else { return Some(path) };
        *links = links.checked_sub(1)?;
        self.followed_within(&against(&path.parent()?, target)?, links)
    }
}

/// What a symlink in this directory means.
pub(super) fn against(directory: &NodePath, target: &str) -> Option<NodePath> {
    let joined = if target.starts_with('/') { target.to_owned() } else { format!("{directory}/{target}") };
    let mut parts: Vec<&str> = vec![];
    for part in joined.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            name => parts.push(name),
        }
    }
    NodePath::new(format!("/{}", parts.join("/"))).ok()
}

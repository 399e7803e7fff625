//! Files as they are and as they shall be.

use std::fmt;
use std::io::{self, Read};

use kubexm_model::digest::Digest;
use serde::{Deserialize, Serialize};

use crate::node::AccountName;
use crate::node::path::{NodePath, NotAPath};

/// What is at a path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stat {
    /// What it is.
    pub kind: FileKind,
    /// Who may do what; of a symlink it means nothing.
    pub mode: Mode,
    /// Whose it is.
    pub owner: Owner,
    /// Its length in bytes; 0 for what is no file.
    pub size: u64,
}

/// What can be at a path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FileKind {
    /// A regular file.
    File,
    /// A directory.
    Directory,
    /// A symlink and what it says, which may be anything.
    Symlink(String),
    /// A device, a socket, a pipe.
    Other,
}

/// The twelve lower bits of a file's mode.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Mode(u32);

impl Mode {
    /// A file that everybody may read.
    pub const FILE: Self = Self(0o644);
    /// A file for its owner alone.
    pub const SECRET: Self = Self(0o600);
    /// A program, or a directory that everybody may enter.
    pub const OPEN: Self = Self(0o755);
    /// A directory for its owner alone.
    pub const CLOSED: Self = Self(0o700);

    /// These bits; others than the twelve are dropped.
    pub const fn new(bits: u32) -> Self {
        Self(bits & 0o7777)
    }

    /// The bits.
    pub const fn bits(self) -> u32 {
        self.0
    }

    /// As an argument of chmod, which lets a directory's special bits be unless there are five digits.
    pub(crate) fn argument(self) -> String {
        format!("{:05o}", self.0)
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04o}", self.0)
    }
}
impl fmt::Debug for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Whose a file is: names, or numbers where an id has no name on the node.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Owner {
    /// The user.
    pub user: AccountName,
    /// The group.
    pub group: AccountName,
}

impl Owner {
    /// Root and its group.
    pub fn root() -> Self {
        Self::new(AccountName::root(), AccountName::root())
    }

    /// User and group.
    pub fn new(user: AccountName, group: AccountName) -> Self {
        Self { user, group }
    }
}

impl fmt::Display for Owner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.user, self.group)
    }
}

/// A file as it shall be on the node.
#[derive(Clone, Copy)]
pub struct NewFile<'a> {
    /// Where; its directory must be there.
    pub path: &'a NodePath,
    /// Who may do what.
    pub mode: Mode,
    /// Whose it is.
    pub owner: &'a Owner,
    /// What is in it.
    pub content: &'a dyn Content,
}

impl NewFile<'_> {
    /// Where the content is gathered before it takes the name: beside the file, the same for the same content.
    pub fn temporary(&self) -> Result<NodePath, NotAPath> {
        let both = format!("{}\0{}", self.path, self.content.digest());
        let name = format!(".kubexm-{}.part", &Digest::of(both.as_bytes()).hex()[..32]);
        self.path.parent().unwrap_or_else(|| self.path.clone()).join(&name)
    }
}

impl fmt::Debug for NewFile<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({} {}, {} bytes)", self.path, self.mode, self.owner, self.content.size())
    }
}

/// Bytes that can be read from the beginning as often as needed: in memory, in a file, in a bundle.
pub trait Content: Send + Sync {
    /// How many.
    fn size(&self) -> u64;
    /// Their digest.
    fn digest(&self) -> Digest;
    /// A reader at the beginning. It is used in a thread where blocking is allowed.
    fn open(&self) -> io::Result<Box<dyn Read + Send>>;
}

impl Content for Vec<u8> {
    fn size(&self) -> u64 {
        self.len() as u64
    }
    fn digest(&self) -> Digest {
        Digest::of(self)
    }
    fn open(&self) -> io::Result<Box<dyn Read + Send>> {
        Ok(Box::new(io::Cursor::new(self.clone())))
    }
}

/// What it took to bring a file to a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sent {
    /// Whether anything was changed.
    pub changed: bool,
    /// How many bytes of content went over the line.
    pub bytes: u64,
}

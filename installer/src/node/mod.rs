//! How a node is reached, looked at and changed.
//!
//! Looking and changing are two traits: who holds a `&dyn Inspect` cannot change anything. Behind them stand this
//! machine (`local`), a machine over SSH (`ssh`) and, for tests, a machine in memory (`fake`). The first two say the
//! same commands of POSIX and util-linux over different lines, so that what holds for one holds for the other.

/// What can be changed.
pub mod change;
/// Programs with their arguments, and what they said.
pub mod command;
/// What can go wrong.
pub mod error;
/// A node in memory, for tests.
#[cfg(any(test, feature = "fake"))]
pub mod fake;
/// Files as they are and as they shall be.
pub mod file;
/// Lines to nodes: they start programs and carry bytes.
pub mod line;
/// This machine as a node.
pub mod local;
/// Names that reach a node: units, sysctls, modules, packages, accounts.
pub mod names;
/// Absolute paths on a node.
pub mod path;
/// A node that is spoken to in commands, over any line.
pub mod posix;
/// What can be asked without changing anything.
pub mod query;
/// The one place where text becomes part of a shell's command line.
pub mod quote;
/// A machine over SSH as a node.
pub mod ssh;

pub use change::{AccountChange, Change, FileChange, PackageChange, SystemChange, UnitChange};
pub use command::{Command, Output, Stdin};
pub use error::NodeError;
pub use file::{Content, FileKind, Mode, NewFile, Owner, Sent, Stat};
pub use local::LocalNode;
pub use names::{AccountName, ModuleName, PackageName, SysctlKey, UnitName};
pub use path::NodePath;
pub use posix::{PosixNode, Sudo};
pub use query::{Answer, Ask, Query};
pub use ssh::SshNode;

use async_trait::async_trait;
use kubexm_model::digest::Digest;

/// Looking at a node: nothing here changes it.
///
/// An answer is the node's own, never a remembered one. Of what is not there, `None` is the answer; an error means
/// that nobody knows.
#[async_trait]
pub trait Inspect: Send + Sync {
    /// The node's name in cluster.yaml.
    fn name(&self) -> &str;

    /// What is at the path, without following a final symlink.
    async fn stat(&self, path: &NodePath) -> Result<Option<Stat>, NodeError>;

    /// The content of the file, symlinks followed; an error when there is more than `limit`.
    async fn read(&self, path: &NodePath, limit: u64) -> Result<Option<Vec<u8>>, NodeError>;

    /// The digest of the file, symlinks followed; computed on the node.
    async fn digest(&self, path: &NodePath) -> Result<Option<Digest>, NodeError>;

    /// The sorted names in the directory; `None` when there is no directory.
    async fn list(&self, directory: &NodePath) -> Result<Option<Vec<String>>, NodeError>;

    /// Answers a question; see [`Ask`] for these as methods with their own types.
    async fn ask(&self, query: &Query) -> Result<Answer, NodeError>;
}

/// Changing a node.
///
/// When a call fails, the change may have happened in part; [`NodeError::may_have_happened`] tells when nobody knows.
/// No call is ever repeated behind the caller's back.
#[async_trait]
pub trait Mutate: Inspect {
    /// Brings a file to the node: whole or not at all, never readable by more people than at the end.
    ///
    /// The content goes to [`NewFile::temporary`] beside the file, is checked there and then takes the name. What is
    /// there already is not sent again: neither a file that is as it shall be nor the beginning of an earlier attempt.
    async fn put(&self, file: &NewFile<'_>) -> Result<Sent, NodeError>;

    /// Makes one change.
    async fn change(&self, change: &Change) -> Result<(), NodeError>;

    /// Runs a program; an exit code that the command does not accept is an error.
    async fn run(&self, command: &Command) -> Result<Output, NodeError>;
}

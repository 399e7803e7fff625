//! The way back: data that a journal can hold, played by one function.

use serde::{Deserialize, Serialize};

use crate::node::{Ask, Change, Command, FileChange, FileKind, Inspect, Mutate, NodeError, NodePath, SystemChange};

/// One part of the way back. Each tolerates that what it undoes happened in part or not at all, and that it was played before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Undo {
    /// Makes a change that can be made twice.
    Change(Change),
    /// Puts the file back that was kept before the effect.
    PutBack {
        /// Where it was.
        path: NodePath,
    },
    /// Unmounts what is mounted there, if something is.
    Unmount {
        /// Where.
        path: NodePath,
    },
    /// Runs a command that can be run twice.
    Run(Command),
    /// There is no way back, and that was decided.
    Nothing {
        /// Why.
        why: String,
    },
}

impl Undo {
    /// A file that was not there is removed.
    pub fn remove_file(path: &NodePath) -> Self {
        Self::Change(FileChange::Remove { path: path.clone() }.into())
    }

    /// Whether it takes packages away.
    pub fn removes_packages(&self) -> bool {
        matches!(self, Self::Change(Change::Package(_)))
    }

    /// What a person is told.
    pub fn describe(&self) -> String {
        match self {
            Self::Change(change) => format!("{change:?}"),
            Self::PutBack { path } => format!("put {path} back as it was"),
            Self::Unmount { path } => format!("unmount {path}"),
            Self::Run(command) => format!("run {command}"),
            Self::Nothing { why } => format!("nothing: {why}"),
        }
    }

    /// Goes this part of the way; `kept` is the folder in which files were kept for this entry of the journal.
    pub async fn play(&self, node: &dyn Mutate, kept: &NodePath) -> Result<(), NodeError> {
        match self {
            Self::Change(change) => node.change(change).await,
            Self::Run(command) => node.run(command).await.map(drop),
            Self::Unmount { path } => match node.mount(path).await? {
                Some(_) => node.change(&SystemChange::Unmount { path: path.clone() }.into()).await,
                None => Ok(()),
            },
            Self::PutBack { path } => put_back(node, path, &kept_name(kept, path)).await,
            Self::Nothing { .. } => Ok(()),
        }
    }
}

/// Where a file is kept.
pub(super) fn kept_name(kept: &NodePath, path: &NodePath) -> NodePath {
    let name = kubexm_model::digest::Digest::of(path.as_str().as_bytes()).hex();
    kept.join(&name[..16]).unwrap_or_else(|_| kept.clone())
}

/// Keeps a file as it is, whole or not at all.
pub(super) async fn keep(node: &dyn Mutate, path: &NodePath, kept: &NodePath) -> Result<(), NodeError> {
    let name = kept_name(kept, path);
    if node.stat(&name).await?.is_some() {
        return Ok(());
    }
    let partial = beside(&name, "part");
    node.change(&FileChange::Remove { path: partial.clone() }.into()).await?;
    node.change(&FileChange::Copy { from: path.clone(), to: partial.clone() }.into()).await?;
    node.change(&FileChange::Rename { from: partial, to: name }.into()).await
}

async fn put_back(node: &dyn Mutate, path: &NodePath, kept: &NodePath) -> Result<(), NodeError> {
    // Nothing was kept: the effect never began.
    if node.stat(kept).await?.is_none() {
        return Ok(());
    }
    // The kept file may lie on another file system, so a copy of it takes the place, at once.
    let scratch = beside(path, "kubexm-back");
    node.change(&FileChange::Remove { path: scratch.clone() }.into()).await?;
    node.change(&FileChange::Copy { from: kept.clone(), to: scratch.clone() }.into()).await?;
    node.change(&FileChange::Rename { from: scratch, to: path.clone() }.into()).await
}

fn beside(path: &NodePath, ending: &str) -> NodePath {
    let folder = path.parent().unwrap_or_else(|| path.clone());
    folder.join(&format!(".{}.{ending}", path.file_name())).unwrap_or(folder)
}

/// Whether a directory is there.
pub(super) async fn is_directory(node: &dyn Inspect, path: &NodePath) -> Result<bool, NodeError> {
    Ok(node.stat(path).await?.is_some_and(|stat| stat.kind == FileKind::Directory))
}

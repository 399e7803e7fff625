//! A directory that is there, with those above it.

use async_trait::async_trait;

use super::while_doing;
use crate::engine::{Difference, Found, Op, OpError, Outputs, Undo};
use crate::node::{FileChange, FileKind, Inspect, Mode, Mutate, NodePath, Owner};

/// Makes a directory. One that is there stays as it is: its mode is somebody's decision.
pub(in crate::steps) struct EnsureDirectory {
    path: NodePath,
    mode: Mode,
}

impl EnsureDirectory {
    /// A directory of root's that everybody may enter.
    pub(in crate::steps) fn new(path: NodePath) -> Self {
        Self { path, mode: Mode::OPEN }
    }

    /// With another mode.
    pub(in crate::steps) fn mode(mut self, mode: Mode) -> Self {
        self.mode = mode;
        self
    }

    /// The directory and those above it that are not there, the lowest first.
    async fn missing(&self, node: &dyn Inspect) -> Result<Vec<NodePath>, OpError> {
        let mut missing = vec![];
        let mut at = Some(self.path.clone());
        while let Some(path) = at {
            match node.stat(&path).await.map_err(while_doing(&self.describe()))? {
                Some(stat) if matches!(stat.kind, FileKind::Directory | FileKind::Symlink(_)) => break,
                Some(_) => return Err(OpError::Refused(format!("{path} is no directory, and is left alone"))),
                None => {
                    at = path.parent();
                    missing.push(path);
                }
            }
        }
        Ok(missing)
    }
}

#[async_trait]
impl Op for EnsureDirectory {
    fn describe(&self) -> String {
        format!("make directory {}", self.path)
    }

    async fn probe(&self, node: &dyn Inspect) -> Result<Found, OpError> {
        let missing = self.missing(node).await?;
        if missing.is_empty() {
            return Ok(Found::Satisfied);
        }
        let remove = |path| Undo::Change(FileChange::RemoveDirectory { path }.into());
        Ok(Difference::create(missing.into_iter().map(remove).collect()))
    }

    async fn apply(&self, node: &dyn Mutate, _outputs: &Outputs) -> Result<(), OpError> {
        for path in self.missing(node).await?.into_iter().rev() {
            let change = FileChange::MakeDirectory { path, mode: self.mode, owner: Owner::root() };
            node.change(&change.into()).await.map_err(while_doing(&self.describe()))?;
        }
        Ok(())
    }
}

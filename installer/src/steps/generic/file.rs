//! A file with this content, mode and owner.

use std::sync::Arc;

use async_trait::async_trait;

use super::while_doing;
use crate::engine::{Difference, Found, Mark, Op, OpError, Outputs, Undo};
use crate::node::{Content, FileKind, Inspect, Mode, Mutate, NewFile, NodePath, Owner};

/// Writes a file.
pub(in crate::steps) struct PutFile {
    path: NodePath,
    content: Arc<dyn Content>,
    mode: Mode,
    owner: Owner,
}

impl PutFile {
    /// A file of root's that everybody may read.
    pub(in crate::steps) fn new(path: NodePath, text: impl Into<Vec<u8>>) -> Self {
        Self { path, content: Arc::new(text.into()), mode: Mode::FILE, owner: Owner::root() }
    }

    /// A file of root's with content from elsewhere.
    pub(in crate::steps) fn of(path: NodePath, content: Arc<dyn Content>) -> Self {
        Self { path, content, mode: Mode::FILE, owner: Owner::root() }
    }

    fn file(&self) -> NewFile<'_> {
        NewFile { path: &self.path, mode: self.mode, owner: &self.owner, content: &*self.content }
    }
}

#[async_trait]
impl Op for PutFile {
    fn describe(&self) -> String {
        format!("write {}", self.path)
    }

    async fn probe(&self, node: &dyn Inspect) -> Result<Found, OpError> {
        let doing = self.describe();
        let found = node.stat(&self.path).await.map_err(while_doing(&doing))?;
        let Some(stat) = found else { return Ok(created(&self.file())) };
        if stat.kind == FileKind::File && stat.mode == self.mode && stat.owner == self.owner {
            let digest = node.digest(&self.path).await.map_err(while_doing(&doing))?;
            if digest == Some(self.content.digest()) {
                return Ok(Found::Satisfied);
            }
        }
        replaced(&self.file(), &stat.kind)
    }

    async fn apply(&self, node: &dyn Mutate, _outputs: &Outputs) -> Result<(), OpError> {
        node.put(&self.file()).await.map(drop).map_err(while_doing(&self.describe()))
    }

    fn bytes(&self) -> u64 {
        self.content.size()
    }
}

/// The way back from a file that was not there.
pub(super) fn created(file: &NewFile<'_>) -> Found {
    Difference::create(vec![Undo::remove_file(file.path), scratch(file)])
}

/// The way back from a file that was another one.
pub(super) fn replaced(file: &NewFile<'_>, was: &FileKind) -> Result<Found, OpError> {
    if !matches!(was, FileKind::File | FileKind::Symlink(_)) {
        return Err(OpError::Refused(format!("{} is no file, and is left alone", file.path)));
    }
    Ok(Found::Differs(Difference {
        mark: Mark::Change,
        keep: vec![file.path.clone()],
        undo: vec![Undo::PutBack { path: file.path.clone() }, scratch(file)],
    }))
}

/// What a crash in the middle of writing leaves behind is removed.
fn scratch(file: &NewFile<'_>) -> Undo {
    match file.temporary() {
        Ok(path) => Undo::remove_file(&path),
        Err(error) => Undo::Nothing { why: error.to_string() },
    }
}

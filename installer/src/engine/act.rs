//! One act on one node: its generic steps, one after the other; each probed, journalled, applied and looked at again.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::event::{Event, Outcome, Place, Watch};
use super::journal::{Entry, Journal, JournalError};
use super::op::{Difference, Found, Mark, Op, OpError};
use super::outputs::{OutputKind, Outputs};
use super::undo::{self, Undo, is_directory};
use crate::node::{FileChange, Mode, Mutate, NodeError, NodePath, Owner};

/// The stable name of a specific step: `os.configure-sysctl`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StepId(pub &'static str);

impl std::fmt::Display for StepId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0)
    }
}

/// The generic steps of an act, made when its turn comes, because it may need what others learned.
pub type Expansion = Arc<dyn Fn(&Outputs) -> Result<Vec<Box<dyn Op>>, String> + Send + Sync>;

/// A specific step on one node.
#[derive(Clone)]
pub struct Act {
    /// Where it stands.
    pub place: Place,
    /// Its generic steps.
    pub expand: Expansion,
    /// What it needs from others.
    pub needs: Vec<OutputKind>,
    /// What it hands on.
    pub produces: Vec<OutputKind>,
    /// What must hold afterwards; polled until the time is over.
    pub verify: Expansion,
    /// How long it may take.
    pub timeout: Duration,
    /// How often it is tried again when the line was lost or something was late.
    pub retries: usize,
}

/// Why an act failed.
#[derive(Debug, thiserror::Error)]
pub enum ActError {
    /// Its generic steps cannot be worked out.
    #[error("the step cannot be worked out: {0}")]
    Expand(String),
    /// A generic step failed.
    #[error("{what} failed")]
    Op {
        /// What it brings about.
        what: String,
        /// Why it failed.
        source: OpError,
    },
    /// After it was done, it still is different.
    #[error("{what} was done without effect: it still is different")]
    NoEffect {
        /// What it brings about.
        what: String,
    },
    /// The way back could not be prepared.
    #[error("what is there could not be kept before {what}")]
    Keep {
        /// What was to be brought about.
        what: String,
        /// Why.
        source: NodeError,
    },
    /// The journal cannot be written, so nothing may be changed.
    #[error("nothing is changed without a journal")]
    Journal(#[from] JournalError),
    /// It took too long.
    #[error("it did not end within {} s", .0.as_secs())]
    Timeout(Duration),
}

/// What an act needs to run.
pub struct Ground<'a> {
    /// The node.
    pub node: &'a dyn Mutate,
    /// The journal.
    pub journal: &'a Journal,
    /// What was learned so far.
    pub outputs: &'a Outputs,
    /// Who watches.
    pub watch: &'a dyn Watch,
    /// The folder on nodes in which this run keeps things.
    pub folder: &'a NodePath,
}

impl Act {
    /// Runs it, again if that may help.
    pub async fn run(&self, ground: &Ground<'_>) -> Result<Outcome, ActError> {
        ground.watch.see(&Event::Began { act: self.place.clone() });
        let mut tries = 0;
        loop {
            let outcome = tokio::time::timeout(self.timeout, self.once(ground)).await;
            let error = match outcome.unwrap_or(Err(ActError::Timeout(self.timeout))) {
                Ok(0) => return Ok(Outcome::Satisfied),
                Ok(changes) => return Ok(Outcome::Changed(changes)),
                Err(error) => error,
            };
            let may_pass = matches!(&error, ActError::Op { source, .. } if source.may_pass());
            if !may_pass || tries >= self.retries {
                return Err(error);
            }
            tries += 1;
            ground.watch.see(&Event::Again { act: self.place.clone(), why: error.to_string() });
            tokio::time::sleep(Duration::from_millis(200 << tries.min(6))).await;
        }
    }

    /// Goes through the generic steps; gives how many changed something.
    async fn once(&self, ground: &Ground<'_>) -> Result<usize, ActError> {
        let mut changes = 0;
        for op in (self.expand)(ground.outputs).map_err(ActError::Expand)? {
            let start = Instant::now();
            let failed = |source| ActError::Op { what: op.describe(), source };
            let mark = match op.probe(ground.node).await.map_err(failed)? {
                Found::Satisfied => Mark::Keep,
                Found::Differs(difference) => {
                    changes += 1;
                    let mark = difference.mark;
                    self.change(ground, &*op, difference).await?;
                    mark
                }
            };
            let bytes = if mark == Mark::Keep { 0 } else { op.bytes() };
            let (act, what, took) = (self.place.clone(), op.describe(), start.elapsed());
            ground.watch.see(&Event::Op { act, what, mark, bytes, took });
        }
        self.verify(ground).await?;
        Ok(changes)
    }

    /// Writes down the way back, keeps what is there, and only then touches.
    async fn change(&self, ground: &Ground<'_>, op: &dyn Op, difference: Difference) -> Result<(), ActError> {
        let what = op.describe();
        if !difference.keep.is_empty() {
            self.make_folder(ground).await?;
        }
        let intention = self.intend(ground, &what, difference.undo).await?;
        if !difference.keep.is_empty() {
            let kept = kept_folder(ground.folder, intention);
            let keep = keep_all(ground.node, &kept, &difference.keep);
            keep.await.map_err(|source| ActError::Keep { what: what.clone(), source })?;
        }
        op.apply(ground.node, ground.outputs).await.map_err(|source| ActError::Op { what: what.clone(), source })?;
        let after = op.probe(ground.node).await.map_err(|source| ActError::Op { what: what.clone(), source })?;
        if after != Found::Satisfied {
            return Err(ActError::NoEffect { what });
        }
        ground.journal.done(intention)?;
        Ok(())
    }

    async fn intend(&self, ground: &Ground<'_>, what: &str, undo: Vec<Undo>) -> Result<u64, JournalError> {
        let Place { node, task, step, .. } = self.place.clone();
        ground.journal.write(Entry::Intend { node, task, step, what: what.to_owned(), undo }).await
    }

    /// Makes the folder in which this run keeps things, with a way back of its own: it comes first, and goes last.
    async fn make_folder(&self, ground: &Ground<'_>) -> Result<(), ActError> {
        let what = format!("make {}", ground.folder);
        let failed = |source| ActError::Keep { what: what.clone(), source };
        let missing = missing_directories(ground.node, ground.folder).await.map_err(failed)?;
        if missing.is_empty() {
            return Ok(());
        }
        let remove = |path: &NodePath| Undo::Change(FileChange::RemoveDirectory { path: path.clone() }.into());
        self.intend(ground, &what, missing.iter().map(remove).collect()).await?;
        for path in missing.into_iter().rev() {
            let change = FileChange::MakeDirectory { path, mode: Mode::CLOSED, owner: Owner::root() };
            ground.node.change(&change.into()).await.map_err(failed)?;
        }
        Ok(())
    }

    /// Looks at what must hold, until it does or the act's time is over.
    async fn verify(&self, ground: &Ground<'_>) -> Result<(), ActError> {
        for check in (self.verify)(ground.outputs).map_err(ActError::Expand)? {
            loop {
                let failed = |source| ActError::Op { what: check.describe(), source };
                if check.probe(ground.node).await.map_err(failed)? == Found::Satisfied {
                    break;
                }
                tokio::time::sleep(Duration::from_millis(250)).await;
            }
        }
        Ok(())
    }
}

/// The folder in which the files of one entry of the journal are kept.
pub(super) fn kept_folder(folder: &NodePath, intention: u64) -> NodePath {
    folder.join(&intention.to_string()).unwrap_or_else(|_| folder.clone())
}

/// Keeps files in a folder for root alone.
async fn keep_all(node: &dyn Mutate, kept: &NodePath, files: &[NodePath]) -> Result<(), NodeError> {
    let folder = FileChange::MakeDirectory { path: kept.clone(), mode: Mode::CLOSED, owner: Owner::root() };
    node.change(&folder.into()).await?;
    for file in files {
        undo::keep(node, file, kept).await?;
    }
    Ok(())
}

/// The folder and those above it that are not there, the lowest first.
async fn missing_directories(node: &dyn Mutate, folder: &NodePath) -> Result<Vec<NodePath>, NodeError> {
    let mut missing = vec![];
    let mut at = Some(folder.clone());
    while let Some(path) = at {
        if is_directory(node, &path).await? {
            break;
        }
        at = path.parent();
        missing.push(path);
    }
    Ok(missing)
}

//! What happens in a run, for those who watch: terminals, logs, reports.

use std::time::Duration;

use serde::Serialize;

use super::op::Mark;

/// Something happened.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase", tag = "event")]
pub enum Event {
    /// An act began.
    Began {
        /// Which.
        act: Place,
    },
    /// A generic step was looked at or done.
    Op {
        /// In which act.
        act: Place,
        /// What it brings about.
        what: String,
        /// What was to be done.
        mark: Mark,
        /// How many bytes went to the node at most.
        bytes: u64,
        /// How long it took.
        took: Duration,
    },
    /// An act will be tried again.
    Again {
        /// Which.
        act: Place,
        /// Why.
        why: String,
    },
    /// An act ended.
    Ended {
        /// Which.
        act: Place,
        /// How.
        outcome: Outcome,
        /// How long it took.
        took: Duration,
    },
    /// Something was undone, or could not be.
    Undid {
        /// On which node.
        node: String,
        /// What.
        what: String,
        /// Why it could not be undone.
        failed: Option<String>,
    },
}

/// Where an act stands.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Place {
    /// Its module.
    pub module: String,
    /// Its task.
    pub task: String,
    /// Its specific step.
    pub step: String,
    /// Its node.
    pub node: String,
}

/// How an act ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Outcome {
    /// Everything was as it should be.
    Satisfied,
    /// So many changes were made.
    Changed(usize),
    /// It failed.
    Failed(String),
    /// Something before it failed.
    Skipped,
}

/// Is told what happens.
pub trait Watch: Send + Sync {
    /// Something happened.
    fn see(&self, event: &Event);
}

/// Nobody watches.
pub struct Unwatched;

impl Watch for Unwatched {
    fn see(&self, _event: &Event) {}
}

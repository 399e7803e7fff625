//! Generic steps: one kind of effect on a node, which looks before it touches.

use async_trait::async_trait;
use serde::{Deserialize, Serialize};

use super::outputs::Outputs;
use super::undo::Undo;
use crate::node::{Inspect, Mutate, NodeError, NodePath};

/// A generic step.
#[async_trait]
pub trait Op: Send + Sync {
    /// What it brings about: `write /etc/hosts`.
    fn describe(&self) -> String;

    /// Looks only: as it should be already, or different, and then how to get back.
    async fn probe(&self, node: &dyn Inspect) -> Result<Found, OpError>;

    /// Brings it about. Called only when [`Op::probe`] found a difference; may be called again after a crash.
    async fn apply(&self, node: &dyn Mutate, outputs: &Outputs) -> Result<(), OpError>;

    /// How many bytes it would send at most.
    fn bytes(&self) -> u64 {
        0
    }
}

/// What a look found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// All is as it should be: nothing is done, and nothing will be undone.
    Satisfied,
    /// Something is different.
    Differs(Difference),
}

/// What is different, and the way back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// What will happen, as a plan shows it.
    pub mark: Mark,
    /// Files whose content is kept on the node before the effect; [`Undo::PutBack`] brings them back.
    pub keep: Vec<NodePath>,
    /// The way back, in the order in which it is gone. Each part tolerates that the effect happened in part or not at all.
    pub undo: Vec<Undo>,
}

/// What will happen to a thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mark {
    /// It is made.
    Create,
    /// It is changed.
    Change,
    /// It is removed.
    Remove,
    /// It stays.
    Keep,
}

impl Mark {
    /// The sign in a plan.
    pub fn sign(self) -> char {
        match self {
            Self::Create => '+',
            Self::Change => '~',
            Self::Remove => '-',
            Self::Keep => '=',
        }
    }
}

impl Difference {
    /// Something that is made, and undone by these.
    pub fn create(undo: Vec<Undo>) -> Found {
        Found::Differs(Self { mark: Mark::Create, keep: vec![], undo })
    }

    /// Something that is changed, and undone by these.
    pub fn change(undo: Vec<Undo>) -> Found {
        Found::Differs(Self { mark: Mark::Change, keep: vec![], undo })
    }
}

/// Why a generic step failed.
#[derive(Debug, thiserror::Error)]
pub enum OpError {
    /// The node refused, or was not reached.
    #[error("{doing}")]
    Node {
        /// What was to be done.
        doing: String,
        /// Why it was not.
        source: Box<NodeError>,
    },
    /// The node is in a state that must not be changed.
    #[error("{0}")]
    Refused(String),
    /// It did not become so in time.
    #[error("{what} did not come about within {seconds} s: {last}")]
    Late {
        /// What was waited for.
        what: String,
        /// How long.
        seconds: u64,
        /// What was seen last.
        last: String,
    },
}

impl OpError {
    /// Puts what was to be done before what the node said.
    pub fn node(doing: impl Into<String>) -> impl FnOnce(NodeError) -> Self {
        let doing = doing.into();
        move |source| Self::Node { doing, source: Box::new(source) }
    }

    /// Whether another try could help: the line was lost, or something was late.
    pub fn may_pass(&self) -> bool {
        match self {
            Self::Node { source, .. } => {
                matches!(**source, NodeError::Disconnected { .. } | NodeError::Unreachable { .. })
            }
            Self::Refused(_) => false,
            Self::Late { .. } => true,
        }
    }
}

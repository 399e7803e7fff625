//! Specific steps: what one component needs on one node. They describe; only the engine acts.
//!
//! Generic steps (`generic`) are private to this folder: a task can name specific steps only, and the compiler sees to it.

mod generic;
/// A node becomes fit for a container runtime.
pub mod os;
/// OS packages from the bundle.
pub mod packages;

use std::time::Duration;

use kubexm_model::cluster::Cluster;
use kubexm_model::cluster::schema::Host;

use crate::engine::outputs::OutputKind;
use crate::engine::{Op, StepId};
use crate::inventory::NodeFacts;
use crate::supplies::Supplies;

/// What a specific step knows when it describes: all of it was there before, and none of it changes.
#[derive(Clone, Copy)]
pub struct StepCx<'a> {
    /// The cluster.
    pub cluster: &'a Cluster,
    /// The node, as cluster.yaml has it.
    pub host: &'a Host,
    /// The node, as it was found.
    pub facts: &'a NodeFacts,
    /// What the bundle brings, if there is one.
    pub supplies: Option<&'a Supplies>,
}

/// The step cannot be worked out for this node.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct StepError(pub String);

/// The generic steps of a specific one.
pub type Ops = Result<Vec<Box<dyn Op>>, StepError>;

/// A specific step: what one component needs on one node. Knowledge, no effects.
pub trait Step: Send + Sync {
    /// Its stable name, for journal, logs and flags: `os.configure-sysctl`.
    fn id(&self) -> StepId;

    /// The name that the description of the system gives it: `ConfigureSysctl`.
    fn name(&self) -> &'static str;

    /// The generic steps that bring the node to the wanted state, in order; none if there is nothing to do for it.
    fn expand(&self, cx: &StepCx<'_>) -> Ops;

    /// What must hold afterwards; polled until the time is over.
    fn verify(&self, _cx: &StepCx<'_>) -> Ops {
        Ok(vec![])
    }

    /// What it needs from others.
    fn needs(&self) -> Vec<OutputKind> {
        vec![]
    }

    /// What it hands on.
    fn produces(&self) -> Vec<OutputKind> {
        vec![]
    }

    /// How long it may take.
    fn timeout(&self) -> Duration {
        Duration::from_mins(2)
    }
}

/// Every specific step there is, in the order of the description.
pub fn all() -> Vec<Box<dyn Step>> {
    packages::all().into_iter().chain(os::all()).collect()
}

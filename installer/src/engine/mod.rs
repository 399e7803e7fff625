//! Runs a plan: a graph of acts, each of them some generic steps on one node. It knows no Kubernetes.
//!
//! Look, write down the way back, then touch. What was found as it should be leaves no trace and is never undone; what
//! was changed stands in the journal before it was changed, with the way back, so that a failure, a kill or a power cut at any
//! moment can be undone or gone on from. Nobody writes a sequence of undoing: it is the journal, read backwards.

/// One act on one node: its generic steps, one after the other.
pub mod act;
/// What happens, for those who watch.
pub mod event;
/// The plan as a graph.
pub mod graph;
/// What was done and how to undo it, on disk before it happens.
pub mod journal;
/// Generic steps: probe first, then apply.
pub mod op;
/// What acts learn and hand on, by type.
pub mod outputs;
/// Runs the graph.
pub mod run;
/// The way back.
pub mod undo;

pub use act::{Act, ActError, StepId};
pub use event::{Event, Outcome, Watch};
pub use graph::{ActId, Graph, GraphError};
pub use journal::{Journal, JournalError};
pub use op::{Difference, Found, Mark, Op, OpError};
pub use outputs::Outputs;
pub use run::{Limits, Run, Summary};
pub use undo::Undo;

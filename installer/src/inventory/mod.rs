//! What the nodes are like before anything is done: read once, in one round trip to each, then never changed.

/// The facts as types.
pub mod facts;
/// Asks the nodes, all at once.
pub mod gather;
/// From what a node says to facts, strictly.
pub mod parse;

pub use facts::NodeFacts;
pub use gather::{FactsError, gather, gather_all};

//! `kubexm-install`: builds the cluster at the site.
//!
//! The modules stand in the order in which data flows through them.

/// What the nodes are like before anything is done.
pub mod inventory;
/// Which keys a machine may show before anything is said to it.
pub mod hostkeys;
/// How a node is reached, looked at and changed.
pub mod node;

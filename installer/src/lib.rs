//! `kubexm-install`: builds the cluster at the site.
//!
//! The modules stand in the order in which data flows through them.

/// How a node is reached, looked at and changed.
pub mod node;

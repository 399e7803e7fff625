//! `kubexm-install`: builds the cluster at the site.
//!
//! The modules stand in the order in which data flows through them.

/// Which keys a machine may show before anything is said to it.
pub mod hostkeys;
/// How a node is reached, looked at and changed.
pub mod node;
/// What the nodes are like: facts, read once and never written into the configuration.
pub mod inventory;
/// Runs plans; knows no Kubernetes.
pub mod engine;
/// What components need on nodes.
pub mod steps;

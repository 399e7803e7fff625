//! `kubexm-install`: builds the cluster at the site.
//!
//! The modules stand in the order in which data flows through them.

/// Runs plans; knows no Kubernetes.
pub mod engine;
/// Which keys a machine may show before anything is said to it.
pub mod hostkeys;
/// What the nodes are like: facts, read once and never written into the configuration.
pub mod inventory;
/// Which tasks.
pub mod modules;
/// How a node is reached, looked at and changed.
pub mod node;
/// Which modules, and the plan for one cluster.
pub mod pipelines;
/// Repositories of OS packages for nodes.
pub mod repository;
/// Runs on the deploy host: folders, journals, locks.
pub mod runs;
/// What components need on nodes.
pub mod steps;
/// What the bundle brings for the nodes.
pub mod supplies;
/// Which steps, on which nodes.
pub mod tasks;
/// Text for nodes.
pub mod templates;

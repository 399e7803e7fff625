//! `kubexm-install`: builds the cluster at the site.
//!
//! The modules stand in the order in which data flows through them.

/// Repositories of OS packages for nodes.
pub mod repository;

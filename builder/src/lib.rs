//! `kubexm-bundle`: from cluster.yaml to one file that holds everything an offline cluster needs.
//!
//! The modules stand in the order in which data flows through them.

/// Images named in Kubernetes manifests.
pub mod discover;
/// The bill of materials as SPDX and CycloneDX.
pub mod sbom;
/// One page that shows what a bundle holds.
pub mod page;

//! `kubexm-bundle`: from cluster.yaml to one file that holds everything an offline cluster needs.
//!
//! The modules stand in the order in which data flows through them.

/// The content-addressed store.
pub mod cache;
/// Images named in Kubernetes manifests.
pub mod discover;
/// Brings blobs into the store.
pub mod fetch;
/// From the lock to a full store.
pub mod fill;
/// A folder as an ISO 9660 image.
pub mod iso;
/// Signing keys.
pub mod keys;
/// From the lock and the store to a signed bundle.
pub mod pack;
/// OS packages: from names to everything that they need.
pub mod packages;
/// One page that shows what a bundle holds.
pub mod page;
/// From the bill of materials to the lock.
pub mod resolve;
/// The bill of materials as SPDX and CycloneDX.
pub mod sbom;

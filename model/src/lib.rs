//! What both programs agree on, in the order in which data flows through it. No network, no SSH, no async.
//!
//! ```text
//! cluster.yaml ─ yaml ─► tree ─ cluster::shape ─► fields ─ defaults ─ lint ─► Cluster ─┐
//! manifests/ ─ catalogue ─► Catalogue ────────────────────────────────────────────────┴─ bom ─► Bom
//! ```

/// 4. Which binaries, images, charts and packages a cluster needs, and why.
pub mod bom;
/// 6. The file that crosses the air gap: its format, its signatures, reading and writing it.
pub mod bundle;
/// 2. What exists upstream: `manifests/` as types.
pub mod catalogue;
/// 3. cluster.yaml: shape, defaults, lint.
pub mod cluster;
/// What the two command lines share: flags, findings on a terminal, tables, exit codes.
pub mod console;
/// SHA-256 digests.
pub mod digest;
/// A problem found in an input, with its place and a way out.
pub mod finding;
/// Names of container images.
pub mod image;
/// 5. The lock: every entry of the bill of materials with its exact bytes.
pub mod lock;
/// Values that must never be printed.
pub mod secret;
/// Versions as upstream projects write them, and ranges over them.
pub mod version;
/// 1. Text to a tree in which everything knows its place.
pub mod yaml;

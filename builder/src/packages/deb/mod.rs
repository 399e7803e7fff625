//! Debian packages: from an archive's signed index to everything that some packages need.

/// The order of versions.
pub mod version;

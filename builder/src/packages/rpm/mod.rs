//! Packages of Enterprise Linux, openEuler and their kin.

/// Checksums of files.
pub mod checksum;
/// The list of a repository's files.
pub mod repomd;
/// The order of versions.
pub mod version;
/// Metadata as a stream of elements.
pub mod xml;

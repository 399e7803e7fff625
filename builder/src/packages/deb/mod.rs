//! Debian packages: from an archive's signed index to everything that some packages need.

/// What a node has already.
pub mod base;
/// A text with its signature below it.
pub mod clearsigned;
/// The whole way.
pub mod closure;
/// The apt configuration of this machine.
pub mod host;
/// Packages by name.
pub mod lookup;
/// Which packages satisfy a relation.
mod matching;
/// Indexes in memory.
pub mod packages;
/// In which order candidates are tried.
mod preference;
/// Relations between packages.
pub mod relation;
/// What an archive says about itself.
pub mod release;
/// Reads repositories.
pub mod repository;
/// Where a repository is.
pub mod source;
/// From indexes to what the solver sees.
pub mod universe;
/// The order of versions.
pub mod version;

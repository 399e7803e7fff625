//! Debian packages: from an archive's signed index to everything that some packages need.

/// A text with its signature below it.
pub mod clearsigned;
/// What an archive says about itself.
pub mod release;
/// The order of versions.
pub mod version;

//! Repositories for nodes: what the bundle holds, in the form that apt, dnf and old yum read, signed by the site.
//!
//! Only metadata is made here, as files in memory: the same packages, key and time give the same bytes. Whoever calls puts
//! them beside the packages, under the paths that he named.

/// The lists of an apt repository.
pub mod apt;
/// The key of the site.
pub mod key;
/// The lists of an rpm repository.
pub mod rpm;

use std::collections::BTreeMap;
use std::io::Write;

use flate2::{Compression, GzBuilder};

/// The files of a repository's metadata, by path.
pub type Files = BTreeMap<String, Vec<u8>>;

/// Why a repository cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum RepositoryError {
    /// The key cannot be made, read or used.
    #[error("the site's key cannot be used: {reason}")]
    Key {
        /// Why.
        reason: String,
    },
    /// A package cannot be listed.
    #[error("the package {package} cannot be listed: {reason}")]
    Package {
        /// Which package.
        package: String,
        /// Why.
        reason: String,
    },
    /// Compressing failed.
    #[error("the lists cannot be compressed")]
    Compress(#[from] std::io::Error),
}

/// gzip without a name and a time: the same bytes for the same text.
fn gzip(plain: &[u8]) -> std::io::Result<Vec<u8>> {
    let mut encoder = GzBuilder::new().mtime(0).write(Vec::new(), Compression::best());
    encoder.write_all(plain)?;
    encoder.finish()
}

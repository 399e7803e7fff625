//! What is signed: which bundle this is, and the digest of its index.

use serde::{Deserialize, Serialize};

use crate::digest::Digest;

/// The version of the format that this program writes and reads.
pub const FORMAT: u32 = 1;

/// What is signed. Every byte of the bundle hangs on it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Statement {
    /// The version of the format.
    pub format: u32,
    /// The cluster it was made for.
    pub cluster: String,
    /// The line of bundles that it belongs to; sequences are compared inside a channel only.
    pub channel: String,
    /// Grows from bundle to bundle of a channel, so that an old one is recognised.
    pub sequence: u64,
    /// When its lock was made, in seconds since 1970.
    pub created: u64,
    /// Until when it may be used for something new.
    pub expires: u64,
    /// The version of the program that made it.
    pub builder: String,
    /// The platforms that it is for.
    pub platforms: Vec<String>,
    /// The bundles that it builds upon: what they hold is not here again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bases: Vec<Base>,
    /// The digest of its lock.
    pub lock: Digest,
    /// The length of the index.
    pub index_length: u64,
    /// The digest of the index.
    pub index: Digest,
    /// The length of the data behind the index.
    pub data_length: u64,
}

/// A bundle that another one builds upon.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Base {
    /// Its id: the digest of its statement.
    pub bundle: Digest,
    /// The cluster it was made for.
    pub cluster: String,
    /// Its channel.
    pub channel: String,
    /// Its sequence.
    pub sequence: u64,
}

impl std::fmt::Display for Base {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let id = &self.bundle.hex()[..12];
        write!(
            f,
            "the bundle of {} with sequence {} in channel {} (id {id})",
            self.cluster, self.sequence, self.channel
        )
    }
}

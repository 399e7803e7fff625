//! What a site has: written there, carried back, and the next bundle leaves it out.

use serde::{Deserialize, Serialize};

use super::read::{Bundle, Verified};
use super::statement::Base;
use crate::digest::Digest;

/// The blobs that a site has from a bundle. It needs no signature: a receipt that claims too much makes a bundle that the
/// site refuses, naming what it lacks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Receipt {
    /// The version of this form.
    pub format: u32,
    /// The bundle that the site has.
    pub has: Base,
    /// All blobs of it, and of those that it builds upon.
    pub blobs: Vec<Digest>,
}

/// The version of the form that this program writes and reads.
const FORMAT: u32 = 1;

/// The text is no receipt.
#[derive(Debug, thiserror::Error)]
pub enum NotAReceipt {
    /// It is not of this form.
    #[error("this is not a receipt")]
    Form(#[from] serde_json::Error),
    /// It is of another version.
    #[error("this receipt has form {0}, and this program reads {FORMAT}")]
    Version(u32),
}

impl Receipt {
    /// The receipt of a bundle.
    pub fn of(bundle: &Bundle<Verified>) -> Self {
        let mut blobs: Vec<Digest> = bundle.index().blobs().map(|blob| blob.digest).collect();
        blobs.sort();
        Self { format: FORMAT, has: bundle.as_base(), blobs }
    }

    /// From the text of a file.
    pub fn from_json(text: &str) -> Result<Self, NotAReceipt> {
        let receipt: Self = serde_json::from_str(text)?;
        if receipt.format == FORMAT { Ok(receipt) } else { Err(NotAReceipt::Version(receipt.format)) }
    }
}

impl Bundle<Verified> {
    /// What others call it.
    pub fn as_base(&self) -> Base {
        let statement = self.statement();
        Base {
            bundle: self.id(),
            cluster: statement.cluster.clone(),
            channel: statement.channel.clone(),
            sequence: statement.sequence,
        }
    }
}

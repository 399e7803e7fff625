//! The lock: every entry of the bill of materials with the exact bytes that it stands for.
//!
//! `cluster.lock` is made on the connected side, goes into the bundle, and decides alone what a bundle holds: the same lock
//! gives the same bundle, byte for byte.

use serde::{Deserialize, Serialize};

use crate::bom::{Kind, Reason};
use crate::cluster::schema::Arch;
use crate::digest::Digest;

/// The version of the lock's form that this program writes and reads.
pub const VERSION: u32 = 1;

/// What was locked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Lock {
    /// The version of this form.
    pub version: u32,
    /// The cluster's name.
    pub cluster: String,
    /// When it was made, in seconds since 1970; bundles take their sequence and their date from it.
    pub created: u64,
    /// The digest of the bill of materials that it was made from: another cluster.yaml or catalogue shows here.
    pub bom: Digest,
    /// The entries, in the order of the bill of materials.
    pub entries: Vec<Locked>,
}

/// An entry with its exact bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Locked {
    /// What kind of thing it is.
    pub kind: Kind,
    /// Its name; an image's with registry and tag.
    pub name: String,
    /// Its version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The operating system it is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub os: Option<String>,
    /// The architectures it is for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub arch: Vec<Arch>,
    /// The component it belongs to.
    pub component: String,
    /// SPDX expression of its licence, where known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub licence: Option<String>,
    /// Its address upstream.
    pub source: String,
    /// Who vouches for its digest.
    pub proof: Proof,
    /// Its bytes; of an image: the index, or the manifest of an image that has no index.
    pub blob: Blob,
    /// The members of the archive that are wanted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub members: Vec<String>,
    /// Of an image: what belongs to it, platform by platform.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub platforms: Vec<PlatformImage>,
    /// Of an image that was found in a manifest or chart: where.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub found_in: Vec<String>,
    /// Of a package: its entry in its repository's index, for the repository on the nodes. Of deb the paragraph of Packages, word
    /// for word; of rpm the element `package` of primary.xml, with the files of it that other packages ask for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stanza: Option<String>,
    /// Why it is wanted.
    pub reasons: Vec<Reason>,
}

/// Who vouches for a digest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Proof {
    /// Upstream publishes it beside the file.
    Published,
    /// The catalogue has it.
    Pinned,
    /// Nobody: it was taken as it came when it was first seen.
    FirstSight,
    /// The registry, at the time when the tag was resolved.
    Registry,
    /// A package repository, with a signature: of its index, or of the package itself.
    Repository,
}

/// Some bytes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Blob {
    /// Their digest.
    pub digest: Digest,
    /// How many there are.
    pub size: u64,
    /// Their type, for parts of images.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub media_type: Option<String>,
}

/// An image for one platform.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PlatformImage {
    /// The architecture.
    pub arch: Arch,
    /// Its manifest; the same as the entry's blob where there is no index.
    pub manifest: Blob,
    /// Its configuration.
    pub config: Blob,
    /// Its layers.
    pub layers: Vec<Blob>,
}

impl Lock {
    /// Every blob of every entry; shared ones are named more than once.
    pub fn blobs(&self) -> impl Iterator<Item = &Blob> {
        self.entries.iter().flat_map(Locked::blobs)
    }
}

impl Locked {
    /// Every blob that belongs to it; some may be named more than once.
    pub fn blobs(&self) -> impl Iterator<Item = &Blob> {
        let parts =
            self.platforms.iter().flat_map(|image| [&image.manifest, &image.config].into_iter().chain(&image.layers));
        std::iter::once(&self.blob).chain(parts)
    }
}

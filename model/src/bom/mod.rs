//! The bill of materials: which binaries, images, charts, manifests and OS packages a cluster needs, and why.
//!
//! The rules are data (`wanted`, `needs` and `when` in `manifests/components/`); this module only applies them.

mod derive;
mod mirror;
mod wants;

use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

pub use mirror::{Redirects, redirects};

use crate::catalogue::Catalogue;
use crate::cluster::Cluster;
use crate::cluster::schema::{Arch, Spec};
use crate::finding::Code;

/// The bill of materials of one cluster, sorted.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Bom {
    /// The cluster's name.
    pub cluster: String,
    /// What it needs.
    pub entries: Vec<Entry>,
}

/// One thing that is needed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Entry {
    /// What kind of thing it is.
    pub kind: Kind,
    /// Its name; an image's with registry and tag.
    pub name: String,
    /// Its version; packages have the one that their repository has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// The operating system it is for: `linux`, or a release such as `debian 12`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub os: Option<String>,
    /// The architectures it is for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub arch: Vec<Arch>,
    /// The component it belongs to.
    pub component: String,
    /// SPDX expression of its licence, where known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub licence: Option<String>,
    /// Its address upstream: of a file, an image, or the repositories of a package.
    pub source: Vec<String>,
    /// The address that is used instead because of `mirrors`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub mirror: Vec<String>,
    /// Where its digest is published; images and packages carry theirs in their registry or repository.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checksum: Option<Digest>,
    /// The members of the archive that are wanted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub members: Vec<String>,
    /// Why it is needed.
    pub reasons: Vec<Reason>,
}

/// The kinds of things.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A binary, or an archive of binaries.
    Binary,
    /// A container image.
    Image,
    /// A Helm chart.
    Chart,
    /// A file of Kubernetes manifests.
    Manifest,
    /// An OS package.
    Package,
}

/// Where a digest comes from.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Digest {
    /// Published in a file of `sha256sum`.
    Sha256sum(String),
    /// Published in a Helm repository's index.
    Index(String),
    /// Pinned in the catalogue.
    Sha256(String),
    /// Pinned when it is first seen, for this reason.
    FirstSight(String),
}

/// Why something is needed, and where.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reason {
    /// The settings or the component that ask for it; empty: every cluster needs it.
    pub why: String,
    /// The hosts that it is for.
    #[serde(default, skip_serializing_if = "Nodes::is_empty")]
    pub nodes: Nodes,
}

/// Names of hosts, shared between the entries that go to the same ones.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Nodes(Arc<[String]>);

impl Nodes {
    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The names.
    pub fn as_slice(&self) -> &[String] {
        &self.0
    }
}

impl<'de> Deserialize<'de> for Nodes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Vec::<String>::deserialize(deserializer).map(|names| Self(names.into()))
    }
}
impl Serialize for Nodes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.as_slice().serialize(serializer)
    }
}

/// Something that is wanted and not to be had; lint turns it into a finding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Problem {
    pub(crate) code: Code,
    pub(crate) path: String,
    pub(crate) message: String,
    pub(crate) help: String,
}

impl Bom {
    /// Its digest, by which a lock knows whether it still belongs to it.
    pub fn digest(&self) -> crate::digest::Digest {
        crate::digest::Digest::of(&serde_json::to_vec(self).unwrap_or_default())
    }
}

/// The bill of materials of a cluster.
pub fn derive(cluster: &Cluster, catalogue: &Catalogue) -> Bom {
    let (entries, _) = derive::derive(cluster.spec(), catalogue, &[]);
    Bom { cluster: cluster.name().to_owned(), entries }
}

/// The bill of materials of a cluster for these architectures, or for those of its hosts if there are none; or a sentence for
/// each thing that is not to be had for one of them.
pub fn derive_for(cluster: &Cluster, catalogue: &Catalogue, arch: &[Arch]) -> Result<Bom, Vec<String>> {
    let (entries, problems) = derive::derive(cluster.spec(), catalogue, arch);
    let lacking: Vec<String> = problems.into_iter().map(|problem| problem.message).collect();
    if arch.is_empty() || lacking.is_empty() {
        return Ok(Bom { cluster: cluster.name().to_owned(), entries });
    }
    Err(lacking)
}

/// What a cluster wants and cannot have.
pub(crate) fn problems(spec: &Spec, catalogue: &Catalogue) -> Vec<Problem> {
    derive::derive(spec, catalogue, &[]).1
}

impl std::fmt::Display for Reason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(if self.why.is_empty() { "every cluster" } else { &self.why })?;
        match self.nodes.as_slice() {
            [] => Ok(()),
            nodes => write!(f, " on {}", crate::cluster::listed(nodes)),
        }
    }
}

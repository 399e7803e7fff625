//! A component: its versions, what it consists of, and when a cluster wants it.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::when::When;
use crate::cluster::schema::Arch;
use crate::version::{Range, Version};

/// A component.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Component {
    /// Stable id.
    pub name: String,
    /// A few words about it.
    pub title: String,
    /// Where it is listed.
    pub group: Group,
    /// SPDX expression.
    pub licence: String,
    /// Its site.
    pub homepage: String,
    /// When a cluster wants it; any of the rules.
    #[serde(default)]
    pub wanted: Vec<Rule>,
    /// Components that come with it, and the versions of them that it accepts.
    #[serde(default)]
    pub needs: BTreeMap<String, Range>,
    /// Its versions.
    #[serde(default)]
    pub versions: Versions,
    /// The version that is taken when nothing chooses.
    #[serde(default)]
    pub default: Option<Version>,
    /// Binaries and archives.
    #[serde(default)]
    pub files: Vec<FileEntry>,
    /// Container images.
    #[serde(default)]
    pub images: Vec<ImageEntry>,
    /// Helm charts.
    #[serde(default)]
    pub charts: Vec<FileEntry>,
    /// Kubernetes manifests.
    #[serde(default)]
    pub manifests: Vec<FileEntry>,
    /// OS packages.
    #[serde(default)]
    pub packages: Vec<Package>,
    /// Where the packages come from when the distribution does not carry them.
    #[serde(default)]
    pub repositories: Vec<Repository>,
}

/// Where a component is listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[expect(missing_docs, reason = "the names say it")]
pub enum Group {
    Kubernetes,
    Etcd,
    Runtime,
    Registry,
    Loadbalancer,
    Network,
    Dns,
    Storage,
    Addon,
    Tool,
    Os,
}

/// When a cluster wants a component, and on which nodes.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// The fields of cluster.yaml that decide; none: every cluster.
    #[serde(default)]
    pub when: When,
    /// The nodes it goes to.
    pub on: Vec<NodeSelector>,
    /// The field that may choose the version.
    #[serde(default)]
    pub version: Option<String>,
}

/// A set of nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum NodeSelector {
    /// Every host.
    All,
    /// Masters and workers.
    Kubernetes,
    /// Hosts with the role.
    Master,
    /// Hosts with the role.
    Worker,
    /// Hosts with the role.
    Etcd,
    /// Hosts with the role.
    Registry,
    /// Hosts with the role.
    Loadbalancer,
}

/// The versions of a component.
#[derive(Debug, Clone, Serialize)]
pub enum Versions {
    /// Those of Kubernetes.
    Kubernetes,
    /// Its own.
    Listed(Vec<VersionEntry>),
}

/// One version of a component.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VersionEntry {
    /// The version.
    pub version: Version,
    /// Replaces the component's needs of the same name.
    #[serde(default)]
    pub needs: BTreeMap<String, Range>,
    /// More words for the patterns.
    #[serde(default)]
    pub vars: BTreeMap<String, String>,
    /// Digests pinned by the catalogue: entry name to platform to hex.
    #[serde(default)]
    pub sha256: BTreeMap<String, BTreeMap<String, String>>,
}

/// A file upstream.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileEntry {
    /// Its name in the bill of materials.
    pub name: String,
    /// Pattern of its address.
    pub url: String,
    /// What it runs on.
    #[serde(default = "both_platforms")]
    pub platforms: Vec<Platform>,
    /// Upstream's words for the architectures, where they differ from ours.
    #[serde(default)]
    pub arch: BTreeMap<Arch, String>,
    /// Where its digest is published.
    pub checksum: Checksum,
    /// The members of the archive that are wanted.
    #[serde(default)]
    pub members: Vec<String>,
    /// Narrows the component's rules for this entry.
    #[serde(default)]
    pub when: When,
}

/// An image upstream.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ImageEntry {
    /// Registry and repository.
    pub name: String,
    /// Pattern of the tag.
    pub tag: String,
    /// What it runs on.
    #[serde(default = "both_platforms")]
    pub platforms: Vec<Platform>,
    /// Narrows the component's rules for this entry.
    #[serde(default)]
    pub when: When,
}

/// Where a digest is published.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub enum Checksum {
    /// A file with the digest alone, or lines of `sha256sum`.
    Sha256sum(String),
    /// A Helm repository's index.
    Index(String),
    /// Pinned by the catalogue: platform to hex.
    Sha256(BTreeMap<String, String>),
    /// Pinned by the first lock, for this reason.
    FirstSight(String),
}

/// An OS package, by the names it has in the families of operating systems.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Package {
    /// Its name on Debian and its kin.
    #[serde(default)]
    pub deb: Option<String>,
    /// Its name on Red Hat and its kin.
    #[serde(default)]
    pub rpm: Option<String>,
    /// Exceptions, by `name` or `name-version` of the system; null: nothing is needed there.
    #[serde(default)]
    pub os: BTreeMap<String, Option<String>>,
    /// Narrows the component's rules for this entry.
    #[serde(default)]
    pub when: When,
}

/// A package repository.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Repository {
    /// Whom it is for; a system's own repositories are of the system's family.
    #[serde(default)]
    pub family: Option<super::Family>,
    /// Pattern of its address.
    pub url: String,
    /// apt's suite.
    #[serde(default)]
    pub suite: Option<String>,
    /// apt's components.
    #[serde(default)]
    pub components: Vec<String>,
    /// Where its key is published.
    #[serde(default)]
    pub key: Option<String>,
}

/// An operating system and an architecture, as container images name them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Platform(pub Arch);

fn both_platforms() -> Vec<Platform> {
    vec![Platform(Arch::Amd64), Platform(Arch::Arm64)]
}

impl Default for Versions {
    fn default() -> Self {
        Self::Listed(vec![])
    }
}

impl Component {
    /// The listed entry of a version.
    pub fn entry(&self, version: &Version) -> Option<&VersionEntry> {
        match &self.versions {
            Versions::Kubernetes => None,
            Versions::Listed(list) => list.iter().find(|entry| entry.version.as_str() == version.as_str()),
        }
    }

    /// What one version of it needs.
    pub fn needs_of(&self, version: Option<&Version>) -> BTreeMap<&str, &Range> {
        let own = version.and_then(|version| self.entry(version)).map(|entry| &entry.needs);
        self.needs.iter().chain(own.into_iter().flatten()).map(|(name, range)| (name.as_str(), range)).collect()
    }
}

impl<'de> Deserialize<'de> for Versions {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = serde_json::Value::deserialize(deserializer)?;
        if value == "kubernetes" {
            return Ok(Self::Kubernetes);
        }
        serde_json::from_value(value).map(Self::Listed).map_err(de::Error::custom)
    }
}

impl fmt::Display for Group {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&crate::cluster::schema::word(self))
    }
}

impl fmt::Display for Platform {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "linux/{}", self.0.as_str())
    }
}
impl Serialize for Platform {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
impl<'de> Deserialize<'de> for Platform {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        both_platforms()
            .into_iter()
            .find(|platform| platform.to_string() == text)
            .ok_or_else(|| de::Error::custom(format!("`{text}` is not linux/amd64 or linux/arm64")))
    }
}

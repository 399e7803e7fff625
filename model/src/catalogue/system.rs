//! Operating systems, and zones of mirrors.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::component::Repository;
use crate::cluster::schema::PackageType;

/// An operating system.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OperatingSystem {
    /// The `ID` of /etc/os-release.
    pub name: String,
    /// What people call it.
    pub title: String,
    /// How its packages are made.
    pub family: Family,
    /// Its releases.
    pub versions: Vec<SystemRelease>,
}

/// How packages are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Family {
    /// dpkg and apt.
    Deb,
    /// rpm with dnf or yum.
    Rpm,
}

impl From<Family> for PackageType {
    fn from(family: Family) -> Self {
        match family {
            Family::Deb => Self::Deb,
            Family::Rpm => Self::Rpm,
        }
    }
}

/// A release of an operating system.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SystemRelease {
    /// The `VERSION_ID` of /etc/os-release.
    pub version: String,
    /// Its code name, where it has one.
    #[serde(default)]
    pub codename: Option<String>,
    /// Where its packages come from; empty where there is no public repository.
    #[serde(default)]
    pub repositories: Vec<Repository>,
    /// What module streams of rpm call it: `el9`.
    #[serde(default)]
    pub platform: Option<String>,
    /// Who may sign those: files of `manifests/keys`.
    #[serde(default)]
    pub keys: Vec<String>,
    /// What a minimal machine has: a file of `manifests/base`.
    #[serde(default)]
    pub base: Option<String>,
}

/// A zone of mirrors.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Zone {
    /// The value of `KMZONE`.
    pub name: String,
    /// What people call it.
    pub title: String,
    /// For files: host (and path) to address.
    #[serde(default)]
    pub files: BTreeMap<String, String>,
    /// For images: registry (and path) to registry and path.
    #[serde(default)]
    pub images: BTreeMap<String, String>,
    /// For package repositories: host (and path) to address.
    #[serde(default)]
    pub packages: BTreeMap<String, String>,
}

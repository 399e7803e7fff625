//! What exists upstream: `manifests/` as types. `manifests/README.md` describes the files field by field.

mod check;
mod component;
mod load;
mod pattern;
mod system;
mod when;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::version::{Range, Version};

pub use component::{
    Checksum, Component, FileEntry, Group, ImageEntry, NodeSelector, Package, Platform, Repository, Rule, Versions,
};
pub use load::CatalogueError;
pub use pattern::{PatternError, Words};
pub use system::{Family, OperatingSystem, SystemRelease, Zone};
pub use when::When;

/// Everything that the catalogue knows.
#[derive(Debug, Clone, Serialize)]
pub struct Catalogue {
    /// The components, by name.
    pub components: BTreeMap<String, Component>,
    /// The Kubernetes minors, by `1.34`.
    pub releases: BTreeMap<String, Release>,
    /// The operating systems, by the `ID` of /etc/os-release.
    pub systems: BTreeMap<String, OperatingSystem>,
    /// The zones of mirrors, by name.
    pub zones: BTreeMap<String, Zone>,
}

/// A Kubernetes minor and the set of other versions that goes with it.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Release {
    /// Major and minor number.
    pub kubernetes: String,
    /// Its patches.
    pub versions: Vec<Version>,
    /// What goes with it unless cluster.yaml chooses.
    pub set: BTreeMap<String, Version>,
    /// What cluster.yaml may choose.
    #[serde(default)]
    pub accepts: BTreeMap<String, Range>,
    /// Patches whose set differs.
    #[serde(default)]
    pub patches: BTreeMap<String, BTreeMap<String, Version>>,
}

impl Catalogue {
    /// The component of that name.
    pub fn component(&self, name: &str) -> Option<&Component> {
        self.components.get(name)
    }

    /// The release that a Kubernetes version belongs to.
    pub fn release(&self, kubernetes: &Version) -> Option<&Release> {
        self.releases.get(&kubernetes.minor())
    }

    /// The newest Kubernetes version.
    pub fn newest_kubernetes(&self) -> Option<&Version> {
        self.kubernetes_versions().max()
    }

    /// Every Kubernetes version.
    pub fn kubernetes_versions(&self) -> impl Iterator<Item = &Version> {
        self.releases.values().flat_map(|release| &release.versions)
    }

    /// The versions of a component that the catalogue knows; empty for those whose version the operating system decides.
    pub fn versions<'a>(&'a self, component: &'a Component) -> Vec<&'a Version> {
        match &component.versions {
            Versions::Kubernetes => self.kubernetes_versions().collect(),
            Versions::Listed(list) => list.iter().map(|entry| &entry.version).collect(),
        }
    }

    /// The version of a component that goes with a Kubernetes version: the release's, or the component's own default.
    pub fn version_for(&self, component: &str, kubernetes: Option<&Version>) -> Option<&Version> {
        let set = kubernetes.and_then(|version| {
            let release = self.release(version)?;
            let patch = release.patches.get(version.as_str()).and_then(|set| set.get(component));
            patch.or_else(|| release.set.get(component))
        });
        set.or_else(|| {
            let component = self.component(component)?;
            component.default.as_ref().or_else(|| self.versions(component).into_iter().max())
        })
    }
}

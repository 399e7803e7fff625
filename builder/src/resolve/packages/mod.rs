//! OS packages: the names that a release and an architecture need become everything that goes with them.

mod deb;
mod rpm;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use kubexm_model::bom::{Entry, Kind, Nodes, Reason};
use kubexm_model::catalogue::{Catalogue, Family, Repository};
use kubexm_model::cluster::schema::{Arch, OsRelease, PackageRepository};
use kubexm_model::lock::{Blob, Locked, Proof};

use super::{ResolveError, Resolver, Unresolved};
use crate::packages::signature::Keyring;

/// What packages need besides the bill of materials.
#[derive(Debug)]
pub struct Packages {
    /// Systems, their repositories, and repositories of components.
    pub catalogue: Catalogue,
    /// Lists of what nodes have, by release: `debian 12`.
    pub base_lists: BTreeMap<String, PathBuf>,
    /// Repositories of cluster.yaml.
    pub own: Vec<PackageRepository>,
    /// Where this machine's own configuration is: `/`.
    pub host: PathBuf,
}

/// One release on one architecture: what it wants.
struct Group<'a> {
    os: OsRelease,
    arch: Arch,
    entries: Vec<&'a Entry>,
}

/// A repository that a component brings.
struct Brought<'a> {
    repository: &'a Repository,
    address: String,
    keys: Keyring,
}

/// A package of a closure.
struct Chosen<'a> {
    name: String,
    version: String,
    source: String,
    proof: Proof,
    blob: Blob,
    stanza: String,
    /// Why it is there, unless it is wanted itself.
    why: Option<String>,
    /// The entry that it is there for in the end.
    root: Option<&'a Entry>,
}

impl Resolver {
    /// Every package that is wanted, and everything that those need.
    pub(super) async fn packages(&self, entries: &[Entry], problems: &mut Vec<Unresolved>) -> Vec<Locked> {
        let mut found = Vec::new();
        for group in groups(entries) {
            match self.group(&group, problems).await {
                Ok(locked) => found.extend(locked),
                Err(error) => {
                    let names: Vec<&str> = group.entries.iter().map(|entry| entry.name.as_str()).collect();
                    problems.push(Unresolved {
                        name: format!("packages for {} on {}", group.os, group.arch.as_str()),
                        wanted: names.join(", "),
                        error,
                    });
                }
            }
        }
        found
    }

    async fn group(&self, group: &Group<'_>, problems: &mut Vec<Unresolved>) -> Result<Vec<Locked>, ResolveError> {
        let system = self.packages.catalogue.systems.get(&group.os.name);
        let release = system.and_then(|system| system.versions.iter().find(|one| one.version == group.os.version));
        match (system.map(|system| system.family), release) {
            (Some(Family::Deb), Some(release)) => self.deb(group, release).await,
            (Some(Family::Rpm), Some(release)) => self.rpm(group, release, problems).await,
            _ => Err(ResolveError::Upstream(format!("the catalogue does not know {}", group.os))),
        }
    }

    /// Repositories that components of a group bring, with their addresses and their keys, which are published beside them.
    async fn brought(&self, group: &Group<'_>, family: Family) -> Result<Vec<Brought<'_>>, ResolveError> {
        let mut found = Vec::new();
        let components: BTreeSet<&str> = group.entries.iter().map(|entry| entry.component.as_str()).collect();
        for component in components.into_iter().filter_map(|name| self.packages.catalogue.components.get(name)) {
            let own = component.repositories.iter().filter(|one| one.family == Some(family));
            let entry = group.entries.iter().find(|entry| entry.component == component.name);
            let addresses = entry.map(|entry| entry.source.as_slice()).unwrap_or_default();
            for (repository, address) in own.zip(addresses) {
                let keys = self.published_key(repository, address).await?;
                found.push(Brought { repository, address: address.clone(), keys });
            }
        }
        Ok(found)
    }

    async fn published_key(&self, repository: &Repository, address: &str) -> Result<Keyring, ResolveError> {
        let path = repository.key.as_deref().and_then(|key| key.strip_prefix(repository.url.as_str()));
        let path =
            path.ok_or_else(|| ResolveError::Upstream(format!("the catalogue has no key of {address} beside it")))?;
        let place = self.redirects.package(address).unwrap_or_else(|| address.to_owned());
        let key = format!("{}{path}", if place.ends_with('/') || path.starts_with('/') { place } else { place + "/" });
        let bytes = self.fetcher.document(&key).await?;
        Keyring::read(&bytes).map_err(|error| ResolveError::Upstream(format!("the key {key}: {error}")))
    }

    /// The address that a package is really fetched from.
    pub(crate) fn package_address(&self, url: &str) -> String {
        self.redirects.package(url).unwrap_or_else(|| url.to_owned())
    }
}

fn own_key(repository: &PackageRepository) -> Result<Keyring, ResolveError> {
    let refuse = |error: &dyn std::fmt::Display| {
        ResolveError::Upstream(format!("the key of the repository {} cannot be used: {error}", repository.name))
    };
    if repository.key.contains("-----BEGIN PGP") {
        return Keyring::read(repository.key.as_bytes()).map_err(|error| refuse(&error));
    }
    let bytes = fs_err::read(&repository.key).map_err(|error| refuse(&error))?;
    Keyring::read(&bytes).map_err(|error| refuse(&error))
}

fn own_list(path: &Path) -> Result<String, ResolveError> {
    fs_err::read_to_string(path).map_err(|error| unusable_list(path, &error))
}

fn unusable_list(path: &Path, error: &dyn std::fmt::Display) -> ResolveError {
    ResolveError::Upstream(format!("the base list {} cannot be used: {error}", path.display()))
}

fn groups(entries: &[Entry]) -> Vec<Group<'_>> {
    let mut found: BTreeMap<(&str, Arch), Vec<&Entry>> = BTreeMap::new();
    for entry in entries.iter().filter(|entry| entry.kind == Kind::Package) {
        for arch in &entry.arch {
            found.entry((entry.os.as_deref().unwrap_or_default(), *arch)).or_default().push(entry);
        }
    }
    let group = |((os, arch), entries): ((&str, Arch), _)| {
        let (name, version) = os.split_once(' ').unwrap_or((os, ""));
        Group { os: OsRelease { name: name.to_owned(), version: version.to_owned() }, arch, entries }
    };
    found.into_iter().map(group).collect()
}

/// The entry that a package is there for, found from the package that needs it to the one that is wanted.
fn root<'a>(
    name: &str,
    needed_by: &BTreeMap<String, String>,
    entry: impl Fn(&str) -> Option<&'a Entry>,
) -> Option<&'a Entry> {
    let mut name = name;
    for _ in 0..needed_by.len() {
        match needed_by.get(name) {
            Some(parent) => name = parent,
            None => break,
        }
    }
    entry(name)
}

/// The entry of a package in the lock. What another package needs goes where that one goes.
fn locked(group: &Group<'_>, chosen: Chosen<'_>) -> Locked {
    let root = chosen.root;
    let nodes =
        || root.and_then(|root| root.reasons.first()).map_or_else(Nodes::default, |reason| reason.nodes.clone());
    let reasons = match (chosen.why, root) {
        (Some(why), _) => vec![Reason { why, nodes: nodes() }],
        (None, Some(root)) => root.reasons.clone(),
        (None, None) => vec![Reason { why: String::new(), nodes: Nodes::default() }],
    };
    Locked {
        kind: Kind::Package,
        name: chosen.name,
        version: Some(chosen.version),
        os: Some(group.os.to_string()),
        arch: vec![group.arch],
        component: root.map(|root| root.component.clone()).unwrap_or_default(),
        licence: None,
        source: chosen.source,
        proof: chosen.proof,
        blob: chosen.blob,
        members: vec![],
        platforms: vec![],
        found_in: vec![],
        stanza: Some(chosen.stanza),
        reasons,
    }
}

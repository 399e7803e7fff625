//! OS packages: the names that a release and an architecture need become everything that goes with them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use kubexm_model::bom::{Entry, Kind, Nodes, Reason};
use kubexm_model::catalogue::{Catalogue, Family, Repository, SystemRelease};
use kubexm_model::cluster::schema::{Arch, OsRelease, PackageRepository, PackageType};
use kubexm_model::lock::{Blob, Locked, Proof};

use super::{ResolveError, Resolver, Unresolved};
use crate::packages::data;
use crate::packages::deb::base::{self, BasePackage};
use crate::packages::deb::closure::{Chosen, Question, Why, closure};
use crate::packages::deb::host;
use crate::packages::deb::source::Source;
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
    os: &'a str,
    arch: Arch,
    entries: Vec<&'a Entry>,
}

impl Resolver {
    /// Every package that is wanted, and everything that those need.
    pub(super) async fn packages(&self, entries: &[Entry], problems: &mut Vec<Unresolved>) -> Vec<Locked> {
        let mut found = Vec::new();
        for group in groups(entries) {
            match self.group(&group).await {
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

    async fn group(&self, group: &Group<'_>) -> Result<Vec<Locked>, ResolveError> {
        let (name, version) = group.os.split_once(' ').unwrap_or((group.os, ""));
        let system = self.packages.catalogue.systems.get(name);
        let release = system.and_then(|system| system.versions.iter().find(|one| one.version == version));
        let (Some(system), Some(release)) = (system, release) else {
            return Err(ResolveError::Upstream(format!("the catalogue does not know {}", group.os)));
        };
        if system.family == Family::Rpm {
            return Err(ResolveError::Upstream(
                "rpm packages cannot be locked yet; leave packages out with --skip packages".to_owned(),
            ));
        }
        let mut sources = self.system_sources(name, release)?;
        sources.extend(self.component_sources(group).await?);
        sources.extend(self.own_sources(&OsRelease { name: name.to_owned(), version: version.to_owned() })?);
        let question = Question {
            sources,
            architecture: group.arch.as_str().to_owned(),
            base: self.base(group.os, release)?,
            wanted: group.entries.iter().map(|entry| entry.name.clone()).collect(),
            now: SystemTime::now(),
        };
        let chosen = closure(&self.fetcher, question).await.map_err(|error| ResolveError::Packages(Box::new(error)))?;
        Ok(lock(group, &chosen))
    }

    /// This machine's own configuration where it runs the same release and nothing is redirected, the catalogue elsewhere.
    fn system_sources(&self, name: &str, release: &SystemRelease) -> Result<Vec<Source>, ResolveError> {
        let redirected = release.repositories.iter().any(|one| self.redirects.package(&one.url).is_some());
        let same =
            host::release(&self.packages.host).is_some_and(|(id, version)| id == name && version == release.version);
        if let Some(codename) = release.codename.as_deref().filter(|_| same && !redirected) {
            let own =
                host::sources(&self.packages.host, codename).map_err(|error| ResolveError::Host(Box::new(error)))?;
            if !own.is_empty() {
                return Ok(own);
            }
        }
        let keys = data::keys(&release.keys).map_err(|error| ResolveError::Data(Box::new(error)))?;
        Ok(release.repositories.iter().map(|one| self.source(one, one.url.clone(), keys.clone())).collect())
    }

    fn source(&self, repository: &Repository, address: String, keys: Keyring) -> Source {
        Source {
            mirror: self.redirects.package(&address),
            address,
            suite: repository.suite.clone().unwrap_or_default(),
            components: repository.components.clone(),
            keys,
        }
    }

    /// Repositories that components bring. Their keys are published beside them.
    async fn component_sources(&self, group: &Group<'_>) -> Result<Vec<Source>, ResolveError> {
        let mut sources = Vec::new();
        let components: BTreeSet<&str> = group.entries.iter().map(|entry| entry.component.as_str()).collect();
        for component in components.into_iter().filter_map(|name| self.packages.catalogue.components.get(name)) {
            let own: Vec<&Repository> =
                component.repositories.iter().filter(|one| one.family == Some(Family::Deb)).collect();
            let entry = group.entries.iter().find(|entry| entry.component == component.name);
            let addresses = entry.map(|entry| entry.source.as_slice()).unwrap_or_default();
            for (repository, address) in own.into_iter().zip(addresses) {
                let keys = self.published_key(repository, address).await?;
                sources.push(self.source(repository, address.clone(), keys));
            }
        }
        Ok(sources)
    }

    /// Repositories of cluster.yaml that are for this release.
    fn own_sources(&self, os: &OsRelease) -> Result<Vec<Source>, ResolveError> {
        let own = self.packages.own.iter().filter(|one| one.serves(os, PackageType::Deb));
        own.map(|one| {
            Ok(Source {
                mirror: self.redirects.package(&one.address),
                address: one.address.clone(),
                suite: one.suite.clone(),
                components: one.components.clone(),
                keys: own_key(one)?,
            })
        })
        .collect()
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

    fn base(&self, os: &str, release: &SystemRelease) -> Result<Vec<BasePackage>, ResolveError> {
        if let Some(path) = self.packages.base_lists.get(os) {
            return own_base(path);
        }
        match &release.base {
            Some(name) => data::deb_base(name).map_err(|error| ResolveError::Data(Box::new(error))),
            None => Err(ResolveError::Upstream(format!("there is no base list of {os}: give one with --base-list"))),
        }
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

fn own_base(path: &Path) -> Result<Vec<BasePackage>, ResolveError> {
    let refuse = |error: &dyn std::fmt::Display| {
        ResolveError::Upstream(format!("the base list {} cannot be used: {error}", path.display()))
    };
    let text = fs_err::read_to_string(path).map_err(|error| refuse(&error))?;
    base::read(&text).map_err(|error| refuse(&error))
}

fn groups(entries: &[Entry]) -> Vec<Group<'_>> {
    let mut found: BTreeMap<(&str, Arch), Vec<&Entry>> = BTreeMap::new();
    for entry in entries.iter().filter(|entry| entry.kind == Kind::Package) {
        for arch in &entry.arch {
            found.entry((entry.os.as_deref().unwrap_or_default(), *arch)).or_default().push(entry);
        }
    }
    found.into_iter().map(|((os, arch), entries)| Group { os, arch, entries }).collect()
}

/// A wanted name without the version or the architecture behind it.
fn plain(wanted: &str) -> &str {
    wanted.split(['=', ':']).next().unwrap_or(wanted)
}

/// The entries of a closure. What another package needs goes where that one goes.
fn lock(group: &Group<'_>, chosen: &[Chosen]) -> Vec<Locked> {
    let parents: BTreeMap<String, String> = chosen
        .iter()
        .filter_map(|one| match &one.reason {
            Why::Needed { by, .. } => Some((one.name.clone(), by.clone())),
            Why::Wanted(_) | Why::Replaces { .. } => None,
        })
        .collect();
    let root = |name: &str| {
        let mut name = name;
        for _ in 0..parents.len() {
            match parents.get(name) {
                Some(parent) => name = parent,
                None => break,
            }
        }
        group.entries.iter().find(|entry| plain(&entry.name) == name).copied()
    };
    chosen.iter().map(|one| locked(group, one, root(&one.name))).collect()
}

fn locked(group: &Group<'_>, chosen: &Chosen, root: Option<&Entry>) -> Locked {
    let nodes =
        || root.and_then(|root| root.reasons.first()).map_or_else(Nodes::default, |reason| reason.nodes.clone());
    let why = match &chosen.reason {
        Why::Wanted(_) => None,
        Why::Needed { by, words } => Some(format!("{by} needs {words}")),
        Why::Replaces { version } => Some(format!("another package needs it newer than {version}")),
    };
    let reasons = match (why, root) {
        (Some(why), _) => vec![Reason { why, nodes: nodes() }],
        (None, Some(root)) => root.reasons.clone(),
        (None, None) => vec![Reason { why: String::new(), nodes: Nodes::default() }],
    };
    Locked {
        kind: Kind::Package,
        name: chosen.name.clone(),
        version: Some(chosen.version.clone()),
        os: Some(group.os.to_owned()),
        arch: vec![group.arch],
        component: root.map(|root| root.component.clone()).unwrap_or_default(),
        licence: None,
        source: chosen.address.clone(),
        proof: Proof::Repository,
        blob: Blob { digest: chosen.digest, size: chosen.size, media_type: None },
        members: vec![],
        platforms: vec![],
        found_in: vec![],
        stanza: Some(chosen.stanza.clone()),
        reasons,
    }
}

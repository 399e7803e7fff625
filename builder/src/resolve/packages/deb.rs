//! Packages of Debian and its kin, from repositories of apt.

use std::collections::BTreeMap;
use std::time::SystemTime;

use kubexm_model::catalogue::{Family, Repository, SystemRelease};
use kubexm_model::cluster::schema::{OsRelease, PackageType};
use kubexm_model::lock::{Blob, Locked, Proof};

use super::{Chosen, Group, locked, own_key, own_list, root, unusable_list};
use crate::packages::data;
use crate::packages::deb::base::{self, BasePackage};
use crate::packages::deb::closure::{self, Question, Why, closure};
use crate::packages::deb::host;
use crate::packages::deb::source::Source;
use crate::packages::signature::Keyring;
use crate::resolve::{ResolveError, Resolver};

impl Resolver {
    /// Everything that a release of Debian or its kin lacks.
    pub(super) async fn deb(&self, group: &Group<'_>, release: &SystemRelease) -> Result<Vec<Locked>, ResolveError> {
        let mut sources = self.system_sources(&group.os.name, release)?;
        let brought = self.brought(group, Family::Deb).await?;
        sources.extend(brought.into_iter().map(|one| self.source(one.repository, one.address, one.keys)));
        sources.extend(self.own_sources(&group.os)?);
        let question = Question {
            sources,
            architecture: group.arch.as_str().to_owned(),
            base: self.deb_base(&group.os.to_string(), release)?,
            wanted: group.entries.iter().map(|entry| entry.name.clone()).collect(),
            now: SystemTime::now(),
        };
        let chosen = closure(&self.fetcher, question).await.map_err(|error| ResolveError::Packages(Box::new(error)))?;
        Ok(lock(group, chosen))
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

    fn deb_base(&self, os: &str, release: &SystemRelease) -> Result<Vec<BasePackage>, ResolveError> {
        if let Some(path) = self.packages.base_lists.get(os) {
            return base::read(&own_list(path)?).map_err(|error| unusable_list(path, &error));
        }
        match &release.base {
            Some(name) => data::deb_base(name).map_err(|error| ResolveError::Data(Box::new(error))),
            None => Err(ResolveError::Upstream(format!("there is no base list of {os}: give one with --base-list"))),
        }
    }
}

/// A wanted name without the version or the architecture behind it.
fn plain(wanted: &str) -> &str {
    wanted.split(['=', ':']).next().unwrap_or(wanted)
}

fn lock(group: &Group<'_>, chosen: Vec<closure::Chosen>) -> Vec<Locked> {
    let needed_by: BTreeMap<String, String> = chosen
        .iter()
        .filter_map(|one| match &one.reason {
            Why::Needed { by, .. } => Some((one.name.clone(), by.clone())),
            Why::Wanted(_) | Why::Replaces { .. } => None,
        })
        .collect();
    let entry = |name: &str| group.entries.iter().find(|entry| plain(&entry.name) == name).copied();
    let one = |one: closure::Chosen| Chosen {
        root: root(&one.name, &needed_by, entry),
        name: one.name,
        version: one.version,
        source: one.address,
        proof: Proof::Repository,
        blob: Blob { digest: one.digest, size: one.size, media_type: None },
        stanza: one.stanza,
        why: match one.reason {
            Why::Wanted(_) => None,
            Why::Needed { by, words } => Some(format!("{by} needs {words}")),
            Why::Replaces { version } => Some(format!("another package needs it newer than {version}")),
        },
    };
    chosen.into_iter().map(|chosen| locked(group, one(chosen))).collect()
}

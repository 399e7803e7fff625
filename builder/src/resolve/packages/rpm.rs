//! Packages of Enterprise Linux, openEuler and their kin, from repositories of dnf.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::SystemTime;

use futures::stream::{self, StreamExt};
use kubexm_model::catalogue::{Family, SystemRelease};
use kubexm_model::cluster::schema::{Arch, PackageType};
use kubexm_model::digest::Digest;
use kubexm_model::lock::{self, Blob, Locked};

use super::{Chosen, Group, locked, own_key, own_list, root, unusable_list};
use crate::fetch::Expected;
use crate::packages::data;
use crate::packages::rpm::base::{self, BasePackage};
use crate::packages::rpm::repository::{Proof, Source};
use crate::packages::rpm::{Needed, Request, Why, file, plain_address, resolve};
use crate::packages::signature::Keyring;
use crate::resolve::{AT_ONCE, ResolveError, Resolver, Unresolved};

/// A repository, and where it is upstream.
struct Place {
    name: String,
    upstream: String,
    keys: Option<Arc<Keyring>>,
}

impl Resolver {
    /// Everything that a release of Enterprise Linux or its kin lacks.
    pub(super) async fn rpm(
        &self,
        group: &Group<'_>,
        release: &SystemRelease,
        problems: &mut Vec<Unresolved>,
    ) -> Result<Vec<Locked>, ResolveError> {
        let places = self.places(group, release).await?;
        let request = Request {
            sources: places.iter().map(|place| self.rpm_source(place)).collect(),
            arch: basearch(group.arch).to_owned(),
            release: release.version.clone(),
            platform: release.platform.clone(),
            streams: vec![],
            base: self.rpm_base(&group.os.to_string(), release)?,
            wanted: group.entries.iter().map(|entry| entry.name.clone()).collect(),
        };
        let needed = resolve(&self.fetcher, &request).await.map_err(|error| ResolveError::Rpm(Box::new(error)))?;
        let digests = self.prove(&needed, &places, problems).await;
        Ok(self.lock_rpms(group, &places, needed, &digests))
    }

    /// The system's repositories, those of components, those of cluster.yaml.
    async fn places(&self, group: &Group<'_>, release: &SystemRelease) -> Result<Vec<Place>, ResolveError> {
        let plain = |address: &str| plain_address(address, basearch(group.arch), &release.version);
        let keys = match release.keys.as_slice() {
            [] => None,
            names => Some(Arc::new(data::keys(names).map_err(|error| ResolveError::Data(Box::new(error)))?)),
        };
        let mut places = Vec::new();
        for repository in &release.repositories {
            let upstream = plain(&repository.url);
            places.push(Place { name: upstream.clone(), upstream, keys: keys.clone() });
        }
        for brought in self.brought(group, Family::Rpm).await? {
            let upstream = plain(&brought.address);
            places.push(Place { name: upstream.clone(), upstream, keys: Some(Arc::new(brought.keys)) });
        }
        for own in self.packages.own.iter().filter(|one| one.serves(&group.os, PackageType::Rpm)) {
            let keys = Some(Arc::new(own_key(own)?));
            places.push(Place { name: own.name.clone(), upstream: plain(&own.address), keys });
        }
        if places.is_empty() {
            let message = format!("{} has no public repository: name one in system.repositories", group.os);
            return Err(ResolveError::Upstream(message));
        }
        Ok(places)
    }

    fn rpm_source(&self, place: &Place) -> Source {
        Source {
            name: place.name.clone(),
            address: self.package_address(&place.upstream),
            keys: place.keys.as_deref().cloned(),
            // Where the list is not signed, every package must be.
            signed_metadata: false,
            priority: 99,
        }
    }

    /// What a node has. Without a list nothing is assumed to be there: the closure is larger, and complete.
    fn rpm_base(&self, os: &str, release: &SystemRelease) -> Result<Vec<BasePackage>, ResolveError> {
        match (self.packages.base_lists.get(os), &release.base) {
            (Some(path), _) => base::read(&own_list(path)?).map_err(|error| unusable_list(path, &error)),
            (None, Some(name)) => data::rpm_base(name).map_err(|error| ResolveError::Data(Box::new(error))),
            (None, None) => Ok(vec![]),
        }
    }

    /// The digests of packages, by name, version and architecture. What cannot be proven is a problem of its own.
    async fn prove(
        &self,
        needed: &[Needed],
        places: &[Place],
        problems: &mut Vec<Unresolved>,
    ) -> BTreeMap<String, Digest> {
        let mut digests = BTreeMap::new();
        let mut proven = stream::iter(needed)
            .map(|one| async move {
                let keys =
                    places.iter().find(|place| place.name == one.repository).and_then(|place| place.keys.clone());
                (one, self.digest(one, keys).await)
            })
            .buffer_unordered(AT_ONCE);
        while let Some((one, outcome)) = proven.next().await {
            match outcome {
                Ok(digest) => {
                    digests.insert(one.nevra(), digest);
                }
                Err(error) => {
                    problems.push(Unresolved { name: one.nevra(), wanted: one.reason.to_string(), error });
                }
            }
        }
        digests
    }

    /// The digest of a package. Where it alone is signed, or its repository lists another kind of checksum, only its file tells.
    async fn digest(&self, needed: &Needed, keys: Option<Arc<Keyring>>) -> Result<Digest, ResolveError> {
        let listed = needed.checksum.digest();
        if let (Some(digest), Proof::Metadata { .. } | Proof::Connection) = (listed, &needed.proof) {
            return Ok(digest);
        }
        let expected = Expected { digest: listed, size: Some(needed.size) };
        let (digest, _) = self.fetcher.file(&needed.name, &needed.address, expected).await?;
        let (path, needed) = (self.fetcher.cache().path(&digest), needed.clone());
        let check = move || file::check(&path, &needed, keys.as_deref(), SystemTime::now());
        let checked = tokio::task::spawn_blocking(check).await;
        let checked = checked.map_err(|error| ResolveError::Upstream(format!("checking was stopped: {error}")))?;
        checked.map_err(|error| ResolveError::Package(Box::new(error)))?;
        Ok(digest)
    }

    fn lock_rpms(
        &self,
        group: &Group<'_>,
        places: &[Place],
        needed: Vec<Needed>,
        digests: &BTreeMap<String, Digest>,
    ) -> Vec<Locked> {
        let mut needed_by = BTreeMap::new();
        for one in &needed {
            match &one.reason {
                Why::Needed { by, .. } => needed_by.insert(one.nevra(), by.clone()),
                Why::Wanted(words) => needed_by.insert(one.nevra(), words.clone()),
                Why::Replaces { .. } => None,
            };
        }
        let entry = |words: &str| group.entries.iter().find(|entry| entry.name == words).copied();
        let one = |one: Needed| {
            let digest = *digests.get(&one.nevra())?;
            let chosen = Chosen {
                root: root(&one.nevra(), &needed_by, entry),
                source: self.upstream(&one, places),
                name: one.name,
                version: one.evr,
                proof: match one.proof {
                    Proof::Metadata { .. } | Proof::Packages => lock::Proof::Repository,
                    Proof::Connection => lock::Proof::FirstSight,
                },
                blob: Blob { digest, size: one.size, media_type: None },
                stanza: one.stanza,
                why: match &one.reason {
                    Why::Wanted(_) => None,
                    why => Some(why.to_string()),
                },
            };
            Some(locked(group, chosen))
        };
        needed.into_iter().filter_map(one).collect()
    }

    /// The address upstream of a package that may come from a mirror.
    fn upstream(&self, needed: &Needed, places: &[Place]) -> String {
        let place = places.iter().find(|place| place.name == needed.repository);
        let address = place.and_then(|place| {
            let used = plain_address(&self.package_address(&place.upstream), "", "");
            Some(format!("{}{}", place.upstream, needed.address.strip_prefix(&used)?))
        });
        address.unwrap_or_else(|| needed.address.clone())
    }
}

/// What rpm calls an architecture.
fn basearch(arch: Arch) -> &'static str {
    match arch {
        Arch::Amd64 => "x86_64",
        Arch::Arm64 => "aarch64",
    }
}

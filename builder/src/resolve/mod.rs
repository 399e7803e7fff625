//! From the bill of materials to the lock: every entry with the exact bytes that it stands for.
//!
//! It goes on after an error, so that one run names everything that cannot be resolved.

mod charts;
mod checksum;
mod files;
mod images;
mod packages;

use std::collections::BTreeMap;
use std::sync::Arc;

use futures::stream::{self, StreamExt};
use kubexm_model::bom::{Bom, Entry, Kind, Reason, Redirects};
use kubexm_model::cluster::schema::Arch;
use kubexm_model::image::Reference;
use kubexm_model::lock::{Lock, Locked, VERSION};

use crate::discover::{Found, ImageFields};
use crate::fetch::{FetchError, Fetcher};

pub use packages::Packages;

/// Something that cannot be resolved.
#[derive(Debug)]
pub struct Unresolved {
    /// What it is.
    pub name: String,
    /// Why it is wanted.
    pub wanted: String,
    /// What went wrong.
    pub error: ResolveError,
}

/// Why something cannot be resolved.
#[derive(Debug, thiserror::Error)]
pub enum ResolveError {
    /// It cannot be fetched.
    #[error(transparent)]
    Fetch(#[from] FetchError),
    /// What upstream publishes about it cannot be used.
    #[error("{0}")]
    Upstream(String),
    /// A closure of packages cannot be made.
    #[error("{}", chain(.0.as_ref()))]
    Packages(Box<crate::packages::deb::closure::ClosureError>),
    /// A closure of rpm packages cannot be made.
    #[error("{}", chain(.0.as_ref()))]
    Rpm(Box<crate::packages::rpm::RpmError>),
    /// The file of an rpm package is not what it should be, or nobody vouches for it.
    #[error("{}", chain(.0.as_ref()))]
    Package(Box<crate::packages::rpm::file::PackageError>),
    /// This machine's apt configuration cannot be used.
    #[error("{}", chain(.0.as_ref()))]
    Host(Box<crate::packages::deb::host::HostError>),
    /// Something that the program carries cannot be used.
    #[error("{}", chain(.0.as_ref()))]
    Data(Box<crate::packages::data::DataError>),
    /// A manifest names an image that cannot be understood.
    #[error(transparent)]
    Discover(#[from] crate::discover::DiscoverError),
}

/// An error and its causes in one sentence: a list of problems has a line for each.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(error) = next {
        text = format!("{text}: {error}");
        next = error.source();
    }
    text
}

/// What resolving needs besides the bill of materials.
pub struct Resolver {
    /// Fetches.
    pub fetcher: Arc<Fetcher>,
    /// Where things are fetched from instead of upstream.
    pub redirects: Redirects,
    /// Fields of custom resources that hold images.
    pub fields: ImageFields,
    /// The architectures of the cluster's nodes, for images that are found in manifests.
    pub arch: Vec<Arch>,
    /// The Kubernetes version that charts are rendered for.
    pub kubernetes: Option<String>,
    /// Values for the charts, by the name of the component or add-on.
    pub values: BTreeMap<String, serde_json::Value>,
    /// What OS packages need.
    pub packages: Packages,
}

/// How many entries are resolved at once; downloads have limits of their own.
const AT_ONCE: usize = 16;

impl Resolver {
    /// Resolves every entry, and every image that is found in a manifest or chart.
    pub async fn lock(&self, bom: &Bom, created: u64) -> Result<Lock, Vec<Unresolved>> {
        let mut problems = vec![];
        let mut entries = vec![];
        let mut found: Vec<(Found, Vec<Reason>)> = vec![];
        let mut resolved = stream::iter(bom.entries.iter().filter(|entry| entry.kind != Kind::Package))
            .map(|entry| async move { (entry, self.entry(entry, &bom.entries).await) })
            .buffer_unordered(AT_ONCE);
        while let Some((entry, outcome)) = resolved.next().await {
            match outcome {
                Ok((locked, images)) => {
                    entries.push(locked);
                    found.extend(images.into_iter().map(|image| (image, entry.reasons.clone())));
                }
                Err(error) => {
                    problems.push(Unresolved { name: entry.name.clone(), wanted: wanted(&entry.reasons), error });
                }
            }
        }
        drop(resolved);
        self.add_found(found, &mut entries, &mut problems).await;
        entries.extend(self.packages(&bom.entries, &mut problems).await);
        if !problems.is_empty() {
            problems.sort_by(|a, b| a.name.cmp(&b.name));
            return Err(problems);
        }
        entries.sort_by(|a, b| (a.kind, &a.name, &a.os, &a.arch).cmp(&(b.kind, &b.name, &b.os, &b.arch)));
        Ok(Lock { version: VERSION, cluster: bom.cluster.clone(), created, bom: bom.digest(), entries })
    }

    async fn entry(&self, entry: &Entry, all: &[Entry]) -> Result<(Locked, Vec<Found>), ResolveError> {
        match entry.kind {
            Kind::Image => Ok((self.image(entry).await?, vec![])),
            Kind::Binary => Ok((self.file(entry).await?, vec![])),
            Kind::Manifest => self.manifest(entry).await,
            Kind::Chart => self.chart(entry, all).await,
            // Packages are resolved together, after everything else.
            Kind::Package => Err(ResolveError::Upstream("a package alone cannot be locked".to_owned())),
        }
    }

    /// Images from manifests and charts: those that are there already learn where they were found, the others are resolved.
    async fn add_found(
        &self,
        found: Vec<(Found, Vec<Reason>)>,
        entries: &mut Vec<Locked>,
        problems: &mut Vec<Unresolved>,
    ) {
        let mut images: BTreeMap<String, (Reference, Vec<String>, Vec<Reason>)> = BTreeMap::new();
        for (image, reasons) in found {
            let entry =
                images.entry(image.reference.to_string()).or_insert_with(|| (image.reference.clone(), vec![], reasons));
            entry.1.extend(image.places);
        }
        let (known, new): (Vec<_>, Vec<_>) =
            images.into_iter().partition(|(name, _)| entries.iter().any(|entry| entry.name == *name));
        for (name, (_, places, _)) in known {
            entries.iter_mut().filter(|entry| entry.name == name).for_each(|entry| entry.found_in.clone_from(&places));
        }
        let mut resolved = stream::iter(new)
            .map(|(name, (reference, places, reasons))| async move {
                let outcome = self.found_image(&reference, places, reasons.clone()).await;
                (name, reasons, outcome)
            })
            .buffer_unordered(AT_ONCE);
        while let Some((name, reasons, outcome)) = resolved.next().await {
            match outcome {
                Ok(locked) => entries.push(locked),
                Err((error, places)) => {
                    let wanted = format!("{}; found in {}", wanted(&reasons), places.join("; "));
                    problems.push(Unresolved { name, wanted, error });
                }
            }
        }
    }
}

fn wanted(reasons: &[Reason]) -> String {
    reasons.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

/// What a lock takes over from the bill of materials.
fn locked(entry: &Entry, proof: kubexm_model::lock::Proof, blob: kubexm_model::lock::Blob) -> Locked {
    Locked {
        kind: entry.kind,
        name: entry.name.clone(),
        version: entry.version.clone(),
        os: entry.os.clone(),
        arch: entry.arch.clone(),
        component: entry.component.clone(),
        licence: entry.licence.clone(),
        source: entry.source.first().cloned().unwrap_or_default(),
        proof,
        blob,
        members: entry.members.clone(),
        platforms: vec![],
        found_in: vec![],
        stanza: None,
        reasons: entry.reasons.clone(),
    }
}

//! From the lock to a full store: everything that the lock names and the store lacks.

use std::collections::{BTreeMap, HashSet};

use futures::stream::{self, StreamExt};
use kubexm_model::bom::Kind;
use kubexm_model::digest::Digest;
use kubexm_model::lock::{Blob, Lock, Locked};

use crate::fetch::{Expected, Fetcher};
use crate::pack::{Arrivals, Have};
use crate::resolve::{ResolveError, Resolver, Unresolved};

/// Downloads at once; each host and the whole have smaller limits of their own.
const AT_ONCE: usize = 64;

/// One blob that is missing, and the entry through which it is fetched.
struct Missing<'a> {
    entry: &'a Locked,
    blob: &'a Blob,
}

/// Brings every blob of the lock into the store but those that the other side has, and announces each; what cannot be fetched
/// is named at the end, all of it.
pub async fn fill(lock: &Lock, have: &Have, resolver: &Resolver, arrivals: &Arrivals) -> Result<(), Vec<Unresolved>> {
    let missing = missing(lock, have, &resolver.fetcher);
    let on_their_way: HashSet<Digest> = missing.iter().map(|missing| missing.blob.digest).collect();
    lock.blobs().filter(|blob| !on_their_way.contains(&blob.digest)).for_each(|blob| arrivals.arrived(blob.digest));
    let mut downloads = stream::iter(missing)
        .map(|missing| async move {
            let outcome = one(&missing, resolver).await;
            if outcome.is_ok() {
                arrivals.arrived(missing.blob.digest);
            }
            (missing.entry, outcome)
        })
        .buffer_unordered(AT_ONCE);
    let mut problems: BTreeMap<&str, Unresolved> = BTreeMap::new();
    while let Some((entry, outcome)) = downloads.next().await {
        if let Err(error) = outcome {
            let wanted = entry.reasons.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
            problems.insert(&entry.name, Unresolved { name: entry.name.clone(), wanted, error });
        }
    }
    if problems.is_empty() { Ok(()) } else { Err(problems.into_values().collect()) }
}

/// Every blob once, the largest first: what takes longest must not begin last.
fn missing<'a>(lock: &'a Lock, have: &Have, fetcher: &Fetcher) -> Vec<Missing<'a>> {
    let mut wanted: BTreeMap<Digest, Missing<'a>> = BTreeMap::new();
    for entry in &lock.entries {
        for blob in entry.blobs() {
            if !have.blobs.contains(&blob.digest) && fetcher.cache().size(&blob.digest) != Some(blob.size) {
                wanted.entry(blob.digest).or_insert(Missing { entry, blob });
            }
        }
    }
    let mut wanted: Vec<_> = wanted.into_values().collect();
    wanted.sort_by_key(|missing| std::cmp::Reverse(missing.blob.size));
    wanted
}

async fn one(missing: &Missing<'_>, resolver: &Resolver) -> Result<(), ResolveError> {
    let Missing { entry, blob } = missing;
    if entry.kind != Kind::Image {
        let expected = Expected { digest: Some(blob.digest), size: Some(blob.size) };
        let address = match entry.kind {
            Kind::Package => resolver.package_address(&entry.source),
            _ => resolver.address(&entry.source),
        };
        resolver.fetcher.file(&entry.name, &address, expected).await?;
        return Ok(());
    }
    let name = entry.name.parse().map_err(|error| ResolveError::Upstream(format!("{error}")))?;
    let source = resolver.image_source(&name)?;
    let is_manifest =
        entry.blob.digest == blob.digest || entry.platforms.iter().any(|image| image.manifest.digest == blob.digest);
    if is_manifest {
        resolver.fetcher.manifest(&source, Some(blob.digest)).await?;
        return Ok(());
    }
    Ok(resolver.fetcher.blob(&entry.name, &source, blob).await?)
}

//! The keys of many machines, for a person to compare. Nothing is trusted by being seen: [`accept`] writes down what a
//! person agreed to.

use std::path::Path;
use std::sync::Arc;

use futures::StreamExt;
use jiff::Timestamp;
use russh::keys::PublicKey;

use super::fingerprint;
use super::policy::{HostKeys, Refusal, Target};
use super::record::{Accepted, RecordError, record};
use crate::node::ssh::{ConnectError, Options, Route, SshLine};

/// What a machine showed.
#[derive(Debug)]
pub struct Scanned {
    /// The node's name.
    pub node: String,
    /// Where it is.
    pub target: Target,
    /// Its keys, or why none was seen.
    pub keys: Result<Vec<Shown>, ConnectError>,
}

/// A key that a machine showed.
#[derive(Debug, Clone)]
pub struct Shown {
    /// The key.
    pub key: PublicKey,
    /// As people compare it.
    pub fingerprint: String,
    /// What is known about it.
    pub standing: Standing,
}

/// What is known about a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing {
    /// It is trusted.
    Trusted,
    /// Nobody has said anything about the machine.
    New,
    /// The machine is trusted by another of its keys, and this one is not needed.
    Other,
    /// It contradicts what is known, and is never accepted by a scan.
    Refused(Refusal),
}

/// The keys of all nodes, so many asked at once; in the order of the nodes. Nobody logs in but at jump hosts.
pub async fn scan(
    routes: &[(String, Route)],
    host_keys: &Arc<HostKeys>,
    options: &Options,
    at_once: usize,
) -> Vec<Scanned> {
    let asking = routes.iter().map(|(node, route)| async move {
        let target = route.target.as_target();
        let line = SshLine::new(route.clone(), Arc::clone(host_keys), options.clone());
        let keys = line.host_keys().await;
        let keys = keys.map(|keys| judged(host_keys, &target, keys));
        Scanned { node: node.clone(), target, keys }
    });
    futures::stream::iter(asking).buffered(at_once.max(1)).collect().await
}

fn judged(host_keys: &HostKeys, target: &Target, keys: Vec<PublicKey>) -> Vec<Shown> {
    let mut all: Vec<Shown> = keys.into_iter().map(|key| shown(host_keys, target, key)).collect();
    if all.iter().any(|shown| shown.standing == Standing::Trusted) {
        for shown in &mut all {
            if matches!(shown.standing, Standing::New | Standing::Refused(Refusal::Changed { .. })) {
                shown.standing = Standing::Other;
            }
        }
    }
    all
}

fn shown(host_keys: &HostKeys, target: &Target, key: PublicKey) -> Shown {
    let standing = match host_keys.judge(target, &key) {
        Ok(()) => Standing::Trusted,
        Err(Refusal::Unknown { .. }) => Standing::New,
        Err(refusal) => Standing::Refused(refusal),
    };
    Shown { fingerprint: fingerprint(&key), key, standing }
}

/// Writes down the new keys of machines about which nothing contradicts them; how many.
pub fn accept(scanned: &[Scanned], by: &str, at: Timestamp, file: &Path) -> Result<usize, RecordError> {
    let mut accepted = vec![];
    for machine in scanned {
        let Ok(keys) = &machine.keys else { continue };
        if keys.iter().any(|shown| matches!(shown.standing, Standing::Refused(_))) {
            continue;
        }
        let new = keys.iter().filter(|shown| shown.standing == Standing::New);
        accepted.extend(new.map(|shown| Accepted { target: &machine.target, key: &shown.key, by, at }));
    }
    if !accepted.is_empty() {
        record(file, &accepted)?;
    }
    Ok(accepted.len())
}

//! What the page is about: a lock as plain numbers, with every byte counted once.

use std::collections::{BTreeMap, BTreeSet};

use kubexm_model::bom::Kind;
use kubexm_model::bundle::{Encoding, Index, Statement};
use kubexm_model::digest::Digest;
use kubexm_model::lock::{Blob, Lock, Locked, Proof};
use serde::Serialize;

use super::number::sum;

/// What a bundle holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Contents {
    /// What was signed: cluster, channel, sequence, dates, digests.
    pub statement: Statement,
    /// The fingerprints of the keys that signed it; none: it is not signed.
    pub keys: Vec<String>,
    /// The bytes of all blobs, each counted once.
    pub size: u64,
    /// The entries, in the order of the lock.
    pub items: Vec<Item>,
    /// What several entries have in common.
    pub shared: Vec<Shared>,
}

/// An entry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Item {
    /// What kind of thing it is.
    pub kind: Kind,
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: Option<String>,
    /// The operating system it is for.
    pub os: Option<String>,
    /// The architectures it is for.
    pub arch: Vec<String>,
    /// All its bytes.
    pub size: u64,
    /// The bytes that nothing else needs: what the bundle would be smaller without it.
    pub alone: u64,
    /// Its digest.
    pub digest: Digest,
    /// Its address upstream.
    pub source: String,
    /// Its licence, where known.
    pub licence: Option<String>,
    /// Who vouches for its digest.
    pub proof: Proof,
    /// Why it is wanted.
    pub why: Vec<String>,
}

/// Blobs that the same entries have in common.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Shared {
    /// The kind of the first of the entries.
    pub kind: Kind,
    /// The operating system of the first of the entries.
    pub os: Option<String>,
    /// Which entries: their places in the list.
    pub users: Vec<usize>,
    /// How many blobs.
    pub blobs: usize,
    /// Their bytes.
    pub size: u64,
}

impl Contents {
    /// With the sizes that the lock has: of the things themselves.
    pub fn of(lock: &Lock, statement: &Statement, keys: &[String]) -> Self {
        Self::weighed(lock, statement, keys, |blob| blob.size)
    }

    /// With the sizes that things take in the bundle, some of them compressed. What the index does not have (the bundle is a
    /// part, or builds on another one) weighs nothing.
    pub fn of_bundle(lock: &Lock, statement: &Statement, keys: &[String], index: &Index) -> Self {
        let weights: BTreeMap<Digest, u64> = index
            .members
            .iter()
            .map(|member| match &member.encoding {
                Encoding::Stored => (member.digest, member.size),
                Encoding::Zstd(frames) => (member.digest, sum(frames.iter().map(|frame| u64::from(frame.length)))),
            })
            .collect();
        Self::weighed(lock, statement, keys, |blob| weights.get(&blob.digest).copied().unwrap_or(0))
    }

    /// The names of the entries that share these blobs.
    pub fn users(&self, shared: &Shared) -> Vec<&str> {
        shared.users.iter().filter_map(|user| self.items.get(*user)).map(|item| item.name.as_str()).collect()
    }

    fn weighed(lock: &Lock, statement: &Statement, keys: &[String], weigh: impl Fn(&Blob) -> u64) -> Self {
        let mut users: BTreeMap<Digest, (u64, Vec<usize>)> = BTreeMap::new();
        for (number, entry) in lock.entries.iter().enumerate() {
            for blob in entry.blobs() {
                let (_, users) = users.entry(blob.digest).or_insert_with(|| (weigh(blob), vec![]));
                if users.last() != Some(&number) {
                    users.push(number);
                }
            }
        }
        let mut items: Vec<Item> = lock.entries.iter().map(item).collect();
        let mut shared: BTreeMap<Vec<usize>, (usize, u64)> = BTreeMap::new();
        for (size, users) in users.values() {
            for user in users {
                items[*user].size = items[*user].size.saturating_add(*size);
            }
            match users.as_slice() {
                [only] => items[*only].alone = items[*only].alone.saturating_add(*size),
                several => {
                    let total = shared.entry(several.to_vec()).or_default();
                    *total = (total.0 + 1, total.1.saturating_add(*size));
                }
            }
        }
        let shared = shared.into_iter().map(|(users, (blobs, size))| {
            let first = users.first().map(|user| &lock.entries[*user]);
            Shared { kind: first.map_or(Kind::Binary, |e| e.kind), os: first.and_then(os), users, blobs, size }
        });
        Self {
            statement: statement.clone(),
            keys: keys.to_vec(),
            size: sum(users.values().map(|(size, _)| *size)),
            items,
            shared: shared.collect(),
        }
    }
}

fn os(entry: &Locked) -> Option<String> {
    entry.os.clone()
}

fn item(entry: &Locked) -> Item {
    let why: BTreeSet<String> = entry.reasons.iter().map(ToString::to_string).collect();
    Item {
        kind: entry.kind,
        name: entry.name.clone(),
        version: entry.version.clone(),
        os: os(entry),
        arch: entry.arch.iter().map(|arch| arch.as_str().to_owned()).collect(),
        size: 0,
        alone: 0,
        digest: entry.blob.digest,
        source: entry.source.clone(),
        licence: entry.licence.clone(),
        proof: entry.proof,
        why: why.into_iter().chain(entry.found_in.iter().map(|place| format!("found in {place}"))).collect(),
    }
}

impl Item {
    /// What it is for: `debian 12/amd64`.
    pub fn platform(&self) -> String {
        let words = [self.os.clone().unwrap_or_default(), self.arch.join(", ")];
        match words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join("/") {
            none if none.is_empty() => "any".to_owned(),
            platform => platform,
        }
    }
}

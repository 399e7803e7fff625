//! What changed between two bundles.

use std::collections::BTreeMap;

use kubexm_model::bom::Kind;
use serde::Serialize;

use super::contents::{Contents, Item};

/// What changed between two bundles.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Changes {
    /// The bytes of the other bundle.
    pub before: u64,
    /// The bytes of this one.
    pub after: u64,
    /// How many entries are in both, byte for byte.
    pub same: usize,
    /// Every entry that is not, the heaviest changes first.
    pub changes: Vec<Change>,
}

/// An entry that changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Change {
    /// In which way.
    pub how: How,
    /// Its place in the other bundle.
    pub before: Option<usize>,
    /// Its place in this one.
    pub after: Option<usize>,
    /// Its bytes in the other bundle.
    pub from: u64,
    /// Its bytes in this one.
    pub to: u64,
}

/// In which way an entry changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum How {
    /// It is new.
    Added,
    /// It is gone.
    Removed,
    /// It has other bytes, and more of them.
    Grown,
    /// It has other bytes, and fewer.
    Shrunk,
    /// It has other bytes, and as many.
    Changed,
}

impl Changes {
    /// What changed from one bundle to the next.
    pub fn between(before: &Contents, after: &Contents) -> Self {
        let mut changes: Vec<Change> = vec![];
        let mut same = 0;
        for (old, new) in pairs(&before.items, &after.items) {
            let (from, to) = (old.map(|at| &before.items[at]), new.map(|at| &after.items[at]));
            let how = match (from, to) {
                (Some(from), Some(to)) if from.digest == to.digest && from.size == to.size => {
                    same += 1;
                    continue;
                }
                (None, _) => How::Added,
                (_, None) => How::Removed,
                (Some(from), Some(to)) if to.size > from.size => How::Grown,
                (Some(from), Some(to)) if to.size < from.size => How::Shrunk,
                _ => How::Changed,
            };
            let size = |item: Option<&Item>| item.map_or(0, |item| item.size);
            changes.push(Change { how, before: old, after: new, from: size(from), to: size(to) });
        }
        changes.sort_by_key(|c| (std::cmp::Reverse(c.from.abs_diff(c.to)), c.how, c.after, c.before));
        Self { before: before.size, after: after.size, same, changes }
    }
}

/// Which entry became which: first those whose name, version and platform agree, then those where the version changed.
fn pairs(before: &[Item], after: &[Item]) -> Vec<(Option<usize>, Option<usize>)> {
    let mut pairs = vec![];
    let (mut old, mut new): (Vec<usize>, Vec<usize>) = ((0..before.len()).collect(), (0..after.len()).collect());
    for key in [exact, versionless] {
        let mut waiting: BTreeMap<Key, Vec<usize>> = BTreeMap::new();
        for at in old.drain(..).rev() {
            waiting.entry(key(&before[at])).or_default().push(at);
        }
        new.retain(|at| {
            let found = waiting.get_mut(&key(&after[*at])).and_then(Vec::pop);
            pairs.extend(found.map(|old| (Some(old), Some(*at))));
            found.is_none()
        });
        old = waiting.into_values().flatten().collect();
        old.sort_unstable();
    }
    pairs.extend(old.into_iter().map(|at| (Some(at), None)));
    pairs.extend(new.into_iter().map(|at| (None, Some(at))));
    pairs
}

type Key = (Kind, String, Option<String>, String);

fn exact(item: &Item) -> Key {
    (item.kind, item.name.clone(), item.version.clone(), place(item))
}

/// An image has its version in its name.
fn versionless(item: &Item) -> Key {
    let version = item.version.as_deref().unwrap_or_default();
    let stem = item.name.strip_suffix(version).unwrap_or(&item.name).trim_end_matches(':');
    (item.kind, stem.to_owned(), None, place(item))
}

/// An image stays the same image when it gets another platform; a file for another platform is another file.
fn place(item: &Item) -> String {
    if item.kind == Kind::Image { String::new() } else { item.platform() }
}

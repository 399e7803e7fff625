//! Finds packages by their names and by what they provide.

use std::collections::HashMap;
use std::sync::OnceLock;

use super::packages::{Pool, StanzaId};
use super::relation::{Operator, Relation, groups};

/// A name that a package provides beside its own.
#[derive(Debug, Clone, Copy)]
pub struct Provided<'a> {
    /// The name.
    pub name: &'a str,
    /// For one architecture only, or for `any`.
    pub architecture: Option<&'a str>,
    /// The version, where it says one.
    pub version: Option<&'a str>,
    /// Who provides it.
    pub by: StanzaId,
}

impl Provided<'_> {
    /// Whether its version will do; one without a version fits only a relation without one.
    pub fn fits(&self, relation: &Relation<'_>) -> bool {
        relation.version.is_none() || self.version.is_some_and(|version| relation.fits(version))
    }
}

/// The packages of a pool that are for some architectures, by name.
#[derive(Debug)]
pub struct Lookup<'a> {
    pool: &'a Pool,
    by_name: Vec<StanzaId>,
    provided: Vec<Provided<'a>>,
    mentions: OnceLock<HashMap<String, u32>>,
}

impl<'a> Lookup<'a> {
    /// Sorts the packages of a pool. Of several with the same name, version and architecture the first one counts.
    pub fn new(pool: &'a Pool, architectures: &[String]) -> Self {
        let serves = |id: &StanzaId| {
            let architecture = pool.architecture(*id);
            architecture == "all" || architectures.iter().any(|one| one == architecture)
        };
        let mut by_name: Vec<StanzaId> = pool.ids().filter(serves).collect();
        let key = |id: StanzaId| (pool.name(id), pool.version(id), pool.architecture(id));
        by_name.sort_unstable_by(|a, b| key(*a).cmp(&key(*b)).then(a.cmp(b)));
        by_name.dedup_by(|b, a| key(*a) == key(*b));
        let mut provided: Vec<Provided<'a>> = by_name.iter().flat_map(|id| provides(pool.provides(*id), *id)).collect();
        provided.sort_by(|a, b| a.name.cmp(b.name).then(a.by.cmp(&b.by)));
        Self { pool, by_name, provided, mentions: OnceLock::new() }
    }

    /// The packages that have this name.
    pub fn named(&self, name: &str) -> &[StanzaId] {
        let start = self.by_name.partition_point(|id| self.pool.name(*id) < name);
        let length = self.by_name[start..].partition_point(|id| self.pool.name(*id) == name);
        &self.by_name[start..start + length]
    }

    /// The packages that provide this name.
    pub fn providing(&self, name: &str) -> &[Provided<'a>] {
        let start = self.provided.partition_point(|one| one.name < name);
        let length = self.provided[start..].partition_point(|one| one.name == name);
        &self.provided[start..start + length]
    }

    /// How early a name is mentioned in the indexes: where nothing else decides between providers, apt takes the one that it
    /// came across last. Only ties ask, so it is counted when the first one does.
    pub fn first_mention(&self, name: &str) -> u32 {
        let mentions = self.mentions.get_or_init(|| mentions(self.pool));
        mentions.get(name).copied().unwrap_or(u32::MAX)
    }
}

/// The names in a field Provides. Other operators than `=` mean nothing there.
pub fn provides(field: &str, by: StanzaId) -> impl Iterator<Item = Provided<'_>> {
    groups(field).flat_map(|(_, names)| names).filter_map(move |one| {
        let version = match one.version {
            None => None,
            Some((Operator::Equal, version)) => Some(version),
            Some(_) => return None,
        };
        Some(Provided { name: one.name, architecture: one.architecture, version, by })
    })
}

const RELATIONS: [&str; 9] =
    ["Pre-Depends", "Depends", "Conflicts", "Breaks", "Recommends", "Suggests", "Replaces", "Enhances", "Provides"];

/// Names in the order in which a reader of the indexes comes across them: a package, then what its fields name.
fn mentions(pool: &Pool) -> HashMap<String, u32> {
    let mut found: HashMap<String, u32> = HashMap::new();
    let mut note = |name: &str| {
        if !found.contains_key(name) {
            found.insert(name.to_owned(), u32::try_from(found.len()).unwrap_or(u32::MAX));
        }
    };
    for id in pool.ids() {
        note(pool.name(id));
        for field in RELATIONS {
            for (_, alternatives) in pool.plain_field(id, field).into_iter().flat_map(groups) {
                alternatives.iter().filter(|one| one.architecture.is_none()).for_each(|one| note(one.name));
            }
        }
    }
    found
}

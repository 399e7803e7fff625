//! Packages in slots and the rules between them.

use std::collections::HashMap;

/// A package in a [`Universe`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PackageId(pub(crate) u32);

impl PackageId {
    /// Its place in the order in which packages were added: an index for the family's own tables.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A rule that holds when the package it belongs to is chosen.
#[derive(Debug, Clone)]
pub enum Rule {
    /// One of `any_of` must be chosen too, if every one of the groups in `when` has a chosen member.
    Needs {
        /// The candidates, the preferred one first. Empty: the rule can never be kept, and the package cannot be chosen.
        any_of: Vec<PackageId>,
        /// Conditions, each "one of these is chosen"; empty means always.
        when: Vec<Vec<PackageId>>,
        /// The dependency as its author wrote it, for explanations: `libc6 (>= 2.36)`.
        words: String,
    },
    /// None of these may be chosen beside it.
    Excludes {
        /// What cannot stand beside it. The package itself has no effect here.
        any: Vec<PackageId>,
        /// The rule as its author wrote it: `Breaks: foo (<< 2)`.
        words: String,
    },
}

#[derive(Debug)]
struct Package {
    slot: u32,
    version: String,
    rules: Vec<Rule>,
    last_resort: bool,
}

/// Packages in slots and the rules between them.
#[derive(Debug, Default)]
pub struct Universe {
    packages: Vec<Package>,
    slots: Vec<Slot>,
    slot_by_name: HashMap<String, u32>,
}

#[derive(Debug)]
struct Slot {
    name: String,
    packages: Vec<PackageId>,
}

impl Universe {
    /// Adds a package. Its slot and its version are its name in explanations.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "readers of indexes stop long before four thousand million packages"
    )]
    pub fn add(&mut self, slot: &str, version: &str) -> PackageId {
        let id = PackageId(self.packages.len() as u32);
        let slot = match self.slot_by_name.get(slot) {
            Some(known) => *known,
            None => {
                let new = self.slots.len() as u32;
                self.slots.push(Slot { name: slot.to_owned(), packages: Vec::new() });
                self.slot_by_name.insert(slot.to_owned(), new);
                new
            }
        };
        self.slots[slot as usize].packages.push(id);
        self.packages.push(Package { slot, version: version.to_owned(), rules: Vec::new(), last_resort: false });
        id
    }

    /// Adds a rule of a package.
    pub fn rule(&mut self, of: PackageId, rule: Rule) {
        self.packages[of.index()].rules.push(rule);
    }

    /// Marks a package that is taken only where no walk succeeds: a version that the package manager would not look at.
    pub fn last_resort(&mut self, id: PackageId) {
        self.packages[id.index()].last_resort = true;
    }

    /// How many packages there are.
    pub fn len(&self) -> usize {
        self.packages.len()
    }

    /// Whether there is no package at all.
    pub fn is_empty(&self) -> bool {
        self.packages.is_empty()
    }

    /// Every package, in the order of adding.
    pub fn ids(&self) -> impl Iterator<Item = PackageId> {
        (0..u32::try_from(self.packages.len()).unwrap_or(u32::MAX)).map(PackageId)
    }

    /// The slot of a package.
    pub fn slot(&self, id: PackageId) -> &str {
        &self.slots[self.packages[id.index()].slot as usize].name
    }

    /// The version of a package.
    pub fn version(&self, id: PackageId) -> &str {
        &self.packages[id.index()].version
    }

    /// Slot and version: how a package is named to people.
    pub fn name(&self, id: PackageId) -> String {
        format!("{} {}", self.slot(id), self.version(id))
    }

    /// The rules of a package.
    pub fn rules(&self, id: PackageId) -> &[Rule] {
        &self.packages[id.index()].rules
    }

    pub(super) fn is_last_resort(&self, id: PackageId) -> bool {
        self.packages[id.index()].last_resort
    }

    pub(super) fn slot_number(&self, id: PackageId) -> u32 {
        self.packages[id.index()].slot
    }

    pub(super) fn slot_name(&self, slot: u32) -> &str {
        self.slots.get(slot as usize).map_or("nothing", |slot| &slot.name)
    }

    pub(super) fn in_slot(&self, slot: u32) -> &[PackageId] {
        self.slots.get(slot as usize).map_or(&[], |slot| &slot.packages)
    }

    pub(super) fn slot_count(&self) -> usize {
        self.slots.len()
    }
}

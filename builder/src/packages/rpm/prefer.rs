//! Which of several packages is taken first, as dnf would take it.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap, HashSet};

use super::index::{Index, Kind, Number, Text};
use super::version::{Evr, Sense};

/// What decides between packages.
#[derive(Debug)]
pub struct Preferences<'a> {
    /// The packages.
    pub index: &'a Index,
    /// The priority of each repository: the lowest number goes first.
    pub priorities: &'a [u32],
    /// The names of what the node has.
    pub installed: HashSet<Text>,
    /// Packages that cannot be installed at all.
    pub impossible: HashSet<Number>,
}

impl Preferences<'_> {
    /// Sorts candidates, the preferred one first.
    ///
    /// First stands the best package of each name: from the repository that goes first, the newest of those. Among these,
    /// names that the node has go first, names that another one takes the place of last, and in between those that provide
    /// something common in a higher version, those that are the newest of their name, and the alphabet decide.
    pub fn sort(&self, candidates: &mut [Number]) {
        if candidates.len() < 2 {
            return;
        }
        let best = self.best_of_each_name(candidates);
        let behind = self.behind_in_common(&best);
        candidates.sort_by_cached_key(|number| {
            let package = self.index.package(*number);
            let is_best = best.contains(number);
            let replaced = is_best && self.index.replacements(*number).any(|by| best.contains(&by));
            let among_best = (
                !self.installed.contains(&package.name),
                behind.get(number).copied().unwrap_or(0),
                is_best && self.is_outdated(*number),
                self.index.words(package.name),
            );
            (
                self.impossible.contains(number),
                !is_best,
                self.priority(*number),
                replaced,
                among_best,
                self.age(*number),
            )
        });
    }

    fn best_of_each_name(&self, candidates: &[Number]) -> BTreeSet<Number> {
        let possible = candidates.iter().filter(|number| !self.impossible.contains(number));
        let first = possible.clone().map(|number| self.priority(*number)).min();
        let mut best: HashMap<Text, Number> = HashMap::new();
        for number in possible.filter(|number| Some(self.priority(**number)) == first) {
            let known = best.entry(self.index.package(*number).name).or_insert(*number);
            if self.age(*number) < self.age(*known) {
                *known = *number;
            }
        }
        best.into_values().collect()
    }

    /// For each package in how many things it is behind others: the versions that they provide of the same thing, counted.
    fn behind_in_common(&self, packages: &BTreeSet<Number>) -> HashMap<Number, usize> {
        let mut provided: HashMap<Text, Vec<(Evr<'_>, Number)>> = HashMap::new();
        for number in packages {
            let exact = self.index.relations(*number, Kind::Provides).iter().filter(|one| one.sense == Sense::EQUAL);
            for relation in exact {
                let evr = Evr::parse(self.index.words(relation.evr));
                provided.entry(relation.name).or_default().push((evr, *number));
            }
        }
        let mut behind = HashMap::new();
        for entries in provided.values() {
            let versions: BTreeSet<Evr<'_>> = entries.iter().map(|(evr, _)| *evr).collect();
            for (evr, number) in entries {
                *behind.entry(*number).or_insert(0) += versions.iter().filter(|other| *other > evr).count();
            }
        }
        behind
    }

    /// The newest first; of equal ones the first.
    fn age(&self, number: Number) -> (Reverse<Evr<'_>>, Number) {
        (Reverse(Evr::parse(self.index.words(self.index.package(number).evr))), number)
    }

    fn priority(&self, number: Number) -> u32 {
        self.priorities.get(usize::from(self.index.package(number).repository)).copied().unwrap_or(0)
    }

    /// Whether there is a newer package of the same name and architecture that is no candidate.
    fn is_outdated(&self, number: Number) -> bool {
        let package = self.index.package(number);
        self.index.named(package.name).any(|other| {
            self.index.package(other).arch == package.arch
                && self.priority(other) <= self.priority(number)
                && self.age(other).0 < self.age(number).0
        })
    }
}

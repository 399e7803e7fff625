//! Which of several packages is taken first, as dnf would take it.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use super::index::{Index, Number, Text};
use super::version::Evr;

/// What decides between packages.
#[derive(Debug)]
pub struct Preferences<'a> {
    /// The packages.
    pub index: &'a Index,
    /// The priority of each repository: the lowest number goes first.
    pub priorities: &'a [u32],
    /// The names of what the node has.
    pub installed: HashSet<Text>,
}

impl Preferences<'_> {
    /// Sorts candidates, the preferred one first.
    ///
    /// The best repository before all others; then the newest package of each name, names that the node has first, names that
    /// another one takes the place of last; then older packages in the same way.
    pub fn sort(&self, candidates: &mut [Number]) {
        if candidates.len() < 2 {
            return;
        }
        let mut by_name: HashMap<Text, Vec<Number>> = HashMap::new();
        for number in candidates.iter() {
            by_name.entry(self.index.package(*number).name).or_default().push(*number);
        }
        let mut rank: HashMap<Number, usize> = HashMap::new();
        for group in by_name.values_mut() {
            group.sort_by(|left, right| self.newer_first(*left, *right));
            rank.extend(group.iter().enumerate().map(|(place, number)| (*number, place)));
        }
        let best: Vec<Number> = by_name.values().map(|group| group[0]).collect();
        candidates.sort_by_cached_key(|number| {
            let package = self.index.package(*number);
            let replaced = self.index.replacements(*number).any(|by| best.contains(&by));
            (
                self.priority(*number),
                rank[number] > 0,
                replaced,
                !self.installed.contains(&package.name),
                self.is_outdated(*number),
                self.index.words(package.name).to_owned(),
                rank[number],
            )
        });
    }

    fn newer_first(&self, left: Number, right: Number) -> std::cmp::Ordering {
        let key = |number: Number| {
            (self.priority(number), Reverse(Evr::parse(self.index.words(self.index.package(number).evr))), number)
        };
        key(left).cmp(&key(right))
    }

    fn priority(&self, number: Number) -> u32 {
        self.priorities.get(usize::from(self.index.package(number).repository)).copied().unwrap_or(0)
    }

    /// Whether there is a newer package of the same name that is no candidate.
    fn is_outdated(&self, number: Number) -> bool {
        let package = self.index.package(number);
        let own = Evr::parse(self.index.words(package.evr));
        self.index.named(package.name).any(|other| {
            self.priority(other) <= self.priority(number)
                && Evr::parse(self.index.words(self.index.package(other).evr)) > own
        })
    }
}

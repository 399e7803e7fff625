//! The answer: what is chosen, and why.

use std::collections::{BTreeMap, BTreeSet};

use super::{PackageId, Request, Rule, Universe};

/// Why a package is in the answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// The node has it already.
    Installed,
    /// It takes the place of an older one that the node has.
    Replaces {
        /// What the node has.
        older: PackageId,
    },
    /// It was asked for.
    Wanted {
        /// The request as it was written.
        words: String,
    },
    /// Another package needs it.
    Needed {
        /// Who needs it.
        by: PackageId,
        /// The dependency as its author wrote it.
        words: String,
    },
}

/// Every chosen package with the first reason that was found for it.
#[derive(Debug, Default)]
pub struct Plan {
    /// Package to reason, in the order in which packages were added to the universe.
    pub chosen: BTreeMap<PackageId, Reason>,
}

impl Plan {
    /// What is chosen and not on the node yet.
    pub fn new_packages(&self) -> impl Iterator<Item = (PackageId, &Reason)> {
        self.chosen.iter().filter(|(_, reason)| **reason != Reason::Installed).map(|(id, reason)| (*id, reason))
    }
}

/// How much of what was chosen is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Keep {
    /// One answer to each need.
    One,
    /// Every answer to each need.
    Every,
}

/// Goes from what must be there over what that needs. What no rule leads to is left out.
pub(super) fn with_reasons(universe: &Universe, request: &Request, chosen: &BTreeSet<PackageId>) -> Plan {
    made_of(universe, request, chosen, Keep::One)
}

/// The same, but where several chosen packages answer one need all of them stay, as apt does it.
pub(super) fn with_every_answer(universe: &Universe, request: &Request, chosen: &BTreeSet<PackageId>) -> Plan {
    made_of(universe, request, chosen, Keep::Every)
}

fn made_of(universe: &Universe, request: &Request, chosen: &BTreeSet<PackageId>, keep: Keep) -> Plan {
    let mut walk = Walk { universe, request, chosen, keep, found: BTreeMap::new(), order: Vec::new() };
    for installed in &request.installed {
        if chosen.contains(&installed.package) {
            walk.add(installed.package, || Reason::Installed);
        } else {
            walk.first(&installed.or, || Reason::Replaces { older: installed.package });
        }
    }
    walk.wanted(keep == Keep::One);
    walk.finish();
    Plan { chosen: walk.found }
}

struct Walk<'a> {
    universe: &'a Universe,
    request: &'a Request,
    chosen: &'a BTreeSet<PackageId>,
    keep: Keep,
    found: BTreeMap<PackageId, Reason>,
    order: Vec<PackageId>,
}

impl Walk<'_> {
    fn add(&mut self, id: PackageId, reason: impl FnOnce() -> Reason) {
        if self.chosen.contains(&id) && !self.found.contains_key(&id) {
            self.found.insert(id, reason());
            self.order.push(id);
        }
    }

    /// Adds the preferred one of those that are chosen, unless one of them is there already.
    fn first(&mut self, any_of: &[PackageId], reason: impl FnOnce() -> Reason) {
        if any_of.iter().any(|one| self.found.contains_key(one)) {
            return;
        }
        if let Some(id) = any_of.iter().copied().find(|one| self.chosen.contains(one)) {
            self.add(id, reason);
        }
    }

    /// Adds what is asked for.
    fn wanted(&mut self, only_forced: bool) {
        for wanted in &self.request.wanted {
            if self.answers(&wanted.any_of) == 1 || !only_forced {
                self.first(&wanted.any_of, || Reason::Wanted { words: wanted.words.clone() });
            }
        }
    }

    /// How many of several packages are chosen.
    fn answers(&self, any_of: &[PackageId]) -> usize {
        any_of.iter().filter(|one| self.chosen.contains(one)).count()
    }

    /// First what has one possible answer, then where one of several chosen packages will do; until nothing is new.
    fn finish(&mut self) {
        loop {
            let before = self.order.len();
            let mut next = 0;
            while next < self.order.len() {
                self.visit(self.order[next], true);
                next += 1;
            }
            self.wanted(false);
            for position in 0..self.order.len() {
                self.visit(self.order[position], false);
            }
            if self.order.len() == before {
                return;
            }
        }
    }

    fn visit(&mut self, id: PackageId, only_forced: bool) {
        let universe = self.universe;
        for rule in universe.rules(id) {
            let Rule::Needs { any_of, when, words } = rule else { continue };
            let holds = when.iter().all(|group| group.iter().any(|one| self.found.contains_key(one)));
            let reason = || Reason::Needed { by: id, words: words.clone() };
            if holds && self.keep == Keep::Every {
                for one in any_of {
                    self.add(*one, reason);
                }
            } else if holds && (self.answers(any_of) == 1 || !only_forced) {
                self.first(any_of, reason);
            }
        }
    }
}

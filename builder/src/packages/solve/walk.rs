//! The first try: from each wanted package downwards, the preferred candidate that can stand beside what is chosen already.
//!
//! Package managers walk like this, and where the walk succeeds its answer is the one that people know from them: what came
//! first decides what an alternative means later. It is no search: where it ends in a conflict, the complete search begins
//! anew.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::{PackageId, Request, Rule, Universe};

/// Deeper chains than this are left to the search, which does not recurse.
const MOST_DEEP: usize = 1000;
/// How often what an upgrade broke is looked at again.
const MOST_REPAIRS: usize = 20;

/// A choice that keeps every rule, if walking finds one.
pub(super) fn walk(universe: &Universe, request: &Request) -> Option<BTreeSet<PackageId>> {
    let mut walk = Walk::new(universe, request);
    for installed in &request.installed {
        walk.choose(installed.package);
    }
    // Everything that is wanted is chosen before anything that it needs: an alternative may be among it.
    let mut roots = Vec::new();
    for wanted in &request.wanted {
        if wanted.any_of.iter().any(|id| walk.is_chosen(*id)) {
            continue;
        }
        let root = wanted.any_of.iter().copied().find(|id| walk.has_room(*id))?;
        walk.choose(root);
        walk.held.insert(root);
        roots.push(root);
    }
    for root in roots {
        if !walk.needs(root, 0) {
            return None;
        }
    }
    walk.repair().then(|| walk.slots.into_values().collect())
}

struct Walk<'a> {
    universe: &'a Universe,
    slots: HashMap<u32, PackageId>,
    /// What may take the place of an installed package.
    newer: HashMap<PackageId, &'a [PackageId]>,
    /// Who does not want it beside itself.
    excluded_by: HashMap<PackageId, Vec<PackageId>>,
    /// What is wanted, and what is being installed right now: it gives way to nothing.
    held: HashSet<PackageId>,
}

impl<'a> Walk<'a> {
    fn new(universe: &'a Universe, request: &'a Request) -> Self {
        let mut excluded_by: HashMap<PackageId, Vec<PackageId>> = HashMap::new();
        for id in universe.ids() {
            for rule in universe.rules(id) {
                let Rule::Excludes { any, .. } = rule else { continue };
                for one in any {
                    excluded_by.entry(*one).or_default().push(id);
                }
            }
        }
        let newer = request.installed.iter().map(|one| (one.package, one.or.as_slice())).collect();
        Self { universe, slots: HashMap::new(), newer, excluded_by, held: HashSet::new() }
    }

    fn choose(&mut self, id: PackageId) -> Option<PackageId> {
        self.slots.insert(self.universe.slot_number(id), id)
    }

    fn is_chosen(&self, id: PackageId) -> bool {
        self.slots.get(&self.universe.slot_number(id)) == Some(&id)
    }

    /// Whether its slot is free, or held by an installed package that it may follow.
    fn has_room(&self, id: PackageId) -> bool {
        if self.universe.is_last_resort(id) {
            return false;
        }
        match self.slots.get(&self.universe.slot_number(id)) {
            None => true,
            Some(other) => self.newer.get(other).is_some_and(|newer| newer.contains(&id)),
        }
    }

    /// Chooses a package and what it needs. What was chosen on a way that failed stays, as long as something uses it.
    fn install(&mut self, id: PackageId, depth: usize) -> bool {
        if self.is_chosen(id) {
            return true;
        }
        if depth > MOST_DEEP || !self.has_room(id) || !self.make_way(id, depth) {
            return false;
        }
        let before = self.choose(id);
        let new = self.held.insert(id);
        let complete = self.needs(id, depth);
        if new {
            self.held.remove(&id);
        }
        if complete {
            return true;
        }
        match before {
            Some(before) => self.choose(before),
            None => self.slots.remove(&self.universe.slot_number(id)),
        };
        false
    }

    fn needs(&mut self, id: PackageId, depth: usize) -> bool {
        let universe = self.universe;
        universe.rules(id).iter().all(|rule| match rule {
            Rule::Needs { any_of, when, .. } => {
                let asked = when.iter().all(|group| group.iter().any(|one| self.is_chosen(*one)));
                let answered = |walk: &Self| any_of.iter().any(|one| walk.is_chosen(*one));
                // What a way that failed has left behind may be the answer.
                !asked || answered(self) || any_of.iter().any(|one| self.install(*one, depth + 1) || answered(self))
            }
            Rule::Excludes { .. } => true,
        })
    }

    /// Nothing chosen may be in its way. What is installed may be followed by something newer that is not; what was chosen for
    /// another package gives way to who names it, and that package looks for another answer in the end.
    fn make_way(&mut self, id: PackageId, depth: usize) -> bool {
        let universe = self.universe;
        let slot = universe.slot_number(id);
        let named = universe.rules(id).iter().flat_map(|rule| match rule {
            Rule::Excludes { any, .. } => any.as_slice(),
            Rule::Needs { .. } => &[],
        });
        let by_others = self.excluded_by.get(&id).cloned().unwrap_or_default();
        let in_the_way: Vec<(PackageId, bool)> = named
            .map(|one| (*one, true))
            .chain(by_others.into_iter().map(|one| (one, false)))
            .filter(|(one, _)| universe.slot_number(*one) != slot && self.is_chosen(*one))
            .collect();
        in_the_way.into_iter().all(|(one, named)| match self.newer.get(&one).copied() {
            Some(newer) => newer.iter().any(|newer| !self.excludes(id, *newer) && self.install(*newer, depth + 1)),
            None if named && !self.held.contains(&one) => self.slots.remove(&universe.slot_number(one)).is_some(),
            None => !self.is_chosen(one),
        })
    }

    fn excludes(&self, one: PackageId, other: PackageId) -> bool {
        let names = |from: PackageId, to: PackageId| {
            let rules = self.universe.rules(from).iter();
            rules
                .filter_map(|rule| if let Rule::Excludes { any, .. } = rule { Some(any) } else { None })
                .any(|any| any.contains(&to))
        };
        names(one, other) || names(other, one)
    }

    /// Looks at every rule; an installed package that no longer fits is followed by a newer one.
    fn repair(&mut self) -> bool {
        for _ in 0..MOST_REPAIRS {
            let mut chosen: Vec<PackageId> = self.slots.values().copied().collect();
            chosen.sort_unstable();
            let broken: Vec<PackageId> = chosen.into_iter().filter(|id| !self.holds(*id)).collect();
            if broken.is_empty() {
                return true;
            }
            for id in broken {
                let newer = self.newer.get(&id).copied().unwrap_or_default();
                let fixed = self.needs(id, 0) && self.holds(id) || newer.iter().any(|one| self.install(*one, 0));
                if !fixed {
                    return false;
                }
            }
        }
        false
    }

    fn holds(&self, id: PackageId) -> bool {
        self.universe.rules(id).iter().all(|rule| match rule {
            Rule::Needs { any_of, when, .. } => {
                any_of.iter().any(|one| self.is_chosen(*one))
                    || !when.iter().all(|group| group.iter().any(|one| self.is_chosen(*one)))
            }
            Rule::Excludes { any, .. } => any.iter().all(|one| *one == id || !self.is_chosen(*one)),
        })
    }
}

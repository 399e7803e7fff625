//! A [`Universe`] in the terms of `resolvo`: names are slots, solvables are packages.
//!
//! Two things have no counterpart there. A condition ("if one of these is chosen") becomes a marker, a solvable in a slot of
//! its own that every package of the condition needs: resolvo would read a condition on some packages of a slot as
//! "or another one of that slot", which is not what a dependency means. A need that nothing can satisfy points at an
//! empty slot.
//!
//! resolvo now and then forgets a condition that began to hold late. Such a rule is named to us as firm, and becomes a
//! choice without a condition: the need is met, or a group of the condition stays empty.

use std::collections::{BTreeSet, HashMap};
use std::fmt::Display;

use resolvo::{
    Candidates, Condition, ConditionId, ConditionalRequirement, Dependencies, DependencyProvider,
    HintDependenciesAvailable, Interner, KnownDependencies, LogicalOperator, NameId, Requirement, SolvableId,
    SolverCache, StringId, VersionSetId, VersionSetUnionId,
};

use super::{PackageId, Rule, Universe};

/// Some packages of one slot, the preferred one first.
struct Set {
    slot: u32,
    members: Vec<u32>,
    /// Whether the set stands for what is left of the slot without the members.
    all_but: bool,
}

/// A group of packages of which one must be chosen for a condition to hold.
type Group = Vec<PackageId>;

/// Rules that must not be given to resolvo as conditions: the package, and which of its rules.
pub(super) type Firm = BTreeSet<(PackageId, usize)>;

pub(super) struct Provider<'a> {
    pub(super) universe: &'a Universe,
    sets: Vec<Set>,
    unions: Vec<Vec<VersionSetId>>,
    conditions: Vec<Condition>,
    union_of: HashMap<Vec<PackageId>, Requirement>,
    markers: Vec<VersionSetId>,
    marker_dependencies: Vec<KnownDependencies>,
    marker_of: HashMap<Group, u32>,
    dependencies: Vec<KnownDependencies>,
}

impl<'a> Provider<'a> {
    pub(super) fn new(universe: &'a Universe, firm: &Firm) -> Self {
        let mut provider = Self {
            universe,
            sets: Vec::new(),
            unions: Vec::new(),
            conditions: Vec::new(),
            union_of: HashMap::new(),
            markers: Vec::new(),
            marker_dependencies: Vec::new(),
            marker_of: HashMap::new(),
            dependencies: universe.ids().map(|_| KnownDependencies::default()).collect(),
        };
        for id in universe.ids() {
            for (number, rule) in universe.rules(id).iter().enumerate() {
                match rule {
                    Rule::Needs { any_of, when, .. } if firm.contains(&(id, number)) => {
                        provider.choice(id, any_of, when);
                    }
                    _ => provider.translate(id, rule),
                }
            }
        }
        provider
    }

    fn translate(&mut self, of: PackageId, rule: &Rule) {
        match rule {
            Rule::Needs { any_of, when, .. } => {
                if when.iter().any(Vec::is_empty) {
                    return;
                }
                let requirement = self.requirement(any_of);
                let condition = self.condition(when);
                self.dependencies[of.index()].requirements.push(ConditionalRequirement { condition, requirement });
            }
            Rule::Excludes { any, .. } => {
                for run in self.by_slot(any.iter().filter(|other| **other != of)) {
                    self.sets[run.0 as usize].all_but = true;
                    self.dependencies[of.index()].constrains.push(run);
                }
            }
        }
    }

    /// A need that is met, or a group of its condition that stays empty.
    fn choice(&mut self, of: PackageId, any_of: &[PackageId], when: &[Group]) {
        let met = KnownDependencies { requirements: vec![self.requirement(any_of).into()], constrains: Vec::new() };
        let mut ways = vec![self.new_marker(met)];
        for group in when {
            let constrains = self.by_slot(group.iter().filter(|member| **member != of));
            for set in &constrains {
                self.sets[set.0 as usize].all_but = true;
            }
            ways.push(self.new_marker(KnownDependencies { requirements: Vec::new(), constrains }));
        }
        self.unions.push(ways);
        let union = Requirement::Union(VersionSetUnionId(number(self.unions.len() - 1)));
        self.dependencies[of.index()].requirements.push(union.into());
    }

    /// "One of these", in that order.
    pub(super) fn requirement(&mut self, any_of: &[PackageId]) -> Requirement {
        if let Some(known) = self.union_of.get(any_of) {
            return *known;
        }
        let sets = if any_of.is_empty() { vec![self.set(u32::MAX, Vec::new())] } else { self.by_slot(any_of) };
        let requirement = match sets.as_slice() {
            [one] => Requirement::Single(*one),
            _ => {
                self.unions.push(sets);
                Requirement::Union(VersionSetUnionId(number(self.unions.len() - 1)))
            }
        };
        self.union_of.insert(any_of.to_vec(), requirement);
        requirement
    }

    /// The requirement that a list was made into.
    pub(super) fn known(&self, any_of: &[PackageId]) -> Option<Requirement> {
        self.union_of.get(any_of).copied()
    }

    /// Cuts a list into runs of the same slot; the order stays.
    fn by_slot<'b>(&mut self, packages: impl IntoIterator<Item = &'b PackageId>) -> Vec<VersionSetId> {
        let mut runs: Vec<(u32, Vec<u32>)> = Vec::new();
        for package in packages {
            let slot = self.universe.slot_number(*package);
            match runs.last_mut() {
                Some((last, members)) if *last == slot => members.push(package.0),
                _ => runs.push((slot, vec![package.0])),
            }
        }
        runs.into_iter().map(|(slot, members)| self.set(slot, members)).collect()
    }

    fn set(&mut self, slot: u32, members: Vec<u32>) -> VersionSetId {
        self.sets.push(Set { slot, members, all_but: false });
        VersionSetId(number(self.sets.len() - 1))
    }

    fn condition(&mut self, when: &[Group]) -> Option<ConditionId> {
        let mut all: Option<ConditionId> = None;
        for group in when {
            let marker = self.marker(group);
            let holds = self.intern(Condition::Requirement(marker));
            all = Some(match all {
                None => holds,
                Some(others) => self.intern(Condition::Binary(LogicalOperator::And, others, holds)),
            });
        }
        all
    }

    fn intern(&mut self, condition: Condition) -> ConditionId {
        self.conditions.push(condition);
        ConditionId::new(number(self.conditions.len() - 1))
    }

    fn marker(&mut self, group: &Group) -> VersionSetId {
        if let Some(known) = self.marker_of.get(group) {
            return self.markers[*known as usize];
        }
        let index = number(self.markers.len());
        let set = self.new_marker(KnownDependencies::default());
        self.marker_of.insert(group.clone(), index);
        for member in group {
            self.dependencies[member.index()].requirements.push(set.into());
        }
        set
    }

    fn new_marker(&mut self, dependencies: KnownDependencies) -> VersionSetId {
        let index = number(self.markers.len());
        let solvable = number(self.universe.len()) + index;
        let set = self.set(number(self.universe.slot_count()) + index, vec![solvable]);
        self.markers.push(set);
        self.marker_dependencies.push(dependencies);
        set
    }

    /// The package behind a solvable; markers have none.
    pub(super) fn package(&self, solvable: SolvableId) -> Option<PackageId> {
        let raw = solvable.into_raw();
        ((raw as usize) < self.universe.len()).then_some(PackageId(raw))
    }
}

fn number(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

impl Interner for Provider<'_> {
    type NameId = NameId;
    type SolvableId = SolvableId;

    fn display_solvable(&self, solvable: SolvableId) -> impl Display + '_ {
        self.package(solvable).map_or_else(|| "a condition".to_owned(), |id| self.universe.name(id))
    }

    fn display_name(&self, name: NameId) -> impl Display + '_ {
        self.universe.slot_name(name.into_raw())
    }

    fn display_version_set(&self, _: VersionSetId) -> impl Display + '_ {
        ""
    }

    fn display_string(&self, _: StringId) -> impl Display + '_ {
        ""
    }

    fn version_set_name(&self, set: VersionSetId) -> NameId {
        NameId::from_raw(self.sets[set.0 as usize].slot.min(self.nothing()))
    }

    fn solvable_name(&self, solvable: SolvableId) -> NameId {
        NameId::from_raw(match self.package(solvable) {
            Some(id) => self.universe.slot_number(id),
            None => solvable.into_raw() - number(self.universe.len()) + number(self.universe.slot_count()),
        })
    }

    fn version_sets_in_union(&self, union: VersionSetUnionId) -> impl Iterator<Item = VersionSetId> {
        self.unions[union.0 as usize].iter().copied()
    }

    fn resolve_condition(&self, condition: ConditionId) -> Condition {
        self.conditions[condition.as_u32() as usize].clone()
    }
}

impl Provider<'_> {
    /// The name of the empty slot, after those of packages and markers.
    fn nothing(&self) -> u32 {
        number(self.universe.slot_count() + self.markers.len())
    }
}

impl DependencyProvider for Provider<'_> {
    async fn filter_candidates(&self, candidates: &[SolvableId], set: VersionSetId, inverse: bool) -> Vec<SolvableId> {
        let set = &self.sets[set.0 as usize];
        if inverse == set.all_but {
            return set.members.iter().copied().map(SolvableId::from_raw).collect();
        }
        candidates.iter().copied().filter(|candidate| !set.members.contains(&candidate.into_raw())).collect()
    }

    async fn get_candidates(&self, name: NameId) -> Option<Candidates> {
        let slot = name.into_raw();
        let slots = number(self.universe.slot_count());
        let candidates = if slot < slots {
            self.universe.in_slot(slot).iter().map(|id| SolvableId::from_raw(id.0)).collect()
        } else if slot < self.nothing() {
            vec![SolvableId::from_raw(slot - slots + number(self.universe.len()))]
        } else {
            Vec::new()
        };
        Some(Candidates {
            candidates,
            hint_dependencies_available: HintDependenciesAvailable::All,
            ..Candidates::default()
        })
    }

    async fn sort_candidates(&self, _: &SolverCache<Self>, _: &mut [SolvableId]) {}

    async fn get_dependencies(&self, solvable: SolvableId) -> Dependencies {
        Dependencies::Known(match self.package(solvable) {
            Some(id) => self.dependencies[id.index()].clone(),
            None => self.marker_dependencies[solvable.into_raw() as usize - self.universe.len()].clone(),
        })
    }
}

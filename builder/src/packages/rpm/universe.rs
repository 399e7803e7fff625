//! From packages and their relations to what the solver sees: only what can be reached from the wish and from the node.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::filelists;
use super::index::{Index, Kind, Number, Relation, Text};
use super::prefer::Preferences;
use super::rich::{Clause, Rich, demands};
use super::version::Sense;
use super::wanted;
use crate::packages::solve::{Installed, PackageId, Request, Rule, Universe, Wanted};

/// What is asked for.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'a> {
    /// Names, capabilities, paths.
    pub wanted: &'a [String],
    /// What the node has.
    pub installed: &'a [Number],
    /// The priority of each repository.
    pub priorities: &'a [u32],
}

/// What the solver sees.
#[derive(Debug)]
pub struct Translated {
    /// Packages and rules.
    pub universe: Universe,
    /// What must be in the answer.
    pub request: Request,
    /// The package of the index behind each of the universe.
    pub numbers: Vec<Number>,
}

/// Everything that can be reached.
#[derive(Debug)]
pub struct Reach<'a> {
    index: &'a Index,
    asked: Asked<'a>,
    preferences: Preferences<'a>,
    numbers: BTreeSet<Number>,
    installed: HashSet<Number>,
    roots: Vec<(String, Vec<Number>)>,
}

impl<'a> Reach<'a> {
    /// Walks from the wish and the node over everything that may be needed.
    pub fn new(index: &'a Index, asked: Asked<'a>) -> Self {
        let names = asked.installed.iter().map(|number| index.package(*number).name).collect();
        let impossible = HashSet::new();
        let preferences = Preferences { index, priorities: asked.priorities, installed: names, impossible };
        let roots = asked.wanted.iter().map(|spec| (spec.clone(), wanted::candidates(index, spec))).collect();
        let installed = asked.installed.iter().copied().collect();
        let mut reach = Self { index, asked, preferences, numbers: BTreeSet::new(), installed, roots };
        reach.walk();
        reach.preferences.impossible = reach.impossible();
        reach
    }

    /// Packages that need what nobody offers, or only packages that are impossible themselves.
    fn impossible(&self) -> HashSet<Number> {
        let mut needs: Vec<(Number, Vec<Vec<Number>>)> = Vec::new();
        for number in self.numbers.iter().filter(|number| !self.installed.contains(number)) {
            let always =
                self.needs(*number).into_iter().map(|(_, clause)| clause).filter(|clause| clause.unless.is_empty());
            needs.push((*number, always.map(|clause| clause.any_of).collect()));
        }
        let mut found = HashSet::new();
        loop {
            let before = found.len();
            needs.retain(|(number, groups)| {
                let lost = groups.iter().any(|group| group.iter().all(|one| found.contains(one)));
                if lost {
                    found.insert(*number);
                }
                !lost
            });
            if found.len() == before {
                return found;
            }
        }
    }

    fn walk(&mut self) {
        let mut next: Vec<Number> = self.roots.iter().flat_map(|(_, found)| found.iter().copied()).collect();
        for number in self.asked.installed {
            next.push(*number);
            next.extend(self.successors(*number));
        }
        let mut seen: HashSet<Relation> = HashSet::new();
        while let Some(number) = next.pop() {
            if !self.numbers.insert(number) {
                continue;
            }
            for relation in self.index.relations(number, Kind::Requires) {
                if seen.insert(*relation) {
                    for clause in self.clauses(*relation, true, None) {
                        next.extend(clause.any_of);
                    }
                }
            }
        }
    }

    /// What may take the place of an installed package: something newer of its name, or what replaces it.
    fn successors(&self, installed: Number) -> Vec<Number> {
        let package = self.index.package(installed);
        let own = super::version::Evr::parse(self.index.words(package.evr));
        let newer = self.index.named(package.name).filter(|other| {
            *other != installed && super::version::Evr::parse(self.index.words(self.index.package(*other).evr)) > own
        });
        let mut found: Vec<Number> = newer.chain(self.index.replacements(installed)).collect();
        self.preferences.sort(&mut found);
        found
    }

    /// What a package needs of others, with the words for it.
    fn needs(&self, of: Number) -> Vec<(Relation, Clause<Number>)> {
        let relations = self.index.relations(of, Kind::Requires).iter();
        let clauses = relations.flat_map(|one| self.clauses(*one, true, None).into_iter().map(|clause| (*one, clause)));
        let others = clauses.filter(|(_, clause)| !clause.any_of.contains(&of)).map(|(relation, mut clause)| {
            // A group that the package belongs to itself always has a chosen member.
            clause.unless.retain(|group| !group.contains(&of));
            (relation, clause)
        });
        others.collect()
    }

    /// Paths that somebody needs and whose owners stand in the large list of files only.
    pub fn hidden_paths(&self) -> bool {
        let relations = self.numbers.iter().flat_map(|number| {
            [Kind::Requires, Kind::Conflicts].into_iter().flat_map(|kind| self.index.relations(*number, kind))
        });
        let in_list = |name: &str| name.starts_with('/') && !filelists::in_primary(name);
        self.roots.iter().any(|(spec, _)| in_list(spec))
            || relations
                .map(|relation| self.index.words(relation.name))
                .any(|name| in_list(name) || (Rich::is_rich(name) && names(name).iter().any(|name| in_list(name))))
    }

    /// What a relation demands. `except` never counts: a package cannot conflict with itself.
    fn clauses(&self, relation: Relation, wanted: bool, except: Option<Number>) -> Vec<Clause<Number>> {
        let words = self.index.words(relation.name);
        let without = |mut found: Vec<Number>| {
            found.retain(|number| Some(*number) != except);
            found
        };
        if !Rich::is_rich(words) {
            let evr = self.index.words(relation.evr);
            return vec![Clause::of(without(self.index.providers(relation.name, relation.sense, evr)), wanted)];
        }
        let mut providers = |name: &str, sense: Sense, evr: &str| {
            self.index.find(name).map(|name| without(self.index.providers(name, sense, evr))).unwrap_or_default()
        };
        let clauses = Rich::parse(words).and_then(|rich| demands(&rich, wanted, &mut providers));
        // What cannot be understood cannot be kept.
        clauses.unwrap_or_else(|| vec![Clause { any_of: Vec::new(), unless: Vec::new() }])
    }

    /// Makes packages and rules of it.
    pub fn translate(&self) -> Translated {
        let mut universe = Universe::default();
        let mut ids: HashMap<Number, PackageId> = HashMap::new();
        let mut numbers = Vec::with_capacity(self.numbers.len());
        for number in &self.numbers {
            let package = self.index.package(*number);
            let version = format!("{}.{}", self.index.words(package.evr), self.index.words(package.arch));
            ids.insert(*number, universe.add(self.index.words(package.name), &version));
            numbers.push(*number);
        }
        let translation = Translation { reach: self, ids };
        for number in &self.numbers {
            translation.rules(*number, &mut universe);
        }
        let request = translation.request();
        Translated { universe, request, numbers }
    }
}

/// Every name in a rich dependency.
pub(super) fn names(rich: &str) -> Vec<String> {
    let Some(rich) = Rich::parse(rich) else { return Vec::new() };
    let mut found = Vec::new();
    rich.names(&mut found);
    found.into_iter().map(str::to_owned).collect()
}

struct Translation<'a> {
    reach: &'a Reach<'a>,
    ids: HashMap<Number, PackageId>,
}

impl Translation<'_> {
    fn known(&self, numbers: &[Number]) -> Vec<PackageId> {
        numbers.iter().filter_map(|number| self.ids.get(number).copied()).collect()
    }

    fn preferred(&self, mut numbers: Vec<Number>) -> Vec<PackageId> {
        self.reach.preferences.sort(&mut numbers);
        self.known(&numbers)
    }

    fn rules(&self, of: Number, universe: &mut Universe) {
        let index = self.reach.index;
        let Some(id) = self.ids.get(&of).copied() else { return };
        for (relation, clause) in self.reach.needs(of) {
            self.rule(of, clause, index.relation_words(relation)).into_iter().for_each(|rule| universe.rule(id, rule));
        }
        for relation in index.relations(of, Kind::Conflicts) {
            let words = format!("Conflicts: {}", index.relation_words(*relation));
            for clause in self.reach.clauses(*relation, false, Some(of)) {
                self.rule(of, clause, words.clone()).into_iter().for_each(|rule| universe.rule(id, rule));
            }
        }
        for relation in index.relations(of, Kind::Obsoletes) {
            let any = index.named(relation.name).filter(|other| *other != of && index.is_named(*other, *relation));
            let any = self.known(&self.not_both_installed(of, any.collect()));
            if !any.is_empty() {
                universe
                    .rule(id, Rule::Excludes { any, words: format!("Obsoletes: {}", index.relation_words(*relation)) });
            }
        }
    }

    /// What is wrong between installed packages already is not ours to mend.
    fn not_both_installed(&self, of: Number, others: Vec<Number>) -> Vec<Number> {
        if !self.reach.installed.contains(&of) {
            return others;
        }
        others.into_iter().filter(|other| !self.reach.installed.contains(other)).collect()
    }

    fn rule(&self, of: Number, clause: Clause<Number>, words: String) -> Option<Rule> {
        let installed = |number: &Number| self.reach.installed.contains(number);
        if clause.any_of.is_empty() && clause.unless.len() == 1 {
            let any = self.known(&self.not_both_installed(of, clause.unless.into_iter().next()?));
            return (!any.is_empty()).then_some(Rule::Excludes { any, words });
        }
        let when: Vec<Vec<PackageId>> = clause.unless.iter().map(|group| self.known(group)).collect();
        let broken_already = installed(&of) && !clause.any_of.iter().any(installed) && clause.unless.is_empty();
        if broken_already || when.iter().any(Vec::is_empty) {
            return None;
        }
        Some(Rule::Needs { any_of: self.preferred(clause.any_of), when, words })
    }

    fn request(&self) -> Request {
        let installed = self.reach.asked.installed.iter().filter_map(|number| {
            let or = self.known(&self.reach.successors(*number));
            Some(Installed { package: *self.ids.get(number)?, or })
        });
        let wanted = self
            .reach
            .roots
            .iter()
            .map(|(words, candidates)| Wanted { any_of: self.preferred(candidates.clone()), words: words.clone() });
        Request { installed: installed.collect(), wanted: wanted.collect() }
    }
}

/// Every path that any package asks for and that the large list of files must be searched for.
pub fn paths(index: &mut Index, wanted: &[String]) -> HashSet<Text> {
    let mut found: BTreeSet<String> = wanted.iter().filter(|spec| spec.starts_with('/')).cloned().collect();
    for number in index.numbers() {
        for kind in [Kind::Requires, Kind::Conflicts] {
            for relation in index.relations(number, kind) {
                let name = index.words(relation.name);
                if name.starts_with('/') {
                    found.insert(name.to_owned());
                } else if Rich::is_rich(name) {
                    found.extend(names(name).into_iter().filter(|name| name.starts_with('/')));
                }
            }
        }
    }
    found.iter().filter(|path| !filelists::in_primary(path)).map(|path| index.text(path)).collect()
}

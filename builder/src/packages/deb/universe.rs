//! From indexes to a [`Universe`]: the packages that can matter, and Debian's relations as rules between them.
//!
//! Only what can be reached from the wanted and the installed packages goes in. A rule's candidates stand in the order in which
//! apt would take them, see `preference.rs`.

use std::collections::{BTreeSet, HashMap, VecDeque};

use super::base::BasePackage;
use super::lookup::Lookup;
use super::packages::{Pool, StanzaId};
use super::relation::{Relation, groups};
use super::version::compare;
use crate::packages::solve::{Installed, PackageId, Request, Rule, Universe, Wanted};

/// How many providers of a name are named.
const MOST_OFFERS: usize = 8;

/// For what a closure is made.
#[derive(Debug)]
pub struct Target<'a> {
    /// The packages of the repositories.
    pub pool: &'a Pool,
    /// The same by name, for the node's architectures.
    pub lookup: &'a Lookup<'a>,
    /// How much each index of the pool is preferred: 500, or less for one that wants to be asked for (backports).
    pub priorities: &'a [u16],
    /// The architectures of the node, its own one first.
    pub architectures: &'a [String],
    /// What the node has.
    pub base: &'a [BasePackage],
    /// Whether what is only recommended is taken too.
    pub recommends: bool,
}

/// A universe with what is asked of it, and the way back to the indexes.
#[derive(Debug)]
pub struct World {
    /// Packages and rules.
    pub universe: Universe,
    /// What is asked.
    pub request: Request,
    members: Vec<Member>,
}

impl World {
    /// Where a package stands in the pool; what only the node has stands nowhere.
    pub fn stanza(&self, id: PackageId) -> Option<StanzaId> {
        let member = &self.members[id.index()];
        member.in_pool.then_some(member.stanza).flatten()
    }
}

/// What is known of a package in the universe.
#[derive(Debug, Clone)]
pub(super) struct Member {
    pub(super) name: String,
    pub(super) version: String,
    /// `all` is the node's own.
    pub(super) architecture: String,
    pub(super) multi_arch: MultiArch,
    /// Its stanza; of an installed package that no index has any more, that of its successor.
    pub(super) stanza: Option<StanzaId>,
    pub(super) in_pool: bool,
    pub(super) installed: bool,
    /// Whether it is the version that apt would take of its name.
    pub(super) candidate: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MultiArch {
    No,
    Same,
    Foreign,
    Allowed,
}

/// Builds the universe for some names: `name`, `name:architecture`, `name=version`.
pub fn build(target: &Target<'_>, wanted: &[String]) -> World {
    let mut builder = Builder {
        target,
        universe: Universe::default(),
        members: Vec::new(),
        by_stanza: HashMap::new(),
        by_name: HashMap::new(),
        installed: HashMap::new(),
        unlisted: Vec::new(),
        open: VecDeque::new(),
    };
    builder.install_base();
    let wanted = wanted.iter().map(|words| builder.wanted(words)).collect();
    builder.follow_needs();
    builder.add_exclusions();
    builder.mark_last_resorts();
    let installed = builder.keep();
    World { universe: builder.universe, request: Request { installed, wanted }, members: builder.members }
}

pub(super) struct Builder<'b, 'a> {
    pub(super) target: &'b Target<'a>,
    universe: Universe,
    pub(super) members: Vec<Member>,
    pub(super) by_stanza: HashMap<StanzaId, PackageId>,
    pub(super) by_name: HashMap<String, Vec<PackageId>>,
    /// What is installed, by name and architecture.
    pub(super) installed: HashMap<(String, String), PackageId>,
    /// What is installed and in no index.
    pub(super) unlisted: Vec<PackageId>,
    open: VecDeque<PackageId>,
}

impl Builder<'_, '_> {
    pub(super) fn native(&self) -> &str {
        self.target.architectures.first().map_or("all", String::as_str)
    }

    pub(super) fn real_architecture(&self, architecture: &str) -> String {
        if architecture == "all" { self.native() } else { architecture }.to_owned()
    }

    fn install_base(&mut self) {
        for base in self.target.base {
            let architecture = self.real_architecture(base.architecture.as_deref().unwrap_or("all"));
            let same_slot: Vec<StanzaId> = self.same_slot(&base.name, &architecture);
            let pool = self.target.pool;
            let exact = same_slot.iter().find(|id| compare(pool.version(**id), &base.version).is_eq()).copied();
            let id = match exact {
                Some(stanza) => self.admit(stanza),
                None => {
                    // Nothing says what it needs; what it provides is taken from its successor.
                    let successor =
                        same_slot.iter().copied().max_by(|a, b| compare(pool.version(*a), pool.version(*b)));
                    let id = self.add(&base.name, &base.version, &architecture, successor, false);
                    self.unlisted.push(id);
                    id
                }
            };
            self.members[id.index()].installed = true;
            self.installed.insert((base.name.clone(), architecture), id);
            // A rule may force something newer.
            for stanza in same_slot {
                if compare(pool.version(stanza), &base.version).is_gt() {
                    self.admit(stanza);
                }
            }
        }
    }

    fn same_slot(&self, name: &str, architecture: &str) -> Vec<StanzaId> {
        let fits = |id: &&StanzaId| self.real_architecture(self.target.pool.architecture(**id)) == architecture;
        self.target.lookup.named(name).iter().filter(fits).copied().collect()
    }

    /// Takes a package of an index into the universe, with those of its name: which of them is the candidate must be known.
    pub(super) fn admit(&mut self, stanza: StanzaId) -> PackageId {
        if let Some(known) = self.by_stanza.get(&stanza) {
            return *known;
        }
        let pool = self.target.pool;
        let architecture = self.real_architecture(pool.architecture(stanza));
        self.add(pool.name(stanza), pool.version(stanza), &architecture, Some(stanza), true)
    }

    fn add(
        &mut self,
        name: &str,
        version: &str,
        architecture: &str,
        stanza: Option<StanzaId>,
        in_pool: bool,
    ) -> PackageId {
        let slot = if architecture == self.native() { name.to_owned() } else { format!("{name}:{architecture}") };
        let id = self.universe.add(&slot, version);
        let multi_arch = stanza.and_then(|stanza| self.target.pool.plain_field(stanza, "Multi-Arch"));
        self.members.push(Member {
            name: name.to_owned(),
            version: version.to_owned(),
            architecture: architecture.to_owned(),
            multi_arch: match multi_arch {
                Some("same") => MultiArch::Same,
                Some("foreign") => MultiArch::Foreign,
                Some("allowed") => MultiArch::Allowed,
                _ => MultiArch::No,
            },
            stanza,
            in_pool,
            installed: false,
            candidate: stanza.is_some_and(|stanza| in_pool && self.candidate(name, architecture) == Some(stanza)),
        });
        if in_pool && let Some(stanza) = stanza {
            self.by_stanza.insert(stanza, id);
        }
        self.by_name.entry(name.to_owned()).or_default().push(id);
        self.open.push_back(id);
        id
    }

    /// The version that apt would take: the one of the preferred index, there the highest.
    fn candidate(&self, name: &str, architecture: &str) -> Option<StanzaId> {
        let pool = self.target.pool;
        let priority = |id: StanzaId| self.target.priorities.get(pool.text_number(id) as usize).copied().unwrap_or(500);
        self.same_slot(name, architecture).into_iter().max_by(|a, b| {
            let order = priority(*a).cmp(&priority(*b)).then_with(|| compare(pool.version(*a), pool.version(*b)));
            order.then_with(|| b.cmp(a))
        })
    }

    fn follow_needs(&mut self) {
        let fields: &[&str] = if self.target.recommends {
            &["Pre-Depends", "Depends", "Recommends"]
        } else {
            &["Pre-Depends", "Depends"]
        };
        while let Some(id) = self.open.pop_front() {
            let member = self.members[id.index()].clone();
            let Some(stanza) = member.stanza.filter(|_| member.in_pool) else { continue };
            let pool = self.target.pool;
            for field in fields {
                let Some(text) = pool.field(stanza, field) else { continue };
                for (words, alternatives) in groups(&text) {
                    let any_of = self.in_order(&member.architecture, &alternatives);
                    if *field == "Recommends" && any_of.is_empty() {
                        continue;
                    }
                    self.universe.rule(id, Rule::Needs { any_of, when: Vec::new(), words: words.to_owned() });
                }
            }
        }
    }

    /// Every package that satisfies one of the alternatives, in apt's order.
    fn in_order(&mut self, from: &str, alternatives: &[Relation<'_>]) -> Vec<PackageId> {
        let matching: Vec<(&str, Vec<PackageId>)> =
            alternatives.iter().map(|relation| (relation.name, self.matching(from, relation))).collect();
        self.preferred_first(matching)
    }

    fn add_exclusions(&mut self) {
        for id in self.universe.ids().collect::<Vec<_>>() {
            let member = self.members[id.index()].clone();
            if let Some(stanza) = member.stanza.filter(|_| member.in_pool) {
                for field in ["Conflicts", "Breaks"] {
                    let Some(text) = self.target.pool.field(stanza, field) else { continue };
                    for (words, alternatives) in groups(&text) {
                        let any: Vec<PackageId> =
                            alternatives.iter().flat_map(|relation| self.present(None, relation)).collect();
                        self.exclude(id, any, format!("{field}: {words}"));
                    }
                }
            }
            if self.target.architectures.len() > 1 {
                self.exclude_other_architectures(id, &member);
            }
        }
    }

    fn exclude(&mut self, id: PackageId, mut any: Vec<PackageId>, words: String) {
        // Other versions of itself share its slot already.
        any.retain(|other| self.universe.slot(*other) != self.universe.slot(id));
        if !any.is_empty() {
            self.universe.rule(id, Rule::Excludes { any, words });
        }
    }

    /// Versions that are neither installed nor the candidate.
    fn mark_last_resorts(&mut self) {
        for id in self.universe.ids().collect::<Vec<_>>() {
            let member = &self.members[id.index()];
            if !member.installed && !member.candidate {
                self.universe.last_resort(id);
            }
        }
    }

    /// The same package for two architectures stands side by side only if it says so, and in one version.
    fn exclude_other_architectures(&mut self, id: PackageId, member: &Member) {
        let others = self.by_name.get(&member.name).into_iter().flatten().copied().filter(|other| {
            let other = &self.members[other.index()];
            let both_same = member.multi_arch == MultiArch::Same && other.multi_arch == MultiArch::Same;
            other.architecture != member.architecture && !(both_same && other.version == member.version)
        });
        let any = others.collect();
        self.exclude(id, any, format!("{} for another architecture or in another version", member.name));
    }

    fn wanted(&mut self, words: &str) -> Wanted {
        let (name, version) = words.split_once('=').map_or((words, None), |(name, version)| (name, Some(version)));
        let (name, architecture) = name.split_once(':').map_or((name, None), |(name, one)| (name, Some(one)));
        let version = version.map(|version| (super::relation::Operator::Equal, version));
        let relation = Relation { name, architecture, version };
        let native = self.native().to_owned();
        let any_of = self.in_order(&native, &[relation]);
        let is_named = |id: &PackageId| self.members[id.index()].name == name;
        let named: Vec<PackageId> = any_of.iter().copied().filter(is_named).collect();
        if named.is_empty() && !any_of.is_empty() {
            // Which of several was meant nobody can know, and the lock must say what was asked for.
            let offers: BTreeSet<&str> = any_of.iter().map(|id| self.members[id.index()].name.as_str()).collect();
            let offers: Vec<&str> = offers.into_iter().take(MOST_OFFERS).collect();
            let words = format!("{words} (no package itself: name one of {})", offers.join(", "));
            return Wanted { any_of: Vec::new(), words };
        }
        Wanted { any_of: named, words: words.to_owned() }
    }

    /// What is installed stays, or is followed by something newer of the same slot.
    fn keep(&self) -> Vec<Installed> {
        let mut kept: Vec<Installed> = self
            .installed
            .values()
            .map(|id| {
                let slot = self.universe.slot(*id);
                let same_name = self.by_name.get(&self.members[id.index()].name).into_iter().flatten();
                let mut or: Vec<PackageId> =
                    same_name.copied().filter(|other| other != id && self.universe.slot(*other) == slot).collect();
                or.sort_by(|a, b| {
                    let (a, b) = (&self.members[a.index()], &self.members[b.index()]);
                    b.candidate.cmp(&a.candidate).then_with(|| compare(&b.version, &a.version))
                });
                Installed { package: *id, or }
            })
            .collect();
        kept.sort_by_key(|one| one.package);
        kept
    }
}

//! From a conflict to sentences: what is wanted, what that needs, and where it ends.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use resolvo::Requirement;
use resolvo::conflict::{ConflictCause, ConflictEdge, ConflictGraph, ConflictNode};

use super::provider::Provider;
use super::search::Root;
use super::{PackageId, Rule};

/// Longer explanations are cut: nobody reads them.
const MOST_LINES: usize = 40;
/// Longer lists of candidates are cut too.
const MOST_NAMES: usize = 4;

/// There is no answer, and why.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The chain from what is wanted to where it ends, one sentence each.
    pub lines: Vec<String>,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the packages cannot be installed:")?;
        self.lines.iter().try_for_each(|line| write!(f, "\n  {line}"))
    }
}

impl std::error::Error for Refusal {}

pub(super) fn refusal(graph: &ConflictGraph, provider: &Provider<'_>, roots: &[Root]) -> Refusal {
    let mut story = Story { provider, roots, needs: BTreeMap::new(), ends: BTreeSet::new(), lines: Vec::new() };
    story.read(graph);
    story.tell();
    let mut lines = story.lines;
    if lines.len() > MOST_LINES {
        let more = lines.len() - MOST_LINES;
        lines.truncate(MOST_LINES);
        lines.push(format!("… and {more} more"));
    }
    Refusal { lines }
}

/// Nobody stands for the request itself.
type Who = Option<PackageId>;

struct Story<'a> {
    provider: &'a Provider<'a>,
    roots: &'a [Root],
    /// Who needs what: the words, and the candidates in the graph.
    needs: BTreeMap<Who, BTreeMap<String, BTreeSet<PackageId>>>,
    /// Sentences about what cannot be.
    ends: BTreeSet<String>,
    lines: Vec<String>,
}

impl Story<'_> {
    fn read(&mut self, graph: &ConflictGraph) {
        let mut same_slot: BTreeMap<&str, BTreeSet<PackageId>> = BTreeMap::new();
        let nodes = graph.graph.raw_nodes();
        for edge in graph.graph.raw_edges() {
            let from = self.who(nodes[edge.source().index()].weight);
            let to = self.who(nodes[edge.target().index()].weight);
            match edge.weight {
                ConflictEdge::Requires(requirement) => {
                    // A marker is no package, and what leads to it is said by the rule that asks for it.
                    let Some(words) = self.words_of_need(from, requirement) else { continue };
                    self.needs.entry(from).or_default().entry(words).or_default().extend(to);
                }
                ConflictEdge::Conflict(ConflictCause::ForbidMultipleInstances) => {
                    let slot = from.or(to).map_or("", |id| self.provider.universe.slot(id));
                    same_slot.entry(slot).or_default().extend(from.into_iter().chain(to));
                }
                ConflictEdge::Conflict(_) => self.ends.extend(self.words_of_exclusion(from, to)),
            }
        }
        for packages in same_slot.into_values() {
            let end = format!("only one of {} can be chosen", self.names(&packages));
            self.ends.insert(end);
        }
    }

    fn who(&self, node: ConflictNode) -> Who {
        match node {
            ConflictNode::Solvable(solvable) => self.provider.package(solvable),
            _ => None,
        }
    }

    fn words_of_need(&self, from: Who, requirement: Requirement) -> Option<String> {
        let Some(from) = from else {
            let root = self.roots.iter().find(|root| self.provider.known(&root.any_of) == Some(requirement))?;
            return Some(match (root.installed, root.any_of.first()) {
                (true, Some(package)) => format!("{} is installed and stays", self.provider.universe.name(*package)),
                _ => format!("{} is wanted", root.words),
            });
        };
        self.provider.universe.rules(from).iter().find_map(|rule| match rule {
            Rule::Needs { any_of, words, .. } if self.provider.known(any_of) == Some(requirement) => {
                Some(words.clone())
            }
            _ => None,
        })
    }

    fn words_of_exclusion(&self, from: Who, to: Who) -> Option<String> {
        let (from, to) = (from?, to?);
        let universe = self.provider.universe;
        let words = universe.rules(from).iter().find_map(|rule| match rule {
            Rule::Excludes { any, words } if any.contains(&to) => Some(words.as_str()),
            _ => None,
        })?;
        Some(format!("{} cannot stand beside {} ({words})", universe.name(from), universe.name(to)))
    }

    /// From the request downwards, each package once; then what cannot be.
    fn tell(&mut self) {
        let mut told = BTreeSet::new();
        let mut open: Vec<Who> = vec![None];
        while let Some(who) = open.pop() {
            let Some(needs) = self.needs.get(&who) else { continue };
            if !told.insert(who) {
                continue;
            }
            for (words, candidates) in needs {
                let offer = match (candidates.is_empty(), who) {
                    (true, _) => ", which nothing offers".to_owned(),
                    (false, None) => String::new(),
                    (false, Some(_)) => format!(": {}", self.names(candidates)),
                };
                let line = match who {
                    None => format!("{words}{offer}"),
                    Some(id) => format!("{} needs {words}{offer}", self.provider.universe.name(id)),
                };
                self.lines.push(line);
                open.extend(candidates.iter().rev().map(|one| Some(*one)));
            }
        }
        self.lines.extend(std::mem::take(&mut self.ends));
    }

    fn names(&self, packages: &BTreeSet<PackageId>) -> String {
        let mut names: Vec<String> =
            packages.iter().take(MOST_NAMES).map(|one| self.provider.universe.name(*one)).collect();
        if packages.len() > MOST_NAMES {
            names.push(format!("{} more", packages.len() - MOST_NAMES));
        }
        names.join(", ")
    }
}

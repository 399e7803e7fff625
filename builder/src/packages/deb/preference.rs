//! In which order candidates are tried: apt's, so that the same packages come out.

use std::cmp::Ordering;

use super::universe::Builder;
use super::version::compare;
use crate::packages::solve::PackageId;

/// Has another name, is not essential, architecture, priority: the least is the best.
type Rank = (bool, bool, usize, u8);

impl Builder<'_, '_> {
    /// What is installed comes first and what can be made of it next, then new packages; within each the alternatives in the
    /// order of the field. Versions that apt would not look at come last: it would give up where they help.
    pub(super) fn preferred_first(&self, alternatives: Vec<(&str, Vec<PackageId>)>) -> Vec<PackageId> {
        let mut ordered: Vec<(u8, PackageId)> = Vec::new();
        for (name, packages) in alternatives {
            let mut ranked: Vec<(Rank, PackageId)> = packages.iter().map(|id| (self.rank(name, *id), *id)).collect();
            ranked.sort_by(|a, b| a.0.cmp(&b.0).then_with(|| self.tie(a.1, b.1)));
            for (_, id) in ranked {
                if !ordered.iter().any(|(_, known)| *known == id) {
                    ordered.push((self.round(id), id));
                }
            }
        }
        ordered.sort_by_key(|(round, _)| *round);
        ordered.into_iter().map(|(_, id)| id).collect()
    }

    fn round(&self, id: PackageId) -> u8 {
        let member = &self.members[id.index()];
        match (member.installed, member.candidate) {
            (true, _) => 0,
            (false, true) if self.is_upgrade(id) => 1,
            (false, true) => 2,
            (false, false) => 3,
        }
    }

    /// Among those that satisfy one alternative: the package of that name, the essential one, the node's own architecture, the
    /// one of higher priority.
    fn rank(&self, name: &str, id: PackageId) -> Rank {
        let member = &self.members[id.index()];
        let field = |name| member.stanza.and_then(|stanza| self.target.pool.plain_field(stanza, name));
        let priority = match field("Priority") {
            None => 0,
            Some("required") => 1,
            Some("important") => 2,
            Some("standard") => 3,
            Some("extra") => 5,
            Some(_) => 4,
        };
        let architectures = self.target.architectures;
        let architecture = architectures.iter().position(|one| *one == member.architecture).unwrap_or(usize::MAX);
        (member.name != name, field("Essential") != Some("yes"), architecture, priority)
    }

    /// Where nothing else decides, apt takes the name that it came across last; of one name the newer version is first.
    fn tie(&self, a: PackageId, b: PackageId) -> Ordering {
        let (a, b) = (&self.members[a.index()], &self.members[b.index()]);
        if a.name == b.name {
            return compare(&b.version, &a.version);
        }
        self.target.lookup.first_mention(&b.name).cmp(&self.target.lookup.first_mention(&a.name))
    }
}

//! Which packages satisfy a relation: by name or by what they provide, in version and in architecture.

use super::lookup::{Provided, provides};
use super::packages::StanzaId;
use super::relation::Relation;
use super::universe::{Builder, Member, MultiArch};
use super::version::compare;
use crate::packages::solve::PackageId;

impl Builder<'_, '_> {
    /// The packages that satisfy one alternative; what is not in the universe yet is taken in. Nothing is older than what is
    /// installed.
    pub(super) fn matching(&mut self, from: &str, relation: &Relation<'_>) -> Vec<PackageId> {
        let pool = self.target.pool;
        let mut stanzas: Vec<StanzaId> = self
            .target
            .lookup
            .named(relation.name)
            .iter()
            .copied()
            .filter(|id| relation.fits(pool.version(*id)))
            .collect();
        let provided: Vec<Provided<'_>> = self.target.lookup.providing(relation.name).to_vec();
        stanzas.extend(provided.iter().filter(|one| one.fits(relation)).map(|one| one.by));
        for stanza in stanzas {
            if !self.older_than_installed(stanza) {
                self.admit(stanza);
            }
        }
        self.present(Some(from), relation)
    }

    /// The packages of the universe that satisfy one alternative. `from` is the architecture of who asks; what a package
    /// excludes it excludes for every architecture, and then it is `None`.
    pub(super) fn present(&self, from: Option<&str>, relation: &Relation<'_>) -> Vec<PackageId> {
        let named = self.by_name.get(relation.name).into_iter().flatten().copied();
        let mut found: Vec<PackageId> = named
            .filter(|id| {
                let member = &self.members[id.index()];
                relation.fits(&member.version) && self.architecture_fits(member, from, relation)
            })
            .collect();
        for one in self.target.lookup.providing(relation.name) {
            if let Some(id) = self.by_stanza.get(&one.by).copied()
                && one.fits(relation)
                && self.provided_architecture_fits(&self.members[id.index()], one, from, relation)
                && !found.contains(&id)
            {
                found.push(id);
            }
        }
        for id in self.unlisted.iter().copied() {
            if self.provides_by_succession(&self.members[id.index()], relation) && !found.contains(&id) {
                found.push(id);
            }
        }
        found
    }

    fn older_than_installed(&self, stanza: StanzaId) -> bool {
        let pool = self.target.pool;
        let key = (pool.name(stanza).to_owned(), self.real_architecture(pool.architecture(stanza)));
        let installed = self.installed.get(&key).map(|id| &self.members[id.index()].version);
        installed.is_some_and(|version| compare(pool.version(stanza), version).is_lt())
    }

    /// Whether an older version of it is installed.
    pub(super) fn is_upgrade(&self, id: PackageId) -> bool {
        let member = &self.members[id.index()];
        self.installed.contains_key(&(member.name.clone(), member.architecture.clone()))
    }

    /// A name without an architecture is for the architecture of who asks, unless the package serves others too.
    fn architecture_fits(&self, member: &Member, from: Option<&str>, relation: &Relation<'_>) -> bool {
        match relation.architecture {
            None | Some("any") if from.is_none() => true,
            None => from == Some(&member.architecture) || member.multi_arch == MultiArch::Foreign,
            Some("any") => member.multi_arch == MultiArch::Allowed,
            Some("native") => member.architecture == self.native(),
            Some(one) => member.architecture == one,
        }
    }

    fn provided_architecture_fits(
        &self,
        member: &Member,
        provided: &Provided<'_>,
        from: Option<&str>,
        relation: &Relation<'_>,
    ) -> bool {
        match provided.architecture {
            None => self.architecture_fits(member, from, relation),
            Some("any") => relation.architecture == Some("any"),
            Some(one) => relation.architecture.or(from).is_none_or(|asked| asked == one),
        }
    }

    /// Whether an installed package that no index has any more is taken for a provider: if its successor provides that name
    /// whatever the version.
    fn provides_by_succession(&self, member: &Member, relation: &Relation<'_>) -> bool {
        let Some(stanza) = member.stanza.filter(|_| !member.in_pool) else { return false };
        let mut names = provides(self.target.pool.provides(stanza), stanza);
        relation.version.is_none() && names.any(|one| one.name == relation.name && one.version.is_none())
    }
}

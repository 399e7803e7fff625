//! Which components a cluster wants, in which version, on which hosts, and why.

use std::collections::BTreeMap;
use std::collections::VecDeque;
use std::sync::Arc;

use serde_json::Value;

use super::{Nodes, Problem, Reason};
use crate::catalogue::{Catalogue, Component, NodeSelector, Rule};
use crate::cluster::schema::{Arch, Host, Role, Spec};
use crate::finding::Code;
use crate::version::Version;

/// A component that is wanted.
pub(super) struct Want<'a> {
    pub(super) component: &'a Component,
    pub(super) version: Option<Version>,
    pub(super) reasons: Vec<Reason>,
    /// The architectures of the hosts that it goes to, each with one of the hosts.
    pub(super) arch: BTreeMap<Arch, usize>,
    /// The field that asked for it first.
    pub(super) path: String,
}

/// Every want; the rules of the components first, then what those need.
pub(super) fn wants<'a>(
    spec: &Spec,
    fields: &Value,
    catalogue: &'a Catalogue,
    arch: &[Arch],
    problems: &mut Vec<Problem>,
) -> Vec<Want<'a>> {
    let mut list = List { spec, catalogue, arch, wants: vec![], hosts: BTreeMap::new() };
    for component in catalogue.components.values() {
        for rule in component.wanted.iter().filter(|rule| rule.when.holds(fields)) {
            list.by_rule(component, rule, fields);
        }
    }
    list.close(problems);
    list.wants
}

struct List<'a, 's> {
    spec: &'s Spec,
    catalogue: &'a Catalogue,
    /// The architectures that were asked for; those of the hosts if there are none.
    arch: &'s [Arch],
    wants: Vec<Want<'a>>,
    /// The hosts of a selection, so that each list of names exists once.
    hosts: BTreeMap<Vec<usize>, Nodes>,
}

impl<'a> List<'a, '_> {
    fn by_rule(&mut self, component: &'a Component, rule: &Rule, fields: &Value) {
        let hosts: Vec<usize> =
            (0..self.spec.hosts.len()).filter(|at| selected(&self.spec.hosts[*at], &rule.on)).collect();
        // A rule for hosts that this cluster does not have asks for nothing.
        if hosts.is_empty() {
            return;
        }
        let chosen = rule.version.as_ref().and_then(|path| rule.when.pick(fields, path)).and_then(Value::as_str);
        let version = chosen.and_then(|text| text.parse().ok()).or_else(|| self.usual(component));
        let why = rule.when.because(fields).join(", ");
        let path = rule.when.0.keys().next().map_or("spec".to_owned(), |field| format!("spec.{field}"));
        self.add(component, version, why, hosts, path);
    }

    /// The version that `spec.versions`, the release or the catalogue gives.
    fn usual(&self, component: &Component) -> Option<Version> {
        let named = self.spec.versions.get(&component.name);
        named.or_else(|| self.catalogue.version_for(&component.name, self.spec.kubernetes.version.as_ref())).cloned()
    }

    fn add(
        &mut self,
        component: &'a Component,
        version: Option<Version>,
        why: String,
        hosts: Vec<usize>,
        path: String,
    ) -> usize {
        let arch: BTreeMap<Arch, usize> = match self.arch {
            [] => hosts.iter().rev().map(|at| (self.spec.hosts[*at].arch, *at)).collect(),
            asked => hosts.first().iter().flat_map(|at| asked.iter().map(|arch| (*arch, **at))).collect(),
        };
        let all = &self.spec.hosts;
        let names = |hosts: &Vec<usize>| Nodes(hosts.iter().map(|at| all[*at].name.clone()).collect::<Arc<[String]>>());
        let nodes = self.hosts.entry(hosts).or_insert_with_key(names).clone();
        let reason = Reason { why, nodes };
        let known = self.wants.iter().position(|want| want.component.name == component.name && want.version == version);
        let Some(at) = known else {
            self.wants.push(Want { component, version, reasons: vec![reason], arch, path });
            return self.wants.len() - 1;
        };
        let want = &mut self.wants[at];
        if !want.reasons.contains(&reason) {
            want.reasons.push(reason);
        }
        want.arch.extend(arch);
        at
    }

    /// Adds what the wanted ones need, and what those need in turn.
    fn close(&mut self, problems: &mut Vec<Problem>) {
        let mut queue: VecDeque<usize> = (0..self.wants.len()).collect();
        while let Some(at) = queue.pop_front() {
            let (component, version, path) =
                (self.wants[at].component, self.wants[at].version.clone(), self.wants[at].path.clone());
            let nodes: Vec<Nodes> = self.wants[at].reasons.iter().map(|reason| reason.nodes.clone()).collect();
            for (name, range) in component.needs_of(version.as_ref()) {
                let Some(needed) = self.catalogue.component(name) else { continue };
                // One that is wanted already serves, whoever chose its version.
                let chosen =
                    self.wants.iter().find(|want| want.component.name == name).and_then(|want| want.version.clone());
                let needed_version = chosen.or_else(|| self.usual(needed));
                // Versions that the catalogue does not know have a finding of their own.
                let known = |component: &Component, version: &Version| {
                    self.catalogue.versions(component).iter().any(|known| known.as_str() == version.as_str())
                };
                let both_known = version.as_ref().is_none_or(|version| known(component, version));
                let wrong = |found: &&Version| !range.contains(found) && both_known && known(needed, found);
                if let Some(found) = needed_version.as_ref().filter(wrong) {
                    problems.push(mismatch(component, version.as_ref(), name, range, found, &path));
                }
                let before = self.wants.len();
                for nodes in &nodes {
                    let hosts = self.hosts.iter().find(|(_, known)| *known == nodes).map(|(hosts, _)| hosts.clone());
                    let why = format!("needed by {}", component.name);
                    let new = self.add(needed, needed_version.clone(), why, hosts.unwrap_or_default(), path.clone());
                    if new >= before && !queue.contains(&new) {
                        queue.push_back(new);
                    }
                }
            }
        }
    }
}

fn mismatch(
    component: &Component,
    version: Option<&Version>,
    name: &str,
    range: &crate::version::Range,
    found: &Version,
    path: &str,
) -> Problem {
    let version = version.map(|version| format!(" {version}")).unwrap_or_default();
    Problem {
        code: Code::VersionMismatch,
        path: path.to_owned(),
        message: format!("{}{version} needs {name} {range}, and it would be {found}", component.name),
        help: format!("choose another version of {}, or set `versions.{name}`", component.name),
    }
}

fn selected(host: &Host, on: &[NodeSelector]) -> bool {
    on.iter().any(|selector| match selector {
        NodeSelector::All => true,
        NodeSelector::Kubernetes => host.is_node(),
        NodeSelector::Master => host.has(Role::Master),
        NodeSelector::Worker => host.has(Role::Worker),
        NodeSelector::Etcd => host.has(Role::Etcd),
        NodeSelector::Registry => host.has(Role::Registry),
        NodeSelector::Loadbalancer => host.has(Role::Loadbalancer),
    })
}

//! What must hold beyond the shape of the file. One file per concern, one function per rule.

mod addons;
mod choices;
mod hosts;
mod load_balancer;
mod networks;
mod roles;
mod secrets;
mod system;
mod versions;
mod wants;

use super::schema::{ClusterFile, Host, Role, Spec};
use crate::catalogue::Catalogue;
use crate::finding::{Code, Finding};
use crate::yaml::Node;

/// A rule, and the fields it depends on: it is left out when one of them could not be read.
struct Rule {
    reads: &'static [&'static [&'static str]],
    check: fn(&mut Lint<'_>),
}

const NAMES: &str = "spec.hosts[].name";
const ADDRESSES: &[&str] = &["spec.hosts[].address", "spec.hosts[].internalAddress"];
const ROLES: &str = "spec.hosts[].roles";
const PODS: &str = "spec.kubernetes.podCidr";
const SERVICES: &str = "spec.kubernetes.serviceCidr";
const BALANCER: &[&str] = &["spec.loadBalancer.mode", "spec.loadBalancer.internal", "spec.loadBalancer.external"];

const RULES: &[Rule] = &[
    Rule { reads: &[&[NAMES]], check: hosts::duplicate_names },
    Rule { reads: &[ADDRESSES], check: hosts::addresses },
    Rule { reads: &[], check: hosts::other_addresses },
    Rule { reads: &[&["metadata.name", NAMES]], check: hosts::reserved_names },
    Rule { reads: &[&[ROLES]], check: hosts::repeated_roles },
    Rule { reads: &[], check: hosts::labels },
    Rule { reads: &[], check: hosts::repeated_taints },
    Rule { reads: &[&[ROLES]], check: roles::masters_and_workers },
    Rule { reads: &[&[ROLES, "spec.etcd.type", "spec.kubernetes.type"]], check: roles::etcd },
    Rule { reads: &[&[ROLES, "spec.registry.type"]], check: roles::registry },
    Rule { reads: &[&[ROLES], BALANCER], check: roles::load_balancer },
    Rule { reads: &[&[ROLES, "spec.registry", "spec.loadBalancer.port"], BALANCER], check: roles::ports },
    Rule { reads: &[&[ROLES, "spec.loadBalancer.mode"]], check: load_balancer::several_masters },
    Rule { reads: &[BALANCER], check: load_balancer::settings },
    Rule { reads: &[&[ROLES, "spec.loadBalancer.vip"], ADDRESSES, BALANCER], check: load_balancer::vip },
    Rule { reads: &[&[PODS, SERVICES]], check: networks::are_networks },
    Rule { reads: &[&[PODS, SERVICES]], check: networks::pods_and_services },
    Rule { reads: &[&[PODS, SERVICES, "spec.loadBalancer.vip"], ADDRESSES], check: networks::machines_inside },
    Rule { reads: &[&[SERVICES]], check: networks::service_size },
    Rule {
        reads: &[&[ROLES, PODS, "spec.kubernetes.nodeCidrMaskSize", "spec.kubernetes.nodeCidrMaskSizeIPv6"]],
        check: networks::node_blocks,
    },
    Rule { reads: &[&[ROLES, PODS, SERVICES], ADDRESSES], check: networks::families },
    Rule { reads: &[&["spec.kubernetes.version"]], check: versions::kubernetes },
    Rule { reads: &[&["spec.kubernetes.version"]], check: versions::others },
    Rule { reads: &[&["spec.versions", "spec.kubernetes.version"]], check: versions::by_name },
    Rule {
        reads: &[&["spec.kubernetes.proxyMode", "spec.network.plugin", "spec.network.kubeProxyReplacement"]],
        check: choices::proxy,
    },
    Rule { reads: &[&["spec.kubernetes.type", "spec.etcd"]], check: choices::etcd },
    Rule { reads: &[&["spec.registry"]], check: choices::registry },
    Rule { reads: &[], check: choices::extra_args },
    Rule { reads: &[&["spec.addons"]], check: addons::addons },
    Rule { reads: &[&["spec.storage[].name"]], check: addons::storage },
    Rule { reads: &[&["spec.system.os", "spec.system.debs", "spec.system.rpms"]], check: system::packages },
    Rule { reads: &[&["spec.system.os", "spec.system.repositories"]], check: system::repositories },
    Rule { reads: &[&["spec.system.ntpServers", NAMES]], check: system::time },
    Rule {
        reads: &[&["spec.extra", NAMES, "spec.registry.privateRegistry", "spec.registry.type"]],
        check: system::extra,
    },
    Rule { reads: &[&["spec.mirrors"]], check: system::mirrors },
    Rule { reads: &[], check: secrets::secrets },
    Rule {
        reads: &[&["spec.kubernetes", "spec.etcd", "spec.runtime", ROLES, "spec.hosts[].arch", "spec.system.os"]],
        check: wants::wants,
    },
];

/// All findings of all rules.
pub(super) fn lint(file: &ClusterFile, tree: &Node, catalogue: &Catalogue, unsure: &[String]) -> Vec<Finding> {
    let mut lint = Lint { file, tree, catalogue, unsure, findings: vec![] };
    for rule in RULES {
        if rule.reads.iter().copied().flatten().all(|read| lint.is_sure(read)) {
            (rule.check)(&mut lint);
        }
    }
    lint.findings
}

/// Whether one path lies on or below the other.
fn touches(a: &str, b: &str) -> bool {
    let below = |long: &str, short: &str| {
        long.strip_prefix(short).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
    };
    below(a, b) || below(b, a)
}

/// What the rules look at, and what they found.
struct Lint<'a> {
    file: &'a ClusterFile,
    tree: &'a Node,
    catalogue: &'a Catalogue,
    /// Fields that could not be read, with `[]` for any item of a list.
    unsure: &'a [String],
    findings: Vec<Finding>,
}

impl<'a> Lint<'a> {
    fn spec(&self) -> &'a Spec {
        &self.file.spec
    }

    fn hosts(&self) -> impl Iterator<Item = (usize, &'a Host)> + use<'a> {
        self.file.spec.hosts.iter().enumerate()
    }

    fn with_role(&self, role: Role) -> Vec<(usize, &'a Host)> {
        self.hosts().filter(|(_, host)| host.has(role)).collect()
    }

    /// Whether a field and everything in it could be read.
    fn is_sure(&self, field: &str) -> bool {
        !self.unsure.iter().any(|path| touches(path, field))
    }

    /// Whether a field stands in the file, as opposed to being filled in.
    fn written(&self, path: &str) -> bool {
        let mut node = self.tree;
        for name in path.split('.') {
            match node.field(name) {
                Some(entry) if !entry.node.is_null() => node = &entry.node,
                _ => return false,
            }
        }
        true
    }

    fn find(&mut self, code: Code, path: &str, message: impl Into<String>, help: impl Into<String>) {
        self.findings.push(Finding::new(code, Some(self.tree.locate(path)), message).help(help));
    }

    /// A finding about a value that stands at two places.
    fn find_again(&mut self, code: Code, path: &str, first: &str, message: impl Into<String>, help: impl Into<String>) {
        let line = self.tree.locate(first).line;
        let finding = Finding::new(code, Some(self.tree.locate(path)), message);
        self.findings.push(finding.label(format!("first in line {line}")).help(help));
    }
}

/// Names joined for a message: `a, b and 3 more`.
pub(crate) fn listed<T: AsRef<str>>(names: &[T]) -> String {
    const SHOWN: usize = 3;
    let shown = |names: &[T]| names.iter().map(AsRef::as_ref).collect::<Vec<_>>().join(", ");
    match names.len() {
        0..=4 => shown(names),
        more => format!("{} and {} more", shown(&names[..SHOWN]), more - SHOWN),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::json_schema::fields;

    #[test]
    fn a_path_touches_what_is_above_and_below_it_and_nothing_beside_it() {
        assert!(touches("spec.hosts[].roles", "spec.hosts[]"));
        assert!(touches("spec.etcd", "spec.etcd.version"));
        assert!(!touches("spec.etcd", "spec.etcdx"));
        assert!(!touches("spec.hosts[].name", "spec.hosts[].roles"));
    }

    #[test]
    fn rules_read_fields_that_exist() {
        for read in RULES.iter().flat_map(|rule| rule.reads).copied().flatten() {
            let field = read.strip_suffix("[]").unwrap_or(read);
            assert!(fields().contains_key(field), "{read} is no field");
        }
    }
}

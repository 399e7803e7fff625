//! Every default of cluster.yaml, in one place: constants here, and [`fill`] for those that depend on other fields.

use serde::de::DeserializeOwned;

use super::formats::{Addresses, Networks};
use super::schema::{self, EtcdType, KubernetesType, LoadBalancerMode, RegistryType, Role, Spec, word};
use crate::catalogue::Catalogue;
use crate::version::Version;

/// A section that is not written means what an empty one means.
#[expect(clippy::expect_used, reason = "every field of a section has a default; a test reads them all")]
fn empty<T: DeserializeOwned>() -> T {
    serde_json::from_str("{}").expect("a section without fields is valid")
}

macro_rules! sections {
    ($($section:ident),+ $(,)?) => {
        $(impl Default for schema::$section {
            fn default() -> Self {
                empty()
            }
        })+
        #[cfg(test)]
        mod tests {
            use super::schema;

            #[test]
            fn every_section_can_be_left_out() {
                $(let _ = schema::$section::default();)+
            }
        }
    };
}

sections! {
    Kubernetes, ApiServer, Component, Kubelet, KubeProxy, Etcd, Runtime, Registry, LoadBalancer, InternalLoadBalancer,
    Network, Dns, System, Extra, Mirrors,
}

#[expect(clippy::expect_used, reason = "constants; a test reads them all")]
fn network(text: &str) -> Networks {
    text.parse().expect("a default network is valid")
}

pub(super) fn ssh_port() -> u16 {
    22
}
pub(super) fn ssh_user() -> String {
    "root".to_owned()
}
pub(super) fn pod_cidr() -> Networks {
    network("10.244.0.0/16")
}
pub(super) fn service_cidr() -> Networks {
    network("10.96.0.0/12")
}
pub(super) fn node_mask() -> u8 {
    24
}
pub(super) fn node_mask_ipv6() -> u8 {
    64
}
pub(super) fn dns_domain() -> String {
    "cluster.local".to_owned()
}
pub(super) fn private_registry() -> String {
    "registry.kubexm.local".to_owned()
}
pub(super) fn registry_data_dir() -> String {
    "/var/lib/registry".to_owned()
}
pub(super) fn api_port() -> u16 {
    6443
}

/// Fills in what depends on other fields and on the catalogue. What cannot be known (a version that is in no release) stays open.
pub(super) fn fill(spec: &mut Spec, catalogue: &Catalogue) {
    for host in &mut spec.hosts {
        let own = host.address;
        host.internal_address.get_or_insert_with(|| Addresses::from(own));
    }
    let masters = spec.hosts.iter().filter(|host| host.has(Role::Master)).count();
    let mode = if masters > 1 { LoadBalancerMode::Internal } else { LoadBalancerMode::None };
    spec.load_balancer.mode.get_or_insert(mode);
    if spec.load_balancer.mode == Some(LoadBalancerMode::Internal) {
        spec.load_balancer.internal.get_or_insert_default();
    }
    let etcd = match spec.kubernetes.kind {
        KubernetesType::Kubeadm => EtcdType::Kubeadm,
        KubernetesType::Kubexm => EtcdType::Kubexm,
    };
    spec.etcd.kind.get_or_insert(etcd);
    let port = if spec.registry.kind == RegistryType::Harbor { 443 } else { 5000 };
    spec.registry.port.get_or_insert(port);
    versions(spec, catalogue);
}

fn versions(spec: &mut Spec, catalogue: &Catalogue) {
    if spec.kubernetes.version.is_none() {
        spec.kubernetes.version = catalogue.newest_kubernetes().cloned();
    }
    let kubernetes = spec.kubernetes.version.clone();
    let choose =
        |component: &str| -> Option<Version> { catalogue.version_for(component, kubernetes.as_ref()).cloned() };
    let fill = |field: &mut Option<Version>, component: &str| {
        if field.is_none() {
            *field = choose(component);
        }
    };
    if spec.etcd.kind() != EtcdType::External {
        fill(&mut spec.etcd.version, "etcd");
    }
    fill(&mut spec.runtime.version, &word(&spec.runtime.kind));
    fill(&mut spec.network.version, &word(&spec.network.plugin));
    fill(&mut spec.dns.version, "coredns");
    if matches!(spec.registry.kind, RegistryType::Registry | RegistryType::Harbor) {
        fill(&mut spec.registry.version, &word(&spec.registry.kind));
    }
    for storage in &mut spec.storage {
        fill(&mut storage.version, &word(&storage.name));
    }
    for addon in &mut spec.addons {
        if addon.chart.is_none() && addon.manifests.is_empty() {
            fill(&mut addon.version, &addon.name);
        }
    }
}

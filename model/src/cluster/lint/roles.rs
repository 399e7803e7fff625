//! Whether every part of the cluster has hosts to run on.

use super::Lint;
use crate::cluster::schema::{EtcdType, ExternalType, LoadBalancerMode, RegistryType, Role, word};
use crate::finding::Code;

pub(super) fn masters_and_workers(lint: &mut Lint<'_>) {
    if lint.with_role(Role::Master).is_empty() {
        lint.find(
            Code::NoMaster,
            "spec.hosts",
            "no host has the role `master`",
            "add `master` to the roles of one host, or of three",
        );
    } else if lint.with_role(Role::Worker).is_empty() {
        let message = "no host has the role `worker`, so ordinary pods find no node";
        lint.find(
            Code::NoWorker,
            "spec.hosts",
            message,
            "add `worker` to the roles of a host; a master may have it too",
        );
    }
}

pub(super) fn etcd(lint: &mut Lint<'_>) {
    let kind = lint.spec().etcd.kind();
    let members = match kind {
        EtcdType::Kubeadm => lint.with_role(Role::Master).len(),
        EtcdType::Kubexm => lint.with_role(Role::Etcd).len(),
        EtcdType::External => 1,
    };
    if kind == EtcdType::Kubexm && members == 0 {
        lint.find(
            Code::NoEtcd,
            "spec.hosts",
            "etcd.type is kubexm and no host has the role `etcd`",
            "add `etcd` to the roles of one, three or five hosts",
        );
    }
    if members > 0 && members.is_multiple_of(2) {
        let (which, fix) = match kind {
            EtcdType::Kubeadm => (
                "every master is an etcd member",
                "use one, three or five masters, or `etcd.type: kubexm` on hosts of its own",
            ),
            _ => ("these are the hosts with the role `etcd`", "use one, three or five of them"),
        };
        let message = format!(
            "etcd would have {members} members ({which}): an even number survives no more failures than one less"
        );
        lint.find(Code::EvenEtcd, "spec.hosts", message, fix);
    }
    for (index, host) in lint.with_role(Role::Etcd) {
        let unused = match kind {
            EtcdType::Kubeadm if !host.has(Role::Master) => "etcd.type is kubeadm, which runs etcd on the masters only",
            EtcdType::External => "etcd.type is external, so none is installed",
            _ => continue,
        };
        let message = format!("host `{}` has the role `etcd` for nothing: {unused}", host.name);
        lint.find(
            Code::UnusedRole,
            &format!("spec.hosts[{index}].roles"),
            message,
            "remove the role, or set etcd.type to kubexm",
        );
    }
}

pub(super) fn registry(lint: &mut Lint<'_>) {
    let kind = lint.spec().registry.kind;
    let hosts = lint.with_role(Role::Registry);
    let most = match kind {
        RegistryType::Registry => 1,
        RegistryType::Harbor => 2,
        RegistryType::External | RegistryType::None => {
            for (index, host) in hosts {
                let message = format!(
                    "host `{}` has the role `registry` for nothing: registry.type is {}",
                    host.name,
                    word(&kind)
                );
                lint.find(
                    Code::UnusedRole,
                    &format!("spec.hosts[{index}].roles"),
                    message,
                    "remove the role, or set registry.type to registry or harbor",
                );
            }
            return;
        }
    };
    if hosts.is_empty() {
        let message = format!("registry.type is {} and no host has the role `registry`", word(&kind));
        let help = "add `registry` to the roles of a host, or use an existing one with `registry.type: external`";
        lint.find(Code::NoRegistryHost, "spec.hosts", message, help);
    }
    if let Some((index, host)) = hosts.get(most) {
        let most = if most == 1 { "one host".to_owned() } else { format!("{most} hosts") };
        let message =
            format!("registry.type {} runs on {most} at most, and {} have the role", word(&kind), hosts.len());
        let help = format!("remove the role `registry` from `{}`", host.name);
        lint.find(Code::ManyRegistryHosts, &format!("spec.hosts[{index}].roles"), message, help);
    }
}

pub(super) fn load_balancer(lint: &mut Lint<'_>) {
    let settings = &lint.spec().load_balancer;
    let external = settings.external.as_ref().filter(|_| settings.mode == Some(LoadBalancerMode::External));
    let kind = external.map(|external| external.kind);
    let hosts = lint.with_role(Role::Loadbalancer);
    if matches!(kind, Some(ExternalType::KubexmKh | ExternalType::KubexmKn)) {
        if hosts.is_empty() {
            let message =
                format!("loadBalancer.external.type is {} and no host has the role `loadbalancer`", word(&kind));
            lint.find(Code::NoLoadBalancerHost, "spec.hosts", message, "add `loadbalancer` to the roles of two hosts");
        }
        return;
    }
    for (index, host) in hosts {
        let message = format!("host `{}` has the role `loadbalancer` for nothing", host.name);
        let help = "remove the role, or set loadBalancer.mode to external with type kubexm-kh or kubexm-kn";
        lint.find(Code::UnusedRole, &format!("spec.hosts[{index}].roles"), message, help);
    }
}

/// Things that would ask for the same port on one host.
pub(super) fn ports(lint: &mut Lint<'_>) {
    const API_PORT: u16 = 6443;
    let (balancer, registry) = (&lint.spec().load_balancer, &lint.spec().registry);
    let external = balancer.external.as_ref().filter(|_| balancer.mode == Some(LoadBalancerMode::External));
    let own_balancer =
        external.is_some_and(|external| matches!(external.kind, ExternalType::KubexmKh | ExternalType::KubexmKn));
    let own_registry = matches!(registry.kind, RegistryType::Registry | RegistryType::Harbor);
    for (index, host) in lint.with_role(Role::Master) {
        let path = format!("spec.hosts[{index}].roles");
        if own_balancer && host.has(Role::Loadbalancer) && balancer.port == API_PORT {
            let message =
                format!("on host `{}` the API server and the load balancer would both use port {API_PORT}", host.name);
            lint.find(
                Code::Incompatible,
                &path,
                message,
                "set loadBalancer.port to another, or use other hosts for it",
            );
        }
        if own_registry && host.has(Role::Registry) && registry.port == Some(API_PORT) {
            let message =
                format!("on host `{}` the API server and the registry would both use port {API_PORT}", host.name);
            lint.find(Code::Incompatible, &path, message, "set registry.port to another, or use another host for it");
        }
    }
}

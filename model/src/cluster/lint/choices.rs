//! Choices that exclude each other or need more settings.

use super::Lint;
use crate::cluster::schema::{EtcdType, KubernetesType, Plugin, ProxyMode, RegistryType, word};
use crate::finding::Code;

pub(super) fn proxy(lint: &mut Lint<'_>) {
    let (network, mode) = (&lint.spec().network, lint.spec().kubernetes.proxy_mode);
    if !network.kube_proxy_replacement {
        return;
    }
    if network.plugin != Plugin::Cilium {
        let message = format!("{} cannot take over the work of kube-proxy", word(&network.plugin));
        lint.find(Code::Incompatible, "spec.network.kubeProxyReplacement", message, "set it to false, or use cilium");
    } else if mode != ProxyMode::Iptables {
        let message = format!(
            "proxy mode {} and network.kubeProxyReplacement exclude each other: there is no kube-proxy then",
            word(&mode)
        );
        lint.find(Code::Incompatible, "spec.kubernetes.proxyMode", message, "remove one of the two");
    }
}

pub(super) fn etcd(lint: &mut Lint<'_>) {
    let (kind, external) = (lint.spec().etcd.kind(), lint.spec().etcd.external.is_some());
    if kind == EtcdType::Kubeadm && lint.spec().kubernetes.kind == KubernetesType::Kubexm {
        let message = "kubernetes.type is kubexm, so there is no kubeadm that could run etcd";
        lint.find(Code::Incompatible, "spec.etcd.type", message, "set etcd.type to kubexm or external");
    }
    if kind == EtcdType::External && !external {
        let help = "add `external: {endpoints: […], caFile: …, certFile: …, keyFile: …}`";
        lint.find(Code::Incomplete, "spec.etcd.type", "etcd.type is external and nothing says where it is", help);
    }
    if kind == EtcdType::External && lint.written("spec.etcd.version") {
        let message = "`spec.etcd.version` is not used: etcd.type is external";
        lint.find(Code::UnusedSettings, "spec.etcd.version", message, "remove it");
    }
    if kind != EtcdType::External && external {
        let message = format!("`spec.etcd.external` is not used: etcd.type is {}", word(&kind));
        lint.find(Code::UnusedSettings, "spec.etcd.external", message, "remove it, or set etcd.type to external");
    }
}

pub(super) fn registry(lint: &mut Lint<'_>) {
    let registry = &lint.spec().registry;
    let kind = registry.kind;
    if kind == RegistryType::External && !lint.written("spec.registry.privateRegistry") {
        let help = "add `privateRegistry: registry.example.com`, and `port` if it is not 5000";
        lint.find(Code::Incomplete, "spec.registry.type", "registry.type is external and nothing says which", help);
    }
    if kind != RegistryType::External && registry.ca_file.is_some() {
        let message = format!("`spec.registry.caFile` is not used: registry.type is {}", word(&kind));
        lint.find(Code::UnusedSettings, "spec.registry.caFile", message, "remove it: the site's own authority signs");
    }
    if matches!(kind, RegistryType::External | RegistryType::None) {
        for field in ["version", "dataDir"] {
            let path = format!("spec.registry.{field}");
            if lint.written(&path) {
                let message = format!("`{path}` is not used: registry.type is {}", word(&kind));
                lint.find(Code::UnusedSettings, &path, message, "remove it");
            }
        }
    }
    let Some(harbor) = &registry.harbor_config else { return };
    if kind != RegistryType::Harbor {
        let message = format!("`spec.registry.harborConfig` is not used: registry.type is {}", word(&kind));
        lint.find(
            Code::UnusedSettings,
            "spec.registry.harborConfig",
            message,
            "remove it, or set registry.type to harbor",
        );
    } else if harbor.cert_file.is_some() != harbor.key_file.is_some() {
        let message = "harborConfig has one of certFile and keyFile, and needs both or none";
        lint.find(Code::Incomplete, "spec.registry.harborConfig", message, "add the other one");
    }
}

pub(super) fn extra_args(lint: &mut Lint<'_>) {
    let kubernetes = &lint.spec().kubernetes;
    for (section, args) in [
        ("apiServer", &kubernetes.api_server.extra_args),
        ("controllerManager", &kubernetes.controller_manager.extra_args),
        ("scheduler", &kubernetes.scheduler.extra_args),
        ("kubelet", &kubernetes.kubelet.extra_args),
    ] {
        for name in args.keys().filter(|name| name.starts_with('-')) {
            let path = format!("spec.kubernetes.{section}.extraArgs[\"{name}\"]");
            let message = format!("`{name}` is written with its dashes");
            lint.find(Code::BadFormat, &path, message, format!("write `{}`", name.trim_start_matches('-')));
        }
    }
}

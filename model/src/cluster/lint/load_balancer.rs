//! The load balancer's settings and its virtual address.

use std::net::IpAddr;

use super::{Lint, listed};
use crate::cluster::schema::{ExternalType, InternalType, LoadBalancer, LoadBalancerMode, Role, word};
use crate::finding::Code;

pub(super) fn several_masters(lint: &mut Lint<'_>) {
    let masters = lint.with_role(Role::Master).len();
    if masters > 1 && lint.spec().load_balancer.mode == Some(LoadBalancerMode::None) {
        let message = format!("{masters} masters and no load balancer: everything depends on the first master");
        lint.find(Code::NoLoadBalancer, "spec.loadBalancer.mode", message, "use `mode: internal`, or one master");
    }
}

pub(super) fn settings(lint: &mut Lint<'_>) {
    let settings = &lint.spec().load_balancer;
    let mode = settings.mode.unwrap_or(LoadBalancerMode::None);
    if mode == LoadBalancerMode::External && settings.external.is_none() {
        let help = "add `external: {type: …}`: kubexm-kh, kubexm-kn, kube-vip or external";
        lint.find(
            Code::Incomplete,
            "spec.loadBalancer.mode",
            "loadBalancer.mode is external and nothing says which",
            help,
        );
    }
    let others = [("internal", LoadBalancerMode::Internal), ("external", LoadBalancerMode::External)];
    for (section, belongs) in others {
        let path = format!("spec.loadBalancer.{section}");
        if mode != belongs && lint.written(&path) {
            let message = format!("`{path}` is not used: loadBalancer.mode is {}", word(&mode));
            lint.find(Code::UnusedSettings, &path, message, format!("remove it, or set the mode to {section}"));
        }
    }
    if settings.vip.is_some() && !needs_vip(settings) {
        let help = "remove it, or choose kube-vip, kubexm-kh, kubexm-kn or external";
        lint.find(
            Code::UnusedSettings,
            "spec.loadBalancer.vip",
            "the virtual address is not used by this load balancer",
            help,
        );
    }
}

fn external(settings: &LoadBalancer) -> Option<ExternalType> {
    settings
        .external
        .as_ref()
        .filter(|_| settings.mode == Some(LoadBalancerMode::External))
        .map(|external| external.kind)
}

fn is_internal_kube_vip(settings: &LoadBalancer) -> bool {
    settings.mode == Some(LoadBalancerMode::Internal)
        && settings.internal.as_ref().is_some_and(|internal| internal.kind == InternalType::KubeVip)
}

fn needs_vip(settings: &LoadBalancer) -> bool {
    external(settings).is_some() || is_internal_kube_vip(settings)
}

pub(super) fn vip(lint: &mut Lint<'_>) {
    let settings = &lint.spec().load_balancer;
    let Some(vip) = settings.vip else {
        if needs_vip(settings) {
            let path = if is_internal_kube_vip(settings) {
                "spec.loadBalancer.internal"
            } else {
                "spec.loadBalancer.external"
            };
            let help = "add `loadBalancer.vip`: a free address in the network of its hosts";
            lint.find(Code::VipMissing, path, "this load balancer needs a virtual address", help);
        }
        return;
    };
    let path = "spec.loadBalancer.vip";
    if let Some((_, host)) =
        lint.hosts().find(|(_, host)| host.address == vip.address || host.internal_addresses().contains(&vip.address))
    {
        let message = format!("the virtual address {} belongs to host `{}`", vip.address, host.name);
        lint.find(Code::VipTaken, path, message, "choose an address that no machine has");
        return;
    }
    let carriers = match external(settings) {
        Some(ExternalType::KubexmKh | ExternalType::KubexmKn) => Role::Loadbalancer,
        Some(ExternalType::KubeVip) => Role::Master,
        None if is_internal_kube_vip(settings) => Role::Master,
        Some(ExternalType::External) | None => return,
    };
    let network = vip.network();
    let hosts = lint.with_role(carriers);
    let reaches = |address: &IpAddr| network.contains(address);
    let outside: Vec<_> = hosts.iter().filter(|(_, host)| !host.internal_addresses().iter().any(reaches)).collect();
    if outside.is_empty() {
        return;
    }
    let names: Vec<_> = outside.iter().map(|(_, host)| host.name.as_str()).collect();
    let other_family =
        outside.iter().all(|(_, host)| host.internal_addresses().iter().all(|a| a.is_ipv4() != vip.address.is_ipv4()));
    let (message, help) = if other_family {
        let family = |is_ipv4: bool| if is_ipv4 { "IPv4" } else { "IPv6" };
        let (own, theirs) = (family(vip.address.is_ipv4()), family(!vip.address.is_ipv4()));
        (
            format!("the virtual address {} is {own}, and {} have {theirs} addresses", vip.address, listed(&names)),
            "choose one of their family".to_owned(),
        )
    } else {
        let verb = if names.len() == 1 { "is" } else { "are" };
        let message = format!("the virtual address {} is in {network}, and {} {verb} not", vip.address, listed(&names));
        (
            message,
            format!(
                "choose an address beside those of the {} hosts, or write the length of their network's prefix behind it",
                word(&carriers)
            ),
        )
    };
    lint.find(Code::VipOutside, path, message, help);
}

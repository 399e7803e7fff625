//! Networks of pods, services and hosts.

use std::net::IpAddr;

use ipnet::IpNet;

use super::{Lint, listed};
use crate::cluster::formats::Networks;
use crate::cluster::networks::{addresses, blocks, overlap};
use crate::finding::Code;

const POD: &str = "spec.kubernetes.podCidr";
const SERVICE: &str = "spec.kubernetes.serviceCidr";

/// How many bits longer a node's prefix may be than the pod network's: a limit of Kubernetes.
const MOST_NODE_BITS: u8 = 16;

fn pods<'a>(lint: &Lint<'a>) -> &'a [IpNet] {
    lint.spec().kubernetes.pod_cidr.as_slice()
}

fn services<'a>(lint: &Lint<'a>) -> &'a [IpNet] {
    lint.spec().kubernetes.service_cidr.as_slice()
}

pub(super) fn are_networks(lint: &mut Lint<'_>) {
    for (path, networks) in [(POD, pods(lint)), (SERVICE, services(lint))] {
        for network in networks {
            if *network != network.trunc() {
                let message = format!("{network} is an address inside a network, not the network");
                lint.find(Code::UnusableAddress, path, message, format!("write {}", network.trunc()));
            }
        }
    }
}

pub(super) fn pods_and_services(lint: &mut Lint<'_>) {
    for pod in pods(lint) {
        for service in services(lint).iter().filter(|service| overlap(pod, service)) {
            let message = format!("the pod network {pod} and the service network {service} overlap");
            lint.find(Code::NetworksOverlap, POD, message, "give them networks that share no address");
        }
    }
}

pub(super) fn machines_inside(lint: &mut Lint<'_>) {
    for (path, what, networks) in [(POD, "pod", pods(lint)), (SERVICE, "service", services(lint))] {
        for network in networks {
            let inside: Vec<_> = lint
                .hosts()
                .filter(|(_, host)| {
                    host.internal_addresses().iter().chain([&host.address]).any(|a| network.contains(a))
                })
                .map(|(_, host)| host.name.as_str())
                .collect();
            if !inside.is_empty() {
                let which = if lint.written(path) { "" } else { " (the default)" };
                let message =
                    format!("the {what} network {network}{which} contains the addresses of {}", listed(&inside));
                lint.find(Code::NetworksOverlap, path, message, "choose a network that no machine of the site is in");
            }
            if let Some(vip) = lint.spec().load_balancer.vip.filter(|vip| {
                network.contains(&vip.address) && !lint.hosts().any(|(_, host)| host.address == vip.address)
            }) {
                let message = format!("the {what} network {network} contains the virtual address {}", vip.address);
                lint.find(Code::NetworksOverlap, path, message, "choose a network that no machine of the site is in");
            }
        }
    }
}

pub(super) fn service_size(lint: &mut Lint<'_>) {
    for network in services(lint) {
        let (least, most) = if network.addr().is_ipv4() { (12, 28) } else { (108, 124) };
        let length = network.prefix_len();
        if length < least {
            let message = format!("the service network {network} is larger than Kubernetes takes");
            lint.find(Code::ServiceNetworkSize, SERVICE, message, format!("use /{least} or a longer prefix"));
        } else if length > most {
            let message = format!("the service network {network} has room for {} services only", addresses(network));
            lint.find(Code::ServiceNetworkSize, SERVICE, message, format!("use /{most} or a shorter prefix"));
        }
    }
}

pub(super) fn node_blocks(lint: &mut Lint<'_>) {
    let kubernetes = &lint.spec().kubernetes;
    let nodes = lint.hosts().filter(|(_, host)| host.is_node()).count();
    for network in pods(lint) {
        let (field, mask) = if network.addr().is_ipv4() {
            ("nodeCidrMaskSize", kubernetes.node_cidr_mask_size)
        } else {
            ("nodeCidrMaskSizeIPv6", kubernetes.node_cidr_mask_size_ipv6)
        };
        let length = network.prefix_len();
        if mask < length {
            let message = format!("a node's part /{mask} is larger than the whole pod network {network}");
            lint.find(
                Code::NodeMask,
                POD,
                message,
                format!("use a larger network, or a `{field}` of {length} or more"),
            );
        } else if mask - length > MOST_NODE_BITS {
            let message = format!(
                "a node's part /{mask} is too small for the pod network {network}: Kubernetes takes 16 bits of difference at most"
            );
            lint.find(Code::NodeMask, POD, message, format!("use a `{field}` of {} or less", length + MOST_NODE_BITS));
        } else if blocks(length, mask) < nodes as u128 {
            let room = blocks(length, mask);
            let message =
                format!("the pod network {network} has room for {room} nodes of /{mask} each, and there are {nodes}");
            lint.find(
                Code::PodNetworkTooSmall,
                POD,
                message,
                format!("use a larger network, or a `{field}` of {} or more", length + needed_bits(nodes)),
            );
        }
    }
}

/// How many bits tell so many nodes apart.
fn needed_bits(nodes: usize) -> u8 {
    u8::try_from(usize::BITS - nodes.saturating_sub(1).leading_zeros()).unwrap_or(u8::MAX)
}

pub(super) fn families(lint: &mut Lint<'_>) {
    let kubernetes = &lint.spec().kubernetes;
    let of = |networks: &Networks| networks.as_slice().iter().map(|net| family(net.addr())).collect::<Vec<_>>();
    let (pods, services) = (of(&kubernetes.pod_cidr), of(&kubernetes.service_cidr));
    if pods != services {
        let message =
            format!("the pod network is {}, the service network {}", pods.join(" and "), services.join(" and "));
        lint.find(Code::AddressFamilies, SERVICE, message, "give both the same families in the same order");
        return;
    }
    for (index, host) in lint.hosts().filter(|(_, host)| host.is_node()) {
        let own: Vec<_> = host.internal_addresses().iter().map(|address| family(*address)).collect();
        let lacking: Vec<_> = pods.iter().filter(|family| !own.contains(family)).copied().collect();
        if !lacking.is_empty() {
            let message = format!(
                "host `{}` has no {} address, and the cluster's networks need one",
                host.name,
                lacking.join(" and no ")
            );
            let help = "write it as `internalAddress`; for dual stack both: \"10.0.0.11,fd00::11\"";
            lint.find(Code::AddressFamilies, &format!("spec.hosts[{index}].internalAddress"), message, help);
        }
    }
}

fn family(address: IpAddr) -> &'static str {
    if address.is_ipv4() { "IPv4" } else { "IPv6" }
}

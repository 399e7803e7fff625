//! Names and addresses of the hosts.

use std::collections::HashMap;
use std::net::IpAddr;

use super::Lint;
use crate::cluster::formats;
use crate::finding::Code;

/// Names that mean something else already.
const RESERVED: &[&str] = &["localhost", "kubernetes", "all"];

pub(super) fn duplicate_names(lint: &mut Lint<'_>) {
    let mut first: HashMap<&str, usize> = HashMap::new();
    for (index, host) in lint.hosts() {
        if let Some(earlier) = first.get(host.name.as_str()) {
            let (path, earlier) = (format!("spec.hosts[{index}].name"), format!("spec.hosts[{earlier}].name"));
            let message = format!("two hosts are called `{}`", host.name);
            lint.find_again(Code::DuplicateName, &path, &earlier, message, "every node needs a name of its own");
        } else {
            first.insert(&host.name, index);
        }
    }
}

pub(super) fn addresses(lint: &mut Lint<'_>) {
    let mut logins: HashMap<(IpAddr, u16), usize> = HashMap::new();
    let mut inside: HashMap<IpAddr, usize> = HashMap::new();
    for (index, host) in lint.hosts() {
        let path = format!("spec.hosts[{index}].address");
        unusable(lint, &path, host.address);
        let earlier = *logins.entry((host.address, host.port)).or_insert(index);
        if earlier != index {
            let earlier = format!("spec.hosts[{earlier}].address");
            let message = format!("two hosts have the address {} and port {}", host.address, host.port);
            lint.find_again(Code::DuplicateAddress, &path, &earlier, message, "give each host its own address");
            continue;
        }
        for address in host.internal_addresses() {
            let path = format!("spec.hosts[{index}].internalAddress");
            if *address != host.address {
                unusable(lint, &path, *address);
            }
            let earlier = *inside.entry(*address).or_insert(index);
            if earlier != index {
                let earlier = format!("spec.hosts[{earlier}].internalAddress");
                let message = format!("two hosts have the internal address {address}");
                lint.find_again(Code::DuplicateAddress, &path, &earlier, message, "give each host its own address");
            }
        }
    }
}

/// Addresses beside the hosts' own: jump hosts, resolvers, the virtual address.
pub(super) fn other_addresses(lint: &mut Lint<'_>) {
    let spec = lint.spec();
    for (index, host) in lint.hosts() {
        if let Some(jump) = host.jump_host.as_ref().filter(|_| lint.is_sure("spec.hosts[].jumpHost.address")) {
            unusable(lint, &format!("spec.hosts[{index}].jumpHost.address"), jump.address);
        }
    }
    let resolvers = if lint.is_sure("spec.extra.resolves") { spec.extra.resolves.as_slice() } else { &[] };
    for (index, resolver) in resolvers.iter().enumerate() {
        unusable(lint, &format!("spec.extra.resolves[{index}].address"), resolver.address);
    }
    if let Some(vip) = spec.load_balancer.vip {
        unusable(lint, "spec.loadBalancer.vip", vip.address);
    }
}

fn unusable(lint: &mut Lint<'_>, path: &str, address: IpAddr) {
    let broadcast = matches!(address, IpAddr::V4(v4) if v4.is_broadcast());
    let what = if address.is_unspecified() {
        "means any address"
    } else if address.is_loopback() {
        "is a machine's own loopback"
    } else if address.is_multicast() || broadcast {
        "belongs to many machines"
    } else if matches!(address, IpAddr::V6(v6) if v6.is_unicast_link_local()) {
        "holds on one link only"
    } else {
        return;
    };
    let message = format!("{address} {what}, so no machine can be reached there");
    lint.find(Code::UnusableAddress, path, message, "write the address at which the machine is reached");
}

pub(super) fn reserved_names(lint: &mut Lint<'_>) {
    let mut names = vec![("metadata.name".to_owned(), lint.file.metadata.name.as_str())];
    names.extend(lint.hosts().map(|(index, host)| (format!("spec.hosts[{index}].name"), host.name.as_str())));
    for (path, name) in names {
        if RESERVED.contains(&name) {
            let message = format!("`{name}` is a reserved name");
            lint.find(Code::ReservedName, &path, message, format!("choose another than {}", RESERVED.join(", ")));
        }
    }
}

pub(super) fn repeated_roles(lint: &mut Lint<'_>) {
    for (index, host) in lint.hosts() {
        for (at, role) in host.roles.iter().enumerate() {
            if host.roles[..at].contains(role) {
                let path = format!("spec.hosts[{index}].roles[{at}]");
                let message =
                    format!("host `{}` has the role `{}` twice", host.name, crate::cluster::schema::word(role));
                lint.find(Code::DuplicateEntry, &path, message, "keep one of the two");
            }
        }
    }
}

pub(super) fn repeated_taints(lint: &mut Lint<'_>) {
    for (index, host) in lint.hosts() {
        for (at, taint) in host.taints.iter().enumerate() {
            if host.taints[..at].contains(taint) {
                let message = format!("host `{}` has the taint `{taint}` twice", host.name);
                lint.find(
                    Code::DuplicateEntry,
                    &format!("spec.hosts[{index}].taints[{at}]"),
                    message,
                    "keep one of the two",
                );
            }
        }
    }
}

pub(super) fn labels(lint: &mut Lint<'_>) {
    for (index, host) in lint.hosts() {
        for (key, value) in &host.labels {
            let path = format!("spec.hosts[{index}].labels[\"{key}\"]");
            let (prefix, name) = key.rsplit_once('/').unwrap_or(("", key));
            let known = |format: &str, text: &str| formats::find(format).is_some_and(|format| (format.accepts)(text));
            if !(is_label(name)
                && (prefix.is_empty() != key.contains('/'))
                && (prefix.is_empty() || known("dns-name", prefix)))
            {
                let message = format!("`{key}` cannot be the name of a label");
                lint.find(
                    Code::BadFormat,
                    &path,
                    message,
                    "write letters, digits, -, _ and ., with a DNS name and / before it if wanted",
                );
            } else if !value.is_empty() && !is_label(value) {
                let message = format!("`{value}` cannot be the value of a label");
                lint.find(Code::BadFormat, &path, message, "write letters, digits, -, _ and ., at most 63");
            }
        }
    }
}

/// Kubernetes' rule for names and values of labels.
fn is_label(text: &str) -> bool {
    let edge = |b: Option<u8>| b.is_some_and(|b| b.is_ascii_alphanumeric());
    text.len() <= 63
        && edge(text.bytes().next())
        && edge(text.bytes().last())
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b))
}

//! Operating systems, time, names that the machines learn, and mirrors.

use std::net::IpAddr;

use super::Lint;
use crate::catalogue::Family;
use crate::cluster::schema::{OsRelease, PackageType, RegistryType};
use crate::cluster::suggest::nearest;
use crate::finding::Code;

pub(super) fn packages(lint: &mut Lint<'_>) {
    let system = &lint.spec().system;
    if system.os.is_empty() {
        let message = "system.os names no operating system, so a bundle will hold no OS packages";
        let help =
            "add `os: [{name: debian, version: \"12\"}]` as /etc/os-release of the machines has it (ID, VERSION_ID)";
        lint.find(Code::NoSystem, "spec.system", message, help);
    }
    let mut families = vec![];
    for (index, os) in system.os.iter().enumerate() {
        let path = format!("spec.system.os[{index}]");
        if system.os[..index].contains(os) {
            lint.find(Code::DuplicateEntry, &path, format!("{os} is listed twice"), "keep one of the two");
        }
        let Some(known) = lint.catalogue.systems.get(&os.name) else {
            let names: Vec<&str> = lint.catalogue.systems.keys().map(String::as_str).collect();
            let help = match nearest(&os.name, names.iter().copied()) {
                Some(near) => format!("did you mean `{near}`? Known: {}", names.join(", ")),
                None => format!("known: {}", names.join(", ")),
            };
            lint.find(
                Code::UnknownSystem,
                &format!("{path}.name"),
                format!("the catalogue has no system `{}`", os.name),
                help,
            );
            continue;
        };
        families.push(known.family);
        if !known.versions.iter().any(|release| release.version == os.version) {
            let versions: Vec<&str> = known.versions.iter().map(|release| release.version.as_str()).collect();
            let message = format!("the catalogue has no {} {}", known.title, os.version);
            lint.find(
                Code::UnknownSystem,
                &format!("{path}.version"),
                message,
                format!("known: {}", versions.join(", ")),
            );
        }
    }
    for (field, list, family) in [("debs", &system.debs, Family::Deb), ("rpms", &system.rpms, Family::Rpm)] {
        if !list.is_empty() && !families.contains(&family) && !system.os.is_empty() {
            let message = format!("system.{field} is set, and none of the operating systems has such packages");
            lint.find(
                Code::UnusedSettings,
                &format!("spec.system.{field}"),
                message,
                "remove it, or add the system to system.os",
            );
        }
    }
}

pub(super) fn repositories(lint: &mut Lint<'_>) {
    let system = &lint.spec().system;
    for (index, repository) in system.repositories.iter().enumerate() {
        let path = format!("spec.system.repositories[{index}]");
        if let Some(earlier) = system.repositories[..index].iter().position(|other| other.name == repository.name) {
            let earlier = format!("spec.system.repositories[{earlier}].name");
            let message = format!("two repositories are called `{}`", repository.name);
            lint.find_again(Code::DuplicateName, &format!("{path}.name"), &earlier, message, "give each its own name");
        }
        if !repository.address.starts_with("https://") && !repository.address.starts_with("http://") {
            let message = format!("`{}` is no address", repository.address);
            let help = format!("write https://{}", repository.address);
            lint.find(Code::BadFormat, &format!("{path}.address"), message, help);
        }
        let flat = repository.suite.ends_with('/');
        let apt = !repository.suite.is_empty() && (flat || !repository.components.is_empty());
        if repository.kind == PackageType::Deb && !apt {
            let message =
                format!("the deb repository `{}` has no suite, or a suite without components", repository.name);
            let help = "write `suite: bookworm, components: [main]`, or `suite: /` for one folder with everything";
            lint.find(Code::BadFormat, &path, message, help);
        }
        if repository.kind == PackageType::Rpm && !(repository.suite.is_empty() && repository.components.is_empty()) {
            let message = format!("`{}` holds rpm packages, which have neither suite nor components", repository.name);
            lint.find(Code::UnusedSettings, &path, message, "remove them: the address alone says where it is");
        }
        let family = |name: &str| lint.catalogue.systems.get(name).map(|system| PackageType::from(system.family));
        let serves = |os: &OsRelease| family(&os.name).is_some_and(|kind| repository.serves(os, kind));
        if !system.os.is_empty() && !system.os.iter().any(serves) {
            let message = format!("`{}` is for none of the systems in system.os", repository.name);
            lint.find(Code::UnusedSettings, &path, message, "remove it, or look at its type and its os");
        }
    }
}

pub(super) fn time(lint: &mut Lint<'_>) {
    for (index, server) in lint.spec().system.ntp_servers.iter().enumerate() {
        let host = lint.hosts().any(|(_, host)| host.name == *server);
        if host || server.contains('.') || server.parse::<IpAddr>().is_ok() {
            continue;
        }
        let names: Vec<&str> = lint.spec().hosts.iter().map(|host| host.name.as_str()).collect();
        let help = match nearest(server, names) {
            Some(near) => format!("did you mean `{near}`?"),
            None => "use an address, a full DNS name, or the name of a host".to_owned(),
        };
        let message = format!("the time source `{server}` is neither an address nor a host of this cluster");
        lint.find(Code::TimeSource, &format!("spec.system.ntpServers[{index}]"), message, help);
    }
}

pub(super) fn extra(lint: &mut Lint<'_>) {
    let extra = &lint.spec().extra;
    for (index, entry) in extra.hosts.iter().enumerate() {
        let path = format!("spec.extra.hosts[{index}].domain");
        if let Some(earlier) = extra.hosts[..index].iter().position(|other| other.domain == entry.domain) {
            let earlier = format!("spec.extra.hosts[{earlier}].domain");
            lint.find_again(
                Code::DuplicateEntry,
                &path,
                &earlier,
                format!("`{}` has two addresses", entry.domain),
                "keep one of the two",
            );
        }
        let registry = &lint.spec().registry;
        let own = matches!(registry.kind, RegistryType::Registry | RegistryType::Harbor);
        if own && entry.domain == registry.private_registry {
            let message = format!("`{}` is the name of the registry already", entry.domain);
            lint.find(
                Code::DuplicateName,
                &path,
                message,
                "remove it: every machine learns the registry's name anyway",
            );
        }
        if let Some((_, host)) = lint.hosts().find(|(_, host)| host.name == entry.domain) {
            let message =
                format!("`{}` is the name of a host already, with the address {}", entry.domain, host.address);
            lint.find(Code::DuplicateName, &path, message, "remove it: every machine learns the hosts' names anyway");
        }
    }
}

pub(super) fn mirrors(lint: &mut Lint<'_>) {
    let mirrors = &lint.spec().mirrors;
    if !mirrors.zone.is_empty() && !lint.catalogue.zones.contains_key(&mirrors.zone) {
        let zones: Vec<&str> = lint.catalogue.zones.keys().map(String::as_str).collect();
        let message = format!("the catalogue has no zone `{}`", mirrors.zone);
        lint.find(Code::UnknownZone, "spec.mirrors.zone", message, format!("known: {}", zones.join(", ")));
    }
    for (section, map) in [("files", &mirrors.files), ("packages", &mirrors.packages)] {
        for (host, address) in map {
            if !address.starts_with("https://") && !address.starts_with("http://") {
                let message = format!("`{address}` is no address");
                lint.find(
                    Code::BadFormat,
                    &format!("spec.mirrors.{section}[\"{host}\"]"),
                    message,
                    format!("write https://{address}"),
                );
            }
        }
    }
    for (registry, address) in &mirrors.images {
        if let Some((_, rest)) = address.split_once("://") {
            let message = format!("`{address}` is no registry: image names have no scheme");
            lint.find(
                Code::BadFormat,
                &format!("spec.mirrors.images[\"{registry}\"]"),
                message,
                format!("write {rest}"),
            );
        }
    }
}

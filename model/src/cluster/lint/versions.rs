//! Versions against the catalogue and against each other.

use super::Lint;
use crate::catalogue::{Component, Release};
use crate::cluster::schema::{EtcdType, RegistryType, word};
use crate::cluster::suggest::nearest;
use crate::finding::{Code, Finding};
use crate::version::Version;

pub(super) fn kubernetes(lint: &mut Lint<'_>) {
    let Some(version) = &lint.spec().kubernetes.version else { return };
    let known: Vec<&Version> = lint.catalogue.kubernetes_versions().collect();
    if is_listed(&known, version) {
        return;
    }
    let minor = version.minor();
    let help = match lint.catalogue.releases.get(&minor) {
        Some(release) => format!("known of {minor}: {}", joined(release.versions.iter())),
        None => format!("known: {}", lint.catalogue.releases.keys().cloned().collect::<Vec<_>>().join(", ")),
    };
    let help = format!("{help}; a newer one can be added with --catalogue");
    lint.find(
        Code::UnknownVersion,
        "spec.kubernetes.version",
        format!("Kubernetes {version} is not in the catalogue"),
        help,
    );
}

/// The fields that choose the version of a component.
pub(super) fn others(lint: &mut Lint<'_>) {
    let spec = lint.spec();
    let mut fields = vec![
        ("spec.runtime.version".to_owned(), word(&spec.runtime.kind), &spec.runtime.version),
        ("spec.network.version".to_owned(), word(&spec.network.plugin), &spec.network.version),
        ("spec.dns.version".to_owned(), "coredns".to_owned(), &spec.dns.version),
    ];
    if spec.etcd.kind() != EtcdType::External {
        fields.push(("spec.etcd.version".to_owned(), "etcd".to_owned(), &spec.etcd.version));
    }
    if matches!(spec.registry.kind, RegistryType::Registry | RegistryType::Harbor) {
        fields.push(("spec.registry.version".to_owned(), word(&spec.registry.kind), &spec.registry.version));
    }
    for (index, storage) in spec.storage.iter().enumerate() {
        fields.push((format!("spec.storage[{index}].version"), word(&storage.name), &storage.version));
    }
    for (index, addon) in spec.addons.iter().enumerate() {
        if addon.chart.is_none() && addon.manifests.is_empty() {
            fields.push((format!("spec.addons[{index}].version"), addon.name.clone(), &addon.version));
        }
    }
    for (path, component, version) in fields {
        let section = path.trim_end_matches(".version").split('[').next().unwrap_or_default();
        if !lint.is_sure(section) {
            continue;
        }
        if let (Some(component), Some(version)) = (lint.catalogue.component(&component), version) {
            check(lint, &path, component, version);
        }
    }
}

/// `spec.versions`.
pub(super) fn by_name(lint: &mut Lint<'_>) {
    for (name, version) in &lint.spec().versions {
        let path = format!("spec.versions[\"{name}\"]");
        match lint.catalogue.component(name) {
            Some(component) => {
                let field = component.wanted.iter().find_map(|rule| rule.version.as_ref());
                if let Some(field) = field {
                    let message = format!("the version of {name} has a field of its own");
                    lint.find(Code::Incompatible, &path, message, format!("set `{field}` instead"));
                } else {
                    check(lint, &path, component, version);
                }
            }
            None => {
                let names = lint.catalogue.components.keys().map(String::as_str);
                let help = nearest(name, names)
                    .map_or("`kubexm-bundle list components` shows them".to_owned(), |near| {
                        format!("did you mean `{near}`?")
                    });
                let place = lint.tree.locate_name("spec.versions", name);
                let message = format!("the catalogue has no component `{name}`");
                lint.findings.push(Finding::new(Code::UnknownField, Some(place), message).help(help));
            }
        }
    }
}

fn check(lint: &mut Lint<'_>, path: &str, component: &Component, version: &Version) {
    let known = lint.catalogue.versions(component);
    let name = &component.name;
    if known.is_empty() {
        let message = format!("the version of {name} cannot be chosen: it comes with the operating system");
        lint.find(Code::UnknownVersion, path, message, "remove it");
        return;
    }
    let release = lint.spec().kubernetes.version.as_ref().and_then(|kubernetes| lint.catalogue.release(kubernetes));
    let accepts = |version: &Version| {
        release.and_then(|release| accepted(release, name)).is_none_or(|range| range.contains(version))
    };
    if !is_listed(&known, version) {
        let help = format!(
            "known: {}; another can be added with --catalogue",
            joined(known.into_iter().filter(|known| accepts(known)))
        );
        lint.find(Code::UnknownVersion, path, format!("{name} {version} is not in the catalogue"), help);
    } else if let Some(release) = release.filter(|_| !accepts(version)) {
        let range = accepted(release, name).map(ToString::to_string).unwrap_or_default();
        let usual = lint.catalogue.version_for(name, lint.spec().kubernetes.version.as_ref());
        let message =
            format!("{name} {version} does not go with Kubernetes {}, which takes {range}", release.kubernetes);
        lint.find(
            Code::VersionMismatch,
            path,
            message,
            format!("use {}", usual.map(ToString::to_string).unwrap_or_default()),
        );
    }
}

/// Whether a version is listed with these very letters: `3.10` and `3.10.0` have different addresses upstream.
fn is_listed(known: &[&Version], version: &Version) -> bool {
    known.iter().any(|known| known.as_str() == version.as_str())
}

fn accepted<'a>(release: &'a Release, component: &str) -> Option<&'a crate::version::Range> {
    release.accepts.get(component)
}

fn joined<'a>(versions: impl Iterator<Item = &'a Version>) -> String {
    let mut versions: Vec<_> = versions.collect();
    versions.sort_by(|a, b| b.cmp(a));
    versions.into_iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

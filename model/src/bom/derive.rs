//! Wanted components to entries: their files, images, charts, manifests and packages.

use std::collections::BTreeSet;

use serde_json::Value;

use super::mirror::{Redirects, redirects};
use super::wants::{Want, wants};
use super::{Digest, Entry, Kind, Nodes, Problem, Reason};
use crate::catalogue::{
    Catalogue, Checksum, Family, FileEntry, ImageEntry, Package, Platform, Repository, When, Words,
};
use crate::cluster::schema::{Addon, Arch, OsRelease, PackageType, Spec};
use crate::finding::Code;

/// Every entry, sorted, and everything that is wanted and not to be had; for these architectures, or for those of the hosts.
pub(super) fn derive(spec: &Spec, catalogue: &Catalogue, arch: &[Arch]) -> (Vec<Entry>, Vec<Problem>) {
    let fields = serde_json::to_value(spec).unwrap_or(Value::Null);
    let mut problems = vec![];
    let wants = wants(spec, &fields, catalogue, arch, &mut problems);
    let mut derive =
        Derive { spec, catalogue, fields: &fields, redirects: redirects(spec, catalogue), entries: vec![], problems };
    for want in &wants {
        derive.component(want);
    }
    derive.own_packages(arch);
    for (index, addon) in spec.addons.iter().enumerate() {
        derive.own_addon(index, addon);
    }
    derive.entries.sort();
    derive.entries.dedup();
    (derive.entries, derive.problems)
}

struct Derive<'a> {
    spec: &'a Spec,
    catalogue: &'a Catalogue,
    fields: &'a Value,
    redirects: Redirects,
    entries: Vec<Entry>,
    problems: Vec<Problem>,
}

impl Derive<'_> {
    fn component(&mut self, want: &Want<'_>) {
        let component = want.component;
        let words = match &want.version {
            Some(version) => Words::of(version, component.entry(version).map(|entry| &entry.vars)),
            None => Words::default(),
        };
        let fields = self.fields;
        let files = component.files.iter().map(|file| (Kind::Binary, file));
        let charts = component.charts.iter().map(|file| (Kind::Chart, file));
        let manifests = component.manifests.iter().map(|file| (Kind::Manifest, file));
        for (kind, file) in files.chain(charts).chain(manifests).filter(|(_, file)| file.when.holds(fields)) {
            self.file(want, kind, file, &words);
        }
        for image in component.images.iter().filter(|image| image.when.holds(fields)) {
            self.image(want, image, &words);
        }
        for package in component.packages.iter().filter(|package| package.when.holds(fields)) {
            self.package(want, package, &words);
        }
    }

    fn file(&mut self, want: &Want<'_>, kind: Kind, file: &FileEntry, words: &Words) {
        // Charts and manifests are the same on every machine.
        let arches: Vec<Option<Arch>> = if kind == Kind::Binary {
            self.arches(want, &file.name, &file.platforms).into_iter().map(Some).collect()
        } else {
            vec![None]
        };
        for arch in arches {
            let upstream_word = arch.map(|arch| file.arch.get(&arch).map_or(arch.as_str(), String::as_str));
            let words = words.with("arch", upstream_word.unwrap_or_default());
            let Ok(url) = words.fill(&file.url) else { continue };
            let pinned =
                want.version.as_ref().and_then(|version| want.component.entry(version)?.sha256.get(&file.name));
            let platform = arch.map_or("any".to_owned(), |arch| Platform(arch).to_string());
            let checksum = match (pinned.and_then(|digests| digests.get(&platform)), &file.checksum) {
                (Some(hex), _) => Digest::Sha256(hex.clone()),
                (None, Checksum::Sha256(digests)) => {
                    Digest::Sha256(digests.get(&platform).cloned().unwrap_or_default())
                }
                (None, Checksum::Sha256sum(pattern)) => {
                    Digest::Sha256sum(words.with("url", &url).fill(pattern).unwrap_or_default())
                }
                (None, Checksum::Index(pattern)) => {
                    Digest::Index(words.with("url", &url).fill(pattern).unwrap_or_default())
                }
                (None, Checksum::FirstSight(reason)) => Digest::FirstSight(reason.clone()),
            };
            let members = file.members.iter().filter_map(|member| words.fill(member).ok()).collect();
            let mirror = self.redirects.file(&url).into_iter().collect();
            let entry = Entry {
                os: arch.map(|_| "linux".to_owned()),
                arch: arch.into_iter().collect(),
                checksum: Some(checksum),
                members,
                ..self.entry(want, kind, &words.fill(&file.name).unwrap_or_default(), &file.when)
            };
            self.entries.push(Entry { source: vec![url], mirror, ..entry });
        }
    }

    fn image(&mut self, want: &Want<'_>, image: &ImageEntry, words: &Words) {
        let Ok(tag) = words.fill(&image.tag) else { return };
        let name = format!("{}:{tag}", image.name);
        let arch = self.arches(want, &name, &image.platforms);
        let mirror = self.redirects.image(&name).into_iter().collect();
        let entry = Entry { os: Some("linux".to_owned()), arch, ..self.entry(want, Kind::Image, &name, &image.when) };
        self.entries.push(Entry { version: Some(tag), source: vec![name], mirror, ..entry });
    }

    fn package(&mut self, want: &Want<'_>, package: &Package, words: &Words) {
        for os in &self.spec.system.os {
            let Some(system) = self.catalogue.systems.get(&os.name) else { continue };
            let by_family = if system.family == Family::Deb { &package.deb } else { &package.rpm };
            let exact = format!("{}-{}", os.name, os.version);
            let name = match package.os.get(&exact).or_else(|| package.os.get(&os.name)) {
                Some(None) => continue,
                Some(Some(name)) => name,
                None => match by_family {
                    Some(name) => name,
                    None => {
                        self.problems.push(not_for_system(want, os));
                        continue;
                    }
                },
            };
            let own: Vec<&Repository> = want
                .component
                .repositories
                .iter()
                .filter(|repository| repository.family == Some(system.family))
                .collect();
            let source: Vec<String> = if own.is_empty() {
                self.repositories(os)
            } else {
                own.iter().filter_map(|repository| words.fill(&repository.url).ok()).collect()
            };
            let name = words.fill(name).unwrap_or_default();
            for arch in want.arch.keys() {
                let entry = Entry {
                    version: None,
                    licence: None,
                    arch: vec![*arch],
                    ..self.entry(want, Kind::Package, &name, &package.when)
                };
                self.push_package(entry, os, source.clone());
            }
        }
    }

    /// `system.debs` and `system.rpms`.
    fn own_packages(&mut self, arch: &[Arch]) {
        let arches: BTreeSet<Arch> = match arch {
            [] => self.spec.hosts.iter().map(|host| host.arch).collect(),
            asked => asked.iter().copied().collect(),
        };
        for os in &self.spec.system.os {
            let Some(system) = self.catalogue.systems.get(&os.name) else { continue };
            let (field, names) = match system.family {
                Family::Deb => ("system.debs", &self.spec.system.debs),
                Family::Rpm => ("system.rpms", &self.spec.system.rpms),
            };
            for name in names {
                for arch in &arches {
                    let entry = Entry { arch: vec![*arch], ..bare(Kind::Package, name, field) };
                    self.push_package(entry, os, self.repositories(os));
                }
            }
        }
    }

    /// An add-on that brings its own chart or manifests.
    fn own_addon(&mut self, index: usize, addon: &Addon) {
        let charts = addon.chart.iter().map(|chart| (Kind::Chart, chart));
        let manifests = addon.manifests.iter().map(|manifest| (Kind::Manifest, manifest));
        for (kind, source) in charts.chain(manifests) {
            let name = source.rsplit('/').next().unwrap_or(source);
            let mirror = self.redirects.file(source).into_iter().collect();
            let digest = Digest::FirstSight("given in cluster.yaml without a digest".to_owned());
            self.entries.push(Entry {
                component: addon.name.clone(),
                version: addon.version.as_ref().map(ToString::to_string),
                source: vec![source.clone()],
                checksum: Some(digest),
                mirror,
                ..bare(
                    kind,
                    name,
                    &format!("addons[{index}].{}", if kind == Kind::Chart { "chart" } else { "manifests" }),
                )
            });
        }
    }

    /// What is the same for all entries of a want.
    fn entry(&self, want: &Want<'_>, kind: Kind, name: &str, when: &When) -> Entry {
        let because = when.because(self.fields);
        Entry {
            component: want.component.name.clone(),
            version: want.version.as_ref().map(ToString::to_string),
            licence: Some(want.component.licence.clone()),
            reasons: want.reasons.iter().map(|reason| narrowed(reason, &because)).collect(),
            ..bare(kind, name, "")
        }
    }

    fn push_package(&mut self, entry: Entry, os: &OsRelease, source: Vec<String>) {
        let mirror = source.iter().filter_map(|address| self.redirects.package(address)).collect();
        self.entries.push(Entry { os: Some(os.to_string()), source, mirror, ..entry });
    }

    /// The repositories of a release of an operating system.
    fn repositories(&self, os: &OsRelease) -> Vec<String> {
        let releases =
            self.catalogue.systems.get(&os.name).map(|system| system.versions.as_slice()).unwrap_or_default();
        let release = releases.iter().find(|release| release.version == os.version);
        let addresses = release.into_iter().flat_map(|release| &release.repositories);
        let upstream = addresses.map(|repository| (&repository.url, repository.suite.as_deref().unwrap_or_default()));
        let kind = self.catalogue.systems.get(&os.name).map(|system| PackageType::from(system.family));
        let own = self.spec.system.repositories.iter().filter(|one| kind.is_some_and(|kind| one.serves(os, kind)));
        upstream
            .chain(own.map(|repository| (&repository.address, repository.suite.as_str())))
            .map(|(address, suite)| format!("{address} {suite}").trim().to_owned())
            .collect()
    }

    /// The architectures that the want's hosts have; one that upstream lacks becomes a problem.
    fn arches(&mut self, want: &Want<'_>, name: &str, platforms: &[Platform]) -> Vec<Arch> {
        let mut found = vec![];
        for (arch, host) in &want.arch {
            if platforms.contains(&Platform(*arch)) {
                found.push(*arch);
                continue;
            }
            self.problems.push(Problem {
                code: Code::NotForArchitecture,
                path: format!("spec.hosts[{host}].arch"),
                message: format!("{name} is not to be had for {}", arch.as_str()),
                help: format!(
                    "it is here for: {}; choose hosts of another architecture, or another component",
                    want.reasons[0]
                ),
            });
        }
        found
    }
}

fn not_for_system(want: &Want<'_>, os: &OsRelease) -> Problem {
    Problem {
        code: Code::NotForSystem,
        path: want.path.clone(),
        message: format!("{} is not to be had for {os}", want.component.name),
        help: format!("it is here for: {}; choose something else, or leave {os} out of system.os", want.reasons[0]),
    }
}

/// A reason with the fields that narrow it for one entry.
fn narrowed(reason: &Reason, because: &[String]) -> Reason {
    let known: Vec<&str> = reason.why.split(", ").filter(|part| !part.is_empty()).collect();
    let more = because.iter().map(String::as_str).filter(|part| !known.contains(part));
    let why = known.iter().copied().chain(more).collect::<Vec<_>>().join(", ");
    Reason { why, nodes: reason.nodes.clone() }
}

/// An entry with nothing but its kind, its name and one reason.
fn bare(kind: Kind, name: &str, why: &str) -> Entry {
    Entry {
        kind,
        name: name.to_owned(),
        version: None,
        os: None,
        arch: vec![],
        component: String::new(),
        licence: None,
        source: vec![],
        mirror: vec![],
        checksum: None,
        members: vec![],
        reasons: vec![Reason { why: why.to_owned(), nodes: Nodes::default() }],
    }
}

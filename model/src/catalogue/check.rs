//! What must hold inside the catalogue, also after a user's file was laid over it.

use super::component::{Checksum, Component};
use super::{Catalogue, Versions, Words};
use crate::version::Version;

impl Catalogue {
    /// Everything that refers to something that does not exist.
    pub(super) fn contradictions(&self) -> Vec<String> {
        let mut problems = vec![];
        for component in self.components.values() {
            self.check_component(component, &mut problems);
        }
        self.check_releases(&mut problems);
        problems
    }

    fn check_component(&self, component: &Component, problems: &mut Vec<String>) {
        let name = &component.name;
        let mut say = |problem: String| problems.push(format!("component {name}: {problem}"));
        for needed in component.needs_names() {
            if !self.components.contains_key(needed) {
                say(format!("needs `{needed}`, which does not exist"));
            }
        }
        let versions = self.versions(component);
        if let Some(default) = &component.default
            && !versions.contains(&default)
        {
            say(format!("default {default} is not among its versions"));
        }
        let versionless = versions.is_empty();
        if versionless && !(component.files.is_empty() && component.images.is_empty()) {
            say("has files or images and no version".to_owned());
        }
        // A slip in a pattern shows in every version; it is said once.
        let problems = versions
            .into_iter()
            .map(|version| component.pattern_problems(version))
            .find(|problems| !problems.is_empty());
        problems.into_iter().flatten().for_each(say);
    }

    fn check_releases(&self, problems: &mut Vec<String>) {
        for (minor, release) in &self.releases {
            if let Some(stray) = release.versions.iter().find(|version| version.minor() != *minor) {
                problems.push(format!("release {minor}: {stray} is of another minor"));
            }
            for (name, version) in release.patches.values().chain([&release.set]).flatten() {
                let known = self.component(name).is_some_and(|component| self.versions(component).contains(&version));
                if !known {
                    problems.push(format!("release {minor}: there is no {name} {version}"));
                }
                if release.accepts.get(name).is_some_and(|range| !range.contains(version)) {
                    problems.push(format!("release {minor}: does not accept its own {name} {version}"));
                }
            }
            for name in release.accepts.keys().filter(|name| self.component(name).is_none()) {
                problems.push(format!("release {minor}: accepts `{name}`, which does not exist"));
            }
        }
    }
}

impl Component {
    fn needs_names(&self) -> impl Iterator<Item = &String> {
        let listed = match &self.versions {
            Versions::Kubernetes => &[],
            Versions::Listed(list) => list.as_slice(),
        };
        self.needs.keys().chain(listed.iter().flat_map(|entry| entry.needs.keys()))
    }

    /// Patterns that cannot be filled in for a version, images without a registry, addresses that are none.
    fn pattern_problems(&self, version: &Version) -> Vec<String> {
        let vars = self.entry(version).map(|entry| &entry.vars);
        let words = Words::of(version, vars);
        let mut problems = vec![];
        let mut try_fill = |words: &Words, pattern: &str| match words.fill(pattern) {
            Ok(text) => Some(text),
            Err(error) => {
                problems.push(error.to_string());
                None
            }
        };
        let mut bad = vec![];
        for file in self.files.iter().chain(&self.charts).chain(&self.manifests) {
            let words = words.with("arch", "amd64");
            let Some(url) = try_fill(&words, &file.url) else { continue };
            let checksum = match &file.checksum {
                Checksum::Sha256sum(pattern) | Checksum::Index(pattern) => try_fill(&words.with("url", &url), pattern),
                Checksum::Sha256(_) | Checksum::FirstSight(_) => None,
            };
            bad.extend([Some(url), checksum].into_iter().flatten().filter(|text| !text.starts_with("https://")));
        }
        for image in &self.images {
            let Some(tag) = try_fill(&words, &image.tag) else { continue };
            let registry = image.name.split('/').next().unwrap_or_default();
            if !registry.contains('.') || !image.name.contains('/') || tag.is_empty() {
                bad.push(format!("{}:{tag}", image.name));
            }
        }
        problems.extend(bad.into_iter().map(|text| format!("`{text}` is no full https address or image name")));
        problems
    }
}

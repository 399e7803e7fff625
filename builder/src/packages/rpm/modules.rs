//! Modules: streams of packages of which one at most is seen, the default one unless another is enabled.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::io::Read;

use serde::Deserialize;

use super::index::{Index, Kind, Number};

/// Larger than the modules of any distribution.
const MOST_BYTES: u64 = 256 * 1024 * 1024;

/// Why the modules of a repository cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ModulesError {
    /// The bytes cannot be unpacked.
    #[error("they cannot be unpacked")]
    Read(#[from] std::io::Error),
    /// They are no YAML of modules.
    #[error("they are no description of modules")]
    Yaml(#[from] serde_yaml::Error),
    /// A stream is wanted that does not exist, or that cannot be had together with the others.
    #[error("the module stream {stream} cannot be enabled: {reason}")]
    Stream {
        /// `module:stream`.
        stream: String,
        /// Why not.
        reason: String,
    },
}

#[derive(Debug, Deserialize)]
struct Document {
    document: String,
    #[serde(default)]
    data: Data,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Data {
    /// The module, in the document of its defaults.
    module: String,
    name: String,
    stream: String,
    version: u64,
    context: String,
    arch: String,
    dependencies: Vec<Dependency>,
    artifacts: Artifacts,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Dependency {
    requires: BTreeMap<String, Vec<String>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Artifacts {
    rpms: Vec<String>,
}

/// The modules of all repositories.
#[derive(Debug, Default)]
pub struct Modules {
    streams: Vec<Data>,
    defaults: BTreeMap<String, String>,
}

/// Which packages are seen.
#[derive(Debug, Default)]
pub struct Seen {
    /// Packages of streams that are in use.
    active: HashSet<String>,
    /// Packages of other streams.
    inactive: HashSet<String>,
    /// Names that only packages of streams in use may have.
    names: HashSet<String>,
}

impl Modules {
    /// Adds the modules of a repository.
    pub fn read(&mut self, input: impl Read) -> Result<(), ModulesError> {
        let mut text = String::new();
        input.take(MOST_BYTES).read_to_string(&mut text)?;
        for document in serde_yaml::Deserializer::from_str(&text) {
            let Document { document, data } = Document::deserialize(document)?;
            match document.as_str() {
                "modulemd" => self.streams.push(data),
                "modulemd-defaults" if !data.stream.is_empty() => {
                    self.defaults.insert(data.module, data.stream);
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Chooses the streams: those that are enabled (`module:stream`), the default ones of other modules, and what both need.
    pub fn choose(&self, enabled: &[String], arch: &str, platform: Option<&str>) -> Result<Seen, ModulesError> {
        let mut wanted: BTreeMap<&str, &str> = self.defaults.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
        for entry in enabled {
            let refuse = |reason: &str| ModulesError::Stream { stream: entry.clone(), reason: reason.to_owned() };
            let (module, stream) = entry.split_once(':').ok_or_else(|| refuse("it is not written module:stream"))?;
            let same = |data: &&Data| data.name == module && data.stream == stream && data.arch == arch;
            let known = self.streams.iter().find(same).ok_or_else(|| refuse("no repository has it"))?;
            wanted.insert(&known.name, &known.stream);
        }
        let newest = self.newest(arch);
        let mut active: BTreeMap<&str, &Data> = BTreeMap::new();
        for (module, stream) in wanted.clone() {
            let explicit = enabled.iter().any(|entry| entry == &format!("{module}:{stream}"));
            let mut found = active.clone();
            if activate(&newest, &wanted, platform, (module, stream), &mut found) {
                active = found;
            } else if explicit {
                let reason = "what it needs cannot be had together with the other streams".to_owned();
                return Err(ModulesError::Stream { stream: format!("{module}:{stream}"), reason });
            }
        }
        Ok(self.seen(&active))
    }

    /// The newest description of each stream and context.
    fn newest(&self, arch: &str) -> Vec<&Data> {
        let mut newest: BTreeMap<(&str, &str, &str), &Data> = BTreeMap::new();
        for data in self.streams.iter().filter(|data| data.arch == arch) {
            let entry = newest.entry((&data.name, &data.stream, &data.context)).or_insert(data);
            if data.version > entry.version {
                *entry = data;
            }
        }
        newest.into_values().collect()
    }

    fn seen(&self, active: &BTreeMap<&str, &Data>) -> Seen {
        let mut seen = Seen::default();
        for data in &self.streams {
            let is_active = active.values().any(|one| std::ptr::eq(*one, data));
            for artifact in &data.artifacts.rpms {
                if !is_active {
                    seen.inactive.insert(artifact.clone());
                    continue;
                }
                seen.active.insert(artifact.clone());
                let name = artifact.rsplitn(3, '-').nth(2).unwrap_or_default();
                if artifact.rsplit('.').next() != Some("src") {
                    seen.names.insert(name.to_owned());
                }
            }
        }
        seen
    }
}

/// Takes a stream and what it needs into use, or says that it cannot be.
fn activate<'a>(
    newest: &[&'a Data],
    wanted: &BTreeMap<&'a str, &'a str>,
    platform: Option<&str>,
    (module, stream): (&str, &str),
    active: &mut BTreeMap<&'a str, &'a Data>,
) -> bool {
    if let Some(known) = active.get(module) {
        return known.stream == stream;
    }
    for data in newest.iter().filter(|data| data.name == module && data.stream == stream) {
        let mut found = active.clone();
        found.insert(&data.name, data);
        if needs(newest, wanted, platform, data, &mut found) {
            *active = found;
            return true;
        }
    }
    false
}

/// Takes into use what a stream needs: one of its alternatives, all of it.
fn needs<'a>(
    newest: &[&'a Data],
    wanted: &BTreeMap<&'a str, &'a str>,
    platform: Option<&str>,
    data: &'a Data,
    active: &mut BTreeMap<&'a str, &'a Data>,
) -> bool {
    let accepts = |streams: &[String], stream: &str| {
        let refused = streams.iter().any(|entry| entry.strip_prefix('-') == Some(stream));
        let named: Vec<&String> = streams.iter().filter(|entry| !entry.starts_with('-')).collect();
        !refused && (named.is_empty() || named.iter().any(|entry| *entry == stream))
    };
    let met = |alternative: &'a Dependency, active: &mut BTreeMap<&'a str, &'a Data>| {
        alternative.requires.iter().all(|(module, streams)| {
            if module == "platform" {
                return platform.is_none_or(|platform| accepts(streams, platform));
            }
            let candidates: BTreeSet<&str> =
                newest.iter().filter(|data| data.name == *module).map(|data| data.stream.as_str()).collect();
            let chosen = active.get(module.as_str()).map(|data| data.stream.as_str());
            let first = chosen.or_else(|| wanted.get(module.as_str()).copied());
            let order = first.into_iter().chain(candidates.into_iter().rev().filter(|_| first.is_none()));
            order
                .filter(|stream| accepts(streams, stream))
                .any(|stream| activate(newest, wanted, platform, (module, stream), active))
        })
    };
    data.dependencies.is_empty()
        || data.dependencies.iter().any(|alternative| {
            let mut found = active.clone();
            let ok = met(alternative, &mut found);
            if ok {
                *active = found;
            }
            ok
        })
}

impl Seen {
    /// Whether a package is seen: it belongs to a stream in use, or to none and takes no name away from one.
    pub fn shows(&self, index: &Index, number: Number) -> bool {
        if self.active.is_empty() && self.inactive.is_empty() {
            return true;
        }
        let package = index.package(number);
        let (name, evr) = (index.words(package.name), index.words(package.evr));
        let epoch = if evr.contains(':') { "" } else { "0:" };
        let nevra = format!("{name}-{epoch}{evr}.{}", index.words(package.arch));
        if self.active.contains(&nevra) {
            return true;
        }
        let provides = || index.relations(number, Kind::Provides).iter().map(|relation| index.words(relation.name));
        !self.inactive.contains(&nevra)
            && !self.names.contains(name)
            && !provides().any(|provided| self.names.contains(provided))
    }
}

//! Reads the catalogue that the programs carry, and lays the user's own file over it.

use std::collections::BTreeMap;

use rust_embed::RustEmbed;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::Catalogue;

/// The files of `manifests/`, carried inside the program.
#[derive(RustEmbed)]
#[folder = "../manifests"]
#[include = "*/*.yaml"]
struct Files;

/// The catalogue cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum CatalogueError {
    /// A file is not YAML.
    #[error("{file} is not YAML")]
    Yaml {
        /// Which file.
        file: String,
        /// Why.
        #[source]
        source: serde_yaml::Error,
    },
    /// An entry does not have the form that `manifests/README.md` describes.
    #[error("{file}: {entry} is not a valid entry of {section}")]
    Entry {
        /// Which file.
        file: String,
        /// Which of the four sections.
        section: &'static str,
        /// Which entry.
        entry: String,
        /// Why.
        #[source]
        source: serde_json::Error,
    },
    /// A user's file has a section that does not exist.
    #[error("{file}: `{section}` is not a section of a catalogue; there are {known}", known = SECTIONS.map(|(name, _)| name).join(", "))]
    Section {
        /// Which file.
        file: String,
        /// Which section.
        section: String,
    },
    /// An entry refers to something that does not exist.
    #[error("{}: {}", if .files.is_empty() { "the catalogue" } else { .files }, .problems.join("; "))]
    Contradiction {
        /// The user's files, the last of which most likely brought it.
        files: String,
        /// What is wrong.
        problems: Vec<String>,
    },
}

/// The sections: the folder and the user's key, and the field that names an entry.
const SECTIONS: [(&str, &str); 4] =
    [("components", "name"), ("releases", "kubernetes"), ("os", "name"), ("zones", "name")];

impl Catalogue {
    /// The catalogue that this program carries.
    pub fn builtin() -> Result<Self, CatalogueError> {
        Self::with_overrides(&[])
    }

    /// The catalogue that this program carries, with the user's files (name and text) laid over it in order.
    pub fn with_overrides(overrides: &[(String, String)]) -> Result<Self, CatalogueError> {
        let mut tree = Tree::default();
        for path in Files::iter() {
            let Some(file) = Files::get(&path) else { continue };
            let text = String::from_utf8_lossy(&file.data);
            tree.add_documents(&path, &text)?;
        }
        for (name, text) in overrides {
            tree.lay_over(name, text)?;
        }
        let catalogue = tree.into_catalogue()?;
        let problems = catalogue.contradictions();
        let files = overrides.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(", ");
        if problems.is_empty() { Ok(catalogue) } else { Err(CatalogueError::Contradiction { files, problems }) }
    }
}

/// Entries before they become types, so that a user's file can change a part of one; each with the file it came from last.
#[derive(Default)]
struct Tree(BTreeMap<&'static str, BTreeMap<String, (String, Value)>>);

impl Tree {
    /// The documents of one of our own files, `SECTION/NAME.yaml`.
    fn add_documents(&mut self, path: &str, text: &str) -> Result<(), CatalogueError> {
        let Some((section, key)) = SECTIONS.into_iter().find(|(section, _)| path.starts_with(&format!("{section}/")))
        else {
            return Ok(());
        };
        let file = format!("manifests/{path}");
        for document in serde_yaml::Deserializer::from_str(text) {
            let value =
                Value::deserialize(document).map_err(|source| CatalogueError::Yaml { file: file.clone(), source })?;
            let name = value.get(key).and_then(Value::as_str).unwrap_or(path).to_owned();
            if self.0.entry(section).or_default().insert(name.clone(), (file.clone(), value)).is_some() {
                let problems = vec![format!("{section} has two entries `{name}`")];
                return Err(CatalogueError::Contradiction { files: file, problems });
            }
        }
        Ok(())
    }

    /// A user's file: sections, in them entries by name, in them the fields that change.
    fn lay_over(&mut self, file: &str, text: &str) -> Result<(), CatalogueError> {
        let sections: BTreeMap<String, BTreeMap<String, Map<String, Value>>> =
            serde_yaml::from_str(text).map_err(|source| CatalogueError::Yaml { file: file.to_owned(), source })?;
        for (section, entries) in sections {
            let Some((section, key)) = SECTIONS.into_iter().find(|(name, _)| **name == section) else {
                return Err(CatalogueError::Section { file: file.to_owned(), section });
            };
            for (name, fields) in entries {
                let known = self.0.entry(section).or_default();
                let (from, entry) =
                    known.entry(name.clone()).or_insert_with(|| (String::new(), Value::Object(Map::new())));
                file.clone_into(from);
                lay_over(entry, Value::Object(fields));
                entry[key] = Value::String(name);
            }
        }
        Ok(())
    }

    fn into_catalogue(mut self) -> Result<Catalogue, CatalogueError> {
        Ok(Catalogue {
            components: self.section("components")?,
            releases: self.section("releases")?,
            systems: self.section("os")?,
            zones: self.section("zones")?,
        })
    }

    fn section<T: DeserializeOwned>(&mut self, section: &'static str) -> Result<BTreeMap<String, T>, CatalogueError> {
        let entries = self.0.remove(section).unwrap_or_default();
        entries
            .into_iter()
            .map(|(entry, (file, value))| match serde_json::from_value(value) {
                Ok(typed) => Ok((entry, typed)),
                Err(source) => Err(CatalogueError::Entry { file, section, entry, source }),
            })
            .collect()
    }
}

/// Mappings join; a list of versions gains or changes versions; everything else is replaced.
fn lay_over(base: &mut Value, over: Value) {
    match (base, over) {
        (Value::Object(base), Value::Object(over)) => {
            for (key, value) in over {
                match base.get_mut(&key) {
                    Some(Value::Array(known)) if key == "versions" => add_versions(known, value),
                    Some(known) => lay_over(known, value),
                    None => {
                        base.insert(key, value);
                    }
                }
            }
        }
        (base, over) => *base = over,
    }
}

fn add_versions(known: &mut Vec<Value>, more: Value) {
    let Value::Array(more) = more else { return };
    // Releases list plain versions, components list mappings with a field `version`.
    let name = |entry: &Value| entry.get("version").unwrap_or(entry).clone();
    for entry in more {
        match known.iter_mut().find(|old| name(old) == name(&entry)) {
            Some(old) => lay_over(old, entry),
            None => known.push(entry),
        }
    }
}

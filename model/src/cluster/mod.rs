//! cluster.yaml, from text to a [`Cluster`] that is valid by construction.
//!
//! ```text
//! files, overrides ─ overrides ─► one tree ─ shape ─► fields ─ defaults ─► lint ─► Cluster, or findings
//! ```

/// The forms that texts must have.
pub mod formats;
/// The JSON Schema that editors use and [`shape`] walks along.
pub mod json_schema;
/// Arithmetic of networks.
pub mod networks;
/// `--set` and `-e`.
pub mod overrides;
/// A commented cluster.yaml to start from.
pub mod sample;
/// The fields, as types.
pub mod schema;

mod defaults;
mod free;
mod lint;
pub(crate) use lint::listed;
mod shape;
mod suggest;

use schema::{ClusterFile, Host, Role, Spec};

use crate::catalogue::Catalogue;
use crate::finding::{Finding, any_error};
use crate::secret::STARS;
use crate::yaml::{Limits, Node, Sources, merge, parse};

/// A cluster whose description has been read, filled with defaults and found without errors.
#[derive(Debug, Clone)]
pub struct Cluster(ClusterFile);

impl Cluster {
    /// What it is called.
    pub fn name(&self) -> &str {
        &self.0.metadata.name
    }

    /// What it is made of.
    pub fn spec(&self) -> &Spec {
        &self.0.spec
    }

    /// The whole file with its defaults filled in, for people to see: secrets are stars, also in settings that are handed on.
    pub fn view(&self) -> serde_json::Value {
        let mut value = serde_json::to_value(&self.0).unwrap_or_default();
        hide_secrets(&mut value);
        value
    }

    /// The hosts with a role.
    pub fn hosts(&self, role: Role) -> impl Iterator<Item = &Host> {
        self.spec().hosts.iter().filter(move |host| host.has(role))
    }
}

/// What came of reading a configuration.
#[derive(Debug, Default)]
pub struct Reading {
    /// The texts that findings point into.
    pub sources: Sources,
    /// All problems, in the order of their places.
    pub findings: Vec<Finding>,
    /// The cluster, unless a finding is an error.
    pub cluster: Option<Cluster>,
}

/// Reads files (name and text) laid over each other in order, then the overrides, and checks the result.
pub fn read(files: Vec<(String, String)>, overrides: &[overrides::Override], catalogue: &Catalogue) -> Reading {
    let mut sources = Sources::default();
    let mut findings = vec![];
    let mut cluster = None;
    if let Some(mut tree) = lay_over(files, &mut sources, &mut findings) {
        overrides::apply(overrides, &mut tree, &mut sources, &mut findings);
        let shaped = shape::shape(&tree, json_schema::root());
        findings.extend(shaped.findings);
        shaped.secrets.into_iter().for_each(|place| sources.hide(place));
        if let Ok(mut file) = serde_json::from_value::<ClusterFile>(shaped.value) {
            defaults::fill(&mut file.spec, catalogue);
            findings.extend(lint::lint(&file, &tree, catalogue, &shaped.unsure));
            cluster = Some(Cluster(file)).filter(|_| !any_error(&findings));
        }
    }
    findings.sort_by_key(|finding| (finding.place.is_none(), finding.place, finding.code));
    Reading { sources, findings, cluster }
}

/// Puts stars in place of every value whose name says that it is a secret.
fn hide_secrets(value: &mut serde_json::Value) {
    use serde_json::Value;
    let is_secret = |key: &str| {
        let key = key.to_lowercase();
        ["password", "passwd", "secret", "token", "privatekey"].iter().any(|word| key.contains(word))
            && !key.ends_with("env")
            && !key.ends_with("path")
    };
    match value {
        Value::Object(map) => {
            for (key, value) in map {
                if is_secret(key) && !matches!(value, Value::Object(_) | Value::Array(_) | Value::Bool(_) | Value::Null)
                {
                    *value = Value::String(STARS.to_owned());
                } else {
                    hide_secrets(value);
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(hide_secrets),
        _ => {}
    }
}

fn lay_over(files: Vec<(String, String)>, sources: &mut Sources, findings: &mut Vec<Finding>) -> Option<Node> {
    let mut tree: Option<Node> = None;
    let mut broken = false;
    for (name, text) in files {
        let id = sources.add(name, text);
        match parse(sources, id, &Limits::default()) {
            Ok(node) => match &mut tree {
                Some(tree) => merge(tree, node),
                None => tree = Some(node),
            },
            Err(problems) => {
                findings.extend(problems);
                broken = true;
            }
        }
    }
    tree.filter(|_| !broken)
}

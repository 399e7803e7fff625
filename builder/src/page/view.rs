//! The page's words and numbers, ready to be filled in.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use kubexm_model::bom::Kind;
use kubexm_model::digest::Digest;
use serde::Serialize;

use super::change::Changes;
use super::compared::{self, Compared};
use super::contents::Contents;
use super::number::{count, size};
use super::picture::Group;
use super::table::Row;
use super::trust::{self, Link};
use super::{SCRIPT, STYLE, json, picture, table};
use crate::sbom::utc::readable;

/// What the template `page` asks for.
#[derive(Debug, Serialize)]
pub(super) struct Page {
    cluster: String,
    facts: Vec<Fact>,
    chain: Vec<Link>,
    groups: Vec<Group>,
    changes: Option<Compared>,
    rows: Vec<Row>,
    total: String,
    data: String,
    style: &'static str,
    script: &'static str,
    policy: String,
}

#[derive(Debug, Serialize)]
struct Fact {
    name: &'static str,
    value: String,
}

/// What scripts find in the page.
#[derive(Debug, Serialize)]
struct Data<'page> {
    contents: &'page Contents,
    other: Option<&'page Contents>,
    changes: Option<&'page Changes>,
}

impl Page {
    pub(super) fn of(contents: &Contents, other: Option<&Contents>) -> Self {
        let changes = other.map(|other| Changes::between(other, contents));
        let data = Data { contents, other, changes: changes.as_ref() };
        let marks = compared::marks(contents, changes.as_ref());
        Self {
            cluster: contents.statement.cluster.clone(),
            facts: facts(contents),
            chain: trust::chain(contents),
            groups: picture::groups(contents, &marks),
            rows: table::rows(contents),
            total: size(contents.size),
            data: json::embedded(&data),
            changes: other.zip(changes.as_ref()).map(|(other, changes)| Compared::of(other, contents, changes)),
            style: STYLE,
            script: SCRIPT,
            policy: policy(),
        }
    }
}

/// Nothing is loaded, nothing is sent, and no script runs but ours.
fn policy() -> String {
    let script = source_of(SCRIPT);
    format!("default-src 'none'; style-src 'unsafe-inline'; script-src {script}; base-uri 'none'; form-action 'none'")
}

/// A script by its digest, as browsers write it.
pub(super) fn source_of(script: &str) -> String {
    format!("'sha256-{}'", STANDARD.encode(Digest::of(script.as_bytes()).as_bytes()))
}

fn facts(contents: &Contents) -> Vec<Fact> {
    let statement = &contents.statement;
    let fact = |name, value| Fact { name, value };
    vec![
        fact("Channel", statement.channel.clone()),
        fact("Sequence", statement.sequence.to_string()),
        fact("Created", readable(statement.created)),
        fact("Size of the file", size(statement.data_length.saturating_add(statement.index_length))),
        fact("Contents", format!("{} in {}", size(contents.size), count(contents.items.len(), "entry", "entries"))),
        fact("Platforms", statement.platforms.join(", ")),
        fact("Made by", format!("kubexm-bundle {}", statement.builder)),
    ]
}

/// The name and the class of a kind.
pub(super) fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Binary => "binary",
        Kind::Image => "image",
        Kind::Chart => "chart",
        Kind::Manifest => "manifest",
        Kind::Package => "package",
    }
}

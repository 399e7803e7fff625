//! The page's words and numbers, ready to be filled in.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use kubexm_model::bom::Kind;
use kubexm_model::cluster::schema::word;
use kubexm_model::digest::Digest;
use serde::Serialize;

use super::change::{Change, Changes, How};
use super::contents::{Contents, Item};
use super::number::{count, difference, size};
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
    changes: Option<ChangesView>,
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

#[derive(Debug, Serialize)]
struct ChangesView {
    other: String,
    total: String,
    same: String,
    sums: Vec<Sum>,
    rows: Vec<ChangeRow>,
}

/// All changes of one sort.
#[derive(Debug, Serialize)]
struct Sum {
    class: &'static str,
    sign: &'static str,
    text: String,
}

#[derive(Debug, Serialize)]
struct ChangeRow {
    class: &'static str,
    sign: &'static str,
    how: String,
    kind: String,
    name: String,
    version: String,
    platform: String,
    from: String,
    to: String,
    difference: String,
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
        let marks = marks(contents, changes.as_ref());
        Self {
            cluster: contents.statement.cluster.clone(),
            facts: facts(contents),
            chain: trust::chain(contents),
            groups: picture::groups(contents, &marks),
            rows: table::rows(contents),
            total: size(contents.size),
            data: json::embedded(&data),
            changes: other.zip(changes.as_ref()).map(|(other, changes)| changes_view(other, contents, changes)),
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

/// The sign that each entry of this bundle gets in the picture.
fn marks(contents: &Contents, changes: Option<&Changes>) -> Vec<Option<How>> {
    let mut marks = vec![None; contents.items.len()];
    for change in changes.iter().flat_map(|changes| &changes.changes) {
        if let Some(mark) = change.after.and_then(|at| marks.get_mut(at)) {
            *mark = Some(change.how);
        }
    }
    marks
}

/// The class and the sign of a change: the sign says the same as the colour.
pub(super) fn class_and_sign(how: How) -> (&'static str, &'static str) {
    match how {
        How::Added => ("added", "+"),
        How::Removed => ("removed", "−"),
        How::Grown | How::Shrunk | How::Changed => ("changed", "~"),
    }
}

fn changes_view(other: &Contents, contents: &Contents, changes: &Changes) -> ChangesView {
    let before = &other.statement;
    let kinds: [(&str, &[How]); 3] =
        [("added", &[How::Added]), ("removed", &[How::Removed]), ("changed", &[How::Grown, How::Shrunk, How::Changed])];
    let sums = kinds.into_iter().map(|(name, hows)| {
        let these: Vec<&Change> = changes.changes.iter().filter(|change| hows.contains(&change.how)).collect();
        let (from, to) = these.iter().fold((0, 0), |(from, to), change| (from + change.from, to + change.to));
        let (class, sign) = class_and_sign(hows[0]);
        Sum { class, sign, text: format!("{} {name}, {}", these.len(), difference(from, to)) }
    });
    ChangesView {
        other: format!("{}, sequence {}, {}", before.channel, before.sequence, readable(before.created)),
        total: format!(
            "{} → {} ({})",
            size(changes.before),
            size(changes.after),
            difference(changes.before, changes.after)
        ),
        same: count(changes.same, "entry is", "entries are"),
        sums: sums.collect(),
        rows: changes.changes.iter().filter_map(|change| change_row(other, contents, change)).collect(),
    }
}

fn change_row(other: &Contents, contents: &Contents, change: &Change) -> Option<ChangeRow> {
    let old = change.before.and_then(|at| other.items.get(at));
    let new = change.after.and_then(|at| contents.items.get(at));
    let item = new.or(old)?;
    let version = |item: &Item| item.version.clone().unwrap_or_else(|| "—".to_owned());
    let version = match (old.map(version), new.map(version)) {
        (Some(old), Some(new)) if old != new => format!("{old} → {new}"),
        (old, new) => new.or(old)?,
    };
    let (class, sign) = class_and_sign(change.how);
    let bytes = |item: Option<&Item>, bytes| if item.is_some() { size(bytes) } else { "—".to_owned() };
    Some(ChangeRow {
        class,
        sign,
        how: word(&change.how),
        kind: kind(item.kind).to_owned(),
        name: item.name.clone(),
        version,
        platform: item.platform(),
        from: bytes(old, change.from),
        to: bytes(new, change.to),
        difference: difference(change.from, change.to),
    })
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

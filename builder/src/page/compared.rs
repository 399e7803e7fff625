//! What changed, in words and signs, and as marks in the picture.

use kubexm_model::cluster::schema::word;
use serde::Serialize;

use super::change::{Change, Changes, How};
use super::contents::{Contents, Item};
use super::number::{count, difference, size, sum};
use super::view::kind;
use crate::sbom::utc::readable;

/// What changed, as the template `changes` asks for it.
#[derive(Debug, Serialize)]
pub(super) struct Compared {
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

/// The class and the sign of a change: the sign says the same as the colour.
pub(super) fn class_and_sign(how: How) -> (&'static str, &'static str) {
    match how {
        How::Added => ("added", "+"),
        How::Removed => ("removed", "−"),
        How::Grown | How::Shrunk | How::Changed => ("changed", "~"),
    }
}

impl Compared {
    pub(super) fn of(other: &Contents, contents: &Contents, changes: &Changes) -> Self {
        let before = &other.statement;
        let kinds: [(&str, &[How]); 3] = [
            ("added", &[How::Added]),
            ("removed", &[How::Removed]),
            ("changed", &[How::Grown, How::Shrunk, How::Changed]),
        ];
        let sums = kinds.into_iter().map(|(name, hows)| {
            let these: Vec<&Change> = changes.changes.iter().filter(|change| hows.contains(&change.how)).collect();
            let (from, to) = (sum(these.iter().map(|change| change.from)), sum(these.iter().map(|change| change.to)));
            let (class, sign) = class_and_sign(hows[0]);
            Sum { class, sign, text: format!("{} {name}, {}", these.len(), difference(from, to)) }
        });
        Self {
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

/// The sign that each entry of this bundle gets in the picture.
pub(super) fn marks(contents: &Contents, changes: Option<&Changes>) -> Vec<Option<How>> {
    let mut marks = vec![None; contents.items.len()];
    for change in changes.iter().flat_map(|changes| &changes.changes) {
        if let Some(mark) = change.after.and_then(|at| marks.get_mut(at)) {
            *mark = Some(change.how);
        }
    }
    marks
}

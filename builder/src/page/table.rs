//! The table: a row for everything, the same numbers as in the picture.

use std::cmp::Reverse;

use kubexm_model::lock::Proof;
use serde::Serialize;

use super::contents::{Contents, Item, Shared};
use super::number::{count, percent, share, size};
use super::trust::words;
use super::view::kind;

/// A row of the table.
#[derive(Debug, Serialize)]
pub(super) struct Row {
    /// The place that tiles point to.
    id: String,
    class: &'static str,
    kind: &'static str,
    name: String,
    version: String,
    platform: String,
    bytes: u64,
    size: String,
    /// What comes on top and is counted elsewhere.
    shared: String,
    share: String,
    percent: String,
    source: String,
    /// Whether a browser could open it.
    link: bool,
    licence: String,
    proof: &'static str,
    /// Whether nobody vouches for the digest.
    weak: bool,
    why: String,
}

/// Every row, the heaviest first.
pub(super) fn rows(contents: &Contents) -> Vec<Row> {
    let items = contents.items.iter().enumerate().map(|(at, item)| item_row(contents, at, item));
    let shared = contents.shared.iter().enumerate().map(|(at, shared)| shared_row(contents, at, shared));
    let mut rows: Vec<Row> = items.chain(shared).collect();
    rows.sort_by_key(|row| Reverse(row.bytes));
    rows
}

fn item_row(contents: &Contents, at: usize, item: &Item) -> Row {
    let more = item.size.saturating_sub(item.alone);
    Row {
        id: format!("e{at}"),
        class: kind(item.kind),
        kind: kind(item.kind),
        name: item.name.clone(),
        version: item.version.clone().unwrap_or_else(|| "—".to_owned()),
        platform: item.platform(),
        shared: if more > 0 { format!("+ {} shared", size(more)) } else { String::new() },
        source: item.source.clone(),
        link: item.source.starts_with("https://") || item.source.starts_with("http://"),
        licence: item.licence.clone().unwrap_or_else(|| "not known".to_owned()),
        proof: words(item.proof),
        weak: item.proof == Proof::FirstSight,
        why: item.why.join("; "),
        ..blank(contents, item.alone)
    }
}

fn shared_row(contents: &Contents, at: usize, shared: &Shared) -> Row {
    let users = contents.users(shared);
    Row {
        id: format!("s{at}"),
        class: "shared",
        kind: "shared",
        name: format!("{} that {} share", count(shared.blobs, "blob", "blobs"), count(users.len(), "entry", "entries")),
        why: users.join("; "),
        ..blank(contents, shared.size)
    }
}

/// A row that has only a size.
fn blank(contents: &Contents, bytes: u64) -> Row {
    Row {
        id: String::new(),
        class: "",
        kind: "",
        name: String::new(),
        version: "—".to_owned(),
        platform: "—".to_owned(),
        bytes,
        size: size(bytes),
        shared: String::new(),
        share: share(bytes, contents.size),
        percent: format!("{:.3}", percent(bytes, contents.size)),
        source: "—".to_owned(),
        link: false,
        licence: "—".to_owned(),
        proof: "—",
        weak: false,
        why: String::new(),
    }
}

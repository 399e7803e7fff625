//! The picture: a tile for everything, grouped by kind, with areas in proportion to bytes.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use kubexm_model::bom::Kind;
use serde::Serialize;

use super::change::How;
use super::compared::class_and_sign;
use super::contents::{Contents, Item, Shared};
use super::number::{self, count, real, share, size};
use super::treemap::{Area, squarify};
use super::view::kind;

/// The form in which tiles are made nearly square; the page may stretch it, and the areas stay in proportion.
const WHOLE: Area = Area { left: 0.0, top: 0.0, width: 1000.0, height: 460.0 };

/// The tiles of one kind; packages for each operating system are a group of their own.
#[derive(Debug, Serialize)]
pub(super) struct Group {
    class: &'static str,
    title: String,
    count: String,
    size: String,
    share: String,
    tiles: Vec<Tile>,
}

#[derive(Debug, Serialize)]
struct Tile {
    /// The row that says more.
    row: String,
    shared: bool,
    label: String,
    size: String,
    arch: String,
    title: String,
    /// What changed, as class and sign.
    change: &'static str,
    sign: &'static str,
    left: String,
    top: String,
    width: String,
    height: String,
}

/// What a tile stands for.
#[derive(Clone, Copy)]
enum Thing<'page> {
    Item(usize, &'page Item),
    Shared(usize, &'page Shared),
}

impl Thing<'_> {
    fn bytes(&self) -> u64 {
        match self {
            Self::Item(_, item) => item.alone,
            Self::Shared(_, shared) => shared.size,
        }
    }

    fn group(&self) -> (Kind, Option<String>) {
        let (kind, os) = match self {
            Self::Item(_, item) => (item.kind, &item.os),
            Self::Shared(_, shared) => (shared.kind, &shared.os),
        };
        (kind, os.clone().filter(|_| kind == Kind::Package))
    }
}

/// Every group with its tiles, the largest first.
pub(super) fn groups(contents: &Contents, marks: &[Option<How>]) -> Vec<Group> {
    let items = contents.items.iter().enumerate().map(|(at, item)| Thing::Item(at, item));
    let shared = contents.shared.iter().enumerate().map(|(at, shared)| Thing::Shared(at, shared));
    let mut sorted: BTreeMap<(Kind, Option<String>), Vec<Thing<'_>>> = BTreeMap::new();
    items.chain(shared).for_each(|thing| sorted.entry(thing.group()).or_default().push(thing));
    let mut groups: Vec<_> = sorted.into_iter().collect();
    let sum = |things: &[Thing<'_>]| number::sum(things.iter().map(Thing::bytes));
    groups.sort_by_key(|(_, things)| Reverse(sum(things)));
    let areas = squarify(&groups.iter().map(|(_, things)| real(sum(things))).collect::<Vec<_>>(), WHOLE);
    groups
        .into_iter()
        .zip(areas)
        .map(|(((kind_of, os), mut things), area)| {
            things.sort_by_key(|thing| Reverse(thing.bytes()));
            let bytes = sum(&things);
            let entries = things.iter().filter(|thing| matches!(thing, Thing::Item(..))).count();
            things.retain(|thing| thing.bytes() > 0);
            let places = squarify(&things.iter().map(|thing| real(thing.bytes())).collect::<Vec<_>>(), area);
            Group {
                class: kind(kind_of),
                title: title(kind_of, os.as_deref()),
                count: count(entries, "entry", "entries"),
                size: size(bytes),
                share: share(bytes, contents.size),
                tiles: things.iter().zip(places).map(|(thing, place)| tile(contents, marks, thing, place)).collect(),
            }
        })
        .collect()
}

fn title(kind: Kind, os: Option<&str>) -> String {
    match (kind, os) {
        (Kind::Binary, _) => "Binaries".to_owned(),
        (Kind::Image, _) => "Images".to_owned(),
        (Kind::Chart, _) => "Charts".to_owned(),
        (Kind::Manifest, _) => "Manifests".to_owned(),
        (Kind::Package, Some(os)) => format!("Packages for {os}"),
        (Kind::Package, None) => "Packages".to_owned(),
    }
}

fn tile(contents: &Contents, marks: &[Option<How>], thing: &Thing<'_>, place: Area) -> Tile {
    let part = share(thing.bytes(), contents.size);
    let bytes = size(thing.bytes());
    let (row, label, arch, title, mark) = match thing {
        Thing::Item(at, item) => {
            let version = item.version.as_deref().filter(|version| !item.name.ends_with(version)).unwrap_or_default();
            let more = match item.size.saturating_sub(item.alone) {
                0 => String::new(),
                bytes => format!(", and {} that others need too", size(bytes)),
            };
            let about = format!("{}, {}", kind(item.kind), item.platform());
            let title = format!("{} {version}\n{about}\n{bytes}, {part}{more}", item.name);
            let label = item.name.rsplit('/').next().unwrap_or(&item.name).to_owned();
            // Programs are there once for each processor, under one name.
            let arch = if item.kind == Kind::Binary { item.arch.join(", ") } else { String::new() };
            (format!("e{at}"), label, arch, title, marks.get(*at).copied().flatten())
        }
        Thing::Shared(at, shared) => {
            let users = contents.users(shared);
            let label = format!("shared by {}", users.len());
            let blobs = count(shared.blobs, "blob", "blobs");
            let title = format!("{blobs} shared by\n{}\n{bytes}, {part}", users.join("\n"));
            (format!("s{at}"), label, String::new(), title, None)
        }
    };
    let (change, sign) = mark.map_or(("", ""), class_and_sign);
    let number = |part: f64, whole: f64| format!("{:.4}", part * 100.0 / whole);
    Tile {
        row,
        shared: matches!(thing, Thing::Shared(..)),
        label,
        size: bytes,
        arch,
        title,
        change,
        sign,
        left: number(place.left, WHOLE.width),
        top: number(place.top, WHOLE.height),
        width: number(place.width, WHOLE.width),
        height: number(place.height, WHOLE.height),
    }
}

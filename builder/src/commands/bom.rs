//! `bom`: everything that a cluster needs, and why.

use std::collections::BTreeMap;

use clap::Args;
use kubexm_model::bom::{self, Digest, Entry};
use kubexm_model::cluster::schema::{Arch, word};
use kubexm_model::console::{ClusterArgs, Failure, Format, output};

#[derive(Debug, Args)]
pub(crate) struct Bom {
    #[command(flatten)]
    cluster: ClusterArgs,

    /// The form of the answer
    #[arg(short, long, value_enum, default_value_t, value_name = "FORMAT")]
    output: Format,
}

impl Bom {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let catalogue = self.cluster.catalogue.load()?;
        let cluster = self.cluster.load(&catalogue)?;
        let bom = bom::derive(&cluster, &catalogue);
        match self.output {
            Format::Json => output::json(&bom)?,
            Format::Yaml => output::yaml(&bom)?,
            Format::Name => output::lines(bom.entries.iter().map(|entry| &entry.name))?,
            Format::Table => {
                let head = ["KIND", "NAME", "VERSION", "PLATFORM", "WHY"];
                output::text(&output::table(&head, bom.entries.iter().map(row)))?;
            }
            Format::Wide => {
                let head = ["KIND", "NAME", "VERSION", "PLATFORM", "COMPONENT", "LICENCE", "FROM", "CHECKSUM", "WHY"];
                output::text(&output::table(&head, bom.entries.iter().map(wide_row)))?;
            }
        }
        output::to_stderr(&summary(&bom.entries));
        Ok(())
    }
}

fn row(entry: &Entry) -> Vec<String> {
    let version = entry.version.clone().unwrap_or_else(|| "-".to_owned());
    vec![word(&entry.kind), entry.name.clone(), version, platform(entry), reasons(entry)]
}

fn wide_row(entry: &Entry) -> Vec<String> {
    let mut row = row(entry);
    let from = if entry.mirror.is_empty() { &entry.source } else { &entry.mirror };
    let more = [
        entry.component.clone(),
        entry.licence.clone().unwrap_or_else(|| "-".to_owned()),
        from.join(", "),
        checksum(entry),
    ];
    row.splice(4..4, more);
    row
}

fn platform(entry: &Entry) -> String {
    let arches: Vec<&str> = entry.arch.iter().copied().map(Arch::as_str).collect();
    match &entry.os {
        Some(os) => format!("{os}/{}", arches.join(",")),
        None => "any".to_owned(),
    }
}

fn checksum(entry: &Entry) -> String {
    match &entry.checksum {
        Some(Digest::Sha256sum(url) | Digest::Index(url)) => url.clone(),
        Some(Digest::Sha256(hex)) => format!("sha256:{hex}"),
        Some(Digest::FirstSight(why)) => format!("pinned at first sight: {why}"),
        None => "by digest".to_owned(),
    }
}

fn reasons(entry: &Entry) -> String {
    entry.reasons.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

/// `41 entries: 9 binary, 12 image, …`.
fn summary(entries: &[Entry]) -> String {
    let mut counts: BTreeMap<_, usize> = BTreeMap::new();
    for entry in entries {
        *counts.entry(entry.kind).or_default() += 1;
    }
    let parts: Vec<_> = counts.iter().map(|(kind, count)| format!("{count} {}", word(kind))).collect();
    format!("{} entries: {}\n", entries.len(), parts.join(", "))
}

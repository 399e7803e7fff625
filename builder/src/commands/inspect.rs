//! `inspect`: what a bundle holds, as a table, as JSON, or as a page to look at.

use std::path::PathBuf;

use clap::Args;
use kubexm_builder::page::{self, Contents};
use kubexm_model::cluster::schema::{Arch, word};
use kubexm_model::console::{Exit, Failure, Format, output};
use kubexm_model::lock::Locked;
use serde_json::json;

use super::options::BundleArgs;
use super::verify::lock_of;

#[derive(Debug, Args)]
pub(crate) struct Inspect {
    #[command(flatten)]
    bundle: BundleArgs,

    /// The form of the answer
    #[arg(short, long, value_enum, default_value_t, value_name = "FORMAT")]
    output: Format,

    /// Write a page to look at, with a map of the sizes
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,

    /// An older bundle: the page shows what changed since then
    #[arg(long, value_name = "BUNDLE", requires = "report")]
    since: Option<PathBuf>,
}

impl Inspect {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let bundle = self.bundle.open()?;
        let lock = lock_of(&bundle, &self.bundle.bundle)?;
        if let Some(report) = &self.report {
            let contents = contents_of(&self.bundle)?;
            let since = self.since.as_ref().map(|since| contents_of(&self.bundle.with(since))).transpose()?;
            let page = page::render(&contents, since.as_ref());
            let written = fs_err::write(report, page);
            written.map_err(|error| Failure::new(Exit::Failed, "the page cannot be written").because(&error))?;
            return output::text(&format!("{}\n", report.display()));
        }
        match self.output {
            Format::Json => output::json(&json!({"statement": bundle.statement(), "lock": lock})),
            Format::Yaml => output::yaml(&json!({"statement": bundle.statement(), "lock": lock})),
            Format::Name => output::lines(lock.entries.iter().map(|entry| &entry.name)),
            Format::Table | Format::Wide => {
                let head = ["KIND", "NAME", "VERSION", "PLATFORM", "SIZE", "PROOF", "LICENCE", "FROM"];
                let columns = if self.output == Format::Wide { head.len() } else { 6 };
                let rows = lock.entries.iter().map(|entry| row(entry)[..columns].to_vec());
                output::text(&output::table(&head[..columns], rows))
            }
        }
    }
}

/// What a verified bundle holds, ready to be shown or compared.
pub(crate) fn contents_of(args: &BundleArgs) -> Result<Contents, Failure> {
    let bundle = args.open()?;
    let lock = lock_of(&bundle, &args.bundle)?;
    let keys: Vec<_> = bundle.signatures().iter().map(|signature| signature.key.fingerprint()).collect();
    Ok(Contents::of_bundle(&lock, bundle.statement(), &keys, bundle.index()))
}

fn row(entry: &Locked) -> Vec<String> {
    let arch: Vec<&str> = entry.arch.iter().copied().map(Arch::as_str).collect();
    let platform = entry.os.as_ref().map_or("any".to_owned(), |os| format!("{os}/{}", arch.join(",")));
    let mut blobs: Vec<_> = entry.blobs().map(|blob| (blob.digest, blob.size)).collect();
    blobs.sort_unstable();
    blobs.dedup();
    let size: u64 = blobs.iter().map(|(_, size)| size).sum();
    vec![
        word(&entry.kind),
        entry.name.clone(),
        entry.version.clone().unwrap_or_else(|| "-".to_owned()),
        platform,
        indicatif::HumanBytes(size).to_string(),
        word(&entry.proof),
        entry.licence.clone().unwrap_or_else(|| "-".to_owned()),
        entry.source.clone(),
    ]
}

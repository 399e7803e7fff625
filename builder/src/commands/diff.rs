//! `diff`: what changed between two bundles. Exit code 0: nothing, 1: something, 2 and more: an error.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::Args;
use kubexm_model::cluster::schema::word;
use kubexm_model::console::{Exit, Failure, output};
use kubexm_model::digest::Digest;
use kubexm_model::lock::{Lock, Locked};

use super::options::BundleArgs;
use super::verify::lock_of;

#[derive(Debug, Args)]
pub(crate) struct Diff {
    #[command(flatten)]
    old: BundleArgs,

    /// The newer bundle
    #[arg(value_name = "OTHER")]
    new: PathBuf,
}

impl Diff {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let old = lock_of(&self.old.open()?, &self.old.bundle)?;
        let newer = self.old.with(&self.new);
        let new = lock_of(&newer.open()?, &self.new)?;
        let (old, new) = (table(&old), table(&new));
        let mut lines = vec![];
        for (name, digest) in &new {
            match old.get(name) {
                None => lines.push(format!("+ {name}")),
                Some(before) if before != digest => lines.push(format!("~ {name}")),
                Some(_) => {}
            }
        }
        lines.extend(old.keys().filter(|name| !new.contains_key(*name)).map(|name| format!("- {name}")));
        lines.sort_by(|a, b| a[2..].cmp(&b[2..]));
        let same = lines.is_empty();
        output::lines(lines)?;
        if same { Ok(()) } else { Err(Failure::silent(Exit::Failed)) }
    }
}

/// What an entry is called, and the bytes it stands for.
fn table(lock: &Lock) -> BTreeMap<String, Digest> {
    let name = |entry: &Locked| {
        let arch: Vec<_> = entry.arch.iter().map(word).collect();
        let platform = entry.os.as_ref().map(|os| format!(" {os}/{}", arch.join(","))).unwrap_or_default();
        format!("{} {}{platform}", word(&entry.kind), entry.name)
    };
    lock.entries.iter().map(|entry| (name(entry), entry.blob.digest)).collect()
}

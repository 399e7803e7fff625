//! `diff`: what changed between two bundles. Exit code 0: nothing, 1: something, 2 and more: an error.

use std::path::PathBuf;

use clap::Args;
use kubexm_builder::page::{Change, Changes, Contents, Item};
use kubexm_model::cluster::schema::word;
use kubexm_model::console::bundle::BundleArgs;
use kubexm_model::console::{Exit, Failure, output};

use super::inspect::contents_of;

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
        let old = contents_of(&self.old)?;
        let new = contents_of(&self.old.with(&self.new))?;
        let changes = Changes::between(&old, &new).changes;
        output::lines(changes.iter().map(|change| line(change, &old, &new)))?;
        if changes.is_empty() { Ok(()) } else { Err(Failure::silent(Exit::Failed)) }
    }
}

/// A sign, what it is, and the name that it had before if that is another.
fn line(change: &Change, old: &Contents, new: &Contents) -> String {
    let name = |item: &Item| format!("{} {} {}", word(&item.kind), item.name, item.platform());
    let before = change.before.map(|at| name(&old.items[at]));
    let after = change.after.map(|at| name(&new.items[at]));
    match (before, after) {
        (None, Some(after)) => format!("+ {after}"),
        (Some(before), None) => format!("- {before}"),
        (Some(before), Some(after)) if before != after => format!("~ {after}, was {before}"),
        (_, after) => format!("~ {}", after.unwrap_or_default()),
    }
}

//! `receipt`: what a site has from a bundle, to be carried back.

use std::path::PathBuf;

use clap::Args;

use super::super::failure::{Exit, Failure};
use super::super::output;
use super::BundleArgs;
use crate::bundle::Receipt;

/// `receipt`.
#[derive(Debug, Args)]
pub struct ReceiptCommand {
    #[command(flatten)]
    bundle: BundleArgs,

    /// The receipt
    #[arg(short, long, value_name = "FILE", default_value = "receipt.json")]
    out: PathBuf,
}

impl ReceiptCommand {
    /// Writes the receipt of a bundle that is whole, with those that it builds upon.
    pub fn run(&self) -> Result<(), Failure> {
        let set = self.bundle.open_all()?;
        let receipt = Receipt::of(set.newest());
        let text = serde_json::to_string_pretty(&receipt).map_err(|error| Failure::output(&error))?;
        fs_err::write(&self.out, text + "\n").map_err(|error| {
            Failure::new(Exit::Failed, format!("{} cannot be written", self.out.display())).because(&error)
        })?;
        output::text(&format!("{}: {} blobs\n", self.out.display(), receipt.blobs.len()))
    }
}

//! `sign`: one more signature on a bundle that is there.

use std::os::unix::fs::FileExt;
use std::path::PathBuf;

use clap::Args;
use kubexm_model::bundle::{PublicKey, sign};
use kubexm_model::console::bundle::Found;
use kubexm_model::console::{Exit, Failure, output};

use super::options::SigningArgs;

#[derive(Debug, Args)]
pub(crate) struct Sign {
    /// The bundle, or any of its volumes; it is changed in place; its content stays as it is
    #[arg(value_name = "BUNDLE")]
    bundle: PathBuf,

    #[command(flatten)]
    signing: SigningArgs,

    /// A further folder with volumes of it
    #[arg(long, value_name = "DIR")]
    volumes: Vec<PathBuf>,
}

impl Sign {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        for key in self.signing.read()? {
            let found = Found::at(&self.bundle, &self.volumes)?;
            let bundle = found.open()?;
            let signature = sign(bundle.to_be_signed(), &key);
            let Some(front) = bundle.co_signed(signature) else {
                let message =
                    format!("{} is signed by this key already, or has no room for one more", self.bundle.display());
                return Err(Failure::usage(message));
            };
            let write = || -> std::io::Result<()> {
                let (path, offset) = found.beginning();
                let file = fs_err::OpenOptions::new().write(true).open(path)?;
                file.file().write_all_at(&front, offset)?;
                file.sync_data()
            };
            write().map_err(|error| Failure::new(Exit::Failed, "the bundle cannot be signed").because(&error))?;
            output::text(&format!("{}: signed by {}\n", self.bundle.display(), PublicKey::from(&key).fingerprint()))?;
        }
        Ok(())
    }
}

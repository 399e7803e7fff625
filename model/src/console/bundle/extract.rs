//! `extract`: a folder of everything, for those who want one.

use std::path::PathBuf;

use clap::Args;

use super::super::failure::{Exit, Failure};
use super::super::output;
use super::{BundleArgs, refused};

/// `extract`.
#[derive(Debug, Args)]
pub struct Extract {
    #[command(flatten)]
    bundle: BundleArgs,

    /// The folder, which must not be there yet
    #[arg(short, long, value_name = "DIR")]
    out: PathBuf,
}

impl Extract {
    /// Writes every member of a bundle, and of those that it builds upon.
    pub fn run(&self) -> Result<(), Failure> {
        let path = &self.bundle.bundle;
        let bundle = self.bundle.open_all()?;
        let failed = |error: &dyn std::error::Error| {
            Failure::new(Exit::Failed, format!("{} cannot be written", self.out.display())).because(error)
        };
        fs_err::create_dir(&self.out).map_err(|error| failed(&error))?;
        fs_err::create_dir_all(self.out.join("blobs/sha256")).map_err(|error| failed(&error))?;
        let mut count = 0;
        for member in bundle.paths() {
            // A file gets its name when it was read to the end and found good.
            let mut file = tempfile::NamedTempFile::new_in(&self.out).map_err(|error| failed(&error))?;
            bundle.copy_to(member, &mut file).map_err(|refusal| refused(path, &refusal))?;
            file.persist(self.out.join(member.to_string())).map_err(|error| failed(&error))?;
            count += 1;
        }
        output::text(&format!("{}: {count} files\n", self.out.display()))
    }
}

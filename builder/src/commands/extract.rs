//! `extract`: a folder of everything, for those who want one.

use std::path::PathBuf;

use clap::Args;
use kubexm_model::console::{Exit, Failure, output};

use super::options::{BundleArgs, refused};

#[derive(Debug, Args)]
pub(crate) struct Extract {
    #[command(flatten)]
    bundle: BundleArgs,

    /// The folder, which must not be there yet
    #[arg(short, long, value_name = "DIR")]
    out: PathBuf,
}

impl Extract {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let path = &self.bundle.bundle;
        let bundle = self.bundle.open()?;
        let failed = |error: &dyn std::error::Error| {
            Failure::new(Exit::Failed, format!("{} cannot be written", self.out.display())).because(error)
        };
        fs_err::create_dir(&self.out).map_err(|error| failed(&error))?;
        fs_err::create_dir_all(self.out.join("blobs/sha256")).map_err(|error| failed(&error))?;
        for member in &bundle.index().members {
            // A file gets its name when it was read to the end and found good.
            let mut file = tempfile::NamedTempFile::new_in(&self.out).map_err(|error| failed(&error))?;
            bundle.copy_to(member.path, &mut file).map_err(|refusal| refused(path, &refusal))?;
            file.persist(self.out.join(member.path.to_string())).map_err(|error| failed(&error))?;
        }
        output::text(&format!("{}: {} files\n", self.out.display(), bundle.index().members.len()))
    }
}

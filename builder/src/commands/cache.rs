//! `cache …`: looks after the store.

use std::collections::BTreeSet;
use std::path::PathBuf;

use clap::{Args, Subcommand};
use kubexm_model::console::{Exit, Failure, output};
use kubexm_model::lock::Lock;

use super::options::CacheArgs;

#[derive(Debug, Subcommand)]
pub(crate) enum CacheCommand {
    /// Print where it is
    Dir(Where),
    /// List the blobs with their sizes
    List(Where),
    /// Print how many bytes it takes
    Size(Where),
    /// Hash every blob again, and remove those that are damaged
    Verify(Where),
    /// Remove every blob that no lock names
    #[command(before_help = "Example:
  kubexm-bundle cache prune --keep cluster.lock")]
    Prune {
        #[command(flatten)]
        at: Where,
        /// A lock whose blobs stay; without one everything goes
        #[arg(long, value_name = "LOCK")]
        keep: Vec<PathBuf>,
    },
}

#[derive(Debug, Args)]
pub(crate) struct Where {
    #[command(flatten)]
    cache: CacheArgs,
}

impl CacheCommand {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let failed = |error: std::io::Error| Failure::new(Exit::Failed, "the cache cannot be read").because(&error);
        match self {
            Self::Dir(at) => output::text(&format!("{}\n", at.cache.open()?.root().display())),
            Self::List(at) => {
                let list = at.cache.open()?.list().map_err(failed)?;
                output::lines(list.iter().map(|(digest, size)| format!("{digest} {size}")))
            }
            Self::Size(at) => output::text(&format!("{}\n", at.cache.open()?.total().map_err(failed)?)),
            Self::Verify(at) => {
                let bad = at.cache.open()?.verify(&|_, _| {}).map_err(failed)?;
                output::lines(bad.iter().map(|digest| format!("{digest} was damaged and is removed")))?;
                if bad.is_empty() { output::text("every blob is good\n") } else { Err(Failure::silent(Exit::Failed)) }
            }
            Self::Prune { at, keep } => {
                let cache = at.cache.open()?;
                let mut blobs = BTreeSet::new();
                for path in keep {
                    let refuse = |error: &dyn std::error::Error| {
                        Failure::usage(format!("{} is no lock", path.display())).because(error)
                    };
                    let text = fs_err::read_to_string(path).map_err(|error| refuse(&error))?;
                    let lock: Lock = serde_yaml::from_str(&text).map_err(|error| refuse(&error))?;
                    blobs.extend(lock.blobs().map(|blob| blob.digest));
                }
                let tidied = cache.prune(&blobs).map_err(failed)?;
                output::text(&format!("removed {} files, {} bytes\n", tidied.files, tidied.bytes))
            }
        }
    }
}

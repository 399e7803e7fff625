//! `build`: one signed file with everything that a cluster needs.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::Args;
use kubexm_builder::fill;
use kubexm_builder::pack::{Label, pack};
use kubexm_model::console::{Exit, Failure, output};

use super::lock::{LockArgs, unresolved};
use super::options::SigningArgs;

#[derive(Debug, Args)]
pub(crate) struct Build {
    #[command(flatten)]
    lock: LockArgs,

    #[command(flatten)]
    signing: SigningArgs,

    /// The bundle [default: CLUSTER.tar.zst]
    #[arg(short, long, value_name = "FILE")]
    out: Option<PathBuf>,

    /// Use the lock as it is, and fail if it does not belong to this cluster.yaml
    #[arg(long)]
    locked: bool,

    /// Use nothing but the lock and the cache, and fail if something is missing there
    #[arg(long)]
    offline: bool,

    /// The line of bundles that it belongs to
    #[arg(long, default_value = "stable")]
    channel: String,

    /// Its place in that line [default: the second in which the lock was made]
    #[arg(long, value_name = "N")]
    sequence: Option<u64>,

    /// For how many days it may be used for something new
    #[arg(long, value_name = "DAYS", default_value_t = 180)]
    expires: u64,

    /// Threads that compress and write [default: all processors]
    #[arg(long, value_name = "N")]
    threads: Option<usize>,
}

impl Build {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let signing = self.signing.read()?;
        let prepared = self.lock.prepare()?;
        let lock = match self.lock.existing(&prepared.bom)? {
            Some(lock) => lock,
            None if self.locked || self.offline => {
                let message =
                    format!("{} does not belong to this cluster.yaml and this catalogue", self.lock.path().display());
                return Err(Failure::usage(message).hint("make it anew: kubexm-bundle lock"));
            }
            None => self.lock.resolve(&prepared)?,
        };
        let cache = prepared.resolver.fetcher.cache();
        // Blobs that several images share are counted once.
        let sizes: BTreeMap<_, _> = lock.blobs().map(|blob| (blob.digest, blob.size)).collect();
        let total: u64 = sizes.values().sum();
        let missing: u64 = sizes.iter().filter(|(digest, _)| cache.size(digest).is_none()).map(|(_, size)| size).sum();
        if self.offline && missing > 0 {
            let message = format!("{missing} bytes are missing in the cache {}", cache.root().display());
            return Err(Failure::new(Exit::Failed, message).hint("run the same command once without --offline"));
        }
        prepared.progress.stage("fetching", missing);
        prepared
            .runtime
            .block_on(fill::fill(&lock, &prepared.resolver))
            .map_err(|problems| unresolved("fetched", &problems))?;
        let out = self.out.clone().unwrap_or_else(|| PathBuf::from(format!("{}.tar.zst", lock.cluster)));
        let threads = self.threads.or_else(|| std::thread::available_parallelism().ok().map(usize::from)).unwrap_or(1);
        let label = Label { channel: self.channel.clone(), sequence: self.sequence, days: self.expires };
        prepared.progress.stage("writing", total);
        // The blobs settle on the disk while the bundle is written from them.
        let settling = std::thread::spawn({
            let cache = cache.clone();
            move || cache.settle()
        });
        let packed = pack(&lock, cache, &out, &label, &signing, threads, &|bytes| prepared.progress.add(bytes))
            .map_err(|error| {
                Failure::new(Exit::Failed, format!("{} cannot be written", out.display())).because(&error)
            })?;
        let settled = settling.join().unwrap_or_else(|_| Err(std::io::Error::other("a thread failed")));
        settled.map_err(|error| Failure::new(Exit::Failed, "the cache cannot be written").because(&error))?;
        prepared.progress.done();
        output::text(&format!(
            "{}: {} bytes, {} members, {} entries\n",
            out.display(),
            packed.size,
            packed.members,
            lock.entries.len()
        ))
    }
}

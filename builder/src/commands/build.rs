//! `build`: one signed file with everything that a cluster needs.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;

use clap::Args;
use ed25519_dalek::SigningKey;
use kubexm_builder::fill;
use kubexm_builder::pack::{Arrivals, Have, Label, Packed, Packing, write_image};
use kubexm_model::bundle::{PublicKey, Receipt, TrustedKeys};
use kubexm_model::console::bundle::{Found, refused};
use kubexm_model::console::{Exit, Failure, input, output};
use kubexm_model::lock::Lock;

use super::lock::{LockArgs, Prepared, unresolved};
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

    /// Cut it into files of at most this size, as in 4G: NAME.001, NAME.002, …
    #[arg(long, value_name = "SIZE", value_parser = size)]
    volume_size: Option<u64>,

    /// Write the OS packages once more as an ISO image
    #[arg(long, value_name = "FILE")]
    iso: Option<PathBuf>,

    /// Leave out what this bundle has, which the other side still has; signed by one of the same keys
    #[arg(long, value_name = "BUNDLE")]
    base: Vec<PathBuf>,

    /// Leave out what the other side has by this receipt
    #[arg(long, value_name = "FILE")]
    have: Vec<PathBuf>,

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
        let have = self.have(&signing)?;
        self.announce(&lock, &have, &prepared)?;
        let out = self.out.clone().unwrap_or_else(|| PathBuf::from(format!("{}.tar.zst", lock.cluster)));
        let threads = self.threads.or_else(|| std::thread::available_parallelism().ok().map(usize::from)).unwrap_or(1);
        let packing = Packing {
            lock: &lock,
            cache: prepared.resolver.fetcher.cache(),
            have: &have,
            out: &out,
            volume_size: self.volume_size,
            label: &Label { channel: self.channel.clone(), sequence: self.sequence, days: self.expires },
            keys: &signing,
            threads,
            progress: &prepared.progress,
        };
        let packed = fetch_and_pack(&packing, &prepared)?;
        prepared.progress.done();
        if let Some(iso) = &self.iso {
            let written = write_image(&lock, prepared.resolver.fetcher.cache(), iso);
            let count = written.map_err(|error| {
                Failure::new(Exit::Failed, format!("{} cannot be written", iso.display())).because(&error)
            })?;
            output::text(&format!("{}: {count} packages\n", iso.display()))?;
        }
        let volumes =
            if packed.files.len() > 1 { format!(" in {} volumes", packed.files.len()) } else { String::new() };
        output::text(&format!(
            "{}: {} bytes{volumes}, {} members, {} entries\n",
            out.display(),
            packed.size,
            packed.members,
            lock.entries.len()
        ))
    }

    /// Says how much there is to do: everything that is missing is fetched, and everything is written.
    fn announce(&self, lock: &Lock, have: &Have, prepared: &Prepared) -> Result<(), Failure> {
        let cache = prepared.resolver.fetcher.cache();
        // Blobs that several images share are counted once.
        let mut sizes: BTreeMap<_, _> = lock.blobs().map(|blob| (blob.digest, blob.size)).collect();
        sizes.retain(|digest, _| !have.blobs.contains(digest));
        let missing: u64 = sizes.iter().filter(|(digest, _)| cache.size(digest).is_none()).map(|(_, size)| size).sum();
        if self.offline && missing > 0 {
            let message = format!("{missing} bytes are missing in the cache {}", cache.root().display());
            return Err(Failure::new(Exit::Failed, message).hint("run the same command once without --offline"));
        }
        let what = if missing > 0 { "fetching and packing" } else { "packing" };
        prepared.progress.stage(what, missing + sizes.values().sum::<u64>());
        Ok(())
    }

    /// What the other side has.
    fn have(&self, signing: &[SigningKey]) -> Result<Have, Failure> {
        let mut have = Have::default();
        let trusted = TrustedKeys::any_of(signing.iter().map(PublicKey::from));
        for path in &self.base {
            let base = Found::at(path, &[])?.open()?.verify(&trusted).map_err(|refusal| refused(path, &refusal))?;
            have.add(Receipt::of(&base));
        }
        for path in &self.have {
            let text = input::read(path).map_err(|error| Failure::usage(error.to_string()))?.1;
            let receipt = Receipt::from_json(&text);
            have.add(receipt.map_err(|error| Failure::usage(path.display().to_string()).because(&error))?);
        }
        Ok(have)
    }
}

/// Packs what arrives while the rest is on its way, and lets the blobs settle on the disk meanwhile.
fn fetch_and_pack(packing: &Packing<'_>, prepared: &Prepared) -> Result<Packed, Failure> {
    let arrivals = Arrivals::default();
    let failed = || io::Error::other("a thread failed");
    let (filled, packed, settled) = std::thread::scope(|scope| {
        let packer = scope.spawn(|| packing.run(&arrivals));
        let fill = fill::fill(packing.lock, packing.have, &prepared.resolver, &arrivals);
        let filled = prepared.runtime.block_on(fill);
        arrivals.end();
        let settled = packing.cache.settle();
        (filled, packer.join().unwrap_or_else(|_| Err(failed())), settled)
    });
    filled.map_err(|problems| unresolved("fetched", &problems))?;
    settled.map_err(|error| Failure::new(Exit::Failed, "the cache cannot be written").because(&error))?;
    packed.map_err(|error| {
        Failure::new(Exit::Failed, format!("{} cannot be written", packing.out.display())).because(&error)
    })
}

/// A number of bytes with K, M, G or T behind it, each 1024 times the one before.
fn size(text: &str) -> Result<u64, String> {
    let refuse = || format!("`{text}` is no size: a number, and K, M, G or T, as in 4G");
    let plain = text.trim_end_matches(['i', 'B']);
    let digits = plain.trim_end_matches(['K', 'M', 'G', 'T']);
    let power = match &plain[digits.len()..] {
        "" => 0,
        "K" => 1,
        "M" => 2,
        "G" => 3,
        "T" => 4,
        _ => return Err(refuse()),
    };
    let number: u64 = digits.parse().map_err(|_| refuse())?;
    number.checked_mul(1 << (10 * power)).filter(|size| *size > 0).ok_or_else(refuse)
}

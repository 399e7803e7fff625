//! `verify`: whether a bundle is whole, trusted, and enough for a cluster.

use clap::Args;
use serde_json::json;

use super::super::failure::{Exit, Failure};
use super::super::progress::Progress;
use super::super::{args::ClusterArgs, output};
use super::{BundleArgs, TrustArgs, refused};
use crate::bom;
use crate::bundle::{Bad, Bundle, BundleSet, MemberPath, Standing, Verified};
use crate::lock::Lock;

/// `verify`.
#[derive(Debug, Args)]
pub struct Verify {
    #[command(flatten)]
    bundle: BundleArgs,

    #[command(flatten)]
    trust: TrustArgs,

    /// Remember it as the newest of its channel: older ones are refused from now on
    #[arg(long, requires = "trust_state")]
    accept: bool,

    /// Prove that it holds everything that this cluster.yaml needs
    #[arg(long = "for", value_name = "FILE")]
    cluster: Option<std::path::PathBuf>,

    /// Print the members that are damaged
    #[arg(long)]
    list_bad: bool,

    /// Answer in JSON
    #[arg(long)]
    json: bool,
}

/// The lock inside a bundle.
pub fn lock_of(bundle: &Bundle<Verified>, path: &std::path::Path) -> Result<Lock, Failure> {
    let bytes = bundle.read(MemberPath::Lock).map_err(|refusal| refused(path, &refusal))?;
    serde_yaml::from_slice(&bytes)
        .map_err(|error| Failure::new(Exit::Untrusted, "the bundle's lock cannot be read").because(&error))
}

impl Verify {
    /// Checks every byte, whether the bundle may still be used, and whether it is enough.
    pub fn run(&self) -> Result<(), Failure> {
        let path = &self.bundle.bundle;
        let bundle = self.bundle.open_all()?;
        let standing = self.trust.check(path, bundle.newest(), &self.bundle.trusted()?)?;
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let progress = Progress::new(true);
        progress.stage("verifying", bundle.size());
        let bad = bundle.check(threads, &|bytes| progress.add(bytes)).map_err(|refusal| refused(path, &refusal))?;
        progress.done();
        let missing = if bad.is_empty() { self.missing(&lock_of(bundle.newest(), path)?)? } else { vec![] };
        self.answer(&bundle, &bad, &missing, standing)?;
        if !bad.is_empty() {
            let names: Vec<_> = bad.iter().map(describe).collect();
            return Err(Failure::new(Exit::Untrusted, format!("{} is damaged: {}", path.display(), names.join(", ")))
                .hint("copy it again from where it came from"));
        }
        if !missing.is_empty() {
            return Err(Failure::new(Exit::Untrusted, format!("{} lacks: {}", path.display(), missing.join(", ")))
                .hint("build it again for this cluster.yaml"));
        }
        if self.accept { self.trust.accept(bundle.newest()) } else { Ok(()) }
    }

    fn answer(&self, bundle: &BundleSet, bad: &[Bad], missing: &[String], standing: Standing) -> Result<(), Failure> {
        let path = &self.bundle.bundle;
        let statement = bundle.statement();
        if self.json {
            let damaged: Vec<_> = bad
                .iter()
                .map(|bad| json!({"path": bad.path, "offset": bad.offset, "length": bad.length, "volume": bad.volume}))
                .collect();
            return output::json(
                &json!({"bundle": path, "statement": statement, "damaged": damaged, "missing": missing}),
            );
        }
        if self.list_bad {
            return output::lines(bad.iter().map(|bad| {
                format!("{} {} {}", bad.offset, bad.length, bad.path.map_or("-".to_owned(), |path| path.to_string()))
            }));
        }
        if !bad.is_empty() || !missing.is_empty() {
            return Ok(());
        }
        let remark = match standing {
            Standing::Known { expired: true } => "it has expired; it may be used on because it was accepted before\n",
            Standing::ByTicket => "it is older than the newest one, or expired, and a ticket allows it\n",
            Standing::New | Standing::Known { expired: false } => "",
        };
        let keys: Vec<_> = bundle.newest().signatures().iter().map(|signature| signature.key.fingerprint()).collect();
        output::text(&format!(
            "{}: good, for cluster {}, channel {}, sequence {}\nsigned by {}\n{remark}",
            path.display(),
            statement.cluster,
            statement.channel,
            statement.sequence,
            keys.join(", ")
        ))
    }

    /// What the cluster needs and the bundle does not hold.
    fn missing(&self, lock: &Lock) -> Result<Vec<String>, Failure> {
        let Some(file) = &self.cluster else { return Ok(vec![]) };
        let args = ClusterArgs { file: vec![file.clone()], ..ClusterArgs::default() };
        let catalogue = args.catalogue.load()?;
        let cluster = args.load(&catalogue)?;
        let needed = bom::derive(&cluster, &catalogue).entries;
        let holds = |entry: &bom::Entry| {
            lock.entries.iter().any(|locked| {
                locked.kind == entry.kind
                    && locked.name == name_of(entry)
                    && locked.os == entry.os
                    && entry.arch.iter().all(|arch| locked.arch.contains(arch))
                    // A package has the version that its repository had when it was locked.
                    && (entry.kind == bom::Kind::Package || locked.version == entry.version)
            })
        };
        Ok(needed.iter().filter(|entry| !holds(entry)).map(|entry| entry.name.clone()).collect())
    }
}

/// What is damaged, as a person names it.
fn describe(bad: &Bad) -> String {
    let what = bad.path.map_or("what stands between members".to_owned(), |path| path.to_string());
    bad.volume.map_or(what.clone(), |volume| format!("{what} (volume {volume})"))
}

/// A package may be wanted in one version or for one architecture: `name=version`, `name:architecture`.
fn name_of(entry: &bom::Entry) -> &str {
    match entry.kind {
        bom::Kind::Package => entry.name.split(['=', ':']).next().unwrap_or(&entry.name),
        _ => &entry.name,
    }
}

//! `verify`: whether a bundle is whole, trusted, and enough for a cluster.

use clap::Args;
use kubexm_builder::progress::Progress;
use kubexm_model::bom;
use kubexm_model::bundle::{Bundle, MemberPath, Verified};
use kubexm_model::console::{ClusterArgs, Exit, Failure, output};
use kubexm_model::lock::Lock;
use serde_json::json;

use super::options::{BundleArgs, refused};

#[derive(Debug, Args)]
pub(crate) struct Verify {
    #[command(flatten)]
    bundle: BundleArgs,

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
pub(crate) fn lock_of(bundle: &Bundle<Verified>, path: &std::path::Path) -> Result<Lock, Failure> {
    let bytes = bundle.read(MemberPath::Lock).map_err(|refusal| refused(path, &refusal))?;
    serde_yaml::from_slice(&bytes)
        .map_err(|error| Failure::new(Exit::Untrusted, "the bundle's lock cannot be read").because(&error))
}

impl Verify {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let path = &self.bundle.bundle;
        let bundle = self.bundle.open()?;
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let progress = Progress::new(true);
        progress.stage("verifying", bundle.statement().data_length);
        let bad = bundle.check(threads, &|bytes| progress.add(bytes)).map_err(|refusal| refused(path, &refusal))?;
        progress.done();
        let missing = if bad.is_empty() { self.missing(&lock_of(&bundle, path)?)? } else { vec![] };
        let statement = bundle.statement();
        let damaged: Vec<_> =
            bad.iter().map(|bad| json!({"path": bad.path, "offset": bad.offset, "length": bad.length})).collect();
        if self.json {
            output::json(&json!({"bundle": path, "statement": statement, "damaged": damaged, "missing": missing}))?;
        } else if self.list_bad {
            output::lines(bad.iter().map(|bad| {
                format!("{} {} {}", bad.offset, bad.length, bad.path.map_or("-".to_owned(), |path| path.to_string()))
            }))?;
        } else if bad.is_empty() && missing.is_empty() {
            let keys: Vec<_> = bundle.signatures().iter().map(|signature| signature.key.fingerprint()).collect();
            output::text(&format!(
                "{}: good, for cluster {}, channel {}, sequence {}\nsigned by {}\n",
                path.display(),
                statement.cluster,
                statement.channel,
                statement.sequence,
                keys.join(", ")
            ))?;
        }
        if !bad.is_empty() {
            let names: Vec<_> = bad
                .iter()
                .map(|bad| bad.path.map_or("what stands between members".to_owned(), |path| path.to_string()))
                .collect();
            return Err(Failure::new(Exit::Untrusted, format!("{} is damaged: {}", path.display(), names.join(", ")))
                .hint("copy it again from where it came from"));
        }
        if !missing.is_empty() {
            return Err(Failure::new(Exit::Untrusted, format!("{} lacks: {}", path.display(), missing.join(", ")))
                .hint("build it again for this cluster.yaml"));
        }
        Ok(())
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

/// A package may be wanted in one version or for one architecture: `name=version`, `name:architecture`.
fn name_of(entry: &bom::Entry) -> &str {
    match entry.kind {
        bom::Kind::Package => entry.name.split(['=', ':']).next().unwrap_or(&entry.name),
        _ => &entry.name,
    }
}

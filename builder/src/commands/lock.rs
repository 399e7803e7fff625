//! `lock`: every entry of the bill of materials with its exact bytes.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use clap::{Args, ValueEnum};
use kubexm_builder::discover::ImageFields;
use kubexm_builder::pack::lock_bytes;
use kubexm_builder::resolve::{Packages, ResolveError, Resolver, Unresolved};
use kubexm_model::bom::{self, Bom, Kind};
use kubexm_model::catalogue::Catalogue;
use kubexm_model::cluster::Cluster;
use kubexm_model::cluster::schema::{Arch, OsRelease, word};
use kubexm_model::console::{ClusterArgs, Exit, Failure, Progress, output};
use kubexm_model::digest::Digest;
use kubexm_model::lock::{Lock, Locked, VERSION};

use super::options::FetchArgs;

/// What decides on a lock.
#[derive(Debug, Args)]
pub(crate) struct LockArgs {
    #[command(flatten)]
    cluster: ClusterArgs,

    #[command(flatten)]
    pub(crate) fetch: FetchArgs,

    /// The lock
    #[arg(long, value_name = "FILE", default_value = "cluster.lock")]
    lock: PathBuf,

    /// Leave these kinds out
    #[arg(long, value_name = "KINDS", value_delimiter = ',')]
    skip: Vec<KindName>,

    /// Take these kinds only
    #[arg(long, value_name = "KINDS", value_delimiter = ',', conflicts_with = "skip")]
    only: Vec<KindName>,

    /// The architectures that it is for [default: those of the hosts]
    #[arg(long, value_name = "ARCHITECTURES", value_delimiter = ',', value_parser = architecture)]
    arch: Vec<Arch>,

    /// What the nodes have, as `dpkg-query -W` or `rpm -qa` prints it: FILE, or SYSTEM=FILE as in debian-12=base.txt
    #[arg(long, value_name = "FILE")]
    base_list: Vec<String>,

    #[arg(long, env = "SOURCE_DATE_EPOCH", hide = true)]
    source_date_epoch: Option<u64>,
}

fn architecture(text: &str) -> Result<Arch, String> {
    let known = [Arch::Amd64, Arch::Arm64];
    let names = || known.map(Arch::as_str).join(", ");
    known.into_iter().find(|arch| arch.as_str() == text).ok_or_else(|| format!("there are: {}", names()))
}

/// The kinds of entries, as a person names them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum KindName {
    Binaries,
    Images,
    Charts,
    Manifests,
    Packages,
}

impl KindName {
    fn is(self, kind: Kind) -> bool {
        matches!(
            (self, kind),
            (Self::Binaries, Kind::Binary)
                | (Self::Images, Kind::Image)
                | (Self::Charts, Kind::Chart)
                | (Self::Manifests, Kind::Manifest)
                | (Self::Packages, Kind::Package)
        )
    }
}

#[derive(Debug, Args)]
pub(crate) struct LockCommand {
    #[command(flatten)]
    args: LockArgs,
}

/// What a lock is made from.
pub(crate) struct Prepared {
    pub(crate) bom: Bom,
    pub(crate) resolver: Resolver,
    pub(crate) progress: Arc<Progress>,
    pub(crate) runtime: tokio::runtime::Runtime,
}

impl LockCommand {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let prepared = self.args.prepare()?;
        let lock = self.args.resolve(&prepared)?;
        let settled = prepared.resolver.fetcher.cache().settle();
        settled.map_err(|error| Failure::new(Exit::Failed, "the cache cannot be written").because(&error))?;
        prepared.progress.done();
        output::text(&format!("{}: {} entries\n", self.args.lock.display(), lock.entries.len()))
    }
}

impl LockArgs {
    pub(crate) fn prepare(&self) -> Result<Prepared, Failure> {
        let catalogue = self.cluster.catalogue.load()?;
        let cluster = self.cluster.load(&catalogue)?;
        let mut bom = bom::derive_for(&cluster, &catalogue, &self.arch).map_err(|lacking| {
            Failure::usage(format!("not everything is to be had for these architectures: {}", lacking.join("; ")))
        })?;
        bom.entries.retain(|entry| {
            let named = |names: &[KindName]| names.iter().any(|name| name.is(entry.kind));
            !named(&self.skip) && (self.only.is_empty() || named(&self.only))
        });
        let progress = self.fetch.progress();
        let resolver = self.resolver(&cluster, &catalogue, progress.clone())?;
        let runtime = tokio::runtime::Runtime::new()
            .map_err(|error| Failure::usage("no threads can be started").because(&error))?;
        Ok(Prepared { bom, resolver, progress, runtime })
    }

    fn resolver(&self, cluster: &Cluster, catalogue: &Catalogue, progress: Arc<Progress>) -> Result<Resolver, Failure> {
        let spec = cluster.spec();
        let mut arch: Vec<Arch> = match self.arch.as_slice() {
            [] => spec.hosts.iter().filter(|host| host.is_node()).map(|host| host.arch).collect(),
            asked => asked.to_vec(),
        };
        arch.sort_unstable();
        arch.dedup();
        let object = |settings: &kubexm_model::cluster::schema::Settings| serde_json::Value::Object(settings.clone());
        let mut values: BTreeMap<String, serde_json::Value> = BTreeMap::new();
        values.insert(word(&spec.network.plugin), object(&spec.network.config));
        values.extend(spec.storage.iter().map(|storage| (word(&storage.name), object(&storage.values))));
        values.extend(spec.addons.iter().map(|addon| (addon.name.clone(), object(&addon.values))));
        let fields = ImageFields::builtin()
            .map_err(|error| Failure::usage("the list of image fields cannot be used").because(&error))?;
        Ok(Resolver {
            fetcher: self.fetch.fetcher(progress)?,
            redirects: bom::redirects(spec, catalogue),
            fields,
            arch,
            kubernetes: spec.kubernetes.version.as_ref().map(ToString::to_string),
            values,
            packages: Packages {
                catalogue: catalogue.clone(),
                base_lists: self.base_lists(&spec.system.os)?,
                own: spec.system.repositories.clone(),
                host: PathBuf::from("/"),
            },
        })
    }

    /// `debian-12=FILE`, or a file alone where there is one system only.
    fn base_lists(&self, systems: &[OsRelease]) -> Result<BTreeMap<String, PathBuf>, Failure> {
        let mut lists = BTreeMap::new();
        for text in &self.base_list {
            let named = systems.iter().find_map(|os| {
                let file = text.strip_prefix(&format!("{}-{}=", os.name, os.version))?;
                Some((os, file))
            });
            let (os, file) = match (named, systems) {
                (Some(named), _) => named,
                (None, [only]) => (only, text.as_str()),
                (None, _) => {
                    let known: Vec<String> = systems.iter().map(|os| format!("{}-{}", os.name, os.version)).collect();
                    return Err(Failure::usage(format!("--base-list {text} does not say for which system it is"))
                        .hint(format!("write SYSTEM=FILE; there are {}", known.join(", "))));
                }
            };
            lists.insert(os.to_string(), PathBuf::from(file));
        }
        Ok(lists)
    }

    /// Makes the lock and writes it.
    pub(crate) fn resolve(&self, prepared: &Prepared) -> Result<Lock, Failure> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        let created = self.source_date_epoch.unwrap_or(now);
        prepared.progress.stage("resolving", 0);
        let lock = prepared
            .runtime
            .block_on(prepared.resolver.lock(&prepared.bom, created))
            .map_err(|problems| unresolved("locked", &problems))?;
        let written = fs_err::write(&self.lock, lock_bytes(&lock));
        written.map_err(|error| Failure::new(Exit::Failed, "the lock cannot be written").because(&error))?;
        Ok(lock)
    }

    /// The lock that is there, if it belongs to this bill of materials.
    pub(crate) fn existing(&self, bom: &Bom) -> Result<Option<Lock>, Failure> {
        if !self.lock.exists() {
            return Ok(None);
        }
        let name = self.lock.display();
        let text = fs_err::read_to_string(&self.lock)
            .map_err(|error| Failure::usage("the lock cannot be read").because(&error))?;
        let lock: Lock = serde_yaml::from_str(&text).map_err(|error| {
            Failure::usage(format!("{name} is no lock")).because(&error).hint("remove it to make a new one")
        })?;
        if lock.version != VERSION {
            return Err(Failure::usage(format!(
                "{name} has version {}, and this program reads {VERSION}",
                lock.version
            )));
        }
        Ok(Some(lock).filter(|lock| lock.bom == bom.digest() && own_files_are_unchanged(lock)))
    }

    /// Where the lock is.
    pub(crate) fn path(&self) -> &std::path::Path {
        &self.lock
    }
}

/// Whether charts and manifests that lie beside cluster.yaml still are what was locked.
fn own_files_are_unchanged(lock: &Lock) -> bool {
    let own = |entry: &&Locked| matches!(entry.kind, Kind::Chart | Kind::Manifest) && !entry.source.contains("://");
    let same = |entry: &Locked| fs_err::read(&entry.source).is_ok_and(|bytes| Digest::of(&bytes) == entry.blob.digest);
    lock.entries.iter().filter(own).all(same)
}

/// Everything that failed, in one list.
pub(crate) fn unresolved(verb: &str, problems: &[Unresolved]) -> Failure {
    // A cause that many entries share (no network, a full disk) is said once.
    let mut causes: BTreeMap<String, Vec<&Unresolved>> = BTreeMap::new();
    for problem in problems {
        causes.entry(chain(&problem.error)).or_default().push(problem);
    }
    for (cause, problems) in &causes {
        let names = problems.iter().map(|problem| problem.name.as_str());
        let wanted = problems.iter().map(|problem| problem.wanted.as_str()).collect::<BTreeSet<_>>();
        let (names, wanted) = (names.collect::<Vec<_>>().join(", "), wanted.into_iter().collect::<Vec<_>>().join("; "));
        output::to_stderr(&format!("error: {names} cannot be {verb}\n  wanted: {wanted}\n  cause: {cause}\n"));
    }
    let unreachable = |problem: &Unresolved| {
        matches!(problem.error, ResolveError::Fetch(kubexm_builder::fetch::FetchError::Broken { .. }))
    };
    let exit = if problems.iter().all(unreachable) { Exit::Unreachable } else { Exit::Failed };
    let count = problems.len();
    Failure::new(exit, format!("{count} {} could not be {verb}", if count == 1 { "entry" } else { "entries" }))
        .hint("what was fetched stays in the cache: run the same command again when the cause is gone")
}

/// An error and what caused it, in one line.
fn chain(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(Some(error), |error| error.source());
    causes.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}

//! Flags that several commands share.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use ed25519_dalek::SigningKey;
use kubexm_builder::cache::Cache;
use kubexm_builder::fetch::{Fetcher, Options};
use kubexm_builder::keys;
use kubexm_model::console::{Failure, Progress};

use super::keygen::Passphrase;

/// Where the store is.
#[derive(Debug, Clone, Args)]
pub(crate) struct CacheArgs {
    /// The folder of everything that was fetched [default: $XDG_CACHE_HOME/kubexm, or ~/.cache/kubexm]
    #[arg(long, value_name = "DIR", env = "KUBEXM_CACHE_DIR", help_heading = "Fetching")]
    cache_dir: Option<PathBuf>,

    #[arg(long, env = "XDG_CACHE_HOME", hide = true)]
    xdg_cache_home: Option<PathBuf>,

    #[arg(long, env = "HOME", hide = true)]
    home: Option<PathBuf>,
}

impl CacheArgs {
    pub(crate) fn open(&self) -> Result<Cache, Failure> {
        let usual = || {
            self.xdg_cache_home
                .clone()
                .or_else(|| Some(self.home.clone()?.join(".cache")))
                .map(|base| base.join("kubexm"))
        };
        let root = self
            .cache_dir
            .clone()
            .or_else(usual)
            .ok_or_else(|| Failure::usage("there is no home folder for the cache: name one with --cache-dir"))?;
        Cache::open(&root).map_err(|error| Failure::usage("the cache cannot be used").because(&error))
    }
}

/// How things are fetched.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Fetching")]
pub(crate) struct FetchArgs {
    #[command(flatten)]
    pub(crate) cache: CacheArgs,

    /// Downloads at once
    #[arg(short = 'j', long, value_name = "N", default_value_t = 8, env = "KUBEXM_CONCURRENCY")]
    concurrency: usize,

    /// How often something is tried again
    #[arg(long, value_name = "N", default_value_t = 5, env = "KUBEXM_RETRIES")]
    retries: usize,

    /// A certificate authority to trust besides those of the system
    #[arg(long, value_name = "FILE", env = "KUBEXM_CA_FILE")]
    ca_file: Option<PathBuf>,

    /// Ask this registry without TLS, as in localhost:5000
    #[arg(long, value_name = "HOST")]
    plain_http: Vec<String>,

    /// Print lines instead of bars
    #[arg(long, env = "KUBEXM_NO_PROGRESS")]
    no_progress: bool,

    /// The folder of docker's configuration, for the accounts of registries
    #[arg(long, env = "DOCKER_CONFIG", value_name = "DIR", hide = true)]
    docker_config: Option<PathBuf>,
}

impl FetchArgs {
    pub(crate) fn progress(&self) -> Arc<Progress> {
        Arc::new(Progress::new(!self.no_progress))
    }

    pub(crate) fn fetcher(&self, progress: Arc<Progress>) -> Result<Arc<Fetcher>, Failure> {
        let home = self.cache.home.as_ref();
        let docker = self.docker_config.clone().or_else(|| home.map(|home| home.join(".docker")));
        let options = Options {
            concurrency: self.concurrency,
            retries: self.retries,
            ca_file: self.ca_file.clone(),
            docker_config: docker.map(|folder| folder.join("config.json")),
            netrc: home.map(|home| home.join(".netrc")),
            plain_http: self.plain_http.clone(),
            ..Options::default()
        };
        let fetcher = Fetcher::new(self.cache.open()?, options, progress);
        fetcher.map(Arc::new).map_err(|error| Failure::usage("nothing can be fetched").because(&error))
    }
}

/// Who signs.
#[derive(Debug, Clone, Args)]
pub(crate) struct SigningArgs {
    /// The secret key that signs; several sign one after the other
    #[arg(long, value_name = "FILE", required = true, env = "KUBEXM_KEY")]
    key: Vec<PathBuf>,

    #[command(flatten)]
    passphrase: Passphrase,
}

impl SigningArgs {
    /// Reads the keys, and asks for their passphrases.
    pub(crate) fn read(&self) -> Result<Vec<SigningKey>, Failure> {
        let read = |path: &PathBuf| {
            let refuse = |error: &dyn std::error::Error| {
                Failure::usage("the signing key cannot be used").because(error).hint("kubexm-bundle keygen makes one")
            };
            let encrypted = keys::is_encrypted(path).map_err(|error| refuse(&error))?;
            let ask = || self.passphrase.get(&format!("passphrase of {}", path.display()), false);
            let passphrase = if encrypted { Some(ask()?) } else { None };
            keys::read(path, passphrase.as_ref()).map_err(|error| refuse(&error))
        };
        self.key.iter().map(read).collect()
    }
}

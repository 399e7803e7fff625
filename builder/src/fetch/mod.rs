//! Brings blobs into the store: many at once, each once, resumed where it stopped, retried with patience.

mod credentials;
mod download;
mod helper;
mod http;
mod oci;
mod retry;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::sync::Semaphore;

use kubexm_model::console::Progress;

use crate::cache::Cache;

pub use download::{Expected, Part};
pub use oci::ImageSource;
pub use retry::FetchError;

/// How fetching behaves.
#[derive(Debug, Clone)]
pub struct Options {
    /// Downloads at once.
    pub concurrency: usize,
    /// Downloads at once from one host.
    pub per_host: usize,
    /// How often something is tried again.
    pub retries: usize,
    /// How long a server may say nothing.
    pub stall: Duration,
    /// A certificate authority to trust besides those of the system.
    pub ca_file: Option<PathBuf>,
    /// Docker's configuration, for the accounts of registries.
    pub docker_config: Option<PathBuf>,
    /// curl's accounts of hosts.
    pub netrc: Option<PathBuf>,
    /// Hosts that are asked without TLS; for tests and for registries on the same machine.
    pub plain_http: Vec<String>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            concurrency: 8,
            per_host: 6,
            retries: 5,
            stall: Duration::from_mins(1),
            ca_file: None,
            docker_config: None,
            netrc: None,
            plain_http: vec![],
        }
    }
}

/// Is told what happens; the command line draws it.
pub trait Watch: Send + Sync {
    /// Something begins; its size if that is known.
    fn begin(&self, _name: &str, _size: Option<u64>) {}
    /// So many bytes more have arrived.
    fn advance(&self, _name: &str, _bytes: u64) {}
    /// It is there.
    fn finish(&self, _name: &str) {}
    /// It is tried again, for this reason.
    fn retry(&self, _name: &str, _reason: &str) {}
}

impl Watch for Progress {
    fn begin(&self, name: &str, size: Option<u64>) {
        Self::begin(self, name, size);
    }
    fn advance(&self, name: &str, bytes: u64) {
        Self::advance(self, name, bytes);
    }
    fn finish(&self, name: &str) {
        Self::finish(self, name);
    }
    fn retry(&self, name: &str, reason: &str) {
        self.say(&format!("trying {name} again: {reason}"));
    }
}

/// Nobody watches.
#[derive(Debug, Clone, Copy)]
pub struct Unwatched;
impl Watch for Unwatched {}

/// Brings blobs into the store.
pub struct Fetcher {
    cache: Cache,
    options: Options,
    http: reqwest::Client,
    oci: oci_distribution::Client,
    accounts: credentials::Accounts,
    all: Semaphore,
    hosts: Mutex<HashMap<String, Arc<Semaphore>>>,
    watch: Arc<dyn Watch>,
}

impl Fetcher {
    /// Gets ready. What is wrong with the options is said here and not at the first download.
    pub fn new(cache: Cache, options: Options, watch: Arc<dyn Watch>) -> Result<Self, FetchError> {
        // A second installation of the same provider is no problem.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let certificates = options.ca_file.as_deref().map(http::certificates).transpose()?.unwrap_or_default();
        let http = http::client(&options, &certificates)?;
        let oci = oci::client(&options, &certificates)?;
        let accounts = credentials::Accounts::load(options.docker_config.as_deref(), options.netrc.as_deref())?;
        let all = Semaphore::new(options.concurrency.max(1));
        Ok(Self { cache, options, http, oci, accounts, all, hosts: Mutex::default(), watch })
    }

    /// The store.
    pub fn cache(&self) -> &Cache {
        &self.cache
    }

    /// The places of one host.
    fn places(&self, host: &str) -> Arc<Semaphore> {
        let mut hosts = self.hosts.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        hosts.entry(host.to_owned()).or_insert_with(|| Arc::new(Semaphore::new(self.options.per_host.max(1)))).clone()
    }
}

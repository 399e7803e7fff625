//! Runs on the deploy host: one folder each, with the journal, and a lock for the cluster, so that two cannot work at once.
//!
//! ```text
//! STATE/CLUSTER/lock                    held while somebody works on the cluster; says who
//! STATE/CLUSTER/runs/RUN/run.json       what the run was asked to do
//! STATE/CLUSTER/runs/RUN/journal        what it did, and how to undo it
//! ```

use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use kubexm_model::digest::Digest;
use serde::{Deserialize, Serialize};

use crate::engine::{Journal, JournalError};
use crate::node::NodePath;

/// The runs of one cluster.
pub struct Runs {
    folder: PathBuf,
    /// Held until this is dropped; the kernel lets go of it when the process dies. Who only looks holds none.
    _lock: Option<std::fs::File>,
}

/// What a run was asked to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Request {
    /// Its name; names sort by time.
    pub run: String,
    /// Which pipeline.
    pub pipeline: String,
    /// When it began.
    pub began: jiff::Timestamp,
    /// The digest of the configuration: another one means another plan.
    pub configuration: Digest,
}

/// Why the runs of a cluster cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum RunsError {
    /// The folder cannot be used.
    #[error("{} cannot be used", .path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// Somebody else works on the cluster.
    #[error("somebody else works on this cluster: {0}")]
    Held(String),
    /// There is no such run.
    #[error("there is no run {0}")]
    Missing(String),
    /// A run's description cannot be read.
    #[error("{} cannot be read", .path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Why.
        source: serde_json::Error,
    },
    /// A journal cannot be used.
    #[error("the run cannot be used")]
    Journal(#[from] JournalError),
}

fn io(path: &Path) -> impl FnOnce(std::io::Error) -> RunsError {
    let path = path.to_owned();
    move |source| RunsError::Io { path, source }
}

impl Runs {
    /// Takes the cluster's lock, or says who has it.
    pub fn take(state: &Path, cluster: &str) -> Result<Self, RunsError> {
        let folder = state.join(cluster);
        let runs = folder.join("runs");
        std::fs::DirBuilder::new().recursive(true).mode(0o700).create(&runs).map_err(io(&runs))?;
        let path = folder.join("lock");
        let mut lock = std::fs::OpenOptions::new()
            .read(true)
            .append(true)
            .create(true)
            .mode(0o600)
            .open(&path)
            .map_err(io(&path))?;
        if lock.try_lock().is_err() {
            let who = fs_err::read_to_string(&path).unwrap_or_default();
            return Err(RunsError::Held(who.trim().to_owned()));
        }
        lock.set_len(0).map_err(io(&path))?;
        let who = format!("process {} since {}\n", std::process::id(), jiff::Timestamp::now());
        lock.write_all(who.as_bytes()).map_err(io(&path))?;
        Ok(Self { folder, _lock: Some(lock) })
    }

    /// Looks at the runs of a cluster, also while somebody works on it.
    pub fn look(state: &Path, cluster: &str) -> Self {
        Self { folder: state.join(cluster), _lock: None }
    }

    fn run(&self, run: &str) -> PathBuf {
        self.folder.join("runs").join(run)
    }

    /// Begins a run.
    pub fn begin(&self, pipeline: &str, configuration: Digest) -> Result<(Request, Journal), RunsError> {
        let began = jiff::Timestamp::now();
        let run = began.strftime("%Y%m%dT%H%M%S%fZ").to_string().replace('.', "");
        let folder = self.run(&run);
        std::fs::DirBuilder::new().mode(0o700).create(&folder).map_err(io(&folder))?;
        let request = Request { run, pipeline: pipeline.to_owned(), began, configuration };
        let path = folder.join("run.json");
        let text = serde_json::to_vec_pretty(&request).unwrap_or_default();
        let mut file =
            std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path).map_err(io(&path))?;
        file.write_all(&text).and_then(|()| file.sync_all()).map_err(io(&path))?;
        let (journal, _) = Journal::open(&folder.join("journal"))?;
        Ok((request, journal))
    }

    /// Opens a run that was there before; the last one if none is named.
    pub fn open(&self, run: Option<&str>) -> Result<(Request, Journal), RunsError> {
        let all = self.list()?;
        let found = match run {
            Some(run) => all.into_iter().find(|request| request.run == run),
            None => all.into_iter().next_back(),
        };
        let request = found.ok_or_else(|| RunsError::Missing(run.unwrap_or("at all").to_owned()))?;
        let (journal, _) = Journal::open(&self.run(&request.run).join("journal"))?;
        Ok((request, journal))
    }

    /// Every run, the oldest first.
    pub fn list(&self) -> Result<Vec<Request>, RunsError> {
        let folder = self.folder.join("runs");
        let mut requests = vec![];
        if !folder.exists() {
            return Ok(requests);
        }
        for entry in fs_err::read_dir(&folder).map_err(io(&folder))? {
            let path = entry.map_err(io(&folder))?.path().join("run.json");
            // A run that was killed before it wrote this has done nothing.
            let Ok(text) = fs_err::read(&path) else { continue };
            let request: Request =
                serde_json::from_slice(&text).map_err(|source| RunsError::Damaged { path, source })?;
            requests.push(request);
        }
        requests.sort_by(|a, b| a.run.cmp(&b.run));
        Ok(requests)
    }
}

/// The folder on nodes in which a run keeps things for the way back.
pub fn folder_on_nodes(run: &str) -> Option<NodePath> {
    NodePath::new(format!("/var/lib/kubexm/runs/{run}")).ok()
}

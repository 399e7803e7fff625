//! What a site accepted before, in a folder of its own, and the tickets that make exceptions.

use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use clap::Args;

use super::super::failure::{Exit, Failure};
use crate::bundle::{Accepted, Bundle, Standing, Ticket, TrustedKeys, Verified};

/// What decides on whether a good bundle may still be used.
#[derive(Debug, Clone, Default, Args)]
pub struct TrustArgs {
    /// The folder that remembers the newest bundle that was accepted
    #[arg(long, value_name = "DIR", env = "KUBEXM_TRUST_STATE")]
    trust_state: Option<PathBuf>,

    /// A ticket that allows an older or expired bundle
    #[arg(long, value_name = "FILE")]
    ticket: Vec<PathBuf>,
}

/// Seconds since 1970.
pub fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}

impl TrustArgs {
    /// Whether the bundle may be used now.
    pub fn check(&self, path: &Path, bundle: &Bundle<Verified>, keys: &TrustedKeys) -> Result<Standing, Failure> {
        let mut tickets = vec![];
        for file in &self.ticket {
            let text = super::super::input::read(file).map_err(|error| Failure::usage(error.to_string()))?.1;
            let refuse = |error| {
                let message = format!("the ticket {} does not count", file.display());
                Failure::new(Exit::Untrusted, message).because(&error)
            };
            tickets.push(Ticket::verify(&text, keys).map_err(refuse)?);
        }
        self.accepted()?.check(bundle, now(), &tickets).map_err(|error| {
            Failure::new(Exit::Untrusted, format!("{} is refused", path.display()))
                .because(&error)
                .hint("take a newer bundle; `kubexm-bundle ticket` signs an exception for this one")
        })
    }

    /// Remembers that a bundle was used.
    pub fn accept(&self, bundle: &Bundle<Verified>) -> Result<(), Failure> {
        let Some(folder) = &self.trust_state else {
            return Err(Failure::usage("there is nothing to remember it in: name a folder with --trust-state"));
        };
        self.remember(folder, bundle).map_err(|error| {
            Failure::new(Exit::Failed, format!("{} cannot be written", folder.display())).because(&error)
        })?
    }

    /// One process at a time changes the file, and it is whole before and after.
    fn remember(&self, folder: &Path, bundle: &Bundle<Verified>) -> std::io::Result<Result<(), Failure>> {
        std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        let lock = std::fs::OpenOptions::new().create(true).append(true).mode(0o600).open(folder.join("lock"))?;
        lock.lock()?;
        let mut accepted = match self.accepted() {
            Ok(accepted) => accepted,
            Err(failure) => return Ok(Err(failure)),
        };
        accepted.accept(bundle, now());
        let scratch = folder.join("accepted.json.new");
        let mut file =
            std::fs::OpenOptions::new().create(true).write(true).truncate(true).mode(0o600).open(&scratch)?;
        file.write_all(accepted.to_json()?.as_bytes())?;
        file.sync_all()?;
        fs_err::rename(&scratch, folder.join("accepted.json"))?;
        fs_err::File::open(folder)?.sync_all()?;
        Ok(Ok(()))
    }

    fn accepted(&self) -> Result<Accepted, Failure> {
        let Some(folder) = &self.trust_state else { return Ok(Accepted::default()) };
        let path = folder.join("accepted.json");
        let text = match fs_err::read_to_string(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Accepted::default()),
            read => read.map_err(|error| Failure::usage("what was accepted before cannot be read").because(&error))?,
        };
        Accepted::from_json(&text).map_err(|error| {
            Failure::new(Exit::Untrusted, format!("{} is damaged", path.display()))
                .because(&error)
                .hint("restore it from a backup: without it an old bundle could pass for a new one")
        })
    }
}

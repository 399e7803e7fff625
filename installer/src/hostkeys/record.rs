//! The project's own known_hosts file, to which accepted keys are added.

use std::io::Write;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use russh::keys::ssh_key::PublicKey;

use super::policy::Target;
use super::{fingerprint, known_hosts};

/// A key that somebody accepted.
#[derive(Debug, Clone)]
pub struct Accepted<'a> {
    /// The machine.
    pub target: &'a Target,
    /// Its key.
    pub key: &'a PublicKey,
    /// Who accepted it: `hosts scan`, `--accept-new`.
    pub by: &'a str,
    /// When.
    pub at: Timestamp,
}

/// Why a key could not be written down.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// The key cannot be written as text.
    #[error("the key {fingerprint} cannot be written as text")]
    Key {
        /// The key.
        fingerprint: String,
    },
    /// The file cannot be written.
    #[error("{} cannot be written", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
}

/// Adds accepted keys to a file that OpenSSH can read too, each with who accepted it and when.
pub fn record(path: &Path, accepted: &[Accepted<'_>]) -> Result<(), RecordError> {
    let lines: Result<Vec<String>, RecordError> = accepted.iter().map(line).collect();
    append(path, &lines?.concat()).map_err(|source| RecordError::Write { path: path.to_owned(), source })
}

fn line(accepted: &Accepted<'_>) -> Result<String, RecordError> {
    let key = accepted.key.to_openssh();
    let key = key.map_err(|_| RecordError::Key { fingerprint: fingerprint(accepted.key) })?;
    let key: Vec<&str> = key.split(' ').take(2).collect();
    let name = known_hosts::lookup_name(&accepted.target.host, accepted.target.port);
    Ok(format!("{name} {} accepted {} by {}\n", key.join(" "), accepted.at, accepted.by))
}

fn append(path: &Path, text: &str) -> std::io::Result<()> {
    use fs_err::os::unix::fs::OpenOptionsExt;
    if let Some(parent) = path.parent() {
        fs_err::create_dir_all(parent)?;
    }
    let mut file = fs_err::OpenOptions::new().create(true).append(true).mode(0o600).open(path)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hostkeys::HostKeys;

    #[test]
    fn what_is_recorded_is_known() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("state/known_hosts");
        let key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJdD7y3aLq454yWBdwLWbieU1ebz9/cu7/QEXn9OIeZJ";
        let key = PublicKey::from_openssh(key).unwrap();
        let target = Target { host: "10.0.0.1".to_owned(), port: 2222, pin: None };
        assert!(HostKeys::read([path.clone()]).unwrap().judge(&target, &key).is_err());
        let accepted = Accepted { target: &target, key: &key, by: "--accept-new", at: Timestamp::UNIX_EPOCH };
        record(&path, &[accepted]).unwrap();
        let text = fs_err::read_to_string(&path).unwrap();
        assert!(text.starts_with("[10.0.0.1]:2222 ssh-ed25519 AAAA"), "{text}");
        assert!(text.ends_with(" accepted 1970-01-01T00:00:00Z by --accept-new\n"), "{text}");
        HostKeys::read([path]).unwrap().judge(&target, &key).unwrap();
    }
}

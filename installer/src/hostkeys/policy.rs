//! The verdict on a key that a machine shows.

use std::path::PathBuf;

use russh::keys::ssh_key::{Algorithm, PublicKey};

use super::fingerprint;
use super::known_hosts::{self, Entry, Marker};

/// A machine as it is looked for.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Target {
    /// Its address.
    pub host: String,
    /// Its port.
    pub port: u16,
    /// The fingerprint that is pinned in cluster.yaml.
    pub pin: Option<String>,
}

impl std::fmt::Display for Target {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&known_hosts::lookup_name(&self.host, self.port))
    }
}

/// The known_hosts files that count.
#[derive(Debug, Clone, Default)]
pub struct HostKeys {
    files: Vec<(PathBuf, String)>,
}

/// Why a machine is not trusted. Nothing was said to it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// Nobody has said anything about its key.
    #[error(
        "the host key of {target} is unknown: it shows {shown} ({kind}); compare it at the machine with \
         `ssh-keygen -lf /etc/ssh/ssh_host_{file}_key.pub`, then run `kubexm-install hosts scan` or set hostKey in cluster.yaml"
    )]
    Unknown {
        /// The machine.
        target: String,
        /// The key that it shows.
        shown: String,
        /// That key's type.
        kind: String,
        /// That type as the names of key files have it.
        file: &'static str,
    },
    /// Another key is expected.
    #[error(
        "the host key of {target} has CHANGED: it shows {shown}, but {expected} is known ({place}); somebody may be \
         listening, or the machine was installed anew: compare at the machine before you remove what is known"
    )]
    Changed {
        /// The machine.
        target: String,
        /// The key that it shows.
        shown: String,
        /// The key that is known.
        expected: String,
        /// Where it is known: file and line, or cluster.yaml.
        place: String,
    },
    /// The key is revoked.
    #[error("the host key {shown} of {target} is revoked ({place})")]
    Revoked {
        /// The machine.
        target: String,
        /// The key that it shows.
        shown: String,
        /// Where it is revoked: file and line.
        place: String,
    },
}

/// Larger files are no known_hosts.
const LARGEST: u64 = 16 * 1024 * 1024;

impl HostKeys {
    /// Reads known_hosts files; one that is not there is as good as empty.
    pub fn read(paths: impl IntoIterator<Item = PathBuf>) -> std::io::Result<Self> {
        let mut files = vec![];
        for path in paths {
            match fs_err::metadata(&path) {
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
                Err(error) => return Err(error),
                Ok(data) if data.len() > LARGEST => {
                    return Err(std::io::Error::other(format!("{} is too large for known_hosts", path.display())));
                }
                Ok(_) => {}
            }
            // A line that is no text is garbage, and the others still count.
            let text = String::from_utf8_lossy(&fs_err::read(&path)?).into_owned();
            files.push((path, text));
        }
        Ok(Self { files })
    }

    /// Whether the machine may have this key.
    pub fn judge(&self, target: &Target, key: &PublicKey) -> Result<(), Refusal> {
        if let Some(pin) = &target.pin {
            return judge_pin(target, pin, key);
        }
        match self.judge_name(&known_hosts::lookup_name(&target.host, target.port), target, key) {
            // As OpenSSH has it: a key that is known for the machine is known for its other ports.
            Err(Refusal::Unknown { .. }) if target.port != 22 => self
                .judge_name(&known_hosts::lookup_name(&target.host, 22), target, key)
                .map_err(|_| unknown(target, key)),
            verdict => verdict,
        }
    }

    fn judge_name(&self, name: &str, target: &Target, key: &PublicKey) -> Result<(), Refusal> {
        let entries = self.entries(name);
        let is_it = |entry: &&Entry| entry.key.key_data() == key.key_data();
        if let Some(entry) = entries.iter().filter(|entry| entry.marker == Marker::Revoked).find(is_it) {
            let (target, shown) = (target.to_string(), fingerprint(key));
            return Err(Refusal::Revoked { target, shown, place: place(entry) });
        }
        let known: Vec<&Entry> = entries.iter().filter(|entry| entry.marker == Marker::Known).collect();
        if known.iter().any(is_it) {
            return Ok(());
        }
        let same_kind = known.iter().find(|entry| entry.key.algorithm() == key.algorithm());
        match same_kind.or(known.first()) {
            None => Err(unknown(target, key)),
            Some(entry) => Err(Refusal::Changed {
                target: target.to_string(),
                shown: fingerprint(key),
                expected: fingerprint(&entry.key),
                place: place(entry),
            }),
        }
    }

    /// The types of the keys that are known for the machine: it is asked for these first.
    pub fn known_kinds(&self, target: &Target) -> Vec<Algorithm> {
        let names = [target.port, 22].map(|port| known_hosts::lookup_name(&target.host, port));
        let entries = names.iter().flat_map(|name| self.entries(name));
        let known = entries.filter(|entry| entry.marker == Marker::Known);
        let mut kinds: Vec<Algorithm> = vec![];
        for kind in known.map(|entry| entry.key.algorithm()) {
            if !kinds.contains(&kind) {
                kinds.push(kind);
            }
        }
        kinds
    }

    fn entries(&self, name: &str) -> Vec<Entry> {
        self.files.iter().flat_map(|(path, text)| known_hosts::entries(text, path, name)).collect()
    }
}

fn judge_pin(target: &Target, pin: &str, key: &PublicKey) -> Result<(), Refusal> {
    let shown = fingerprint(key);
    if pin.trim_end_matches('=') == shown {
        return Ok(());
    }
    let place = "hostKey in cluster.yaml".to_owned();
    Err(Refusal::Changed { target: target.to_string(), shown, expected: pin.to_owned(), place })
}

fn unknown(target: &Target, key: &PublicKey) -> Refusal {
    let file = match key.algorithm() {
        Algorithm::Ed25519 => "ed25519",
        Algorithm::Ecdsa { .. } => "ecdsa",
        _ => "rsa",
    };
    let kind = key.algorithm().as_str().to_owned();
    Refusal::Unknown { target: target.to_string(), shown: fingerprint(key), kind, file }
}

fn place(entry: &Entry) -> String {
    format!("{}:{}", entry.file.display(), entry.line)
}

//! Which keys a machine may show before anything is said to it.
//!
//! A machine is who it says when its key is pinned in cluster.yaml or stands in a known_hosts file. Everything else is
//! refused before the first attempt to log in; `scan` shows keys so that a person can accept them.

/// Lines of known_hosts files, with OpenSSH's rules.
pub mod known_hosts;
/// The verdict on a key.
pub mod policy;
/// The project's own file, to which accepted keys are added.
pub mod record;
/// The keys of many machines, for a person to compare.
pub mod scan;

pub use policy::{HostKeys, Refusal, Target};

use russh::keys::ssh_key::{HashAlg, PublicKey};

/// A key as people compare it: `SHA256:` and 43 characters.
pub fn fingerprint(key: &PublicKey) -> String {
    key.fingerprint(HashAlg::Sha256).to_string()
}

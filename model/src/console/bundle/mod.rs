//! Bundles on a command line: where they are, who is trusted, and the commands that both programs have for them.

mod extract;
mod find;
mod receipt;
mod state;
mod verify;

pub use extract::Extract;
pub use find::{Found, volume_name};
pub use receipt::ReceiptCommand;
pub use state::{TrustArgs, now};
pub use verify::{Verify, lock_of};

use std::path::{Path, PathBuf};

use clap::Args;

use super::failure::{Exit, Failure};
use crate::bundle::{Bundle, BundleSet, PublicKey, Refusal, TrustedKeys, Unverified, Verified};

/// A bundle, and the keys that are trusted.
#[derive(Debug, Clone, Args)]
pub struct BundleArgs {
    /// The bundle, or any of its volumes
    #[arg(value_name = "BUNDLE")]
    pub bundle: PathBuf,

    /// A public key that is trusted; trust never comes from the bundle itself
    #[arg(long, value_name = "FILE", env = "KUBEXM_TRUSTED_KEY", required = true)]
    key: Vec<PathBuf>,

    /// How many different trusted keys must have signed
    #[arg(long, value_name = "N", default_value_t = 1)]
    signatures: usize,

    /// A further folder with volumes of it
    #[arg(long, value_name = "DIR")]
    volumes: Vec<PathBuf>,

    /// A bundle that it builds upon
    #[arg(long, value_name = "BUNDLE")]
    base: Vec<PathBuf>,
}

impl BundleArgs {
    /// A bundle that one of these keys must have signed.
    pub fn new(bundle: PathBuf, key: Vec<PathBuf>, volumes: Vec<PathBuf>, base: Vec<PathBuf>) -> Self {
        Self { bundle, key, signatures: 1, volumes, base }
    }

    /// Another bundle that the same keys vouch for.
    #[must_use]
    pub fn with(&self, bundle: &Path) -> Self {
        Self { bundle: bundle.to_owned(), ..self.clone() }
    }

    /// The keys that are trusted.
    pub fn trusted(&self) -> Result<TrustedKeys, Failure> {
        let mut keys = vec![];
        for path in &self.key {
            let refuse = |error: &dyn std::error::Error| {
                Failure::usage(format!("the public key {} cannot be used", path.display())).because(error)
            };
            let text = super::input::read(path).map_err(|error| Failure::usage(error.to_string()))?.1;
            keys.push(PublicKey::from_pem(&text).map_err(|error| refuse(&error))?);
        }
        Ok(TrustedKeys::any_of(keys).at_least(self.signatures))
    }

    /// Opens and verifies it alone, without those that it builds upon.
    pub fn open(&self) -> Result<Bundle<Verified>, Failure> {
        self.verified(&self.bundle, &self.trusted()?)
    }

    /// Opens and verifies it with those that it builds upon; nothing is missing then.
    pub fn open_all(&self) -> Result<BundleSet, Failure> {
        let trusted = self.trusted()?;
        let bases = self.base.iter().map(|base| self.verified(base, &trusted)).collect::<Result<_, _>>()?;
        let newest = self.verified(&self.bundle, &trusted)?;
        BundleSet::new(newest, bases).map_err(|refusal| refused(&self.bundle, &refusal))
    }

    fn verified(&self, path: &Path, trusted: &TrustedKeys) -> Result<Bundle<Verified>, Failure> {
        let unverified: Bundle<Unverified> = Found::at(path, &self.volumes)?.open()?;
        unverified.verify(trusted).map_err(|refusal| refused(path, &refusal))
    }
}

/// A bundle that must not be used.
pub fn refused(path: &Path, refusal: &Refusal) -> Failure {
    let hint = match refusal {
        Refusal::Unsigned | Refusal::Untrusted(_) => {
            "get the right public key from those who made it, or ask them to sign it"
        }
        Refusal::MissingBase { .. } => "name that bundle with --base, or build one without a base",
        _ => "copy it again from where it came from",
    };
    Failure::new(Exit::Untrusted, format!("{} is refused", path.display())).because(refusal).hint(hint)
}

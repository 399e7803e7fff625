//! `keygen`: a key to sign bundles with.

use std::path::PathBuf;

use clap::Args;
use kubexm_builder::keys;
use kubexm_model::bundle::PublicKey;
use kubexm_model::console::{Failure, output};
use kubexm_model::secret::Secret;

#[derive(Debug, Args)]
pub(crate) struct Keygen {
    /// The file of the secret key; the public one gets `.pub` behind it
    #[arg(value_name = "FILE", default_value = "kubexm.key")]
    file: PathBuf,

    /// Do not encrypt the secret key: for machines that sign on their own
    #[arg(long)]
    no_passphrase: bool,

    #[command(flatten)]
    passphrase: Passphrase,
}

/// The passphrase of a secret key; never an argument, which others could read.
#[derive(Debug, Clone, Args)]
pub(crate) struct Passphrase {
    /// The environment variable that holds the passphrase of the secret key
    #[arg(long, env = "KUBEXM_KEY_PASSPHRASE", hide = true, hide_env_values = true)]
    key_passphrase: Option<String>,
}

impl Passphrase {
    /// What the variable says, or what a person types.
    pub(crate) fn get(&self, ask: &str, twice: bool) -> Result<Secret, Failure> {
        if let Some(text) = &self.key_passphrase {
            return Ok(Secret::from(text.clone()));
        }
        let mut prompt = dialoguer::Password::new().with_prompt(ask);
        if twice {
            prompt = prompt.with_confirmation("once more", "these were two different ones");
        }
        prompt.interact().map(Secret::from).map_err(|error| {
            Failure::usage("no passphrase was given")
                .because(&error)
                .hint("set KUBEXM_KEY_PASSPHRASE where nobody can type, or use --no-passphrase")
        })
    }
}

impl Keygen {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let refuse = |error: &dyn std::error::Error| Failure::usage("no key was made").because(error);
        let passphrase =
            if self.no_passphrase { None } else { Some(self.passphrase.get("passphrase for the secret key", true)?) };
        let mut public = self.file.clone().into_os_string();
        public.push(".pub");
        let public = PathBuf::from(public);
        let key = keys::generate().map_err(|error| refuse(&error))?;
        keys::write(&key, &self.file, &public, passphrase.as_ref()).map_err(|error| refuse(&error))?;
        let found = PublicKey::from(&key);
        output::text(&format!(
            "secret key   {}\npublic key   {}\nfingerprint  {}\n",
            self.file.display(),
            public.display(),
            found.fingerprint()
        ))
    }
}

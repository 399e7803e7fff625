//! Accounts from what people have already: Docker's configuration, the helpers that it names, and netrc.

use std::collections::BTreeMap;
use std::path::Path;

use base64::Engine as _;
use kubexm_model::image::Registry;
use kubexm_model::secret::Secret;
use serde::Deserialize;

use super::FetchError;
use super::helper::Helpers;

/// An account.
#[derive(Debug, Clone)]
pub(super) struct Account {
    pub(super) user: String,
    pub(super) password: Secret,
}

/// Accounts by host; they are sent to that host alone.
#[derive(Debug, Default)]
pub(super) struct Accounts {
    registries: BTreeMap<String, Account>,
    helpers: Helpers,
    hosts: BTreeMap<String, Account>,
}

#[derive(Deserialize)]
struct DockerConfig {
    #[serde(default)]
    auths: BTreeMap<String, DockerAuth>,
    #[serde(default, rename = "credHelpers")]
    helpers: BTreeMap<String, String>,
    #[serde(default, rename = "credsStore")]
    store: Option<String>,
}

#[derive(Deserialize)]
struct DockerAuth {
    #[serde(default)]
    auth: Option<Secret>,
}

impl Accounts {
    /// Reads the files that are there.
    pub(super) fn load(docker: Option<&Path>, netrc: Option<&Path>) -> Result<Self, FetchError> {
        let read = |path: Option<&Path>| path.filter(|path| path.exists()).map(fs_err::read_to_string).transpose();
        let refuse = |path: Option<&Path>, reason: String| {
            FetchError::Options(format!(
                "the accounts in {} cannot be read: {reason}",
                path.unwrap_or(Path::new("")).display()
            ))
        };
        let mut accounts = Self::default();
        if let Some(text) = read(docker).map_err(|error| refuse(docker, error.to_string()))? {
            (accounts.registries, accounts.helpers) =
                docker_accounts(&text).map_err(|reason| refuse(docker, reason))?;
        }
        if let Some(text) = read(netrc).map_err(|error| refuse(netrc, error.to_string()))? {
            accounts.hosts = netrc_accounts(&text);
        }
        Ok(accounts)
    }

    /// The account for a registry.
    pub(super) async fn registry(&self, registry: &str) -> Result<Option<Account>, FetchError> {
        match self.registries.get(registry) {
            Some(account) => Ok(Some(account.clone())),
            None => self.helpers.account(registry).await,
        }
    }

    /// The account for a host of files.
    pub(super) fn host(&self, host: &str) -> Option<&Account> {
        self.hosts.get(host)
    }
}

fn docker_accounts(text: &str) -> Result<(BTreeMap<String, Account>, Helpers), String> {
    let config: DockerConfig = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let mut found = BTreeMap::new();
    for (key, entry) in config.auths {
        let Some(auth) = entry.auth else { continue };
        let decoded = base64::engine::general_purpose::STANDARD
            .decode(auth.expose())
            .map_err(|_| format!("the account of {key} is not base64"))?;
        let decoded = String::from_utf8(decoded).map_err(|_| format!("the account of {key} is not text"))?;
        let Some((user, password)) = decoded.split_once(':') else { continue };
        let host =
            key.trim_start_matches("https://").trim_start_matches("http://").split('/').next().unwrap_or_default();
        // Parsing also turns the old address of Docker's own registry, which these files still have, into its name.
        let Ok(registry) = host.parse::<Registry>() else { continue };
        found.insert(
            registry.to_string(),
            Account { user: user.to_owned(), password: Secret::from(password.to_owned()) },
        );
    }
    Ok((found, Helpers::new(config.helpers, config.store)))
}

fn netrc_accounts(text: &str) -> BTreeMap<String, Account> {
    let mut found = BTreeMap::new();
    let (mut host, mut user): (Option<&str>, Option<&str>) = (None, None);
    let mut words = text.lines().map(|line| line.split('#').next().unwrap_or("")).flat_map(str::split_whitespace);
    while let Some(word) = words.next() {
        match word {
            "machine" => (host, user) = (words.next(), None),
            "login" => user = words.next(),
            "password" => {
                if let (Some(host), Some(user), Some(password)) = (host, user, words.next()) {
                    found.insert(
                        host.to_owned(),
                        Account { user: user.to_owned(), password: Secret::from(password.to_owned()) },
                    );
                }
            }
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accounts_are_read_from_both_files() {
        let docker = docker_accounts(r#"{"auths": {"reg.test:5000": {"auth": "dTpwOnc="}, "https://index.docker.io/v1/": {"auth": "YTpi"}, "empty": {}}, "credsStore": "x"}"#).unwrap().0;
        assert_eq!(docker["reg.test:5000"].user, "u");
        assert_eq!(docker["reg.test:5000"].password.expose(), "p:w");
        assert_eq!(docker["docker.io"].user, "a");
        let netrc =
            netrc_accounts("machine a.test login u password p # comment\nmachine b.test\n  login v\n  password q\n");
        assert_eq!(netrc["b.test"].user, "v");
        assert_eq!(netrc["a.test"].password.expose(), "p");
        assert!(docker_accounts("{").is_err());
    }

    #[tokio::test]
    async fn a_helper_that_is_no_program_or_not_there_is_named() {
        let (_, helpers) = docker_accounts(r#"{"credHelpers": {"a.test": "../x", "b.test": "kubexm-none"}}"#).unwrap();
        let refusal = |registry: &'static str| async { helpers.account(registry).await.unwrap_err().to_string() };
        assert!(refusal("a.test").await.contains("not one of a program"));
        assert!(refusal("b.test").await.contains("docker-credential-kubexm-none gives no account for b.test"));
        assert!(helpers.account("c.test").await.unwrap().is_none());
    }
}

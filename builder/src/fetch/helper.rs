//! Accounts from Docker's credential helpers: `docker-credential-NAME get` is asked once for each registry.

use std::collections::BTreeMap;
use std::process::Stdio;
use std::time::Duration;

use kubexm_model::image::Registry;
use kubexm_model::secret::Secret;
use serde::Deserialize;
use tokio::io::AsyncWriteExt;
use tokio::sync::Mutex;

use super::FetchError;
use super::credentials::Account;

/// A helper that takes longer than this waits for somebody who is not there.
const LONGEST: Duration = Duration::from_secs(30);

/// Which helper knows which registry, and what they said.
#[derive(Debug, Default)]
pub(super) struct Helpers {
    /// By registry.
    each: BTreeMap<String, String>,
    /// For all others.
    all: Option<String>,
    known: Mutex<BTreeMap<String, Option<Account>>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Answer {
    username: String,
    secret: Secret,
}

impl Helpers {
    pub(super) fn new(each: BTreeMap<String, String>, all: Option<String>) -> Self {
        Self { each, all, known: Mutex::default() }
    }

    /// The account that a helper has for a registry.
    pub(super) async fn account(&self, registry: &str) -> Result<Option<Account>, FetchError> {
        let Some(helper) = self.each.get(registry).or(self.all.as_ref()) else { return Ok(None) };
        let mut known = self.known.lock().await;
        if let Some(account) = known.get(registry) {
            return Ok(account.clone());
        }
        let refuse = |reason: String| {
            FetchError::Options(format!("docker-credential-{helper} gives no account for {registry}: {reason}"))
        };
        let account = ask(helper, registry).await.map_err(refuse)?;
        known.insert(registry.to_owned(), account.clone());
        Ok(account)
    }
}

async fn ask(helper: &str, registry: &str) -> Result<Option<Account>, String> {
    if !helper.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte)) {
        return Err("its name is not one of a program".to_owned());
    }
    // Docker's own registry still has the address of its index there.
    let is_default = registry.parse::<Registry>().is_ok_and(|registry| registry.is_default());
    let name = if is_default { format!("https://index.{registry}/v1/") } else { registry.to_owned() };
    let mut child = tokio::process::Command::new(format!("docker-credential-{helper}"))
        .arg("get")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .map_err(|error| error.to_string())?;
    if let Some(mut stdin) = child.stdin.take() {
        // A helper that does not read has its answer ready.
        let _ = stdin.write_all(name.as_bytes()).await;
    }
    let output = tokio::time::timeout(LONGEST, child.wait_with_output()).await;
    let output = output.map_err(|_| "it does not answer".to_owned())?.map_err(|error| error.to_string())?;
    if !output.status.success() {
        // This is how helpers say that they know no account; the registry may do without.
        return Ok(None);
    }
    let answer: Answer = serde_json::from_slice(&output.stdout).map_err(|_| "its answer cannot be read".to_owned())?;
    // An identity token is for a protocol that no registry here speaks.
    Ok((answer.username != "<token>").then_some(Account { user: answer.username, password: answer.secret }))
}

//! Charts: rendered by the very helm that goes into the bundle, with the user's values, and searched for images.

use std::io::Read;
use std::path::Path;
use std::process::Stdio;

use kubexm_model::bom::{Entry, Kind};
use kubexm_model::lock::Locked;

use super::{ResolveError, Resolver};
use crate::discover::{self, Found};

/// What helm may weigh unpacked.
const MOST_HELM: u64 = 512 * 1024 * 1024;

fn broken(what: &str, error: impl std::fmt::Display) -> ResolveError {
    ResolveError::Upstream(format!("{what}: {error}"))
}

impl Resolver {
    /// A chart: downloaded, rendered, and searched for images.
    pub(super) async fn chart(&self, entry: &Entry, all: &[Entry]) -> Result<(Locked, Vec<Found>), ResolveError> {
        let locked = self.downloaded(entry).await?;
        let folder = tempfile::tempdir().map_err(|error| broken("no place to render it", error))?;
        let helm = self.helm(all, folder.path()).await?;
        let text = self.render(entry, &locked, &helm, folder.path()).await?;
        let images = discover::find(&text, &format!("chart {}", entry.name), &self.fields)?;
        Ok((locked, images))
    }

    /// The helm of the bill of materials, unpacked for this machine.
    async fn helm(&self, all: &[Entry], folder: &Path) -> Result<std::path::PathBuf, ResolveError> {
        let here = if cfg!(target_arch = "aarch64") { "arm64" } else { "amd64" };
        let is_helm = |entry: &&Entry| {
            entry.kind == Kind::Binary
                && entry.component == "helm"
                && entry.arch.iter().any(|arch| arch.as_str() == here)
        };
        let entry = all.iter().find(is_helm).ok_or_else(|| ResolveError::Upstream(format!("no helm for this machine ({here}) is in the bill of materials, and a chart cannot be rendered without it")))?;
        let archive = self.downloaded(entry).await?;
        let member = archive.members.iter().find(|member| member.ends_with("/helm")).cloned().unwrap_or_default();
        let (source, target) = (self.fetcher.cache().path(&archive.blob.digest), folder.join("helm"));
        let unpacked = tokio::task::spawn_blocking(move || unpack(&source, &member, &target)).await;
        unpacked.map_err(|error| broken("helm cannot be unpacked", error))?
    }

    async fn render(&self, entry: &Entry, locked: &Locked, helm: &Path, folder: &Path) -> Result<String, ResolveError> {
        let chart = folder.join("chart.tgz");
        fs_err::copy(self.fetcher.cache().path(&locked.blob.digest), &chart)
            .map_err(|error| broken("the chart cannot be copied", error))?;
        let values = folder.join("values.yaml");
        let own = self.values.get(&entry.component).cloned().unwrap_or_else(|| serde_json::json!({}));
        let text = serde_yaml::to_string(&own).map_err(|error| broken("its values cannot be written", error))?;
        fs_err::write(&values, text).map_err(|error| broken("its values cannot be written", error))?;
        let mut command = tokio::process::Command::new(helm);
        command.arg("template").arg(&entry.component).arg(&chart).arg("--values").arg(&values).arg("--include-crds");
        if let Some(version) = &self.kubernetes {
            command.arg("--kube-version").arg(version);
        }
        // Nothing of the user's own helm may change what comes out.
        command.env_clear().env("HOME", folder).current_dir(folder).stdin(Stdio::null());
        let output = command.output().await.map_err(|error| broken("helm cannot be started", error))?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            return Err(ResolveError::Upstream(format!("helm cannot render it: {}", said.trim())));
        }
        String::from_utf8(output.stdout)
            .map_err(|_| ResolveError::Upstream("helm renders something that is not text".to_owned()))
    }
}

/// Takes one member out of an archive, by its exact name, and only if it is a plain file.
fn unpack(archive: &Path, member: &str, target: &Path) -> Result<std::path::PathBuf, ResolveError> {
    let refuse = |error: std::io::Error| broken("helm cannot be unpacked", error);
    let file = fs_err::File::open(archive).map_err(refuse)?;
    let mut archive = tar::Archive::new(flate2::read::GzDecoder::new(file));
    for entry in archive.entries().map_err(refuse)? {
        let entry = entry.map_err(refuse)?;
        let name = entry.path().map_err(refuse)?.to_string_lossy().trim_start_matches("./").to_owned();
        if name == member && entry.header().entry_type().is_file() {
            let mut out = fs_err::OpenOptions::new();
            std::os::unix::fs::OpenOptionsExt::mode(out.options_mut(), 0o700);
            let mut out = out.write(true).create_new(true).open(target).map_err(refuse)?;
            std::io::copy(&mut entry.take(MOST_HELM), &mut out).map_err(refuse)?;
            return Ok(target.to_owned());
        }
    }
    Err(ResolveError::Upstream(format!("its archive has no {member}")))
}

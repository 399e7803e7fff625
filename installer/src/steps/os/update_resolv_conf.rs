//! The DNS servers that cluster.yaml names.

use kubexm_model::digest::Digest;
use serde_json::json;

use crate::engine::StepId;
use crate::steps::generic::{At, EnsureDirectory, ManagedBlock, PutFile, RestartIfStale, path, unit};
use crate::steps::{Ops, Step, StepCx};
use crate::templates;

/// Adds DNS servers, where the node looks for them: systemd-resolved, or resolv.conf itself.
pub struct UpdateResolvConf;

impl Step for UpdateResolvConf {
    fn id(&self) -> StepId {
        StepId("os.update-resolv-conf")
    }

    fn name(&self) -> &'static str {
        "UpdateResolvConf"
    }

    fn expand(&self, cx: &StepCx<'_>) -> Ops {
        let servers: Vec<String> =
            cx.cluster.spec().extra.resolves.iter().map(|server| server.address.to_string()).collect();
        if servers.is_empty() {
            return Ok(vec![]);
        }
        let resolved = cx.facts.software.units.get("systemd-resolved.service");
        if resolved.is_none_or(|unit| unit.active != "active") {
            let lines = servers.iter().map(|server| format!("nameserver {server}")).collect();
            return Ok(vec![Box::new(ManagedBlock::new(path("/etc/resolv.conf")?, lines, At::Top))]);
        }
        let text = templates::render("os/resolved.conf.hbs", &json!({"servers": servers}))?;
        let reads = Digest::of(text.as_bytes());
        Ok(vec![
            Box::new(EnsureDirectory::new(path("/etc/systemd/resolved.conf.d")?)),
            Box::new(PutFile::new(path("/etc/systemd/resolved.conf.d/kubexm.conf")?, text)),
            Box::new(RestartIfStale::new(unit("systemd-resolved.service")?, reads)),
        ])
    }
}

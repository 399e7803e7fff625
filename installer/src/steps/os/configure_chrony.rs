//! One time for all nodes, from the site's own clock.

use std::collections::BTreeSet;

use kubexm_model::cluster::schema::Host;
use kubexm_model::digest::Digest;
use serde_json::json;

use crate::engine::StepId;
use crate::steps::generic::{EnsureDirectory, PutFile, RestartIfStale, UnitRuns, path, unit};
use crate::steps::{Ops, Step, StepCx};
use crate::templates;

/// Configures chrony: one node serves the others if cluster.yaml names it, and otherwise all follow the servers it names.
pub struct ConfigureChrony;

impl Step for ConfigureChrony {
    fn id(&self) -> StepId {
        StepId("os.configure-chrony")
    }

    fn name(&self) -> &'static str {
        "ConfigureChrony"
    }

    fn expand(&self, cx: &StepCx<'_>) -> Ops {
        let servers = &cx.cluster.spec().system.ntp_servers;
        // Without servers the nodes' clocks are left as they are; preflight compares them.
        if servers.is_empty() {
            return Ok(vec![]);
        }
        let is_server = servers.contains(&cx.host.name);
        let followed: Vec<&String> = servers.iter().filter(|server| **server != cx.host.name).collect();
        let hosts = cx.cluster.spec().hosts.iter();
        let networks: BTreeSet<String> = hosts.flat_map(Host::internal_addresses).map(ToString::to_string).collect();
        let values = json!({"servers": followed, "serves": is_server, "networks": networks});
        let text = templates::render("os/chrony.conf.hbs", &values)?;
        let reads = Digest::of(text.as_bytes());
        let (file, service) = files_of(cx);
        let folder = file.rsplit_once('/').map_or("/etc", |(folder, _)| folder);
        Ok(vec![
            Box::new(EnsureDirectory::new(path(folder)?)),
            Box::new(PutFile::new(path(file)?, text)),
            Box::new(UnitRuns::new(unit(service)?)),
            Box::new(RestartIfStale::new(unit(service)?, reads)),
        ])
    }
}

/// Where the node's chrony has its configuration, and what its service is called.
fn files_of(cx: &StepCx<'_>) -> (&'static str, &'static str) {
    if cx.facts.software.package_managers.iter().any(|manager| manager == "apt-get") {
        ("/etc/chrony/chrony.conf", "chrony.service")
    } else {
        ("/etc/chrony.conf", "chronyd.service")
    }
}

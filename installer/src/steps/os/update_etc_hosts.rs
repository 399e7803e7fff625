//! All nodes know each other, the registry and what the user adds by name, without any DNS server.

use std::net::IpAddr;

use crate::engine::StepId;
use crate::steps::generic::{At, ManagedBlock, path};
use crate::steps::{Ops, Step, StepCx};

/// Keeps the cluster's names in /etc/hosts.
pub struct UpdateEtcHosts;

impl Step for UpdateEtcHosts {
    fn id(&self) -> StepId {
        StepId("os.update-etc-hosts")
    }

    fn name(&self) -> &'static str {
        "UpdateEtcHosts"
    }

    fn expand(&self, cx: &StepCx<'_>) -> Ops {
        let block = ManagedBlock::new(path("/etc/hosts")?, lines(cx), At::Bottom);
        Ok(vec![Box::new(block)])
    }
}

/// Hosts in the order of cluster.yaml, then the registry, then what the user adds.
fn lines(cx: &StepCx<'_>) -> Vec<String> {
    let spec = cx.cluster.spec();
    let line = |address: IpAddr, name: &str| format!("{address} {name}");
    let hosts = spec
        .hosts
        .iter()
        .flat_map(|host| host.internal_addresses().iter().map(move |address| line(*address, &host.name)));
    let registry = spec.hosts.iter().find(|host| host.has(kubexm_model::cluster::schema::Role::Registry));
    let registry =
        registry.and_then(|host| Some(line(*host.internal_addresses().first()?, &spec.registry.private_registry)));
    let extra = spec.extra.hosts.iter().map(|host| line(host.address, &host.domain));
    hosts.chain(registry).chain(extra).collect()
}

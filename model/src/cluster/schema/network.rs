//! The network of the pods, and name resolution inside the cluster.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Settings;
use crate::version::Version;

/// The network of the pods.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Network {
    /// Which one.
    #[serde(default)]
    pub plugin: Plugin,
    /// The release. Default: the catalogue's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<Version>,
    /// Whether pods may have more than one interface.
    #[serde(default)]
    pub multus: bool,
    /// Whether the plugin takes over the work of kube-proxy; cilium only.
    #[serde(default)]
    pub kube_proxy_replacement: bool,
    /// Laid over the plugin's own settings or chart values.
    #[serde(default)]
    pub config: Settings,
}

/// The network plugins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Plugin {
    /// flannel.
    #[default]
    Flannel,
    /// Calico.
    Calico,
    /// Cilium.
    Cilium,
    /// Kube-OVN.
    KubeOvn,
    /// Hybridnet.
    Hybridnet,
}

/// Name resolution inside the cluster.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Dns {
    /// Whether every node gets a cache of its own.
    #[serde(default)]
    pub node_local: bool,
    /// The release of CoreDNS. Default: the one that goes with the Kubernetes release.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<Version>,
}

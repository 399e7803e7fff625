//! Kubernetes itself.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Settings;
use crate::cluster::{defaults, formats};
use crate::version::Version;

/// Kubernetes itself.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Kubernetes {
    /// Who puts the control plane together.
    #[serde(default, rename = "type")]
    pub kind: KubernetesType,
    /// The release. Default: the newest that the catalogue knows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<Version>,
    /// The network of the pods; one of each family, comma separated, for dual stack.
    #[serde(default = "defaults::pod_cidr")]
    pub pod_cidr: formats::Networks,
    /// The network of the services; one of each family, comma separated, for dual stack.
    #[serde(default = "defaults::service_cidr")]
    pub service_cidr: formats::Networks,
    /// The prefix length of one node's part of the IPv4 pod network.
    #[serde(default = "defaults::node_mask")]
    #[schemars(range(min = 8, max = 30))]
    pub node_cidr_mask_size: u8,
    /// The prefix length of one node's part of the IPv6 pod network.
    #[serde(default = "defaults::node_mask_ipv6", rename = "nodeCidrMaskSizeIPv6")]
    #[schemars(range(min = 32, max = 126))]
    pub node_cidr_mask_size_ipv6: u8,
    /// The domain of the services' names.
    #[serde(default = "defaults::dns_domain")]
    #[schemars(extend("format" = "dns-name", "pattern" = formats::DNS_NAME))]
    pub dns_domain: String,
    /// How kube-proxy programs the services.
    #[serde(default)]
    pub proxy_mode: ProxyMode,
    /// The API server.
    #[serde(default)]
    pub api_server: ApiServer,
    /// The controller manager.
    #[serde(default)]
    pub controller_manager: Component,
    /// The scheduler.
    #[serde(default)]
    pub scheduler: Component,
    /// The node agent.
    #[serde(default)]
    pub kubelet: Kubelet,
    /// The services' proxy.
    #[serde(default)]
    pub kube_proxy: KubeProxy,
}

/// Who puts the control plane together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum KubernetesType {
    /// kubeadm, as static pods.
    #[default]
    Kubeadm,
    /// KubeXM, as binaries under systemd.
    Kubexm,
}

/// How kube-proxy programs the services.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ProxyMode {
    /// Rules of iptables.
    #[default]
    Iptables,
    /// The kernel's IP virtual server.
    Ipvs,
    /// Rules of nftables.
    Nftables,
}

/// The API server.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ApiServer {
    /// More arguments, without the dashes.
    #[serde(default)]
    pub extra_args: BTreeMap<String, String>,
    /// More names and addresses for its certificate.
    #[serde(default, rename = "certSANs")]
    #[schemars(inner(length(min = 1)))]
    pub cert_sans: Vec<String>,
}

/// A part of the control plane.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Component {
    /// More arguments, without the dashes.
    #[serde(default)]
    pub extra_args: BTreeMap<String, String>,
}

/// The node agent.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Kubelet {
    /// Laid over its KubeletConfiguration.
    #[serde(default)]
    pub config: Settings,
    /// More arguments, without the dashes.
    #[serde(default)]
    pub extra_args: BTreeMap<String, String>,
}

/// The services' proxy.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct KubeProxy {
    /// Laid over its KubeProxyConfiguration.
    #[serde(default)]
    pub config: Settings,
}

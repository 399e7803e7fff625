//! How the API servers are reached when there are several.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::cluster::{defaults, formats};

/// How the API servers are reached when there are several.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LoadBalancer {
    /// Where it runs. Default: `none` for one master, `internal` for several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<LoadBalancerMode>,
    /// The virtual address, with the prefix length of its network if that is not /24 or /64.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub vip: Option<formats::Vip>,
    /// The port at which the API is reached.
    #[serde(default = "defaults::api_port")]
    #[schemars(range(min = 1))]
    pub port: u16,
    /// The network interface that carries the virtual address. Default: the one with the host's own address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1, max = 15))]
    pub interface: Option<String>,
    /// For `mode: internal`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub internal: Option<InternalLoadBalancer>,
    /// For `mode: external`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub external: Option<ExternalLoadBalancer>,
}

/// Where the load balancer runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum LoadBalancerMode {
    /// There is none.
    None,
    /// On the cluster's own nodes.
    Internal,
    /// On hosts of its own, or it exists already.
    External,
}

/// A load balancer on the cluster's own nodes.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct InternalLoadBalancer {
    /// Which one.
    #[serde(default, rename = "type")]
    pub kind: InternalType,
}

/// The load balancers that run on the cluster's own nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum InternalType {
    /// haproxy on every worker.
    #[default]
    Haproxy,
    /// nginx on every worker.
    Nginx,
    /// kube-vip on every master, with a virtual address.
    KubeVip,
}

/// A load balancer on hosts of its own.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ExternalLoadBalancer {
    /// Which one.
    #[serde(rename = "type")]
    pub kind: ExternalType,
}

/// The load balancers outside the cluster's own nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ExternalType {
    /// keepalived and haproxy on the loadbalancer hosts.
    KubexmKh,
    /// keepalived and nginx on the loadbalancer hosts.
    KubexmKn,
    /// kube-vip on the masters.
    KubeVip,
    /// One that exists already.
    External,
}

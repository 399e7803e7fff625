//! The fields of cluster.yaml, as types. The JSON Schema, the strict reader and the documentation all come from here.
//!
//! Fields that are `Option` after reading have a default that depends on others; [`super::defaults`] fills it in.

mod addons;
mod etcd;
mod host;
mod kubernetes;
mod load_balancer;
mod mirrors;
mod network;
mod registry;
mod runtime;
mod system;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::version::Version;

pub use addons::{Addon, Storage, StorageName};
pub use etcd::{Etcd, EtcdType, ExternalEtcd};
pub use host::{Arch, Host, JumpHost, Role};
pub use kubernetes::{ApiServer, Component, KubeProxy, Kubelet, Kubernetes, KubernetesType, ProxyMode};
pub use load_balancer::{
    ExternalLoadBalancer, ExternalType, InternalLoadBalancer, InternalType, LoadBalancer, LoadBalancerMode,
};
pub use mirrors::Mirrors;
pub use network::{Dns, Network, Plugin};
pub use registry::{Auth, HarborConfig, Registry, RegistryType};
pub use runtime::{Runtime, RuntimeType};
pub use system::{Extra, ExtraHost, OsRelease, PackageRepository, PackageType, Resolver, System};

/// Free-form settings that are handed on to a component as they are.
pub type Settings = serde_json::Map<String, serde_json::Value>;

/// cluster.yaml: one Kubernetes cluster, its machines and everything that belongs to it.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(title = "KubeXM cluster.yaml")]
pub struct ClusterFile {
    /// The version of this file's format.
    pub api_version: ApiVersion,
    /// What this file describes.
    pub kind: Kind,
    /// What the cluster is called.
    pub metadata: Metadata,
    /// What the cluster is made of.
    pub spec: Spec,
}

/// The versions of the format that this program reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum ApiVersion {
    /// The first format.
    #[serde(rename = "kubexm.io/v1alpha1")]
    V1Alpha1,
}

/// The kinds of files that this program reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum Kind {
    /// One Kubernetes cluster.
    Cluster,
}

/// What the cluster is called.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Metadata {
    /// A DNS label, unique among the clusters that one deploy host looks after.
    #[schemars(extend("format" = "dns-label", "pattern" = super::formats::DNS_LABEL))]
    pub name: String,
}

/// What the cluster is made of.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Spec {
    /// The machines, each with its address, its login and what it is for.
    #[schemars(length(min = 1))]
    pub hosts: Vec<Host>,
    /// Kubernetes itself.
    #[serde(default)]
    pub kubernetes: Kubernetes,
    /// The cluster's database.
    #[serde(default)]
    pub etcd: Etcd,
    /// What runs the containers.
    #[serde(default)]
    pub runtime: Runtime,
    /// Where the site's nodes fetch their images from.
    #[serde(default)]
    pub registry: Registry,
    /// How the API servers are reached when there are several.
    #[serde(default)]
    pub load_balancer: LoadBalancer,
    /// The network of the pods.
    #[serde(default)]
    pub network: Network,
    /// Name resolution inside the cluster.
    #[serde(default)]
    pub dns: Dns,
    /// Versions of components that have no field of their own, such as `runc` or `pause`. Default: the release's.
    #[serde(default)]
    pub versions: BTreeMap<String, Version>,
    /// Where volumes come from.
    #[serde(default)]
    pub storage: Vec<Storage>,
    /// What else is installed into the cluster.
    #[serde(default)]
    pub addons: Vec<Addon>,
    /// The operating system of the machines.
    #[serde(default)]
    pub system: System,
    /// Names and resolvers that all machines learn.
    #[serde(default)]
    pub extra: Extra,
    /// Where the connected host fetches from instead of upstream.
    #[serde(default)]
    pub mirrors: Mirrors,
}

/// The word that cluster.yaml uses for a value of one of its lists of values; it is also the name of the component behind it.
pub fn word(value: &impl Serialize) -> String {
    serde_json::to_value(value).ok().and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
}

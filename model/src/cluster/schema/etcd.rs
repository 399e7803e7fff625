//! The cluster's database.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::cluster::formats;
use crate::version::Version;

/// The cluster's database.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Etcd {
    /// Who runs it. Default: `kubeadm`, and `kubexm` where there is no kubeadm.
    #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<EtcdType>,
    /// The release. Default: the one that goes with the Kubernetes release.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<Version>,
    /// How an etcd that exists already is reached; for `type: external`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub external: Option<ExternalEtcd>,
}

/// Who runs etcd.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum EtcdType {
    /// kubeadm, as a static pod on every master.
    Kubeadm,
    /// KubeXM, as a binary under systemd on the hosts with the role etcd.
    Kubexm,
    /// Somebody else.
    External,
}

impl Etcd {
    /// Who runs it, once the defaults are filled in.
    pub fn kind(&self) -> EtcdType {
        self.kind.unwrap_or(EtcdType::Kubeadm)
    }
}

/// How an etcd that exists already is reached.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ExternalEtcd {
    /// Addresses of its members, such as `https://10.0.0.21:2379`.
    #[schemars(length(min = 1), extend("items" = formats::each("endpoint", formats::ENDPOINT)))]
    pub endpoints: Vec<String>,
    /// The certificate authority, a file on the deploy host.
    #[schemars(length(min = 1))]
    pub ca_file: String,
    /// The client's certificate, a file on the deploy host.
    #[schemars(length(min = 1))]
    pub cert_file: String,
    /// The client's key, a file on the deploy host.
    #[schemars(length(min = 1))]
    pub key_file: String,
}

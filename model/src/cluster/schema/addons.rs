//! Storage, and what else is installed into the cluster.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Settings;
use crate::cluster::formats;
use crate::version::Version;

/// Where volumes come from.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Storage {
    /// Which one.
    pub name: StorageName,
    /// The release. Default: the catalogue's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<Version>,
    /// Laid over its chart's values.
    #[serde(default)]
    pub values: Settings,
}

/// The storage that the catalogue knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum StorageName {
    /// OpenEBS, volumes on the node's own disk.
    OpenebsLocalpv,
    /// Longhorn, replicated block storage.
    Longhorn,
    /// Ceph, run by Rook.
    RookCeph,
    /// An NFS server that exists already.
    Nfs,
    /// Rancher's local path provisioner.
    LocalPath,
}

/// What else is installed into the cluster: one that the catalogue knows by name, a chart, or manifests.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Addon {
    /// What it is called.
    #[schemars(extend("format" = "dns-label", "pattern" = formats::DNS_LABEL))]
    pub name: String,
    /// Files or addresses of Kubernetes manifests.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(inner(length(min = 1)))]
    pub manifests: Vec<String>,
    /// A chart: a file, an `https://` or `oci://` address.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub chart: Option<String>,
    /// The release. Default for those that the catalogue knows: the catalogue's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<Version>,
    /// The namespace that it is installed into. Default: its name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("format" = "dns-label", "pattern" = formats::DNS_LABEL))]
    pub namespace: Option<String>,
    /// Laid over the chart's values.
    #[serde(default)]
    pub values: Settings,
}

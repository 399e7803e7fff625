//! What runs the containers.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Settings;
use crate::version::Version;

/// What runs the containers.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Runtime {
    /// Which one.
    #[serde(default, rename = "type")]
    pub kind: RuntimeType,
    /// The release. Default: the one that goes with the Kubernetes release.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<Version>,
    /// Laid over its configuration file.
    #[serde(default)]
    pub config: Settings,
}

/// The container runtimes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RuntimeType {
    /// containerd with runc.
    #[default]
    Containerd,
    /// Docker behind cri-dockerd.
    Docker,
    /// CRI-O.
    CriO,
    /// iSulad, on openEuler.
    Isulad,
}

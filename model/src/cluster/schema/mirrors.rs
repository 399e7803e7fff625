//! Where the connected host fetches from instead of upstream.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Where the connected host fetches from instead of upstream: upstream host (and path) to what stands there instead.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Mirrors {
    /// A zone of the catalogue whose mirrors are used, such as `cn`; the environment variable KMZONE sets it too.
    #[serde(default)]
    pub zone: String,
    /// For files: `dl.k8s.io: https://mirror.example/k8s`.
    #[serde(default)]
    pub files: BTreeMap<String, String>,
    /// For images: `registry.k8s.io: mirror.example/k8s`.
    #[serde(default)]
    pub images: BTreeMap<String, String>,
    /// For package repositories: `mirror.example/debian: https://…`.
    #[serde(default)]
    pub packages: BTreeMap<String, String>,
}

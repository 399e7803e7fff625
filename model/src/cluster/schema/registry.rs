//! Where the site's nodes fetch their images from.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Settings;
use crate::cluster::{defaults, formats};
use crate::secret::Secret;
use crate::version::Version;

/// Where the site's nodes fetch their images from.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Registry {
    /// Which one.
    #[serde(default, rename = "type")]
    pub kind: RegistryType,
    /// The release. Default: the catalogue's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<Version>,
    /// The name under which the nodes know it.
    #[serde(default = "defaults::private_registry")]
    #[schemars(extend("format" = "host", "pattern" = formats::HOST))]
    pub private_registry: String,
    /// Its port. Default: 5000, and 443 for Harbor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(range(min = 1))]
    pub port: Option<u16>,
    /// A path under which all images are kept, such as `company/infra`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("format" = "repository", "pattern" = formats::REPOSITORY))]
    pub prefix: Option<String>,
    /// The directory of the images on the registry host.
    #[serde(default = "defaults::registry_data_dir")]
    #[schemars(extend("format" = "directory", "pattern" = formats::DIRECTORY))]
    pub data_dir: String,
    /// The certificate authority of a registry that exists already, a file on the deploy host.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub ca_file: Option<String>,
    /// Accounts, by the registry's name and port.
    #[serde(default)]
    pub auths: BTreeMap<String, Auth>,
    /// More about Harbor; for `type: harbor`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub harbor_config: Option<HarborConfig>,
}

/// The kinds of registries.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum RegistryType {
    /// The CNCF distribution registry on the registry host.
    #[default]
    Registry,
    /// Harbor on the registry host.
    Harbor,
    /// One that exists already.
    External,
    /// None: the images are put onto every node.
    None,
}

/// An account of a registry.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Auth {
    /// The account.
    #[schemars(length(min = 1))]
    pub username: String,
    /// Its password; better kept out of this file by `passwordEnv`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub password: Option<Secret>,
    /// The environment variable of the deploy host that holds the password.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("format" = "variable", "pattern" = formats::VARIABLE))]
    pub password_env: Option<String>,
}

/// More about Harbor.
#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct HarborConfig {
    /// Its certificate, a file on the deploy host. Default: one of the site's own authority.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub cert_file: Option<String>,
    /// The certificate's key, a file on the deploy host.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub key_file: Option<String>,
    /// Projects to make besides those that the images need.
    #[serde(default)]
    #[schemars(inner(length(min = 1)))]
    pub projects: Vec<String>,
    /// Robot accounts to make.
    #[serde(default)]
    #[schemars(inner(length(min = 1)))]
    pub robot_accounts: Vec<String>,
    /// Laid over harbor.yml.
    #[serde(default)]
    pub config: Settings,
}

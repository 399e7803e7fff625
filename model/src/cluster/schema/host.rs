//! Machines.

use std::collections::BTreeMap;
use std::net::IpAddr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::cluster::{defaults, formats};
use crate::secret::Secret;

/// A machine: how it is reached and what it is for.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Host {
    /// Its host name, which becomes the name of the Kubernetes node.
    #[schemars(extend("format" = "dns-label", "pattern" = formats::DNS_LABEL))]
    pub name: String,
    /// The address at which the deploy host reaches it over SSH.
    #[schemars(extend("pattern" = formats::ADDRESS))]
    pub address: IpAddr,
    /// The address at which the other machines reach it; one of each family for dual stack. Default: `address`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub internal_address: Option<formats::Addresses>,
    /// The SSH port.
    #[serde(default = "defaults::ssh_port")]
    #[schemars(range(min = 1))]
    pub port: u16,
    /// The login: root, or a user who may use sudo.
    #[serde(default = "defaults::ssh_user")]
    #[schemars(extend("format" = "user-name", "pattern" = formats::USER_NAME))]
    pub user: String,
    /// The SSH key; without one the agent is asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub private_key_path: Option<String>,
    /// The login's password; better kept out of this file by `passwordEnv`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub password: Option<Secret>,
    /// The environment variable of the deploy host that holds the login's password.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("format" = "variable", "pattern" = formats::VARIABLE))]
    pub password_env: Option<String>,
    /// The machine through which this one is reached.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub jump_host: Option<JumpHost>,
    /// The fingerprint of its SSH host key as `ssh-keygen -l` prints it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("format" = "host-key", "pattern" = formats::HOST_KEY))]
    pub host_key: Option<String>,
    /// What it is for.
    #[schemars(length(min = 1))]
    pub roles: Vec<Role>,
    /// Its processor.
    #[serde(default)]
    pub arch: Arch,
    /// Labels of the Kubernetes node.
    #[serde(default)]
    pub labels: BTreeMap<String, String>,
    /// Taints of the Kubernetes node, as kubectl writes them: `key=value:NoSchedule`.
    #[serde(default)]
    #[schemars(extend("items" = formats::each("taint", formats::TAINT)))]
    pub taints: Vec<String>,
}

/// A machine through which others are reached.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct JumpHost {
    /// Its address.
    #[schemars(extend("pattern" = formats::ADDRESS))]
    pub address: IpAddr,
    /// The SSH port.
    #[serde(default = "defaults::ssh_port")]
    #[schemars(range(min = 1))]
    pub port: u16,
    /// The login.
    #[serde(default = "defaults::ssh_user")]
    #[schemars(extend("format" = "user-name", "pattern" = formats::USER_NAME))]
    pub user: String,
    /// The SSH key; without one the agent is asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1))]
    pub private_key_path: Option<String>,
    /// The login's password; better kept out of this file by `passwordEnv`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub password: Option<Secret>,
    /// The environment variable of the deploy host that holds the login's password.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("format" = "variable", "pattern" = formats::VARIABLE))]
    pub password_env: Option<String>,
    /// The fingerprint of its SSH host key as `ssh-keygen -l` prints it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(extend("format" = "host-key", "pattern" = formats::HOST_KEY))]
    pub host_key: Option<String>,
}

/// What a machine is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// Runs the control plane.
    Master,
    /// Runs ordinary pods.
    Worker,
    /// Is a member of etcd.
    Etcd,
    /// Carries the site's registry.
    Registry,
    /// Carries keepalived with haproxy or nginx.
    Loadbalancer,
}

/// A processor architecture, by the name that container images use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Arch {
    /// 64-bit x86.
    #[default]
    Amd64,
    /// 64-bit ARM.
    Arm64,
}

impl Arch {
    /// The name that container images use.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Amd64 => "amd64",
            Self::Arm64 => "arm64",
        }
    }
}

impl Host {
    /// Whether it has the role.
    pub fn has(&self, role: Role) -> bool {
        self.roles.contains(&role)
    }

    /// Whether it becomes a Kubernetes node.
    pub fn is_node(&self) -> bool {
        self.has(Role::Master) || self.has(Role::Worker)
    }

    /// The addresses at which the other machines reach it.
    pub fn internal_addresses(&self) -> &[IpAddr] {
        self.internal_address.as_ref().map_or(std::slice::from_ref(&self.address), |pair| pair.as_slice())
    }
}

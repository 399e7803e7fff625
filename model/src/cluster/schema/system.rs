//! The operating system of the machines, and what all of them learn.

use std::net::IpAddr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::cluster::formats;

/// The operating system of the machines.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct System {
    /// Time sources: addresses or names, or the name of one host that serves the others.
    #[serde(default)]
    #[schemars(extend("items" = formats::each("host", formats::HOST)))]
    pub ntp_servers: Vec<String>,
    /// The time zone, such as `Europe/Berlin`; empty leaves the machines as they are.
    #[serde(default)]
    #[schemars(extend("format" = "time-zone", "pattern" = formats::TIME_ZONE))]
    pub timezone: String,
    /// More packages for machines with rpm.
    #[serde(default)]
    #[schemars(extend("items" = formats::each("package", formats::PACKAGE)))]
    pub rpms: Vec<String>,
    /// More packages for machines with deb.
    #[serde(default)]
    #[schemars(extend("items" = formats::each("package", formats::PACKAGE)))]
    pub debs: Vec<String>,
    /// The systems that packages are gathered for.
    #[serde(default)]
    pub os: Vec<OsRelease>,
}

/// A release of an operating system, as /etc/os-release names it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct OsRelease {
    /// The field `ID` of /etc/os-release.
    #[schemars(length(min = 1))]
    pub name: String,
    /// The field `VERSION_ID` of /etc/os-release.
    #[schemars(length(min = 1))]
    pub version: String,
}

/// Names and resolvers that all machines learn.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Extra {
    /// Lines of /etc/hosts.
    #[serde(default)]
    pub hosts: Vec<ExtraHost>,
    /// DNS servers.
    #[serde(default)]
    pub resolves: Vec<Resolver>,
}

/// A line of /etc/hosts.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ExtraHost {
    /// The name.
    #[schemars(extend("format" = "dns-name", "pattern" = formats::DNS_NAME))]
    pub domain: String,
    /// Its address.
    #[schemars(extend("pattern" = formats::ADDRESS))]
    pub address: IpAddr,
}

/// A DNS server.
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Resolver {
    /// Its address.
    #[schemars(extend("pattern" = formats::ADDRESS))]
    pub address: IpAddr,
}

impl std::fmt::Display for OsRelease {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.name, self.version)
    }
}

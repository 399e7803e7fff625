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
    /// Package repositories beyond those of the systems themselves.
    #[serde(default)]
    pub repositories: Vec<PackageRepository>,
}

/// A package repository, read by the connected host.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PackageRepository {
    /// What it is called in messages.
    #[schemars(extend("format" = "dns-label", "pattern" = formats::DNS_LABEL))]
    pub name: String,
    /// How its packages are made: deb or rpm.
    #[serde(rename = "type")]
    pub kind: PackageType,
    /// Its address: of deb without `dists/`, of rpm the folder that holds `repodata/`.
    #[schemars(length(min = 1))]
    pub address: String,
    /// The suite of a deb repository; a folder without components ends with a slash.
    #[serde(default)]
    pub suite: String,
    /// The components of a deb repository.
    #[serde(default)]
    pub components: Vec<String>,
    /// Who may sign it: a file of OpenPGP keys on the connected host, or the armored keys themselves.
    #[schemars(length(min = 1), extend("format" = "keys", "pattern" = formats::KEYS))]
    pub key: String,
    /// The systems that it is for; empty: all that have packages of its type.
    #[serde(default)]
    pub os: Vec<OsRelease>,
}

/// How packages are made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PackageType {
    /// dpkg and apt.
    Deb,
    /// rpm with dnf or yum.
    Rpm,
}

impl PackageRepository {
    /// Whether it is for a system, given how that system's packages are made.
    pub fn serves(&self, os: &OsRelease, kind: PackageType) -> bool {
        self.kind == kind && (self.os.is_empty() || self.os.contains(os))
    }
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

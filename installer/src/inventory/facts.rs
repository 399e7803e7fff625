//! The facts about a node, as types.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

use ipnet::IpNet;
use kubexm_model::cluster::schema::Arch;
use serde::{Deserialize, Serialize};

use crate::node::NodePath;
use crate::node::query::Mount;

/// All that is known about a node.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NodeFacts {
    /// Operating system, kernel, identity.
    pub system: System,
    /// Processors, memory, swap.
    pub resources: Resources,
    /// Disks, mounts, free space.
    pub storage: Storage,
    /// Interfaces, routes, names, ports.
    pub network: Network,
    /// Its clock against ours.
    pub clock: Clock,
    /// SELinux, AppArmor, firewalls.
    pub security: Security,
    /// Packages, units, tools, leftovers.
    pub software: Software,
}

/// Operating system, kernel, identity.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct System {
    /// `ID` of os-release: `debian`, `rocky`.
    pub os: String,
    /// `VERSION_ID` of os-release; rolling systems have none.
    pub os_version: Option<String>,
    /// `ID_LIKE` of os-release: what it descends from.
    pub os_like: Vec<String>,
    /// The release of the kernel.
    pub kernel: String,
    /// The processor as the kernel names it.
    pub machine: String,
    /// The processor, if it is one that Kubernetes is built for here.
    pub arch: Option<Arch>,
    /// What the node calls itself.
    pub hostname: String,
    /// Is the same on nodes that were cloned carelessly.
    pub machine_id: Option<String>,
    /// Is the same on virtual machines that were cloned carelessly; only root can read it.
    pub product_uuid: Option<String>,
    /// Changes with each start.
    pub boot_id: Option<String>,
    /// Seconds since the start.
    pub uptime: u64,
    /// The name of the first process.
    pub init: String,
    /// What systemd says it runs in: `kvm`, `none`, `systemd-nspawn`.
    pub virtualisation: Option<String>,
    /// Whether all this was asked as root.
    pub as_root: bool,
    /// Loaded kernel modules.
    pub modules: BTreeSet<String>,
    /// Kernel parameters that matter to Kubernetes.
    pub sysctls: BTreeMap<String, String>,
}

/// Processors, memory, swap.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Resources {
    /// Processors.
    pub cpus: u32,
    /// Bytes of memory.
    pub memory: u64,
    /// Bytes of memory that could be had now.
    pub memory_available: Option<u64>,
    /// Files and devices that are swapped to.
    pub swaps: Vec<String>,
    /// 1 or 2.
    pub cgroup_version: Option<u8>,
    /// Controllers of cgroup 2.
    pub cgroup_controllers: Vec<String>,
}

/// Disks, mounts, free space.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Storage {
    /// Disks by name.
    pub disks: BTreeMap<String, Disk>,
    /// What is mounted.
    pub mounts: Vec<Mount>,
    /// The file system of each directory that was asked for, or of the nearest one above it that is there.
    pub space: BTreeMap<NodePath, Space>,
}

/// A disk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Disk {
    /// Its bytes.
    pub size: u64,
    /// Whether it turns; virtual disks often say so.
    pub rotational: bool,
}

/// The room in a file system.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Space {
    /// All its bytes.
    pub total: u64,
    /// Bytes that can still be written.
    pub free: u64,
    /// All its inodes; 0 where they are not counted.
    pub inodes: u64,
    /// Inodes that are left.
    pub inodes_free: u64,
}

/// Interfaces, routes, names, ports.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Network {
    /// Interfaces by name.
    pub interfaces: BTreeMap<String, Interface>,
    /// Routes in use.
    pub routes: Vec<Route>,
    /// Servers in resolv.conf.
    pub nameservers: Vec<IpAddr>,
    /// Domains in resolv.conf.
    pub search: Vec<String>,
    /// Ports that somebody listens at.
    pub listening: Vec<Listener>,
    /// Proxies in the environment or in files that shells read, without passwords.
    pub proxies: Vec<Proxy>,
}

/// A network interface.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Interface {
    /// The largest packet.
    pub mtu: u32,
    /// Whether it carries anything; `unknown` for some that do.
    pub state: String,
    /// Its hardware address.
    pub mac: String,
    /// Its addresses.
    pub addresses: Vec<IpNet>,
}

/// A route.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Route {
    /// To where.
    pub to: IpNet,
    /// Through which machine.
    pub gateway: Option<IpAddr>,
    /// Through which interface.
    pub interface: String,
}

/// A port that somebody listens at.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Listener {
    /// TCP or UDP.
    pub protocol: Protocol,
    /// At which address.
    pub address: IpAddr,
    /// Which port.
    pub port: u16,
    /// The name of a process that holds it; only root sees those of others.
    pub process: Option<String>,
}

/// TCP or UDP.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Protocol {
    /// TCP.
    Tcp,
    /// UDP.
    Udp,
}

/// A proxy setting.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Proxy {
    /// The file; nothing for the environment itself.
    pub file: Option<String>,
    /// The variable.
    pub variable: String,
    /// Its value, without passwords.
    pub value: String,
}

/// The node's clock against ours.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Clock {
    /// By how many seconds it is ahead of the deploy host.
    pub offset: f64,
    /// How wrong `offset` can be at most, in seconds: half of the round trip.
    pub uncertainty: f64,
    /// Whether timesyncd or chrony say that they follow a time server; nothing without them.
    pub synchronised: Option<bool>,
    /// The time zone.
    pub zone: Option<String>,
}

/// SELinux, AppArmor, firewalls.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Security {
    /// How SELinux is.
    pub selinux: SeLinux,
    /// Whether AppArmor is on.
    pub apparmor: bool,
    /// Rules of nftables; nothing when only root could count them.
    pub nft_rules: Option<u32>,
    /// Rules of iptables; nothing when only root could count them.
    pub iptables_rules: Option<u32>,
    /// Whether ufw is switched on in its configuration.
    pub ufw: bool,
}

/// How SELinux is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SeLinux {
    /// The kernel does not have it, or it is off.
    Absent,
    /// It only writes down what it would refuse.
    Permissive,
    /// It refuses.
    Enforcing,
}

/// Packages, units, tools, leftovers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Software {
    /// Package managers that are there, the preferred one first.
    pub package_managers: Vec<String>,
    /// Installed packages with their versions.
    pub packages: BTreeMap<String, String>,
    /// Units of interest that systemd knows.
    pub units: BTreeMap<String, Unit>,
    /// Tools of interest and where they are.
    pub tools: BTreeMap<String, String>,
    /// Places that a container runtime or another Kubernetes left behind.
    pub leftovers: BTreeMap<NodePath, Leftover>,
}

/// A unit of interest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Unit {
    /// `ActiveState` of systemd.
    pub active: String,
    /// `UnitFileState` of systemd.
    pub enabled: String,
}

/// Something that was left behind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Leftover {
    /// A directory with something in it.
    Full,
    /// An empty directory.
    Empty,
    /// A file or a socket.
    File,
}

impl Network {
    /// Whether there is a way out of the node's own networks.
    pub fn has_default_route(&self) -> bool {
        self.routes.iter().any(|route| route.to.prefix_len() == 0)
    }
}

impl Storage {
    /// What a path is mounted on: the mount that is the nearest above it.
    pub fn mount_of(&self, path: &NodePath) -> Option<&Mount> {
        let above = self.mounts.iter().filter(|mount| path.is_within(&mount.path));
        // Of several at the same place the last one counts.
        above.max_by_key(|mount| mount.path.as_str().len())
    }
}

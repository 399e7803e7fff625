//! Operating system, resources, storage, clock.

use std::collections::BTreeMap;

use kubexm_model::cluster::schema::Arch;

use super::{Misunderstood, Said, bad};
use crate::inventory::facts::{Clock, Disk, Resources, Space, Storage, System};
use crate::node::NodePath;
use crate::node::posix::parse_mounts;

pub(super) fn system(said: &Said<'_>) -> Result<System, Misunderstood> {
    let release: BTreeMap<&str, String> = said
        .all("os")
        .filter_map(|line| line.split_once('='))
        .map(|(key, value)| (key.trim(), unquote(value)))
        .collect();
    let machine = said.one("machine")?;
    let uptime = said.one("uptime")?;
    let seconds = uptime.split(['.', ' ']).next().and_then(|text| text.parse().ok());
    Ok(System {
        os: release.get("ID").cloned().ok_or(Misunderstood::Missing { key: "os" })?,
        os_version: release.get("VERSION_ID").cloned(),
        os_like: release.get("ID_LIKE").map(|list| list.split(' ').map(str::to_owned).collect()).unwrap_or_default(),
        kernel: said.one("kernel")?.to_owned(),
        machine: machine.to_owned(),
        arch: match machine {
            "x86_64" => Some(Arch::Amd64),
            "aarch64" => Some(Arch::Arm64),
            _ => None,
        },
        hostname: said.one("hostname")?.to_owned(),
        machine_id: said.owned("machine-id"),
        product_uuid: said.owned("product-uuid").map(|text| text.to_lowercase()),
        boot_id: said.owned("boot-id"),
        uptime: seconds.ok_or_else(|| bad("uptime", uptime))?,
        init: said.one("init")?.to_owned(),
        virtualisation: said.owned("virtualisation"),
        as_root: said.one("uid")? == "0",
        modules: said.all("module").filter_map(|line| line.split(' ').next()).map(str::to_owned).collect(),
        sysctls: said.each("sysctl", sysctl)?.into_iter().collect(),
    })
}

/// Values in os-release stand in quotes or not, as in a shell.
fn unquote(value: &str) -> String {
    let value = value.trim();
    let inner = ['"', '\''].into_iter().find_map(|quote| value.strip_prefix(quote)?.strip_suffix(quote));
    inner.unwrap_or(value).replace("\\\"", "\"")
}

/// `net/ipv4/ip_forward 0`
fn sysctl(line: &str) -> Option<(String, String)> {
    let (key, value) = line.split_once(' ')?;
    Some((key.replace('/', "."), value.split_whitespace().collect::<Vec<_>>().join(" ")))
}

pub(super) fn resources(said: &Said<'_>) -> Result<Resources, Misunderstood> {
    let memory = |name: &str| {
        let line = said.all("memory").find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
        line.and_then(|text| text.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok()?.checked_mul(1024))
    };
    let swaps = said.all("swap").skip(1).filter_map(|line| line.split_whitespace().next());
    let mounts = mounts(said)?;
    let at = |place: &str, kind: &str| mounts.iter().any(|mount| mount.path.as_str() == place && mount.kind == kind);
    let cgroup_version = match (at("/sys/fs/cgroup", "cgroup2"), mounts.iter().any(|mount| mount.kind == "cgroup")) {
        (true, _) => Some(2),
        (false, true) => Some(1),
        (false, false) => None,
    };
    let controllers = said.maybe("cgroup-controllers").unwrap_or_default();
    Ok(Resources {
        cpus: said.number("cpus")?.ok_or(Misunderstood::Missing { key: "cpus" })?,
        memory: memory("MemTotal").ok_or(Misunderstood::Missing { key: "memory" })?,
        memory_available: memory("MemAvailable"),
        swaps: swaps.map(str::to_owned).collect(),
        cgroup_version,
        cgroup_controllers: controllers.split_whitespace().map(str::to_owned).collect(),
    })
}

pub(super) fn storage(said: &Said<'_>, directories: &[NodePath]) -> Result<Storage, Misunderstood> {
    Ok(Storage {
        disks: said.each("disk", disk)?.into_iter().collect(),
        mounts: mounts(said)?,
        space: said.each("space", |line| space(line, directories))?.into_iter().collect(),
    })
}

fn mounts(said: &Said<'_>) -> Result<Vec<crate::node::query::Mount>, Misunderstood> {
    let lines: Vec<Vec<_>> = said.each("mount", parse_mounts)?;
    Ok(lines.into_iter().flatten().collect())
}

/// `vda|536870912|1`: name, sectors of 512 bytes, whether it turns.
fn disk(line: &str) -> Option<(String, Disk)> {
    let [name, sectors, rotational] = line.split('|').collect::<Vec<_>>().try_into().ok()?;
    let size = sectors.parse::<u64>().ok()?.checked_mul(512)?;
    Some((name.to_owned(), Disk { size, rotational: rotational == "1" }))
}

/// `0 4096 100 50 10 5`: number of the directory, size of a block, blocks, free blocks, inodes, free inodes.
fn space(line: &str, directories: &[NodePath]) -> Option<(NodePath, Space)> {
    let [number, block, total, free, inodes, inodes_free] = line.split(' ').collect::<Vec<_>>().try_into().ok()?;
    let path = directories.get(number.parse::<usize>().ok()?)?;
    let block: u64 = block.parse().ok()?;
    let space = Space {
        total: total.parse::<u64>().ok()?.checked_mul(block)?,
        free: free.parse::<u64>().ok()?.checked_mul(block)?,
        inodes: inodes.parse().ok()?,
        inodes_free: inodes_free.parse().ok()?,
    };
    Some((path.clone(), space))
}

/// Two times of the node between two of ours: as NTP does it, the way there and back is taken to be equally long.
pub(super) fn clock(said: &Said<'_>, sent: f64, received: f64) -> Result<Clock, Misunderstood> {
    let missing = |key| move || Misunderstood::Missing { key };
    let begin: f64 = said.number("begin")?.ok_or_else(missing("begin"))?;
    let end: f64 = said.number("end")?.ok_or_else(missing("end"))?;
    // Some tools tell whole seconds only.
    let grain = if said.one("begin")?.contains('.') { 0.0 } else { 1.0 };
    Ok(Clock {
        offset: f64::midpoint(begin - sent, end - received),
        uncertainty: (((received - sent) - (end - begin)) / 2.0).max(0.0) + grain,
        synchronised: said.maybe("synchronised").map(|value| value == "yes"),
        zone: said.owned("zone"),
    })
}

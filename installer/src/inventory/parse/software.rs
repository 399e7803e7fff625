//! Security, packages, units, tools, leftovers.

use std::collections::BTreeMap;

use super::{Misunderstood, Said, bad};
use crate::inventory::facts::{Leftover, SeLinux, Security, Software, Unit};
use crate::node::NodePath;

pub(super) fn security(said: &Said<'_>) -> Result<Security, Misunderstood> {
    Ok(Security {
        selinux: match said.maybe("selinux") {
            None => SeLinux::Absent,
            Some("0") => SeLinux::Permissive,
            Some("1") => SeLinux::Enforcing,
            Some(other) => return Err(bad("selinux", other)),
        },
        apparmor: said.maybe("apparmor") == Some("Y"),
        nft_rules: said.number("nft-rules")?,
        iptables_rules: said.number("iptables-rules")?,
        ufw: said.maybe("ufw").is_some_and(|value| value.trim_matches('"') == "yes"),
    })
}

pub(super) fn software(said: &Said<'_>) -> Result<Software, Misunderstood> {
    let pair = |line: &str| line.split_once(' ').map(|(name, value)| (name.to_owned(), value.to_owned()));
    Ok(Software {
        package_managers: said.all("package-manager").map(str::to_owned).collect(),
        packages: said.each("package", pair)?.into_iter().collect(),
        units: units(said),
        tools: said.each("tool", pair)?.into_iter().collect(),
        leftovers: said.each("found", leftover)?.into_iter().collect(),
    })
}

/// Blocks of properties with empty lines between them; units that systemd does not know are left out.
fn units(said: &Said<'_>) -> BTreeMap<String, Unit> {
    let mut units = BTreeMap::new();
    let mut block: BTreeMap<&str, &str> = BTreeMap::new();
    for line in said.all("unit").chain([""]) {
        if let Some((name, value)) = line.split_once('=') {
            block.insert(name, value);
            continue;
        }
        let block = std::mem::take(&mut block);
        let of = |name: &str| block.get(name).copied().unwrap_or_default().to_owned();
        if !of("Id").is_empty() && of("LoadState") != "not-found" {
            units.insert(of("Id"), Unit { active: of("ActiveState"), enabled: of("UnitFileState") });
        }
    }
    units
}

/// `full /etc/kubernetes`
fn leftover(line: &str) -> Option<(NodePath, Leftover)> {
    let (how, path) = line.split_once(' ')?;
    let leftover = match how {
        "full" => Leftover::Full,
        "empty" => Leftover::Empty,
        "file" => Leftover::File,
        _ => return None,
    };
    Some((NodePath::new(path).ok()?, leftover))
}

//! What the bundle has for one node, and what of it the node lacks.

use kubexm_model::catalogue::Family;
use kubexm_model::lock::Locked;

use crate::node::Command;
use crate::steps::StepCx;
use crate::supplies::Supplies;

/// The folder of the repository on the node.
pub(super) const FOLDER: &str = "/var/lib/kubexm/packages";

/// The packages of the bundle for a node, if there is something to install.
pub(super) struct Missing<'a> {
    /// The bundle.
    pub(super) supplies: &'a Supplies,
    /// Which package manager.
    pub(super) family: Family,
    /// Every package of the bundle for this system and architecture that the node has not in that version.
    pub(super) offered: Vec<&'a Locked>,
    /// The names of those that are for this node and not there in any version: the closure as it was locked, so that nothing
    /// is left to the node's package manager to choose.
    pub(super) wanted: Vec<&'a str>,
}

/// What a node lacks; `None` if it has everything, or if there is no bundle.
pub(super) fn missing<'a>(cx: &StepCx<'a>) -> Option<Missing<'a>> {
    let supplies = cx.supplies?;
    let facts = cx.facts;
    let has = |manager: &str| facts.software.package_managers.iter().any(|name| name == manager);
    let family = if has("apt-get") { Family::Deb } else { Family::Rpm };
    let system = format!("{} {}", facts.system.os, facts.system.os_version.clone().unwrap_or_default());
    let installed = |entry: &Locked| facts.software.packages.get(&entry.name).map(String::as_str);
    let here =
        supplies.packages().filter(|entry| entry.os.as_deref() == Some(&system) && entry.arch.contains(&cx.host.arch));
    let here: Vec<&Locked> = here.collect();
    // Without nodes, something is for all of them.
    let for_this = |nodes: &[String]| nodes.is_empty() || nodes.contains(&cx.host.name);
    let asked = |entry: &&&Locked| {
        entry.reasons.iter().any(|reason| for_this(reason.nodes.as_slice())) && installed(entry).is_none()
    };
    let wanted: Vec<&str> = here.iter().filter(asked).map(|entry| entry.name.as_str()).collect();
    let offered = here.iter().filter(|entry| installed(entry) != entry.version.as_deref()).copied().collect();
    (!wanted.is_empty()).then_some(Missing { supplies, family, offered, wanted })
}

/// The commands that install packages from the folder, and look at no other repository.
pub(super) fn commands(family: Family, names: &[&str]) -> Vec<Command> {
    match family {
        Family::Deb => {
            let options = [
                "Dir::Etc::sourcelist=/var/lib/kubexm/packages/sources.list",
                "Dir::Etc::sourceparts=/dev/null",
                "Dir::State::lists=/var/lib/kubexm/packages/lists",
                "Dir::Cache::pkgcache=",
                "Dir::Cache::srcpkgcache=",
                "Dir::Cache::archives=/var/lib/kubexm/packages/archives",
                // The folder is for root alone, so the user that apt would become cannot read it.
                "APT::Sandbox::User=root",
                "Dpkg::Options::=--force-confdef",
                "Dpkg::Options::=--force-confold",
            ];
            let apt = Command::new("apt-get")
                .args(["-q", "-y"])
                .args(options.iter().flat_map(|option| ["-o", option]))
                .env("DEBIAN_FRONTEND", "noninteractive");
            let install = ["install", "--no-install-recommends", "--no-remove", "--no-upgrade", "--"];
            vec![apt.clone().arg("update"), apt.args(install).args(names.iter().copied())]
        }
        Family::Rpm => {
            let dnf = Command::new("dnf").args([
                "-y",
                "--setopt=reposdir=/var/lib/kubexm/packages/repos.d",
                "--setopt=install_weak_deps=False",
                "--setopt=cachedir=/var/lib/kubexm/packages/cache",
                "install",
                "--",
            ]);
            vec![dnf.args(names.iter().copied())]
        }
    }
}

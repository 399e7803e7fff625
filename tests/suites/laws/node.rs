//! A node in memory that answers the commands of the steps, and what belongs to the journal on it.

use std::path::PathBuf;

use kubexm_installer::node::fake::{FakeNode, FakeState, FakeUnit, Fault, Then};
use kubexm_installer::node::query::{Active, Enabled};
use kubexm_installer::node::{Command, NodePath, Output, SysctlKey, UnitName};
use tempfile::TempDir;

pub fn path(text: &str) -> NodePath {
    NodePath::new(text).unwrap()
}

/// The folder on nodes in which a run keeps things.
pub fn kept() -> NodePath {
    path("/var/lib/kubexm/run")
}

/// A node with something for every step to do: swap, firewall, SELinux, another name, another resolver.
pub fn busy() -> FakeNode {
    let node = FakeNode::new("node");
    node.edit(|state| {
        state.files.set_file(&path("/etc/fstab"), "/dev/sda1 / ext4 defaults 0 1\n/swapfile none swap sw 0 0\n");
        state.files.set_file(&path("/swapfile"), "");
        state.files.set_file(&path("/etc/selinux/config"), "SELINUX=enforcing\nSELINUXTYPE=targeted\n");
        state.files.set_file(&path("/etc/resolv.conf"), "nameserver 10.9.9.9\n");
        state.files.set_file(&path("/etc/chrony.conf"), "pool pool.ntp.org iburst\n");
        state.files.set_file(&path("/etc/sysctl.d/99-kubexm-cri.conf"), "# an older one\n");
        state.swaps.insert(path("/swapfile"));
        for (name, active, enabled) in [
            ("firewalld.service", Active::Active, Enabled::Enabled),
            ("ufw.service", Active::Inactive, Enabled::Disabled),
            ("chronyd.service", Active::Active, Enabled::Enabled),
            ("chrony.service", Active::Inactive, Enabled::Disabled),
            ("systemd-resolved.service", Active::Active, Enabled::Enabled),
        ] {
            let unit = FakeUnit { active, enabled, ..FakeUnit::default() };
            state.units.insert(UnitName::new(name).unwrap(), unit);
        }
        for (key, value) in [("kernel.hostname", "old-name"), ("kubexm.selinux", "Enforcing"), ("kernel.panic", "0")] {
            state.sysctls.insert(SysctlKey::new(key).unwrap(), value.to_owned());
        }
    });
    node.script(answer);
    node
}

/// The commands that the steps run, on values that stand among the kernel parameters.
fn answer(command: &Command, state: &mut FakeState) -> Option<Output> {
    let key = match command.program.as_str() {
        "uname" | "hostname" => "kernel.hostname",
        "getenforce" | "setenforce" => "kubexm.selinux",
        // Every module that the node lists can be loaded.
        "modprobe" => return Some(Output::default()),
        _ => return None,
    };
    let value = state.sysctls.get_mut(&SysctlKey::new(key).unwrap())?;
    if let ("hostname" | "setenforce", Some(wanted)) = (command.program.as_str(), command.args.last()) {
        value.clone_from(wanted);
    }
    Some(Output { stdout: value.clone().into_bytes(), ..Output::default() })
}

/// The node without what a run keeps there for the way back.
pub fn without_kept(state: &FakeState) -> FakeState {
    let mut state = state.clone();
    let ours: Vec<NodePath> = state
        .files
        .iter()
        .map(|(path, _)| path.clone())
        .filter(|path| path.is_within(&self::path("/var/lib/kubexm")))
        .collect();
    ours.iter().for_each(|path| state.files.unset(path));
    state
}

pub fn is_kill(fault: &Fault) -> bool {
    fault.then == Then::Killed
}

/// A folder for a journal in memory: thousands of them are synced.
pub fn journal_folder() -> TempDir {
    let memory = PathBuf::from("/dev/shm");
    let folder = if memory.is_dir() { memory } else { std::env::temp_dir() };
    tempfile::tempdir_in(folder).unwrap()
}

//! All that a node in memory is, as one value that can be compared.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use kubexm_model::digest::Digest;

use super::Files;
use crate::node::names::{AccountName, ModuleName, PackageName, SysctlKey, UnitName};
use crate::node::path::NodePath;
use crate::node::query::{Active, Enabled, Group, ModuleState, Mount, User};

/// All that a node in memory is.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct FakeState {
    /// Files, directories, symlinks.
    pub files: Files,
    /// Units that systemd knows, beside those that have a file in `/etc/systemd/system`.
    pub units: BTreeMap<UnitName, FakeUnit>,
    /// Kernel parameters.
    pub sysctls: BTreeMap<SysctlKey, String>,
    /// Kernel modules; an absent one that is listed can be loaded.
    pub modules: BTreeMap<ModuleName, ModuleState>,
    /// Installed packages with their versions.
    pub packages: BTreeMap<PackageName, String>,
    /// Users.
    pub users: BTreeMap<AccountName, User>,
    /// Groups.
    pub groups: BTreeMap<AccountName, Group>,
    /// What is mounted.
    pub mounts: Vec<Mount>,
    /// What is swapped to.
    pub swaps: BTreeSet<NodePath>,
}

/// A unit in memory.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FakeUnit {
    /// Whether it runs.
    pub active: Active,
    /// Whether it starts with the machine.
    pub enabled: Enabled,
    /// What its starter said it was started with.
    pub started_with: Option<Digest>,
    /// Its file in `/etc/systemd/system` as systemd last read it.
    pub read: Option<Digest>,
}

impl FakeState {
    /// What every Linux has.
    pub(super) fn usual() -> Self {
        let mut state = Self::default();
        let directories = [
            "/etc/modules-load.d",
            "/etc/sysctl.d",
            "/etc/systemd/system",
            "/etc/security/limits.d",
            "/opt",
            "/root",
            "/run",
            "/srv",
            "/tmp",
            "/usr/bin",
            "/usr/lib/systemd/system",
            "/usr/local/bin",
            "/usr/sbin",
            "/var/lib",
            "/var/log",
        ];
        for path in directories.iter().filter_map(|path| NodePath::new(*path).ok()) {
            state.files.set_directory(&path);
        }
        for (path, content) in
            [("/etc/hosts", "127.0.0.1 localhost\n"), ("/etc/hostname", "node\n"), ("/etc/fstab", "")]
        {
            if let Ok(path) = NodePath::new(path) {
                state.files.set_file(&path, content);
            }
        }
        for (key, value) in
            [("net.ipv4.ip_forward", "0"), ("vm.swappiness", "60"), ("fs.inotify.max_user_watches", "8192")]
        {
            state.sysctls.extend(SysctlKey::new(key).map(|key| (key, value.to_owned())));
        }
        for name in ["overlay", "br_netfilter", "ip_vs", "ip_vs_rr", "ip_vs_wrr", "ip_vs_sh", "nf_conntrack"] {
            state.modules.extend(ModuleName::new(name).map(|name| (name, ModuleState::Absent)));
        }
        let user = User { uid: 0, gid: 0, home: "/root".to_owned(), shell: "/bin/bash".to_owned() };
        state.users.extend(AccountName::new("root").map(|name| (name, user)));
        state.groups.extend(AccountName::new("root").map(|name| (name, Group { gid: 0, members: vec![] })));
        state
    }

    /// A line for each thing there is, sorted.
    pub fn lines(&self) -> BTreeSet<String> {
        let mut lines: BTreeSet<String> = self.files.lines().collect();
        lines.extend(self.units.iter().map(|(name, unit)| format!("unit {name} {unit:?}")));
        lines.extend(self.sysctls.iter().map(|(key, value)| format!("sysctl {key} = {value}")));
        lines.extend(self.modules.iter().map(|(name, state)| format!("module {name} {state:?}")));
        lines.extend(self.packages.iter().map(|(name, version)| format!("package {name} {version}")));
        lines.extend(self.users.iter().map(|(name, user)| format!("user {name} {user:?}")));
        lines.extend(self.groups.iter().map(|(name, group)| format!("group {name} {group:?}")));
        lines.extend(self.mounts.iter().enumerate().map(|(index, mount)| format!("mount {index:03} {mount:?}")));
        lines.extend(self.swaps.iter().map(|path| format!("swap {path}")));
        lines
    }

    /// What is different in `now`: lines that went (`-`) and lines that came (`+`); empty when nothing is.
    pub fn difference(&self, now: &Self) -> String {
        let (old, new) = (self.lines(), now.lines());
        let mut changes: Vec<String> = old.difference(&new).map(|line| format!("- {line}")).collect();
        changes.extend(new.difference(&old).map(|line| format!("+ {line}")));
        changes.sort_by(|left, right| left[2..].cmp(&right[2..]));
        changes.join("\n")
    }
}

impl fmt::Debug for FakeState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.lines().iter().try_for_each(|line| writeln!(f, "{line}"))
    }
}

//! Units, parameters, modules, packages and accounts of a node in memory.

use kubexm_model::digest::Digest;

use super::{FakeState, FakeUnit, Refused, refuse};
use crate::node::change::{AccountChange, Change, FileChange, PackageChange, SystemChange, UnitChange};
use crate::node::names::{PackageName, UnitName};
use crate::node::path::NodePath;
use crate::node::query::{Active, Answer, Enabled, Group, ModuleState, Mount, Query, UnitState, User};

impl FakeState {
    pub(super) fn answer(&self, query: &Query) -> Answer {
        match query {
            Query::Unit(name) => Answer::Unit(self.unit_state(name)),
            Query::Sysctl(key) => Answer::Sysctl(self.sysctls.get(key).cloned()),
            Query::Module(name) => Answer::Module(self.modules.get(name).copied().unwrap_or(ModuleState::Absent)),
            Query::Package(name) => Answer::Package(self.packages.get(name).cloned()),
            Query::User(name) => Answer::User(self.users.get(name).cloned()),
            Query::Group(name) => Answer::Group(self.groups.get(name).cloned()),
            Query::Mounts => Answer::Mounts(self.mounts.clone()),
            Query::Swaps => Answer::Swaps(self.swaps.iter().cloned().collect()),
            Query::Check(_) => Answer::Check(crate::node::Output::default()),
        }
    }

    pub(super) fn change(&mut self, change: &Change) -> Result<(), Refused> {
        match change {
            Change::File(FileChange::RemoveTree { path })
                if self.mounts.iter().any(|each| each.path.is_within(path)) =>
            {
                Err(refuse(format!("{path}: something is mounted there")))
            }
            Change::File(change) => self.files.change(change),
            Change::Unit(change) => {
                self.change_unit(change)?;
                self.forget_idle_units();
                Ok(())
            }
            Change::System(change) => self.change_system(change),
            Change::Package(change) => self.change_packages(change),
            Change::Account(change) => self.change_account(change),
        }
    }

    /// What a crash in the middle leaves.
    pub(super) fn change_half(&mut self, change: &Change) {
        match change {
            Change::File(change) => self.files.change_half(change),
            Change::Unit(UnitChange::Restart { unit, .. }) => {
                if let Some(unit) = self.units.get_mut(unit) {
                    *unit = FakeUnit { active: Active::Inactive, started_with: None, ..unit.clone() };
                }
            }
            Change::Package(PackageChange::Install { files }) => {
                let half = files[..files.len() / 2].to_vec();
                // What cannot be installed is not installed: the fault itself is what the caller sees.
                let _ = self.change_packages(&PackageChange::Install { files: half });
            }
            _ => {}
        }
    }

    fn unit_file(&self, name: &UnitName) -> Option<Digest> {
        ["/etc/systemd/system", "/usr/lib/systemd/system"].into_iter().find_map(|directory| {
            let path = NodePath::new(format!("{directory}/{name}")).ok()?;
            self.files.read(&path).ok().flatten().map(|content| Digest::of(&content))
        })
    }

    fn unit_state(&self, name: &UnitName) -> UnitState {
        let file = self.unit_file(name);
        let unit = self.units.get(name);
        let known = unit.cloned().unwrap_or_default();
        UnitState {
            known: file.is_some() || unit.is_some_and(|unit| unit.read.is_none()),
            active: known.active,
            enabled: known.enabled,
            needs_reload: known.read.is_some() && known.read != file,
            started_with: known.started_with,
        }
    }

    fn change_unit(&mut self, change: &UnitChange) -> Result<(), Refused> {
        let unit = match change {
            UnitChange::ReloadFiles => {
                self.reload_unit_files();
                return Ok(());
            }
            UnitChange::Start { unit, .. }
            | UnitChange::Restart { unit, .. }
            | UnitChange::Reload { unit, .. }
            | UnitChange::Stop { unit }
            | UnitChange::Enable { unit }
            | UnitChange::Disable { unit }
            | UnitChange::Mask { unit }
            | UnitChange::Unmask { unit } => unit,
        };
        let file = self.unit_file(unit);
        if file.is_none() && !self.units.contains_key(unit) {
            return Err(refuse(format!("Unit {unit} could not be found.")));
        }
        let state = self.units.entry(unit.clone()).or_insert_with(|| FakeUnit { read: file, ..FakeUnit::default() });
        match change {
            UnitChange::Start { with, .. } | UnitChange::Restart { with, .. } => {
                if state.enabled == Enabled::Masked {
                    return Err(refuse(format!("Unit {unit} is masked.")));
                }
                let again = matches!(change, UnitChange::Restart { .. }) || state.active != Active::Active;
                state.active = Active::Active;
                state.started_with = if again { *with } else { state.started_with };
            }
            UnitChange::Reload { with, .. } if state.active == Active::Active => state.started_with = *with,
            UnitChange::Reload { .. } => return Err(refuse(format!("{unit} is not active, cannot reload."))),
            UnitChange::Stop { .. } => (state.active, state.started_with) = (Active::Inactive, None),
            UnitChange::Enable { .. } if state.enabled == Enabled::Disabled => state.enabled = Enabled::Enabled,
            UnitChange::Disable { .. } if state.enabled == Enabled::Enabled => state.enabled = Enabled::Disabled,
            UnitChange::Mask { .. } => state.enabled = Enabled::Masked,
            UnitChange::Unmask { .. } if state.enabled == Enabled::Masked => state.enabled = Enabled::Disabled,
            UnitChange::Enable { .. } if state.enabled == Enabled::Masked => {
                return Err(refuse(format!("Unit {unit} is masked.")));
            }
            UnitChange::Enable { .. }
            | UnitChange::Disable { .. }
            | UnitChange::Unmask { .. }
            | UnitChange::ReloadFiles => {}
        }
        Ok(())
    }

    /// systemd reads the files again.
    fn reload_unit_files(&mut self) {
        let files: Vec<Option<Digest>> = self.units.keys().map(|name| self.unit_file(name)).collect();
        for (unit, file) in self.units.values_mut().zip(files) {
            unit.read = file.or(unit.read);
        }
    }

    /// systemd remembers nothing about a unit that does nothing and is no different from its file.
    fn forget_idle_units(&mut self) {
        let idle = |name: &UnitName, unit: &FakeUnit| {
            let file = self.unit_file(name);
            let same = unit.read.is_some() && (file.is_none() || file == unit.read);
            same && unit.active == Active::Inactive && unit.enabled == Enabled::Disabled
        };
        let gone: Vec<UnitName> =
            self.units.iter().filter(|(name, unit)| idle(name, unit)).map(|(name, _)| name.clone()).collect();
        self.units.retain(|name, _| !gone.contains(name));
    }

    fn change_system(&mut self, change: &SystemChange) -> Result<(), Refused> {
        match change {
            SystemChange::Sysctl { key, value } => match self.sysctls.get_mut(key) {
                Some(old) => value.split_whitespace().collect::<Vec<_>>().join(" ").clone_into(old),
                None => return Err(refuse(format!("{key}: No such file or directory"))),
            },
            SystemChange::LoadModule { module } => match self.modules.get_mut(module) {
                Some(state @ ModuleState::Absent) => *state = ModuleState::Loaded,
                Some(_) => {}
                None => return Err(refuse(format!("module {module} not found"))),
            },
            SystemChange::UnloadModule { module } => match self.modules.get_mut(module) {
                Some(ModuleState::BuiltIn) => return Err(refuse(format!("module {module} is builtin"))),
                Some(state) => *state = ModuleState::Absent,
                None => {}
            },
            SystemChange::Mount { path, source, kind, options } => {
                let mut options = options.clone();
                options.sort();
                self.mounts.push(Mount { path: path.clone(), source: source.clone(), kind: kind.clone(), options });
            }
            SystemChange::Unmount { path } => {
                let last = self.mounts.iter().rposition(|mount| mount.path == *path);
                self.mounts.remove(last.ok_or_else(|| refuse(format!("{path}: not mounted")))?);
            }
            SystemChange::SwapOn { path } => drop(self.swaps.insert(path.clone())),
            SystemChange::SwapOff { path } => drop(self.swaps.remove(path)),
        }
        Ok(())
    }

    fn change_packages(&mut self, change: &PackageChange) -> Result<(), Refused> {
        match change {
            PackageChange::Install { files } => files.iter().try_for_each(|file| {
                if self.files.entry(file).is_none() {
                    return Err(refuse(format!("{file}: No such file or directory")));
                }
                let (name, version) =
                    package_of(file.file_name()).ok_or_else(|| refuse(format!("{file}: no package")))?;
                self.packages.insert(name, version);
                Ok(())
            }),
            PackageChange::Remove { names } => {
                self.packages.retain(|name, _| !names.contains(name));
                Ok(())
            }
        }
    }

    fn change_account(&mut self, change: &AccountChange) -> Result<(), Refused> {
        match change {
            AccountChange::AddGroup { name } if self.groups.contains_key(name) => {
                return Err(refuse(format!("group '{name}' already exists")));
            }
            AccountChange::AddGroup { name } => {
                let gid = free(self.groups.values().map(|group| group.gid));
                self.groups.insert(name.clone(), Group { gid, members: vec![] });
            }
            AccountChange::RemoveGroup { name } => drop(self.groups.remove(name)),
            AccountChange::AddUser { name, .. } if self.users.contains_key(name) => {
                return Err(refuse(format!("user '{name}' already exists")));
            }
            AccountChange::AddUser { name, group, home } => {
                let gid = self.groups.get(group).ok_or_else(|| refuse(format!("group '{group}' does not exist")))?.gid;
                let uid = free(self.users.values().map(|user| user.uid));
                let (home, shell) = (home.to_string(), "/usr/sbin/nologin".to_owned());
                self.users.insert(name.clone(), User { uid, gid, home, shell });
            }
            AccountChange::RemoveUser { name } => drop(self.users.remove(name)),
        }
        Ok(())
    }
}

/// The highest number of a system account that nobody has, as useradd chooses it.
fn free(taken: impl Iterator<Item = u32>) -> u32 {
    let taken: Vec<u32> = taken.collect();
    (100..1000).rev().find(|id| !taken.contains(id)).unwrap_or(1000)
}

/// Name and version, from `name_version_arch.deb` or `name-version-release.arch.rpm`.
fn package_of(file: &str) -> Option<(PackageName, String)> {
    let (name, version) = match (file.strip_suffix(".deb"), file.strip_suffix(".rpm")) {
        (Some(stem), _) => {
            let mut parts = stem.splitn(3, '_');
            (parts.next()?, parts.next()?.to_owned())
        }
        (_, Some(stem)) => {
            let (rest, _arch) = stem.rsplit_once('.')?;
            let (rest, release) = rest.rsplit_once('-')?;
            let (name, version) = rest.rsplit_once('-')?;
            (name, format!("{version}-{release}"))
        }
        _ => return None,
    };
    Some((PackageName::new(name).ok()?, version))
}

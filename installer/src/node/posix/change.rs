//! Changes as commands.

use std::time::Duration;

use kubexm_model::digest::Digest;

use super::talk::Feed;
use super::{Job, PosixNode};
use crate::node::change::{AccountChange, Change, FileChange, PackageChange, SystemChange, UnitChange};
use crate::node::line::Line;
use crate::node::names::PackageName;
use crate::node::query::{Answer, Ask, Query};
use crate::node::{NodeError, NodePath};

/// A script of ours: how it is called in messages, and its text.
struct Script(&'static str, &'static str);

const MAKE_DIRECTORY: Script = Script("make directory", include_str!("make_directory.sh"));
const LINK: Script = Script("link", include_str!("link.sh"));
const RENAME: Script = Script("rename", include_str!("rename.sh"));
const COPY: Script = Script("copy", include_str!("copy.sh"));
const UNIT_START: Script = Script("systemctl", include_str!("unit_start.sh"));
const UNIT_STOP: Script = Script("systemctl stop", include_str!("unit_stop.sh"));
const PACKAGES_INSTALL: Script = Script("install packages", include_str!("packages_install.sh"));
const PACKAGES_REMOVE: Script = Script("remove packages", include_str!("packages_remove.sh"));
const REMOVE_DIRECTORY: Script = Script("remove directory", r#"if [ -e "$1" ] || [ -L "$1" ]; then rmdir -- "$1"; fi"#);
const SYSCTL: Script = Script("set", r#"printf '%s\n' "$2" > "$1""#);
const ADD_USER: Script = Script(
    "add user",
    r#"exec useradd -r -M -g "$2" -d "$3" -s "$(command -v nologin || echo /usr/sbin/nologin)" -- "$1""#,
);

/// Enough for packages and for units that take their time.
const PATIENCE: Duration = Duration::from_mins(20);

impl<L: Line> PosixNode<L> {
    pub(super) async fn make(&self, change: &Change) -> Result<(), NodeError> {
        match change {
            Change::File(change) => self.make_file(change).await,
            Change::Unit(change) => self.make_unit(change).await,
            Change::System(change) => self.make_system(change).await,
            Change::Package(PackageChange::Install { files }) => {
                self.script(PACKAGES_INSTALL, &files.iter().map(NodePath::as_str).collect::<Vec<_>>()).await
            }
            Change::Package(PackageChange::Remove { names }) => {
                self.script(PACKAGES_REMOVE, &names.iter().map(PackageName::as_str).collect::<Vec<_>>()).await
            }
            Change::Account(change) => self.make_account(change).await,
        }
    }

    async fn make_file(&self, change: &FileChange) -> Result<(), NodeError> {
        match change {
            FileChange::MakeDirectory { path, mode, owner } => {
                self.script(MAKE_DIRECTORY, &[path.as_str(), &mode.argument(), &owner.to_string()]).await
            }
            FileChange::Link { path, target } => {
                let beside = beside(path, &self.name)?;
                self.script(LINK, &[path.as_str(), beside.as_str(), target]).await
            }
            FileChange::Remove { path } => self.tool(&["rm", "-f", "--", path.as_str()]).await,
            FileChange::RemoveDirectory { path } => self.script(REMOVE_DIRECTORY, &[path.as_str()]).await,
            FileChange::RemoveTree { path } => self.remove_tree(path).await,
            FileChange::Rename { from, to } => self.script(RENAME, &[from.as_str(), to.as_str()]).await,
            FileChange::Copy { from, to } => {
                let beside = beside(to, &self.name)?;
                self.script(COPY, &[from.as_str(), to.as_str(), beside.as_str()]).await
            }
            FileChange::SetMode { path, mode } => self.tool(&["chmod", "--", &mode.argument(), path.as_str()]).await,
            FileChange::SetOwner { path, owner } => {
                self.tool(&["chown", "-h", "--", &owner.to_string(), path.as_str()]).await
            }
        }
    }

    /// rm does not see bind mounts, and would empty what is mounted.
    async fn remove_tree(&self, path: &NodePath) -> Result<(), NodeError> {
        let Answer::Mounts(mounts) = self.answer(&Query::Mounts).await? else { return Ok(()) };
        if let Some(mount) = mounts.iter().find(|mount| mount.path.is_within(path)) {
            let said = format!("{} is mounted at {}", mount.source, mount.path);
            return Err(NodeError::Failed {
                node: self.name.clone(),
                command: format!("remove {path}"),
                code: 1,
                said,
            });
        }
        self.tool(&["rm", "-rf", "--one-file-system", "--", path.as_str()]).await
    }

    async fn make_unit(&self, change: &UnitChange) -> Result<(), NodeError> {
        let digest = |with: &Option<Digest>| with.map_or("-".to_owned(), |digest| digest.to_string());
        match change {
            UnitChange::ReloadFiles => self.tool(&["systemctl", "daemon-reload"]).await,
            UnitChange::Start { unit, with } => self.script(UNIT_START, &["start", unit.as_str(), &digest(with)]).await,
            UnitChange::Restart { unit, with } => {
                self.script(UNIT_START, &["restart", unit.as_str(), &digest(with)]).await
            }
            UnitChange::Reload { unit, with } => {
                self.script(UNIT_START, &["reload", unit.as_str(), &digest(with)]).await
            }
            UnitChange::Stop { unit } => self.script(UNIT_STOP, &[unit.as_str()]).await,
            UnitChange::Enable { unit } => self.tool(&["systemctl", "enable", "-q", "--", unit.as_str()]).await,
            UnitChange::Disable { unit } => self.tool(&["systemctl", "disable", "-q", "--", unit.as_str()]).await,
            UnitChange::Mask { unit } => self.tool(&["systemctl", "mask", "-q", "--", unit.as_str()]).await,
            UnitChange::Unmask { unit } => self.tool(&["systemctl", "unmask", "-q", "--", unit.as_str()]).await,
        }
    }

    async fn make_system(&self, change: &SystemChange) -> Result<(), NodeError> {
        match change {
            SystemChange::Sysctl { key, value } => {
                self.script(SYSCTL, &[&format!("/proc/sys/{}", key.relative_path()), value]).await
            }
            SystemChange::LoadModule { module } => self.tool(&["modprobe", "--", module.as_str()]).await,
            SystemChange::UnloadModule { module } => self.tool(&["modprobe", "-r", "--", module.as_str()]).await,
            SystemChange::Mount { path, source, kind, options } => {
                let options = if options.is_empty() { "defaults".to_owned() } else { options.join(",") };
                self.tool(&["mount", "-t", kind, "-o", &options, "--", source, path.as_str()]).await
            }
            SystemChange::Unmount { path } => self.tool(&["umount", "--", path.as_str()]).await,
            SystemChange::SwapOn { path } if self.swaps().await?.contains(path) => Ok(()),
            SystemChange::SwapOff { path } if !self.swaps().await?.contains(path) => Ok(()),
            SystemChange::SwapOn { path } => self.tool(&["swapon", "--", path.as_str()]).await,
            SystemChange::SwapOff { path } => self.tool(&["swapoff", "--", path.as_str()]).await,
        }
    }

    async fn make_account(&self, change: &AccountChange) -> Result<(), NodeError> {
        match change {
            AccountChange::AddGroup { name } => self.tool(&["groupadd", "-r", "--", name.as_str()]).await,
            AccountChange::RemoveGroup { name } if self.group(name).await?.is_none() => Ok(()),
            AccountChange::RemoveGroup { name } => self.tool(&["groupdel", "--", name.as_str()]).await,
            AccountChange::AddUser { name, group, home } => {
                self.script(ADD_USER, &[name.as_str(), group.as_str(), home.as_str()]).await
            }
            AccountChange::RemoveUser { name } if self.user(name).await?.is_none() => Ok(()),
            AccountChange::RemoveUser { name } => self.tool(&["userdel", "--", name.as_str()]).await,
        }
    }

    async fn script(&self, script: Script, args: &[&str]) -> Result<(), NodeError> {
        let words: Vec<&str> = ["sh", "-c", script.1, "kubexm"].iter().chain(args).copied().collect();
        self.effect(&words, &format!("{} {}", script.0, args.join(" "))).await
    }

    async fn tool(&self, argv: &[&str]) -> Result<(), NodeError> {
        self.effect(argv, &argv.join(" ")).await
    }

    async fn effect(&self, argv: &[&str], doing: &str) -> Result<(), NodeError> {
        let job = Job {
            argv: ["env", "LC_ALL=C"].iter().chain(argv).map(|&arg| arg.to_owned()).collect(),
            doing: doing.to_owned(),
            feed: Feed::Bytes(vec![]),
            patience: PATIENCE,
            keep: 64 * 1024,
            changes: true,
        };
        let output = self.exec(job).await?;
        if output.code == 0 { Ok(()) } else { Err(self.failed(doing.to_owned(), &output)) }
    }
}

/// A name in the same directory that nobody else uses.
fn beside(path: &NodePath, node: &str) -> Result<NodePath, NodeError> {
    let name = format!(".kubexm-{}.new", &Digest::of(path.as_str().as_bytes()).hex()[..32]);
    let parent = path.parent().unwrap_or_else(|| path.clone());
    parent.join(&name).map_err(|source| NodeError::NoRoomBeside { node: node.to_owned(), path: path.clone(), source })
}

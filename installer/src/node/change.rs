//! What can be changed on a node: a closed list, so that a node in memory can do all of it too.
//!
//! Each change says what shall be, and making it twice is the same as making it once, unless the sentence says
//! otherwise. Whether it is needed, and how to get back, is found out before by looking.

use kubexm_model::digest::Digest;
use serde::{Deserialize, Serialize};

use crate::node::file::{Mode, Owner};
use crate::node::names::{AccountName, ModuleName, PackageName, SysctlKey, UnitName};
use crate::node::path::NodePath;

/// One change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Change {
    /// Of files, directories and symlinks.
    File(FileChange),
    /// Of systemd units.
    Unit(UnitChange),
    /// Of the running kernel.
    System(SystemChange),
    /// Of packages.
    Package(PackageChange),
    /// Of users and groups.
    Account(AccountChange),
}

/// A change of files, directories and symlinks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum FileChange {
    /// A directory is there, so; its parent must be.
    MakeDirectory {
        /// Where.
        path: NodePath,
        /// Who may do what.
        mode: Mode,
        /// Whose it is.
        owner: Owner,
    },
    /// A symlink is there and says this; it replaces a file or a symlink, at once.
    Link {
        /// Where.
        path: NodePath,
        /// What it says.
        target: String,
    },
    /// No file and no symlink is there; a directory is an error.
    Remove {
        /// Where.
        path: NodePath,
    },
    /// No directory is there; one that is not empty is an error.
    RemoveDirectory {
        /// Where.
        path: NodePath,
    },
    /// Nothing is there, and nothing below; what is mounted below is an error and stays.
    RemoveTree {
        /// Where.
        path: NodePath,
    },
    /// What is at one path is at another, and replaces a file that is there; a directory there is an error. Not repeatable.
    Rename {
        /// From where.
        from: NodePath,
        /// To where; on the same file system.
        to: NodePath,
    },
    /// What is at one path, with all below, is at another too, with modes, owners and times; nothing may be there.
    /// Not repeatable.
    Copy {
        /// From where.
        from: NodePath,
        /// To where.
        to: NodePath,
    },
    /// A file or directory has this mode; symlinks are followed.
    SetMode {
        /// Which.
        path: NodePath,
        /// Who may do what.
        mode: Mode,
    },
    /// A file, directory or symlink (itself) belongs to this user and group.
    SetOwner {
        /// Which.
        path: NodePath,
        /// Whose it is.
        owner: Owner,
    },
}

/// A change of systemd units.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum UnitChange {
    /// systemd has read all unit files again.
    ReloadFiles,
    /// The unit runs; `with` is kept until it stops and comes back in [`crate::node::query::UnitState::started_with`].
    Start {
        /// Which.
        unit: UnitName,
        /// The digest of what it reads at its start.
        with: Option<Digest>,
    },
    /// The unit was started anew; not the same when made twice.
    Restart {
        /// Which.
        unit: UnitName,
        /// The digest of what it reads at its start.
        with: Option<Digest>,
    },
    /// The unit has read its configuration again; not the same when made twice.
    Reload {
        /// Which.
        unit: UnitName,
        /// The digest of what it read.
        with: Option<Digest>,
    },
    /// The unit does not run.
    Stop {
        /// Which.
        unit: UnitName,
    },
    /// The unit starts with the machine.
    Enable {
        /// Which.
        unit: UnitName,
    },
    /// The unit does not start with the machine.
    Disable {
        /// Which.
        unit: UnitName,
    },
    /// The unit cannot be started.
    Mask {
        /// Which.
        unit: UnitName,
    },
    /// The unit can be started.
    Unmask {
        /// Which.
        unit: UnitName,
    },
}

/// A change of the running kernel: gone after a reboot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum SystemChange {
    /// A kernel parameter has this value.
    Sysctl {
        /// Which.
        key: SysctlKey,
        /// Its value.
        value: String,
    },
    /// The kernel has the module.
    LoadModule {
        /// Which.
        module: ModuleName,
    },
    /// The kernel does not have the module.
    UnloadModule {
        /// Which.
        module: ModuleName,
    },
    /// Something is mounted; not the same when made twice.
    Mount {
        /// Where.
        path: NodePath,
        /// What.
        source: String,
        /// Of which kind; `none` for a bind mount.
        kind: String,
        /// How: `bind`, `ro`.
        options: Vec<String>,
    },
    /// What was mounted last at the path no longer is; not the same when made twice.
    Unmount {
        /// Where.
        path: NodePath,
    },
    /// The file or device is swapped to.
    SwapOn {
        /// Which.
        path: NodePath,
    },
    /// The file or device is not swapped to.
    SwapOff {
        /// Which.
        path: NodePath,
    },
}

/// A change of packages, with the node's own package manager and without any network.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum PackageChange {
    /// The packages in these files, which are on the node, are installed; together they must be complete.
    Install {
        /// The files.
        files: Vec<NodePath>,
    },
    /// The packages are not installed; nothing else is removed with them.
    Remove {
        /// Which.
        names: Vec<PackageName>,
    },
}

/// A change of users and groups.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum AccountChange {
    /// A system group; an error when there is one.
    AddGroup {
        /// Its name.
        name: AccountName,
    },
    /// The group is not there.
    RemoveGroup {
        /// Its name.
        name: AccountName,
    },
    /// A system user who cannot log in; an error when there is one.
    AddUser {
        /// Its name.
        name: AccountName,
        /// Its group, which must be there.
        group: AccountName,
        /// Its home, which is not made.
        home: NodePath,
    },
    /// The user is not there; its files stay.
    RemoveUser {
        /// Its name.
        name: AccountName,
    },
}

macro_rules! into_change {
    ($($part:ident => $variant:ident),*) => {$(
        impl From<$part> for Change {
            fn from(change: $part) -> Self {
                Self::$variant(change)
            }
        }
    )*};
}
into_change!(FileChange => File, UnitChange => Unit, SystemChange => System, PackageChange => Package, AccountChange => Account);

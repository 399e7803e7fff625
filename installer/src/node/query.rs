//! What can be asked of a node without changing anything.

use async_trait::async_trait;
use kubexm_model::digest::Digest;
use serde::{Deserialize, Serialize};

use crate::node::names::{AccountName, ModuleName, PackageName, SysctlKey, UnitName};
use crate::node::{Command, Inspect, NodeError, NodePath, Output};

/// A question; [`Ask`] puts them with their own types.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Query {
    /// How a unit is.
    Unit(UnitName),
    /// A kernel parameter's value.
    Sysctl(SysctlKey),
    /// Whether the kernel has a module.
    Module(ModuleName),
    /// Whether a package is installed.
    Package(PackageName),
    /// A user.
    User(AccountName),
    /// A group.
    Group(AccountName),
    /// Everything that is mounted.
    Mounts,
    /// Everything that is swapped to.
    Swaps,
    /// A command that is declared to change nothing.
    Check(Command),
}

/// The answer to the question of the same name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// How a unit is.
    Unit(UnitState),
    /// A kernel parameter's value, words separated by one blank; nothing when the kernel does not have it.
    Sysctl(Option<String>),
    /// Whether the kernel has a module.
    Module(ModuleState),
    /// The installed version of a package.
    Package(Option<String>),
    /// A user.
    User(Option<User>),
    /// A group.
    Group(Option<Group>),
    /// Everything that is mounted, in the order in which it was.
    Mounts(Vec<Mount>),
    /// Everything that is swapped to: files and devices.
    Swaps(Vec<NodePath>),
    /// What the command said; its exit code was accepted.
    Check(Output),
}

/// How a systemd unit is.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct UnitState {
    /// Whether systemd knows it.
    pub known: bool,
    /// Whether it runs.
    pub active: Active,
    /// Whether it starts with the machine.
    pub enabled: Enabled,
    /// Whether its file changed since systemd read it.
    pub needs_reload: bool,
    /// The digest that [`crate::node::UnitChange::Start`] or `Restart` was given when it was last started; unknown when
    /// somebody else started it.
    pub started_with: Option<Digest>,
}

/// Whether a unit runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Active {
    /// It runs, or did what it had to do.
    Active,
    /// It does not run.
    #[default]
    Inactive,
    /// It is on its way up or down.
    Changing,
    /// It ended badly.
    Failed,
}

/// Whether a unit starts with the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Enabled {
    /// It does.
    Enabled,
    /// It does not.
    #[default]
    Disabled,
    /// It has nothing to say about that: others start it.
    Static,
    /// It can not be started at all.
    Masked,
}

/// Whether the kernel has a module.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ModuleState {
    /// It was loaded.
    Loaded,
    /// It is part of the kernel.
    BuiltIn,
    /// It is neither.
    Absent,
}

/// A user of the node.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct User {
    /// Its number.
    pub uid: u32,
    /// The number of its group.
    pub gid: u32,
    /// Its home.
    pub home: String,
    /// Its shell.
    pub shell: String,
}

/// A group of the node.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Group {
    /// Its number.
    pub gid: u32,
    /// Users who are in it beside those whose own group it is.
    pub members: Vec<String>,
}

/// Something mounted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mount {
    /// Where.
    pub path: NodePath,
    /// What.
    pub source: String,
    /// Of which kind.
    pub kind: String,
    /// How, sorted: `noexec`, `ro`.
    pub options: Vec<String>,
}

/// The questions as methods, each with the type of its answer.
#[async_trait]
pub trait Ask: Inspect {
    /// How a unit is.
    async fn unit(&self, name: &UnitName) -> Result<UnitState, NodeError> {
        match self.ask(&Query::Unit(name.clone())).await? {
            Answer::Unit(state) => Ok(state),
            other => Err(mixed_up(self.name(), "unit", &other)),
        }
    }

    /// A kernel parameter's value.
    async fn sysctl(&self, key: &SysctlKey) -> Result<Option<String>, NodeError> {
        match self.ask(&Query::Sysctl(key.clone())).await? {
            Answer::Sysctl(value) => Ok(value),
            other => Err(mixed_up(self.name(), "sysctl", &other)),
        }
    }

    /// Whether the kernel has a module.
    async fn module(&self, name: &ModuleName) -> Result<ModuleState, NodeError> {
        match self.ask(&Query::Module(name.clone())).await? {
            Answer::Module(state) => Ok(state),
            other => Err(mixed_up(self.name(), "module", &other)),
        }
    }

    /// The installed version of a package.
    async fn package(&self, name: &PackageName) -> Result<Option<String>, NodeError> {
        match self.ask(&Query::Package(name.clone())).await? {
            Answer::Package(version) => Ok(version),
            other => Err(mixed_up(self.name(), "package", &other)),
        }
    }

    /// A user.
    async fn user(&self, name: &AccountName) -> Result<Option<User>, NodeError> {
        match self.ask(&Query::User(name.clone())).await? {
            Answer::User(user) => Ok(user),
            other => Err(mixed_up(self.name(), "user", &other)),
        }
    }

    /// A group.
    async fn group(&self, name: &AccountName) -> Result<Option<Group>, NodeError> {
        match self.ask(&Query::Group(name.clone())).await? {
            Answer::Group(group) => Ok(group),
            other => Err(mixed_up(self.name(), "group", &other)),
        }
    }

    /// What is mounted at exactly this path: the last one, which hides the others.
    async fn mount(&self, path: &NodePath) -> Result<Option<Mount>, NodeError> {
        match self.ask(&Query::Mounts).await? {
            Answer::Mounts(mounts) => Ok(mounts.into_iter().rfind(|mount| mount.path == *path)),
            other => Err(mixed_up(self.name(), "mounts", &other)),
        }
    }

    /// Everything that is swapped to.
    async fn swaps(&self) -> Result<Vec<NodePath>, NodeError> {
        match self.ask(&Query::Swaps).await? {
            Answer::Swaps(paths) => Ok(paths),
            other => Err(mixed_up(self.name(), "swaps", &other)),
        }
    }

    /// Runs a command that changes nothing.
    async fn check(&self, command: &Command) -> Result<Output, NodeError> {
        match self.ask(&Query::Check(command.clone())).await? {
            Answer::Check(output) => Ok(output),
            other => Err(mixed_up(self.name(), "check", &other)),
        }
    }
}

impl<Node: Inspect + ?Sized> Ask for Node {}

fn mixed_up(node: &str, question: &str, answer: &Answer) -> NodeError {
    NodeError::Puzzling { node: node.to_owned(), question: question.to_owned(), answer: format!("{answer:?}") }
}

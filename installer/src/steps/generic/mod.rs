//! Generic steps: one kind of effect each. They know files, units and kernels, and no Kubernetes.

mod absent;
mod block;
mod command;
mod directory;
mod file;
mod lines;
mod module;
mod mount;
mod package;
mod swap;
mod sysctl;
mod unit;

pub(super) use absent::EnsureAbsent;
pub(super) use block::{At, ManagedBlock};
pub(super) use command::EnsureOutput;
pub(super) use directory::EnsureDirectory;
pub(super) use file::PutFile;
pub(super) use lines::{Edit, EditLines};
pub(super) use module::LoadModule;
pub(super) use mount::{EnsureUnmounted, MountImage};
pub(super) use package::InstallPackages;
pub(super) use swap::SwapOff;
pub(super) use sysctl::SetSysctl;
pub(super) use unit::{RestartIfStale, UnitRuns, UnitStopped};

use super::StepError;
use crate::engine::OpError;
use crate::node::names::NotAName;
use crate::node::path::NotAPath;
use crate::node::{NodeError, NodePath, UnitName};

impl From<NotAPath> for StepError {
    fn from(error: NotAPath) -> Self {
        Self(error.to_string())
    }
}
impl From<NotAName> for StepError {
    fn from(error: NotAName) -> Self {
        Self(error.to_string())
    }
}

/// How much of a configuration file is read at most.
const MOST_TEXT: u64 = 4 * 1024 * 1024;

/// A path of ours.
pub(super) fn path(text: &str) -> Result<NodePath, StepError> {
    Ok(NodePath::new(text)?)
}

/// A unit of ours.
pub(super) fn unit(text: &str) -> Result<UnitName, StepError> {
    Ok(UnitName::new(text)?)
}

/// What the node said, with what was to be done.
fn while_doing(doing: &str) -> impl FnOnce(NodeError) -> OpError {
    OpError::node(doing.to_owned())
}

//! A module of the running kernel.

use async_trait::async_trait;

use super::while_doing;
use crate::engine::{Difference, Found, Op, OpError, Outputs, Undo};
use crate::node::query::ModuleState;
use crate::node::{Ask, Command, Inspect, ModuleName, Mutate, SystemChange};

/// Loads a kernel module now, if the kernel has it; a file in modules-load.d loads it at the next start.
pub(in crate::steps) struct LoadModule {
    module: ModuleName,
}

impl LoadModule {
    /// This module.
    pub(in crate::steps) fn new(module: ModuleName) -> Self {
        Self { module }
    }

    async fn can_be_loaded(&self, node: &dyn Inspect) -> Result<bool, OpError> {
        let look = Command::new("modprobe").args(["--dry-run", "--quiet", "--", self.module.as_str()]).accept([0, 1]);
        Ok(node.check(&look).await.map_err(while_doing(&self.describe()))?.code == 0)
    }
}

#[async_trait]
impl Op for LoadModule {
    fn describe(&self) -> String {
        format!("load kernel module {}", self.module)
    }

    async fn probe(&self, node: &dyn Inspect) -> Result<Found, OpError> {
        match node.module(&self.module).await.map_err(while_doing(&self.describe()))? {
            ModuleState::Loaded | ModuleState::BuiltIn => Ok(Found::Satisfied),
            // A kernel that does not have it at all cannot load it; preflight says where that matters.
            ModuleState::Absent if !self.can_be_loaded(node).await? => Ok(Found::Satisfied),
            ModuleState::Absent => {
                let unload = SystemChange::UnloadModule { module: self.module.clone() };
                Ok(Difference::create(vec![Undo::Change(unload.into())]))
            }
        }
    }

    async fn apply(&self, node: &dyn Mutate, _outputs: &Outputs) -> Result<(), OpError> {
        let load = SystemChange::LoadModule { module: self.module.clone() };
        node.change(&load.into()).await.map_err(while_doing(&self.describe()))
    }
}

//! A parameter of the running kernel.

use async_trait::async_trait;

use super::while_doing;
use crate::engine::{Difference, Found, Op, OpError, Outputs, Undo};
use crate::node::{Ask, Inspect, Mutate, SysctlKey, SystemChange};

/// Sets a kernel parameter now, if the kernel has it; a file in sysctl.d sets it at the next start.
pub(in crate::steps) struct SetSysctl {
    key: SysctlKey,
    value: String,
}

impl SetSysctl {
    /// This value.
    pub(in crate::steps) fn new(key: SysctlKey, value: impl Into<String>) -> Self {
        Self { key, value: value.into() }
    }

    fn set(&self, value: &str) -> SystemChange {
        SystemChange::Sysctl { key: self.key.clone(), value: value.to_owned() }
    }
}

#[async_trait]
impl Op for SetSysctl {
    fn describe(&self) -> String {
        format!("set {} = {}", self.key, self.value)
    }

    async fn probe(&self, node: &dyn Inspect) -> Result<Found, OpError> {
        match node.sysctl(&self.key).await.map_err(while_doing(&self.describe()))? {
            Some(value) if value != self.value => Ok(Difference::change(vec![Undo::Change(self.set(&value).into())])),
            // A kernel without it has nothing to set; preflight says where that matters.
            _ => Ok(Found::Satisfied),
        }
    }

    async fn apply(&self, node: &dyn Mutate, _outputs: &Outputs) -> Result<(), OpError> {
        node.change(&self.set(&self.value).into()).await.map_err(while_doing(&self.describe()))
    }
}

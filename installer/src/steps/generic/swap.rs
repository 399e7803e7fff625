//! Swap space that is in use.

use async_trait::async_trait;

use super::while_doing;
use crate::engine::{Difference, Found, Op, OpError, Outputs, Undo};
use crate::node::{Ask, Inspect, Mutate, SystemChange};

/// Switches all swap space off, now.
pub(in crate::steps) struct SwapOff;

#[async_trait]
impl Op for SwapOff {
    fn describe(&self) -> String {
        "switch swap off".to_owned()
    }

    async fn probe(&self, node: &dyn Inspect) -> Result<Found, OpError> {
        let swaps = node.swaps().await.map_err(while_doing(&self.describe()))?;
        if swaps.is_empty() {
            return Ok(Found::Satisfied);
        }
        let on = |path| Undo::Change(SystemChange::SwapOn { path }.into());
        Ok(Difference::change(swaps.into_iter().map(on).collect()))
    }

    async fn apply(&self, node: &dyn Mutate, _outputs: &Outputs) -> Result<(), OpError> {
        for path in node.swaps().await.map_err(while_doing(&self.describe()))? {
            let off = SystemChange::SwapOff { path };
            node.change(&off.into()).await.map_err(while_doing(&self.describe()))?;
        }
        Ok(())
    }
}

//! A state that only a command can read and another can set.

use async_trait::async_trait;

use super::while_doing;
use crate::engine::{Difference, Found, Op, OpError, Outputs, Undo};
use crate::node::{Ask, Command, Inspect, Mutate};

/// A command that looks says what is wanted; otherwise another command sets it, and the same one sets it back.
pub(in crate::steps) struct EnsureOutput {
    what: String,
    look: Command,
    wanted: String,
    /// The command that sets the value; the value is its last argument.
    set: Command,
}

impl EnsureOutput {
    /// `look` shall say `wanted`; `set` with that as its last argument makes it so.
    pub(in crate::steps) fn new(
        what: impl Into<String>,
        look: Command,
        wanted: impl Into<String>,
        set: Command,
    ) -> Self {
        Self { what: what.into(), look, wanted: wanted.into(), set }
    }
}

#[async_trait]
impl Op for EnsureOutput {
    fn describe(&self) -> String {
        self.what.clone()
    }

    async fn probe(&self, node: &dyn Inspect) -> Result<Found, OpError> {
        let found = node.check(&self.look).await.map_err(while_doing(&self.what))?.text();
        if found == self.wanted {
            return Ok(Found::Satisfied);
        }
        Ok(Difference::change(vec![Undo::Run(self.set.clone().arg(found))]))
    }

    async fn apply(&self, node: &dyn Mutate, _outputs: &Outputs) -> Result<(), OpError> {
        let set = self.set.clone().arg(self.wanted.clone());
        node.run(&set).await.map(drop).map_err(while_doing(&self.what))
    }
}

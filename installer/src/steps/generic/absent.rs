//! A folder of ours that is no longer there.

use async_trait::async_trait;

use super::while_doing;
use crate::engine::{Difference, Found, Mark, Op, OpError, Outputs, Undo};
use crate::node::{FileChange, Inspect, Mutate, NodePath};

/// Removes a folder with everything in it, for good.
pub(in crate::steps) struct EnsureAbsent {
    path: NodePath,
    why: String,
}

impl EnsureAbsent {
    /// This folder, which need not come back, and why.
    pub(in crate::steps) fn new(path: NodePath, why: impl Into<String>) -> Self {
        Self { path, why: why.into() }
    }
}

#[async_trait]
impl Op for EnsureAbsent {
    fn describe(&self) -> String {
        format!("remove {}", self.path)
    }

    async fn probe(&self, node: &dyn Inspect) -> Result<Found, OpError> {
        if node.stat(&self.path).await.map_err(while_doing(&self.describe()))?.is_none() {
            return Ok(Found::Satisfied);
        }
        let undo = vec![Undo::Nothing { why: self.why.clone() }];
        Ok(Found::Differs(Difference { mark: Mark::Remove, keep: vec![], undo }))
    }

    async fn apply(&self, node: &dyn Mutate, _outputs: &Outputs) -> Result<(), OpError> {
        let remove = FileChange::RemoveTree { path: self.path.clone() };
        node.change(&remove.into()).await.map_err(while_doing(&self.describe()))
    }
}

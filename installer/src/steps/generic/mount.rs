//! Images that are mounted, and that no longer are.

use async_trait::async_trait;

use super::while_doing;
use crate::engine::{Difference, Found, Mark, Op, OpError, Outputs, Undo};
use crate::node::{Ask, Inspect, Mutate, NodePath, SystemChange};

/// Mounts an ISO 9660 image, for reading alone.
pub(in crate::steps) struct MountImage {
    image: NodePath,
    at: NodePath,
}

impl MountImage {
    /// This image, at this folder.
    pub(in crate::steps) fn new(image: NodePath, at: NodePath) -> Self {
        Self { image, at }
    }
}

#[async_trait]
impl Op for MountImage {
    fn describe(&self) -> String {
        format!("mount {} at {}", self.image, self.at)
    }

    async fn probe(&self, node: &dyn Inspect) -> Result<Found, OpError> {
        match node.mount(&self.at).await.map_err(while_doing(&self.describe()))? {
            Some(mount) if mount.kind == "iso9660" => Ok(Found::Satisfied),
            Some(mount) => Err(OpError::Refused(format!("{} is mounted at {} already", mount.source, self.at))),
            None => Ok(Difference::create(vec![Undo::Unmount { path: self.at.clone() }])),
        }
    }

    async fn apply(&self, node: &dyn Mutate, _outputs: &Outputs) -> Result<(), OpError> {
        let mount = SystemChange::Mount {
            path: self.at.clone(),
            source: self.image.to_string(),
            kind: "iso9660".to_owned(),
            options: ["loop", "ro"].map(str::to_owned).to_vec(),
        };
        node.change(&mount.into()).await.map_err(while_doing(&self.describe()))
    }
}

/// Unmounts what is mounted at a folder, for good.
pub(in crate::steps) struct EnsureUnmounted {
    at: NodePath,
}

impl EnsureUnmounted {
    /// What is mounted at this folder.
    pub(in crate::steps) fn new(at: NodePath) -> Self {
        Self { at }
    }
}

#[async_trait]
impl Op for EnsureUnmounted {
    fn describe(&self) -> String {
        format!("unmount {}", self.at)
    }

    async fn probe(&self, node: &dyn Inspect) -> Result<Found, OpError> {
        if node.mount(&self.at).await.map_err(while_doing(&self.describe()))?.is_none() {
            return Ok(Found::Satisfied);
        }
        let undo = vec![Undo::Nothing { why: "it was mounted for one installation only".to_owned() }];
        Ok(Found::Differs(Difference { mark: Mark::Remove, keep: vec![], undo }))
    }

    async fn apply(&self, node: &dyn Mutate, _outputs: &Outputs) -> Result<(), OpError> {
        let unmount = SystemChange::Unmount { path: self.at.clone() };
        node.change(&unmount.into()).await.map_err(while_doing(&self.describe()))
    }
}

//! The local repository goes when it has served.

use crate::engine::StepId;
use crate::steps::generic::{EnsureAbsent, EnsureUnmounted, path};
use crate::steps::{Ops, Step, StepCx};

use super::local::FOLDER;

/// Unmounts and removes the local repository, whatever happened before. The node's own repositories were never touched, so they are back
/// as soon as nobody points the package manager elsewhere.
pub struct RestoreRepositories;

impl Step for RestoreRepositories {
    fn id(&self) -> StepId {
        StepId("packages.restore-repositories")
    }

    fn name(&self) -> &'static str {
        "RestoreRepositories"
    }

    fn expand(&self, _: &StepCx<'_>) -> Ops {
        Ok(vec![
            Box::new(EnsureUnmounted::new(path(&format!("{FOLDER}/pool"))?)),
            Box::new(EnsureAbsent::new(path(FOLDER)?, "what was brought with the bundle can be brought again")),
        ])
    }
}

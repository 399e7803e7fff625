//! The packages that this cluster asks for, installed by the node's own package manager.

use std::time::Duration;

use super::local::{Missing, commands, missing};
use crate::engine::StepId;
use crate::node::PackageName;
use crate::steps::generic::InstallPackages;
use crate::steps::{Ops, Step, StepCx, StepError};

/// Installs packages from the local repository alone. What is there stays in its version; what comes is removed on the way back.
pub struct InstallSystemPackages;

impl Step for InstallSystemPackages {
    fn id(&self) -> StepId {
        StepId("packages.install-system-packages")
    }

    fn name(&self) -> &'static str {
        "InstallSystemPackages"
    }

    fn timeout(&self) -> Duration {
        Duration::from_mins(20)
    }

    fn expand(&self, cx: &StepCx<'_>) -> Ops {
        let Some(Missing { family, offered, wanted, .. }) = missing(cx) else { return Ok(vec![]) };
        let names = |names: &[&str]| -> Result<Vec<PackageName>, StepError> {
            names.iter().map(|name| PackageName::new(*name).map_err(StepError::from)).collect()
        };
        let there = &cx.facts.software.packages;
        let new: Vec<&str> =
            offered.iter().map(|entry| entry.name.as_str()).filter(|name| !there.contains_key(*name)).collect();
        Ok(vec![Box::new(InstallPackages::new(names(&wanted)?, names(&new)?, commands(family, &wanted)))])
    }
}

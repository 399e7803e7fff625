//! SystemPackages: what the nodes' systems lack comes from the bundle; and what that needed goes again.

use std::sync::Arc;

use super::{Task, everywhere};
use crate::steps::packages;

/// The task that installs packages.
pub fn system_packages() -> Task {
    Task {
        name: "SystemPackages",
        on: everywhere,
        one_at_a_time: false,
        always: false,
        steps: vec![Arc::new(packages::ConfigureLocalRepository), Arc::new(packages::InstallSystemPackages)],
    }
}

/// The task that cleans up after it, always.
pub fn restore_repositories() -> Task {
    Task {
        name: "RestoreRepositories",
        on: everywhere,
        one_at_a_time: false,
        always: true,
        steps: vec![Arc::new(packages::RestoreRepositories)],
    }
}

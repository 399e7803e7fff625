//! Modules: which tasks, in which order.

use crate::tasks::{self, Task};

/// Some tasks with one aim.
pub struct Module {
    /// Its stable name.
    pub name: &'static str,
    /// The tasks, in order.
    pub tasks: Vec<Task>,
}

/// NodePreparation: bare machines become alike, and fit for a container runtime.
pub fn node_preparation() -> Module {
    Module {
        name: "NodePreparation",
        tasks: vec![tasks::system_packages(), tasks::restore_repositories(), tasks::system_tuning()],
    }
}

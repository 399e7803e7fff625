//! Tasks: which specific steps, in which order, on which nodes. No effects and no logic.

mod system_packages;
mod system_tuning;

pub use system_packages::{restore_repositories, system_packages};
pub use system_tuning::system_tuning;

use std::sync::Arc;

use kubexm_model::cluster::schema::Host;

use crate::steps::Step;

/// Some specific steps, one after the other on each of some nodes.
pub struct Task {
    /// Its stable name.
    pub name: &'static str,
    /// The nodes that it is for.
    pub on: fn(&Host) -> bool,
    /// Whether one node comes after the other instead of all at once.
    pub one_at_a_time: bool,
    /// Whether it runs whatever happened to what was before it: it cleans up.
    pub always: bool,
    /// The steps, in order.
    pub steps: Vec<Arc<dyn Step>>,
}

/// Every machine of the cluster.
pub fn everywhere(_: &Host) -> bool {
    true
}

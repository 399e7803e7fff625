//! Pipelines: which modules, in which order; and their plan for one cluster.

mod plan;

pub use plan::{Site, plan};

use crate::modules::{self, Module};

/// Some modules with one aim.
pub struct Pipeline {
    /// Its stable name.
    pub name: &'static str,
    /// The modules, in order.
    pub modules: Vec<Module>,
}

/// A new cluster.
pub fn create_cluster() -> Pipeline {
    Pipeline { name: "CreateCluster", modules: vec![modules::node_preparation()] }
}

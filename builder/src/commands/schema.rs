//! `schema`: the JSON Schema of cluster.yaml.

use clap::Args;
use kubexm_model::cluster::json_schema;
use kubexm_model::console::{Failure, output};

#[derive(Debug, Args)]
pub(crate) struct Schema {}

impl Schema {
    #[expect(clippy::unused_self, reason = "all commands are called alike")]
    pub(crate) fn run(&self) -> Result<(), Failure> {
        output::json(json_schema::root())
    }
}

//! `create config`: a commented cluster.yaml to start from.

use clap::{Args, Subcommand};
use kubexm_model::cluster::json_schema;
use kubexm_model::cluster::sample::Sample;
use kubexm_model::console::args::CatalogueArgs;
use kubexm_model::console::{Failure, output};

#[derive(Debug, Subcommand)]
pub(crate) enum Create {
    /// Print a commented cluster.yaml with every field
    #[command(before_help = "Examples:
  kubexm-bundle create config > cluster.yaml
  kubexm-bundle create config --ha --name prod > cluster.yaml
  kubexm-bundle create config --minimal --schema ./cluster.schema.json > cluster.yaml")]
    Config(CreateConfig),
}

#[derive(Debug, Args)]
pub(crate) struct CreateConfig {
    /// Three masters, two load balancers with a virtual address, three workers
    #[arg(long, conflicts_with = "minimal")]
    ha: bool,

    /// One machine, and nothing that has a default
    #[arg(long)]
    minimal: bool,

    /// The cluster's name
    #[arg(long, default_value = "demo")]
    name: String,

    /// Where editors find the schema: an address, or the file that `schema` wrote
    #[arg(long, value_name = "ADDRESS", default_value = json_schema::ADDRESS)]
    schema: String,

    #[command(flatten)]
    catalogue: CatalogueArgs,
}

impl Create {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let Self::Config(config) = self;
        let sample = match (config.ha, config.minimal) {
            (true, _) => Sample::HighlyAvailable,
            (_, true) => Sample::Minimal,
            _ => Sample::Full,
        };
        let catalogue = config.catalogue.load()?;
        let text = sample.render(&config.name, &config.schema, &catalogue);
        output::text(&text.map_err(|error| Failure::usage("no sample can be made").because(&error))?)
    }
}

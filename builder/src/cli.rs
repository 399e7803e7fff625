//! The command line of `kubexm-bundle`.

use clap::{CommandFactory, Parser, Subcommand};
use kubexm_model::console::{ColorArgs, Failure, commands as shared};

use crate::commands;

/// Works out everything that an offline Kubernetes cluster needs.
#[derive(Debug, Parser)]
#[command(name = "kubexm-bundle", version, max_term_width = 120)]
#[command(before_help = "Examples:
  kubexm-bundle create config > cluster.yaml
  kubexm-bundle lint -f cluster.yaml
  kubexm-bundle bom -f cluster.yaml -o wide")]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) color: ColorArgs,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Print a file to start from
    #[command(subcommand)]
    Create(commands::create::Create),
    /// Check a configuration and print every problem, each with its line and a way out
    #[command(before_help = "Examples:
  kubexm-bundle lint
  kubexm-bundle lint -f base.yaml -f site.yaml --set kubernetes.version=v1.34.4
  kubexm-bundle lint -f cluster.yaml -o json --strict")]
    Lint(shared::Lint),
    /// Look at a configuration
    #[command(subcommand)]
    Config(shared::Config),
    /// List everything that a cluster needs, each with the reason: binaries, images, charts, manifests, OS packages
    #[command(before_help = "Examples:
  kubexm-bundle bom -f cluster.yaml
  kubexm-bundle bom -f cluster.yaml -o json
  KMZONE=cn kubexm-bundle bom -f cluster.yaml -o wide")]
    Bom(commands::bom::Bom),
    /// List what the catalogue knows
    #[command(subcommand)]
    List(commands::list::List),
    /// Print the JSON Schema of cluster.yaml, for editors
    #[command(before_help = "Example:
  kubexm-bundle schema > cluster.schema.json")]
    Schema(commands::schema::Schema),
    /// Explain a finding
    #[command(before_help = "Examples:
  kubexm-bundle explain KX1401
  kubexm-bundle explain")]
    Explain(shared::Explain),
    /// Print a completion script for a shell
    #[command(before_help = "Example:
  kubexm-bundle completion bash > /etc/bash_completion.d/kubexm-bundle")]
    Completion(shared::Completion),
    /// Print the manual
    Man(shared::Man),
    /// Print the version
    Version(shared::Version),
}

impl Cli {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        match &self.command {
            Command::Create(command) => command.run(),
            Command::Lint(command) => command.run(),
            Command::Config(command) => command.run(),
            Command::Bom(command) => command.run(),
            Command::List(command) => command.run(),
            Command::Schema(command) => command.run(),
            Command::Explain(command) => command.run(),
            Command::Completion(command) => command.run::<Self>(),
            Command::Man(command) => command.run::<Self>(),
            Command::Version(command) => command.run(&Self::command()),
        }
    }
}

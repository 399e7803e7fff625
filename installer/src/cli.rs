//! The command line of `kubexm-install`.

use clap::{CommandFactory, Parser, Subcommand};
use kubexm_model::console::{ColorArgs, Failure, commands as shared};

/// Reads the cluster.yaml that a bundle was built from, at the site where the cluster will run.
#[derive(Debug, Parser)]
#[command(name = "kubexm-install", version, max_term_width = 120)]
#[command(before_help = "Examples:
  kubexm-install lint -f cluster.yaml
  kubexm-install config view -f cluster.yaml")]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) color: ColorArgs,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Check a configuration and print every problem, each with its line and a way out
    #[command(before_help = "Example:
  kubexm-install lint -f cluster.yaml")]
    Lint(shared::Lint),
    /// Look at a configuration
    #[command(subcommand)]
    Config(shared::Config),
    /// Explain a finding
    #[command(before_help = "Example:
  kubexm-install explain KX1401")]
    Explain(shared::Explain),
    /// Print a completion script for a shell
    Completion(shared::Completion),
    /// Print the manual
    Man(shared::Man),
    /// Print the version
    Version(shared::Version),
}

impl Cli {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        match &self.command {
            Command::Lint(command) => command.run(),
            Command::Config(command) => command.run(),
            Command::Explain(command) => command.run(),
            Command::Completion(command) => command.run::<Self>(),
            Command::Man(command) => command.run::<Self>(),
            Command::Version(command) => command.run(&Self::command()),
        }
    }
}

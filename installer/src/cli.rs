//! The command line of `kubexm-install`.

use clap::{CommandFactory, Parser, Subcommand};
use kubexm_model::console::{ColorArgs, Failure, bundle, commands as shared};

use crate::commands;

/// Builds the cluster at the site where it will run.
#[derive(Debug, Parser)]
#[command(name = "kubexm-install", version, max_term_width = 120)]
#[command(before_help = "Examples:
  kubexm-install verify demo.tar.zst --key kubexm.key.pub --for cluster.yaml
  kubexm-install hosts scan -f cluster.yaml
  kubexm-install create cluster -f cluster.yaml --until os --dry-run")]
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
    /// Look at the machines' SSH host keys
    #[command(subcommand)]
    Hosts(commands::hosts::Hosts),
    /// Build something
    #[command(subcommand)]
    Create(Box<commands::create::Create>),
    /// Go on with a run that stopped
    #[command(before_help = "Example:
  kubexm-install resume -f cluster.yaml")]
    Resume(Box<commands::runs::Resume>),
    /// Undo everything that a run did
    #[command(before_help = "Example:
  kubexm-install rollback -f cluster.yaml 20261116T083000123456789Z")]
    Rollback(Box<commands::runs::Rollback>),
    /// Show what is there
    #[command(subcommand)]
    Get(Box<commands::runs::Get>),
    /// List steps and tasks
    #[command(subcommand)]
    List(commands::list::List),
    /// Check a bundle: signature, every byte, whether it is too old, and whether it is enough for a cluster
    #[command(before_help = "Examples:
  kubexm-install verify demo.tar.zst --key kubexm.key.pub --for cluster.yaml
  kubexm-install verify demo.tar.zst --key kubexm.key.pub --trust-state /var/lib/kubexm/trust --accept")]
    Verify(bundle::Verify),
    /// Write a verified bundle's files into a folder
    Extract(bundle::Extract),
    /// Write down what this site has from a bundle, so that the next one can leave it out
    Receipt(bundle::ReceiptCommand),
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
            Command::Hosts(command) => command.run(),
            Command::Create(command) => command.run(),
            Command::Resume(command) => command.run(),
            Command::Rollback(command) => command.run(),
            Command::Get(command) => command.run(),
            Command::List(command) => command.run(),
            Command::Verify(command) => command.run(),
            Command::Extract(command) => command.run(),
            Command::Receipt(command) => command.run(),
            Command::Explain(command) => command.run(),
            Command::Completion(command) => command.run::<Self>(),
            Command::Man(command) => command.run::<Self>(),
            Command::Version(command) => command.run(&Self::command()),
        }
    }
}

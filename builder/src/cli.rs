//! The command line of `kubexm-bundle`.

use clap::{CommandFactory, Parser, Subcommand};
use kubexm_model::console::{ColorArgs, Failure, bundle, commands as shared};

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
    /// Resolve everything to exact bytes, and write cluster.lock
    #[command(before_help = "Examples:
  kubexm-bundle lock -f cluster.yaml
  kubexm-bundle lock -f cluster.yaml --skip packages")]
    Lock(Box<commands::lock::LockCommand>),
    /// Fetch everything that a cluster needs and pack it into one signed file
    #[command(before_help = "Examples:
  kubexm-bundle build -f cluster.yaml --key kubexm.key
  kubexm-bundle build -f cluster.yaml --key kubexm.key --locked -o site.tar.zst
  kubexm-bundle build -f cluster.yaml --key kubexm.key --volume-size 4G
  kubexm-bundle build -f cluster.yaml --key kubexm.key --base old.tar.zst -o update.tar.zst")]
    Build(Box<commands::build::Build>),
    /// Check a bundle: signature, every byte, and whether it is enough for a cluster
    #[command(before_help = "Examples:
  kubexm-bundle verify demo.tar.zst --key kubexm.key.pub
  kubexm-bundle verify demo.tar.zst --key kubexm.key.pub --for cluster.yaml")]
    Verify(bundle::Verify),
    /// Show what a bundle holds
    #[command(before_help = "Examples:
  kubexm-bundle inspect demo.tar.zst --key kubexm.key.pub
  kubexm-bundle inspect demo.tar.zst --key kubexm.key.pub --report bundle.html")]
    Inspect(commands::inspect::Inspect),
    /// Show what changed between two bundles: exit code 1 if anything did
    #[command(before_help = "Example:
  kubexm-bundle diff old.tar.zst new.tar.zst --key kubexm.key.pub")]
    Diff(commands::diff::Diff),
    /// Add a signature to a bundle
    #[command(before_help = "Example:
  kubexm-bundle sign demo.tar.zst --key site.key")]
    Sign(commands::sign::Sign),
    /// Write a verified bundle's files into a folder
    Extract(bundle::Extract),
    /// Write down what a site has from a bundle, so that the next one can leave it out
    #[command(before_help = "Example:
  kubexm-bundle receipt demo.tar.zst --key kubexm.key.pub -o receipt.json")]
    Receipt(bundle::ReceiptCommand),
    /// Sign an exception: a bundle that is older than the newest one, or expired, may be used
    #[command(before_help = "Example:
  kubexm-bundle ticket old.tar.zst --key site.key --days 7 -o ticket.json")]
    Ticket(commands::ticket::TicketCommand),
    /// Make a key to sign bundles with
    #[command(before_help = "Examples:
  kubexm-bundle keygen
  KUBEXM_KEY_PASSPHRASE=… kubexm-bundle keygen site.key")]
    Keygen(commands::keygen::Keygen),
    /// Look after what was fetched
    #[command(subcommand)]
    Cache(commands::cache::CacheCommand),
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
            Command::Lock(command) => command.run(),
            Command::Build(command) => command.run(),
            Command::Verify(command) => command.run(),
            Command::Inspect(command) => command.run(),
            Command::Diff(command) => command.run(),
            Command::Sign(command) => command.run(),
            Command::Extract(command) => command.run(),
            Command::Receipt(command) => command.run(),
            Command::Ticket(command) => command.run(),
            Command::Keygen(command) => command.run(),
            Command::Cache(command) => command.run(),
            Command::List(command) => command.run(),
            Command::Schema(command) => command.run(),
            Command::Explain(command) => command.run(),
            Command::Completion(command) => command.run::<Self>(),
            Command::Man(command) => command.run::<Self>(),
            Command::Version(command) => command.run(&Self::command()),
        }
    }
}

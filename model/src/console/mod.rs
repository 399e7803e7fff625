//! What the two command lines share, so that they look and answer alike: where input comes from, how findings and
//! tables are printed, what exit codes mean, and the commands that both have.

/// Flags that both programs take.
pub mod args;
/// Bundles on a command line, and the commands that both programs have for them.
pub mod bundle;
/// Commands that both programs have.
pub mod commands;
/// How a command ends when it fails.
pub mod failure;
/// Reads the files that a person names.
pub mod input;
/// Writes answers: text, tables, JSON, YAML.
pub mod output;
/// What a person sees meanwhile.
pub mod progress;
/// Findings as a person reads them, and as a program does.
pub mod report;

pub use args::{ClusterArgs, ColorArgs};
pub use failure::{Exit, Failure};
pub use output::Format;
pub use progress::Progress;

use clap::CommandFactory;
use clap::Parser;

/// Parses the arguments, runs the command and turns the outcome into the process's exit code: the whole of a `main`.
pub fn run<Cli: Parser + CommandFactory>(
    color: fn(&Cli) -> ColorArgs,
    command: fn(&Cli) -> Result<(), Failure>,
) -> std::process::ExitCode {
    let cli = Cli::parse();
    color(&cli).apply();
    match command(&cli) {
        Ok(()) => Exit::Done.into(),
        Err(failure) => failure.report().into(),
    }
}

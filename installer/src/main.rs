//! `kubexm-install`: the air-gapped side of KubeXM.

mod cli;
mod commands;

use std::process::ExitCode;

fn main() -> ExitCode {
    kubexm_model::console::run(|cli: &cli::Cli| cli.color, cli::Cli::run)
}

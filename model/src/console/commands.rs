//! Commands that both programs have.

use std::path::PathBuf;

use clap::{Args, Command, CommandFactory, Subcommand};
use clap_complete::Shell;
use serde_json::json;

use super::args::ClusterArgs;
use super::failure::{Exit, Failure};
use super::output::{self, Format};
use super::report;
use crate::finding::{Code, any_error};

/// `lint`.
#[derive(Debug, Args)]
pub struct Lint {
    #[command(flatten)]
    cluster: ClusterArgs,

    /// Fail on warnings too
    #[arg(long)]
    strict: bool,

    /// The form of the answer
    #[arg(short, long, value_enum, default_value_t, value_name = "FORMAT")]
    output: Format,
}

impl Lint {
    /// Prints every problem of a configuration.
    pub fn run(&self) -> Result<(), Failure> {
        let catalogue = self.cluster.catalogue.load()?;
        let reading = self.cluster.read(&catalogue);
        match self.output {
            Format::Json => output::json(&report::json(&reading))?,
            Format::Yaml => output::yaml(&report::json(&reading))?,
            Format::Name => output::lines(reading.findings.iter().map(|finding| finding.code))?,
            Format::Table | Format::Wide => {
                let name = self.cluster.name();
                output::text(&format!("{}{name}: {}\n", report::text(&reading), report::summary(&reading.findings)))?;
            }
        }
        let refused = any_error(&reading.findings) || (self.strict && !reading.findings.is_empty());
        if refused { Err(Failure::silent(Exit::Usage)) } else { Ok(()) }
    }
}

/// `config …`.
#[derive(Debug, Subcommand)]
pub enum Config {
    /// Show a configuration with every default filled in; secrets show as stars
    #[command(before_help = "Examples:\n  config view -f cluster.yaml\n  config view -f cluster.yaml -o json")]
    View(ConfigView),
}

/// `config view`.
#[derive(Debug, Args)]
pub struct ConfigView {
    #[command(flatten)]
    cluster: ClusterArgs,

    /// The form of the answer
    #[arg(short, long, value_enum, default_value = "yaml", value_name = "FORMAT")]
    output: ViewFormat,
}

/// The forms in which a configuration can be shown.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
enum ViewFormat {
    Yaml,
    Json,
}

impl Config {
    /// Runs it.
    pub fn run(&self) -> Result<(), Failure> {
        let Self::View(view) = self;
        let catalogue = view.cluster.catalogue.load()?;
        let cluster = view.cluster.load(&catalogue)?;
        match view.output {
            ViewFormat::Yaml => output::yaml(&cluster.view()),
            ViewFormat::Json => output::json(&cluster.view()),
        }
    }
}

/// `explain`.
#[derive(Debug, Args)]
pub struct Explain {
    /// The code of a finding, such as KX1003; without one, all are listed
    code: Option<String>,
}

impl Explain {
    /// Prints what a finding means and what to do about it.
    pub fn run(&self) -> Result<(), Failure> {
        let Some(text) = &self.code else {
            let title =
                |code: &Code| code.explanation().lines().next().unwrap_or("").trim_start_matches("## ").to_owned();
            return output::lines(Code::ALL.iter().map(title));
        };
        let code = Code::parse(text).ok_or_else(|| {
            Failure::usage(format!("there is no finding `{text}`")).hint("`explain` without a code lists all of them")
        })?;
        output::text(&format!("{}\n", code.explanation()))
    }
}

/// `completion`.
#[derive(Debug, Args)]
pub struct Completion {
    /// The shell
    shell: Shell,
}

impl Completion {
    /// Prints a completion script.
    pub fn run<Cli: CommandFactory>(&self) -> Result<(), Failure> {
        let mut command = Cli::command();
        let name = command.get_name().to_owned();
        let mut script = vec![];
        clap_complete::generate(self.shell, &mut command, name, &mut script);
        output::text(&String::from_utf8_lossy(&script))
    }
}

/// `man`.
#[derive(Debug, Args)]
pub struct Man {
    /// Write a page for every command into this directory, instead of the first page to standard output
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
}

impl Man {
    /// Prints or writes manual pages.
    pub fn run<Cli: CommandFactory>(&self) -> Result<(), Failure> {
        let command = Cli::command();
        let Some(dir) = &self.dir else {
            let mut page = vec![];
            clap_mangen::Man::new(command).render(&mut page).map_err(|error| Failure::output(&error))?;
            return output::text(&String::from_utf8_lossy(&page));
        };
        let written = fs_err::create_dir_all(dir).and_then(|()| clap_mangen::generate_to(command, dir));
        written.map_err(|error| Failure::output(&error))
    }
}

/// `version`.
#[derive(Debug, Args)]
pub struct Version {
    /// The form of the answer
    #[arg(short, long, value_enum, default_value_t, value_name = "FORMAT")]
    output: Format,
}

impl Version {
    /// Prints the program's version and the newest Kubernetes that its catalogue knows.
    pub fn run(&self, command: &Command) -> Result<(), Failure> {
        let catalogue = crate::catalogue::Catalogue::builtin()
            .map_err(|error| Failure::usage("the catalogue cannot be used").because(&error))?;
        let (name, version) = (command.get_name(), env!("CARGO_PKG_VERSION"));
        let kubernetes: Vec<_> = catalogue.releases.keys().map(String::as_str).collect();
        let all = json!({"name": name, "version": version, "kubernetes": kubernetes});
        match self.output {
            Format::Json => output::json(&all),
            Format::Yaml => output::yaml(&all),
            Format::Name => output::text(&format!("{version}\n")),
            Format::Table | Format::Wide => {
                output::text(&format!("{name} {version}, Kubernetes {}\n", kubernetes.join(", ")))
            }
        }
    }
}

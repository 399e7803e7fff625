//! Flags that both programs take.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::failure::Failure;
use super::{input, report};
use crate::catalogue::Catalogue;
use crate::cluster::overrides::Override;
use crate::cluster::{Cluster, Reading, read};

/// Where a cluster's description comes from.
#[derive(Debug, Clone, Default, Args)]
#[command(next_help_heading = "Configuration")]
pub struct ClusterArgs {
    /// A cluster.yaml, or - for standard input; several are laid over each other [default: cluster.yaml, then cluster.yml]
    #[arg(short, long = "file", value_name = "FILE", env = "KUBEXM_FILE")]
    pub file: Vec<PathBuf>,

    /// Set a field by its path, as in `--set kubernetes.version=v1.34.4` or `--set hosts[0].port=2222`
    #[arg(long, value_name = "PATH=VALUE")]
    pub set: Vec<String>,

    /// Set a field by its name alone, as in `-e pod_cidr=10.244.0.0/16`
    #[arg(short = 'e', long = "extra-vars", value_name = "NAME=VALUE")]
    pub extra_vars: Vec<String>,

    /// Fetch from the mirrors of this zone; wins over `mirrors.zone`
    #[arg(long, value_name = "ZONE", env = "KMZONE", hide_env_values = true)]
    pub zone: Option<String>,

    #[command(flatten)]
    #[expect(missing_docs, reason = "flags of their own")]
    pub catalogue: CatalogueArgs,
}

/// What is laid over the catalogue that the program carries.
#[derive(Debug, Clone, Default, Args)]
pub struct CatalogueArgs {
    /// Lay a file of your own over the catalogue, to add or change versions and components
    #[arg(long, value_name = "FILE", env = "KUBEXM_CATALOGUE", help_heading = "Configuration")]
    pub catalogue: Vec<PathBuf>,
}

/// When colours are used.
#[derive(Debug, Clone, Copy, Args)]
pub struct ColorArgs {
    /// When to use colours; NO_COLOR and CLICOLOR_FORCE are heeded
    #[arg(long, value_enum, default_value_t, global = true, value_name = "WHEN")]
    pub color: Color,

    /// Use no colours
    #[arg(long, global = true, conflicts_with = "color")]
    pub no_color: bool,
}

/// When colours are used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal.
    #[default]
    Auto,
    /// Everywhere.
    Always,
    /// Nowhere.
    Never,
}

impl ColorArgs {
    /// Makes the choice hold for everything that is printed.
    pub fn apply(self) {
        let choice = match self.color {
            _ if self.no_color => anstream::ColorChoice::Never,
            Color::Auto => anstream::ColorChoice::Auto,
            Color::Always => anstream::ColorChoice::Always,
            Color::Never => anstream::ColorChoice::Never,
        };
        choice.write_global();
    }
}

impl CatalogueArgs {
    /// The catalogue with the user's files laid over it.
    pub fn load(&self) -> Result<Catalogue, Failure> {
        let files = self.catalogue.iter().map(|path| input::read(path)).collect::<Result<Vec<_>, _>>();
        let files = files.map_err(|problem| Failure::usage(problem.to_string()))?;
        Catalogue::with_overrides(&files).map_err(|error| {
            Failure::usage("the catalogue cannot be used")
                .because(&error)
                .hint("`kubexm-bundle list components -o yaml` shows entries of the form that it takes")
        })
    }
}

impl ClusterArgs {
    /// Reads and checks the description, whatever comes of it.
    pub fn read(&self, catalogue: &Catalogue) -> Reading {
        let (files, problems) = input::read_all(&self.file);
        let zone = self.zone.iter().cloned().map(Override::Zone);
        let set = self.set.iter().cloned().map(Override::Set);
        let vars = self.extra_vars.iter().cloned().map(Override::ExtraVar);
        let overrides: Vec<_> = zone.chain(set).chain(vars).collect();
        if problems.is_empty() {
            return read(files, &overrides, catalogue);
        }
        // What can be read is still checked for its own problems, but makes no cluster.
        let mut reading = if files.is_empty() { Reading::default() } else { read(files, &overrides, catalogue) };
        reading.cluster = None;
        reading.findings.splice(0..0, problems);
        reading
    }

    /// The cluster, or a failure after its findings were printed to standard error; warnings are printed as well.
    pub fn load(&self, catalogue: &Catalogue) -> Result<Cluster, Failure> {
        let reading = self.read(catalogue);
        report::to_stderr(&reading);
        let summary = report::summary(&reading.findings);
        reading.cluster.ok_or_else(|| Failure::usage(format!("{} cannot be used: {summary}", self.name())))
    }

    /// What the input is called in a sentence.
    pub fn name(&self) -> String {
        match self.file.as_slice() {
            [] => input::default_file().unwrap_or(input::DEFAULT_FILES[0]).to_owned(),
            files => files.iter().map(|file| file.display().to_string()).collect::<Vec<_>>().join(", "),
        }
    }
}

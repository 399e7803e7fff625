//! `list components|versions`: what the catalogue knows.

use clap::{Args, Subcommand};
use kubexm_model::catalogue::{Catalogue, Component};
use kubexm_model::console::args::CatalogueArgs;
use kubexm_model::console::{Failure, Format, output};
use kubexm_model::version::Version;
use serde::Serialize;

#[derive(Debug, Subcommand)]
pub(crate) enum List {
    /// List the components with their versions
    #[command(before_help = "Examples:
  kubexm-bundle list components
  kubexm-bundle list components -o json")]
    Components(ListArgs),
    /// List the Kubernetes releases with the set that goes with each, or the versions of one component
    #[command(before_help = "Examples:
  kubexm-bundle list versions
  kubexm-bundle list versions containerd")]
    Versions {
        /// The component
        component: Option<String>,
        #[command(flatten)]
        args: ListArgs,
    },
}

#[derive(Debug, Args)]
pub(crate) struct ListArgs {
    #[command(flatten)]
    catalogue: CatalogueArgs,

    /// The form of the answer
    #[arg(short, long, value_enum, default_value_t, value_name = "FORMAT")]
    output: Format,
}

impl List {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        match self {
            Self::Components(args) => components(&args.catalogue.load()?, args.output),
            Self::Versions { component: None, args } => releases(&args.catalogue.load()?, args.output),
            Self::Versions { component: Some(name), args } => versions(&args.catalogue.load()?, name, args.output),
        }
    }
}

/// Prints rows in the form that was asked for; `name` is the first column.
fn answer(format: Format, value: &impl Serialize, head: &[&str], rows: Vec<Vec<String>>) -> Result<(), Failure> {
    match format {
        Format::Json => output::json(value),
        Format::Yaml => output::yaml(value),
        Format::Name => output::lines(rows.iter().map(|row| &row[0])),
        Format::Table | Format::Wide => output::text(&output::table(head, rows)),
    }
}

/// Versions from the newest to the oldest.
fn sorted<'a>(catalogue: &'a Catalogue, component: &'a Component) -> Vec<&'a Version> {
    let mut versions = catalogue.versions(component);
    versions.sort_by(|a, b| b.cmp(a));
    versions
}

fn components(catalogue: &Catalogue, format: Format) -> Result<(), Failure> {
    let mut all: Vec<&Component> = catalogue.components.values().collect();
    all.sort_by_key(|component| (component.group, &component.name));
    let row = |component: &&Component| {
        let default = catalogue.version_for(&component.name, catalogue.newest_kubernetes());
        let default = default.map_or("of the system".to_owned(), ToString::to_string);
        let versions: Vec<_> = sorted(catalogue, component).into_iter().map(ToString::to_string).collect();
        let shown = match (format, versions.len()) {
            (Format::Table, 5..) => format!("{}, … ({})", versions[..3].join(", "), versions.len()),
            _ => versions.join(", "),
        };
        vec![
            component.name.clone(),
            component.group.to_string(),
            default,
            shown,
            component.licence.clone(),
            component.title.clone(),
        ]
    };
    let rows = all.iter().map(row).collect();
    answer(format, &all, &["NAME", "GROUP", "DEFAULT", "VERSIONS", "LICENCE", "WHAT IT IS"], rows)
}

fn releases(catalogue: &Catalogue, format: Format) -> Result<(), Failure> {
    let all: Vec<_> = catalogue.releases.values().rev().collect();
    let rows = all.iter().map(|release| {
        let mut versions: Vec<_> = release.versions.iter().collect();
        versions.sort();
        let range = match versions.as_slice() {
            [] => String::new(),
            [one] => one.to_string(),
            [first, .., last] => format!("{first} to {last}"),
        };
        let set: Vec<_> = release.set.iter().map(|(name, version)| format!("{name} {version}")).collect();
        vec![release.kubernetes.clone(), range, set.join(", ")]
    });
    answer(format, &all, &["KUBERNETES", "PATCHES", "GOES WITH"], rows.collect())
}

fn versions(catalogue: &Catalogue, name: &str, format: Format) -> Result<(), Failure> {
    let Some(component) = catalogue.component(name) else {
        let hint = "`kubexm-bundle list components` shows the names";
        return Err(Failure::usage(format!("the catalogue has no component `{name}`")).hint(hint));
    };
    let all = sorted(catalogue, component);
    let goes_with = |version: &Version| {
        let minors = catalogue.releases.values().filter(|release| release.set.get(name) == Some(version));
        minors.map(|release| release.kubernetes.as_str()).collect::<Vec<_>>().join(", ")
    };
    let rows = all.iter().map(|version| vec![version.to_string(), goes_with(version)]).collect();
    answer(format, &all, &["VERSION", "DEFAULT FOR KUBERNETES"], rows)
}

//! Writes answers: text, tables, JSON, YAML. Only this module writes to standard output and standard error.

use std::io::{self, Write};

use clap::ValueEnum;
use comfy_table::{ColumnConstraint, ContentArrangement, Table, presets};
use serde::Serialize;

use super::failure::Failure;

/// The forms of an answer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For reading.
    #[default]
    Table,
    /// For reading, with everything.
    Wide,
    /// For programs.
    Json,
    /// For programs and people.
    Yaml,
    /// One name a line.
    Name,
}

/// Writes text to standard output.
pub fn text(text: &str) -> Result<(), Failure> {
    let mut out = anstream::stdout().lock();
    unless_unread(out.write_all(text.as_bytes()).and_then(|()| out.flush()))
}

/// Output that nobody reads any more (`kubexm-bundle bom | head`) changes nothing about the outcome.
fn unless_unread(written: io::Result<()>) -> Result<(), Failure> {
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(Failure::output(&error)),
        _ => Ok(()),
    }
}

/// Writes one thing a line.
pub fn lines(things: impl IntoIterator<Item = impl std::fmt::Display>) -> Result<(), Failure> {
    let mut out = anstream::stdout().lock();
    unless_unread(things.into_iter().try_for_each(|thing| writeln!(out, "{thing}")).and_then(|()| out.flush()))
}

/// Writes text to standard error; if that is gone, there is nobody to tell.
pub fn to_stderr(text: &str) {
    let _ = anstream::stderr().lock().write_all(text.as_bytes());
}

/// Writes a value as indented JSON.
pub fn json(value: &impl Serialize) -> Result<(), Failure> {
    let json = serde_json::to_string_pretty(value).map_err(|error| Failure::output(&error))?;
    text(&(json + "\n"))
}

/// Writes a value as YAML: the same document as [`json`], so that no YAML tags get into it.
pub fn yaml(value: &impl Serialize) -> Result<(), Failure> {
    let value = serde_json::to_value(value).map_err(|error| Failure::output(&error))?;
    text(&serde_yaml::to_string(&value).map_err(|error| Failure::output(&error))?)
}

/// A borderless table as kubectl prints them; rows may be shorter than the head.
pub fn table(head: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Disabled);
    table.set_header(head);
    table.add_rows(rows);
    for column in table.column_iter_mut() {
        column.set_padding((0, 3)).set_constraint(ColumnConstraint::ContentWidth);
    }
    table.lines().map(|line| line.trim_end().to_owned() + "\n").collect()
}

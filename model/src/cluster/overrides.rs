//! Fields set on the command line: `--set kubernetes.version=v1.34.4` by path, `-e pod_cidr=10.0.0.0/16` by name alone.

use super::json_schema::fields;
use super::suggest::nearest;
use crate::finding::{Code, Finding};
use crate::yaml::{Limits, Node, Place, SetError, Sources, parse, set};

/// One field to set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Override {
    /// `--set PATH=VALUE`.
    Set(String),
    /// `-e NAME=VALUE`.
    ExtraVar(String),
    /// `--zone ZONE`.
    Zone(String),
}

impl Override {
    fn flag(&self) -> (&'static str, &str) {
        match self {
            Self::Set(text) => ("--set", text),
            Self::ExtraVar(text) => ("-e", text),
            Self::Zone(text) => ("--zone", text),
        }
    }
}

/// Sets the fields in a tree; what cannot be set becomes a finding.
pub(super) fn apply(overrides: &[Override], tree: &mut Node, sources: &mut Sources, findings: &mut Vec<Finding>) {
    for one in overrides {
        let (flag, text) = one.flag();
        let id = sources.add(format!("{flag} {text}"), text.to_owned());
        if let Err(finding) = apply_one(one, text, id, tree) {
            findings.extend(finding);
        }
    }
}

fn apply_one(one: &Override, text: &str, id: usize, tree: &mut Node) -> Result<(), Vec<Finding>> {
    let whole = Place { source: id, line: 1, column: 1, end: text.chars().count() + 1, last_line: 1 };
    let refuse = |message: String, help: &str| vec![Finding::new(Code::BadOverride, Some(whole), message).help(help)];
    let pair = match one {
        Override::Zone(zone) => Some(("mirrors.zone", zone.as_str())),
        _ => text.split_once('=').filter(|(name, _)| !name.is_empty()),
    };
    let Some((name, value)) = pair else {
        return Err(refuse(format!("`{text}` sets nothing"), "write NAME=VALUE"));
    };
    let path = match one {
        Override::Set(_) | Override::Zone(_) => below_spec(name),
        Override::ExtraVar(_) => by_name(name).map_err(|(message, help)| refuse(message, &help))?,
    };
    let equals = text.find('=').map_or(0, |at| text[..at].chars().count() + 1);
    let place = Place { column: equals + 1, ..whole };
    let name_place = Place { end: equals.max(2), ..whole };
    let mut node = read_value(value).map_err(|problems| at(problems, whole))?;
    node.relocate(place);
    set(tree, &path, node, name_place).map_err(|problem| match problem {
        SetError::Absent(at) => {
            refuse(format!("`{at}` is not there, so nothing below it can be set"), "give it in a file with `-f`")
        }
        SetError::List(at) => refuse(format!("`{at}` is a list"), "say which item, counted from 0: hosts[0].port=2222"),
        SetError::NoMap(at) => refuse(format!("`{at}` has no fields"), "look at the path again"),
    })
}

/// The value as YAML, so that lists and mappings can be given too; the empty value is an empty text.
fn read_value(value: &str) -> Result<Node, Vec<Finding>> {
    let mut sources = Sources::default();
    let text = if value.is_empty() { "''" } else { value };
    let id = sources.add("", text.to_owned());
    parse(&sources, id, &Limits::default())
}

fn at(problems: Vec<Finding>, place: Place) -> Vec<Finding> {
    problems.into_iter().map(|finding| Finding { place: Some(place), ..finding }).collect()
}

fn below_spec(path: &str) -> String {
    let head = path.split(['.', '[']).next().unwrap_or("");
    if matches!(head, "apiVersion" | "kind" | "metadata" | "spec") { path.to_owned() } else { format!("spec.{path}") }
}

/// The one field of that name, written in any style: `pod_cidr`, `pod-cidr`, `podCidr`.
fn by_name(name: &str) -> Result<String, (String, String)> {
    if name.contains('.') {
        return Ok(below_spec(name));
    }
    let plain = |text: &str| text.to_lowercase().replace(['_', '-'], "");
    let last = |path: &str| path.rsplit('.').next().unwrap_or("").to_owned();
    let settable = || fields().keys().filter(|path| !path.contains("[]"));
    let found: Vec<&String> = settable().filter(|path| plain(&last(path)) == plain(name)).collect();
    match found.as_slice() {
        [one] => Ok((*one).clone()),
        [] => {
            let names: Vec<String> = settable().map(|path| last(path)).collect();
            let near = nearest(name, names.iter().map(String::as_str));
            let help = near
                .map_or("`kubexm-bundle schema` lists all fields".to_owned(), |near| format!("did you mean `{near}`?"));
            Err((format!("no field is called `{name}`"), help))
        }
        many => {
            let all = many.iter().map(|path| path.as_str()).collect::<Vec<_>>().join(", ");
            Err((format!("several fields are called `{name}`"), format!("say which with --set: {all}")))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variable_finds_its_field_by_name() {
        assert_eq!(by_name("pod_cidr").unwrap(), "spec.kubernetes.podCidr");
        assert_eq!(by_name("kubernetes.version").unwrap(), "spec.kubernetes.version");
        assert!(by_name("version").unwrap_err().1.contains("spec.etcd.version"));
        assert!(by_name("pod_cdir").unwrap_err().1.contains("podCidr"));
    }
}

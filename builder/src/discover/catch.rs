//! A value that may name an image becomes one, a problem, or nothing.

use std::collections::{BTreeMap, BTreeSet};

use kubexm_model::image::Reference;

use super::Found;
use super::error::{DiscoverError, Problem, Reason};
use super::fields::Trust;
use super::trail::Trail;
use super::tree::Node;

/// What templates and variables leave behind, and no reference has.
const PLACEHOLDERS: [&str; 4] = ["{{", "$(", "${", "<"];

/// What was caught so far.
#[derive(Debug, Default)]
pub(super) struct Catch {
    found: BTreeMap<Reference, BTreeSet<String>>,
    /// By place, since a value may be looked at for two reasons.
    problems: BTreeMap<String, Reason>,
}

impl Catch {
    /// Takes a value for what its place promises.
    pub(super) fn value(&mut self, node: &Node, trust: Trust, at: &Trail<'_>) {
        match node {
            Node::Text(text) => self.text(text, trust, at),
            Node::Null => {}
            _ if matches!(trust, Trust::Required | Trust::Certain) => self.problem(Reason::NotText, at),
            _ => {}
        }
    }

    /// Takes a text for what its place promises.
    pub(super) fn text(&mut self, text: &str, trust: Trust, at: &Trail<'_>) {
        if text.is_empty() && trust != Trust::Required {
            return;
        }
        let placeholder = PLACEHOLDERS.into_iter().find(|mark| text.contains(mark));
        match (placeholder, text.parse::<Reference>()) {
            (Some(_), _) if trust == Trust::Tagged => {}
            (Some(mark), _) => {
                let text = text.chars().take(120).collect();
                self.problem(Reason::Placeholder { text, mark }, at);
            }
            (None, Ok(reference)) if looks_right(text, &reference, trust) => {
                self.found.entry(reference).or_default().insert(at.to_string());
            }
            (None, Ok(_)) => {}
            // What no registry can serve was not meant as an image.
            (None, Err(_)) if matches!(trust, Trust::Likely | Trust::Tagged) => {}
            (None, Err(error)) => self.problem(Reason::Reference(error), at),
        }
    }

    pub(super) fn problem(&mut self, reason: Reason, at: &Trail<'_>) {
        self.problems.entry(at.to_string()).or_insert(reason);
    }

    /// Everything found, or everything that is wrong.
    pub(super) fn finish(self) -> Result<Vec<Found>, DiscoverError> {
        if !self.problems.is_empty() {
            let problems = self.problems.into_iter().map(|(place, reason)| Problem { place, reason }).collect();
            return Err(DiscoverError::Images { problems });
        }
        let found = |(reference, places): (_, BTreeSet<_>)| Found { reference, places: places.into_iter().collect() };
        Ok(self.found.into_iter().map(found).collect())
    }
}

/// Whether a valid reference is meant as one: `true` and `10` are valid references, too.
fn looks_right(text: &str, reference: &Reference, trust: Trust) -> bool {
    match trust {
        Trust::Required | Trust::Certain => true,
        Trust::Likely => text.contains(['/', ':']),
        Trust::Tagged => text.contains('/') && (reference.tag_is_explicit() || reference.digest().is_some()),
    }
}

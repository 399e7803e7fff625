//! The plan as a graph: acts, and what must have ended before each.

use std::collections::BTreeMap;

use super::act::Act;
use super::outputs::OutputKind;

/// The number of an act in its graph.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ActId(pub(super) usize);

/// What must have happened before an act.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Before {
    /// That act succeeded.
    Success(ActId),
    /// That act ended, however: finalizers wait so.
    End(ActId),
}

/// Acts in an order in which they can be done. An act can only wait for those before it, so there are no circles.
#[derive(Default)]
pub struct Graph {
    pub(super) acts: Vec<Act>,
    pub(super) before: Vec<Vec<Before>>,
    producers: BTreeMap<OutputKind, Vec<ActId>>,
}

/// Why a plan makes no sense.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GraphError {
    /// Nobody before it hands on what it needs.
    #[error("{step} on {node} needs {kind}, and nothing before it produces that")]
    NoProducer {
        /// The step.
        step: String,
        /// Its node.
        node: String,
        /// What it needs.
        kind: String,
    },
}

impl Graph {
    /// Adds an act that waits for others, and for those that produce what it needs.
    pub fn add(&mut self, act: Act, mut before: Vec<Before>) -> Result<ActId, GraphError> {
        for kind in &act.needs {
            let Some(producers) = self.producers.get(kind) else {
                let (step, node) = (act.place.step.clone(), act.place.node.clone());
                return Err(GraphError::NoProducer { step, node, kind: kind.to_string() });
            };
            before.extend(producers.iter().map(|producer| Before::Success(*producer)));
        }
        before.retain(|before| before.id().0 < self.acts.len());
        let id = ActId(self.acts.len());
        for kind in &act.produces {
            self.producers.entry(*kind).or_default().push(id);
        }
        self.acts.push(act);
        self.before.push(before);
        Ok(id)
    }

    /// The acts, each with its number.
    pub fn acts(&self) -> impl Iterator<Item = (ActId, &Act)> {
        self.acts.iter().enumerate().map(|(at, act)| (ActId(at), act))
    }

    /// What must have happened before an act.
    pub fn before(&self, id: ActId) -> &[Before] {
        &self.before[id.0]
    }
}

impl Before {
    /// The act that is waited for.
    pub fn id(self) -> ActId {
        let (Self::Success(id) | Self::End(id)) = self;
        id
    }
}

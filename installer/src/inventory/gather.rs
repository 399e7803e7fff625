//! Asks the nodes, all at once.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use futures::StreamExt;

use super::facts::NodeFacts;
use super::parse::{self, Asked, Misunderstood};
use crate::node::{Ask, Command, Inspect, NodeError, NodePath, Stdin};

const SCRIPT: &str = include_str!("facts.sh");
/// More than any node has to say.
const MOST: usize = 16 * 1024 * 1024;
/// Longer than a slow node needs.
const PATIENCE: Duration = Duration::from_mins(2);

/// Why a node's facts are unknown.
#[derive(Debug, thiserror::Error)]
pub enum FactsError {
    /// The node could not be asked.
    #[error("{node} could not be asked what it is like")]
    Asking {
        /// The node.
        node: String,
        /// Why.
        source: NodeError,
    },
    /// The node's answer makes no sense.
    #[error("what {node} says about itself cannot be understood")]
    Answer {
        /// The node.
        node: String,
        /// Why.
        source: Misunderstood,
    },
}

/// The facts about a node, with the free space of these directories; one round trip.
pub async fn gather(node: &dyn Inspect, directories: &[NodePath]) -> Result<NodeFacts, FactsError> {
    let places = directories.iter().map(NodePath::as_str);
    let command = Command::new("sh").args(["-s", "--"]).args(places).stdin(Stdin::Text(SCRIPT.to_owned()));
    let sent = seconds();
    let answer = node.check(&command.timeout(PATIENCE).keep(MOST)).await;
    let received = seconds();
    let name = || node.name().to_owned();
    let output = answer.map_err(|source| FactsError::Asking { node: name(), source })?;
    let text = String::from_utf8_lossy(&output.stdout);
    parse::facts(&text, Asked { directories, sent, received })
        .map_err(|source| FactsError::Answer { node: name(), source })
}

/// The facts about many nodes, so many asked at once; in the order of the nodes.
pub async fn gather_all(
    nodes: &[&dyn Inspect],
    directories: &[NodePath],
    at_once: usize,
) -> Vec<Result<NodeFacts, FactsError>> {
    let asking = nodes.iter().map(|node| gather(*node, directories));
    futures::stream::iter(asking).buffered(at_once.max(1)).collect().await
}

/// Our clock, in seconds since 1970.
fn seconds() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |elapsed| elapsed.as_secs_f64())
}

//! Runs the graph: an act begins when everything that it waits for has ended, and no node waits for another without need.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use futures::StreamExt;
use futures::stream::FuturesUnordered;
use tokio::sync::Semaphore;

use super::act::{ActError, Ground, kept_folder};
use super::event::{Event, Outcome, Place, Watch};
use super::graph::{ActId, Before, Graph};
use super::journal::{Entry, Intention, Journal, JournalError};
use super::outputs::Outputs;
use super::undo::Undo;
use crate::node::{FileChange, Mutate, NodePath};

/// How much may happen at once.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Acts on all nodes together.
    pub acts: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { acts: 64 }
    }
}

/// The nodes of a run, by name.
pub type Nodes = BTreeMap<String, Arc<dyn Mutate>>;

/// A run of a graph.
pub struct Run<'a> {
    /// The nodes.
    pub nodes: &'a Nodes,
    /// The journal.
    pub journal: &'a Journal,
    /// Who watches.
    pub watch: &'a dyn Watch,
    /// How much may happen at once.
    pub limits: Limits,
    /// The folder on nodes in which this run keeps things.
    pub folder: NodePath,
    /// What was learned so far.
    pub outputs: Outputs,
}

/// How a run ended.
#[derive(Debug, Default)]
pub struct Summary {
    /// How each act ended, in the order of the graph.
    pub outcomes: Vec<Outcome>,
    /// What failed, each with its error.
    pub failures: Vec<(Place, ActError)>,
    /// What could not be undone: node, what, and why.
    pub remains: Vec<(String, String, String)>,
}

impl Summary {
    /// Whether everything was done.
    pub fn is_whole(&self) -> bool {
        self.failures.is_empty() && !self.outcomes.contains(&Outcome::Skipped)
    }

    /// How many acts are not done.
    pub fn open(&self) -> usize {
        let open = |outcome: &&Outcome| matches!(outcome, Outcome::Failed(_) | Outcome::Skipped);
        self.outcomes.iter().filter(open).count()
    }

    /// How many changes were made.
    pub fn changes(&self) -> usize {
        self.outcomes.iter().map(|outcome| if let Outcome::Changed(count) = outcome { *count } else { 0 }).sum()
    }
}

impl Run<'_> {
    /// Does everything that can be done. Where an act fails, what its task did on that node is undone, and what waits for it
    /// is skipped; other nodes go on.
    pub async fn execute(&self, graph: &Graph) -> Result<Summary, JournalError> {
        self.undo_unfinished().await?;
        let places = Semaphore::new(self.limits.acts.max(1));
        let mut ended: Vec<Option<Outcome>> = vec![None; graph.acts.len()];
        let mut summary = Summary::default();
        let mut running = FuturesUnordered::new();
        let mut waiting: Vec<ActId> = graph.acts().map(|(id, _)| id).collect();
        loop {
            let mut settled = false;
            waiting.retain(|id| match readiness(graph, *id, &ended) {
                Readiness::Waits => true,
                Readiness::Ready => {
                    running.push(self.one(graph, *id, &places));
                    false
                }
                Readiness::Never => {
                    let act = graph.acts[id.0].place.clone();
                    self.watch.see(&Event::Ended { act, outcome: Outcome::Skipped, took: std::time::Duration::ZERO });
                    ended[id.0] = Some(Outcome::Skipped);
                    settled = true;
                    false
                }
            });
            if settled {
                continue;
            }
            let Some((id, outcome)) = running.next().await else { break };
            ended[id.0] = Some(match outcome {
                Ok(outcome) => outcome,
                Err(error) => {
                    let place = graph.acts[id.0].place.clone();
                    let of_task = |known: &Intention| known.node == place.node && known.task == place.task;
                    summary.remains.extend(self.undo(&place.node, of_task).await?);
                    let text = error.to_string();
                    summary.failures.push((place, error));
                    Outcome::Failed(text)
                }
            });
        }
        summary.outcomes = ended.into_iter().map(|outcome| outcome.unwrap_or(Outcome::Skipped)).collect();
        self.journal.write(Entry::Ended { whole: summary.is_whole() }).await?;
        Ok(summary)
    }

    async fn one(&self, graph: &Graph, id: ActId, places: &Semaphore) -> (ActId, Result<Outcome, ActError>) {
        let act = &graph.acts[id.0];
        let _place = places.acquire().await;
        let start = Instant::now();
        let outcome = match self.nodes.get(&act.place.node) {
            Some(node) => {
                let ground = Ground {
                    node: &**node,
                    journal: self.journal,
                    outputs: &self.outputs,
                    watch: self.watch,
                    folder: &self.folder,
                };
                act.run(&ground).await
            }
            None => Err(ActError::Expand(format!("there is no node {}", act.place.node))),
        };
        let shown = outcome.as_ref().map_or_else(|error| Outcome::Failed(error.to_string()), Clone::clone);
        self.watch.see(&Event::Ended { act: act.place.clone(), outcome: shown, took: start.elapsed() });
        (id, outcome)
    }

    /// Undoes everything that the journal has and that is wanted back, on all nodes at once; gives what could not be undone.
    pub async fn roll_back(
        &self,
        wanted: impl Fn(&Undo) -> bool,
    ) -> Result<Vec<(String, String, String)>, JournalError> {
        let nodes = self.journal.nodes();
        let undo = nodes.iter().map(|node| self.undo_some(node, |known| known.node == *node, &wanted));
        let all = futures::future::join_all(undo).await;
        Ok(all.into_iter().collect::<Result<Vec<_>, _>>()?.concat())
    }

    /// What an earlier run began and did not finish may be there in part, where no look can tell: it is undone and begun anew.
    async fn undo_unfinished(&self) -> Result<(), JournalError> {
        let nodes = self.journal.nodes();
        let undo = nodes.iter().map(|node| self.undo(node, |known| known.node == *node && !known.done));
        // What cannot be undone shows again when the act has its turn.
        futures::future::join_all(undo).await.into_iter().collect::<Result<Vec<_>, _>>().map(drop)
    }

    /// Plays the journal backwards on a node, for what meets a condition. Goes on after a part that fails.
    async fn undo(
        &self,
        name: &str,
        wanted: impl Fn(&Intention) -> bool,
    ) -> Result<Vec<(String, String, String)>, JournalError> {
        self.undo_some(name, wanted, &|_| true).await
    }

    /// The same, but only those parts of the way back that are wanted.
    async fn undo_some(
        &self,
        name: &str,
        wanted: impl Fn(&Intention) -> bool,
        part: &impl Fn(&Undo) -> bool,
    ) -> Result<Vec<(String, String, String)>, JournalError> {
        let mut remains = vec![];
        let Some(node) = self.nodes.get(name) else { return Ok(remains) };
        for intention in self.journal.way_back(wanted) {
            let kept = kept_folder(&self.folder, intention.number);
            let mut failed = None;
            for undo in intention.undo.iter().filter(|undo| part(undo)) {
                if let Err(error) = undo.play(&**node, &kept).await {
                    failed = Some(format!("{}: {error}", undo.describe()));
                }
            }
            if failed.is_none() {
                // What was kept for it is needed no longer.
                let gone = node.change(&FileChange::RemoveTree { path: kept }.into()).await;
                failed = gone.err().map(|error| error.to_string());
            }
            let (node, what) = (name.to_owned(), intention.what.clone());
            self.watch.see(&Event::Undid { node: node.clone(), what: what.clone(), failed: failed.clone() });
            match failed {
                None => drop(self.journal.write(Entry::Undone { intention: intention.number }).await?),
                Some(why) => remains.push((node, what, why)),
            }
        }
        Ok(remains)
    }
}

enum Readiness {
    Ready,
    Waits,
    /// Something that it needs failed.
    Never,
}

fn readiness(graph: &Graph, id: ActId, ended: &[Option<Outcome>]) -> Readiness {
    let mut readiness = Readiness::Ready;
    for before in graph.before(id) {
        match (&ended[before.id().0], before) {
            (None, _) => readiness = Readiness::Waits,
            (Some(Outcome::Failed(_) | Outcome::Skipped), Before::Success(_)) => return Readiness::Never,
            _ => {}
        }
    }
    readiness
}

//! What a person sees while a run goes on, and when it ends: one line for each step that did something.

use std::collections::BTreeMap;
use std::sync::Mutex;

use kubexm_installer::engine::event::{Event, Outcome, Watch};
use kubexm_installer::engine::{Mark, Summary};
use kubexm_model::console::output::to_stderr;
use kubexm_model::console::{Exit, Failure};

/// Prints lines as things happen.
#[derive(Default)]
pub(crate) struct Lines {
    /// What each act did, until it ends.
    done: Mutex<BTreeMap<(String, String), Vec<String>>>,
}

impl Watch for Lines {
    fn see(&self, event: &Event) {
        let mut done = self.done.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        match event {
            Event::Op { act, what, mark, .. } if *mark != Mark::Keep => {
                let key = (act.node.clone(), act.step.clone());
                done.entry(key).or_default().push(format!("    {} {what}\n", mark.sign()));
            }
            Event::Ended { act, outcome, took } => {
                let details = done.remove(&(act.node.clone(), act.step.clone())).unwrap_or_default().concat();
                let word = match outcome {
                    Outcome::Satisfied => return,
                    Outcome::Changed(_) => "done",
                    Outcome::Failed(_) => "FAILED",
                    Outcome::Skipped => "skipped",
                };
                let seconds = took.as_secs_f64();
                to_stderr(&format!("  {} {} {word} ({seconds:.1} s)\n{details}", act.node, act.step));
            }
            Event::Again { act, why } => to_stderr(&format!("  {} {} again: {why}\n", act.node, act.step)),
            Event::Undid { node, what, failed: None } => to_stderr(&format!("  {node} undone: {what}\n")),
            Event::Undid { node, what, failed: Some(why) } => {
                to_stderr(&format!("  {node} NOT undone: {what}: {why}\n"));
            }
            Event::Began { .. } | Event::Op { .. } => {}
        }
    }
}

/// What failed, each cause once with all its nodes, and how to go on.
pub(crate) fn ended(summary: &Summary, run: &str) -> Result<(), Failure> {
    if summary.is_whole() {
        return Ok(());
    }
    let mut causes: BTreeMap<(String, String), Vec<&str>> = BTreeMap::new();
    for (place, error) in &summary.failures {
        let chain = std::iter::successors(Some(error as &dyn std::error::Error), |error| error.source());
        let text = chain
            .map(|error| error.to_string().replace(&place.node, "the node"))
            .collect::<Vec<_>>()
            .join("\n  cause: ");
        causes.entry((format!("{}, task {}", place.step, place.task), text)).or_default().push(&place.node);
    }
    for ((step, cause), nodes) in &causes {
        to_stderr(&format!("error: {step} failed on {}\n  cause: {cause}\n", nodes.join(", ")));
    }
    for (node, what, why) in &summary.remains {
        to_stderr(&format!("error: {node} still has: {what}\n  cause: {why}\n"));
    }
    let message = format!("run {run} stopped: {} of {} steps are not done", summary.open(), summary.outcomes.len());
    Err(Failure::new(Exit::Failed, message)
        .hint(format!("`kubexm-install resume` goes on, `kubexm-install rollback {run}` undoes all of it")))
}

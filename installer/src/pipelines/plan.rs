//! From a pipeline to a graph: each node goes its own way through the tasks, and waits for others only where it must.

use std::collections::BTreeMap;
use std::sync::Arc;

use kubexm_model::cluster::Cluster;
use kubexm_model::cluster::schema::Host;

use super::Pipeline;
use crate::engine::act::Expansion;
use crate::engine::event::Place;
use crate::engine::graph::Before;
use crate::engine::{Act, ActId, Graph, GraphError, StepId};
use crate::inventory::NodeFacts;
use crate::steps::{Ops, Step, StepCx};
use crate::supplies::Supplies;
use crate::tasks::Task;

/// A cluster as it is wanted, and its machines as they were found.
#[derive(Clone)]
pub struct Site {
    /// As it is wanted.
    pub cluster: Arc<Cluster>,
    /// The machines as they were found, by name.
    pub facts: BTreeMap<String, Arc<NodeFacts>>,
    /// What the bundle brings, if there is one.
    pub supplies: Option<Supplies>,
}

/// How often an act is tried again when the line was lost.
const RETRIES: usize = 3;

/// The graph of a pipeline for a site.
pub fn plan(pipeline: &Pipeline, site: &Site) -> Result<Graph, GraphError> {
    let mut graph = Graph::default();
    // The last act of each node so far.
    let mut last: BTreeMap<String, ActId> = BTreeMap::new();
    for module in &pipeline.modules {
        for task in &module.tasks {
            let mut previous_node: Option<ActId> = None;
            for (index, host) in site.cluster.spec().hosts.iter().enumerate().filter(|(_, host)| (task.on)(host)) {
                let waits = if task.one_at_a_time { previous_node } else { None };
                let before = last.get(&host.name).copied();
                let end = chain(&mut graph, module.name, task, site, index, [before, waits])?;
                // Whether what follows may begin was decided before the clean-up, and not by it.
                if !task.always {
                    last.extend(end.map(|end| (host.name.clone(), end)));
                }
                previous_node = end.or(previous_node);
            }
        }
    }
    Ok(graph)
}

/// The steps of a task on one node, one after the other; gives the last one.
fn chain(
    graph: &mut Graph,
    module: &str,
    task: &Task,
    site: &Site,
    host: usize,
    first: [Option<ActId>; 2],
) -> Result<Option<ActId>, GraphError> {
    let wait = if task.always { Before::End } else { Before::Success };
    let mut before: Vec<Before> = first.into_iter().flatten().map(wait).collect();
    let mut end = None;
    for step in &task.steps {
        let place = Place {
            module: module.to_owned(),
            task: task.name.to_owned(),
            step: step.id().to_string(),
            node: site.cluster.spec().hosts[host].name.clone(),
        };
        let act = Act {
            place,
            expand: expansion(step, site, host, <dyn Step>::expand),
            verify: expansion(step, site, host, <dyn Step>::verify),
            needs: step.needs(),
            produces: step.produces(),
            timeout: step.timeout(),
            retries: RETRIES,
        };
        let id = graph.add(act, before)?;
        before = vec![Before::Success(id)];
        end = Some(id);
    }
    Ok(end)
}

/// The generic steps of a specific one on one node, worked out when its turn comes.
fn expansion(
    step: &Arc<dyn Step>,
    site: &Site,
    host: usize,
    describe: fn(&(dyn Step + 'static), &StepCx<'_>) -> Ops,
) -> Expansion {
    let (step, site) = (step.clone(), site.clone());
    Arc::new(move |_| {
        let host: &Host = &site.cluster.spec().hosts[host];
        let Some(facts) = site.facts.get(&host.name) else {
            let StepId(step) = step.id();
            return Err(format!("{step} on {}: nothing is known about the node", host.name));
        };
        describe(&*step, &StepCx { cluster: &site.cluster, host, facts, supplies: site.supplies.as_ref() })
            .map_err(|error| error.to_string())
    })
}

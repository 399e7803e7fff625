//! `create cluster`: plan, and run the plan.

use std::sync::Arc;

use clap::{Args, Subcommand, ValueEnum};
use kubexm_installer::engine::run::{Nodes, Run};
use kubexm_installer::engine::{Found, Graph, Journal, Limits, Mark, Outputs};
use kubexm_installer::pipelines::{self, Pipeline, Site, plan};
use kubexm_installer::runs::folder_on_nodes;
use kubexm_installer::supplies::Supplies;
use kubexm_model::cluster::Cluster;
use kubexm_model::console::{ClusterArgs, Exit, Failure, output};
use kubexm_model::digest::Digest;

use super::nodes::NodeArgs;
use super::report::{self, Lines};
use super::supplies::SupplyArgs;

/// `create …`.
#[derive(Debug, Subcommand)]
pub(crate) enum Create {
    /// Prepare the machines of a cluster
    #[command(before_help = "Examples:
  kubexm-install create cluster -f cluster.yaml --until os --dry-run
  kubexm-install create cluster -f cluster.yaml --until os")]
    Cluster(CreateCluster),
}

/// `create cluster`.
#[derive(Debug, Args)]
pub(crate) struct CreateCluster {
    #[command(flatten)]
    cluster: ClusterArgs,

    #[command(flatten)]
    nodes: NodeArgs,

    #[command(flatten)]
    supplies: SupplyArgs,

    /// Stop after this part; what follows it is not built yet, so it must be said
    #[arg(long, value_enum)]
    until: Part,

    /// Only look, and show what would be done
    #[arg(long)]
    dry_run: bool,
}

/// The parts of a cluster, in the order in which they come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Part {
    /// The machines themselves: node preparation
    Os,
}

impl Create {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let Self::Cluster(command) = self;
        command.run()
    }
}

impl CreateCluster {
    fn run(&self) -> Result<(), Failure> {
        let Part::Os = self.until;
        let catalogue = self.cluster.catalogue.load()?;
        let cluster = Arc::new(self.cluster.load(&catalogue)?);
        let runs = self.nodes.runs(&cluster)?;
        let supplies = self.supplies.open(&cluster, &self.nodes)?;
        runtime()?.block_on(async {
            let nodes = self.nodes.nodes(&cluster)?;
            let graph = graph(&pipelines::create_cluster(), &cluster, &self.nodes, &nodes, supplies).await?;
            if self.dry_run {
                return show(&graph, &nodes).await;
            }
            let (request, journal) = runs
                .begin(pipelines::create_cluster().name, configuration(&cluster))
                .map_err(|error| Failure::new(Exit::Failed, "the run cannot begin").because(&error))?;
            execute(&graph, &nodes, &journal, &request.run, self.nodes.concurrency).await
        })
    }
}

/// What decides on the plan.
pub(crate) fn configuration(cluster: &Cluster) -> Digest {
    Digest::of(cluster.view().to_string().as_bytes())
}

pub(crate) fn runtime() -> Result<tokio::runtime::Runtime, Failure> {
    tokio::runtime::Runtime::new().map_err(|error| Failure::usage("no threads can be started").because(&error))
}

/// The plan of a pipeline for the nodes as they are.
pub(crate) async fn graph(
    pipeline: &Pipeline,
    cluster: &Arc<Cluster>,
    args: &NodeArgs,
    nodes: &Nodes,
    supplies: Option<Supplies>,
) -> Result<Graph, Failure> {
    let facts = args.facts(nodes).await?;
    let site = Site { cluster: cluster.clone(), facts, supplies };
    plan(pipeline, &site).map_err(|error| Failure::new(Exit::Failed, "the plan makes no sense").because(&error))
}

/// Runs a plan to its end, and says how it ended.
pub(crate) async fn execute(
    graph: &Graph,
    nodes: &Nodes,
    journal: &Journal,
    run: &str,
    concurrency: usize,
) -> Result<(), Failure> {
    output::to_stderr(&format!("run {run}: {} steps on {} nodes\n", graph.acts().count(), nodes.len()));
    let lines = Lines::default();
    let on = on(nodes, journal, &lines, run, concurrency)?;
    let summary = on
        .execute(graph)
        .await
        .map_err(|error| Failure::new(Exit::Failed, "the journal cannot be written").because(&error))?;
    report::ended(&summary, run)?;
    output::text(&format!("run {run}: {} changes on {} nodes\n", summary.changes(), nodes.len()))
}

/// A run on nodes.
pub(crate) fn on<'a>(
    nodes: &'a Nodes,
    journal: &'a Journal,
    lines: &'a Lines,
    run: &str,
    concurrency: usize,
) -> Result<Run<'a>, Failure> {
    let folder = folder_on_nodes(run).ok_or_else(|| Failure::usage(format!("`{run}` is no run")))?;
    let limits = Limits { acts: concurrency };
    Ok(Run { nodes, journal, watch: lines, limits, folder, outputs: Outputs::default() })
}

/// Looks only: what would be made (+), changed (~), removed (-), node by node.
async fn show(graph: &Graph, nodes: &Nodes) -> Result<(), Failure> {
    let mut text = String::new();
    let (mut changes, mut kept) = (0, 0);
    for (_, act) in graph.acts() {
        let Some(node) = nodes.get(&act.place.node) else { continue };
        let ops = (act.expand)(&Outputs::default()).map_err(|error| Failure::new(Exit::Failed, error))?;
        for op in ops {
            let found = op.probe(&**node).await.map_err(|error| {
                Failure::new(Exit::Failed, format!("{} on {}", act.place.step, act.place.node)).because(&error)
            })?;
            let mark = match found {
                Found::Satisfied => Mark::Keep,
                Found::Differs(difference) => difference.mark,
            };
            if mark == Mark::Keep {
                kept += 1;
            } else {
                changes += 1;
                text = format!("{text}{} {} {}\n", mark.sign(), act.place.node, op.describe());
            }
        }
    }
    output::text(&format!("{text}{changes} changes, {kept} things are as they should be\n"))
}

//! `resume`, `rollback`, `get runs`: what was begun before.

use std::sync::Arc;

use clap::{Args, Subcommand};
use kubexm_installer::engine::Journal;
use kubexm_installer::pipelines;
use kubexm_installer::runs::{Request, Runs};
use kubexm_model::cluster::Cluster;
use kubexm_model::console::{ClusterArgs, Exit, Failure, output};
use serde_json::json;

use super::create::{configuration, execute, graph, on, runtime};
use super::nodes::NodeArgs;
use super::report::Lines;
use super::supplies::SupplyArgs;

/// Flags of commands about runs.
#[derive(Debug, Args)]
pub(crate) struct RunArgs {
    #[command(flatten)]
    cluster: ClusterArgs,

    #[command(flatten)]
    nodes: NodeArgs,
}

/// `resume`.
#[derive(Debug, Args)]
pub(crate) struct Resume {
    /// The run [default: the last one]
    #[arg(value_name = "RUN")]
    run: Option<String>,

    #[command(flatten)]
    args: RunArgs,

    #[command(flatten)]
    supplies: SupplyArgs,
}

/// `rollback`.
#[derive(Debug, Args)]
pub(crate) struct Rollback {
    /// The run; `get runs` lists them
    #[arg(value_name = "RUN")]
    run: String,

    /// Leave the OS packages that came with it
    #[arg(long)]
    keep_packages: bool,

    #[command(flatten)]
    args: RunArgs,
}

/// `get …`.
#[derive(Debug, Subcommand)]
pub(crate) enum Get {
    /// List the runs of a cluster, the oldest first
    Runs(GetRuns),
}

/// `get runs`.
#[derive(Debug, Args)]
pub(crate) struct GetRuns {
    #[command(flatten)]
    args: RunArgs,

    /// Answer in JSON
    #[arg(long)]
    json: bool,
}

impl RunArgs {
    fn load(&self) -> Result<Arc<Cluster>, Failure> {
        let catalogue = self.cluster.catalogue.load()?;
        Ok(Arc::new(self.cluster.load(&catalogue)?))
    }

    /// The lock of the cluster, and a run of it.
    fn open(&self, cluster: &Cluster, run: Option<&str>) -> Result<(Runs, Request, Journal), Failure> {
        let runs = self.nodes.runs(cluster)?;
        let opened = runs.open(run);
        let (request, journal) = opened.map_err(|error| {
            Failure::usage("the run cannot be opened").because(&error).hint("`kubexm-install get runs` lists them")
        })?;
        Ok((runs, request, journal))
    }
}

impl Resume {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let cluster = self.args.load()?;
        let (_runs, request, journal) = self.args.open(&cluster, self.run.as_deref())?;
        if request.configuration != configuration(&cluster) {
            let message = format!("cluster.yaml is not the one that run {} began with", request.run);
            return Err(Failure::usage(message).hint("begin a new run, or resume with the file as it was"));
        }
        let supplies = self.supplies.open(&cluster, &self.args.nodes)?;
        runtime()?.block_on(async {
            let nodes = self.args.nodes.nodes(&cluster)?;
            let graph = graph(&pipelines::create_cluster(), &cluster, &self.args.nodes, &nodes, supplies).await?;
            execute(&graph, &nodes, &journal, &request.run, self.args.nodes.concurrency).await
        })
    }
}

impl Rollback {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let cluster = self.args.load()?;
        let (_runs, request, journal) = self.args.open(&cluster, Some(&self.run))?;
        runtime()?.block_on(async {
            let nodes = self.args.nodes.nodes(&cluster)?;
            let lines = Lines::default();
            let run = on(&nodes, &journal, &lines, &request.run, self.args.nodes.concurrency)?;
            let remains = run
                .roll_back(|undo| !(self.keep_packages && undo.removes_packages()))
                .await
                .map_err(|error| Failure::new(Exit::Failed, "the journal cannot be written").because(&error))?;
            match remains.len() {
                0 => output::text(&format!("run {}: undone\n", request.run)),
                count => Err(Failure::new(Exit::Failed, format!("{count} things of run {} remain", request.run))
                    .hint("the lines above name them; the same command tries again")),
            }
        })
    }
}

impl Get {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let Self::Runs(command) = self;
        let cluster = command.args.load()?;
        let runs = Runs::look(&command.args.nodes.state()?, cluster.name());
        let all = runs.list().map_err(|error| Failure::usage("the runs cannot be read").because(&error))?;
        if command.json {
            return output::json(&json!(all));
        }
        let rows = all.iter().map(|run| vec![run.run.clone(), run.pipeline.clone(), run.began.to_string()]);
        output::text(&output::table(&["RUN", "PIPELINE", "BEGAN"], rows))
    }
}

//! Each specific step on each distinct kind of node that the fixtures have.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::{Arc, LazyLock};

use kubexm_installer::engine::event::Unwatched;
use kubexm_installer::engine::run::{Nodes, Run};
use kubexm_installer::engine::{Graph, Journal, Limits, Outputs};
use kubexm_installer::inventory::NodeFacts;
use kubexm_installer::inventory::parse::{Asked, facts};
use kubexm_installer::node::fake::FakeNode;
use kubexm_installer::node::{Mutate, Output};
use kubexm_installer::pipelines::{Site, create_cluster, plan};
use kubexm_model::digest::Digest;
use kubexm_tests::{catalogue, fixtures, read_fixture, root, stem, text};
use tempfile::TempDir;

use crate::node::{busy, journal_folder, kept};

/// One step on one node.
pub struct Case {
    /// The first fixture and system that it was found with.
    pub name: String,
    site: Site,
    host: String,
    step: String,
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} on {}", self.step, self.name)
    }
}

pub fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

/// Every step with every distinct list of generic steps; the same list on another cluster is the same case.
pub fn cases() -> Vec<Case> {
    static SITES: LazyLock<Vec<(String, Site)>> = LazyLock::new(sites);
    let mut seen: BTreeSet<(String, String)> = BTreeSet::new();
    let mut found = vec![];
    for (name, site) in SITES.iter() {
        let graph = plan(&create_cluster(), site).unwrap();
        for (_, act) in graph.acts() {
            let ops = (act.expand)(&Outputs::default()).unwrap_or_else(|error| panic!("{name}: {error}"));
            let described: Vec<String> = ops.iter().map(|op| op.describe()).collect();
            if !described.is_empty() && seen.insert((act.place.step.clone(), described.join("\n"))) {
                let (host, step) = (act.place.node.clone(), act.place.step.clone());
                found.push(Case { name: format!("{name}, {host}"), site: site.clone(), host, step });
            }
        }
    }
    found
}

/// Every good cluster, its machines alternately Debian, Rocky and Ubuntu.
fn sites() -> Vec<(String, Site)> {
    let catalogue = catalogue();
    let systems: Vec<(&str, Arc<NodeFacts>)> =
        ["debian-12", "rocky-9", "ubuntu-24.04"].map(|system| (system, Arc::new(recorded(system)))).to_vec();
    let (mut sites, supplies) = (vec![], [crate::node::supplies(), crate::node::supplies_with_image()]);
    for file in fixtures("clusters/good") {
        let Some(cluster) = read_fixture(&file, &catalogue).cluster else { continue };
        // By its name, so that a new fixture changes nothing for the others.
        let number = usize::from(Digest::of(stem(&file).as_bytes()).as_bytes()[0]);
        let cluster = Arc::new(cluster);
        let (system, _) = systems[number % systems.len()];
        let facts: BTreeMap<String, Arc<NodeFacts>> = (cluster.spec().hosts.iter().enumerate())
            .map(|(at, host)| (host.name.clone(), systems[(number + at) % systems.len()].1.clone()))
            .collect();
        sites.push((
            format!("{} from {system}", stem(&file)),
            Site { cluster, facts, supplies: Some(supplies[number % 2].clone()) },
        ));
    }
    sites
}

/// Every machine of a cluster with Debian among them after the whole pipeline, with packages in an image; apt-get may fail.
pub async fn prepare_all(fails: bool) -> Vec<Arc<FakeNode>> {
    let (_, mut site) = sites().into_iter().find(|(_, site)| site.cluster.spec().hosts.len() >= 3).unwrap();
    site.supplies = Some(crate::node::supplies_with_image());
    let machines: BTreeMap<String, Arc<FakeNode>> =
        site.cluster.spec().hosts.iter().map(|host| (host.name.clone(), Arc::new(busy()))).collect();
    if fails {
        for machine in machines.values() {
            machine
                .script(|command, _| (command.program == "apt-get").then(|| Output { code: 100, ..Output::default() }));
        }
    }
    let nodes: Nodes =
        machines.iter().map(|(name, machine)| (name.clone(), machine.clone() as Arc<dyn Mutate>)).collect();
    let folder = journal_folder();
    let (journal, _) = Journal::open(&folder.path().join("journal")).unwrap();
    let (limits, outputs) = (Limits::default(), Outputs::default());
    let run = Run { nodes: &nodes, journal: &journal, watch: &Unwatched, limits, folder: kept(), outputs };
    let summary = run.execute(&plan(&create_cluster(), &site).unwrap()).await.unwrap();
    assert_eq!(summary.is_whole(), !fails, "{:?}", summary.failures);
    machines.into_values().collect()
}

fn recorded(system: &str) -> NodeFacts {
    let file = root().join("tests/suites/node/facts").join(format!("{system}.txt"));
    let directories = ["/var/lib", "/opt/a b"].map(crate::node::path);
    facts(&text(&file), Asked { directories: &directories, sent: 0.0, received: 1.0 }).unwrap()
}

impl Case {
    /// The name of the step.
    pub fn step(&self) -> String {
        self.step.clone()
    }

    /// A node on which it has something to do.
    pub fn node(&self) -> Arc<FakeNode> {
        Arc::new(busy())
    }

    fn graph(&self) -> Graph {
        let whole = plan(&create_cluster(), &self.site).unwrap();
        let mut graph = Graph::default();
        let act = whole.acts().find(|(_, act)| act.place.node == self.host && act.place.step == self.step);
        let mut act = act.unwrap().1.clone();
        // A lost line stays lost here: waiting for it would only take time.
        act.retries = 0;
        graph.add(act, vec![]).unwrap();
        graph
    }

    /// Runs it with a journal of its own; gives the number of changes.
    pub async fn run(&self, node: &Arc<FakeNode>) -> Result<usize, String> {
        self.run_with(node, &journal_folder()).await
    }

    /// Runs it, or goes on with it.
    pub async fn run_with(&self, node: &Arc<FakeNode>, folder: &TempDir) -> Result<usize, String> {
        let (journal, _) = Journal::open(&folder.path().join("journal")).unwrap();
        let nodes = self.nodes(node);
        let summary = self.on(&nodes, &journal).execute(&self.graph()).await.unwrap();
        match summary.failures.first() {
            None => Ok(summary.changes()),
            Some((_, error)) => Err(error.to_string()),
        }
    }

    /// Undoes everything in the journal; gives what remains.
    pub async fn roll_back(&self, node: &Arc<FakeNode>, folder: &TempDir) -> Vec<String> {
        let (journal, _) = Journal::open(&folder.path().join("journal")).unwrap();
        let nodes = self.nodes(node);
        let remains = self.on(&nodes, &journal).roll_back(|_| true).await.unwrap();
        remains.into_iter().map(|(_, what, why)| format!("{what}: {why}")).collect()
    }

    /// Undoes everything in the journal but packages; gives what remains.
    pub async fn roll_back_but_packages(&self, node: &Arc<FakeNode>, folder: &TempDir) -> Vec<String> {
        let (journal, _) = Journal::open(&folder.path().join("journal")).unwrap();
        let nodes = self.nodes(node);
        let remains = self.on(&nodes, &journal).roll_back(|undo| !undo.removes_packages()).await.unwrap();
        remains.into_iter().map(|(_, what, why)| format!("{what}: {why}")).collect()
    }

    fn nodes(&self, node: &Arc<FakeNode>) -> Nodes {
        BTreeMap::from([(self.host.clone(), node.clone() as Arc<dyn Mutate>)])
    }

    fn on<'a>(&self, nodes: &'a Nodes, journal: &'a Journal) -> Run<'a> {
        Run {
            nodes,
            journal,
            watch: &Unwatched,
            limits: Limits::default(),
            folder: kept(),
            outputs: Outputs::default(),
        }
    }
}

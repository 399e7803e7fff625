//! Flags by which nodes are reached, and the nodes behind them.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use kubexm_installer::engine::run::Nodes;
use kubexm_installer::hostkeys::HostKeys;
use kubexm_installer::inventory::{self, NodeFacts};
use kubexm_installer::node::ssh::{Options, Route, SshNode, Surroundings};
use kubexm_installer::node::{Inspect, NodePath};
use kubexm_installer::runs::Runs;
use kubexm_model::cluster::Cluster;
use kubexm_model::console::{Exit, Failure, output};
use kubexm_model::secret::Secret;

/// How nodes are reached, and where this side remembers things.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Nodes")]
pub(crate) struct NodeArgs {
    /// The folder in which runs, journals and accepted host keys are kept [default: $XDG_STATE_HOME/kubexm, or
    /// ~/.local/state/kubexm]
    #[arg(long, value_name = "DIR", env = "KUBEXM_STATE_DIR")]
    state_dir: Option<PathBuf>,

    #[arg(long, env = "XDG_STATE_HOME", hide = true)]
    xdg_state_home: Option<PathBuf>,

    #[arg(long, env = "HOME", hide = true)]
    home: Option<PathBuf>,

    /// A further file of host keys that are trusted, besides ~/.ssh/known_hosts and those that were accepted
    #[arg(long, value_name = "FILE")]
    known_hosts: Vec<PathBuf>,

    /// The private key for all nodes, instead of those in cluster.yaml
    #[arg(short = 'i', long, value_name = "FILE")]
    identity: Option<PathBuf>,

    #[arg(long, env = "KUBEXM_SSH_PASSPHRASE", hide = true, hide_env_values = true)]
    passphrase: Option<String>,

    /// Nodes that are spoken to at once
    #[arg(short = 'j', long, value_name = "N", default_value_t = 64)]
    pub(crate) concurrency: usize,
}

impl NodeArgs {
    /// The folder in which this side remembers things.
    pub(crate) fn state(&self) -> Result<PathBuf, Failure> {
        let usual = || {
            let base = self.xdg_state_home.clone().or_else(|| Some(self.home.clone()?.join(".local/state")));
            base.map(|base| base.join("kubexm"))
        };
        let missing = || Failure::usage("there is no home folder for the state: name one with --state-dir");
        self.state_dir.clone().or_else(usual).ok_or_else(missing)
    }

    /// The file of host keys that were accepted.
    pub(crate) fn accepted_keys(&self) -> Result<PathBuf, Failure> {
        Ok(self.state()?.join("known_hosts"))
    }

    /// Takes the lock of a cluster.
    pub(crate) fn runs(&self, cluster: &Cluster) -> Result<Runs, Failure> {
        Runs::take(&self.state()?, cluster.name())
            .map_err(|error| Failure::usage("the runs of this cluster cannot be used").because(&error))
    }

    /// The ways to all nodes.
    pub(crate) fn routes(&self, cluster: &Cluster) -> Result<Vec<(String, Route)>, Failure> {
        let variable = |name: &str| {
            #[expect(clippy::disallowed_methods, reason = "cluster.yaml names the variable, so clap cannot know it")]
            let value = std::env::var(name).ok();
            value.map(Secret::from)
        };
        let passphrase = self.passphrase.clone().map(Secret::from);
        let around = Surroundings { home: self.home.clone(), variable: &variable, passphrase };
        let mut routes = vec![];
        for host in &cluster.spec().hosts {
            let mut route = Route::to(host, &around)
                .map_err(|error| Failure::usage(format!("{} cannot be reached so", host.name)).because(&error))?;
            if let Some(identity) = &self.identity {
                route.target.login.key = Some(identity.clone());
            }
            routes.push((host.name.clone(), route));
        }
        Ok(routes)
    }

    /// The host keys that are trusted.
    pub(crate) fn host_keys(&self) -> Result<Arc<HostKeys>, Failure> {
        let own = self.home.iter().map(|home| home.join(".ssh/known_hosts"));
        let files = self.known_hosts.iter().cloned().chain(own).chain([self.accepted_keys()?]);
        let keys =
            HostKeys::read(files).map_err(|error| Failure::usage("known host keys cannot be read").because(&error))?;
        Ok(Arc::new(keys))
    }

    /// All nodes, not connected yet.
    pub(crate) fn nodes(&self, cluster: &Cluster) -> Result<Nodes, Failure> {
        let host_keys = self.host_keys()?;
        let node = |(name, route): (String, Route)| {
            let node = SshNode::over_ssh(name.clone(), route, host_keys.clone(), Options::default());
            (name, Arc::new(node) as Arc<dyn kubexm_installer::node::Mutate>)
        };
        Ok(self.routes(cluster)?.into_iter().map(node).collect())
    }

    /// What the nodes are like; all that cannot be reached are named, and then nothing is done.
    pub(crate) async fn facts(&self, nodes: &Nodes) -> Result<BTreeMap<String, Arc<NodeFacts>>, Failure> {
        let directories: Vec<NodePath> =
            ["/", "/var/lib", "/tmp", "/usr/local/bin"].iter().filter_map(|path| NodePath::new(*path).ok()).collect();
        let asked: Vec<&dyn Inspect> = nodes.values().map(|node| &**node as &dyn Inspect).collect();
        let answers = inventory::gather_all(&asked, &directories, self.concurrency).await;
        let mut facts = BTreeMap::new();
        let mut failed = 0;
        for (name, answer) in nodes.keys().zip(answers) {
            match answer {
                Ok(found) => drop(facts.insert(name.clone(), Arc::new(found))),
                Err(error) => {
                    failed += 1;
                    output::to_stderr(&Failure::new(Exit::Unreachable, name.clone()).because(&error).text());
                }
            }
        }
        if failed == 0 {
            return Ok(facts);
        }
        Err(Failure::new(Exit::Unreachable, format!("{failed} of {} nodes cannot be asked", nodes.len()))
            .hint("nothing was changed; `kubexm-install hosts scan` shows the host keys of machines that are new"))
    }
}

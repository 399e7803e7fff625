//! `hosts scan`: the host keys of all machines, to be compared and accepted.

use clap::{Args, Subcommand};
use kubexm_installer::hostkeys::scan::{self, Standing};
use kubexm_installer::node::ssh::Options;
use kubexm_model::console::{ClusterArgs, Exit, Failure, output};

use super::create::runtime;
use super::nodes::NodeArgs;

/// `hosts …`.
#[derive(Debug, Subcommand)]
pub(crate) enum Hosts {
    /// Show the SSH host keys of all machines, without logging in
    #[command(before_help = "Examples:
  kubexm-install hosts scan -f cluster.yaml
  kubexm-install hosts scan -f cluster.yaml --accept-new")]
    Scan(Scan),
}

/// `hosts scan`.
#[derive(Debug, Args)]
pub(crate) struct Scan {
    #[command(flatten)]
    cluster: ClusterArgs,

    #[command(flatten)]
    nodes: NodeArgs,

    /// Trust the keys of machines about which nothing is known, from now on; a changed key is never accepted
    #[arg(long)]
    accept_new: bool,
}

impl Hosts {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let Self::Scan(command) = self;
        command.run()
    }
}

impl Scan {
    fn run(&self) -> Result<(), Failure> {
        let catalogue = self.cluster.catalogue.load()?;
        let cluster = self.cluster.load(&catalogue)?;
        let (routes, keys) = (self.nodes.routes(&cluster)?, self.nodes.host_keys()?);
        let scanned = runtime()?.block_on(scan::scan(&routes, &keys, &Options::default(), self.nodes.concurrency));
        let mut rows = vec![];
        let mut unreachable = 0;
        for machine in &scanned {
            match &machine.keys {
                Ok(keys) => rows.extend(keys.iter().map(|shown| {
                    let kind = shown.key.algorithm().to_string();
                    vec![machine.node.clone(), kind, shown.fingerprint.clone(), word(&shown.standing).to_owned()]
                })),
                Err(error) => {
                    unreachable += 1;
                    let failure = Failure::new(Exit::Unreachable, machine.node.clone()).because(error);
                    output::to_stderr(&failure.text());
                }
            }
        }
        output::text(&output::table(&["NODE", "KEY", "FINGERPRINT", "STANDING"], rows))?;
        if self.accept_new {
            let file = self.nodes.accepted_keys()?;
            let written = scan::accept(&scanned, "hosts scan --accept-new", jiff::Timestamp::now(), &file);
            let count =
                written.map_err(|error| Failure::new(Exit::Failed, "keys cannot be recorded").because(&error))?;
            output::to_stderr(&format!("{}: {count} new keys\n", file.display()));
        }
        if unreachable > 0 {
            return Err(Failure::new(Exit::Unreachable, format!("{unreachable} machines showed no key")));
        }
        Ok(())
    }
}

fn word(standing: &Standing) -> &'static str {
    match standing {
        Standing::Trusted => "trusted",
        Standing::New => "new",
        Standing::Other => "another kind of a trusted machine",
        Standing::Refused(_) => "REFUSED: not the key that is known",
    }
}

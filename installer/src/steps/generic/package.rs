//! Packages that are installed.

use async_trait::async_trait;

use super::while_doing;
use crate::engine::{Difference, Found, Op, OpError, Outputs, Undo};
use crate::node::{Ask, Command, Inspect, Mutate, PackageChange, PackageName};

/// Installs packages by commands of the node's package manager; those that were not there before are removed on the way back.
pub(in crate::steps) struct InstallPackages {
    wanted: Vec<PackageName>,
    /// Everything that may come with them and was not there when the node was looked at.
    new: Vec<PackageName>,
    commands: Vec<Command>,
}

impl InstallPackages {
    /// These packages, by these commands, which may bring `new` ones.
    pub(in crate::steps) fn new(wanted: Vec<PackageName>, new: Vec<PackageName>, commands: Vec<Command>) -> Self {
        let commands = commands.into_iter().map(|command| command.timeout(PATIENCE)).collect();
        Self { wanted, new, commands }
    }
}

/// Some packages take their time to be configured.
const PATIENCE: std::time::Duration = std::time::Duration::from_mins(15);

#[async_trait]
impl Op for InstallPackages {
    fn describe(&self) -> String {
        let names: Vec<&str> = self.wanted.iter().map(PackageName::as_str).collect();
        format!("install {}", names.join(", "))
    }

    async fn probe(&self, node: &dyn Inspect) -> Result<Found, OpError> {
        let doing = self.describe();
        let mut missing = false;
        for name in &self.wanted {
            missing |= node.package(name).await.map_err(while_doing(&doing))?.is_none();
        }
        if !missing {
            return Ok(Found::Satisfied);
        }
        // Removing what is not there is no mistake, so all that may come is named.
        let remove = PackageChange::Remove { names: self.new.clone() };
        Ok(Difference::create(vec![Undo::Change(remove.into())]))
    }

    async fn apply(&self, node: &dyn Mutate, _outputs: &Outputs) -> Result<(), OpError> {
        for command in &self.commands {
            node.run(command).await.map_err(while_doing(&self.describe()))?;
        }
        Ok(())
    }
}

//! `list steps`, `list tasks`: what there is, by the names of the description.

use clap::Subcommand;
use kubexm_installer::pipelines::create_cluster;
use kubexm_model::console::{Failure, output};

/// `list …`.
#[derive(Debug, Clone, Copy, Subcommand)]
pub(crate) enum List {
    /// List the specific steps, each with its module and task
    Steps,
    /// List the tasks, each with its module
    Tasks,
}

impl List {
    pub(crate) fn run(self) -> Result<(), Failure> {
        let pipeline = create_cluster();
        let mut rows = vec![];
        for module in &pipeline.modules {
            for task in &module.tasks {
                let place = [module.name.to_owned(), task.name.to_owned()];
                match self {
                    Self::Tasks => rows.push(place.to_vec()),
                    Self::Steps => rows.extend(
                        task.steps
                            .iter()
                            .map(|step| [&place[..], &[step.name().to_owned(), step.id().to_string()]].concat()),
                    ),
                }
            }
        }
        let head = ["MODULE", "TASK", "STEP", "ID"];
        let columns = if matches!(self, Self::Steps) { 4 } else { 2 };
        output::text(&output::table(&head[..columns], rows))
    }
}

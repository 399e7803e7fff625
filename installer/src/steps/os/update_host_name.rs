//! A node is called what cluster.yaml calls it.

use crate::engine::StepId;
use crate::node::Command;
use crate::steps::generic::{EnsureOutput, PutFile, path};
use crate::steps::{Ops, Step, StepCx};

/// Sets the host name, now and at the next start.
pub struct UpdateHostName;

impl Step for UpdateHostName {
    fn id(&self) -> StepId {
        StepId("os.update-host-name")
    }

    fn name(&self) -> &'static str {
        "UpdateHostName"
    }

    fn expand(&self, cx: &StepCx<'_>) -> Ops {
        let name = &cx.host.name;
        let (look, set) = (Command::new("uname").arg("-n"), Command::new("hostname"));
        Ok(vec![
            Box::new(PutFile::new(path("/etc/hostname")?, format!("{name}\n"))),
            Box::new(EnsureOutput::new(format!("call the node {name}"), look, name, set)),
        ])
    }
}

//! Kernel modules that a container runtime asks for.

use crate::engine::{Op, StepId};
use crate::node::ModuleName;
use crate::steps::generic::{LoadModule, PutFile, path};
use crate::steps::{Ops, Step, StepCx};
use crate::templates;

/// Loads kernel modules, now and at the next start.
pub struct LoadKernelModules;

impl Step for LoadKernelModules {
    fn id(&self) -> StepId {
        StepId("os.load-kernel-modules")
    }

    fn name(&self) -> &'static str {
        "LoadKernelModules"
    }

    fn expand(&self, _: &StepCx<'_>) -> Ops {
        let text = templates::text("os/kubexm.conf")?;
        let mut ops: Vec<Box<dyn Op>> = vec![];
        for name in text.lines().filter(|line| !line.starts_with('#')) {
            ops.push(Box::new(LoadModule::new(ModuleName::new(name)?)));
        }
        ops.insert(0, Box::new(PutFile::new(path("/etc/modules-load.d/kubexm.conf")?, text)));
        Ok(ops)
    }
}

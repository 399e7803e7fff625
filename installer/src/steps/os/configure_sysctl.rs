//! Kernel parameters that Kubernetes asks for.

use crate::engine::{Op, StepId};
use crate::node::SysctlKey;
use crate::steps::generic::{PutFile, SetSysctl, path};
use crate::steps::{Ops, Step, StepCx};
use crate::templates;

/// Sets kernel parameters, now and at the next start.
pub struct ConfigureSysctl;

impl Step for ConfigureSysctl {
    fn id(&self) -> StepId {
        StepId("os.configure-sysctl")
    }

    fn name(&self) -> &'static str {
        "ConfigureSysctl"
    }

    fn expand(&self, _: &StepCx<'_>) -> Ops {
        let text = templates::text("os/99-kubexm-cri.conf")?;
        let mut ops: Vec<Box<dyn Op>> = vec![];
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            if let Some((key, value)) = line.split_once('=') {
                ops.push(Box::new(SetSysctl::new(SysctlKey::new(key.trim())?, value.trim())));
            }
        }
        ops.insert(0, Box::new(PutFile::new(path("/etc/sysctl.d/99-kubexm-cri.conf")?, text)));
        Ok(ops)
    }
}

//! SELinux only writes down what it would refuse.

use crate::engine::{Op, StepId};
use crate::inventory::facts::SeLinux;
use crate::node::Command;
use crate::steps::generic::{Edit, EditLines, EnsureOutput, path};
use crate::steps::{Ops, Step, StepCx};

/// Makes SELinux permissive, now and at the next start. Switching it off would ask for new labels on every file when somebody
/// switches it on again; permissive gives way without that.
pub struct DisableSelinux;

impl Step for DisableSelinux {
    fn id(&self) -> StepId {
        StepId("os.disable-selinux")
    }

    fn name(&self) -> &'static str {
        "DisableSELinux"
    }

    fn expand(&self, cx: &StepCx<'_>) -> Ops {
        let mut ops: Vec<Box<dyn Op>> = vec![];
        if cx.facts.security.selinux != SeLinux::Absent {
            let (look, set) = (Command::new("getenforce"), Command::new("setenforce"));
            ops.push(Box::new(EnsureOutput::new("make SELinux permissive", look, "Permissive", set)));
        }
        ops.push(Box::new(EditLines::new(path("/etc/selinux/config")?, Edit::RelaxSelinux)));
        Ok(ops)
    }
}

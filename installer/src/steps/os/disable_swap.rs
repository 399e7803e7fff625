//! kubelet wants no swap space.

use crate::engine::StepId;
use crate::steps::generic::{Edit, EditLines, SwapOff, path};
use crate::steps::{Ops, Step, StepCx};

/// Switches swap space off, now and at the next start.
pub struct DisableSwap;

impl Step for DisableSwap {
    fn id(&self) -> StepId {
        StepId("os.disable-swap")
    }

    fn name(&self) -> &'static str {
        "DisableSwap"
    }

    fn expand(&self, _: &StepCx<'_>) -> Ops {
        // fstab first: systemd watches it and would switch the space on again.
        Ok(vec![Box::new(EditLines::new(path("/etc/fstab")?, Edit::CommentOutSwap)), Box::new(SwapOff)])
    }
}

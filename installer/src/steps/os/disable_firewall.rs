//! Firewalls that would cut the cluster's own traffic.

use crate::engine::{Op, StepId};
use crate::steps::generic::{UnitStopped, unit};
use crate::steps::{Ops, Step, StepCx};

/// Stops the services that manage a firewall, now and at the next start.
pub struct DisableFirewall;

/// The services, on whatever system.
const SERVICES: [&str; 2] = ["firewalld.service", "ufw.service"];

impl Step for DisableFirewall {
    fn id(&self) -> StepId {
        StepId("os.disable-firewall")
    }

    fn name(&self) -> &'static str {
        "DisableFirewall"
    }

    fn expand(&self, _: &StepCx<'_>) -> Ops {
        let stop = |name| Ok(Box::new(UnitStopped::new(unit(name)?)) as Box<dyn Op>);
        SERVICES.into_iter().map(stop).collect()
    }
}

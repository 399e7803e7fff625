//! systemd units: running, stopped, or started anew because what they read has changed.

use async_trait::async_trait;
use kubexm_model::digest::Digest;

use super::while_doing;
use crate::engine::{Difference, Found, Op, OpError, Outputs, Undo};
use crate::node::query::{Active, Enabled, UnitState};
use crate::node::{Ask, Inspect, Mutate, UnitChange, UnitName};

/// The changes that bring a unit back to a state that it had.
fn back_to(unit: &UnitName, was: &UnitState) -> Vec<Undo> {
    let unit = || unit.clone();
    let running = match was.active {
        Active::Active | Active::Changing => UnitChange::Start { unit: unit(), with: was.started_with },
        Active::Inactive | Active::Failed => UnitChange::Stop { unit: unit() },
    };
    let start = match was.enabled {
        Enabled::Enabled => Some(UnitChange::Enable { unit: unit() }),
        Enabled::Disabled => Some(UnitChange::Disable { unit: unit() }),
        Enabled::Static | Enabled::Masked => None,
    };
    start.into_iter().chain([running]).map(|change| Undo::Change(change.into())).collect()
}

/// A unit runs now and at the next start.
pub(in crate::steps) struct UnitRuns {
    unit: UnitName,
}

impl UnitRuns {
    /// This unit.
    pub(in crate::steps) fn new(unit: UnitName) -> Self {
        Self { unit }
    }
}

#[async_trait]
impl Op for UnitRuns {
    fn describe(&self) -> String {
        format!("enable and start {}", self.unit)
    }

    async fn probe(&self, node: &dyn Inspect) -> Result<Found, OpError> {
        let state = node.unit(&self.unit).await.map_err(while_doing(&self.describe()))?;
        let starts = matches!(state.enabled, Enabled::Enabled | Enabled::Static);
        if state.active == Active::Active && starts {
            return Ok(Found::Satisfied);
        }
        Ok(Difference::change(back_to(&self.unit, &state)))
    }

    async fn apply(&self, node: &dyn Mutate, _outputs: &Outputs) -> Result<(), OpError> {
        let doing = self.describe();
        let state = node.unit(&self.unit).await.map_err(while_doing(&doing))?;
        if !matches!(state.enabled, Enabled::Enabled | Enabled::Static) {
            let enable = UnitChange::Enable { unit: self.unit.clone() };
            node.change(&enable.into()).await.map_err(while_doing(&doing))?;
        }
        let start = UnitChange::Start { unit: self.unit.clone(), with: state.started_with };
        node.change(&start.into()).await.map_err(while_doing(&doing))
    }
}

/// A unit neither runs nor starts with the machine; one that is not there will do.
pub(in crate::steps) struct UnitStopped {
    unit: UnitName,
}

impl UnitStopped {
    /// This unit.
    pub(in crate::steps) fn new(unit: UnitName) -> Self {
        Self { unit }
    }
}

#[async_trait]
impl Op for UnitStopped {
    fn describe(&self) -> String {
        format!("stop and disable {}", self.unit)
    }

    async fn probe(&self, node: &dyn Inspect) -> Result<Found, OpError> {
        let state = node.unit(&self.unit).await.map_err(while_doing(&self.describe()))?;
        let stopped = matches!(state.active, Active::Inactive | Active::Failed);
        if !state.known || (stopped && state.enabled != Enabled::Enabled) {
            return Ok(Found::Satisfied);
        }
        Ok(Difference::change(back_to(&self.unit, &state)))
    }

    async fn apply(&self, node: &dyn Mutate, _outputs: &Outputs) -> Result<(), OpError> {
        let unit = || self.unit.clone();
        for change in [UnitChange::Stop { unit: unit() }, UnitChange::Disable { unit: unit() }] {
            node.change(&change.into()).await.map_err(while_doing(&self.describe()))?;
        }
        Ok(())
    }
}

/// A unit that runs was started with what it reads now. "Something before changed a file" would be forgotten in a crash;
/// the digest that it was started with is not.
pub(in crate::steps) struct RestartIfStale {
    unit: UnitName,
    reads: Digest,
}

impl RestartIfStale {
    /// This unit, which reads something of this digest.
    pub(in crate::steps) fn new(unit: UnitName, reads: Digest) -> Self {
        Self { unit, reads }
    }
}

#[async_trait]
impl Op for RestartIfStale {
    fn describe(&self) -> String {
        format!("have {} run with its configuration", self.unit)
    }

    async fn probe(&self, node: &dyn Inspect) -> Result<Found, OpError> {
        let state = node.unit(&self.unit).await.map_err(while_doing(&self.describe()))?;
        if state.active == Active::Active && state.started_with == Some(self.reads) && !state.needs_reload {
            return Ok(Found::Satisfied);
        }
        let undo = match state.active {
            Active::Active | Active::Changing => {
                UnitChange::Restart { unit: self.unit.clone(), with: state.started_with }
            }
            Active::Inactive | Active::Failed => UnitChange::Stop { unit: self.unit.clone() },
        };
        Ok(Difference::change(vec![Undo::Change(undo.into())]))
    }

    async fn apply(&self, node: &dyn Mutate, _outputs: &Outputs) -> Result<(), OpError> {
        let doing = self.describe();
        node.change(&UnitChange::ReloadFiles.into()).await.map_err(while_doing(&doing))?;
        let restart = UnitChange::Restart { unit: self.unit.clone(), with: Some(self.reads) };
        node.change(&restart.into()).await.map_err(while_doing(&doing))
    }
}

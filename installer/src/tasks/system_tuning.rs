//! SystemTuning: every machine becomes fit for what follows.

use std::sync::Arc;

use super::{Task, everywhere};
use crate::steps::os;

/// The task of node preparation.
pub fn system_tuning() -> Task {
    Task {
        name: "SystemTuning",
        on: everywhere,
        one_at_a_time: false,
        always: false,
        steps: vec![
            Arc::new(os::DisableSelinux),
            Arc::new(os::DisableSwap),
            Arc::new(os::DisableFirewall),
            Arc::new(os::UpdateHostName),
            Arc::new(os::UpdateEtcHosts),
            Arc::new(os::UpdateResolvConf),
            Arc::new(os::ConfigureChrony),
            Arc::new(os::LoadKernelModules),
            Arc::new(os::ConfigureSysctl),
        ],
    }
}

//! A node becomes fit for a container runtime: the steps of node preparation, one file each.

mod configure_chrony;
mod configure_sysctl;
mod disable_firewall;
mod disable_selinux;
mod disable_swap;
mod load_kernel_modules;
mod update_etc_hosts;
mod update_host_name;
mod update_resolv_conf;

pub use configure_chrony::ConfigureChrony;
pub use configure_sysctl::ConfigureSysctl;
pub use disable_firewall::DisableFirewall;
pub use disable_selinux::DisableSelinux;
pub use disable_swap::DisableSwap;
pub use load_kernel_modules::LoadKernelModules;
pub use update_etc_hosts::UpdateEtcHosts;
pub use update_host_name::UpdateHostName;
pub use update_resolv_conf::UpdateResolvConf;

use super::{Step, StepError};
use crate::templates::TemplateError;

impl From<TemplateError> for StepError {
    fn from(error: TemplateError) -> Self {
        Self(std::error::Error::source(&error).map_or(error.to_string(), |cause| format!("{error}: {cause}")))
    }
}

/// The steps of node preparation, in the order of the description.
pub fn all() -> Vec<Box<dyn Step>> {
    vec![
        Box::new(DisableSelinux),
        Box::new(DisableSwap),
        Box::new(DisableFirewall),
        Box::new(UpdateHostName),
        Box::new(UpdateEtcHosts),
        Box::new(UpdateResolvConf),
        Box::new(ConfigureChrony),
        Box::new(ConfigureSysctl),
        Box::new(LoadKernelModules),
    ]
}

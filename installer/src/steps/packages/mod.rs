//! OS packages from the bundle, on nodes that see no repository.
//!
//! The bundle becomes a repository in a folder that only root can read, signed by the site. The package manager is pointed at
//! that folder alone for one command, so the node's own repositories are set aside without being touched: a crash at any moment
//! leaves nothing to put back.

mod configure_local_repository;
mod install_system_packages;
mod local;
mod restore_repositories;

pub use configure_local_repository::ConfigureLocalRepository;
pub use install_system_packages::InstallSystemPackages;
pub use restore_repositories::RestoreRepositories;

use super::Step;

/// The steps around packages, in order.
pub fn all() -> Vec<Box<dyn Step>> {
    vec![Box::new(ConfigureLocalRepository), Box::new(InstallSystemPackages), Box::new(RestoreRepositories)]
}

//! One file per command.

pub(crate) mod create;
pub(crate) mod hosts;
pub(crate) mod list;
pub(crate) mod nodes;
pub(crate) mod report;
pub(crate) mod runs;
pub(crate) mod supplies;

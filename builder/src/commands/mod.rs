//! One file per command.

pub(crate) mod bom;
pub(crate) mod create;
pub(crate) mod list;
pub(crate) mod schema;

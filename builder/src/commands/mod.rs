//! One file per command.

pub(crate) mod bom;
pub(crate) mod build;
pub(crate) mod cache;
pub(crate) mod create;
pub(crate) mod diff;
pub(crate) mod inspect;
pub(crate) mod keygen;
pub(crate) mod list;
pub(crate) mod lock;
pub(crate) mod options;
pub(crate) mod schema;
pub(crate) mod sign;
pub(crate) mod ticket;

//! Names of container images: read as Docker and containerd read them, and moved into a site's own registry.
//!
//! ```text
//! nginx ── parse ──► docker.io/library/nginx:latest ── rewrite ──► registry.site:5000/docker.io/library/nginx:latest
//!                                                  ◄── original ──
//! ```
//!
//! A `Reference` always has a registry and a repository, and a tag, a digest or both; there is no other way to make one
//! than to parse it or to rewrite another. Rewriting changes registry and repository only, never tag or digest.

mod error;
mod grammar;
#[cfg(test)]
mod laws;
mod reference;
mod registry;
mod site;

pub use error::{Fault, ReferenceError};
pub use reference::Reference;
pub use registry::Registry;
pub use site::Site;

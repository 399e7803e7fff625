//! Nodes: the one in memory, this machine and a real sshd on loopback do the same; what comes over a line that breaks,
//! asks for passwords or shows the wrong key.

mod conformance;
mod facts;
mod host_keys;
mod login;
mod parity;
mod random;
mod relay;
mod server;

mod sshd;
mod sudo;
mod upload;

use kubexm_installer::node::NodePath;

/// A path that is one.
pub fn path(text: &str) -> NodePath {
    NodePath::new(text).unwrap_or_else(|error| panic!("{error}"))
}

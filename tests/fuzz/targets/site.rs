//! Any text as known_hosts, and as what a node says about itself.
#![no_main]

use std::path::Path;

use kubexm_installer::hostkeys::known_hosts;
use kubexm_installer::inventory::parse::{Asked, facts};
use kubexm_installer::node::NodePath;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|text: &str| {
    let _ = known_hosts::entries(text, Path::new("known_hosts"), "node1");
    let _ = facts(text, Asked { directories: &[], sent: 0.0, received: 1.0 });
    if let Ok(path) = NodePath::new(text) {
        assert!(path.as_str().starts_with('/') && !path.as_str().contains('\0'));
    }
});

//! The registry in front of a repository, and how it is written inside another registry's path.

use std::fmt;
use std::net::Ipv6Addr;
use std::str::FromStr;

use super::error::{Fault, ReferenceError, shortened};
use super::grammar;

/// What a name without a registry means, by the rules that all container programs share.
pub(super) const DEFAULT: &str = "docker.io";
/// An older name of the same registry.
const DEFAULT_BEFORE: &str = "index.docker.io";
/// A name without a dot that means a registry all the same.
const LOCALHOST: &str = "localhost";
/// Begins the path of an address of version 6; `ip6_` and eight groups cannot be a host with a port.
const ADDRESS: &str = "ip6_";

/// A registry: a host name with a dot, `localhost` or an address, then perhaps a port. Kept in lower case.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Registry {
    host: String,
    port: Option<u16>,
}

impl Registry {
    /// The registry of names that say none.
    pub(super) fn default_one() -> Self {
        Self { host: DEFAULT.to_owned(), port: None }
    }

    /// Whether it is the registry of names that say none.
    pub fn is_default(&self) -> bool {
        self.host == DEFAULT && self.port.is_none()
    }

    /// Whether the part in front of a name's first `/` means a registry rather than a part of the repository.
    pub(super) fn is_meant_by(text: &str) -> bool {
        text.contains(['.', ':']) || text == LOCALHOST
    }

    /// The host, an address of version 6 in brackets.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The port, where one was given.
    pub fn port(&self) -> Option<u16> {
        self.port
    }

    /// The registry as one part of a path, where `:` may not stand: `host:5000` is `host_5000` and `[fd00::1]:5000` is
    /// `ip6_fd00_0_0_0_0_0_0_1_5000`. No host name has a `_`, so each form means one registry.
    pub fn path(&self) -> String {
        let port = self.port.map_or_else(String::new, |port| format!("_{port}"));
        match address(&self.host) {
            Some(address) => {
                let groups = address.segments().map(|group| format!("{group:x}")).join("_");
                format!("{ADDRESS}{groups}{port}")
            }
            None => format!("{}{port}", self.host),
        }
    }

    /// The registry that `path` wrote so; nothing else.
    pub fn from_path(path: &str) -> Option<Self> {
        let text = match path.strip_prefix(ADDRESS).map(|rest| rest.splitn(9, '_').collect::<Vec<_>>()) {
            Some(groups) if groups.len() >= 8 => {
                let port = groups.get(8).map_or_else(String::new, |port| format!(":{port}"));
                format!("[{}]{port}", groups[..8].join(":"))
            }
            _ => path.replacen('_', ":", 1),
        };
        text.parse().ok().filter(|registry: &Self| registry.path() == path)
    }
}

/// The address in brackets.
fn address(host: &str) -> Option<Ipv6Addr> {
    host.strip_prefix('[')?.strip_suffix(']')?.parse().ok()
}

impl FromStr for Registry {
    type Err = ReferenceError;

    fn from_str(text: &str) -> Result<Self, ReferenceError> {
        let refuse = || ReferenceError::new(text, Fault::Registry(shortened(text)));
        if !Self::is_meant_by(text) {
            return Err(refuse());
        }
        let behind_brackets = text.find(']').map_or(0, |at| at + 1);
        let (host, port) = match text[behind_brackets..].split_once(':') {
            Some((rest, port)) => (&text[..behind_brackets + rest.len()], Some(read_port(port).ok_or_else(refuse)?)),
            None => (text, None),
        };
        let host = host.to_ascii_lowercase();
        let host = match address(&host) {
            Some(address) => format!("[{address}]"),
            None if host == DEFAULT_BEFORE && port.is_none() => DEFAULT.to_owned(),
            None if grammar::host(&host) => host,
            None => return Err(refuse()),
        };
        Ok(Self { host, port })
    }
}

/// A port in its only spelling: 1 to 65535 without leading zeros or a sign.
fn read_port(text: &str) -> Option<u16> {
    let port: u16 = text.parse().ok()?;
    (port != 0 && port.to_string() == text).then_some(port)
}

impl fmt::Display for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.host)?;
        self.port.map_or(Ok(()), |port| write!(f, ":{port}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_registry_is_one_part_of_a_path_and_comes_back() {
        for (registry, path) in [
            ("registry.k8s.io", "registry.k8s.io"),
            ("localhost", "localhost"),
            ("localhost:5000", "localhost_5000"),
            ("mirror:443", "mirror_443"),
            ("10.0.0.1:80", "10.0.0.1_80"),
            ("[fd00::1]", "ip6_fd00_0_0_0_0_0_0_1"),
            ("[fd00::1]:5000", "ip6_fd00_0_0_0_0_0_0_1_5000"),
        ] {
            let read: Registry = registry.parse().unwrap();
            assert_eq!(read.to_string(), registry);
            assert_eq!(read.path(), path);
            assert_eq!(Registry::from_path(path), Some(read), "{path}");
        }
    }

    #[test]
    fn what_was_not_written_so_is_no_registry() {
        for part in ["library", "a_b", "a_05000", "a_0", "a_1_2", "ip6_1_2", "a.b_", "Host.x", "ip6_0000_0_0_0_0_0_0_1"]
        {
            assert_eq!(Registry::from_path(part), None, "{part}");
        }
    }

    #[test]
    fn names_are_lower_case_and_have_one_spelling() {
        let read = |text: &str| text.parse::<Registry>().map(|registry| registry.to_string());
        assert_eq!(read("Registry.K8s.IO:5000").unwrap(), "registry.k8s.io:5000");
        assert_eq!(read("[FD00:0::1]:1").unwrap(), "[fd00::1]:1");
        assert_eq!(read("index.docker.io").unwrap(), "docker.io");
        for bad in
            ["", "host", "a:", "a:0", "a:+1", "a:65536", "a:1:2", "a_b.c", "[::1", "[::1]x:1", "::1", "a.b/c", ".a"]
        {
            assert!(read(bad).is_err(), "{bad}");
        }
    }
}

//! From what a node says to facts. A line that makes no sense is an error: a fact that was guessed is worse than none.

mod network;
mod software;
mod system;

use std::collections::BTreeMap;

use super::facts::NodeFacts;
use crate::node::NodePath;

/// Why an answer cannot be understood.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Misunderstood {
    /// The answer does not begin or end as it should: it was cut off, or something else answered.
    #[error("the answer is not complete: its {part} is missing")]
    Incomplete {
        /// Which part.
        part: &'static str,
    },
    /// A key that nobody asked for.
    #[error("line {line} has the unknown key `{key}`")]
    Key {
        /// The line's number.
        line: usize,
        /// The key.
        key: String,
    },
    /// A value that its key cannot have.
    #[error("`{key}` cannot be `{value}`")]
    Value {
        /// The key.
        key: &'static str,
        /// The value.
        value: String,
    },
    /// A value that must be there.
    #[error("`{key}` is missing")]
    Missing {
        /// The key.
        key: &'static str,
    },
}

/// The keys that the script writes.
const KEYS: &[&str] = &[
    "kubexm-facts",
    "begin",
    "end",
    "os",
    "kernel",
    "machine",
    "hostname",
    "machine-id",
    "product-uuid",
    "boot-id",
    "uptime",
    "init",
    "virtualisation",
    "uid",
    "cpus",
    "memory",
    "swap",
    "mount",
    "cgroup-controllers",
    "disk",
    "space",
    "link",
    "address",
    "route4",
    "route6",
    "resolver",
    "socket-tcp",
    "socket-tcp6",
    "socket-udp",
    "socket-udp6",
    "holder",
    "process",
    "zone",
    "synchronised",
    "unit",
    "package-manager",
    "package",
    "selinux",
    "apparmor",
    "nft-rules",
    "iptables-rules",
    "ufw",
    "module",
    "sysctl",
    "tool",
    "found",
    "proxy-environment",
    "proxy-file",
];

/// All values by key, in the order in which they came.
pub(super) struct Said<'a>(BTreeMap<&'a str, Vec<&'a str>>);

/// What was asked, and when by our clock.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'a> {
    /// The directories whose space was asked for.
    pub directories: &'a [NodePath],
    /// When the question left.
    pub sent: f64,
    /// When the answer was there.
    pub received: f64,
}

/// The facts in an answer.
pub fn facts(text: &str, asked: Asked<'_>) -> Result<NodeFacts, Misunderstood> {
    let said = Said::read(text)?;
    Ok(NodeFacts {
        system: system::system(&said)?,
        resources: system::resources(&said)?,
        storage: system::storage(&said, asked.directories)?,
        network: network::network(&said)?,
        clock: system::clock(&said, asked.sent, asked.received)?,
        security: software::security(&said)?,
        software: software::software(&said)?,
    })
}

impl<'a> Said<'a> {
    fn read(text: &'a str) -> Result<Self, Misunderstood> {
        let lines: Vec<&str> = text.lines().collect();
        if lines.first() != Some(&"kubexm-facts\t1") {
            return Err(Misunderstood::Incomplete { part: "beginning" });
        }
        if !lines.last().is_some_and(|line| line.starts_with("end\t")) {
            return Err(Misunderstood::Incomplete { part: "end" });
        }
        let mut values: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for (index, line) in lines.iter().enumerate() {
            let (key, value) = line.split_once('\t').unwrap_or((line, ""));
            if !KEYS.contains(&key) {
                return Err(Misunderstood::Key { line: index + 1, key: key.chars().take(60).collect() });
            }
            values.entry(key).or_default().push(value);
        }
        Ok(Self(values))
    }

    /// All values of a key.
    fn all(&self, key: &str) -> impl Iterator<Item = &'a str> {
        self.0.get(key).into_iter().flatten().copied()
    }

    /// The value of a key, if it says anything.
    fn maybe(&self, key: &str) -> Option<&'a str> {
        self.all(key).next().map(str::trim).filter(|value| !value.is_empty())
    }

    fn one(&self, key: &'static str) -> Result<&'a str, Misunderstood> {
        self.maybe(key).ok_or(Misunderstood::Missing { key })
    }

    fn owned(&self, key: &str) -> Option<String> {
        self.maybe(key).map(str::to_owned)
    }

    /// A number, if there is a value.
    fn number<T: std::str::FromStr>(&self, key: &'static str) -> Result<Option<T>, Misunderstood> {
        self.maybe(key).map(|value| value.parse().map_err(|_| bad(key, value))).transpose()
    }

    /// Each value of a key, understood.
    fn each<T>(&self, key: &'static str, parse: impl Fn(&'a str) -> Option<T>) -> Result<Vec<T>, Misunderstood> {
        self.all(key).map(|value| parse(value).ok_or_else(|| bad(key, value))).collect()
    }
}

fn bad(key: &'static str, value: &str) -> Misunderstood {
    Misunderstood::Value { key, value: value.chars().take(200).collect() }
}

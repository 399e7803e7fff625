//! A problem found in an input: what, where, why, and what to do about it.
//!
//! Every finding has a code; `docs/findings.md` has a section for each one and `explain CODE` prints it offline.

use serde::{Serialize, Serializer};

use crate::yaml::Place;

/// How much a finding matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The input cannot be used.
    Error,
    /// The input can be used, and probably should be changed.
    Warning,
}

/// One problem, with its place if it has one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Stable number, `KX` and four digits.
    pub code: Code,
    /// Whether the input can still be used.
    pub severity: Severity,
    /// One sentence: what is wrong.
    pub message: String,
    /// Where; findings about a whole input have none.
    pub place: Option<Place>,
    /// A few words printed under the marked place.
    pub label: String,
    /// What to do about it.
    pub help: Option<String>,
}

impl Finding {
    /// A finding of the code's own severity.
    pub fn new(code: Code, place: Option<Place>, message: impl Into<String>) -> Self {
        let severity = if WARNINGS.contains(&code) { Severity::Warning } else { Severity::Error };
        Self { code, severity, message: message.into(), place, label: String::new(), help: None }
    }

    /// Adds the words that stand under the marked place.
    #[must_use]
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    /// Adds the way out.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// Whether any of them forbids using the input.
pub fn any_error(findings: &[Finding]) -> bool {
    findings.iter().any(|f| f.severity == Severity::Error)
}

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $number:literal),+ $(,)?) => {
        /// The kinds of findings.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Code { $($(#[$doc])* $name = $number),+ }
        impl Code {
            /// Every code, in the order of the numbers.
            pub const ALL: &[Code] = &[$(Code::$name),+];
        }
    };
}

codes! {
    /// The input cannot be read: missing, a directory, empty, too large, not UTF-8.
    Unreadable = 1001,
    /// Not YAML.
    Syntax = 1002,
    /// A field that cluster.yaml does not have.
    UnknownField = 1003,
    /// A list where a text is meant, and the like.
    WrongType = 1004,
    /// A value outside the field's list of values.
    UnknownValue = 1005,
    /// A field that must be there.
    MissingField = 1006,
    /// The same field twice.
    DuplicateField = 1007,
    /// Text that does not have the form the field asks for.
    BadFormat = 1008,
    /// A number or list outside its limits.
    OutOfRange = 1009,
    /// Nesting, aliases or sizes beyond what a cluster.yaml can need.
    TooMuch = 1010,
    /// An override on the command line that names no field.
    BadOverride = 1011,

    /// Two hosts with one name.
    DuplicateName = 1101,
    /// Two hosts with one address.
    DuplicateAddress = 1102,
    /// A name that is taken by the system or the cluster.
    ReservedName = 1103,
    /// An address that cannot be a host's.
    UnusableAddress = 1104,
    /// A value repeated in a list of distinct ones.
    DuplicateEntry = 1105,

    /// No master.
    NoMaster = 1201,
    /// No etcd member.
    NoEtcd = 1202,
    /// An even number of etcd members.
    EvenEtcd = 1203,
    /// A registry is asked for and no host carries it.
    NoRegistryHost = 1204,
    /// More registry hosts than this kind of registry can use.
    ManyRegistryHosts = 1205,
    /// keepalived is asked for and no host carries it.
    NoLoadBalancerHost = 1206,
    /// A role that this configuration does not use.
    UnusedRole = 1207,
    /// No node may run ordinary pods.
    NoWorker = 1208,

    /// A virtual address is needed.
    VipMissing = 1301,
    /// The virtual address is in none of its hosts' networks.
    VipOutside = 1302,
    /// The virtual address belongs to a host.
    VipTaken = 1303,
    /// Several masters behind nothing.
    NoLoadBalancer = 1304,
    /// Settings of a choice that was not made.
    UnusedSettings = 1305,

    /// Two networks share addresses.
    NetworksOverlap = 1401,
    /// The pod network has too few blocks for the nodes.
    PodNetworkTooSmall = 1402,
    /// The service network has a size that Kubernetes refuses.
    ServiceNetworkSize = 1403,
    /// IPv4 and IPv6 do not fit together.
    AddressFamilies = 1404,
    /// A node's block and the pod network do not fit together.
    NodeMask = 1405,

    /// A version that the catalogue does not have.
    UnknownVersion = 1501,
    /// Two versions that do not go together.
    VersionMismatch = 1502,
    /// Something is not to be had for an architecture.
    NotForArchitecture = 1503,
    /// Something is not to be had for an operating system.
    NotForSystem = 1504,
    /// An operating system that the catalogue does not have.
    UnknownSystem = 1505,
    /// No operating system is named, so no packages can be put into a bundle.
    NoSystem = 1506,
    /// A zone of mirrors that the catalogue does not have.
    UnknownZone = 1507,

    /// Choices that exclude each other.
    Incompatible = 1601,
    /// A choice that needs more settings.
    Incomplete = 1602,
    /// An add-on that nobody knows and that says not where it comes from.
    UnknownAddon = 1603,
    /// A time source that is no host and no address.
    TimeSource = 1604,

    /// A secret stands in the file.
    SecretInFile = 1701,
    /// Two ways to log in exclude each other.
    TwoSecrets = 1702,
}

/// The codes that do not forbid using the input.
const WARNINGS: &[Code] =
    &[Code::UnusedRole, Code::NoWorker, Code::NoLoadBalancer, Code::UnusedSettings, Code::NoSystem, Code::SecretInFile];

impl Code {
    /// The code that a person typed, in any case.
    pub fn parse(text: &str) -> Option<Self> {
        let wanted = text.trim().to_ascii_uppercase();
        Self::ALL.iter().copied().find(|code| code.to_string() == wanted)
    }

    /// Its section of `docs/findings.md`.
    pub fn explanation(self) -> &'static str {
        let text = include_str!("../../docs/findings.md");
        let heading = format!("## {self} ");
        let Some(start) = text.find(&heading) else { return "" };
        let section = &text[start..];
        let end = section[3..].find("\n## ").map_or(section.len(), |at| at + 4);
        section[..end].trim_start_matches("## ").trim_end()
    }
}

impl std::fmt::Display for Code {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "KX{:04}", *self as u16)
    }
}

impl Serialize for Code {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_is_explained_and_nothing_else_is() {
        for code in Code::ALL {
            assert!(code.explanation().lines().count() >= 3, "{code} needs a section in docs/findings.md");
        }
        let sections = include_str!("../../docs/findings.md").lines().filter(|line| line.starts_with("## KX")).count();
        assert_eq!(sections, Code::ALL.len(), "docs/findings.md has sections of codes that do not exist");
    }

    #[test]
    fn a_code_is_found_in_any_case_and_others_are_not() {
        assert_eq!(Code::parse(" kx1003 "), Some(Code::UnknownField));
        assert_eq!(Code::parse("KX9999"), None);
    }
}

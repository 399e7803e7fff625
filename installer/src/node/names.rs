//! Names that reach a node. Each kind is a type of its own, and what could be taken for an option, a path or more than
//! one word is refused where it comes in.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The text cannot be such a name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not the name of {kind}")]
pub struct NotAName {
    /// What it should have been.
    pub kind: &'static str,
    /// The text.
    pub text: String,
}

/// Declares a kind of name: its type, what it is called, which texts it takes.
macro_rules! name {
    ($(#[$doc:meta])* $type:ident, $kind:literal, $accepts:expr) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[serde(try_from = "String", into = "String")]
        pub struct $type(String);

        impl $type {
            /// Checks a text.
            pub fn new(text: impl Into<String>) -> Result<Self, NotAName> {
                let text = text.into();
                let accepts: fn(&str) -> bool = $accepts;
                if accepts(&text) { Ok(Self(text)) } else { Err(NotAName { kind: $kind, text }) }
            }

            /// The text.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
        impl FromStr for $type {
            type Err = NotAName;
            fn from_str(text: &str) -> Result<Self, NotAName> {
                Self::new(text)
            }
        }
        impl TryFrom<String> for $type {
            type Error = NotAName;
            fn try_from(text: String) -> Result<Self, NotAName> {
                Self::new(text)
            }
        }
        impl From<$type> for String {
            fn from(name: $type) -> Self {
                name.0
            }
        }
    };
}

name!(
    /// A systemd unit with its suffix: `containerd.service`.
    UnitName, "a systemd unit", |text| plain(text, 255, ":-_.\\@") && KINDS_OF_UNIT.iter().any(|kind| {
        text.strip_suffix(kind).is_some_and(|stem| !stem.is_empty())
    })
);
name!(
    /// A kernel parameter with dots: `net.ipv4.ip_forward`; a slash stands for a dot inside a part, as sysctl has it.
    SysctlKey, "a kernel parameter", |text| {
        plain(text, 255, ".-_/:@") && text.split(['.', '/']).all(|part| !part.is_empty())
    }
);
name!(
    /// A kernel module: `br_netfilter`.
    ModuleName, "a kernel module", |text| plain(text, 64, "-_")
);
name!(
    /// An operating system package: `containerd.io`.
    PackageName, "a package", |text| plain(text, 255, ".+-_:~")
);
name!(
    /// A user or a group, by name or by number.
    AccountName, "a user or group", |text| plain(text, 32, "-_.$")
);

const KINDS_OF_UNIT: [&str; 8] = [".service", ".socket", ".timer", ".mount", ".swap", ".target", ".slice", ".path"];

/// Letters, digits and some marks, beginning with a letter, a digit or an underscore.
fn plain(text: &str, longest: usize, marks: &str) -> bool {
    let first = text.bytes().next().is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    first
        && text.len() <= longest
        && text.chars().all(|letter| letter.is_ascii_alphanumeric() || marks.contains(letter))
}

impl SysctlKey {
    /// The file of this parameter below `/proc/sys`.
    pub fn relative_path(&self) -> String {
        self.0
            .chars()
            .map(|letter| {
                if letter == '.' {
                    '/'
                } else if letter == '/' {
                    '.'
                } else {
                    letter
                }
            })
            .collect()
    }
}

impl AccountName {
    /// The one who may do everything.
    pub fn root() -> Self {
        Self("root".to_owned())
    }
}

impl ModuleName {
    /// The name as the kernel lists it: with underscores.
    pub fn in_kernel(&self) -> String {
        self.0.replace('-', "_")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_single_plain_words() {
        let hostile = ["", "-a", "a b", "a\nb", "a;b", "a/../b.service", "$(id).service", "a\0.service", "ä.service"];
        for text in hostile {
            assert!(UnitName::new(text).is_err(), "{text:?}");
            assert!(ModuleName::new(text).is_err(), "{text:?}");
            assert!(PackageName::new(text).is_err(), "{text:?}");
            assert!(AccountName::new(text).is_err(), "{text:?}");
        }
        for text in ["", "net..ipv4", ".net", "net/../../../etc/passwd", "-w", "net.ipv4=1"] {
            assert!(SysctlKey::new(text).is_err(), "{text:?}");
        }
        assert!(UnitName::new(".service").is_err() && UnitName::new("kubelet").is_err());
        for unit in ["kubelet.service", "getty@tty1.service", "dev-disk-by\\x2duuid-1.swap"] {
            assert_eq!(UnitName::new(unit).unwrap().as_str(), unit);
        }
        assert!(PackageName::new("libstdc++6:amd64").is_ok() && AccountName::new("1000").is_ok());
    }

    #[test]
    fn a_parameter_has_a_file() {
        let key = |text| SysctlKey::new(text).unwrap().relative_path();
        assert_eq!(key("net.ipv4.ip_forward"), "net/ipv4/ip_forward");
        assert_eq!(key("net.ipv4.conf.eth0/100.forwarding"), "net/ipv4/conf/eth0.100/forwarding");
    }
}

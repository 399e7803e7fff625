//! The forms that texts in cluster.yaml must have. Each has a name (the schema's `format`), a pattern that editors
//! check, and a function with the exact rule; the pattern never refuses what the function accepts.

mod address;

use std::net::IpAddr;
use std::str::FromStr;

pub use address::{Addresses, Networks, Vip};

use crate::version::Version;

/// Letters, digits and dashes, 63 at most.
pub const DNS_LABEL: &str = "^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$";
/// Labels joined by dots.
pub const DNS_NAME: &str = "^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?([.][a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$";
/// A name or an address.
pub const HOST: &str = "^[A-Za-z0-9][A-Za-z0-9.:-]*$|^::[0-9A-Fa-f:.]*$";
/// IPv4 or IPv6.
pub const ADDRESS: &str = "^[0-9A-Fa-f:.]+$";
/// One address, or one of each family.
pub const ADDRESSES: &str = "^[0-9A-Fa-f:.]+( *, *[0-9A-Fa-f:.]+)?$";
/// One network, or one of each family.
pub const NETWORKS: &str = "^[0-9A-Fa-f:.]+/[0-9]+( *, *[0-9A-Fa-f:.]+/[0-9]+)?$";
/// An address with or without the prefix length of its network.
pub const VIP: &str = "^[0-9A-Fa-f:.]+(/[0-9]+)?$";
/// A login.
pub const USER_NAME: &str = "^[A-Za-z_][A-Za-z0-9_.@-]{0,63}$";
/// An environment variable.
pub const VARIABLE: &str = "^[A-Za-z_][A-Za-z0-9_]*$";
/// A fingerprint of an SSH host key.
pub const HOST_KEY: &str = "^SHA256:[A-Za-z0-9+/]{43}=?$";
/// A taint as kubectl writes it.
pub const TAINT: &str = "^[A-Za-z0-9._/-]+(=[A-Za-z0-9._-]*)?:(NoSchedule|PreferNoSchedule|NoExecute)$";
/// An etcd endpoint.
pub const ENDPOINT: &str = "^https?://[^/ ]+:[0-9]+/?$";
/// The path of a repository in a registry.
pub const REPOSITORY: &str = "^[a-z0-9]+([._-]+[a-z0-9]+)*(/[a-z0-9]+([._-]+[a-z0-9]+)*)*$";
/// An absolute directory that is not the root.
pub const DIRECTORY: &str = "^/[A-Za-z0-9._/-]*[A-Za-z0-9._-]/?$";
/// A name of the time zone database, or nothing.
pub const TIME_ZONE: &str = "^([A-Za-z0-9_+-]+(/[A-Za-z0-9_+-]+)*)?$";
/// A package name, with `=version` if wanted.
pub const PACKAGE: &str = "^[A-Za-z0-9][A-Za-z0-9+._:~=-]*$";

/// The path of a file of keys, or armored keys, which have lines.
pub const KEYS: &str = "^[^\\x00-\\x1f]+$|-----BEGIN PGP PUBLIC KEY BLOCK-----";

/// The schema of a list's items that have a form.
pub(super) fn each(format: &str, pattern: &str) -> serde_json::Value {
    serde_json::json!({"type": "string", "format": format, "pattern": pattern})
}

/// A form: its name in the schema, what a text of it looks like, and whether a text is one.
pub struct Format {
    /// The schema's `format`.
    pub name: &'static str,
    /// What is expected, for the message.
    pub expected: &'static str,
    /// The rule.
    pub accepts: fn(&str) -> bool,
}

/// All forms.
pub const FORMATS: &[Format] = &[
    Format {
        name: "keys",
        expected: "the path of a file of OpenPGP keys, or armored keys",
        accepts: |t| t.contains("-----BEGIN PGP PUBLIC KEY BLOCK-----") || !t.chars().any(char::is_control),
    },
    Format { name: "ip", expected: "an IP address such as 10.0.0.11", accepts: |t| t.parse::<IpAddr>().is_ok() },
    Format {
        name: "addresses",
        expected: "an IP address, or an IPv4 and an IPv6 address",
        accepts: |t| Addresses::from_str(t).is_ok(),
    },
    Format {
        name: "networks",
        expected: "a network such as 10.244.0.0/16, or one of IPv4 and one of IPv6",
        accepts: |t| Networks::from_str(t).is_ok(),
    },
    Format {
        name: "vip",
        expected: "an IP address such as 10.0.0.100 or 10.0.0.100/24",
        accepts: |t| Vip::from_str(t).is_ok(),
    },
    Format { name: "version", expected: "a version such as 1.34.4", accepts: |t| t.parse::<Version>().is_ok() },
    Format {
        name: "dns-label",
        expected: "a DNS label: a-z, 0-9 and -, at most 63, not beginning or ending with -",
        accepts: is_dns_label,
    },
    Format { name: "dns-name", expected: "a DNS name such as registry.example.com", accepts: is_dns_name },
    Format {
        name: "host",
        expected: "an IP address or a DNS name",
        accepts: |t| t.parse::<IpAddr>().is_ok() || is_dns_name(t),
    },
    Format { name: "user-name", expected: "a login name such as root", accepts: is_user_name },
    Format {
        name: "variable",
        expected: "the name of an environment variable such as SSH_PASSWORD",
        accepts: is_variable,
    },
    Format {
        name: "host-key",
        expected: "a fingerprint such as `ssh-keygen -l` prints: SHA256: and 43 characters",
        accepts: is_host_key,
    },
    Format { name: "taint", expected: "a taint such as dedicated=gpu:NoSchedule", accepts: is_taint },
    Format { name: "endpoint", expected: "an address such as https://10.0.0.21:2379", accepts: is_endpoint },
    Format { name: "repository", expected: "a path such as company/infra", accepts: is_repository },
    Format { name: "directory", expected: "an absolute directory such as /var/lib/registry", accepts: is_directory },
    Format { name: "time-zone", expected: "a time zone such as Europe/Berlin", accepts: is_time_zone },
    Format { name: "package", expected: "a package name such as nfs-common", accepts: is_package },
    Format { name: "secret", expected: "a text", accepts: |t| !t.is_empty() },
];

/// The form of that name.
pub fn find(name: &str) -> Option<&'static Format> {
    FORMATS.iter().find(|format| format.name == name)
}

fn of(text: &str, more: &[u8]) -> bool {
    text.bytes().all(|b| b.is_ascii_alphanumeric() || more.contains(&b))
}

fn is_dns_label(text: &str) -> bool {
    (1..=63).contains(&text.len())
        && text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
        && !text.starts_with('-')
        && !text.ends_with('-')
}

fn is_dns_name(text: &str) -> bool {
    text.len() <= 253 && text.split('.').all(is_dns_label)
}

fn is_user_name(text: &str) -> bool {
    let first = text.bytes().next();
    first.is_some_and(|b| b.is_ascii_alphabetic() || b == b'_') && text.len() <= 64 && of(text, b"_.@-")
}

fn is_variable(text: &str) -> bool {
    !text.is_empty() && !text.starts_with(|c: char| c.is_ascii_digit()) && of(text, b"_")
}

fn is_host_key(text: &str) -> bool {
    text.strip_prefix("SHA256:").is_some_and(|hash| {
        let hash = hash.strip_suffix('=').unwrap_or(hash);
        hash.len() == 43 && of(hash, b"+/")
    })
}

fn is_taint(text: &str) -> bool {
    let Some((pair, effect)) = text.rsplit_once(':') else { return false };
    let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
    matches!(effect, "NoSchedule" | "PreferNoSchedule" | "NoExecute")
        && key.bytes().next().is_some_and(|b| b.is_ascii_alphanumeric())
        && key.bytes().last().is_some_and(|b| b.is_ascii_alphanumeric())
        && of(key, b"._/-")
        && of(value, b"._-")
}

fn is_endpoint(text: &str) -> bool {
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    let Some((host, port)) = rest.and_then(|rest| rest.trim_end_matches('/').rsplit_once(':')) else { return false };
    let bare = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    (bare.parse::<IpAddr>().is_ok() || is_dns_name(bare)) && port.parse::<u16>().is_ok_and(|port| port > 0)
}

fn is_repository(text: &str) -> bool {
    text.split('/').all(|part| {
        part.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b"._-".contains(&b))
            && part.bytes().next().is_some_and(|b| b.is_ascii_alphanumeric())
            && part.bytes().last().is_some_and(|b| b.is_ascii_alphanumeric())
    })
}

fn is_directory(text: &str) -> bool {
    text.len() > 1
        && text.starts_with('/')
        && !text.ends_with("//")
        && of(text, b"._/-")
        && text.split('/').all(|part| part != "..")
}

fn is_time_zone(text: &str) -> bool {
    text.is_empty() || text.split('/').all(|part| !part.is_empty() && of(part, b"_+-"))
}

fn is_package(text: &str) -> bool {
    text.bytes().next().is_some_and(|b| b.is_ascii_alphanumeric()) && of(text, b"+._:~=-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_form_accepts_and_refuses() {
        for (name, good, bad) in [
            ("ip", "fd00::1", "10.0.0.256"),
            ("dns-label", "cp-1", "CP_1"),
            ("dns-name", "a.b-c.d", "a..b"),
            ("host", "10.0.0.1", "a_b"),
            ("user-name", "admin", "rm -rf"),
            ("variable", "SSH_PASSWORD", "1X"),
            ("host-key", "SHA256:abcdefghijabcdefghijabcdefghijabcdefghijabc", "MD5:00:11"),
            ("taint", "a/b=c:NoExecute", "a=b:Never"),
            ("endpoint", "https://[fd00::1]:2379", "https://10.0.0.1"),
            ("repository", "company/infra", "Company//x"),
            ("directory", "/var/lib/registry", "/var/../etc"),
            ("time-zone", "Asia/Shanghai", "Asia//"),
            ("package", "libnginx-mod-stream=1.2~3", "a; rm"),
            ("version", "v1.34", "latest"),
            ("secret", "x", ""),
        ] {
            let format = find(name).unwrap();
            assert!((format.accepts)(good), "{name} refuses {good}");
            assert!(!(format.accepts)(bad), "{name} accepts {bad}");
        }
    }
}

//! Lines of known_hosts files, with OpenSSH's rules: hashed names, ports, wildcards, negation, markers. What is no such
//! line is passed over, as OpenSSH does.

use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use russh::keys::ssh_key::PublicKey;
use sha1::Sha1;

/// A line that concerns a machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// What the line means.
    pub marker: Marker,
    /// The key.
    pub key: PublicKey,
    /// The file.
    pub file: PathBuf,
    /// The line's number, from 1.
    pub line: usize,
}

/// What a line means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Marker {
    /// The machine has this key.
    Known,
    /// Nobody has this key any more.
    Revoked,
    /// Certificates of this key would count; of plain keys it says nothing.
    Authority,
}

/// Longer patterns are passed over, as OpenSSH does.
const LONGEST_PATTERN: usize = 1023;

/// The name under which OpenSSH looks for a machine: with brackets when the port is not the usual one.
pub fn lookup_name(host: &str, port: u16) -> String {
    let host = host.to_lowercase();
    if port == 22 { host } else { format!("[{host}]:{port}") }
}

/// The lines of a file that concern a name.
pub fn entries(text: &str, file: &Path, name: &str) -> Vec<Entry> {
    let lines = text.lines().enumerate();
    let found = lines.filter_map(|(index, line)| {
        let (marker, key) = parse(line, name)?;
        Some(Entry { marker, key, file: file.to_owned(), line: index + 1 })
    });
    found.collect()
}

/// Marker and key of a line that concerns the name.
fn parse(line: &str, name: &str) -> Option<(Marker, PublicKey)> {
    let line = line.trim_start_matches(BLANKS);
    if line.is_empty() || line.starts_with('#') {
        return None;
    }
    let (marker, line) = match line.strip_prefix('@') {
        None => (Marker::Known, line),
        Some(rest) => {
            let (word, rest) = rest.split_once(BLANKS)?;
            let marker = match word {
                "revoked" => Marker::Revoked,
                "cert-authority" => Marker::Authority,
                _ => return None,
            };
            (marker, rest.trim_start_matches(BLANKS))
        }
    };
    let (names, rest) = line.split_once(BLANKS)?;
    if !concerns(names, name) {
        return None;
    }
    let (kind, rest) = rest.trim_start_matches(BLANKS).split_once(BLANKS)?;
    let blob = rest.trim_start_matches(BLANKS).split(BLANKS).next()?;
    let key = PublicKey::from_bytes(&STANDARD.decode(blob).ok()?).ok()?;
    (key.algorithm().as_str() == kind).then_some((marker, key))
}

const BLANKS: [char; 2] = [' ', '\t'];

/// Whether the first field of a line means the name.
fn concerns(names: &str, name: &str) -> bool {
    if names.starts_with('|') {
        return is_hash_of(names, name);
    }
    let mut found = false;
    for pattern in names.split(',') {
        let (negated, pattern) = pattern.strip_prefix('!').map_or((false, pattern), |rest| (true, rest));
        if pattern.len() > LONGEST_PATTERN {
            return false;
        }
        if matches(&pattern.to_lowercase(), name) {
            if negated {
                return false;
            }
            found = true;
        }
    }
    found
}

/// `|1|salt|hash`, both in base64: the HMAC-SHA1 of the name with the salt as key.
fn is_hash_of(hashed: &str, name: &str) -> bool {
    let parts: Vec<&str> = hashed.split('|').collect();
    let ["", "1", salt, hash] = parts.as_slice() else { return false };
    let (Ok(salt), Ok(hash)) = (STANDARD.decode(salt), STANDARD.decode(hash)) else { return false };
    let Ok(mut mac) = Hmac::<Sha1>::new_from_slice(&salt) else { return false };
    mac.update(name.as_bytes());
    salt.len() == SHA1_SIZE && mac.verify_slice(&hash).is_ok()
}

const SHA1_SIZE: usize = 20;

/// Whether a pattern with `*` and `?` means the text; never slower than the product of their lengths.
fn matches(pattern: &str, text: &str) -> bool {
    let (pattern, text) = (pattern.as_bytes(), text.as_bytes());
    let (mut at, mut from) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while from < text.len() {
        match pattern.get(at) {
            Some(b'*') => {
                star = Some((at, from));
                at += 1;
            }
            Some(&byte) if byte == b'?' || byte == text[from] => {
                at += 1;
                from += 1;
            }
            _ => match star {
                Some((place, reached)) => {
                    star = Some((place, reached + 1));
                    (at, from) = (place + 1, reached + 1);
                }
                None => return false,
            },
        }
    }
    pattern[at..].iter().all(|&byte| byte == b'*')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const KEY: &str = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJdD7y3aLq454yWBdwLWbieU1ebz9/cu7/QEXn9OIeZJ";

    fn found(line: &str, name: &str) -> Option<Marker> {
        entries(line, Path::new("f"), name).first().map(|entry| entry.marker)
    }

    #[test]
    fn names_and_patterns() {
        for (names, name, expected) in [
            ("10.0.0.1", "10.0.0.1", true),
            ("10.0.0.1", "10.0.0.10", false),
            ("a,10.0.0.1,b", "10.0.0.1", true),
            ("10.0.0.*", "10.0.0.1", true),
            ("10.0.0.?", "10.0.0.12", false),
            ("*,!10.0.0.1", "10.0.0.1", false),
            ("!10.0.0.1,*", "10.0.0.1", false),
            ("!10.0.0.2,*", "10.0.0.1", true),
            ("!10.0.0.2", "10.0.0.1", false),
            ("[10.0.0.1]:2222", "[10.0.0.1]:2222", true),
            ("[10.0.0.1]:*", "[10.0.0.1]:2222", true),
            ("NODE", "node", true),
            ("*", "anything", true),
        ] {
            assert_eq!(found(&format!("{names} {KEY} comment"), name).is_some(), expected, "{names} {name}");
        }
        assert_eq!(lookup_name("Node", 22), "node");
        assert_eq!(lookup_name("fd00::1", 2222), "[fd00::1]:2222");
    }

    #[test]
    fn hashed_names() {
        // Written by ssh-keygen -H for 127.0.0.1.
        let mut mac = Hmac::<Sha1>::new_from_slice(&[7; 20]).unwrap();
        mac.update(b"127.0.0.1");
        let hash = STANDARD.encode(mac.finalize().into_bytes());
        let line = format!("|1|{}|{hash} {KEY}", STANDARD.encode([7; 20]));
        assert!(found(&line, "127.0.0.1").is_some());
        assert!(found(&line, "127.0.0.2").is_none());
        for broken in ["|1|", "|1|a|b", "|2|AAAA|AAAA", "|1|AAAA|AAAA|AAAA"] {
            assert!(found(&format!("{broken} {KEY}"), "127.0.0.1").is_none(), "{broken}");
        }
    }

    #[test]
    fn markers_and_garbage() {
        assert_eq!(found(&format!("  \t@revoked  * {KEY}"), "a"), Some(Marker::Revoked));
        assert_eq!(found(&format!("@cert-authority * {KEY}"), "a"), Some(Marker::Authority));
        let (kind, blob) = KEY.split_once(' ').unwrap();
        for line in [
            "",
            "#",
            "a",
            "a b",
            &format!("# a {KEY}"),
            &format!("@unknown a {KEY}"),
            &format!("@revoked {KEY}"),
            &format!("a ssh-rsa {blob}"),
            &format!("a {kind} {}", &blob[..40]),
            &format!("a {kind} !!!!"),
            "a 1024 35 1234567890",
            &format!("a{KEY}"),
            "\u{0}\u{1}",
            &format!("a {kind}"),
        ] {
            assert_eq!(found(line, "a"), None, "{line:?}");
        }
        let text = format!("garbage\n\na {KEY}\n");
        assert_eq!(entries(&text, Path::new("f"), "a")[0].line, 3);
    }

    proptest! {
        #[test]
        fn no_line_is_too_odd(line in "[ -~\t]{0,120}", name in "[a-z0-9.]{1,20}") {
            entries(&line, Path::new("f"), &name);
        }
    }
}

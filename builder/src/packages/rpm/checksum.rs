//! The checksums that vouch for files of a repository: SHA-256 and SHA-512, nothing weaker.

use std::fmt;
use std::io::Read;

use kubexm_model::digest::Digest;
use sha2::{Digest as _, Sha512};

/// A checksum of a file, as a repository lists it.
#[derive(Clone, PartialEq, Eq)]
pub enum Checksum {
    /// SHA-256.
    Sha256(Digest),
    /// SHA-512, which few repositories use.
    Sha512(Box<[u8; 64]>),
}

impl Checksum {
    /// From its kind and its hex digits; `None` if the kind is too weak or the digits are not right.
    pub fn parse(kind: &str, hex: &str) -> Option<Self> {
        match kind {
            "sha256" => Digest::from_hex(hex).ok().map(Self::Sha256),
            "sha512" => sha512(hex).map(|bytes| Self::Sha512(Box::new(bytes))),
            _ => None,
        }
    }

    /// The digest, if it is one that the store uses.
    pub fn digest(&self) -> Option<Digest> {
        match self {
            Self::Sha256(digest) => Some(*digest),
            Self::Sha512(_) => None,
        }
    }

    /// Whether the bytes are those that it stands for.
    pub fn matches(&self, mut bytes: impl Read) -> std::io::Result<bool> {
        match self {
            Self::Sha256(digest) => Ok(Digest::of_reader(bytes)?.0 == *digest),
            Self::Sha512(expected) => {
                let mut hasher = Sha512::new();
                let mut buffer = vec![0; 256 * 1024];
                loop {
                    match bytes.read(&mut buffer)? {
                        0 => return Ok(hasher.finalize()[..] == expected[..]),
                        count => hasher.update(&buffer[..count]),
                    }
                }
            }
        }
    }
}

fn sha512(hex: &str) -> Option<[u8; 64]> {
    // Two halves of the length that a digest has.
    let (left, right) = hex.split_at_checked(64)?;
    let mut bytes = [0; 64];
    bytes[..32].copy_from_slice(Digest::from_hex(left).ok()?.as_bytes());
    bytes[32..].copy_from_slice(Digest::from_hex(right).ok()?.as_bytes());
    Some(bytes)
}

impl fmt::Display for Checksum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sha256(digest) => digest.fmt(f),
            Self::Sha512(bytes) => {
                f.write_str("sha512:")?;
                bytes.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
            }
        }
    }
}

impl fmt::Debug for Checksum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_kinds_know_their_bytes() {
        let long = "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a\
                    2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f";
        for (kind, hex) in [("sha256", Digest::of(b"abc").hex()), ("sha512", long.to_owned())] {
            let sum = Checksum::parse(kind, &hex).unwrap();
            assert!(sum.matches(&b"abc"[..]).unwrap());
            assert!(!sum.matches(&b"abd"[..]).unwrap());
            assert_eq!(sum.to_string(), format!("{kind}:{hex}"));
        }
    }

    #[test]
    fn weak_and_broken_ones_are_refused() {
        for (kind, hex) in
            [("sha", "0"), ("sha1", "a9993e364706816aba3e25717850c26c9cd0d89d"), ("sha256", "xx"), ("sha512", "ß")]
        {
            assert!(Checksum::parse(kind, hex).is_none(), "{kind}");
        }
    }
}

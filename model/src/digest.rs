//! SHA-256 digests as a type: what is not one is refused where it comes in, and never becomes part of a path.

use std::fmt;
use std::io::Read;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use sha2::{Digest as _, Sha256};

/// The SHA-256 of some bytes, written `sha256:` and 64 lower case hex digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest([u8; 32]);

/// The text is no digest.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a digest: sha256: and 64 hex digits")]
pub struct NotADigest(String);

const PREFIX: &str = "sha256:";

impl Digest {
    /// The digest of bytes in memory.
    pub fn of(bytes: &[u8]) -> Self {
        Self(Sha256::digest(bytes).into())
    }

    /// The digest of everything that can be read, and its length.
    pub fn of_reader(mut reader: impl Read) -> std::io::Result<(Self, u64)> {
        let mut hasher = Hasher::default();
        let mut buffer = vec![0; 256 * 1024];
        loop {
            match reader.read(&mut buffer)? {
                0 => return Ok(hasher.finish()),
                count => hasher.update(&buffer[..count]),
            }
        }
    }

    /// The 64 hex digits.
    pub fn hex(&self) -> String {
        use fmt::Write as _;
        self.0.iter().fold(String::with_capacity(64), |mut hex, byte| {
            let _ = write!(hex, "{byte:02x}");
            hex
        })
    }

    /// From 64 lower case hex digits.
    pub fn from_hex(hex: &str) -> Result<Self, NotADigest> {
        let refuse = || NotADigest(hex.chars().take(100).collect());
        let value = |byte: u8| match byte {
            b'0'..=b'9' => Some(byte - b'0'),
            b'a'..=b'f' => Some(byte - b'a' + 10),
            _ => None,
        };
        let bytes = hex.as_bytes();
        if bytes.len() != 64 {
            return Err(refuse());
        }
        let mut digest = [0; 32];
        for (out, pair) in digest.iter_mut().zip(bytes.chunks(2)) {
            *out = value(pair[0]).zip(value(pair[1])).map(|(high, low)| high << 4 | low).ok_or_else(refuse)?;
        }
        Ok(Self(digest))
    }

    /// From the bytes themselves.
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The bytes themselves.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

/// Hashes bytes as they come by.
#[derive(Default, Clone)]
pub struct Hasher {
    hasher: Sha256,
    length: u64,
}

impl Hasher {
    /// Takes the next bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        self.hasher.update(bytes);
        self.length += bytes.len() as u64;
    }

    /// How many bytes came by.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// The digest and the length of all bytes.
    pub fn finish(self) -> (Digest, u64) {
        (Digest(self.hasher.finalize().into()), self.length)
    }
}

impl fmt::Debug for Hasher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Hasher({} bytes)", self.length)
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{PREFIX}{}", self.hex())
    }
}
impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
impl FromStr for Digest {
    type Err = NotADigest;
    fn from_str(text: &str) -> Result<Self, NotADigest> {
        let hex = text.strip_prefix(PREFIX).ok_or_else(|| NotADigest(text.chars().take(100).collect()))?;
        Self::from_hex(hex)
    }
}
impl Serialize for Digest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
impl<'de> Deserialize<'de> for Digest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const EMPTY: &str = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

    #[test]
    fn a_digest_is_written_as_it_is_read() {
        assert_eq!(Digest::of(b"").to_string(), EMPTY);
        assert_eq!(EMPTY.parse::<Digest>().unwrap(), Digest::of(b""));
        assert_eq!(Digest::of_reader(&b"abc"[..]).unwrap(), (Digest::of(b"abc"), 3));
    }

    #[test]
    fn what_is_no_digest_is_refused() {
        let upper = EMPTY.to_uppercase().replace("SHA256", "sha256");
        for text in ["", "sha256:", "sha512:00", "sha256:../../etc/passwd", &EMPTY[..70], &upper, &format!("{EMPTY}0")]
        {
            assert!(text.parse::<Digest>().is_err(), "{text}");
        }
    }
}

//! ed25519 signatures over exact bytes.
//!
//! The bytes that are signed begin with the kind of document and its length, so that a signature of one kind can never be
//! taken for another. A signature carries its public key: all that are present must be valid, and trust is decided by the
//! keys that the reader was given, never by what the bundle says.

use std::collections::BTreeMap;
use std::fmt;

use ed25519_dalek::pkcs8::{DecodePublicKey, EncodePublicKey, spki::der::pem::LineEnding};
use ed25519_dalek::{Signer, SigningKey, VerifyingKey};

use crate::digest::Digest;

/// The kind of document that a bundle's statement is.
pub(super) const STATEMENT: &str = "application/vnd.kubexm.bundle.statement.v1+json";

/// A public key.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct PublicKey(VerifyingKey);

/// A short name of a public key, made from its bytes: 32 hex digits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KeyId([u8; 16]);

/// A signature and the key that made it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signature {
    /// The key.
    pub key: PublicKey,
    bytes: [u8; 64],
}

/// The text is no public key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("this is not an ed25519 public key in PEM")]
pub struct NotAKey;

impl PublicKey {
    /// From a file as `keygen` or `openssl pkey -pubout` writes it.
    pub fn from_pem(text: &str) -> Result<Self, NotAKey> {
        VerifyingKey::from_public_key_pem(text.trim()).map_err(|_| NotAKey).and_then(Self::strong)
    }

    /// From its 32 bytes.
    pub fn from_bytes(bytes: &[u8; 32]) -> Result<Self, NotAKey> {
        VerifyingKey::from_bytes(bytes).map_err(|_| NotAKey).and_then(Self::strong)
    }

    /// A weak key has signatures that fit many documents.
    fn strong(key: VerifyingKey) -> Result<Self, NotAKey> {
        if key.is_weak() { Err(NotAKey) } else { Ok(Self(key)) }
    }

    /// As PEM.
    pub fn to_pem(&self) -> String {
        self.0.to_public_key_pem(LineEnding::LF).unwrap_or_default()
    }

    /// Its 32 bytes.
    pub fn as_bytes(&self) -> &[u8; 32] {
        self.0.as_bytes()
    }

    /// Its short name.
    pub fn id(&self) -> KeyId {
        let digest = Digest::of(&[b"kubexm-key-v1:ed25519:".as_slice(), self.as_bytes()].concat());
        let mut id = [0; 16];
        id.copy_from_slice(&digest.as_bytes()[..16]);
        KeyId(id)
    }

    /// Its fingerprint, to be compared by voice or on paper: groups of four hex digits.
    pub fn fingerprint(&self) -> String {
        let hex = self.id().to_string();
        hex.as_bytes().chunks(4).map(|group| String::from_utf8_lossy(group).into_owned()).collect::<Vec<_>>().join(" ")
    }
}

impl From<&SigningKey> for PublicKey {
    fn from(key: &SigningKey) -> Self {
        Self(key.verifying_key())
    }
}

impl fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PublicKey({})", self.id())
    }
}
impl fmt::Display for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}
impl fmt::Debug for KeyId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The exact bytes that are signed.
fn signed_bytes(kind: &str, body: &[u8]) -> Vec<u8> {
    let length = |bytes: &[u8]| (bytes.len() as u64).to_le_bytes();
    [b"KXBv1".as_slice(), &length(kind.as_bytes()), kind.as_bytes(), &length(body), body].concat()
}

/// Signs the bytes of a statement.
pub fn sign(statement: &[u8], key: &SigningKey) -> Signature {
    sign_as(STATEMENT, statement, key)
}

/// Signs the bytes of a document of some kind.
pub(super) fn sign_as(kind: &str, body: &[u8], key: &SigningKey) -> Signature {
    Signature { key: PublicKey::from(key), bytes: key.sign(&signed_bytes(kind, body)).to_bytes() }
}

impl Signature {
    /// Its place in the file: algorithm, reserved bytes, key, signature.
    pub(super) const LENGTH: usize = 1 + 15 + 32 + 64;
    const ED25519: u8 = 1;

    pub(super) fn encode(&self) -> [u8; Self::LENGTH] {
        let mut slot = [0; Self::LENGTH];
        slot[0] = Self::ED25519;
        slot[16..48].copy_from_slice(self.key.as_bytes());
        slot[48..].copy_from_slice(&self.bytes);
        slot
    }

    pub(super) fn decode(slot: &[u8; Self::LENGTH]) -> Option<Self> {
        let (mut key, mut bytes) = ([0; 32], [0; 64]);
        key.copy_from_slice(&slot[16..48]);
        bytes.copy_from_slice(&slot[48..]);
        let signature = Self { key: PublicKey::from_bytes(&key).ok()?, bytes };
        (signature.encode() == *slot).then_some(signature)
    }

    /// As text: the hex digits of its place in a file.
    pub(super) fn to_hex(&self) -> String {
        use fmt::Write as _;
        self.encode().iter().fold(String::with_capacity(2 * Self::LENGTH), |mut hex, byte| {
            let _ = write!(hex, "{byte:02x}");
            hex
        })
    }

    pub(super) fn from_hex(hex: &str) -> Option<Self> {
        if hex.len() != 2 * Self::LENGTH || !hex.is_ascii() {
            return None;
        }
        let mut slot = [0; Self::LENGTH];
        for (at, byte) in slot.iter_mut().enumerate() {
            *byte = u8::from_str_radix(&hex[2 * at..2 * at + 2], 16).ok()?;
        }
        Self::decode(&slot)
    }

    /// Whether it fits the statement.
    pub(super) fn is_valid(&self, statement: &[u8]) -> bool {
        self.is_valid_as(STATEMENT, statement)
    }

    /// Whether it fits a document of some kind; the strict rules refuse every malleable form.
    pub(super) fn is_valid_as(&self, kind: &str, body: &[u8]) -> bool {
        let signature = ed25519_dalek::Signature::from_bytes(&self.bytes);
        self.key.0.verify_strict(&signed_bytes(kind, body), &signature).is_ok()
    }
}

/// The keys that a reader trusts, and how many of them must have signed.
#[derive(Debug, Clone)]
pub struct TrustedKeys {
    keys: BTreeMap<[u8; 32], PublicKey>,
    threshold: usize,
}

impl TrustedKeys {
    /// Trusts these keys; one of them must have signed.
    pub fn any_of(keys: impl IntoIterator<Item = PublicKey>) -> Self {
        Self { keys: keys.into_iter().map(|key| (*key.as_bytes(), key)).collect(), threshold: 1 }
    }

    /// Asks for so many different keys.
    #[must_use]
    pub fn at_least(mut self, threshold: usize) -> Self {
        self.threshold = threshold.max(1);
        self
    }

    /// Whether it is one of them.
    pub(super) fn contain(&self, key: &PublicKey) -> bool {
        self.keys.contains_key(key.as_bytes())
    }

    /// Whether enough of the signatures are by different trusted keys; the signatures must have been found valid.
    pub(super) fn are_satisfied_by(&self, signatures: &[Signature]) -> bool {
        let mut signed: Vec<_> =
            signatures.iter().map(|s| s.key.as_bytes()).filter(|key| self.keys.contains_key(*key)).collect();
        signed.sort();
        signed.dedup();
        signed.len() >= self.threshold
    }
}

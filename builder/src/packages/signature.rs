//! Who signed a repository: OpenPGP signatures against the keys that were given for it, and against no others.

use std::time::{Duration, SystemTime};

use pgp::composed::{Deserializable, DetachedSignature, PublicOrSecret, SignedPublicKey, SignedPublicSubKey};
use pgp::crypto::hash::HashAlgorithm;
use pgp::packet::{Signature, SignatureType};
use pgp::types::{KeyDetails, Tag, Timestamp};

/// What a file of keys or of signatures may hold at most.
const MOST_ENTRIES: usize = 256;

/// Why a signature vouches for nothing.
#[derive(Debug, thiserror::Error)]
pub enum SignatureError {
    /// The keys cannot be read.
    #[error("the keys cannot be read: {reason}")]
    Keys {
        /// What is wrong with them.
        reason: String,
    },
    /// The signature cannot be read.
    #[error("the signature cannot be read: {reason}")]
    Unreadable {
        /// What is wrong with it.
        reason: String,
    },
    /// Somebody else signed.
    #[error("it is signed by {}, which is none of the given keys ({})", list(.signed_by), list(.given))]
    Stranger {
        /// Who signed.
        signed_by: Vec<String>,
        /// Whose signature would be accepted.
        given: Vec<String>,
    },
    /// The right key, but other bytes.
    #[error("the signature of {key} does not fit the content: one of them was changed")]
    Changed {
        /// Whose signature it says it is.
        key: String,
    },
    /// The hash is too weak.
    #[error("the signature of {key} uses {hash}, which is too weak")]
    Weak {
        /// Whose signature it is.
        key: String,
        /// The hash.
        hash: String,
    },
    /// The key or the signature is too old, or was revoked.
    #[error("the signature of {key} does not count: {reason}")]
    Past {
        /// Whose signature it is.
        key: String,
        /// What is over.
        reason: String,
    },
}

fn list(names: &[String]) -> String {
    if names.is_empty() { "nobody".to_owned() } else { names.join(", ") }
}

/// The keys whose signatures count.
#[derive(Debug, Clone, Default)]
pub struct Keyring {
    keys: Vec<SignedPublicKey>,
}

impl Keyring {
    /// Reads keys: one file of gpg, or text with any number of armored blocks.
    pub fn read(bytes: &[u8]) -> Result<Self, SignatureError> {
        let refuse = |reason: String| SignatureError::Keys { reason };
        let mut keys = Vec::new();
        for block in blocks(bytes, b"-----BEGIN PGP PUBLIC KEY BLOCK-----") {
            let (found, _) = PublicOrSecret::from_reader_many(block).map_err(|error| refuse(error.to_string()))?;
            for key in found.take(MOST_ENTRIES) {
                match key.map_err(|error| refuse(error.to_string()))? {
                    PublicOrSecret::Public(key) => keys.push(key),
                    PublicOrSecret::Secret(_) => return Err(refuse("there is a secret key among them".to_owned())),
                }
            }
        }
        if keys.is_empty() { Err(refuse("there is none in the file".to_owned())) } else { Ok(Self { keys }) }
    }

    /// Adds the keys of another.
    pub fn extend(&mut self, other: Self) {
        self.keys.extend(other.keys);
    }

    /// The fingerprints of the keys, in hex.
    pub fn fingerprints(&self) -> Vec<String> {
        self.keys.iter().map(|key| key.primary_key.fingerprint().to_string()).collect()
    }

    /// Checks a signature that stands in a file of its own, armored or not, and says which key made it.
    pub fn detached(&self, signature: &[u8], content: &[u8], now: SystemTime) -> Result<String, SignatureError> {
        let refuse = |error: pgp::errors::Error| SignatureError::Unreadable { reason: error.to_string() };
        let mut signatures = Vec::new();
        for block in blocks(signature, b"-----BEGIN PGP SIGNATURE-----") {
            let (found, _) = DetachedSignature::from_reader_many(block).map_err(refuse)?;
            for one in found.take(MOST_ENTRIES) {
                signatures.push(one.map_err(refuse)?.signature);
            }
        }
        self.any_of(&signatures, content, now)
    }

    /// One good signature is enough; otherwise the most telling reason against is given.
    pub fn any_of(&self, signatures: &[Signature], content: &[u8], now: SystemTime) -> Result<String, SignatureError> {
        let mut reason = None;
        for signature in signatures {
            match self.one(signature, content, now) {
                Some(Ok(key)) => return Ok(key),
                Some(Err(error)) => reason = Some(error),
                None => {}
            }
        }
        Err(reason.unwrap_or_else(|| SignatureError::Stranger {
            signed_by: signatures.iter().map(issuer).collect(),
            given: self.fingerprints(),
        }))
    }

    /// `None` if no given key says that it made this signature.
    fn one(&self, signature: &Signature, content: &[u8], now: SystemTime) -> Option<Result<String, SignatureError>> {
        for key in &self.keys {
            if made_by(signature, &key.primary_key) {
                let checked = signature.verify(&key.primary_key, content).is_ok();
                return Some(verdict(signature, key, None, checked, now));
            }
            for subkey in &key.public_subkeys {
                // A subkey that its primary key does not vouch for belongs to whoever added it.
                if made_by(signature, &subkey.key) && subkey.verify_bindings(&key.primary_key).is_ok() {
                    let checked = signature.verify(&subkey.key, content).is_ok();
                    return Some(verdict(signature, key, Some(subkey), checked, now));
                }
            }
        }
        None
    }
}

fn verdict(
    signature: &Signature,
    key: &SignedPublicKey,
    subkey: Option<&SignedPublicSubKey>,
    checked: bool,
    now: SystemTime,
) -> Result<String, SignatureError> {
    let name = key.primary_key.fingerprint().to_string();
    let hash = signature.hash_alg().unwrap_or(HashAlgorithm::None);
    if matches!(hash, HashAlgorithm::None | HashAlgorithm::Md5 | HashAlgorithm::Sha1 | HashAlgorithm::Ripemd160) {
        return Err(SignatureError::Weak { key: name, hash: hash.to_string() });
    }
    if !checked || !matches!(signature.typ(), Some(SignatureType::Binary | SignatureType::Text)) {
        return Err(SignatureError::Changed { key: name });
    }
    match past(signature, key, subkey, now) {
        Some(reason) => Err(SignatureError::Past { key: name, reason: reason.to_owned() }),
        None => Ok(name),
    }
}

/// What is over: the signature, the key, its subkey, or the trust in one of them.
fn past(
    signature: &Signature,
    key: &SignedPublicKey,
    subkey: Option<&SignedPublicSubKey>,
    now: SystemTime,
) -> Option<&'static str> {
    let over = |from: Option<Timestamp>, for_long: Option<pgp::types::Duration>| {
        let lasts: Duration = for_long?.into();
        let end = SystemTime::from(from?).checked_add(lasts)?;
        (!lasts.is_zero() && end < now).then_some(())
    };
    if key.details.revocation_signatures.iter().any(|revoked| revoked.verify_key(&key.primary_key).is_ok()) {
        return Some("the key was revoked");
    }
    if over(signature.created(), signature.signature_expiration_time()).is_some() {
        return Some("the signature has expired");
    }
    let expires = newest_self_signature(key).and_then(Signature::key_expiration_time);
    if over(Some(key.primary_key.created_at()), expires).is_some() {
        return Some("the key has expired");
    }
    let subkey = subkey?;
    if subkey.signatures.iter().any(|one| one.typ() == Some(SignatureType::SubkeyRevocation)) {
        return Some("the subkey was revoked");
    }
    let newest = subkey.signatures.iter().max_by_key(|one| one.created().map(Timestamp::as_secs));
    over(Some(subkey.key.created_at()), newest.and_then(Signature::key_expiration_time))
        .map(|()| "the subkey has expired")
}

/// The newest thing that a key says about itself: how long it lasts stands there.
fn newest_self_signature(key: &SignedPublicKey) -> Option<&Signature> {
    let direct = key.details.direct_signatures.iter().filter(|one| one.verify_key(&key.primary_key).is_ok());
    let named = key.details.users.iter().flat_map(|user| {
        let by_itself = |one: &&Signature| one.verify_certification(&key.primary_key, Tag::UserId, &user.id).is_ok();
        user.signatures.iter().filter(|one| one.typ() != Some(SignatureType::CertRevocation)).filter(by_itself)
    });
    direct.chain(named).max_by_key(|one| one.created().map(Timestamp::as_secs))
}

fn made_by(signature: &Signature, key: &impl KeyDetails) -> bool {
    signature.issuer_fingerprint().iter().any(|one| **one == key.fingerprint())
        || signature.issuer_key_id().iter().any(|one| **one == key.legacy_key_id())
}

fn issuer(signature: &Signature) -> String {
    let fingerprint = signature.issuer_fingerprint().first().map(ToString::to_string);
    fingerprint
        .or_else(|| signature.issuer_key_id().first().map(ToString::to_string))
        .unwrap_or_else(|| "somebody who is not named".to_owned())
}

/// Armored blocks one by one; bytes that are not armored are one block.
fn blocks<'a>(bytes: &'a [u8], begin: &[u8]) -> Vec<&'a [u8]> {
    let starts: Vec<usize> =
        bytes.windows(begin.len()).enumerate().filter(|(_, window)| *window == begin).map(|(at, _)| at).collect();
    if starts.is_empty() {
        return vec![bytes];
    }
    let ends = starts.iter().skip(1).copied().chain([bytes.len()]);
    starts.iter().zip(ends).take(MOST_ENTRIES).map(|(start, end)| &bytes[*start..end]).collect()
}

//! The key with which a site signs its repositories: OpenPGP, because apt and dnf believe nothing else.

use std::time::SystemTime;

use pgp::composed::{
    ArmorOptions, CleartextSignedMessage, Deserializable, DetachedSignature, KeyType, SecretKeyParamsBuilder,
    SignedSecretKey,
};
use pgp::crypto::hash::HashAlgorithm;
use pgp::packet::{SignatureConfig, SignatureType, Subpacket, SubpacketData};
use pgp::types::{KeyDetails, Password, Timestamp};

use super::RepositoryError;

/// A signing key. It prints as its fingerprint, never as itself.
pub struct SiteKey {
    key: SignedSecretKey,
}

impl std::fmt::Debug for SiteKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "SiteKey({})", self.fingerprint())
    }
}

fn unusable(error: impl std::fmt::Display) -> RepositoryError {
    RepositoryError::Key { reason: error.to_string() }
}

impl SiteKey {
    /// Makes a new key: ed25519, in the form that GnuPG has known since 2.1.
    pub fn generate(name: &str, now: SystemTime) -> Result<Self, RepositoryError> {
        let parameters = SecretKeyParamsBuilder::default()
            .key_type(KeyType::Ed25519Legacy)
            .can_sign(true)
            .can_certify(true)
            .created_at(timestamp(now)?)
            .primary_user_id(name.to_owned())
            .build()
            .map_err(unusable)?;
        let key = parameters.generate(pgp_rand::rngs::OsRng).map_err(unusable)?;
        Ok(Self { key })
    }

    /// Reads a key that was written with [`Self::secret`].
    pub fn read(armored: &str) -> Result<Self, RepositoryError> {
        let (key, _) = SignedSecretKey::from_string(armored).map_err(unusable)?;
        key.verify_bindings().map_err(unusable)?;
        Ok(Self { key })
    }

    /// The whole key, for a file that only root can read.
    pub fn secret(&self) -> Result<String, RepositoryError> {
        self.key.to_armored_string(ArmorOptions::default()).map_err(unusable)
    }

    /// The public key, for `Signed-By` and `gpgkey`.
    pub fn public(&self) -> Result<String, RepositoryError> {
        self.key.to_public_key().to_armored_string(ArmorOptions::default()).map_err(unusable)
    }

    /// The fingerprint, in hex.
    pub fn fingerprint(&self) -> String {
        self.key.primary_key.fingerprint().to_string()
    }

    /// A signature for a file of its own.
    pub fn detached(&self, content: &[u8], now: SystemTime) -> Result<String, RepositoryError> {
        let signature = self
            .config(SignatureType::Binary, now)?
            .sign(&self.key.primary_key, &Password::empty(), content)
            .map_err(unusable)?;
        DetachedSignature::new(signature).to_armored_string(ArmorOptions::default()).map_err(unusable)
    }

    /// A text with its signature below it.
    pub fn clear_signed(&self, text: &str, now: SystemTime) -> Result<String, RepositoryError> {
        let config = self.config(SignatureType::Text, now)?;
        let message = CleartextSignedMessage::new(text, config, &self.key.primary_key, &Password::empty());
        message.and_then(|message| message.to_armored_string(ArmorOptions::default())).map_err(unusable)
    }

    fn config(&self, kind: SignatureType, now: SystemTime) -> Result<SignatureConfig, RepositoryError> {
        let key = &self.key.primary_key;
        let mut config = SignatureConfig::v4(kind, key.algorithm(), HashAlgorithm::Sha512);
        config.hashed_subpackets = [
            SubpacketData::SignatureCreationTime(timestamp(now)?),
            SubpacketData::IssuerFingerprint(key.fingerprint()),
        ]
        .into_iter()
        .map(Subpacket::regular)
        .collect::<Result<_, _>>()
        .map_err(unusable)?;
        let issuer = Subpacket::regular(SubpacketData::IssuerKeyId(key.legacy_key_id())).map_err(unusable)?;
        config.unhashed_subpackets = vec![issuer];
        Ok(config)
    }
}

fn timestamp(now: SystemTime) -> Result<Timestamp, RepositoryError> {
    Timestamp::try_from(now).map_err(unusable)
}

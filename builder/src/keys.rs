//! Signing keys: PKCS#8 in PEM, the secret one encrypted with a passphrase, as openssl reads and writes them too.

use std::io::{self, Write};
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::path::Path;

use ed25519_dalek::SigningKey;
use ed25519_dalek::pkcs8::{DecodePrivateKey, EncodePrivateKey, spki::der::pem::LineEnding};
use kubexm_model::bundle::PublicKey;
use kubexm_model::secret::Secret;

/// Why a key cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    /// The file cannot be read or written.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// Others can read the secret key.
    #[error("{0} can be read by others: chmod 600 it")]
    Exposed(String),
    /// It is no key, or the passphrase is wrong.
    #[error("{0} is no ed25519 key, or the passphrase is wrong")]
    Unusable(String),
    /// A passphrase is needed.
    #[error("{0} is encrypted, and no passphrase was given")]
    Passphrase(String),
}

/// A new key.
pub fn generate() -> io::Result<SigningKey> {
    let mut seed = zeroize::Zeroizing::new([0_u8; 32]);
    rustix::rand::getrandom(&mut seed[..], rustix::rand::GetRandomFlags::empty())?;
    Ok(SigningKey::from_bytes(&seed))
}

/// Writes the secret key, encrypted if there is a passphrase, for its owner alone; and the public key beside it.
pub fn write(key: &SigningKey, secret: &Path, public: &Path, passphrase: Option<&Secret>) -> Result<(), KeyError> {
    let unusable = || KeyError::Unusable(secret.display().to_string());
    let pem = match passphrase {
        Some(passphrase) => key.to_pkcs8_encrypted_pem(passphrase.expose(), LineEnding::LF).map_err(|_| unusable())?,
        None => key.to_pkcs8_pem(LineEnding::LF).map_err(|_| unusable())?,
    };
    let create = |path: &Path, mode: u32, text: &str| -> io::Result<()> {
        let mut file =
            std::fs::File::options().write(true).create_new(true).mode(mode).open(path).map_err(|error| {
                io::Error::new(error.kind(), format!("{} cannot be written: {error}", path.display()))
            })?;
        file.write_all(text.as_bytes())?;
        file.sync_all()
    };
    create(secret, 0o600, &pem)?;
    create(public, 0o644, &PublicKey::from(key).to_pem())?;
    Ok(())
}

/// Whether a secret key asks for a passphrase.
pub fn is_encrypted(path: &Path) -> Result<bool, KeyError> {
    Ok(fs_err::read_to_string(path)?.contains("BEGIN ENCRYPTED PRIVATE KEY"))
}

/// Reads a secret key.
pub fn read(path: &Path, passphrase: Option<&Secret>) -> Result<SigningKey, KeyError> {
    let name = || path.display().to_string();
    if fs_err::metadata(path)?.permissions().mode() & 0o077 != 0 {
        return Err(KeyError::Exposed(name()));
    }
    let pem = zeroize::Zeroizing::new(fs_err::read_to_string(path)?);
    let found = if is_encrypted(path)? {
        let passphrase = passphrase.ok_or_else(|| KeyError::Passphrase(name()))?;
        SigningKey::from_pkcs8_encrypted_pem(&pem, passphrase.expose())
    } else {
        SigningKey::from_pkcs8_pem(&pem)
    };
    found.map_err(|_| KeyError::Unusable(name()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_read_back_with_its_passphrase_and_with_no_other() {
        let folder = tempfile::tempdir().unwrap();
        let (secret, public) = (folder.path().join("k"), folder.path().join("k.pub"));
        let key = generate().unwrap();
        let passphrase = Secret::from("open sesame".to_owned());
        write(&key, &secret, &public, Some(&passphrase)).unwrap();
        assert!(is_encrypted(&secret).unwrap());
        assert_eq!(read(&secret, Some(&passphrase)).unwrap(), key);
        assert!(matches!(read(&secret, None), Err(KeyError::Passphrase(_))));
        assert!(matches!(read(&secret, Some(&Secret::from("x".to_owned()))), Err(KeyError::Unusable(_))));
        assert!(matches!(write(&key, &secret, &public, None), Err(KeyError::Io(_))), "a key is never overwritten");
        let text = fs_err::read_to_string(&public).unwrap();
        assert_eq!(PublicKey::from_pem(&text).unwrap(), PublicKey::from(&key));
    }

    #[test]
    fn a_key_that_others_can_read_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let (secret, public) = (folder.path().join("k"), folder.path().join("k.pub"));
        write(&generate().unwrap(), &secret, &public, None).unwrap();
        std::fs::set_permissions(&secret, std::fs::Permissions::from_mode(0o644)).unwrap();
        assert!(matches!(read(&secret, None), Err(KeyError::Exposed(_))));
    }
}

//! What is said and accepted on the wire.

use std::borrow::Cow;
use std::time::Duration;

use russh::client::Config;
use russh::keys::{Algorithm, EcdsaCurve, HashAlg};
use russh::{Preferred, cipher, compression, kex, mac};

/// Host key types, the usual ones first. RSA only with SHA-2: signatures with SHA-1 can be forged.
pub(super) const KINDS: [Algorithm; 6] = [
    Algorithm::Ed25519,
    Algorithm::Ecdsa { curve: EcdsaCurve::NistP256 },
    Algorithm::Ecdsa { curve: EcdsaCurve::NistP384 },
    Algorithm::Ecdsa { curve: EcdsaCurve::NistP521 },
    Algorithm::Rsa { hash: Some(HashAlg::Sha512) },
    Algorithm::Rsa { hash: Some(HashAlg::Sha256) },
];

const KEX: &[kex::Name] = &[
    kex::MLKEM768X25519_SHA256,
    kex::CURVE25519,
    kex::CURVE25519_PRE_RFC_8731,
    kex::DH_GEX_SHA256,
    kex::DH_G16_SHA512,
    kex::DH_G14_SHA256,
    kex::EXTENSION_SUPPORT_AS_CLIENT,
    kex::EXTENSION_OPENSSH_STRICT_KEX_AS_CLIENT,
];

/// Without ChaCha20-Poly1305 and CBC: servers older than strict key exchange would let a listener drop messages there.
const CIPHERS: &[cipher::Name] =
    &[cipher::AES_256_GCM, cipher::AES_128_GCM, cipher::AES_256_CTR, cipher::AES_192_CTR, cipher::AES_128_CTR];

const MACS: &[mac::Name] = &[mac::HMAC_SHA256_ETM, mac::HMAC_SHA512_ETM, mac::HMAC_SHA256, mac::HMAC_SHA512];

/// The settings of a connection that asks for these host key types, in this order.
pub(super) fn config(kinds: Vec<Algorithm>) -> Config {
    Config {
        window_size: 8 * 1024 * 1024,
        keepalive_interval: Some(Duration::from_secs(15)),
        keepalive_max: 4,
        nodelay: true,
        preferred: Preferred {
            kex: Cow::Borrowed(KEX),
            key: Cow::Owned(kinds),
            cipher: Cow::Borrowed(CIPHERS),
            mac: Cow::Borrowed(MACS),
            compression: Cow::Borrowed(&[compression::NONE]),
        },
        ..Config::default()
    }
}

/// All types, those that are known for the machine first: it may have several keys and shows the first that is asked for.
pub(super) fn known_first(known: &[Algorithm]) -> Vec<Algorithm> {
    let is_known = |kind: &Algorithm| known.iter().any(|known| same_kind(known, kind));
    let (first, then): (Vec<_>, Vec<_>) = KINDS.into_iter().partition(is_known);
    first.into_iter().chain(then).collect()
}

pub(super) fn is_rsa(kind: &Algorithm) -> bool {
    matches!(kind, Algorithm::Rsa { .. })
}

/// A key does not say with which hash it signs.
fn same_kind(left: &Algorithm, right: &Algorithm) -> bool {
    left == right || is_rsa(left) && is_rsa(right)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_types_are_asked_for_first() {
        let rsa = known_first(&[Algorithm::Rsa { hash: None }]);
        assert!(is_rsa(&rsa[0]) && is_rsa(&rsa[1]) && rsa[2] == Algorithm::Ed25519);
        assert_eq!(known_first(&[]), KINDS);
    }

    #[test]
    fn nothing_weak_is_offered() {
        let preferred = config(KINDS.to_vec()).preferred;
        let names = [
            preferred.kex.iter().map(|name| name.as_ref().to_owned()).collect::<Vec<_>>(),
            preferred.cipher.iter().map(|name| name.as_ref().to_owned()).collect(),
            preferred.mac.iter().map(|name| name.as_ref().to_owned()).collect(),
            preferred.key.iter().map(|name| name.as_ref().to_owned()).collect(),
        ]
        .concat();
        for name in &names {
            let weak =
                ["sha1", "md5", "cbc", "3des", "ssh-dss", "chacha20", "none"].iter().find(|weak| name.contains(*weak));
            assert!(weak.is_none() && name != "ssh-rsa", "{name}");
        }
        assert!(names.iter().any(|name| name == "kex-strict-c-v00@openssh.com"));
    }
}

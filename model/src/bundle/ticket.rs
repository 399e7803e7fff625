//! A site's signed permission to use a bundle that is older than the newest one it accepted, or that has expired.

use ed25519_dalek::SigningKey;
use serde::{Deserialize, Serialize};

use super::read::{Bundle, Verified};
use super::signature::{Signature, TrustedKeys, sign_as};
use crate::digest::Digest;

/// The kind of document that a ticket is; a signature of a bundle can never be taken for one of a ticket.
const KIND: &str = "application/vnd.kubexm.bundle.ticket.v1+json";

/// The permission to use one bundle for some time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Ticket {
    /// The bundle: the digest of its statement.
    pub bundle: Digest,
    /// Its channel.
    pub channel: String,
    /// Its sequence.
    pub sequence: u64,
    /// Until when the ticket can be used, in seconds since 1970.
    pub expires: u64,
}

/// How a ticket stands in a file: the exact text that is signed, and the signature.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Envelope {
    ticket: String,
    signature: String,
}

/// A ticket that does not count.
#[derive(Debug, thiserror::Error)]
pub enum BadTicket {
    /// It is not of the right form.
    #[error("this is not a ticket")]
    Form(#[from] serde_json::Error),
    /// Its signature is missing, damaged, or not of a ticket.
    #[error("the ticket's signature is not valid")]
    Signature,
    /// A key signed it that is not trusted.
    #[error("the ticket is not signed by a trusted key, but by {0}")]
    Untrusted(super::KeyId),
}

impl Ticket {
    /// A ticket for a bundle.
    pub fn of(bundle: &Bundle<Verified>, expires: u64) -> Self {
        let statement = bundle.statement();
        Self { bundle: bundle.id(), channel: statement.channel.clone(), sequence: statement.sequence, expires }
    }

    /// Signs it.
    pub fn sign(&self, key: &SigningKey) -> serde_json::Result<String> {
        let ticket = serde_json::to_string(self)?;
        let signature = sign_as(KIND, ticket.as_bytes(), key).to_hex();
        Ok(serde_json::to_string_pretty(&Envelope { ticket, signature })? + "\n")
    }

    /// Reads a signed one.
    pub fn verify(text: &str, keys: &TrustedKeys) -> Result<Self, BadTicket> {
        let envelope: Envelope = serde_json::from_str(text)?;
        let signature = Signature::from_hex(&envelope.signature).ok_or(BadTicket::Signature)?;
        if !signature.is_valid_as(KIND, envelope.ticket.as_bytes()) {
            return Err(BadTicket::Signature);
        }
        if !keys.contain(&signature.key) {
            return Err(BadTicket::Untrusted(signature.key.id()));
        }
        Ok(serde_json::from_str(&envelope.ticket)?)
    }

    /// Whether it allows that bundle at that time.
    pub(super) fn allows(&self, bundle: Digest, now: u64) -> bool {
        self.bundle == bundle && now <= self.expires
    }
}

#[cfg(test)]
mod tests {
    use super::super::PublicKey;
    use super::*;

    #[test]
    fn only_a_trusted_key_makes_a_ticket() {
        let (site, other) = (SigningKey::from_bytes(&[1; 32]), SigningKey::from_bytes(&[2; 32]));
        let trusted = TrustedKeys::any_of([PublicKey::from(&site)]);
        let ticket = Ticket { bundle: Digest::of(b"x"), channel: "stable".to_owned(), sequence: 3, expires: 100 };
        assert_eq!(Ticket::verify(&ticket.sign(&site).unwrap(), &trusted).unwrap(), ticket);
        assert!(matches!(Ticket::verify(&ticket.sign(&other).unwrap(), &trusted), Err(BadTicket::Untrusted(_))));
        let changed = ticket.sign(&site).unwrap().replace(":3,", ":4,");
        assert!(matches!(Ticket::verify(&changed, &trusted), Err(BadTicket::Signature)));
        // A bundle's signature over the same bytes is no ticket.
        let text = serde_json::to_string(&ticket).unwrap();
        let signature = super::super::sign(text.as_bytes(), &site).to_hex();
        let envelope = serde_json::to_string(&Envelope { ticket: text, signature }).unwrap();
        assert!(matches!(Ticket::verify(&envelope, &trusted), Err(BadTicket::Signature)));
        assert!(matches!(Ticket::verify("{}", &trusted), Err(BadTicket::Form(_))));
        assert!(ticket.allows(Digest::of(b"x"), 100) && !ticket.allows(Digest::of(b"x"), 101));
        assert!(!ticket.allows(Digest::of(b"y"), 1));
    }
}

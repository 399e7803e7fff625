//! Why a text names no image.

use super::grammar::{HOST_LENGTH, REPOSITORY_LENGTH, TAG_LENGTH};

/// A text that was meant to name an image, a registry or a part of a repository, and does not.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not an image reference: {fault}")]
pub struct ReferenceError {
    /// The text, or its beginning where it is long.
    pub text: String,
    /// What is wrong with it.
    pub fault: Fault,
}

/// What is wrong with a text that was meant to name an image.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// There is nothing.
    #[error("it is empty")]
    Empty,
    /// The part in front of the first `/` is neither a host name nor an address, or its port is none.
    #[error(
        "`{0}` is not a registry: a host name with a dot, `localhost` or an address, then perhaps a port; at most {HOST_LENGTH} characters"
    )]
    Registry(String),
    /// Upper case letters outside of the tag.
    #[error("`{0}` has upper case letters, which no repository may have")]
    UpperCase(String),
    /// A part of the repository has characters that it may not have.
    #[error(
        "`{0}` cannot be part of a repository: lower case letters and digits, between them one `.`, one or two `_`, or dashes"
    )]
    Component(String),
    /// The repository is longer than registries accept.
    #[error("its repository has {0} characters, of which registries accept {REPOSITORY_LENGTH}")]
    TooLong(usize),
    /// What follows the `:` is no tag.
    #[error(
        "`{0}` is not a tag: up to {TAG_LENGTH} letters, digits, `_`, `.` and `-`, with a letter, digit or `_` first"
    )]
    Tag(String),
    /// What follows the `@` is no digest.
    #[error("`{0}` is not a digest: sha256: and 64 hex digits in lower case")]
    Digest(String),
    /// The text is what Docker shows as the number of an image on one machine.
    #[error("64 hex digits are the number of an image on one machine, not its name")]
    Number,
}

impl ReferenceError {
    pub(super) fn new(text: &str, fault: Fault) -> Self {
        Self { text: shortened(text), fault }
    }
}

/// Foreign text in a message: its beginning, without characters that would disturb a terminal.
pub(super) fn shortened(text: &str) -> String {
    const SHOWN: usize = 120;
    let plain = text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c });
    if text.chars().nth(SHOWN).is_none() { plain.collect() } else { plain.take(SHOWN).chain(['…']).collect() }
}

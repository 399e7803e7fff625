//! The characters and lengths of a name's parts, as registries accept them.

use super::error::{Fault, shortened};

/// How long a host name may be (DNS).
pub(super) const HOST_LENGTH: usize = 253;
/// How long a repository may be, without its registry.
pub(super) const REPOSITORY_LENGTH: usize = 255;
/// How long a tag may be.
pub(super) const TAG_LENGTH: usize = 128;

/// Whether these are one or more parts of a repository, with `/` between them.
pub(super) fn repository(text: &str) -> Result<(), Fault> {
    if let Some(part) = text.split('/').find(|part| !component(part)) {
        let shouted = component(&part.to_ascii_lowercase());
        return Err(if shouted { Fault::UpperCase(shortened(part)) } else { Fault::Component(shortened(part)) });
    }
    if text.len() > REPOSITORY_LENGTH { Err(Fault::TooLong(text.len())) } else { Ok(()) }
}

/// Whether it is one part of a repository: runs of letters and digits, between each two a separator.
fn component(text: &str) -> bool {
    let alphanumeric = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    let separators = text.split(alphanumeric).filter(|separator| !separator.is_empty());
    text.starts_with(alphanumeric)
        && text.ends_with(alphanumeric)
        && separators.into_iter().all(|s| matches!(s, "." | "_" | "__") || s.bytes().all(|byte| byte == b'-'))
}

/// Whether it is a tag.
pub(super) fn tag(text: &str) -> Result<(), Fault> {
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let good =
        text.starts_with(word) && text.len() <= TAG_LENGTH && text.chars().all(|c| word(c) || c == '.' || c == '-');
    if good { Ok(()) } else { Err(Fault::Tag(shortened(text))) }
}

/// Whether it is a host name: labels of lower case letters, digits and inner dashes.
pub(super) fn host(text: &str) -> bool {
    let alphanumeric = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    let label = |label: &str| {
        label.starts_with(alphanumeric)
            && label.ends_with(alphanumeric)
            && label.chars().all(|c| alphanumeric(c) || c == '-')
    };
    text.len() <= HOST_LENGTH && text.split('.').all(label)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_a_repository() {
        for good in ["a", "0", "a.b", "a_b", "a__b", "a-b", "a---b", "a.b_c__d--e", "a/b/c"] {
            assert_eq!(repository(good), Ok(()), "{good}");
        }
        for bad in ["", "a..b", "a___b", "a._b", "-a", "a-", ".a", "a/", "/a", "a//b", "ä", "a b", "a:b", "a-_b"] {
            assert!(matches!(repository(bad), Err(Fault::Component(_))), "{bad}");
        }
        assert_eq!(repository("a/Bc"), Err(Fault::UpperCase("Bc".to_owned())));
        assert_eq!(repository(&"a".repeat(255)), Ok(()));
        assert_eq!(repository(&"a".repeat(256)), Err(Fault::TooLong(256)));
    }

    #[test]
    fn tags() {
        for good in ["1", "v1.2.3", "_x", "A-b_c.D", &"x".repeat(128)] {
            assert_eq!(tag(good), Ok(()), "{good}");
        }
        for bad in ["", ".1", "-1", "a/b", "a+b", "é", "a b", &"x".repeat(129)] {
            assert!(tag(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn hosts() {
        for good in ["localhost", "a.b", "10.0.0.1", "x--y.z", "a.".repeat(126).trim_end_matches('.')] {
            assert!(host(good), "{good}");
        }
        for bad in ["", ".", "a..b", "-a.b", "a-.b", "a_b", "a.b.", "a.".repeat(128).trim_end_matches('.')] {
            assert!(!host(bad), "{bad}");
        }
    }
}

//! Names by which parts of a document refer to each other, and the name of the document itself.

use std::collections::BTreeSet;

use kubexm_model::digest::Digest;
use kubexm_model::lock::Lock;

/// Hands out names that both standards accept (letters, digits, `.` and `-`), none of them twice.
#[derive(Debug, Default)]
pub(super) struct Ids(BTreeSet<String>);

impl Ids {
    /// A name made of these words; whoever comes second with the same ones gets a number behind it.
    pub(super) fn take(&mut self, words: &[&str]) -> String {
        let plain = words.iter().filter(|word| !word.is_empty()).map(|word| safe(word)).collect::<Vec<_>>().join("-");
        let mut id = plain.clone();
        let mut number = 1_u32;
        while !self.0.insert(id.clone()) {
            number += 1;
            id = format!("{plain}-{number}");
        }
        id
    }
}

fn safe(word: &str) -> String {
    word.chars().map(|c| if c.is_ascii_alphanumeric() || c == '.' { c } else { '-' }).collect()
}

/// The lock's own UUID: the first half of its digest with the marks of version 5, the one for names that were hashed.
pub(super) fn uuid(lock: &Lock) -> String {
    let digest = Digest::of(&serde_json::to_vec(lock).unwrap_or_default());
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&digest.as_bytes()[..16]);
    bytes[6] = bytes[6] & 0x0f | 0x50;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let hex = format!("{:032x}", u128::from_be_bytes(bytes));
    [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]].join("-")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sbom::sample;

    #[test]
    fn names_are_safe_and_never_repeated() {
        let mut ids = Ids::default();
        assert_eq!(ids.take(&["image", "example.org/a_b:1", "", "amd64"]), "image-example.org-a-b-1-amd64");
        assert_eq!(ids.take(&["image", "example.org/a/b:1", "amd64"]), "image-example.org-a-b-1-amd64-2");
        assert_eq!(ids.take(&["image", "example.org/a:b:1", "amd64"]), "image-example.org-a-b-1-amd64-3");
        assert_eq!(ids.take(&["<ü\n>"]), "----");
    }

    #[test]
    fn the_uuid_follows_the_lock_and_has_the_marks_of_its_version() {
        let lock = sample::lock();
        assert_eq!(uuid(&lock), uuid(&lock.clone()));
        let mut later = lock.clone();
        later.created += 1;
        assert_ne!(uuid(&lock), uuid(&later));
        for created in 0..64 {
            later.created = created;
            let uuid = uuid(&later);
            assert_eq!(uuid.len(), 36);
            assert_eq!(&uuid[14..15], "5");
            assert!("89ab".contains(&uuid[19..20]), "{uuid}");
        }
    }
}

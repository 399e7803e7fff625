//! Every path inside a bundle, and the tar around the members.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::digest::Digest;

/// A path that a bundle can hold: one of a few documents, or a blob under its digest. Nothing else can be expressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MemberPath {
    /// A blob: image layer, manifest or configuration, binary, package, chart.
    Blob(Digest),
    /// What was locked.
    Lock,
    /// The table of contents.
    Manifest,
    /// The bill of materials in the form of CycloneDX.
    CycloneDx,
    /// The bill of materials in the form of SPDX.
    Spdx,
}

/// The text is no path of a bundle.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no path of a bundle")]
pub struct NotAMember(String);

const BLOBS: &str = "blobs/sha256/";
const DOCUMENTS: [(MemberPath, &str); 4] = [
    (MemberPath::Lock, "cluster.lock"),
    (MemberPath::Manifest, "manifest.json"),
    (MemberPath::CycloneDx, "sbom.cdx.json"),
    (MemberPath::Spdx, "sbom.spdx.json"),
];

impl fmt::Display for MemberPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Self::Blob(digest) = self {
            return write!(f, "{BLOBS}{}", digest.hex());
        }
        DOCUMENTS.iter().find(|(path, _)| path == self).map_or(Ok(()), |(_, name)| f.write_str(name))
    }
}

impl FromStr for MemberPath {
    type Err = NotAMember;
    fn from_str(text: &str) -> Result<Self, NotAMember> {
        let refuse = || NotAMember(text.chars().take(100).collect());
        if let Some(hex) = text.strip_prefix(BLOBS) {
            return Digest::from_hex(hex).map(Self::Blob).map_err(|_| refuse());
        }
        DOCUMENTS.iter().find(|(_, name)| *name == text).map(|(path, _)| *path).ok_or_else(refuse)
    }
}

impl Ord for MemberPath {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        // The order of the paths' bytes: blobs come before the documents.
        match (self, other) {
            (Self::Blob(a), Self::Blob(b)) => a.cmp(b),
            _ => self.to_string().cmp(&other.to_string()),
        }
    }
}
impl PartialOrd for MemberPath {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Serialize for MemberPath {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
impl<'de> Deserialize<'de> for MemberPath {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

/// tar rounds everything up to this.
const TAR_BLOCK: u64 = 512;

/// The zero bytes behind a member.
fn padding(size: u64) -> usize {
    usize::try_from((TAR_BLOCK - size % TAR_BLOCK) % TAR_BLOCK).unwrap_or(0)
}

/// What stands between two members: the padding of the one before, and the header of the next.
pub(super) fn between(before: Option<u64>, path: MemberPath, size: u64) -> Vec<u8> {
    let mut bytes = vec![0; before.map_or(0, padding)];
    let mut header = tar::Header::new_ustar();
    // The longest path has 77 bytes, so it always fits.
    let _ = header.set_path(path.to_string());
    header.set_size(size);
    header.set_mode(0o644);
    header.set_uid(0);
    header.set_gid(0);
    header.set_mtime(0);
    header.set_entry_type(tar::EntryType::Regular);
    header.set_cksum();
    bytes.extend_from_slice(header.as_bytes());
    bytes
}

/// What stands behind the last member: its padding, and tar's two blocks of zeros.
pub(super) fn end(before: Option<u64>) -> Vec<u8> {
    vec![0; before.map_or(0, padding) + 2 * usize::try_from(TAR_BLOCK).unwrap_or(0)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_one_of_ours_or_none() {
        let digest = Digest::of(b"x");
        for path in
            [MemberPath::Blob(digest), MemberPath::Lock, MemberPath::Manifest, MemberPath::CycloneDx, MemberPath::Spdx]
        {
            assert_eq!(path.to_string().parse::<MemberPath>().unwrap(), path);
        }
        let hex = digest.hex();
        for bad in [
            "",
            "../x",
            "/etc/passwd",
            "blobs/sha256/",
            "blobs/sha256/../x",
            "cluster.lock/",
            "./cluster.lock",
            &format!("blobs//sha256/{hex}"),
            &format!("blobs/sha256/{hex}/x"),
            &format!("blobs/sha256/{}", hex.to_uppercase()),
        ] {
            assert!(bad.parse::<MemberPath>().is_err(), "{bad}");
        }
    }

    #[test]
    fn paths_order_as_their_bytes_do() {
        let mut paths: Vec<MemberPath> = DOCUMENTS
            .iter()
            .map(|(path, _)| *path)
            .chain([b"a", b"b", b"c"].map(|b| MemberPath::Blob(Digest::of(b))))
            .collect();
        let mut texts: Vec<String> = paths.iter().map(ToString::to_string).collect();
        paths.sort();
        texts.sort();
        assert_eq!(paths.iter().map(ToString::to_string).collect::<Vec<_>>(), texts);
    }

    #[test]
    fn a_large_member_has_a_header_that_tar_reads() {
        let bytes = between(Some(1), MemberPath::Lock, 20 << 30);
        assert_eq!(bytes.len(), 511 + 512);
        let mut header = tar::Header::new_ustar();
        header.as_mut_bytes().copy_from_slice(&bytes[511..]);
        assert_eq!(header.entry_size().unwrap(), 20 << 30);
    }
}

//! The index: every member with its digest, in the order in which they stand in the file.

use serde::{Deserialize, Serialize};

use super::frame::{PLAIN_MAX, stored_length, stored_total};
use super::layout::{MemberPath, between, end};
use crate::digest::Digest;

/// What an index may hold at most.
const MOST_MEMBERS: usize = 1_000_000;

/// Every member of a bundle.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Index {
    /// The members, sorted by path.
    pub members: Vec<Member>,
    /// The blobs that belong to it and stand in another bundle, sorted by digest: this one builds upon that.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub elsewhere: Vec<Elsewhere>,
}

/// A blob that stands in another bundle.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Elsewhere {
    /// Its digest.
    pub digest: Digest,
    /// Its size.
    pub size: u64,
}

/// One member.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Member {
    /// Its path.
    pub path: MemberPath,
    /// Its size.
    pub size: u64,
    /// Its digest.
    pub digest: Digest,
    /// How it stands in the file.
    #[serde(default, skip_serializing_if = "Encoding::is_stored")]
    pub encoding: Encoding,
}

/// How a member stands in the file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub enum Encoding {
    /// As it is, in stored frames; the member's digest vouches for it.
    #[default]
    Stored,
    /// Compressed; each frame but the last holds [`PLAIN_MAX`] bytes.
    Zstd(Vec<Frame>),
}

/// A compressed frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Frame {
    /// Its compressed length.
    pub length: u32,
    /// The digest of its compressed bytes.
    pub digest: Digest,
}

impl Encoding {
    fn is_stored(&self) -> bool {
        *self == Self::Stored
    }
}

impl Member {
    /// How many bytes it takes in the file, its tar header not counted; `None` if that is no number.
    pub(super) fn length(&self) -> Option<u64> {
        match &self.encoding {
            Encoding::Stored => Some(stored_total(self.size)),
            Encoding::Zstd(frames) => {
                frames.iter().try_fold(0_u64, |sum, frame| sum.checked_add(u64::from(frame.length)))
            }
        }
    }

    /// The plain lengths of its frames, one after the other.
    pub(super) fn plain_lengths(&self) -> impl Iterator<Item = usize> + use<> {
        let size = self.size;
        let most = PLAIN_MAX as u64;
        (0..size.div_ceil(most))
            .map(move |number| usize::try_from((size - number * most).min(most)).unwrap_or(PLAIN_MAX))
    }

    /// What is wrong with it, whatever stands around it.
    fn problem(&self) -> Option<String> {
        if let MemberPath::Blob(digest) = self.path
            && digest != self.digest
        {
            return Some(format!("{} has another digest than its name", self.path));
        }
        // 2^53 bytes are more than anybody has, and leave room to add.
        if self.size > 1 << 53 {
            return Some(format!("{} claims to have {} bytes", self.path, self.size));
        }
        if let Encoding::Zstd(frames) = &self.encoding {
            let fits = frames.len() as u64 == self.size.div_ceil(PLAIN_MAX as u64);
            // Incompressible data grows a little; anything above that is no frame of ours.
            let small =
                frames.iter().all(|frame| (1..=stored_length(PLAIN_MAX) + 1024).contains(&(frame.length as usize)));
            if !fits || !small {
                return Some(format!("{} has frames that do not fit its size", self.path));
            }
        }
        None
    }
}

/// Where everything stands, counted from the beginning of the data.
pub(super) struct Offsets {
    /// Where each member's first frame begins.
    pub(super) members: Vec<u64>,
    /// Where the last frame ends.
    pub(super) end: u64,
}

impl Index {
    /// What is wrong with it: unsorted, repeated or impossible members.
    pub(super) fn problem(&self) -> Option<String> {
        if self.members.len() > MOST_MEMBERS || self.elsewhere.len() > MOST_MEMBERS {
            return Some(format!("the index has more than {MOST_MEMBERS} members"));
        }
        let unsorted = self.members.windows(2).find(|pair| pair[0].path >= pair[1].path);
        if let Some(pair) = unsorted {
            return Some(format!("{} stands twice or in the wrong place", pair[1].path));
        }
        let misplaced = self.elsewhere.windows(2).find(|pair| pair[0].digest >= pair[1].digest).map(|pair| pair[1]);
        let both = || self.elsewhere.iter().find(|blob| self.find(MemberPath::Blob(blob.digest)).is_some()).copied();
        if let Some(blob) = misplaced.or_else(both) {
            return Some(format!("{} stands twice or in the wrong place", blob.digest));
        }
        self.members.iter().find_map(Member::problem)
    }

    /// Every blob that belongs to it, here or elsewhere.
    pub fn blobs(&self) -> impl Iterator<Item = Elsewhere> {
        let here = self.members.iter().filter_map(|member| match member.path {
            MemberPath::Blob(digest) => Some(Elsewhere { digest, size: member.size }),
            _ => None,
        });
        here.chain(self.elsewhere.iter().copied())
    }

    /// Where everything stands; `None` if that is no number.
    pub(super) fn offsets(&self) -> Option<Offsets> {
        let mut at = 0_u64;
        let mut members = Vec::with_capacity(self.members.len());
        let mut before = None;
        for member in &self.members {
            at = at.checked_add(stored_length(between(before, member.path, member.size).len()) as u64)?;
            members.push(at);
            at = at.checked_add(member.length()?)?;
            before = Some(member.size);
        }
        let end = at.checked_add(stored_length(end(before).len()) as u64)?;
        Some(Offsets { members, end })
    }

    /// The member of that path.
    pub fn find(&self, path: MemberPath) -> Option<usize> {
        self.members.binary_search_by(|member| member.path.cmp(&path)).ok()
    }
}

//! A bundle together with those that it builds upon, read as one.

use std::io::Write;

use super::index::Elsewhere;
use super::layout::MemberPath;
use super::read::{Bad, Bundle, Refusal, Verified};
use super::statement::Statement;

/// A verified bundle and the verified bundles that hold what it does not: nothing is missing.
#[derive(Debug)]
pub struct BundleSet {
    newest: Bundle<Verified>,
    bases: Vec<Bundle<Verified>>,
}

impl BundleSet {
    /// Puts them together; refused if a blob stands in none of them.
    pub fn new(newest: Bundle<Verified>, bases: Vec<Bundle<Verified>>) -> Result<Self, Refusal> {
        let set = Self { newest, bases };
        let index = set.newest.index();
        let missing = index.elsewhere.iter().filter(|blob| set.base_of(**blob).is_none()).count();
        if missing == 0 {
            return Ok(set);
        }
        let here = |id| set.bases.iter().any(|base| base.id() == id);
        let named = &set.newest.statement().bases;
        let absent = named.iter().find(|base| !here(base.bundle)).or(named.last());
        let base = absent.map_or("another bundle".to_owned(), ToString::to_string);
        Err(Refusal::MissingBase { base, blobs: missing })
    }

    /// The base that holds a blob, and its place there.
    fn base_of(&self, blob: Elsewhere) -> Option<(&Bundle<Verified>, usize)> {
        self.bases.iter().find_map(|base| {
            let at = base.index().find(MemberPath::Blob(blob.digest))?;
            (base.index().members[at].size == blob.size).then_some((base, at))
        })
    }

    /// The bundle itself, without those that it builds upon.
    pub fn newest(&self) -> &Bundle<Verified> {
        &self.newest
    }

    /// What is signed.
    pub fn statement(&self) -> &Statement {
        self.newest.statement()
    }

    /// The paths of everything that it holds, here or in its bases.
    pub fn paths(&self) -> impl Iterator<Item = MemberPath> {
        let index = self.newest.index();
        let elsewhere = index.elsewhere.iter().map(|blob| MemberPath::Blob(blob.digest));
        index.members.iter().map(|member| member.path).chain(elsewhere)
    }

    /// How many bytes [`Self::check`] reads.
    pub fn size(&self) -> u64 {
        let elsewhere: u64 = self.newest.index().elsewhere.iter().map(|blob| blob.size).sum();
        self.statement().data_length + elsewhere
    }

    /// Writes a member, checked. Memory stays at one frame; an error means that what was written must not be used.
    pub fn copy_to(&self, path: MemberPath, out: &mut dyn Write) -> Result<(), Refusal> {
        if let MemberPath::Blob(digest) = path
            && let Some(blob) = self.newest.index().elsewhere.iter().find(|blob| blob.digest == digest)
            && let Some((base, _)) = self.base_of(*blob)
        {
            return base.copy_to(path, out);
        }
        self.newest.copy_to(path, out)
    }

    /// A member in memory; for documents, not for layers.
    pub fn read(&self, path: MemberPath) -> Result<Vec<u8>, Refusal> {
        let mut bytes = vec![];
        self.copy_to(path, &mut bytes)?;
        Ok(bytes)
    }

    /// Checks every byte of the bundle, and every blob that it takes from others, and names everything that is damaged.
    pub fn check(&self, threads: usize, progress: &(dyn Fn(u64) + Sync)) -> Result<Vec<Bad>, Refusal> {
        let mut bad = self.newest.check(threads, progress)?;
        for base in &self.bases {
            let wanted: Vec<usize> = (self.newest.index().elsewhere.iter())
                .filter_map(|blob| self.base_of(*blob).filter(|(holder, _)| std::ptr::eq(*holder, base)))
                .map(|(_, at)| at)
                .collect();
            bad.extend(base.check_members(&wanted, threads, progress)?);
        }
        Ok(bad)
    }
}

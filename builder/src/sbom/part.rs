//! What both documents have in common: every entry of the lock, sorted, with a name and a package URL.

use kubexm_model::cluster::schema::{Arch, word};
use kubexm_model::digest::Digest;
use kubexm_model::lock::{Lock, Locked};

use super::id::Ids;
use super::licence::Licence;
use super::purl;

/// An entry of the lock.
#[derive(Debug)]
pub(super) struct Part<'lock> {
    /// Its name inside the document.
    pub(super) id: String,
    pub(super) entry: &'lock Locked,
    pub(super) purl: String,
    pub(super) licence: Licence<'lock>,
    /// Its address upstream, if that is one that a browser could open.
    pub(super) address: Option<&'lock str>,
    /// Of an image with an index: the images that the index names.
    pub(super) platforms: Vec<Platform>,
}

/// An image for one platform.
#[derive(Debug)]
pub(super) struct Platform {
    pub(super) id: String,
    pub(super) arch: Arch,
    pub(super) manifest: Digest,
    pub(super) purl: String,
}

/// Every entry of the lock, sorted.
pub(super) fn parts(lock: &Lock) -> Vec<Part<'_>> {
    let mut entries: Vec<&Locked> = lock.entries.iter().collect();
    entries.sort_by_key(|entry| {
        let place = (&entry.component, &entry.source, entry.proof);
        (entry.kind, &entry.name, &entry.version, &entry.os, &entry.arch, entry.blob.digest, place)
    });
    let mut ids = Ids::default();
    entries.into_iter().map(|entry| part(&mut ids, entry)).collect()
}

fn part<'lock>(ids: &mut Ids, entry: &'lock Locked) -> Part<'lock> {
    let version = entry.version.as_deref().filter(|version| !entry.name.ends_with(version)).unwrap_or_default();
    // An image stands for all its platforms; what is made for one processor says so in its name.
    let arch: Vec<&str> = entry.arch.iter().filter(|_| entry.platforms.is_empty()).map(|arch| arch.as_str()).collect();
    let kind = word(&entry.kind);
    let os = entry.os.as_deref().filter(|os| *os != "linux").unwrap_or_default();
    let id = ids.take(&[&[kind.as_str(), &entry.name, version, os], arch.as_slice()].concat());
    // Without an index the entry is its only platform already.
    let named = entry.platforms.iter().filter(|image| image.manifest.digest != entry.blob.digest);
    let platforms = named.map(|image| Platform {
        id: ids.take(&[&kind, &entry.name, version, os, image.arch.as_str()]),
        arch: image.arch,
        manifest: image.manifest.digest,
        purl: purl::of_platform(entry, image.manifest.digest, image.arch),
    });
    let mut platforms: Vec<Platform> = platforms.collect();
    platforms.sort_by(|a, b| a.id.cmp(&b.id));
    Part {
        id,
        entry,
        purl: purl::of(entry),
        licence: Licence::of(entry.licence.as_deref()),
        address: address(&entry.source),
        platforms,
    }
}

/// Addresses of registries and lists of repositories have no form that the standards know.
fn address(source: &str) -> Option<&str> {
    let known = source.starts_with("https://") || source.starts_with("http://");
    let plain = |c: char| c.is_ascii_graphic() && !"<>\"{}|\\^`#".contains(c);
    (known && source.chars().all(plain)).then_some(source)
}

impl Part<'_> {
    /// Why it is wanted, without the names of hosts: these documents are handed around.
    pub(super) fn reasons(&self) -> Vec<&str> {
        let why = self.entry.reasons.iter().map(|reason| reason.why.as_str());
        let mut reasons: Vec<&str> = why.map(|why| if why.is_empty() { "every cluster" } else { why }).collect();
        reasons.sort_unstable();
        reasons.dedup();
        reasons
    }

    /// What it is for: `debian 12/amd64`.
    pub(super) fn platform(&self) -> String {
        let arch = self.entry.arch.iter().map(|arch| arch.as_str()).collect::<Vec<_>>().join(",");
        let words = [self.entry.os.clone().unwrap_or_default(), arch];
        words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join("/")
    }
}

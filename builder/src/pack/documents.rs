//! The documents of a bundle: its lock, its table of contents, its bills of materials.

use std::collections::BTreeMap;
use std::io;

use kubexm_model::bundle::{Encoding, Member, MemberPath, PLAIN_MAX, compress};
use kubexm_model::digest::Digest;
use kubexm_model::lock::Lock;
use serde::Serialize;

use super::blobs::{SMALL_LEVEL, table_entry};
use crate::sbom;

/// How the contents of the documents stand in the file, by their paths.
pub(super) type Documents = BTreeMap<MemberPath, Vec<u8>>;

/// A lock as it is written to a file and into a bundle.
pub fn lock_bytes(lock: &Lock) -> Vec<u8> {
    serde_json::to_value(lock)
        .ok()
        .and_then(|value| serde_yaml::to_string(&value).ok())
        .unwrap_or_default()
        .into_bytes()
}

/// The members for the documents, and their bytes.
pub(super) fn members(lock: &Lock) -> io::Result<(Vec<Member>, Documents)> {
    let manifest = serde_json::to_vec(&Contents::of(lock))?;
    let texts = [
        (MemberPath::Lock, lock_bytes(lock)),
        (MemberPath::Manifest, manifest),
        (MemberPath::CycloneDx, sbom::cyclonedx(lock)),
        (MemberPath::Spdx, sbom::spdx(lock)),
    ];
    let (mut members, mut contents) = (vec![], Documents::new());
    for (path, text) in texts {
        let mut frames = vec![];
        let mut bytes = vec![];
        for part in text.chunks(PLAIN_MAX) {
            let frame = compress(part, SMALL_LEVEL)?;
            frames.push(table_entry(&frame)?);
            bytes.extend_from_slice(&frame);
        }
        members.push(Member {
            path,
            size: text.len() as u64,
            digest: Digest::of(&text),
            encoding: Encoding::Zstd(frames),
        });
        contents.insert(path, bytes);
    }
    Ok((members, contents))
}

/// manifest.json: what the blobs are, for people with stock tools.
#[derive(Serialize)]
struct Contents<'a> {
    entries: Vec<Content<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Content<'a> {
    kind: kubexm_model::bom::Kind,
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    os: Option<&'a str>,
    arch: &'a [kubexm_model::cluster::schema::Arch],
    digest: Digest,
    blobs: Vec<Digest>,
}

impl<'a> Contents<'a> {
    fn of(lock: &'a Lock) -> Self {
        let content = |entry: &'a kubexm_model::lock::Locked| {
            let mut blobs: Vec<Digest> = entry.blobs().map(|blob| blob.digest).collect();
            blobs.sort();
            blobs.dedup();
            Content {
                kind: entry.kind,
                name: &entry.name,
                os: entry.os.as_deref(),
                arch: &entry.arch,
                digest: entry.blob.digest,
                blobs,
            }
        };
        Self { entries: lock.entries.iter().map(content).collect() }
    }
}

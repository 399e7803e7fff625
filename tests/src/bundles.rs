//! Small bundles made by hand, for the suites that damage them.

use std::collections::BTreeMap;
use std::io::{self, Cursor, Read};

use ed25519_dalek::SigningKey;
use kubexm_model::bundle::{
    Bundle, Elsewhere, Encoding, FORMAT, Frame, Member, MemberPath, PLAIN_MAX, Packer, Plan, PublicKey, Refusal,
    Statement, TrustedKeys, Verified, VolumeHead, WriteAt, compress, sign,
};
use kubexm_model::digest::Digest;

use crate::noise;

/// The key of that number.
pub fn key(seed: u8) -> SigningKey {
    SigningKey::from_bytes(&[seed; 32])
}

/// Trusts these keys.
pub fn trust(seeds: &[u8]) -> TrustedKeys {
    TrustedKeys::any_of(seeds.iter().map(|seed| PublicKey::from(&key(*seed))))
}

/// A statement that a plan can complete.
pub fn statement() -> Statement {
    Statement {
        format: FORMAT,
        cluster: "demo".to_owned(),
        channel: "stable".to_owned(),
        sequence: 7,
        created: 1_700_000_000,
        expires: 1_800_000_000,
        builder: "0".to_owned(),
        platforms: vec!["linux/amd64".to_owned()],
        bases: vec![],
        lock: Digest::of(b"lock"),
        index_length: 0,
        index: Digest::of(b""),
        data_length: 0,
    }
}

/// A member and its bytes as they stand in the file.
pub fn member(path: Option<MemberPath>, plain: &[u8], compressed: bool) -> (Member, Vec<u8>) {
    let digest = Digest::of(plain);
    let path = path.unwrap_or(MemberPath::Blob(digest));
    let size = plain.len() as u64;
    if !compressed {
        return (Member { path, size, digest, encoding: Encoding::Stored }, plain.to_vec());
    }
    let frames: Vec<Vec<u8>> = plain.chunks(PLAIN_MAX).map(|part| compress(part, 3).unwrap()).collect();
    let listed =
        frames.iter().map(|frame| Frame { length: u32::try_from(frame.len()).unwrap(), digest: Digest::of(frame) });
    (Member { path, size, digest, encoding: Encoding::Zstd(listed.collect()) }, frames.concat())
}

/// Writes a bundle of these members, signed by these keys.
pub fn pack(members: &[(Member, Vec<u8>)], keys: &[u8], threads: usize) -> Vec<u8> {
    let plan = plan(members, vec![], statement());
    let file = tempfile::tempfile().unwrap();
    write(&plan, members, keys, threads, &file);
    let mut bytes = vec![];
    (&file).read_to_end(&mut bytes).unwrap();
    assert_eq!(bytes.len() as u64, plan.size());
    bytes
}

/// Plans a bundle of these members, and of blobs that stand elsewhere.
pub fn plan(members: &[(Member, Vec<u8>)], elsewhere: Vec<Elsewhere>, statement: Statement) -> Plan {
    Plan::new(members.iter().map(|(member, _)| member.clone()).collect(), elsewhere, statement).unwrap()
}

/// Writes a planned bundle somewhere.
pub fn write(plan: &Plan, members: &[(Member, Vec<u8>)], keys: &[u8], threads: usize, out: &dyn WriteAt) {
    let contents: BTreeMap<MemberPath, Vec<u8>> =
        members.iter().map(|(member, bytes)| (member.path, bytes.clone())).collect();
    let signatures: Vec<_> = keys.iter().map(|seed| sign(plan.to_be_signed(), &key(*seed))).collect();
    let content = |member: &Member| -> io::Result<Box<dyn Read + Send>> {
        Ok(Box::new(Cursor::new(contents[&member.path].clone())))
    };
    Packer { content: &content, progress: &|_| {} }.write(plan, &signatures, out, threads).unwrap();
}

/// What stands before the statement: 9 + 8 + 32 bytes, and 16 places for signatures.
pub const FIXED: usize = 9 + 8 + 32 + 16 * 112;

/// A bundle with whatever index and data, signed by key 1 as if all were well.
pub fn sealed(mut statement: Statement, index: &[u8], data: &[u8]) -> Vec<u8> {
    statement.index = Digest::of(index);
    statement.index_length = index.len() as u64;
    let statement_bytes = serde_json::to_vec(&statement).unwrap();
    let signature = sign(&statement_bytes, &key(1));
    let mut front = plan(&[], vec![], statement).front(&[signature])[..FIXED].to_vec();
    front[25..33].copy_from_slice(&(statement_bytes.len() as u64).to_le_bytes());
    front[33..41].copy_from_slice(&(index.len() as u64).to_le_bytes());
    let skippable = u32::try_from(FIXED - 17 + statement_bytes.len() + index.len()).unwrap();
    front[13..17].copy_from_slice(&skippable.to_le_bytes());
    [&front[..], &statement_bytes, index, data].concat()
}

/// Cuts a bundle that was planned so into volumes, each with its head.
pub fn cut(plan: &Plan, bytes: &[u8], most: u64) -> Vec<(VolumeHead, Vec<u8>)> {
    let part = |head: &VolumeHead| {
        let start = usize::try_from(head.offset).unwrap();
        let end = start + usize::try_from(head.length).unwrap();
        [head.encode(), bytes[start..end].to_vec()].concat()
    };
    plan.volumes(most).unwrap().into_iter().map(|head| (head, part(&head))).collect()
}

/// About 64 KiB with every kind of member: documents, stored and compressed blobs, an empty one.
pub fn small() -> Vec<(Member, Vec<u8>)> {
    vec![
        member(Some(MemberPath::Lock), b"locked", true),
        member(Some(MemberPath::Manifest), b"{}", true),
        member(None, &noise(30_000, 1), false),
        member(None, &noise(513, 2), false),
        member(None, &noise(8_000, 3).repeat(4), true),
        member(None, b"", false),
    ]
}

/// Opens and verifies a bundle in memory.
pub fn open(bytes: Vec<u8>, keys: &TrustedKeys) -> Result<Bundle<Verified>, Refusal> {
    Bundle::open(Box::new(bytes))?.verify(keys)
}

/// Whether a bundle is accepted to the last byte.
pub fn accepted(bytes: Vec<u8>, keys: &TrustedKeys) -> bool {
    open(bytes, keys).is_ok_and(|bundle| bundle.check(1, &|_| {}).is_ok_and(|bad| bad.is_empty()))
}

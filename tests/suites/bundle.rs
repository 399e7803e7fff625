//! The bundle's format: stock tools read it, the same members give the same bytes, and no changed byte is accepted.

use std::io::Write;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

use kubexm_model::bundle::{
    Bundle, Encoding, Frame, Member, MemberPath, PLAIN_MAX, Plan, Refusal, Statement, TrustedKeys, Verified, compress,
    sign,
};
use kubexm_model::digest::Digest;
use kubexm_tests::bundles::{FIXED, accepted, key, member, open, pack, sealed, small, statement, trust};
use kubexm_tests::noise;
use proptest::prelude::*;

#[test]
fn what_was_packed_is_read_back() {
    let members = small();
    let bundle = open(pack(&members, &[1], 2), &trust(&[1])).unwrap();
    assert_eq!(bundle.statement().sequence, 7);
    assert_eq!(bundle.index().members.len(), members.len());
    assert_eq!(bundle.check(2, &|_| {}).unwrap(), []);
    assert_eq!(bundle.read(MemberPath::Lock).unwrap(), b"locked");
    for (member, _) in &members {
        assert_eq!(Digest::of(&bundle.read(member.path).unwrap()), member.digest);
    }
    assert!(matches!(bundle.read(MemberPath::Spdx), Err(Refusal::Missing(MemberPath::Spdx))));
}

#[test]
fn stock_tools_list_and_unpack_it() {
    let members = small();
    let bytes = pack(&members, &[1], 2);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.tar.zst");
    std::fs::File::create(&path).unwrap().write_all(&bytes).unwrap();
    let list = Command::new("tar").arg("-tf").arg(&path).output().unwrap();
    assert!(list.status.success(), "{}", String::from_utf8_lossy(&list.stderr));
    let mut names: Vec<String> = members.iter().map(|(member, _)| member.path.to_string()).collect();
    names.sort();
    assert_eq!(String::from_utf8(list.stdout).unwrap().lines().collect::<Vec<_>>(), names);
    let unpack = Command::new("tar").arg("-xf").arg(&path).current_dir(folder.path()).status().unwrap();
    assert!(unpack.success());
    for (member, _) in &members {
        let found = std::fs::File::open(folder.path().join(member.path.to_string())).unwrap();
        assert_eq!(Digest::of_reader(found).unwrap(), (member.digest, member.size));
    }
    let mut zstd = Command::new("zstd").args(["-dc"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdin = zstd.stdin.take().unwrap();
    let writer = std::thread::spawn(move || stdin.write_all(&bytes));
    let plain = zstd.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    assert!(plain.status.success() && plain.stdout.len().is_multiple_of(512));
}

#[test]
fn the_same_members_give_the_same_bytes_at_any_number_of_threads_and_in_any_order() {
    let mut members = small();
    members.push(member(None, &noise(9_000_000, 9), false));
    members.push(member(None, &noise(3_000_000, 10).repeat(3), true));
    let one = pack(&members, &[1], 1);
    members.reverse();
    assert!(one == pack(&members, &[1], 7));
    assert!(accepted(one, &trust(&[1])));
}

#[test]
fn every_flipped_bit_is_refused() {
    let bytes = pack(&small(), &[1, 2], 1);
    assert!((40_000..70_000).contains(&bytes.len()), "{}", bytes.len());
    let keys = trust(&[1]);
    assert!(accepted(bytes.clone(), &keys));
    let next = AtomicUsize::new(0);
    let tried = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    if at >= bytes.len() {
                        break;
                    }
                    for bit in 0..8 {
                        let mut bad = bytes.clone();
                        bad[at] ^= 1 << bit;
                        assert!(!accepted(bad, &keys), "byte {at}, bit {bit} can be changed");
                        tried.fetch_add(1, Ordering::Relaxed);
                    }
                }
            });
        }
    });
    assert_eq!(tried.into_inner(), bytes.len() * 8);
}

#[test]
fn every_truncation_and_every_addition_is_refused() {
    let bytes = pack(&small(), &[1], 1);
    let keys = trust(&[1]);
    for length in (0..bytes.len()).step_by(37).chain(bytes.len() - 3..bytes.len()) {
        assert!(!accepted(bytes[..length].to_vec(), &keys), "{length}");
    }
    for more in [&b"\0"[..], b"garbage", &bytes] {
        assert!(!accepted([&bytes[..], more].concat(), &keys));
    }
}

#[test]
fn damage_is_named() {
    let members = small();
    let bytes = pack(&members, &[1], 1);
    let keys = trust(&[1]);
    let large = noise(30_000, 1);
    let at = bytes.windows(100).position(|window| window == &large[5000..5100]).unwrap();
    let mut bad = bytes;
    bad[at] ^= 1;
    let found = open(bad, &keys).unwrap().check(2, &|_| {}).unwrap();
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].path, Some(MemberPath::Blob(Digest::of(&large))));
    assert!(found[0].offset < at as u64 && (at as u64) < found[0].offset + found[0].length);
}

#[test]
fn trust_comes_from_the_readers_keys_alone() {
    let refusal = |keys: &[u8], trusted: TrustedKeys| {
        open(pack(&small(), keys, 1), &trusted).err().map(|refusal| refusal.to_string())
    };
    assert_eq!(refusal(&[], trust(&[1])).unwrap(), "the bundle is not signed");
    assert!(refusal(&[2], trust(&[1])).unwrap().starts_with("the bundle is not signed by a trusted key"));
    assert!(refusal(&[1], trust(&[])).is_some());
    assert_eq!(refusal(&[1, 2], trust(&[2])), None);
    // The same key twice is one key.
    assert!(refusal(&[1, 1], trust(&[1, 2]).at_least(2)).is_some());
    assert_eq!(refusal(&[2, 1], trust(&[1, 2]).at_least(2)), None);
}

#[test]
fn a_signature_of_something_else_is_refused() {
    let members = small();
    let plan = Plan::new(members.iter().map(|(member, _)| member.clone()).collect(), vec![], statement()).unwrap();
    let other = sign(b"another statement", &key(1));
    let front = plan.front(&[other]);
    let mut bytes = pack(&members, &[1], 1);
    bytes[..front.len()].copy_from_slice(&front);
    assert!(matches!(open(bytes, &trust(&[1])), Err(Refusal::BadSignature(_))));
}

/// A bundle whose signed index says something impossible: signed by the right key, and refused all the same.
fn hostile(change: impl FnOnce(&mut serde_json::Value)) -> Result<Bundle<Verified>, Refusal> {
    let bytes = pack(&small(), &[1], 1);
    // The statement's length stands at byte 25, the index's at 33.
    let number = |at: usize| usize::try_from(u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap())).unwrap();
    let (statement_length, index_length) = (number(25), number(33));
    let statement: Statement = serde_json::from_slice(&bytes[FIXED..FIXED + statement_length]).unwrap();
    let index_at = FIXED + statement_length;
    let mut index: serde_json::Value = serde_json::from_slice(&bytes[index_at..index_at + index_length]).unwrap();
    change(&mut index);
    let data = &bytes[index_at + index_length..];
    open(sealed(statement, &serde_json::to_vec(&index).unwrap(), data), &trust(&[1]))
}

#[test]
fn a_signed_index_that_says_something_impossible_is_refused() {
    assert!(hostile(|_| {}).unwrap().check(1, &|_| {}).unwrap().is_empty(), "the harness itself is sound");
    type Change = fn(&mut serde_json::Value);
    let changes: &[(&str, Change)] = &[
        ("path outside", |index| index["members"][0]["path"] = "../../etc/passwd".into()),
        ("absolute path", |index| index["members"][5]["path"] = "/etc/passwd".into()),
        ("unknown document", |index| index["members"][5]["path"] = "other.json".into()),
        ("twice", |index| index["members"][1] = index["members"][0].clone()),
        ("unsorted", |index| index["members"].as_array_mut().unwrap().reverse()),
        ("huge size", |index| index["members"][0]["size"] = u64::MAX.into()),
        ("size that wraps", |index| index["members"][0]["size"] = (1_u64 << 62).into()),
        ("negative size", |index| index["members"][0]["size"] = (-1).into()),
        ("one byte more", |index| index["members"][5]["size"] = 3.into()),
        ("no frames", |index| index["members"][5]["encoding"]["zstd"] = serde_json::json!([])),
        ("frame of no length", |index| index["members"][5]["encoding"]["zstd"][0]["length"] = 0.into()),
        ("frame of 4 GiB", |index| index["members"][5]["encoding"]["zstd"][0]["length"] = u32::MAX.into()),
        ("bad digest", |index| index["members"][5]["digest"] = "sha256:../../x".into()),
        ("name of another blob", |index| index["members"][0]["digest"] = Digest::of(b"other").to_string().into()),
        ("mode", |index| index["members"][0]["mode"] = 0o4755.into()),
        ("link", |index| index["members"][0]["link"] = "/etc/passwd".into()),
        ("no members", |index| index["members"] = serde_json::json!([])),
        ("more fields", |index| index["more"] = true.into()),
        ("no list", |index| *index = 1.into()),
    ];
    for (name, change) in changes {
        assert!(hostile(change).is_err(), "{name} is accepted");
    }
}

#[test]
fn a_signed_bomb_stops_at_its_signed_size() {
    // A frame that expands a thousandfold, listed as if it held a few bytes.
    let frame = compress(&vec![0; PLAIN_MAX], 19).unwrap();
    let plain = vec![0; 100];
    let bomb = Member {
        path: MemberPath::Lock,
        size: 100,
        digest: Digest::of(&plain),
        encoding: Encoding::Zstd(vec![Frame {
            length: u32::try_from(frame.len()).unwrap(),
            digest: Digest::of(&frame),
        }]),
    };
    let bundle = open(pack(&[(bomb, frame)], &[1], 1), &trust(&[1])).unwrap();
    assert!(matches!(bundle.read(MemberPath::Lock), Err(Refusal::Damaged(_))));
    assert_eq!(bundle.check(1, &|_| {}).unwrap().len(), 1);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 5_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_damage_is_refused(
        faults in prop::collection::vec((any::<prop::sample::Index>(), 1_usize..4096, any::<u8>()), 1..8),
        zero in any::<bool>(),
    ) {
        static BYTES: std::sync::LazyLock<Vec<u8>> = std::sync::LazyLock::new(|| {
            let mut members = small();
            members.push(member(None, &noise(600_000, 4), false));
            members.push(member(None, &noise(50_000, 5).repeat(9), true));
            pack(&members, &[1], 1)
        });
        let mut bad = BYTES.clone();
        for (at, length, value) in faults {
            let start = at.index(bad.len());
            let end = (start + length).min(bad.len());
            bad[start..end].iter_mut().for_each(|byte| *byte = if zero { 0 } else { byte.wrapping_add(value) });
        }
        prop_assert_eq!(accepted(bad.clone(), &trust(&[1])), bad == *BYTES);
    }

    #[test]
    fn no_bytes_make_the_reader_panic(bytes in prop::collection::vec(any::<u8>(), 0..4096)) {
        prop_assert!(!accepted(bytes, &trust(&[1])));
    }
}

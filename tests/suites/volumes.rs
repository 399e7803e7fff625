//! A bundle cut into volumes: found in any order and any folder, and refused if one is missing, swapped, or changed.

use std::io::Write;
use std::path::Path;
use std::process::Command;

use kubexm_model::bundle::{Bundle, Refusal, TrustedKeys, Verified, VolumeHead, Volumes};
use kubexm_model::digest::Digest;
use kubexm_tests::bundles::{cut, pack, plan, small, statement, trust};

/// The largest member of the small bundle takes 30 KB in one frame.
const MOST: u64 = 31_000;

fn volumes() -> Vec<(VolumeHead, Vec<u8>)> {
    let members = small();
    let volumes = cut(&plan(&members, vec![], statement()), &pack(&members, &[1], 2), MOST);
    assert!(volumes.len() >= 3, "{}", volumes.len());
    volumes
}

fn gather(files: Vec<Vec<u8>>, bundle: Digest, keys: &TrustedKeys) -> Result<Bundle<Verified>, Refusal> {
    let heads = files.into_iter().filter_map(|file| {
        let head = VolumeHead::read(&file).unwrap()?;
        Some((head, Box::new(file) as Box<dyn kubexm_model::bundle::ReadAt>))
    });
    Volumes::gather(bundle, heads.collect())?.open()?.verify(keys)
}

/// Whether volumes are accepted to the last byte.
fn accepted(files: Vec<Vec<u8>>, bundle: Digest) -> bool {
    gather(files, bundle, &trust(&[1])).is_ok_and(|bundle| bundle.check(1, &|_| {}).is_ok_and(|bad| bad.is_empty()))
}

fn files(volumes: &[(VolumeHead, Vec<u8>)]) -> Vec<Vec<u8>> {
    volumes.iter().map(|(_, file)| file.clone()).collect()
}

#[test]
fn any_order_is_read_and_no_volume_is_too_large() {
    let volumes = volumes();
    assert!(volumes.iter().all(|(head, file)| file.len() as u64 <= MOST && file.len() as u64 == head.file_size()));
    let id = volumes[0].0.bundle;
    let mut files = files(&volumes);
    assert!(accepted(files.clone(), id));
    files.reverse();
    assert!(accepted(files.clone(), id));
    files.swap(0, 1);
    files.push(files[2].clone());
    assert!(accepted(files, id), "a second copy of a volume does no harm");
}

#[test]
fn stock_tools_read_the_volumes_in_a_row() {
    let folder = tempfile::tempdir().unwrap();
    let mut file = std::fs::File::create(folder.path().join("all.tar.zst")).unwrap();
    files(&volumes()).iter().for_each(|volume| file.write_all(volume).unwrap());
    let list = Command::new("tar").arg("-tf").arg(folder.path().join("all.tar.zst")).output().unwrap();
    assert!(list.status.success(), "{}", String::from_utf8_lossy(&list.stderr));
    assert_eq!(String::from_utf8(list.stdout).unwrap().lines().count(), small().len());
}

#[test]
fn a_missing_volume_is_named() {
    let volumes = volumes();
    let (id, count) = (volumes[0].0.bundle, volumes.len());
    for left_out in 0..count {
        let mut files = files(&volumes);
        files.remove(left_out);
        let refusal = gather(files, id, &trust(&[1])).unwrap_err().to_string();
        assert_eq!(refusal, format!("volume {} of {count} is missing", left_out + 1));
    }
}

#[test]
fn volumes_of_another_bundle_are_left_aside() {
    let ours = volumes();
    let mut others = small();
    others.pop();
    let theirs = cut(&plan(&others, vec![], statement()), &pack(&others, &[1], 1), MOST);
    let mixed: Vec<Vec<u8>> = [&theirs[0].1, &ours[1].1, &ours[2].1].map(Clone::clone).to_vec();
    let refusal = gather(mixed, ours[0].0.bundle, &trust(&[1])).unwrap_err();
    assert!(matches!(refusal, Refusal::MissingVolumes { ref missing, .. } if missing.contains(&1)), "{refusal}");
    // Dressed up as one of ours, it is found out.
    let head = VolumeHead { bundle: ours[0].0.bundle, length: theirs[0].0.length, ..ours[0].0 };
    let dressed = [head.encode(), theirs[0].1[VolumeHead::LENGTH..].to_vec()].concat();
    let mut files = files(&ours);
    files[0] = dressed;
    assert!(!accepted(files, ours[0].0.bundle));
}

#[test]
fn swapped_numbers_and_short_or_long_volumes_are_refused() {
    let volumes = volumes();
    let id = volumes[0].0.bundle;
    let mut swapped = files(&volumes);
    let body = |at: usize| volumes[at].1[VolumeHead::LENGTH..].to_vec();
    let (mut first, mut second) = (volumes[0].0, volumes[1].0);
    std::mem::swap(&mut first.number, &mut second.number);
    (swapped[0], swapped[1]) = ([first.encode(), body(0)].concat(), [second.encode(), body(1)].concat());
    assert!(!accepted(swapped, id));
    for change in [-1_i64, 1] {
        let mut other = files(&volumes);
        let length = usize::try_from(i64::try_from(other[1].len()).unwrap() + change).unwrap();
        other[1].resize(length, 0);
        let refusal = gather(other, id, &trust(&[1])).unwrap_err().to_string();
        assert!(refusal.contains("volume 2 does not fit"), "{refusal}");
    }
}

#[test]
fn every_flipped_bit_of_a_head_is_refused() {
    let volumes = volumes();
    let id = volumes[0].0.bundle;
    for at in 0..volumes.len() {
        for byte in 0..VolumeHead::LENGTH {
            for bit in 0..8 {
                let mut bad = files(&volumes);
                bad[at][byte] ^= 1 << bit;
                assert!(!accepted(bad, id), "volume {at}, byte {byte}, bit {bit} can be changed");
            }
        }
    }
}

#[test]
fn damage_says_in_which_volume_it_is() {
    let volumes = volumes();
    let mut bad = files(&volumes);
    let last = bad.len() - 1;
    let middle = bad[last].len() / 2;
    bad[last][middle] ^= 1;
    let found = gather(bad, volumes[0].0.bundle, &trust(&[1])).unwrap().check(2, &|_| {}).unwrap();
    assert_eq!(found.iter().map(|bad| bad.volume).collect::<Vec<_>>(), [Some(u32::try_from(last).unwrap() + 1)]);
}

/// Writes a volume into a folder.
fn put(folder: &Path, name: &str, bytes: &[u8]) {
    std::fs::create_dir_all(folder).unwrap();
    std::fs::File::create(folder.join(name)).unwrap().write_all(bytes).unwrap();
}

#[test]
fn the_programs_find_volumes_in_several_folders_and_name_the_missing_one() {
    let volumes = volumes();
    let folder = tempfile::tempdir().unwrap();
    let (here, there) = (folder.path().join("here"), folder.path().join("there"));
    for (head, file) in &volumes {
        let place = if head.number % 2 == 1 { &here } else { &there };
        put(place, &format!("x.tar.zst.{:03}", head.number), file);
    }
    let pem = kubexm_model::bundle::PublicKey::from(&kubexm_tests::bundles::key(1)).to_pem();
    put(&here, "key.pub", pem.as_bytes());
    let run = |args: &[&str]| {
        let output =
            Command::new(kubexm_tests::program("kubexm-install")).current_dir(&here).args(args).output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    let (code, error) = run(&["extract", "x.tar.zst", "--key", "key.pub", "-o", "out"]);
    assert_eq!(code, Some(4));
    assert!(error.contains("volume 2") && error.contains("x.tar.zst.002"), "{error}");
    for name in ["x.tar.zst", "x.tar.zst.003", "../there/x.tar.zst.002"] {
        let out = format!("out{}", name.len());
        let (code, error) =
            run(&["extract", name, "--key", "key.pub", "-o", &out, "--volumes", "../there", "--volumes", "."]);
        assert_eq!(code, Some(0), "{error}");
        assert_eq!(std::fs::read_dir(here.join(&out).join("blobs/sha256")).unwrap().count(), 4);
    }
}

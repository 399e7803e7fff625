//! The page as a whole: every byte counted once, everything escaped, everything there.

use std::collections::BTreeMap;

use kubexm_model::bom::Kind;
use kubexm_model::bundle::{Encoding, Frame, Index, Member, MemberPath, Statement};
use kubexm_model::digest::Digest;
use kubexm_model::lock::{Lock, Proof};
use serde_json::Value;

use super::*;
use crate::sbom::sample::{self, HOSTILE};

fn statement(lock: &Lock) -> Statement {
    Statement {
        format: 1,
        cluster: lock.cluster.clone(),
        channel: "stable".to_owned(),
        sequence: 42,
        created: lock.created,
        expires: lock.created + 1000,
        builder: "0.1.0".to_owned(),
        platforms: vec!["linux/amd64".to_owned()],
        bases: vec![],
        lock: Digest::of(b"lock"),
        index_length: 1024,
        index: Digest::of(b"index"),
        data_length: 2 * 1024 * 1024,
    }
}

fn contents(lock: &Lock) -> Contents {
    Contents::of(lock, &statement(lock), &["3f1c 9a70".to_owned()])
}

/// The sample, and the same some time later.
fn two() -> (Contents, Contents) {
    let before = sample::lock();
    let mut after = before.clone();
    after.entries.retain(|entry| entry.name != "chrony");
    for entry in &mut after.entries {
        match entry.name.as_str() {
            "registry.example/pause:3.10.1" => {
                entry.name = "registry.example/pause:3.11".to_owned();
                entry.version = Some("3.11".to_owned());
                entry.blob = sample::blob("pause 3.11", 9_000_000);
            }
            "kube-flannel.yml" => entry.blob = sample::blob("other flannel", entry.blob.size),
            "ingress-nginx" => entry.blob = sample::blob("other ingress", 10),
            _ => {}
        }
    }
    after.entries.push(sample::entry(Kind::Binary, "helm", "4", "https://files.example/helm", 17_000_000));
    (contents(&before), contents(&after))
}

#[test]
fn every_byte_is_counted_once() {
    let lock = sample::lock();
    let contents = contents(&lock);
    let blobs: BTreeMap<Digest, u64> =
        lock.entries.iter().flat_map(kubexm_model::lock::Locked::blobs).map(|blob| (blob.digest, blob.size)).collect();
    assert_eq!(contents.size, blobs.values().sum::<u64>());
    let alone: u64 = contents.items.iter().map(|item| item.alone).sum();
    let shared: u64 = contents.shared.iter().map(|shared| shared.size).sum();
    assert_eq!(alone + shared, contents.size);
    // Two images have a layer in common on two platforms; the program for two platforms is one file.
    let images = contents.shared.iter().find(|shared| shared.kind == Kind::Image).unwrap();
    let names: Vec<&str> = images.users.iter().map(|user| contents.items[*user].name.as_str()).collect();
    assert_eq!(names, ["registry.example/library/Etcd:3.6.6-0", "host.example:5000/net/flannel:v1"]);
    assert_eq!((images.blobs, images.size), (2, 60_000_000));
    let runc = contents.items.iter().find(|item| item.name == "runc").unwrap();
    assert_eq!((runc.size, runc.alone), (12_000_000, 0));
    // The index of this image is its only manifest, and weighs once.
    let pause = contents.items.iter().find(|item| item.name == "registry.example/pause:3.10.1").unwrap();
    assert_eq!((pause.size, pause.alone), (300_000 + 700 + 1500, 300_000 + 700 + 1500));
}

#[test]
fn sizes_in_the_bundle_are_those_of_its_index() {
    let mut lock = sample::lock();
    lock.entries.retain(|entry| ["odd", "chrony", "kube-flannel.yml"].contains(&entry.name.as_str()));
    let member = |name: &str, encoding| {
        let entry = lock.entries.iter().find(|entry| entry.name == name).unwrap();
        let digest = entry.blob.digest;
        Member { path: MemberPath::Blob(digest), size: entry.blob.size, digest, encoding }
    };
    let frame = |length| Frame { length, digest: Digest::of(b"frame") };
    let index = Index {
        members: vec![
            member("odd", Encoding::Stored),
            member("kube-flannel.yml", Encoding::Zstd(vec![frame(100), frame(7)])),
        ],
        elsewhere: vec![],
    };
    let contents = Contents::of_bundle(&lock, &statement(&lock), &[], &index);
    let sizes: Vec<(&str, u64)> = contents.items.iter().map(|item| (item.name.as_str(), item.size)).collect();
    assert_eq!(sizes, [("kube-flannel.yml", 107), ("chrony", 0), ("odd", 300_000)]);
    assert_eq!(contents.size, 300_107);
}

#[test]
fn entries_are_recognised_across_versions() {
    let (before, after) = two();
    let changes = Changes::between(&before, &after);
    let found: BTreeMap<&str, How> = changes
        .changes
        .iter()
        .map(|c| (c.after.map_or_else(|| &*before.items[c.before.unwrap()].name, |at| &*after.items[at].name), c.how))
        .collect();
    let wanted = [
        ("chrony", How::Removed),
        ("helm", How::Added),
        ("ingress-nginx", How::Shrunk),
        ("kube-flannel.yml", How::Changed),
        ("registry.example/pause:3.11", How::Grown),
    ];
    assert_eq!(found, wanted.into());
    assert_eq!(changes.same, before.items.len() - 4);
    assert_eq!((changes.before, changes.after), (before.size, after.size));
    assert_eq!(changes.changes[0].how, How::Added, "the heaviest comes first");
    let none = Changes::between(&after, &after);
    assert_eq!((none.changes.len(), none.same), (0, after.items.len()));
}

#[test]
fn nothing_hostile_gets_into_the_page() {
    let mut lock = sample::lock();
    lock.cluster = HOSTILE.to_owned();
    let statement = Statement { channel: HOSTILE.to_owned(), platforms: vec![HOSTILE.to_owned()], ..statement(&lock) };
    let contents = Contents::of(&lock, &statement, &[HOSTILE.to_owned()]);
    let empty = Contents { items: vec![], shared: vec![], ..contents.clone() };
    let page = render(&contents, Some(&empty));
    assert_eq!(page.matches("<script").count(), 2, "the data and our own");
    assert_eq!(page.matches("</script").count(), 2);
    assert!(page.matches("&lt;script&gt;alert(").count() > 10);
    assert!(!page.contains("alert(\"") && !page.contains("alert('"), "{page}");
}

#[test]
fn only_our_script_runs_and_nothing_is_loaded() {
    let (before, after) = two();
    let page = render(&after, Some(&before));
    let script = page.rsplit_once("<script>").unwrap().1.split_once("</script>").unwrap().0;
    assert_eq!(script, SCRIPT);
    // echo -n abc | openssl dgst -sha256 -binary | base64
    assert_eq!(view::source_of("abc"), "'sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0='");
    assert!(page.contains(&handlebars::html_escape(&view::source_of(script))));
    for loading in [" src=", "<link", "@import", "url(", "<img", "<iframe", "<object", " onclick", "javascript:"] {
        assert!(!page.contains(loading), "{loading}");
    }
}

#[test]
fn scripts_find_the_same_numbers_in_the_page() {
    let (before, after) = two();
    let page = render(&after, Some(&before));
    let json = page.split_once("id=\"data\">").unwrap().1.split_once("</script>").unwrap().0;
    let data: Value = serde_json::from_str(json).unwrap();
    assert_eq!(data["contents"], serde_json::to_value(&after).unwrap());
    assert_eq!(data["other"], serde_json::to_value(&before).unwrap());
    assert_eq!(data["contents"]["statement"]["sequence"], 42);
    assert_eq!(data["changes"]["changes"][0]["how"], "added");
    assert_eq!(page, render(&after, Some(&before)), "same input, same page");
}

/// The number in front of a percent sign, behind this word.
fn number(text: &str, word: &str) -> f64 {
    text.split_once(word).unwrap().1.split_once('%').unwrap().0.parse().unwrap()
}

#[test]
fn everything_has_a_row_and_everything_with_bytes_a_tile() {
    let (before, after) = two();
    let page = render(&after, None);
    assert!(!page.contains("What changed") && !page.contains("class=\"mark"));
    for (at, item) in after.items.iter().enumerate() {
        assert_eq!(page.matches(&format!("<tr id=\"e{at}\">")).count(), 1);
        assert_eq!(page.matches(&format!("href=\"#e{at}\"")).count(), usize::from(item.alone > 0), "{}", item.name);
    }
    let tiles: Vec<&str> = page.split("<a class=\"tile ").skip(1).collect();
    let area = |tile: &&str| number(tile, "width:") * number(tile, "height:") / 10_000.0;
    assert!((tiles.iter().map(area).sum::<f64>() - 1.0).abs() < 1e-3);
    let helm = tiles.iter().find(|tile| tile.contains("label\">helm<")).unwrap();
    assert!((area(helm) - number::real(17_000_000) / number::real(after.size)).abs() < 1e-4);
    let page = render(&after, Some(&before));
    for text in
        ["What changed", "class=\"mark added\">+", "class=\"mark removed\">−", "class=\"mark changed\">~", "grown"]
    {
        assert!(page.contains(text), "{text}");
    }
}

#[test]
fn the_chain_of_trust_shows_where_it_is_weak() {
    let lock = sample::lock();
    let mut contents = contents(&lock);
    assert!(render(&contents, None).contains("<li class=\"weak\">"), "something was taken at first sight");
    assert!(render(&contents, None).contains("3f1c 9a70"));
    contents.items.retain(|item| item.proof != Proof::FirstSight);
    contents.shared.clear();
    let good = render(&contents, None);
    assert!(!good.contains("<li class=\"weak\">") && !good.contains("<li class=\"broken\">"));
    contents.keys.clear();
    assert!(render(&contents, None).contains("<li class=\"broken\">"));
}

#[test]
fn absurd_sizes_do_no_harm() {
    let mut lock = sample::lock();
    for entry in &mut lock.entries {
        entry.blob.size = u64::MAX;
    }
    let contents = contents(&lock);
    assert_eq!(contents.size, u64::MAX);
    assert!(render(&contents, Some(&contents)).starts_with("<!DOCTYPE html>"));
}

#[test]
fn an_empty_bundle_has_a_page() {
    let mut lock = sample::lock();
    lock.entries.clear();
    let page = render(&contents(&lock), None);
    assert!(page.starts_with("<!DOCTYPE html>") && !page.contains("NaN"), "{page}");
}

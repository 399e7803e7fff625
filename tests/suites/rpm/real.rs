//! Real packages: resolved by us, signed by gpg, installed by dnf where there is no network.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

use kubexm_builder::packages::rpm::file;
use kubexm_builder::packages::rpm::repository::{Proof, Source};
use kubexm_builder::packages::rpm::{Needed, Request};
use kubexm_builder::packages::signature::Keyring;

use super::built;
use super::gpg::Signer;
use super::made::Made;
use super::ours;

/// Alternatives, rich dependencies, epochs, tildes, carets, files in both lists, and what takes another's place.
fn world() -> Vec<Made> {
    let new = Made::new;
    vec![
        new("app", "1.0-1")
            .requires("(web-a or web-b)")
            .requires("lib >= 1:2.0~rc1")
            .requires("/usr/share/data/words")
            .requires("(plugin if web-b else nothing)")
            .requires("old-tool"),
        new("web-a", "3.0-1").requires("gone").file("/usr/bin/web"),
        new("web-b", "2.0-1").provides("web = 2").file("/usr/bin/web"),
        new("lib", "9.0-1"),
        new("lib", "1:2.0~rc1-1"),
        new("lib", "1:2.0-1").requires("/usr/bin/tool"),
        new("lib", "1:2.0^git7-1").requires("/usr/bin/tool").conflicts("(app and lib-extra)"),
        new("lib-extra", "1.0-1").provides("nothing"),
        new("words", "1.0-1").file("/usr/share/data/words"),
        new("plugin", "1.0-1").requires("(web with web = 2)"),
        new("old-tool", "1.0-1").file("/usr/bin/tool"),
        new("new-tool", "2.0-1").provides("old-tool = 2.0-1").obsoletes("old-tool < 2").file("/usr/bin/tool"),
    ]
}

const CLOSURE: [&str; 6] = [
    "app-1.0-1.noarch",
    "lib-1:2.0^git7-1.noarch",
    "new-tool-2.0-1.noarch",
    "plugin-1.0-1.noarch",
    "web-b-2.0-1.noarch",
    "words-1.0-1.noarch",
];

/// A signed repository of signed packages.
fn repository(folder: &Path, signer: &Signer) -> PathBuf {
    let repository = folder.join("repository");
    let files = built::packages(&repository, &world());
    signer.sign_packages(&files);
    built::createrepo(&repository);
    signer.sign(&repository.join("repodata/repomd.xml"));
    repository
}

fn request(repository: &Path, keys: Option<&[u8]>, signed_metadata: bool) -> Request {
    let source = Source {
        keys: keys.map(|keys| Keyring::read(keys).expect("a key")),
        signed_metadata,
        ..ours::source("test", &format!("file://{}", repository.display()), 99)
    };
    Request {
        sources: vec![source],
        arch: "x86_64".to_owned(),
        release: "9".to_owned(),
        wanted: vec!["app".to_owned()],
        ..Request::default()
    }
}

fn names(needed: &[Needed]) -> Vec<String> {
    needed.iter().map(|one| format!("{}-{}.{}", one.name, one.evr, one.arch)).collect()
}

/// An error with all its causes.
fn told(error: &dyn std::error::Error) -> String {
    let mut words = error.to_string();
    let mut next = error.source();
    while let Some(error) = next {
        words = format!("{words}: {error}");
        next = error.source();
    }
    words
}

fn refused(request: &Request) -> String {
    told(&ours::run(request).expect_err("it must be refused"))
}

fn path_of(needed: &Needed) -> PathBuf {
    PathBuf::from(needed.address.strip_prefix("file://").expect("a file"))
}

#[test]
fn a_closure_is_installed_where_there_is_no_network() {
    let folder = tempfile::tempdir().expect("a folder");
    let signer = Signer::new();
    let repository = repository(folder.path(), &signer);
    let needed = ours::run(&request(&repository, Some(&signer.key()), true)).expect("an answer");
    assert_eq!(names(&needed), CLOSURE);
    assert!(needed.iter().all(|one| matches!(one.proof, Proof::Metadata { .. })));
    assert_eq!(needed[0].reason.to_string(), "wanted as app");
    assert_eq!(needed[1].reason.to_string(), "app-1.0-1.noarch needs lib >= 1:2.0~rc1");
    let offline = folder.path().join("offline");
    std::fs::create_dir(&offline).expect("a folder");
    for one in &needed {
        let from = path_of(one);
        std::fs::copy(&from, offline.join(from.file_name().expect("a name"))).expect("a copy");
    }
    built::createrepo(&offline);
    let root = folder.path().join("root");
    // A network namespace of its own has no way out.
    built::run(
        Command::new("unshare")
            .args(["--net", "dnf", "-y", "--releasever=9", "--disableplugin=*", "--setopt=reposdir=/nonexistent"])
            .args(["--setopt=install_weak_deps=0", "--setopt=gpgcheck=1", "--forcearch=x86_64"])
            .arg(format!("--setopt=cachedir={}", folder.path().join("cache").display()))
            .arg(format!("--repofrompath=offline,file://{}", offline.display()))
            .arg(format!("--setopt=offline.gpgkey=file://{}", signer.key_file().display()))
            .arg(format!("--installroot={}", root.display()))
            .args(["install", "app"]),
    );
    let query = ["-qa", "--qf", "%{NAME}-%{EVR}.%{ARCH}\\n"];
    let installed = built::run(Command::new("rpm").arg(format!("--root={}", root.display())).args(query));
    let installed: BTreeSet<&str> = installed.lines().filter(|line| !line.starts_with("gpg-pubkey")).collect();
    assert_eq!(installed, CLOSURE.into_iter().collect());
}

#[test]
fn who_signed_what_is_looked_at() {
    let folder = tempfile::tempdir().expect("a folder");
    let (signer, stranger) = (Signer::new(), Signer::new());
    let repository = repository(folder.path(), &signer);
    let list = repository.join("repodata/repomd.xml");
    let signature = repository.join("repodata/repomd.xml.asc");
    let (key, other) = (signer.key(), stranger.key());
    let both = [key.as_slice(), other.as_slice()].concat();
    assert!(ours::run(&request(&repository, Some(&both), true)).is_ok());
    let words = refused(&request(&repository, Some(&other), true));
    assert!(
        words.contains("repository test: the signature of repomd.xml") && words.contains("none of the given keys"),
        "{words}"
    );
    let good = std::fs::read(&list).expect("the list");
    std::fs::write(&list, [good.as_slice(), b"\n"].concat()).expect("the list");
    let words = refused(&request(&repository, Some(&key), false));
    assert!(words.contains("does not fit the content"), "{words}");
    std::fs::write(&list, &good).expect("the list");
    signer.sign_with(&list, "SHA1");
    let words = refused(&request(&repository, Some(&key), true));
    assert!(words.contains("uses SHA1, which is too weak"), "{words}");
    let past = Signer::expired();
    past.sign(&list);
    let words = refused(&request(&repository, Some(&past.key()), true));
    assert!(words.contains("the key has expired"), "{words}");
    std::fs::remove_file(&signature).expect("the signature");
    let words = refused(&request(&repository, Some(&key), true));
    assert!(words.contains("repository test: repomd.xml must be signed"), "{words}");
    let unsigned = ours::run(&request(&repository, Some(&key), false)).expect("packages are signed");
    assert!(unsigned.iter().all(|one| one.proof == Proof::Packages));
    let nobody = ours::run(&request(&repository, None, false)).expect("nobody vouches");
    assert!(nobody.iter().all(|one| one.proof == Proof::Connection));
}

#[test]
fn files_that_are_not_what_they_should_be_are_refused_by_name() {
    let folder = tempfile::tempdir().expect("a folder");
    let (signer, stranger) = (Signer::new(), Signer::new());
    let repository = repository(folder.path(), &signer);
    std::fs::remove_file(repository.join("repodata/repomd.xml.asc")).expect("the signature");
    let keys = Keyring::read(&signer.key()).expect("a key");
    let needed = ours::run(&request(&repository, Some(&signer.key()), false)).expect("an answer");
    let now = SystemTime::now();
    for one in &needed {
        file::check(&path_of(one), one, Some(&keys), now).unwrap_or_else(|error| panic!("{}", told(&error)));
    }
    let (app, words) = (&needed[0], &needed[5]);
    let said = |path: &Path, needed: &Needed, keys: &Keyring| {
        told(&file::check(path, needed, Some(keys), now).expect_err("it must be refused"))
    };
    let foreign = Keyring::read(&stranger.key()).expect("a key");
    assert!(said(&path_of(app), app, &foreign).contains("the signature of the package app-1.0-1.noarch"));
    assert!(said(&path_of(words), app, &keys).contains("app-1.0-1.noarch is not the one that its repository lists"));
    // A list that nobody signed may name a good package of the distribution where another is meant.
    let swapped = Needed { size: words.size, checksum: words.checksum.clone(), ..app.clone() };
    assert!(said(&path_of(words), &swapped, &keys).contains("the name in it is words-1.0-1.noarch"));
    let changed = folder.path().join("changed.rpm");
    let mut bytes = std::fs::read(path_of(app)).expect("a package");
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    std::fs::write(&changed, &bytes).expect("a package");
    assert!(said(&changed, app, &keys).contains("its checksum is not sha256:"));
    let sum = kubexm_builder::packages::rpm::checksum::Checksum::Sha256(kubexm_model::digest::Digest::of(&bytes));
    let listed = Needed { checksum: sum, ..app.clone() };
    assert!(said(&changed, &listed, &keys).contains("its contents are not those that were signed"));
    let primary = std::fs::read_dir(repository.join("repodata"))
        .expect("metadata")
        .find_map(|entry| Some(entry.ok()?.path()).filter(|path| path.to_string_lossy().ends_with("primary.xml.gz")));
    let primary = primary.expect("a list of packages");
    let mut bytes = std::fs::read(&primary).expect("a list");
    bytes[20] ^= 1;
    std::fs::write(&primary, &bytes).expect("a list");
    let words = refused(&request(&repository, None, false));
    assert!(words.contains("primary.xml.gz is not what repomd.xml lists: its checksum is not"), "{words}");
}

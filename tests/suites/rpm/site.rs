//! Repositories that we write for nodes, read by dnf and apt with signatures enforced.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use kubexm_installer::repository::Files;
use kubexm_installer::repository::apt::{self, AptPackage};
use kubexm_installer::repository::key::SiteKey;
use kubexm_installer::repository::rpm::{self, RpmPackage};
use kubexm_model::digest::Digest;

use super::built;
use super::made::Made;

/// A day like any other.
fn day() -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(1_750_000_000)
}

fn key() -> SiteKey {
    SiteKey::generate("KubeXM site <site@example.org>", day()).expect("a key")
}

fn put(folder: &Path, files: &Files) {
    for (path, bytes) in files {
        let path = folder.join(path);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, bytes).expect("a file");
    }
}

fn key_file(folder: &Path, key: &SiteKey) -> PathBuf {
    let path = folder.join("site.asc");
    std::fs::write(&path, key.public().expect("a key")).expect("the key is written");
    path
}

/// Changes one byte in the middle of a file.
fn tamper(path: &Path) {
    let mut bytes = std::fs::read(path).expect("a file");
    let middle = bytes.windows(6).position(|window| window == b"sha256" || window == b"SHA256").expect("a digest") + 80;
    bytes[middle] ^= 1;
    std::fs::write(path, bytes).expect("a file");
}

/// Runs dnf with this repository alone; whether it worked, and what it said.
fn dnf(folder: &Path, key: &Path, arguments: &[&str]) -> (bool, String) {
    let output = Command::new("unshare")
        .args(["--net", "dnf", "-y", "--releasever=9", "--disableplugin=*", "--setopt=reposdir=/nonexistent"])
        .args(["--forcearch=x86_64", "--setopt=install_weak_deps=0", "--nogpgcheck"])
        .arg(format!("--setopt=cachedir={}", folder.join("cache").display()))
        .arg(format!("--repofrompath=site,file://{}", folder.join("site").display()))
        .args(["--setopt=site.repo_gpgcheck=1", "--setopt=site.skip_if_unavailable=0"])
        .arg(format!("--setopt=site.gpgkey=file://{}", key.display()))
        .arg(format!("--installroot={}", folder.join("root").display()))
        .args(arguments)
        .output()
        .expect("dnf is installed");
    let words = [output.stdout, output.stderr].concat();
    (output.status.success(), String::from_utf8_lossy(&words).into_owned())
}

#[test]
fn dnf_installs_from_a_repository_of_ours() {
    let folder = tempfile::tempdir().expect("a folder");
    let site = folder.path().join("site");
    let world = [
        Made::new("tool", "2:1.0^a-1")
            .requires("(lib with lib >= 1:1)")
            .requires("/usr/share/data/words")
            .file("/usr/bin/tool"),
        Made::new("lib", "1:1.5~rc1-1").provides("lib-api = 3").file("/etc/lib.conf"),
        Made::new("words", "1.0-1").file("/usr/share/data/words").conflicts("lib < 1:1").obsoletes("dictionary < 3"),
    ];
    let packages: Vec<RpmPackage> = built::packages(&site, &world)
        .iter()
        .map(|path| {
            let bytes = std::fs::read(path).expect("a package");
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            RpmPackage::read(&name, bytes.len() as u64, Digest::of(&bytes), bytes.as_slice()).expect("a package")
        })
        .collect();
    let key = key();
    let files = rpm::files(&packages, &key, day()).expect("a repository");
    assert_eq!(files, rpm::files(&packages, &key, day()).expect("a repository"), "the same input, the same bytes");
    put(&site, &files);
    let public = key_file(folder.path(), &key);
    let (done, words) = dnf(folder.path(), &public, &["install", "tool"]);
    assert!(done, "{words}");
    let query = ["-qa", "--qf", "%{NAME}-%{EVR}\\n"];
    let root = format!("--root={}", folder.path().join("root").display());
    let installed = built::run(Command::new("rpm").arg(root).args(query));
    let mut installed: Vec<&str> = installed.lines().collect();
    installed.sort_unstable();
    assert_eq!(installed, ["lib-1:1.5~rc1-1", "tool-2:1.0^a-1", "words-1.0-1"]);
    tamper(&site.join("repodata/repomd.xml"));
    let (done, words) = dnf(folder.path(), &public, &["--refresh", "makecache"]);
    assert!(!done && words.contains("repomd.xml GPG signature verification error"), "{words}");
}

/// Runs apt-get with this repository alone.
fn apt_get(folder: &Path, key: &Path, arguments: &[&str]) -> (bool, String) {
    let sources = folder.join("sources.list");
    let site = folder.join("site");
    let line = format!("deb [signed-by={}] file:{} ./\n", key.display(), site.display());
    std::fs::write(&sources, line).expect("the sources are written");
    for part in ["state/lists/partial", "cache/archives/partial"] {
        std::fs::create_dir_all(folder.join(part)).expect("a folder");
    }
    std::fs::write(folder.join("state/status"), "").expect("an empty node");
    let place = |name: &str, path: PathBuf| format!("-o{name}={}", path.display());
    let output = Command::new("apt-get")
        .arg(place("Dir::Etc::sourcelist", sources))
        .args(["-oDir::Etc::sourceparts=-", "-oAPT::Architecture=amd64", "-oAPT::Sandbox::User=root"])
        .args(["-oAPT::Update::Error-Mode=any", "-oDebug::NoLocking=1"])
        .arg(place("Dir::State", folder.join("state")))
        .arg(place("Dir::State::status", folder.join("state/status")))
        .arg(place("Dir::Cache", folder.join("cache")))
        .args(arguments)
        .output()
        .expect("apt-get is installed");
    let words = [output.stdout, output.stderr].concat();
    (output.status.success(), String::from_utf8_lossy(&words).into_owned())
}

/// Builds a package, and returns its paragraph as a distribution would list it.
fn deb(folder: &Path, name: &str, depends: &str) -> AptPackage {
    let build = folder.join(format!("build-{name}"));
    let control = format!(
        "Package: {name}\nVersion: 1.0-1\nArchitecture: amd64\nMaintainer: Somebody <somebody@example.org>\n\
         Depends: {depends}\nDescription: test\n"
    );
    std::fs::create_dir_all(build.join("DEBIAN")).expect("a folder");
    std::fs::write(build.join("DEBIAN/control"), control.replace("Depends: \n", "")).expect("a control file");
    let path = format!("pool/{name}.deb");
    let file = folder.join("site").join(&path);
    std::fs::create_dir_all(file.parent().expect("a folder")).expect("a folder");
    built::run(Command::new("dpkg-deb").args(["--build", "--root-owner-group"]).arg(&build).arg(&file));
    let bytes = std::fs::read(&file).expect("a package");
    let control = control.replace("Depends: \n", "");
    let listed = format!("Filename: pool/main/x.deb\nSize: {}\nSHA256: {}\n", bytes.len(), Digest::of(&bytes).hex());
    AptPackage { stanza: control + &listed, path }
}

#[test]
fn apt_downloads_from_a_repository_of_ours() {
    let folder = tempfile::tempdir().expect("a folder");
    let site = folder.path().join("site");
    let packages = [deb(folder.path(), "tool", "lib (>= 1.0)"), deb(folder.path(), "lib", "")];
    let key = SiteKey::read(&key().secret().expect("a key")).expect("the same key");
    let files = apt::files(&packages, &key, day()).expect("a repository");
    assert_eq!(files, apt::files(&packages, &key, day()).expect("a repository"), "the same input, the same bytes");
    put(&site, &files);
    let public = key_file(folder.path(), &key);
    let (done, words) = apt_get(folder.path(), &public, &["update"]);
    assert!(done && !words.contains("W:"), "{words}");
    let (done, words) = apt_get(folder.path(), &public, &["install", "-y", "--print-uris", "tool"]);
    assert!(done && words.contains("pool/tool.deb") && words.contains("pool/lib.deb"), "{words}");
    let stranger = folder.path().join("stranger.asc");
    std::fs::write(&stranger, self::key().public().expect("a key")).expect("a key");
    let (done, words) = apt_get(folder.path(), &stranger, &["update"]);
    assert!(!done && words.contains("NO_PUBKEY"), "{words}");
    tamper(&site.join("InRelease"));
    let (done, words) = apt_get(folder.path(), &public, &["update"]);
    assert!(!done && words.contains("BADSIG"), "{words}");
}

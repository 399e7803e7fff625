//! The program from end to end: a repository over HTTP, the lock, the bundle.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::SystemTime;

use kubexm_model::digest::Digest;
use kubexm_model::lock::{Lock, Locked, Proof};
use kubexm_tests::{bundle, text};

use super::tampered::{Keys, Repository, httpdate};

/// What a cluster on Debian 11 wants.
const WANTED: [&str; 9] =
    ["bash-completion", "chrony", "conntrack", "ebtables", "ipset", "iptables", "nfs-common", "open-iscsi", "socat"];

const NODE: &str = "libc6:amd64 2.31-13 amd64 install ok installed\n";

/// A repository on the loopback, a cluster.yaml that leads there, and a store.
struct Scene {
    folder: tempfile::TempDir,
    repository: Repository,
}

impl Scene {
    fn new(keys: &Keys, signed_by: &str) -> Self {
        let scene = Self { folder: tempfile::tempdir().expect("a folder"), repository: Repository::serve() };
        scene.fill(keys, signed_by);
        let key = scene.path("archive.asc");
        std::fs::write(&key, keys.gpg(&["--armor", "--export", "archive"], b"")).expect("a key");
        let cluster = format!(
            "apiVersion: kubexm.io/v1alpha1\nkind: Cluster\nmetadata: {{name: demo}}\nspec:\n  hosts:\n  \
             - {{name: cp1, address: 10.0.0.11, roles: [master, etcd, worker]}}\n  \
             - {{name: reg, address: 10.0.0.10, roles: [registry]}}\n  kubernetes: {{version: v1.34.4}}\n  system:\n    \
             os: [{{name: debian, version: \"11\"}}]\n    repositories: [{{name: made, type: deb, address: \"{}\", \
             suite: made, components: [main], key: {}}}]\n",
            scene.repository.address,
            key.display()
        );
        scene.write("cluster.yaml", &cluster);
        scene.write("catalogue.yaml", "os: {debian: {versions: [{version: \"11\", repositories: []}]}}\n");
        scene.write("node.txt", NODE);
        scene
    }

    /// Every wanted package, and what socat needs; the index is signed.
    fn fill(&self, keys: &Keys, signed_by: &str) {
        let mut index = String::new();
        for (name, version, depends) in packages() {
            let bytes = format!("the bytes of {name}").into_bytes();
            let depends = if depends.is_empty() { String::new() } else { format!("Depends: {depends}\n") };
            let digest = Digest::of(&bytes).hex();
            writeln!(
                index,
                "Package: {name}\nVersion: {version}\nArchitecture: amd64\n{depends}Filename: pool/{name}.deb\n\
                 Size: {}\nSHA256: {digest}\n",
                bytes.len()
            )
            .expect("memory");
            self.repository.put(&format!("/pool/{name}.deb"), &bytes);
        }
        let digest = Digest::of(index.as_bytes()).hex();
        let release = format!(
            "Codename: made\nDate: {}\nAcquire-By-Hash: yes\nArchitectures: amd64\nComponents: main\n\
             SHA256:\n {digest} {} main/binary-amd64/Packages\n",
            httpdate(SystemTime::now()),
            index.len()
        );
        let signed = keys.gpg(&["--local-user", signed_by, "--clearsign"], release.as_bytes());
        self.repository.put("/dists/made/InRelease", &signed);
        self.repository.put(&format!("/dists/made/main/binary-amd64/by-hash/SHA256/{digest}"), index.as_bytes());
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).expect("a file is written");
    }

    /// Runs the program; whether it did what it was asked, and its words.
    fn run(&self, arguments: &[&str]) -> (bool, String) {
        let output = bundle(self.folder.path(), arguments);
        let words = [output.stdout, output.stderr].concat();
        (output.status.success(), String::from_utf8_lossy(&words).into_owned())
    }

    fn packages(&self, command: &str, more: &[&str]) -> (bool, String) {
        let usual = ["-f", "cluster.yaml", "--catalogue", "catalogue.yaml", "--only", "packages"];
        let fetching = ["--cache-dir", "cache", "--retries", "0", "--no-progress", "--base-list", "node.txt"];
        self.run(&[&[command], usual.as_slice(), &fetching, more].concat())
    }

    fn lock(&self) -> BTreeMap<String, Locked> {
        let (done, words) = self.packages("lock", &[]);
        assert!(done, "{words}");
        let lock: Lock = serde_yaml::from_str(&text(&self.path("cluster.lock"))).expect("a lock");
        lock.entries.into_iter().map(|entry| (entry.name.clone(), entry)).collect()
    }
}

fn packages() -> Vec<(&'static str, &'static str, &'static str)> {
    let plain = WANTED.iter().filter(|name| **name != "socat").map(|name| (*name, "1.0-1", ""));
    let others = [
        ("socat", "1.7-1", "libc6 (>= 2.30), lib-none | lib-some (>= 1:2)"),
        ("lib-some", "1:2.0-1", ""),
        ("unasked", "1.0-1", ""),
    ];
    plain.chain(others).collect()
}

#[test]
fn a_closure_comes_into_the_lock_and_the_bundle_with_proofs_and_reasons() {
    let keys = Keys::new();
    let scene = Scene::new(&keys, "archive");
    let locked = scene.lock();
    let names: Vec<String> =
        locked.values().map(|one| format!("{} {}", one.name, one.version.as_deref().unwrap_or_default())).collect();
    let mut expected: Vec<String> = packages()
        .iter()
        .filter(|(name, ..)| *name != "unasked")
        .map(|(name, version, _)| format!("{name} {version}"))
        .collect();
    expected.sort();
    assert_eq!(names, expected, "libc6 is on the node");
    assert!(locked.values().all(|one| one.proof == Proof::Repository && one.os.as_deref() == Some("debian 11")));
    let (socat, some) = (&locked["socat"], &locked["lib-some"]);
    assert!(some.reasons[0].why.starts_with("socat needs ") && some.reasons[0].why.contains("lib-some (>= 1:2)"));
    assert_eq!((&some.component, &some.reasons[0].nodes), (&socat.component, &socat.reasons[0].nodes));
    assert_eq!(socat.source, format!("{}/pool/socat.deb", scene.repository.address));
    let stanza = socat.stanza.as_deref().expect("an entry");
    assert!(stanza.contains("Depends: libc6 (>= 2.30), lib-none | lib-some (>= 1:2)\nFilename:"), "{stanza}");
    scene.run(&["keygen", "--no-passphrase"]);
    let (done, words) = scene.packages("build", &["--key", "kubexm.key", "--locked"]);
    assert!(done, "{words}");
    let (done, words) = scene.run(&["verify", "demo.tar.zst", "--key", "kubexm.key.pub"]);
    assert!(done && words.contains("good"), "{words}");
    // Only packages were packed: everything else is missing, and no package is.
    let arguments = ["verify", "demo.tar.zst", "--key", "kubexm.key.pub", "--for", "cluster.yaml", "--json"];
    let output = bundle(scene.folder.path(), &arguments);
    let answer: serde_json::Value = serde_json::from_slice(&output.stdout).expect("an answer");
    let missing: Vec<&str> =
        answer["missing"].as_array().expect("a list").iter().filter_map(serde_json::Value::as_str).collect();
    assert!(missing.contains(&"kubeadm") && !missing.iter().any(|name| WANTED.contains(name)), "{missing:?}");
}

#[test]
fn what_is_missing_or_wrong_is_refused_by_name() {
    let keys = Keys::new();
    let scene = Scene::new(&keys, "archive");
    scene.write("node.txt", "base-files 11 amd64 install ok installed\n");
    let (done, words) = scene.packages("lock", &[]);
    assert!(!done && words.contains("socat") && words.contains("libc6 (>= 2.30)"), "{words}");
    scene.write("node.txt", "nonsense\n");
    let (done, words) = scene.packages("lock", &[]);
    assert!(!done && words.contains("the base list node.txt cannot be used"), "{words}");
    scene.write("node.txt", NODE);
    scene.lock();
    scene.repository.put("/pool/socat.deb", b"THE BYTES of socat");
    scene.run(&["keygen", "--no-passphrase"]);
    let (done, words) = scene.packages("build", &["--key", "kubexm.key", "--locked"]);
    assert!(!done && words.contains("error: socat cannot be fetched"), "{words}");
    assert!(words.contains("/pool/socat.deb is not what it should be: its digest is"), "{words}");
    let stranger = Scene::new(&keys, "stranger");
    let (done, words) = stranger.packages("lock", &[]);
    assert!(!done && words.contains("InRelease must not be trusted"), "{words}");
}

//! The program from end to end: repositories over HTTP, the lock, the bundle.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use kubexm_model::digest::Digest;
use kubexm_model::lock::{Lock, Locked, Proof};
use kubexm_tests::{bundle, text};

use super::built;
use super::gpg::Signer;
use super::http::Server;
use super::made::{self, Made, Packing};

/// What a cluster on Rocky Linux 9 wants.
const WANTED: [&str; 8] = [
    "bash-completion",
    "chrony",
    "conntrack-tools",
    "ipset",
    "iptables-nft",
    "iscsi-initiator-utils",
    "nfs-utils",
    "socat",
];

/// A repository on the loopback, a cluster.yaml that leads there, and a store.
struct Scene {
    folder: tempfile::TempDir,
    server: Server,
    files: Vec<PathBuf>,
}

impl Scene {
    /// `repository` gets the folder and the packages in it, and lists and signs what it likes.
    fn new(repository: impl Fn(&Path, &[PathBuf])) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let place = folder.path().join("www/9/x86_64");
        let files = built::packages(&place, &world());
        repository(&place, &files);
        let server = Server::new(&folder.path().join("www"));
        Self { folder, server, files }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).expect("a file is written");
    }

    /// A cluster whose packages come from this repository alone.
    fn own_repository(&self, signer: &Signer) {
        let repository = format!(
            "repositories: [{{name: made, type: rpm, address: \"{}$releasever/$basearch\", key: {}}}]",
            self.server.address,
            signer.key_file().display()
        );
        self.cluster(&repository, "");
        self.write("catalogue.yaml", "os: {rocky: {versions: [{version: \"9\", repositories: []}]}}\n");
    }

    fn cluster(&self, system: &str, more: &str) {
        self.write(
            "cluster.yaml",
            &format!(
                "apiVersion: kubexm.io/v1alpha1\nkind: Cluster\nmetadata: {{name: demo}}\nspec:\n  hosts:\n  \
                 - {{name: cp1, address: 10.0.0.11, roles: [master, etcd, worker]}}\n  \
                 - {{name: reg, address: 10.0.0.10, roles: [registry]}}\n  kubernetes: {{version: v1.34.4}}\n  \
                 system:\n    os: [{{name: rocky, version: \"9\"}}]\n    {system}\n{more}"
            ),
        );
    }

    /// Runs the program; whether it did what it was asked, and its words.
    fn run(&self, arguments: &[&str]) -> (bool, String) {
        let output = bundle(self.folder.path(), arguments);
        let words = [output.stdout, output.stderr].concat();
        (output.status.success(), String::from_utf8_lossy(&words).into_owned())
    }

    fn packages(&self, command: &str, more: &[&str]) -> (bool, String) {
        let usual = ["-f", "cluster.yaml", "--catalogue", "catalogue.yaml", "--only", "packages"];
        let fetching = ["--cache-dir", "cache", "--retries", "0", "--no-progress"];
        self.run(&[&[command], usual.as_slice(), &fetching, more].concat())
    }

    fn lock(&self, more: &[&str]) -> BTreeMap<String, Locked> {
        let (done, words) = self.packages("lock", more);
        assert!(done, "{words}");
        let lock: Lock = serde_yaml::from_str(&text(&self.path("cluster.lock"))).expect("a lock");
        lock.entries.into_iter().map(|entry| (entry.name.clone(), entry)).collect()
    }

    /// Changes the last byte of a package, which leaves its size and its header as they were.
    fn tamper(&self, name: &str) {
        let path = self.files.iter().find(|path| path.to_string_lossy().contains(&format!("/{name}-")));
        let path = path.expect("a package");
        let mut bytes = std::fs::read(path).expect("a package");
        *bytes.last_mut().expect("a byte") ^= 1;
        std::fs::write(path, bytes).expect("a package");
    }
}

fn world() -> Vec<Made> {
    let mut world: Vec<Made> =
        WANTED.iter().filter(|name| **name != "socat").map(|name| Made::new(name, "1.0-1")).collect();
    world.push(Made::new("socat", "1.7-1").requires("lib >= 1:2.0").requires("/usr/share/data/words"));
    world.push(Made::new("lib", "1:2.0-1"));
    world.push(Made::new("lib", "9.0-1"));
    world.push(Made::new("words", "3.0-1").file("/usr/share/data/words"));
    world.push(Made::new("unasked", "1.0-1"));
    world
}

fn signed_list(signer: &Signer) -> impl Fn(&Path, &[PathBuf]) {
    |folder, _| {
        built::createrepo(folder);
        signer.sign(&folder.join("repodata/repomd.xml"));
    }
}

fn names(locked: &BTreeMap<String, Locked>) -> Vec<String> {
    locked.values().map(|one| format!("{} {}", one.name, one.version.as_deref().unwrap_or_default())).collect()
}

#[test]
fn a_closure_comes_into_the_lock_and_the_bundle_with_proofs_and_reasons() {
    let signer = Signer::new();
    let scene = Scene::new(signed_list(&signer));
    scene.own_repository(&signer);
    let locked = scene.lock(&[]);
    let mut expected: Vec<String> =
        WANTED.iter().map(|name| format!("{name} {}", if *name == "socat" { "1.7-1" } else { "1.0-1" })).collect();
    expected.extend(["lib 1:2.0-1".to_owned(), "words 3.0-1".to_owned()]);
    expected.sort();
    assert_eq!(names(&locked), expected);
    assert!(locked.values().all(|one| one.proof == Proof::Repository && one.os.as_deref() == Some("rocky 9")));
    let asked = scene.server.asked();
    assert!(!asked.iter().any(|path| path.ends_with(".rpm")), "the signed list is enough: {asked:?}");
    let lib = &locked["lib"];
    assert_eq!(lib.reasons[0].why, "socat-1.7-1.noarch needs lib >= 1:2.0");
    assert_eq!(
        (&lib.component, &lib.reasons[0].nodes),
        (&locked["socat"].component, &locked["socat"].reasons[0].nodes)
    );
    assert_eq!(lib.source, format!("{}9/x86_64/lib-1:2.0-1.rpm", scene.server.address));
    let stanza = locked["words"].stanza.as_deref().expect("an entry");
    assert!(stanza.starts_with("<package type=\"rpm\"><name>words</name>"), "{stanza}");
    assert!(stanza.contains("<file>/usr/share/data/words</file></format></package>"), "{stanza}");
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
fn the_entries_of_a_lock_are_enough_for_a_repository_on_the_node() {
    let signer = Signer::new();
    let scene = Scene::new(signed_list(&signer));
    scene.own_repository(&signer);
    let locked = scene.lock(&[]);
    let offline = scene.path("offline");
    let entries: Vec<String> = locked.values().map(|one| one.stanza.clone().expect("an entry")).collect();
    // There is no list of all files: what somebody asks for stands in the entries.
    made::publish(&offline, &[("primary", "xml", made::list(&entries))], Packing::Gzip);
    for one in locked.values() {
        let name = one.source.rsplit('/').next().expect("a name");
        std::fs::copy(scene.path("www/9/x86_64").join(name), offline.join(name)).expect("a copy");
    }
    let root = scene.path("root");
    built::run(
        Command::new("unshare")
            .args(["--net", "dnf", "-y", "--releasever=9", "--disableplugin=*", "--setopt=reposdir=/nonexistent"])
            .args(["--setopt=install_weak_deps=0", "--nogpgcheck", "--forcearch=x86_64"])
            .arg(format!("--setopt=cachedir={}", scene.path("dnf").display()))
            .arg(format!("--repofrompath=offline,file://{}", offline.display()))
            .arg(format!("--installroot={}", root.display()))
            .arg("install")
            .args(WANTED),
    );
    let query = ["-qa", "--qf", "%{NAME} %{EVR}\\n"];
    let installed = built::run(Command::new("rpm").arg(format!("--root={}", root.display())).args(query));
    let mut installed: Vec<&str> = installed.lines().collect();
    installed.sort_unstable();
    assert_eq!(installed, names(&locked));
}

#[test]
fn other_bytes_than_those_that_were_listed_are_refused_by_name() {
    let signer = Signer::new();
    let scene = Scene::new(signed_list(&signer));
    scene.own_repository(&signer);
    scene.lock(&[]);
    scene.tamper("socat");
    scene.run(&["keygen", "--no-passphrase"]);
    let (done, words) = scene.packages("build", &["--key", "kubexm.key", "--locked"]);
    assert!(!done && words.contains("error: socat cannot be fetched"), "{words}");
    assert!(words.contains("socat-1.7-1.rpm is not what it should be: its digest is"), "{words}");
    assert!(!scene.path("demo.tar.zst").exists());
}

#[test]
fn where_the_list_is_not_signed_every_package_must_be() {
    let signer = Signer::new();
    let scene = Scene::new(|folder, files| {
        let (unsigned, signed): (Vec<PathBuf>, Vec<PathBuf>) =
            files.iter().cloned().partition(|path| path.to_string_lossy().contains("/ipset-"));
        assert_eq!(unsigned.len(), 1);
        signer.sign_packages(&signed);
        built::createrepo(folder);
    });
    scene.own_repository(&signer);
    let (done, words) = scene.packages("lock", &[]);
    assert!(!done && words.contains("error: ipset-1.0-1.noarch cannot be locked"), "{words}");
    assert!(words.contains("the package ipset-1.0-1.noarch is not signed, and nothing else vouches for it"), "{words}");
    assert!(words.contains("1 entry could not be locked"), "{words}");
    let list = scene.path("www/9/x86_64");
    signer.sign_packages(&[scene.files.iter().find(|path| path.ends_with("ipset-1.0-1.rpm")).expect("it").clone()]);
    built::createrepo(&list);
    let locked = scene.lock(&[]);
    assert_eq!(locked.len(), 10);
    assert!(locked.values().all(|one| one.proof == Proof::Repository));
    let stranger = Signer::new();
    scene.own_repository(&stranger);
    let (done, words) = scene.packages("lock", &[]);
    assert!(!done && words.contains("error: lib-1:2.0-1.noarch cannot be locked"), "{words}");
    assert!(words.contains("none of the given keys") && words.contains("10 entries could not be locked"), "{words}");
}

#[test]
fn a_repository_with_other_checksums_gives_the_digests_of_its_files() {
    let signer = Signer::new();
    let scene = Scene::new(|folder, _| {
        built::run(Command::new("createrepo_c").args(["--quiet", "--checksum", "sha512"]).arg(folder));
        signer.sign(&folder.join("repodata/repomd.xml"));
    });
    scene.own_repository(&signer);
    let locked = scene.lock(&[]);
    for path in &scene.files {
        let bytes = std::fs::read(path).expect("a package");
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        if let Some(one) = locked.values().find(|one| one.source.ends_with(&format!("/{name}"))) {
            assert_eq!((one.blob.digest, one.blob.size), (Digest::of(&bytes), bytes.len() as u64), "{name}");
        }
    }
    assert_eq!(locked.len(), 10);
    scene.tamper("chrony");
    let (done, words) = scene.packages("lock", &[]);
    assert!(!done && words.contains("error: chrony-1.0-1.noarch cannot be locked"), "{words}");
    assert!(words.contains("its checksum is not sha512:"), "{words}");
}

#[test]
fn a_mirror_of_the_systems_repository_counts_as_far_as_its_keys_do() {
    let scene = Scene::new(|folder, _| built::createrepo(folder));
    let mirror = format!("  mirrors: {{packages: {{dl.rockylinux.org/pub/rocky: \"{}\"}}}}\n", scene.server.address);
    scene.cluster("", &mirror);
    let address = "https://dl.rockylinux.org/pub/rocky/$releasever/$basearch/";
    let system = |more: &str| {
        let text = format!(
            "os: {{rocky: {{versions: [{{version: \"9\", repositories: [{{url: \"{address}\"}}]{more}}}]}}}}\n"
        );
        scene.write("catalogue.yaml", &text);
    };
    system("");
    let (done, words) = scene.packages("lock", &[]);
    assert!(!done && words.contains("socat-1.7-1.noarch is not signed, and nothing else vouches for it"), "{words}");
    system(", keys: []");
    let locked = scene.lock(&[]);
    assert!(locked.values().all(|one| one.proof == Proof::FirstSight), "nobody vouches, and the lock says so");
    assert_eq!(locked["socat"].source, "https://dl.rockylinux.org/pub/rocky/9/x86_64/socat-1.7-1.rpm");
    scene.run(&["keygen", "--no-passphrase"]);
    let (done, words) = scene.packages("build", &["--key", "kubexm.key", "--locked"]);
    assert!(done, "{words}");
}

#[test]
fn what_a_node_has_is_not_fetched() {
    let signer = Signer::new();
    let scene = Scene::new(signed_list(&signer));
    scene.own_repository(&signer);
    scene.write("node.txt", "lib 1:2.0-1 noarch\nwords 0:3.0-1 noarch\n");
    let locked = scene.lock(&["--base-list", "node.txt"]);
    assert_eq!(locked.keys().collect::<Vec<_>>(), WANTED);
    scene.write("node.txt", "Desired=Unknown\n");
    let (done, words) = scene.packages("lock", &["--base-list", "rocky-9=node.txt"]);
    assert!(!done && words.contains("the base list node.txt cannot be used: line 1"), "{words}");
}

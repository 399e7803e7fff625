//! Proves on real machines what no double can show: systemd, sudo, accounts, mounts, the kernel. `tests/lab/nodes` runs
//! it where the lab's nodes can be reached: `lab_nodes USER KEY PASSWORD-FILE ADDRESS...`. Each node is left as it was.

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;

use kubexm_installer::hostkeys::HostKeys;
use kubexm_installer::hostkeys::scan::{accept, scan};
use kubexm_installer::inventory::gather_all;
use kubexm_installer::node::query::{Active, Enabled};
use kubexm_installer::node::ssh::{Endpoint, Login, Options, Route};
use kubexm_installer::node::{
    AccountChange, AccountName, Ask, Change, Command, FileChange, Inspect, Mode, Mutate, NewFile, NodePath, Owner,
    PackageChange, PackageName, SshNode, SysctlKey, SystemChange, UnitChange, UnitName,
};
use kubexm_model::digest::Digest;
use kubexm_model::secret::Secret;

const UNIT: &str = "[Service]\nExecStart=/bin/sleep infinity\n[Install]\nWantedBy=multi-user.target\n";

#[tokio::main]
async fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [user, key, password, addresses @ ..] = arguments.as_slice() else { panic!("usage: see the first lines") };
    let password = std::fs::read_to_string(password).expect("the password can be read").trim().to_owned();
    let login = Login { key: Some(PathBuf::from(key)), password: Some(Secret::from(password)), ..Login::default() };
    let routes: Vec<(String, Route)> = addresses
        .iter()
        .map(|address| {
            let address = SocketAddr::new(address.parse::<IpAddr>().expect("an address"), 22);
            let target = Endpoint { address, user: user.clone(), login: login.clone(), pin: None };
            (address.ip().to_string(), Route { target, jump: None })
        })
        .collect();
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("known_hosts");
    let options = Options::default();
    let scanned = scan(&routes, &Arc::new(HostKeys::default()), &options, 8).await;
    let count = accept(&scanned, "the lab", jiff::Timestamp::now(), &file).expect("keys can be written");
    assert!(count >= routes.len(), "{scanned:?}");
    let host_keys = Arc::new(HostKeys::read([file]).expect("keys can be read"));
    let nodes: Vec<SshNode> = routes
        .into_iter()
        .map(|(name, route)| SshNode::over_ssh(name, route, Arc::clone(&host_keys), options.clone()))
        .collect();
    facts(&nodes).await;
    futures::future::join_all(nodes.iter().map(changes)).await;
    println!("{} nodes, {count} host keys", nodes.len());
}

async fn facts(nodes: &[SshNode]) {
    let all: Vec<&dyn Inspect> = nodes.iter().map(|node| node as &dyn Inspect).collect();
    let begin = std::time::Instant::now();
    let gathered = gather_all(&all, &[path("/var/lib")], 16).await;
    println!("facts of {} nodes in {:?}, connecting included", nodes.len(), begin.elapsed());
    for (node, facts) in nodes.iter().zip(gathered) {
        let facts = facts.unwrap_or_else(|error| panic!("{}: {error:?}", node.name()));
        assert_eq!((facts.system.os.as_str(), facts.system.init.as_str()), ("debian", "systemd"));
        assert!(facts.system.as_root, "facts are asked as root");
        assert!(facts.software.packages.contains_key("systemd"));
        let address: IpAddr = node.name().parse().expect("an address");
        let has = |interface: &kubexm_installer::inventory::facts::Interface| {
            interface.addresses.iter().any(|each| each.addr() == address)
        };
        assert!(facts.network.interfaces.values().any(has), "{:?}", facts.network.interfaces);
        let ssh = facts.network.listening.iter().find(|each| each.port == 22).expect("sshd listens");
        println!("{}: {} on {}, port 22 held by {:?}", node.name(), facts.system.os, facts.system.kernel, ssh.process);
        assert!(facts.clock.offset.abs() < 1.0 + facts.clock.uncertainty, "{:?}", facts.clock);
    }
}

async fn changes(node: &SshNode) {
    unit(node).await;
    accounts(node).await;
    mounts(node).await;
    kernel(node).await;
    upload(node).await;
    packages(node).await;
    assert!(node.package(&PackageName::new("systemd").unwrap()).await.unwrap().is_some());
    assert_eq!(node.package(&PackageName::new("no-such-package").unwrap()).await.unwrap(), None);
    assert_eq!(node.run(&Command::new("id").arg("-u")).await.unwrap().text(), "0", "everything is done as root");
}

async fn unit(node: &SshNode) {
    let (name, file) =
        (UnitName::new("kubexm-proof.service").unwrap(), path("/etc/systemd/system/kubexm-proof.service"));
    assert!(!node.unit(&name).await.unwrap().known);
    put(node, &file, UNIT.as_bytes(), Mode::FILE).await;
    make(node, UnitChange::ReloadFiles).await;
    let (first, second) = (Some(Digest::of(b"first")), Some(Digest::of(b"second")));
    make(node, UnitChange::Enable { unit: name.clone() }).await;
    make(node, UnitChange::Start { unit: name.clone(), with: first }).await;
    make(node, UnitChange::Start { unit: name.clone(), with: second }).await;
    let state = node.unit(&name).await.unwrap();
    assert_eq!((state.known, state.active, state.enabled), (true, Active::Active, Enabled::Enabled));
    assert_eq!(state.started_with, first, "it ran already");
    make(node, UnitChange::Restart { unit: name.clone(), with: second }).await;
    assert_eq!(node.unit(&name).await.unwrap().started_with, second);
    node.run(&Command::new("systemctl").args(["restart", name.as_str()])).await.unwrap();
    assert_eq!(node.unit(&name).await.unwrap().started_with, None, "somebody else restarted it");
    put(node, &file, format!("# changed\n{UNIT}").as_bytes(), Mode::FILE).await;
    assert!(node.unit(&name).await.unwrap().needs_reload);
    make(node, UnitChange::ReloadFiles).await;
    assert!(!node.unit(&name).await.unwrap().needs_reload);
    make(node, UnitChange::Stop { unit: name.clone() }).await;
    make(node, UnitChange::Disable { unit: name.clone() }).await;
    make(node, FileChange::Remove { path: file }).await;
    make(node, UnitChange::ReloadFiles).await;
    make(node, UnitChange::Mask { unit: name.clone() }).await;
    assert_eq!(node.unit(&name).await.unwrap().enabled, Enabled::Masked);
    assert!(node.change(&UnitChange::Start { unit: name.clone(), with: None }.into()).await.is_err());
    make(node, UnitChange::Unmask { unit: name.clone() }).await;
    assert!(!node.unit(&name).await.unwrap().known);
    make(node, FileChange::RemoveTree { path: path("/run/kubexm") }).await;
}

async fn accounts(node: &SshNode) {
    let name = AccountName::new("kubexm-proof").unwrap();
    let kept = [path("/etc/passwd"), path("/etc/group"), path("/etc/shadow"), path("/etc/gshadow")];
    let mut before = vec![];
    for file in &kept {
        before.push(node.digest(file).await.unwrap());
        // The tools write what was there before into a file with a dash.
        make(node, FileChange::Copy { from: dashed(file), to: aside(file) }).await;
    }
    make(node, AccountChange::AddGroup { name: name.clone() }).await;
    let add = AccountChange::AddUser { name: name.clone(), group: name.clone(), home: path("/var/lib/proof") };
    make(node, add.clone()).await;
    assert!(node.change(&add.into()).await.is_err());
    let (user, group) = (node.user(&name).await.unwrap().unwrap(), node.group(&name).await.unwrap().unwrap());
    assert_eq!((user.gid, user.home.as_str()), (group.gid, "/var/lib/proof"));
    assert!(user.shell.ends_with("nologin") && user.uid < 1000, "{user:?}");
    let file = path("/var/lib/kubexm-proof");
    let owner = Owner::new(name.clone(), name.clone());
    let content = b"x".to_vec();
    node.put(&NewFile { path: &file, mode: Mode::SECRET, owner: &owner, content: &content }).await.unwrap();
    assert_eq!(node.stat(&file).await.unwrap().unwrap().owner, owner);
    make(node, FileChange::Remove { path: file }).await;
    for _ in 0..2 {
        make(node, AccountChange::RemoveUser { name: name.clone() }).await;
        make(node, AccountChange::RemoveGroup { name: name.clone() }).await;
    }
    for (file, digest) in kept.iter().zip(before) {
        assert_eq!(node.digest(file).await.unwrap(), digest, "{file}");
        make(node, FileChange::Rename { from: aside(file), to: dashed(file) }).await;
    }
}

fn dashed(file: &NodePath) -> NodePath {
    path(&format!("{file}-"))
}

fn aside(file: &NodePath) -> NodePath {
    path(&format!("/etc/.proof-{}", file.file_name()))
}

async fn mounts(node: &SshNode) {
    let (place, inside) = (path("/mnt/kubexm-proof"), path("/mnt/kubexm-proof/inside"));
    let owner = root();
    for path in [&place, &inside] {
        make(node, FileChange::MakeDirectory { path: path.clone(), mode: Mode::OPEN, owner: owner.clone() }).await;
    }
    let options = vec!["size=64k".to_owned(), "noexec".to_owned()];
    make(
        node,
        SystemChange::Mount { path: inside.clone(), source: "proof".to_owned(), kind: "tmpfs".to_owned(), options },
    )
    .await;
    let mount = node.mount(&inside).await.unwrap().unwrap();
    assert_eq!((mount.kind.as_str(), mount.source.as_str()), ("tmpfs", "proof"));
    assert!(mount.options.contains(&"noexec".to_owned()));
    let content = vec![7; 100_000];
    let full = NewFile { path: &inside.join("file").unwrap(), mode: Mode::FILE, owner: &owner, content: &content };
    let error = node.put(&full).await.unwrap_err();
    assert!(error.to_string().contains("No space left on device"), "{error}");
    let error = node.change(&FileChange::RemoveTree { path: place.clone() }.into()).await.unwrap_err();
    assert!(error.to_string().contains("is mounted at"), "{error}");
    make(node, SystemChange::Unmount { path: inside.clone() }).await;
    assert_eq!(node.mount(&inside).await.unwrap(), None);
    make(node, FileChange::RemoveTree { path: place }).await;
}

/// A package without content goes in and out again, together with one that it needs.
async fn packages(node: &SshNode) {
    let directory = tempfile::tempdir().unwrap();
    let mut files = vec![];
    for (name, needs) in [("kubexm-proof", "Depends: kubexm-proof-base\n"), ("kubexm-proof-base", "")] {
        let control = format!(
            "Package: {name}\nVersion: 1:2.0-1\nArchitecture: all\nMaintainer: nobody <nobody@lab.test>\n{needs}Description: proof\n"
        );
        let (tree, file) = (directory.path().join(name), directory.path().join(format!("{name}.deb")));
        std::fs::create_dir_all(tree.join("DEBIAN")).unwrap();
        std::fs::write(tree.join("DEBIAN/control"), control).unwrap();
        let built = std::process::Command::new("dpkg-deb")
            .args(["--root-owner-group", "--build"])
            .arg(&tree)
            .arg(&file)
            .output();
        assert!(built.unwrap().status.success());
        files.push(path(&format!("/var/tmp/{name}.deb")));
        put(node, &files[files.len() - 1], &std::fs::read(&file).unwrap(), Mode::FILE).await;
    }
    let names = ["kubexm-proof", "kubexm-proof-base"].map(|name| PackageName::new(name).unwrap());
    assert_eq!(node.package(&names[0]).await.unwrap(), None);
    assert!(
        node.change(&PackageChange::Install { files: vec![files[0].clone()] }.into()).await.is_err(),
        "not complete"
    );
    for _ in 0..2 {
        make(node, PackageChange::Install { files: files.clone() }).await;
        assert_eq!(node.package(&names[0]).await.unwrap().as_deref(), Some("1:2.0-1"));
    }
    assert!(
        node.change(&PackageChange::Remove { names: vec![names[1].clone()] }.into()).await.is_err(),
        "another needs it"
    );
    for _ in 0..2 {
        make(node, PackageChange::Remove { names: names.to_vec() }).await;
        assert_eq!(node.package(&names[1]).await.unwrap(), None);
    }
    for file in files {
        make(node, FileChange::Remove { path: file }).await;
    }
}

async fn kernel(node: &SshNode) {
    // A parameter of the node's own network, which does not reach the machine below.
    let key = SysctlKey::new("net.ipv4.ip_nonlocal_bind").unwrap();
    let before = node.sysctl(&key).await.unwrap().expect("the parameter is there");
    let other = if before == "0" { "1" } else { "0" };
    for value in [other, &before] {
        make(node, SystemChange::Sysctl { key: key.clone(), value: value.to_owned() }).await;
        assert_eq!(node.sysctl(&key).await.unwrap().as_deref(), Some(value));
    }
    let none = SystemChange::Sysctl { key: SysctlKey::new("net.ipv4.no_such_thing").unwrap(), value: "1".to_owned() };
    assert!(node.change(&none.into()).await.is_err());
}

async fn upload(node: &SshNode) {
    let (file, content) = (path("/var/lib/kubexm-proof"), vec![42; 64 * 1024 * 1024]);
    let begin = std::time::Instant::now();
    put(node, &file, &content, Mode::FILE).await;
    println!("{}: 64 MiB in {:?}", node.name(), begin.elapsed());
    make(node, FileChange::Remove { path: file }).await;
}

async fn put(node: &SshNode, at: &NodePath, content: &[u8], mode: Mode) {
    let (owner, content) = (root(), content.to_vec());
    node.put(&NewFile { path: at, mode, owner: &owner, content: &content }).await.unwrap();
}

async fn make(node: &SshNode, change: impl Into<Change>) {
    let change = change.into();
    node.change(&change).await.unwrap_or_else(|error| panic!("{change:?}: {error}"));
}

fn root() -> Owner {
    Owner::new(AccountName::new("root").unwrap(), AccountName::new("root").unwrap())
}

fn path(text: &str) -> NodePath {
    NodePath::new(text).unwrap()
}

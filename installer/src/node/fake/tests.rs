//! The node in memory keeps to its own rules.

use super::*;
use crate::node::query::{Active, Enabled, ModuleState};
use crate::node::{AccountName, ModuleName, PackageName, SysctlKey, UnitName};
use crate::node::{Ask, FileChange, Mode, Owner, PackageChange, SystemChange, UnitChange};

fn path(text: &str) -> NodePath {
    NodePath::new(text).unwrap()
}

fn root() -> Owner {
    files::root()
}

fn unit(text: &str) -> UnitName {
    UnitName::new(text).unwrap()
}

async fn put(node: &FakeNode, at: &str, content: &str) -> Result<Sent, NodeError> {
    let (at, owner, content) = (path(at), root(), content.as_bytes().to_vec());
    node.put(&NewFile { path: &at, mode: Mode::FILE, owner: &owner, content: &content }).await
}

#[tokio::test]
async fn a_file_is_put_once() {
    let node = FakeNode::new("a");
    assert_eq!(put(&node, "/etc/x", "hello").await.unwrap(), Sent { changed: true, bytes: 5 });
    assert_eq!(put(&node, "/etc/x", "hello").await.unwrap(), Sent { changed: false, bytes: 0 });
    assert_eq!(node.log().len(), 1);
    assert!(put(&node, "/nowhere/x", "hello").await.is_err());
    assert!(put(&node, "/etc", "hello").await.is_err());
}

#[tokio::test]
async fn each_way_of_failing_leaves_what_it_says() {
    for fault in Fault::every_way(1) {
        let node = FakeNode::new("a");
        let before = node.snapshot();
        node.fail(fault);
        put(&node, "/etc/first", "first").await.unwrap();
        let error = put(&node, "/etc/second", "second").await.unwrap_err();
        assert_eq!(error.is_unreachable(), fault.then == Then::Killed, "{fault:?}");
        assert!(error.may_have_happened());
        let third = put(&node, "/etc/third", "third").await;
        assert_eq!(third.is_err(), fault.then == Then::Killed, "{fault:?}");
        assert_eq!(node.stat(&path("/etc")).await.is_err(), fault.then == Then::Killed);
        node.heal();
        let difference = before.difference(&node.snapshot());
        assert_eq!(difference.contains("/etc/second"), fault.effect == Effect::Whole, "{difference}");
        assert_eq!(difference.contains(".part 0644 root:root \"sec\""), fault.effect == Effect::Half, "{difference}");
        let sent = put(&node, "/etc/second", "second").await.unwrap();
        let bytes = match fault.effect {
            Effect::None => 6,
            Effect::Half => 3,
            Effect::Whole => 0,
        };
        assert_eq!(sent.bytes, bytes, "what is there is not sent again");
        assert!(!before.difference(&node.snapshot()).contains(".part"));
    }
}

#[tokio::test]
async fn symlinks_are_followed_as_the_kernel_does() {
    let node = FakeNode::new("a");
    put(&node, "/etc/real", "x").await.unwrap();
    for (at, target) in [("/etc/link", "real"), ("/tmp/up", "../etc"), ("/tmp/loop", "loop"), ("/tmp/none", "/none")] {
        node.change(&FileChange::Link { path: path(at), target: target.to_owned() }.into()).await.unwrap();
    }
    assert_eq!(node.read(&path("/tmp/up/link"), 10).await.unwrap(), Some(b"x".to_vec()));
    assert_eq!(node.read(&path("/tmp/loop"), 10).await.unwrap(), None);
    assert_eq!(node.read(&path("/tmp/none"), 10).await.unwrap(), None);
    put(&node, "/etc/link", "y").await.unwrap();
    assert_eq!(node.read(&path("/etc/real"), 10).await.unwrap(), Some(b"x".to_vec()), "the link itself was replaced");
}

#[tokio::test]
async fn a_unit_comes_and_goes_without_a_trace() {
    let node = FakeNode::new("a");
    let before = node.snapshot();
    let name = unit("a.service");
    assert!(node.change(&UnitChange::Start { unit: name.clone(), with: None }.into()).await.is_err());
    put(&node, "/etc/systemd/system/a.service", "1").await.unwrap();
    let with = Some(Digest::of(b"1"));
    node.change(&UnitChange::Enable { unit: name.clone() }.into()).await.unwrap();
    node.change(&UnitChange::Start { unit: name.clone(), with }.into()).await.unwrap();
    node.change(&UnitChange::Start { unit: name.clone(), with: None }.into()).await.unwrap();
    let state = node.unit(&name).await.unwrap();
    assert_eq!((state.active, state.enabled, state.started_with), (Active::Active, Enabled::Enabled, with));
    assert!(!state.needs_reload);
    put(&node, "/etc/systemd/system/a.service", "2").await.unwrap();
    assert!(node.unit(&name).await.unwrap().needs_reload);
    node.change(&UnitChange::ReloadFiles.into()).await.unwrap();
    assert!(!node.unit(&name).await.unwrap().needs_reload);
    for change in [UnitChange::Stop { unit: name.clone() }, UnitChange::Disable { unit: name.clone() }] {
        node.change(&change.into()).await.unwrap();
    }
    node.change(&FileChange::Remove { path: path("/etc/systemd/system/a.service") }.into()).await.unwrap();
    node.change(&UnitChange::ReloadFiles.into()).await.unwrap();
    assert_eq!(before, node.snapshot());
}

#[tokio::test]
async fn a_masked_unit_does_not_start() {
    let node = FakeNode::new("a");
    let name = unit("b.service");
    node.edit(|state| {
        state.units.insert(unit("b.service"), FakeUnit::default());
    });
    node.change(&UnitChange::Mask { unit: name.clone() }.into()).await.unwrap();
    assert!(node.change(&UnitChange::Start { unit: name.clone(), with: None }.into()).await.is_err());
    node.change(&UnitChange::Unmask { unit: name.clone() }.into()).await.unwrap();
    node.change(&UnitChange::Start { unit: name, with: None }.into()).await.unwrap();
}

#[tokio::test]
async fn the_kernel_and_packages_change() {
    let node = FakeNode::new("a");
    let (key, module) = (SysctlKey::new("net.ipv4.ip_forward").unwrap(), ModuleName::new("overlay").unwrap());
    node.change(&SystemChange::Sysctl { key: key.clone(), value: "1".to_owned() }.into()).await.unwrap();
    node.change(&SystemChange::LoadModule { module: module.clone() }.into()).await.unwrap();
    assert_eq!(node.sysctl(&key).await.unwrap().as_deref(), Some("1"));
    assert_eq!(node.module(&module).await.unwrap(), ModuleState::Loaded);
    for file in ["/tmp/conntrack_1.4.7-1_amd64.deb", "/tmp/socat-1.7.4-5.el9.x86_64.rpm"] {
        put(&node, file, "").await.unwrap();
        node.change(&PackageChange::Install { files: vec![path(file)] }.into()).await.unwrap();
    }
    let version = node.package(&PackageName::new("conntrack").unwrap()).await.unwrap();
    assert_eq!(version.as_deref(), Some("1.4.7-1"));
    assert_eq!(node.package(&PackageName::new("socat").unwrap()).await.unwrap().as_deref(), Some("1.7.4-5.el9"));
    assert!(node.user(&AccountName::new("root").unwrap()).await.unwrap().is_some());
}

#[tokio::test]
async fn commands_do_what_they_were_taught() {
    let node = FakeNode::new("a");
    let command = Command::new("hostnamectl").args(["set-hostname", "b"]);
    assert!(matches!(node.run(&command).await, Err(NodeError::Failed { code: 127, .. })));
    node.script(|command, state| {
        (command.program == "hostnamectl").then(|| {
            state.files.set_file(&path("/etc/hostname"), format!("{}\n", command.args[1]));
            Output::default()
        })
    });
    node.run(&command).await.unwrap();
    assert_eq!(node.read(&path("/etc/hostname"), 10).await.unwrap(), Some(b"b\n".to_vec()));
    assert_eq!(node.log(), ["hostnamectl set-hostname b", "hostnamectl set-hostname b"]);
}

#[tokio::test]
#[should_panic(expected = "was declared to change nothing")]
async fn a_check_that_changes_something_is_found() {
    let node = FakeNode::new("a");
    node.script(|_, state| {
        state.files.unset(&path("/tmp"));
        Some(Output::default())
    });
    drop(node.check(&Command::new("rm")).await);
}

//! The same assertions on every kind of node.

use std::process::Command as Process;
use std::time::Duration;

use kubexm_installer::node::fake::FakeNode;
use kubexm_installer::node::local::LocalLine;
use kubexm_installer::node::{
    AccountName, Ask, Command, FileChange, FileKind, LocalNode, Mode, Mutate, NewFile, NodeError, NodePath, Output,
    Owner, Sent, Stdin, SysctlKey,
};
use kubexm_model::digest::Digest;
use kubexm_model::secret::Secret;

use crate::path;
use crate::sshd::{Sshd, whoami};

/// Names that a shell, a tool's options or a parser of its messages could stumble over.
const NAMES: [&str; 18] = [
    "plain",
    "a b",
    "it's",
    "\"",
    "$(touch pwned)",
    "`touch pwned`",
    "new\nline",
    "-rf",
    "--help",
    "ü日本",
    "*",
    "\\",
    "%s",
    ";id",
    "&",
    "a'\\''b",
    "x: No such file or directory",
    "\u{1b}[31m",
];

#[tokio::test]
async fn the_node_in_memory_conforms() {
    let node = FakeNode::new("fake");
    node.script(|command, _| Some(really(command)));
    let base = path("/srv/base");
    node.edit(|state| state.files.set_directory(&base));
    conforms(&node, &base, &owner("root", "root")).await;
}

#[tokio::test]
async fn this_machine_conforms() {
    let directory = tempfile::tempdir().unwrap();
    let base = path(directory.path().to_str().unwrap());
    conforms(&LocalNode::new("local", LocalLine, None), &base, &me()).await;
}

#[tokio::test]
async fn a_machine_over_ssh_conforms() {
    let sshd = Sshd::start(&["ed25519"], "");
    let directory = tempfile::tempdir().unwrap();
    let base = path(directory.path().to_str().unwrap());
    conforms(&sshd.node(sshd.address), &base, &me()).await;
    assert_eq!(sshd.connections(), 2, "one to look at the key, one for everything\n{}", sshd.log());
}

/// What the node in memory is taught about commands: they are really run.
fn really(command: &Command) -> Output {
    use std::io::Write;
    use std::os::unix::process::ExitStatusExt;
    let mut child = Process::new(&command.program)
        .args(&command.args)
        .envs(&command.env)
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let _ = child.stdin.take().unwrap().write_all(command.stdin.bytes());
    let output = child.wait_with_output().unwrap();
    let code = output.status.code().unwrap_or_else(|| 128 + output.status.signal().unwrap());
    Output { code, stdout: output.stdout, stderr: output.stderr, cut: false }
}

fn owner(user: &str, group: &str) -> Owner {
    Owner::new(AccountName::new(user).unwrap(), AccountName::new(group).unwrap())
}

fn me() -> Owner {
    let group = Process::new("id").arg("-gn").output().unwrap();
    owner(&whoami(), String::from_utf8(group.stdout).unwrap().trim())
}

async fn conforms(node: &dyn Mutate, base: &NodePath, owner: &Owner) {
    files_come_and_go(node, base, owner).await;
    odd_names_are_only_names(node, base, owner).await;
    directories(node, base, owner).await;
    symlinks(node, base, owner).await;
    renames_and_copies(node, base, owner).await;
    commands(node).await;
}

async fn put(node: &dyn Mutate, at: &NodePath, content: &[u8], mode: Mode, owner: &Owner) -> Result<Sent, NodeError> {
    let content = content.to_vec();
    node.put(&NewFile { path: at, mode, owner, content: &content }).await
}

async fn files_come_and_go(node: &dyn Mutate, base: &NodePath, owner: &Owner) {
    let file = base.join("file").unwrap();
    assert_eq!(node.stat(&file).await.unwrap(), None);
    assert_eq!(node.read(&file, 10).await.unwrap(), None);
    assert_eq!(node.digest(&file).await.unwrap(), None);
    let large: Vec<u8> = (0..700_001_u32).map(|number| (number.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    for content in [b"".as_slice(), b"a", b"\0\xff\n\r\0", b"no newline", &large] {
        let sent = put(node, &file, content, Mode::SECRET, owner).await.unwrap();
        assert_eq!(sent, Sent { changed: true, bytes: content.len() as u64 });
        let again = put(node, &file, content, Mode::SECRET, owner).await.unwrap();
        assert_eq!(again, Sent { changed: false, bytes: 0 }, "what is there is left alone");
        assert_eq!(node.read(&file, content.len() as u64).await.unwrap().unwrap(), content);
        assert_eq!(node.digest(&file).await.unwrap(), Some(Digest::of(content)));
        let stat = node.stat(&file).await.unwrap().unwrap();
        assert_eq!(
            (&stat.kind, stat.mode, &stat.owner, stat.size),
            (&FileKind::File, Mode::SECRET, owner, content.len() as u64)
        );
    }
    assert!(matches!(node.read(&file, 700_000).await, Err(NodeError::TooLarge { limit: 700_000, .. })));
    let sent = put(node, &file, &large, Mode::new(0o4755), owner).await.unwrap();
    assert!(sent.changed);
    assert_eq!(node.stat(&file).await.unwrap().unwrap().mode.bits(), 0o4755);
    assert_eq!(node.list(base).await.unwrap().unwrap(), ["file"], "nothing temporary stays");
    node.change(&FileChange::Remove { path: file.clone() }.into()).await.unwrap();
    node.change(&FileChange::Remove { path: file.clone() }.into()).await.unwrap();
    assert_eq!(node.stat(&file).await.unwrap(), None);
    let nowhere = base.join("nowhere/file").unwrap();
    assert!(put(node, &nowhere, b"x", Mode::FILE, owner).await.is_err());
    assert_eq!(node.stat(&nowhere).await.unwrap(), None);
    assert!(put(node, base, b"x", Mode::FILE, owner).await.is_err(), "a directory is not replaced by a file");
}

async fn odd_names_are_only_names(node: &dyn Mutate, base: &NodePath, owner: &Owner) {
    let directory = base.join("odd").unwrap();
    make_directory(node, &directory, owner).await;
    for name in NAMES {
        let file = directory.join(name).unwrap();
        put(node, &file, name.as_bytes(), Mode::FILE, owner).await.unwrap();
        assert_eq!(node.read(&file, 100).await.unwrap().as_deref(), Some(name.as_bytes()), "{name:?}");
        assert_eq!(node.digest(&file).await.unwrap(), Some(Digest::of(name.as_bytes())), "{name:?}");
        let below = file.join("x").unwrap();
        assert_eq!(node.stat(&below).await.unwrap(), None, "{name:?} is no directory");
        node.change(&FileChange::SetMode { path: file.clone(), mode: Mode::SECRET }.into()).await.unwrap();
        node.change(&FileChange::SetOwner { path: file.clone(), owner: owner.clone() }.into()).await.unwrap();
        assert_eq!(node.stat(&file).await.unwrap().unwrap().mode, Mode::SECRET);
    }
    let mut names: Vec<String> = NAMES.map(str::to_owned).into();
    names.sort_unstable();
    assert_eq!(node.list(&directory).await.unwrap().unwrap(), names);
    node.change(&FileChange::RemoveTree { path: directory.clone() }.into()).await.unwrap();
    assert_eq!(node.list(&directory).await.unwrap(), None);
}

async fn make_directory(node: &dyn Mutate, at: &NodePath, owner: &Owner) {
    let change = FileChange::MakeDirectory { path: at.clone(), mode: Mode::OPEN, owner: owner.clone() };
    node.change(&change.into()).await.unwrap();
}

async fn directories(node: &dyn Mutate, base: &NodePath, owner: &Owner) {
    let directory = base.join("directory").unwrap();
    make_directory(node, &directory, owner).await;
    let closed = FileChange::MakeDirectory { path: directory.clone(), mode: Mode::CLOSED, owner: owner.clone() };
    node.change(&closed.into()).await.unwrap();
    let stat = node.stat(&directory).await.unwrap().unwrap();
    assert_eq!((stat.kind, stat.mode, stat.size), (FileKind::Directory, Mode::CLOSED, 0));
    assert_eq!(node.list(&directory).await.unwrap(), Some(vec![]));
    assert!(node.read(&directory, 10).await.is_err(), "a directory cannot be read");
    let file = directory.join("file").unwrap();
    put(node, &file, b"", Mode::FILE, owner).await.unwrap();
    assert_eq!(node.list(&file).await.unwrap(), None, "a file is no directory");
    assert!(node.change(&FileChange::Remove { path: directory.clone() }.into()).await.is_err());
    assert!(node.change(&FileChange::RemoveDirectory { path: directory.clone() }.into()).await.is_err());
    assert!(node.change(&FileChange::RemoveDirectory { path: file.clone() }.into()).await.is_err());
    let on_file = FileChange::MakeDirectory { path: file.clone(), mode: Mode::OPEN, owner: owner.clone() };
    assert!(node.change(&on_file.into()).await.is_err());
    node.change(&FileChange::Remove { path: file }.into()).await.unwrap();
    for _ in 0..2 {
        node.change(&FileChange::RemoveDirectory { path: directory.clone() }.into()).await.unwrap();
        node.change(&FileChange::RemoveTree { path: directory.clone() }.into()).await.unwrap();
    }
    let deep =
        FileChange::MakeDirectory { path: base.join("no/parent").unwrap(), mode: Mode::OPEN, owner: owner.clone() };
    assert!(node.change(&deep.into()).await.is_err());
}

async fn symlinks(node: &dyn Mutate, base: &NodePath, owner: &Owner) {
    let (real, link) = (base.join("real").unwrap(), base.join("link").unwrap());
    put(node, &real, b"real", Mode::FILE, owner).await.unwrap();
    for target in ["elsewhere", "$(id)\n'", "-rf", "real"] {
        let change = FileChange::Link { path: link.clone(), target: target.to_owned() };
        node.change(&change.clone().into()).await.unwrap();
        node.change(&change.into()).await.unwrap();
        let stat = node.stat(&link).await.unwrap().unwrap();
        assert_eq!(stat.kind, FileKind::Symlink(target.to_owned()));
    }
    assert_eq!(node.read(&link, 10).await.unwrap().as_deref(), Some(b"real".as_slice()), "reading follows");
    put(node, &link, b"own", Mode::FILE, owner).await.unwrap();
    assert_eq!(node.stat(&link).await.unwrap().unwrap().kind, FileKind::File, "a file replaces the link itself");
    assert_eq!(node.read(&real, 10).await.unwrap().as_deref(), Some(b"real".as_slice()));
    let (directory, into) = (base.join("d").unwrap(), base.join("into").unwrap());
    make_directory(node, &directory, owner).await;
    node.change(&FileChange::Link { path: into.clone(), target: "d".to_owned() }.into()).await.unwrap();
    put(node, &into.join("x").unwrap(), b"x", Mode::FILE, owner).await.unwrap();
    assert_eq!(node.list(&into).await.unwrap().unwrap(), ["x"], "directories are reached through links");
    node.change(&FileChange::Link { path: into.clone(), target: "e".to_owned() }.into()).await.unwrap();
    assert_eq!(node.list(&directory).await.unwrap().unwrap(), ["x"], "a link to a directory is replaced, not entered");
    let on_directory = FileChange::Link { path: directory.clone(), target: "e".to_owned() };
    assert!(node.change(&on_directory.into()).await.is_err());
    node.change(&FileChange::Link { path: into.clone(), target: "d".to_owned() }.into()).await.unwrap();
    node.change(&FileChange::RemoveTree { path: into }.into()).await.unwrap();
    assert_eq!(node.list(&directory).await.unwrap().unwrap(), ["x"], "of a link only the link is removed");
    for path in [directory, real, link] {
        node.change(&FileChange::RemoveTree { path }.into()).await.unwrap();
    }
    assert_eq!(node.list(base).await.unwrap().unwrap(), [""; 0]);
}

async fn renames_and_copies(node: &dyn Mutate, base: &NodePath, owner: &Owner) {
    let at = |name: &str| base.join(name).unwrap();
    put(node, &at("a"), b"a", Mode::SECRET, owner).await.unwrap();
    put(node, &at("b"), b"b", Mode::FILE, owner).await.unwrap();
    make_directory(node, &at("d"), owner).await;
    node.change(&FileChange::Rename { from: at("a"), to: at("b") }.into()).await.unwrap();
    assert_eq!(node.read(&at("b"), 10).await.unwrap().as_deref(), Some(b"a".as_slice()));
    assert!(node.change(&FileChange::Rename { from: at("a"), to: at("c") }.into()).await.is_err());
    assert!(node.change(&FileChange::Rename { from: at("b"), to: at("d") }.into()).await.is_err());
    node.change(&FileChange::Rename { from: at("b"), to: at("d/f") }.into()).await.unwrap();
    node.change(&FileChange::Link { path: at("d/l"), target: "f".to_owned() }.into()).await.unwrap();
    node.change(&FileChange::Copy { from: at("d"), to: at("copy") }.into()).await.unwrap();
    assert_eq!(node.list(&at("copy")).await.unwrap().unwrap(), ["f", "l"]);
    let stat = node.stat(&at("copy/f")).await.unwrap().unwrap();
    assert_eq!((stat.mode, stat.owner), (Mode::SECRET, owner.clone()));
    assert!(node.change(&FileChange::Copy { from: at("d"), to: at("copy") }.into()).await.is_err());
    assert!(node.change(&FileChange::Copy { from: at("none"), to: at("other") }.into()).await.is_err());
    assert_eq!(node.list(base).await.unwrap().unwrap(), ["copy", "d"]);
    for name in ["copy", "d"] {
        node.change(&FileChange::RemoveTree { path: at(name) }.into()).await.unwrap();
    }
}

async fn commands(node: &dyn Mutate) {
    let odd: Vec<String> = NAMES.iter().map(|&name| name.to_owned()).chain([String::new()]).collect();
    let output = node.run(&Command::new("printf").arg("%s\\0").args(odd.clone())).await.unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    assert_eq!(said.split_terminator('\0').collect::<Vec<_>>(), odd, "arguments arrive as they are");
    let echo = Command::new("sh").args(["-c", "cat; printf %s \"$ODD\" >&2; exit 3"]).env("ODD", "a 'b' $c\n");
    let secret = Secret::from("hunter2\n".to_owned());
    let output = node.run(&echo.clone().stdin(Stdin::Secret(secret)).accept([0, 3])).await.unwrap();
    assert_eq!(
        (output.code, output.stdout.as_slice(), output.stderr.as_slice()),
        (3, b"hunter2\n".as_slice(), b"a 'b' $c\n".as_slice())
    );
    match node.run(&echo).await.unwrap_err() {
        NodeError::Failed { code: 3, said, .. } => assert_eq!(said, "a 'b' $c"),
        other => panic!("{other:?}"),
    }
    let unread = Command::new("true").stdin(Stdin::Text("x".repeat(1_000_000)));
    assert_eq!(node.run(&unread).await.unwrap().code, 0, "a program need not read");
    assert!(matches!(node.run(&Command::new("")).await, Err(NodeError::BadCommand { .. })));
    assert!(matches!(node.run(&Command::new("a").arg("\0")).await, Err(NodeError::BadCommand { .. })));
    assert_eq!(node.check(&Command::new("echo").arg("x")).await.unwrap().text(), "x");
}

#[tokio::test]
async fn a_program_that_takes_too_long_is_ended_on_the_node() {
    let sshd = Sshd::start(&["ed25519"], "");
    let nodes: [Box<dyn Mutate>; 2] =
        [Box::new(LocalNode::new("local", LocalLine, None)), Box::new(sshd.node(sshd.address))];
    for node in nodes {
        // The sleep is a grandchild with a number of its own, so that it can be looked for.
        let number = 1_000_000 + rand::random_range(0..1_000_000);
        let command = Command::new("sh").args(["-c".to_owned(), format!("sleep {number}; true")]);
        let error = node.run(&command.timeout(Duration::from_secs(1))).await.unwrap_err();
        assert!(matches!(error, NodeError::Timeout { .. }), "{error}");
        let left = std::fs::read_dir("/proc").unwrap().flatten().filter(|entry| {
            let line = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
            line == format!("sleep\0{number}\0").as_bytes()
        });
        assert_eq!(left.count(), 0, "the program is gone, and what it started");
    }
}

#[tokio::test]
async fn of_much_output_the_end_is_kept() {
    let node = LocalNode::new("local", LocalLine, None);
    let output = node.run(&Command::new("seq").arg("100000").keep(100)).await.unwrap();
    assert!(output.cut && output.stdout.len() == 100 && output.text().ends_with("\n99999\n100000"));
}

#[tokio::test]
async fn this_machine_answers_questions() {
    let node = LocalNode::new("local", LocalLine, None);
    let root = AccountName::new("root").unwrap();
    assert_eq!(node.user(&root).await.unwrap().unwrap().uid, 0);
    assert_eq!(node.group(&root).await.unwrap().unwrap().gid, 0);
    assert_eq!(node.user(&AccountName::new("nobody-like-this").unwrap()).await.unwrap(), None);
    let key = SysctlKey::new("kernel.ostype").unwrap();
    assert_eq!(node.sysctl(&key).await.unwrap().as_deref(), Some("Linux"));
    assert_eq!(node.sysctl(&SysctlKey::new("kernel.no_such_thing").unwrap()).await.unwrap(), None);
    assert_eq!(node.mount(&path("/proc")).await.unwrap().unwrap().kind, "proc");
    assert_eq!(node.mount(&path("/proc/self")).await.unwrap(), None);
    node.swaps().await.unwrap();
}

//! Uploads over lines that break.

use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;

use kubexm_installer::node::{AccountName, Content, Inspect, Mode, Mutate, NewFile, NodeError, Owner};
use kubexm_model::digest::Digest;

use crate::path;
use crate::relay::Relay;
use crate::sshd::{Sshd, whoami};

fn me() -> Owner {
    let name = AccountName::new(whoami()).unwrap();
    let group = std::process::Command::new("id").arg("-gn").output().unwrap();
    Owner::new(name, AccountName::new(String::from_utf8(group.stdout).unwrap().trim()).unwrap())
}

fn some_bytes(count: usize) -> Vec<u8> {
    (0..count).map(|number| ((number as u32).wrapping_mul(2_654_435_761) >> 11) as u8).collect()
}

#[tokio::test]
async fn an_upload_goes_on_where_the_line_broke() {
    const SIZE: usize = 24 * 1024 * 1024;
    let sshd = Sshd::start(&["ed25519"], "");
    let relay = Relay::to(sshd.address).await;
    let node = sshd.node(relay.address);
    let directory = tempfile::tempdir().unwrap();
    let at = path(directory.path().to_str().unwrap()).join("large").unwrap();
    let content = some_bytes(SIZE);
    node.stat(&at).await.unwrap();
    let before = relay.connections();
    relay.cut_after(16 * 1024 * 1024);
    let owner = me();
    let sent = node.put(&NewFile { path: &at, mode: Mode::FILE, owner: &owner, content: &content }).await.unwrap();
    assert_eq!(relay.connections(), before + 1, "the line was made anew once, with the key that was judged before");
    assert!(sent.bytes < SIZE as u64 * 2 / 3, "{} of {SIZE} bytes were sent after the cut", sent.bytes);
    assert_eq!(node.digest(&at).await.unwrap(), Some(Digest::of(&content)));
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 1, "nothing temporary stays");
}

#[tokio::test]
async fn a_part_that_is_not_the_beginning_is_thrown_away() {
    let sshd = Sshd::start(&["ed25519"], "");
    let node = sshd.node(sshd.address);
    let directory = tempfile::tempdir().unwrap();
    let at = path(directory.path().to_str().unwrap()).join("file").unwrap();
    let (content, owner) = (some_bytes(300_000), me());
    let file = NewFile { path: &at, mode: Mode::FILE, owner: &owner, content: &content };
    std::fs::write(file.temporary().unwrap().as_str(), &content[1..1000]).unwrap();
    assert_eq!(node.put(&file).await.unwrap().bytes, 300_000);
    assert_eq!(std::fs::read(at.as_str()).unwrap(), content);
    std::fs::remove_file(at.as_str()).unwrap();
    std::fs::write(file.temporary().unwrap().as_str(), &content[..100_000]).unwrap();
    assert_eq!(node.put(&file).await.unwrap().bytes, 200_000, "the beginning is not sent again");
    assert_eq!(std::fs::read(at.as_str()).unwrap(), content);
    assert_eq!(std::fs::metadata(at.as_str()).unwrap().mode() & 0o7777, 0o644);
}

#[tokio::test]
async fn a_command_on_a_broken_line_is_not_run_again() {
    let sshd = Sshd::start(&["ed25519"], "");
    let relay = Relay::to(sshd.address).await;
    let node = sshd.node(relay.address);
    let directory = tempfile::tempdir().unwrap();
    let (begun, go) = (directory.path().join("begun"), directory.path().join("go"));
    let wait = "echo x >> \"$1\"; while [ ! -e \"$2\" ]; do sleep 0.05; done";
    let command = kubexm_installer::node::Command::new("sh").args([
        "-c",
        wait,
        "sh",
        begun.to_str().unwrap(),
        go.to_str().unwrap(),
    ]);
    let watching = async {
        while !begun.exists() {
            tokio::task::yield_now().await;
        }
        relay.cut_now();
    };
    let (end, ()) = tokio::join!(node.run(&command), watching);
    let error = end.unwrap_err();
    assert!(matches!(error, NodeError::Disconnected { unknown: true, .. }), "{error:?}");
    assert!(error.may_have_happened());
    std::fs::write(&go, "").unwrap();
    assert_eq!(node.read(&path(begun.to_str().unwrap()), 10).await.unwrap().unwrap(), b"x\n", "the line is back");
}

/// Says that it has more than it has.
struct Short;
impl Content for Short {
    fn size(&self) -> u64 {
        10
    }
    fn digest(&self) -> Digest {
        Digest::of(b"0123456789")
    }
    fn open(&self) -> io::Result<Box<dyn Read + Send>> {
        Ok(Box::new(&b"01234"[..]))
    }
}

/// Has other bytes than it says.
struct Wrong;
impl Content for Wrong {
    fn size(&self) -> u64 {
        5
    }
    fn digest(&self) -> Digest {
        Digest::of(b"01234")
    }
    fn open(&self) -> io::Result<Box<dyn Read + Send>> {
        Ok(Box::new(&b"abcde"[..]))
    }
}

/// Cannot be read to its end.
struct Broken;
impl Content for Broken {
    fn size(&self) -> u64 {
        10
    }
    fn digest(&self) -> Digest {
        Digest::of(b"0123456789")
    }
    fn open(&self) -> io::Result<Box<dyn Read + Send>> {
        struct Fails;
        impl Read for Fails {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(io::Error::other("the disk is bad"))
            }
        }
        Ok(Box::new((&b"01234"[..]).chain(Fails)))
    }
}

#[tokio::test]
async fn content_that_lies_never_takes_the_name() {
    let sshd = Sshd::start(&["ed25519"], "");
    let node = sshd.node(sshd.address);
    let directory = tempfile::tempdir().unwrap();
    let at = path(directory.path().to_str().unwrap()).join("file").unwrap();
    std::fs::write(at.as_str(), "old").unwrap();
    let owner = me();
    let contents: [&dyn Content; 3] = [&Short, &Wrong, &Broken];
    for content in contents {
        let error = node.put(&NewFile { path: &at, mode: Mode::FILE, owner: &owner, content }).await.unwrap_err();
        assert!(matches!(error, NodeError::Content { .. } | NodeError::Corrupt { .. }), "{error:?}");
        assert_eq!(std::fs::read(at.as_str()).unwrap(), b"old");
    }
}

//! Becoming root. A stand-in for sudo comes first in the server's PATH; it asks, remembers and refuses as sudo does, and
//! writes down its arguments. The real one is met in the lab.

use std::os::unix::fs::PermissionsExt;

use kubexm_installer::node::ssh::{Options, Route, SshLine, SshNode};
use kubexm_installer::node::{AccountName, Command, Inspect, Mode, Mutate, NewFile, NodeError, Owner, Stdin, Sudo};
use kubexm_model::secret::Secret;

use crate::path;
use crate::sshd::{Sshd, whoami};

const PASSWORD: &str = "canary-sudo-99";

/// Reads the password from standard input by single bytes, as sudo does, and only when it has to ask.
const STAND_IN: &str = r#"#!/bin/sh
here=${0%/*}
printf '%s\n' "$*" >> "$here/arguments"
how=$(cat "$here/how")
ask=no prompt=
while [ "$1" != -- ]; do
  case $1 in -n) ask=never ;; -S) ask=may ;; -p) prompt=$2; shift ;; *) exit 2 ;; esac
  shift
done
shift
case $how in
  free) ;;
  stranger) echo "user is not in the sudoers file." >&2; exit 1 ;;
  asks)
    if [ $ask = never ]; then echo "sudo: a password is required" >&2; exit 1; fi
    echo "We trust you have received the usual lecture." >&2
    for attempt in 1 2 3; do
      printf %s "$prompt" >&2
      IFS= read -r password || exit 1
      [ "$password" != canary-sudo-99 ] || { BECAME=root exec env BECAME=root "$@"; }
      echo "Sorry, try again." >&2
    done
    exit 1 ;;
esac
exec env BECAME=root "$@"
"#;

struct Rig {
    sshd: Sshd,
}

impl Rig {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap().keep();
        let place = directory.join("sudo");
        std::fs::write(&place, STAND_IN).unwrap();
        std::fs::set_permissions(&place, std::fs::Permissions::from_mode(0o755)).unwrap();
        let config =
            format!("SetEnv PATH={}:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", directory.display());
        let sshd = Sshd::start(&["ed25519"], &config);
        std::os::unix::fs::symlink(&directory, sshd.at("sudo")).unwrap();
        Self { sshd }
    }

    fn node(&self, how: &str, password: Option<&str>) -> SshNode {
        std::fs::write(self.sshd.at("sudo/how"), how).unwrap();
        let route = Route { target: self.sshd.endpoint(), jump: None };
        let line = SshLine::new(route, self.sshd.known_at(self.sshd.address), Options::default());
        SshNode::new("a", line, Some(Sudo { password: password.map(|text| Secret::from(text.to_owned())) }))
    }

    fn arguments(&self) -> String {
        std::fs::read_to_string(self.sshd.at("sudo/arguments")).unwrap_or_default()
    }
}

impl Drop for Rig {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(std::fs::canonicalize(self.sshd.at("sudo")).unwrap());
    }
}

#[tokio::test]
async fn with_and_without_a_password_everything_arrives() {
    let rig = Rig::new();
    let directory = tempfile::tempdir().unwrap();
    let group = std::process::Command::new("id").arg("-gn").output().unwrap();
    let group = String::from_utf8(group.stdout).unwrap();
    let owner = Owner::new(AccountName::new(whoami()).unwrap(), AccountName::new(group.trim()).unwrap());
    // `free` with a password is sudo with a fresh memory: it does not ask, and the password must not end up in the file.
    for (number, (how, password)) in
        [("free", None), ("asks", Some(PASSWORD)), ("free", Some(PASSWORD))].into_iter().enumerate()
    {
        let node = rig.node(how, password);
        let command = Command::new("sh").args(["-c", "cat; echo $BECAME; echo loud >&2"]);
        let output = node.run(&command.stdin(Stdin::Text("in\n".to_owned()))).await;
        let output = output.unwrap_or_else(|error| panic!("{how}: {error:?}"));
        assert_eq!(
            (output.stdout.as_slice(), output.stderr.as_slice()),
            (b"in\nroot\n".as_slice(), b"loud\n".as_slice()),
            "{how}"
        );
        let content: Vec<u8> = (0..600_000_u32).map(|each| (each % 251) as u8).collect();
        let at = path(directory.path().to_str().unwrap()).join(&number.to_string()).unwrap();
        let sent =
            node.put(&NewFile { path: &at, mode: Mode::SECRET, owner: &owner, content: &content }).await.unwrap();
        assert!(sent.changed);
        assert_eq!(std::fs::read(at.as_str()).unwrap(), content, "{how}");
        assert_eq!(node.read(&at, 600_000).await.unwrap().unwrap(), content, "{how}");
    }
    assert!(rig.arguments().contains("-S -p kubexm-password-"));
    assert!(!rig.arguments().contains("canary"), "the password is in no argument");
}

#[tokio::test]
async fn a_refusal_is_told_as_one() {
    let rig = Rig::new();
    for (how, password, reason) in [
        ("asks", None, "a password is required"),
        ("asks", Some("wrong"), "the password is not accepted"),
        ("stranger", Some(PASSWORD), "not in the sudoers file"),
        ("stranger", None, "not in the sudoers file"),
    ] {
        let error = rig.node(how, password).run(&Command::new("true")).await.unwrap_err();
        let NodeError::Sudo { reason: told, .. } = &error else { panic!("{how}: {error:?}") };
        assert!(told.contains(reason), "{how}: {told}");
        assert!(!error.may_have_happened());
    }
}

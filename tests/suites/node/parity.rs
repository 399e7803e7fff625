//! The verdicts on host keys are those of OpenSSH.

use std::path::Path;
use std::process::{Command, Stdio};

use kubexm_installer::node::ssh::{ConnectError, Options, Route, SshLine};

use crate::sshd::{Sshd, keygen};

/// Keys of the server and of somebody else, and the names of the server, as parts of known_hosts lines.
struct Parts {
    port: u16,
    ed: String,
    ecdsa: String,
    rsa: String,
    other_ed: String,
    other_rsa: String,
}

impl Parts {
    /// Files with what they are about; whether they let somebody in is for OpenSSH to say.
    fn cases(&self) -> Vec<(String, String)> {
        let Self { port, ed, ecdsa, rsa, other_ed, other_rsa } = self;
        let name = format!("[127.0.0.1]:{port}");
        let long = "x".repeat(1100);
        let mut cases: Vec<(String, String)> = vec![];
        let names = [
            name.clone(),
            "127.0.0.1".to_owned(),
            "[127.0.0.1]:22".to_owned(),
            "[127.0.0.1]:1".to_owned(),
            "[127.0.0.1]".to_owned(),
            format!("127.0.0.1:{port}"),
            "localhost".to_owned(),
            "*".to_owned(),
            "[127.0.0.*]:*".to_owned(),
            format!("[127.0.0.?]:{port}"),
            format!("[127.0.0.??]:{port}"),
            format!("a,b,{name},c"),
            format!("!{name},*"),
            format!("*,!{name}"),
            format!("!{name}"),
            "*,!127.0.0.1".to_owned(),
            format!("!other,{name}"),
            format!("{long},{name}"),
            format!("{name},{long}"),
            format!(",{name},"),
            "[127.0.0.1]:*,!*".to_owned(),
        ];
        for names in &names {
            cases.push((format!("{names:.60} with the key"), format!("{names} {ed}\n")));
        }
        for names in &names[..9] {
            cases.push((format!("{names:.60} with another key"), format!("{names} {other_ed}\n")));
        }
        let (kind, blob) = ed.split_once(' ').unwrap();
        let lines: [(&str, String); 36] = [
            ("nothing", String::new()),
            ("only ecdsa", format!("{name} {ecdsa}\n")),
            ("only rsa", format!("{name} {rsa}\n")),
            ("another rsa key", format!("{name} {other_rsa}\n")),
            ("another rsa key, the right ed25519 key", format!("{name} {other_rsa}\n{name} {ed}\n")),
            ("another ed25519 key, the right rsa key", format!("{name} {other_ed}\n{name} {rsa}\n")),
            ("the right rsa key, then another ed25519 key", format!("{name} {rsa}\n{name} {other_ed}\n")),
            ("another key, then the key", format!("{name} {other_ed}\n{name} {ed}\n")),
            ("the key, then another key", format!("{name} {ed}\n{name} {other_ed}\n")),
            ("all keys", format!("{name} {ed}\n{name} {ecdsa}\n{name} {rsa}\n")),
            ("revoked", format!("@revoked {name} {ed}\n")),
            ("known and revoked", format!("{name} {ed}\n@revoked {name} {ed}\n")),
            ("revoked and known", format!("@revoked {name} {ed}\n{name} {ed}\n")),
            ("revoked everywhere and known", format!("@revoked * {ed}\n{name} {ed}\n")),
            ("revoked elsewhere and known", format!("@revoked elsewhere {ed}\n{name} {ed}\n")),
            ("another revoked and known", format!("@revoked * {other_ed}\n{name} {ed}\n")),
            ("ed25519 revoked, rsa known", format!("@revoked * {ed}\n{name} {rsa}\n")),
            ("rsa revoked, ed25519 known", format!("@revoked * {rsa}\n{name} {ed}\n")),
            ("revoked without the port, known with it", format!("@revoked 127.0.0.1 {ed}\n{name} {ed}\n")),
            ("revoked with the port, known without it", format!("@revoked {name} {ed}\n127.0.0.1 {ed}\n")),
            ("an authority", format!("@cert-authority {name} {ed}\n")),
            ("an authority and known", format!("@cert-authority * {other_ed}\n{name} {ed}\n")),
            ("an authority, another key known", format!("@cert-authority {name} {ed}\n{name} {other_ed}\n")),
            ("an unknown marker", format!("@trusted {name} {ed}\n")),
            ("a marker without blank", format!("@revoked{name} {ed}\n")),
            ("another with the port, the key without", format!("{name} {other_ed}\n127.0.0.1 {ed}\n")),
            ("the key with the port, another without", format!("{name} {ed}\n127.0.0.1 {other_ed}\n")),
            ("a comment", format!("# {name} {ed}\n")),
            ("a comment after the key", format!("{name} {ed} root@somewhere # {other_ed}\n")),
            ("blanks and tabs", format!(" \t{name}\t  {kind} \t{blob}\tx\n")),
            ("lines of Windows", format!("{name} {ed}\r\n")),
            ("no newline at the end", format!("{name} {ed}")),
            ("garbage before", format!("garbage\n\u{1}\u{2}\n{name}\n{name} {kind}\n{name} {ed}\n")),
            ("a type that is not the key's", format!("{name} ssh-rsa {blob}\n")),
            ("half a key", format!("{name} {kind} {}\n", &blob[..blob.len() / 2 / 4 * 4])),
            ("numbers of old", format!("{name} 1024 35 1234567890\n")),
        ];
        cases.extend(lines.map(|(what, text)| (what.to_owned(), text)));
        cases
    }
}

#[tokio::test]
async fn verdicts_are_those_of_openssh() {
    let sshd = Sshd::start(&["ed25519", "ecdsa", "rsa"], "");
    for (file, kind) in [("other_ed", "ed25519"), ("other_rsa", "rsa")] {
        keygen(&sshd.at(file), kind, "");
    }
    let [ed, ecdsa, rsa, other_ed, other_rsa] =
        ["ed25519", "ecdsa", "rsa", "other_ed", "other_rsa"].map(|kind| sshd.host_key(kind));
    let parts = Parts { port: sshd.address.port(), ed, ecdsa, rsa, other_ed, other_rsa };
    let mut cases = parts.cases();
    let hashed: Vec<(String, String)> =
        cases.iter().filter_map(|(what, text)| Some((format!("hashed: {what}"), hash(&sshd, text)?))).collect();
    cases.extend(hashed);
    let (mut accepted, mut refused) = (0, 0);
    for (what, text) in &cases {
        let theirs = openssh_accepts(&sshd, text);
        let ours = we_accept(&sshd, text).await;
        assert_eq!(ours, theirs, "{what}:\n{text}");
        if theirs { accepted += 1 } else { refused += 1 }
    }
    println!("{} cases, {accepted} accepted, {refused} refused", cases.len());
    assert!(accepted >= 20 && refused >= 20, "{accepted} accepted, {refused} refused");
}

async fn we_accept(sshd: &Sshd, known_hosts: &str) -> bool {
    let route = Route { target: sshd.endpoint(), jump: None };
    let line = SshLine::new(route, sshd.known_hosts(known_hosts), Options::default());
    match line.connect().await {
        Ok(()) => true,
        Err(ConnectError::HostKey { .. }) => false,
        Err(other) => panic!("{other:?}"),
    }
}

fn openssh_accepts(sshd: &Sshd, known_hosts: &str) -> bool {
    let file = sshd.at("known_hosts_of_openssh");
    std::fs::write(&file, known_hosts).unwrap();
    let output = Command::new("ssh")
        .args(["-F", "none", "-o", "StrictHostKeyChecking=yes", "-o", "GlobalKnownHostsFile=none"])
        .args(["-o", "BatchMode=yes", "-o", "IdentitiesOnly=yes", "-o", "UpdateHostKeys=no", "-o", "CheckHostIP=no"])
        .arg("-o")
        .arg(format!("UserKnownHostsFile={}", file.display()))
        .args(["-i", sshd.at("login").to_str().unwrap(), "-p", &sshd.address.port().to_string()])
        .arg(format!("{}@127.0.0.1", sshd.user))
        .arg("true")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    let accepted = output.status.success();
    assert!(accepted || said.contains("Host key verification failed"), "{said}\n{}", sshd.log());
    accepted
}

/// The same file with hashed names; nothing when OpenSSH's own tool finds nothing to hash.
fn hash(sshd: &Sshd, known_hosts: &str) -> Option<String> {
    let file = sshd.at("to_hash");
    std::fs::write(&file, known_hosts).unwrap();
    let done = Command::new("ssh-keygen")
        .args(["-q", "-H", "-f"])
        .arg(&file)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .unwrap();
    let text = read(&file);
    (done.success() && text != known_hosts && text.contains("|1|")).then_some(text)
}

fn read(file: &Path) -> String {
    String::from_utf8_lossy(&std::fs::read(file).unwrap()).into_owned()
}

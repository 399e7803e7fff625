//! Ways to log in, and what of them can be seen.

use std::process::Command as Process;
use std::sync::Arc;

use kubexm_installer::hostkeys::{HostKeys, fingerprint};
use kubexm_installer::node::ssh::{ConnectError, Endpoint, Login, LoginError, Options, Route, SshLine, SshNode};
use kubexm_installer::node::{Command, Inspect, Mutate, Stdin};
use kubexm_model::secret::Secret;

use crate::path;
use crate::server::{Lets, Server};
use crate::sshd::{Sshd, keygen};

const CANARY: &str = "canary-0815-hunter2";

fn secret(text: &str) -> Option<Secret> {
    Some(Secret::from(text.to_owned()))
}

fn line(server: &Server, login: Login) -> SshLine {
    let pin = Some(fingerprint(&server.key));
    let target = Endpoint { address: server.address, user: "root".to_owned(), login, pin };
    SshLine::new(Route { target, jump: None }, Arc::new(HostKeys::default()), Options::default())
}

#[tokio::test]
async fn a_password_or_an_answer_lets_in() {
    for lets in [Lets::Password(CANARY), Lets::Answer(CANARY)] {
        let server = Server::start(lets).await;
        line(&server, Login { password: secret(CANARY), ..Login::default() }).connect().await.unwrap();
        let error =
            line(&server, Login { password: secret("wrong-canary"), ..Login::default() }).connect().await.unwrap_err();
        assert!(matches!(error, ConnectError::Refused { .. }), "{error:?}");
        assert!(!format!("{error} {error:?}").contains("canary"), "{error:?}");
    }
}

#[tokio::test]
async fn an_agent_that_is_not_there_is_no_disaster() {
    let server = Server::start(Lets::Password(CANARY)).await;
    line(&server, Login { agent: true, password: secret(CANARY), ..Login::default() }).connect().await.unwrap();
    let error = line(&server, Login::default()).connect().await.unwrap_err();
    assert!(error.to_string().contains("neither a key nor a password"), "{error}");
    assert_eq!(server.count("login password"), 1);
}

#[tokio::test]
async fn a_key_with_a_passphrase() {
    let sshd = Sshd::start(&["ed25519"], "");
    for kind in ["ed25519", "ecdsa", "rsa"] {
        let file = sshd.at(&format!("locked-{kind}"));
        keygen(&file, kind, CANARY);
        std::fs::copy(file.with_extension("pub"), sshd.at("login.pub")).unwrap();
        let connect = async |passphrase: Option<Secret>| {
            let login = Login { key: Some(file.clone()), passphrase, ..Login::default() };
            let route = Route { target: Endpoint { login, ..sshd.endpoint() }, jump: None };
            SshLine::new(route, sshd.known_at(sshd.address), Options::default()).connect().await
        };
        connect(secret(CANARY)).await.unwrap_or_else(|error| panic!("{kind}: {error:?}\n{}", sshd.log()));
        for wrong in [None, secret("no")] {
            let error = connect(wrong).await.unwrap_err();
            assert!(matches!(error, ConnectError::Login { source: LoginError::Locked { .. } }), "{error:?}");
        }
    }
}

#[tokio::test]
async fn a_jump_host_carries_everything() {
    let (jump, target) = (Sshd::start(&["ed25519"], ""), Sshd::start(&["ed25519"], ""));
    let known = jump.known_hosts(&format!(
        "[127.0.0.1]:{} {}\n[127.0.0.1]:{} {}\n",
        jump.address.port(),
        jump.host_key("ed25519"),
        target.address.port(),
        target.host_key("ed25519")
    ));
    let route = Route { target: target.endpoint(), jump: Some(jump.endpoint()) };
    let node = SshNode::new("far", SshLine::new(route.clone(), known, Options::default()), None);
    assert_eq!(node.run(&Command::new("echo").arg("far")).await.unwrap().text(), "far");
    assert!(node.stat(&path("/etc")).await.unwrap().is_some());
    assert_eq!((jump.connections(), target.connections()), (2, 2));
    let only_jump = jump.known_at(jump.address);
    let error = SshLine::new(route, only_jump, Options::default()).connect().await.unwrap_err();
    assert!(matches!(error, ConnectError::HostKey { .. }), "the target's key is judged too: {error:?}");
    assert!(!target.log().contains("Accepted publickey") || target.connections() == 3);
}

#[tokio::test]
async fn secrets_are_in_no_command_line() {
    let server = Server::start(Lets::Password(CANARY)).await;
    let node = SshNode::new("a", line(&server, Login { password: secret(CANARY), ..Login::default() }), None);
    let command = Command::new("cat").stdin(Stdin::Secret(Secret::from(CANARY.to_owned())));
    assert_eq!(node.run(&command).await.unwrap().text(), CANARY);
    let said = server.heard().join("\n");
    assert!(said.contains("exec 'env' 'timeout'") && !said.contains("canary"), "{said}");
}

#[tokio::test]
async fn one_connection_carries_many_programs_at_once() {
    for allowed in [10, 2] {
        let sshd = Sshd::start(&["ed25519"], &format!("MaxSessions {allowed}"));
        let node = sshd.node(sshd.address);
        let commands: Vec<Command> = (0..40).map(|number| Command::new("echo").arg(number.to_string())).collect();
        let outputs = futures::future::join_all(commands.iter().map(|command| node.run(command))).await;
        for (number, output) in outputs.into_iter().enumerate() {
            assert_eq!(output.unwrap().text(), number.to_string());
        }
        assert_eq!(sshd.connections(), 2, "{}", sshd.log());
        assert_eq!(sshd.log().contains("no more sessions"), allowed == 2, "{}", sshd.log());
    }
}

/// Where the second half of the next test finds its server.
const CHILD: &str = "KUBEXM_TEST_AGENT_ROUTE";

/// The agent is found through the environment, which a process cannot safely change for itself: so the test runs itself
/// again with an agent in its environment.
#[tokio::test]
async fn an_agent_lets_in() {
    if let Ok(route) = std::env::var(CHILD) {
        let [address, user, pin] = route.split(' ').collect::<Vec<_>>().try_into().unwrap();
        let login = Login { agent: true, ..Login::default() };
        let target =
            Endpoint { address: address.parse().unwrap(), user: user.to_owned(), login, pin: Some(pin.to_owned()) };
        let line = SshLine::new(Route { target, jump: None }, Arc::new(HostKeys::default()), Options::default());
        return line.connect().await.unwrap();
    }
    let sshd = Sshd::start(&["ed25519"], "");
    let socket = sshd.at("agent");
    // It answers before it goes to the background, so there is nothing to wait for.
    let said = Process::new("ssh-agent").arg("-a").arg(&socket).output().unwrap();
    let said = String::from_utf8(said.stdout).unwrap();
    let pid = said.split("SSH_AGENT_PID=").nth(1).and_then(|rest| rest.split(';').next()).unwrap().to_owned();
    let added = Process::new("ssh-add").arg("-q").arg(sshd.at("login")).env("SSH_AUTH_SOCK", &socket).status().unwrap();
    let pin = fingerprint(&russh::keys::PublicKey::from_openssh(&sshd.host_key("ed25519")).unwrap());
    let again = Process::new(std::env::current_exe().unwrap())
        .args(["--exact", "login::an_agent_lets_in"])
        .env("SSH_AUTH_SOCK", &socket)
        .env(CHILD, format!("{} {} {pin}", sshd.address, sshd.user))
        .output()
        .unwrap();
    let ended = Process::new("ssh-agent").arg("-k").env("SSH_AGENT_PID", pid).env("SSH_AUTH_SOCK", &socket).output();
    assert!(ended.unwrap().status.success() && added.success());
    assert!(again.status.success(), "{}", String::from_utf8_lossy(&again.stdout));
    assert!(String::from_utf8_lossy(&again.stdout).contains("1 passed"));
    assert!(sshd.connections() == 2, "{}", sshd.log());
}

//! Machines that show the wrong key, or one that nobody knows.

use std::borrow::Cow;
use std::error::Error;
use std::net::SocketAddr;
use std::sync::Arc;

use kubexm_installer::hostkeys::scan::{Standing, accept, scan};
use kubexm_installer::hostkeys::{HostKeys, Refusal, fingerprint};
use kubexm_installer::node::ssh::{ConnectError, Endpoint, Login, Options, Route, SshLine, SshNode};
use kubexm_installer::node::{Command, Mutate, NodeError};
use kubexm_model::secret::Secret;
use russh::{Preferred, cipher, kex, mac};

use crate::relay::Relay;
use crate::server::{Lets, Server};
use crate::sshd::Sshd;

fn password() -> Login {
    Login { password: Some(Secret::from("canary-4711".to_owned())), ..Login::default() }
}

fn line(server: &Server, pin: Option<String>, known: &str) -> SshLine {
    let target = Endpoint { address: server.address, user: "root".to_owned(), login: password(), pin };
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), known).unwrap();
    let host_keys = Arc::new(HostKeys::read([file.path().to_owned()]).unwrap());
    SshLine::new(Route { target, jump: None }, host_keys, Options::default())
}

fn known(server: &Server) -> String {
    format!("[127.0.0.1]:{} {}\n", server.address.port(), server.key.to_openssh().unwrap())
}

#[tokio::test]
async fn an_unknown_machine_hears_nothing_of_a_login() {
    let server = Server::start(Lets::Password("")).await;
    let error = line(&server, None, "").connect().await.unwrap_err();
    let ConnectError::HostKey { source: Refusal::Unknown { shown, .. } } = &error else { panic!("{error:?}") };
    assert_eq!(*shown, fingerprint(&server.key));
    let message = error.source().unwrap().to_string();
    assert!(message.contains("hosts scan") && message.contains(shown), "{message}");
    assert_eq!((server.count("connection"), server.count("login"), server.count("exec")), (1, 0, 0));
}

#[tokio::test]
async fn a_changed_key_is_told_with_both_fingerprints_and_the_place() {
    let (server, other) = (Server::start(Lets::Password("")).await, Server::start(Lets::Password("")).await);
    let lines = format!("# first line\n[127.0.0.1]:{} {}\n", server.address.port(), other.key.to_openssh().unwrap());
    let error = line(&server, None, &lines).connect().await.unwrap_err();
    let message = error.source().unwrap().to_string();
    assert!(message.contains(&fingerprint(&server.key)) && message.contains(&fingerprint(&other.key)), "{message}");
    assert!(message.contains(":2)"), "file and line: {message}");
    assert_eq!(server.count("login"), 0);
}

#[tokio::test]
async fn a_pin_beats_known_hosts() {
    let (server, other) = (Server::start(Lets::Password("")).await, Server::start(Lets::Password("")).await);
    let error = line(&server, Some(fingerprint(&other.key)), &known(&server)).connect().await.unwrap_err();
    assert!(error.source().unwrap().to_string().contains("hostKey in cluster.yaml"), "{error:?}");
    assert_eq!(server.count("login"), 0);
    line(&server, Some(fingerprint(&server.key)), "").connect().await.unwrap();
    assert_eq!(server.count("login"), 1);
    let revoked = format!("@revoked * {}", server.key.to_openssh().unwrap());
    let error = line(&server, None, &format!("{}{revoked}", known(&server))).connect().await.unwrap_err();
    assert!(matches!(error, ConnectError::HostKey { source: Refusal::Revoked { .. } }), "{error:?}");
}

#[tokio::test]
async fn a_pin_of_any_of_several_keys_will_do() {
    let sshd = Sshd::start(&["ed25519", "ecdsa", "rsa"], "");
    for kind in ["ed25519", "ecdsa", "rsa"] {
        let key = russh::keys::PublicKey::from_openssh(&sshd.host_key(kind)).unwrap();
        let target = Endpoint { pin: Some(fingerprint(&key)), ..sshd.endpoint() };
        let line = SshLine::new(Route { target, jump: None }, Arc::new(HostKeys::default()), Options::default());
        line.connect().await.unwrap();
    }
}

#[tokio::test]
async fn a_machine_that_changes_behind_the_line_is_refused() {
    let (server, evil) = (Server::start(Lets::Password("")).await, Server::start(Lets::Password("")).await);
    let relay = Relay::to(server.address).await;
    let target = Endpoint {
        address: relay.address,
        user: "root".to_owned(),
        login: password(),
        pin: Some(fingerprint(&server.key)),
    };
    let line = SshLine::new(Route { target, jump: None }, Arc::new(HostKeys::default()), Options::default());
    let node = SshNode::new("a", line, None);
    node.run(&Command::new("true")).await.unwrap();
    for _ in 0..20 {
        relay.lead_to(evil.address);
        relay.cut_now();
        node.line().disconnect().await;
        let error = node.run(&Command::new("true")).await.unwrap_err();
        assert!(matches!(error, NodeError::Unreachable { .. }), "{error:?}");
        relay.lead_to(server.address);
        node.run(&Command::new("true")).await.unwrap();
    }
    assert_eq!((evil.count("login"), evil.count("exec")), (0, 0));
    assert_eq!(server.count("exec"), 21);
}

#[tokio::test]
async fn weak_algorithms_are_refused() {
    let strong = Preferred::default;
    let weak = [
        Preferred { kex: Cow::Borrowed(&[kex::DH_G1_SHA1]), ..strong() },
        Preferred { kex: Cow::Borrowed(&[kex::DH_G14_SHA1]), ..strong() },
        Preferred { cipher: Cow::Borrowed(&[cipher::AES_256_CBC]), ..strong() },
        Preferred { cipher: Cow::Borrowed(&[cipher::CHACHA20_POLY1305]), ..strong() },
        Preferred { cipher: Cow::Borrowed(&[cipher::AES_256_CTR]), mac: Cow::Borrowed(&[mac::HMAC_SHA1]), ..strong() },
    ];
    for preferred in weak {
        let what = format!("{preferred:?}");
        let server = Server::with(Lets::Password(""), preferred).await;
        let line = line(&server, None, &known(&server));
        let end = tokio::time::timeout(std::time::Duration::from_secs(30), line.connect()).await.unwrap();
        assert!(matches!(end, Err(ConnectError::Peek { .. })), "{what}: {end:?}");
        assert_eq!(server.count("login"), 0);
    }
}

#[tokio::test]
async fn a_scan_shows_keys_and_trusts_nothing_by_itself() {
    let (known_one, new_one, changed) = (
        Server::start(Lets::Password("")).await,
        Sshd::start(&["ed25519", "ecdsa", "rsa"], ""),
        Server::start(Lets::Password("")).await,
    );
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("known_hosts");
    let other = format!("[127.0.0.1]:{} {}\n", changed.address.port(), known_one.key.to_openssh().unwrap());
    std::fs::write(&file, known(&known_one) + &other).unwrap();
    let endpoint = |address| Endpoint { address, user: "root".to_owned(), login: password(), pin: None };
    let nobody = SocketAddr::from(([127, 0, 0, 1], 1));
    let routes = [known_one.address, new_one.address, changed.address, nobody]
        .map(|address| (address.port().to_string(), Route { target: endpoint(address), jump: None }));
    let read = || Arc::new(HostKeys::read([file.clone()]).unwrap());
    let scanned = scan(&routes, &read(), &Options::default(), 8).await;
    let standing = |index: usize| {
        let keys = scanned[index].keys.as_ref().unwrap();
        keys.iter().map(|shown| shown.standing.clone()).collect::<Vec<_>>()
    };
    assert_eq!((standing(0), standing(1)), (vec![Standing::Trusted], vec![Standing::New; 3]));
    assert!(matches!(standing(2)[..], [Standing::Refused(Refusal::Changed { .. })]));
    assert!(scanned[3].keys.is_err());
    assert_eq!(known_one.count("login") + changed.count("login"), 0);
    assert!(!new_one.log().contains("Accepted"));
    assert_eq!(accept(&scanned, "--accept-new", jiff::Timestamp::now(), &file).unwrap(), 3);
    let again = scan(&routes, &read(), &Options::default(), 8).await;
    assert!(again[1].keys.as_ref().unwrap().iter().all(|shown| shown.standing == Standing::Trusted));
    assert!(
        matches!(again[2].keys.as_ref().unwrap()[0].standing, Standing::Refused(_)),
        "a change is never accepted so"
    );
    let ed25519 = scanned[1].keys.as_ref().unwrap()[0].fingerprint.clone();
    let pinned = Endpoint { pin: Some(ed25519), ..endpoint(new_one.address) };
    let pinned =
        scan(&[("pinned".to_owned(), Route { target: pinned, jump: None })], &read(), &Options::default(), 1).await;
    let standing: Vec<_> = pinned[0].keys.as_ref().unwrap().iter().map(|shown| shown.standing.clone()).collect();
    assert_eq!(standing, [Standing::Trusted, Standing::Other, Standing::Other]);
    assert_eq!(accept(&again, "--accept-new", jiff::Timestamp::now(), &file).unwrap(), 0);
}

//! OpenSSH's server on loopback: one process for each connection, with the connection as its standard input, so that no
//! port must be free and nothing must be waited for.

use std::net::{SocketAddr, TcpListener};
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};

use kubexm_installer::hostkeys::HostKeys;
use kubexm_installer::node::ssh::{Endpoint, Login, Options, Route, SshNode};
use tempfile::TempDir;

/// A server with its keys, for the user who runs the tests.
pub struct Sshd {
    pub address: SocketAddr,
    pub user: String,
    directory: TempDir,
    children: Arc<Mutex<Vec<Child>>>,
}

/// As root, sshd wants a directory that belongs to it; a private mount namespace gives it one. What this machine's
/// owner likes to see in a shell is left out.
const AS_ROOT: &str = "mount -t tmpfs none /run && mkdir -m 0755 /run/sshd || exit 1
[ ! -e ~/.bashrc ] || mount --bind /dev/null ~/.bashrc
exec \"$@\"";

impl Sshd {
    /// A server with a host key of each of these types, and more lines for its configuration.
    pub fn start(kinds: &[&str], more: &str) -> Self {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let at = |name: &str| directory.path().join(name);
        let mut config = format!(
            "StrictModes no\nUsePAM no\nPidFile none\nPermitRootLogin yes\nPasswordAuthentication no\n\
             AuthorizedKeysFile {}\n{more}\n",
            at("login.pub").display()
        );
        for kind in kinds {
            keygen(&at(kind), kind, "");
            config.push_str(&format!("HostKey {}\n", at(kind).display()));
        }
        keygen(&at("login"), "ed25519", "");
        std::fs::write(at("sshd_config"), config).expect("a file can be written");
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("an address");
        let children = Arc::new(Mutex::new(vec![]));
        let sshd = Self { address, user: whoami(), directory, children: Arc::clone(&children) };
        let (config, log) = (sshd.at("sshd_config"), sshd.at("log"));
        // The thread ends with the process: there is no way to interrupt accept.
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let child = serve(&config, &log, stream.into());
                children.lock().expect("a lock").push(child);
            }
        });
        sshd
    }

    /// A file of the server's.
    pub fn at(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// What the server has said so far.
    pub fn log(&self) -> String {
        std::fs::read_to_string(self.at("log")).unwrap_or_default()
    }

    /// How many connections there have been.
    pub fn connections(&self) -> usize {
        self.children.lock().expect("a lock").len()
    }

    /// The public host key of a type: type and base64.
    pub fn host_key(&self, kind: &str) -> String {
        let text = std::fs::read_to_string(self.at(&format!("{kind}.pub"))).expect("the key is there");
        text.split(' ').take(2).collect::<Vec<_>>().join(" ")
    }

    /// A known_hosts file with these lines.
    pub fn known_hosts(&self, lines: &str) -> Arc<HostKeys> {
        let file = self.at("known_hosts");
        std::fs::write(&file, lines).expect("a file can be written");
        Arc::new(HostKeys::read([file]).expect("the file can be read"))
    }

    /// A known_hosts file that knows the server at this address.
    pub fn known_at(&self, address: SocketAddr) -> Arc<HostKeys> {
        self.known_hosts(&format!("[127.0.0.1]:{} {}\n", address.port(), self.host_key("ed25519")))
    }

    /// The way to the server.
    pub fn endpoint(&self) -> Endpoint {
        let login = Login { key: Some(self.at("login")), ..Login::default() };
        Endpoint { address: self.address, user: self.user.clone(), login, pin: None }
    }

    /// The server as a node; `address` may be that of a relay.
    pub fn node(&self, address: SocketAddr) -> SshNode {
        let route = Route { target: Endpoint { address, ..self.endpoint() }, jump: None };
        let line = kubexm_installer::node::ssh::SshLine::new(route, self.known_at(address), Options::default());
        SshNode::new("ssh", line, None)
    }
}

impl Drop for Sshd {
    fn drop(&mut self) {
        for child in self.children.lock().expect("a lock").iter_mut() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

fn serve(config: &Path, log: &Path, stream: OwnedFd) -> Child {
    let server = ["/usr/sbin/sshd", "-i", "-f", &config.display().to_string(), "-E", &log.display().to_string()]
        .map(str::to_owned);
    let mut command = if whoami() == "root" {
        let mut command = Command::new("unshare");
        command.args(["-m", "--propagation", "private", "sh", "-c", AS_ROOT, "sh"]).args(server);
        command
    } else {
        let [program, rest @ ..] = server;
        let mut command = Command::new(program);
        command.args(rest);
        command
    };
    let other = stream.try_clone().expect("a second handle");
    let child = command.stdin(Stdio::from(stream)).stdout(Stdio::from(other)).stderr(Stdio::null()).spawn();
    child.unwrap_or_else(|error| panic!("sshd (package openssh-server) cannot be started: {error}"))
}

/// A new key pair.
pub fn keygen(file: &Path, kind: &str, passphrase: &str) {
    let status = Command::new("ssh-keygen")
        .args(["-q", "-t", kind, "-N", passphrase, "-C", "test", "-f"])
        .arg(file)
        .status()
        .expect("ssh-keygen (package openssh-client) can be run");
    assert!(status.success());
}

/// The user who runs the tests.
pub fn whoami() -> String {
    let output = Command::new("id").arg("-un").output().expect("id can be run");
    String::from_utf8(output.stdout).expect("a name").trim().to_owned()
}

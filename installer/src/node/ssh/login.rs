//! Where a machine is and how one logs in there, from cluster.yaml.

use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};

use async_ssh2_tokio::AuthMethod;
use async_ssh2_tokio::client::AuthKeyboardInteractive;
use kubexm_model::cluster::schema::{Host, JumpHost};
use kubexm_model::secret::Secret;

use crate::hostkeys::Target;

/// The way to a machine.
#[derive(Debug, Clone)]
pub struct Route {
    /// The machine.
    pub target: Endpoint,
    /// The machine through which it is reached.
    pub jump: Option<Endpoint>,
}

/// A machine and a login.
#[derive(Debug, Clone)]
pub struct Endpoint {
    /// Its address.
    pub address: SocketAddr,
    /// The user.
    pub user: String,
    /// How the user proves who it is.
    pub login: Login,
    /// The fingerprint of the machine's key, if it is pinned.
    pub pin: Option<String>,
}

/// How a user proves who it is: by key, by agent, by password, in this order.
#[derive(Clone, Default)]
pub struct Login {
    /// The private key.
    pub key: Option<PathBuf>,
    /// What opens it.
    pub passphrase: Option<Secret>,
    /// The password, also for sudo.
    pub password: Option<Secret>,
    /// Whether the agent is asked.
    pub agent: bool,
}

/// What is not in cluster.yaml but around it.
pub struct Surroundings<'a> {
    /// What `~` stands for.
    pub home: Option<PathBuf>,
    /// The value of an environment variable.
    pub variable: &'a dyn Fn(&str) -> Option<Secret>,
    /// What opens the private keys.
    pub passphrase: Option<Secret>,
}

/// Why nobody can log in as cluster.yaml says.
#[derive(Debug, thiserror::Error)]
pub enum LoginError {
    /// A variable is not set.
    #[error("the environment variable {variable}, which holds the password of {user} at {address}, is not set")]
    Variable {
        /// The variable.
        variable: String,
        /// The user.
        user: String,
        /// The machine.
        address: SocketAddr,
    },
    /// The key cannot be read.
    #[error("the private key {} cannot be used", path.display())]
    Key {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The key cannot be understood.
    #[error("the private key {} cannot be opened", path.display())]
    Locked {
        /// The file.
        path: PathBuf,
        /// Why.
        source: russh::keys::Error,
    },
}

impl fmt::Debug for Login {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { key, passphrase, password, agent } = self;
        let [passphrase, password] = [passphrase, password].map(Option::is_some);
        write!(f, "Login(key: {key:?}, passphrase: {passphrase}, password: {password}, agent: {agent})")
    }
}

impl Route {
    /// The way to a machine of cluster.yaml.
    pub fn to(host: &Host, around: &Surroundings<'_>) -> Result<Self, LoginError> {
        let target = Given {
            address: host.address,
            port: host.port,
            user: &host.user,
            key: host.private_key_path.as_deref(),
            password: host.password.as_ref(),
            variable: host.password_env.as_deref(),
            pin: host.host_key.as_deref(),
        };
        let jump = host.jump_host.as_ref().map(|jump| Given::of(jump).endpoint(around)).transpose()?;
        Ok(Self { target: target.endpoint(around)?, jump })
    }
}

/// What cluster.yaml says about a machine or a jump host.
struct Given<'a> {
    address: IpAddr,
    port: u16,
    user: &'a str,
    key: Option<&'a str>,
    password: Option<&'a Secret>,
    variable: Option<&'a str>,
    pin: Option<&'a str>,
}

impl<'a> Given<'a> {
    fn of(jump: &'a JumpHost) -> Self {
        Self {
            address: jump.address,
            port: jump.port,
            user: &jump.user,
            key: jump.private_key_path.as_deref(),
            password: jump.password.as_ref(),
            variable: jump.password_env.as_deref(),
            pin: jump.host_key.as_deref(),
        }
    }

    fn endpoint(&self, around: &Surroundings<'_>) -> Result<Endpoint, LoginError> {
        let address = SocketAddr::new(self.address, self.port);
        let missing = |variable: &str| LoginError::Variable {
            variable: variable.to_owned(),
            user: self.user.to_owned(),
            address,
        };
        let password = match (self.password, self.variable) {
            (Some(password), _) => Some(password.clone()),
            (None, Some(variable)) => Some((around.variable)(variable).ok_or_else(|| missing(variable))?),
            (None, None) => None,
        };
        let key = self.key.map(|path| expand(path, around.home.as_deref()));
        let agent = key.is_none();
        let login = Login { key, passphrase: around.passphrase.clone(), password, agent };
        Ok(Endpoint { address, user: self.user.to_owned(), login, pin: self.pin.map(str::to_owned) })
    }
}

/// The path with `~` replaced by the home.
fn expand(path: &str, home: Option<&Path>) -> PathBuf {
    match (path.strip_prefix("~/"), home) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => PathBuf::from(path),
    }
}

impl Endpoint {
    /// The machine as known_hosts files name it.
    pub fn as_target(&self) -> Target {
        Target { host: self.address.ip().to_string(), port: self.address.port(), pin: self.pin.clone() }
    }
}

impl Login {
    /// The ways to log in, in the order in which they are tried. What comes out shows secrets when it is printed.
    pub(super) fn methods(&self) -> Result<Vec<AuthMethod>, LoginError> {
        let mut methods = vec![];
        if let Some(path) = &self.key {
            let text = read_key(path).map_err(|source| LoginError::Key { path: path.clone(), source })?;
            let passphrase = self.passphrase.as_ref().map(Secret::expose);
            // Whether it opens is known before anybody is called.
            russh::keys::decode_secret_key(&text, passphrase)
                .map_err(|source| LoginError::Locked { path: path.clone(), source })?;
            methods.push(AuthMethod::with_key(&text, passphrase));
        }
        if self.agent {
            methods.push(AuthMethod::with_agent());
        }
        if let Some(password) = &self.password {
            methods.push(AuthMethod::with_password(password.expose()));
            // Every question contains the empty text, and the password is the one answer we have.
            let asked = AuthKeyboardInteractive::new().with_response("", password.expose());
            methods.push(AuthMethod::with_keyboard_interactive(asked));
        }
        Ok(methods)
    }
}

/// A private key that others can read is refused, as OpenSSH does.
fn read_key(path: &Path) -> std::io::Result<String> {
    use std::os::unix::fs::PermissionsExt;
    const LARGEST: u64 = 64 * 1024;
    let data = fs_err::metadata(path)?;
    if data.permissions().mode() & 0o077 != 0 {
        return Err(std::io::Error::other("others than its owner may read or write it: chmod 600 it"));
    }
    if data.len() > LARGEST {
        return Err(std::io::Error::other("it is too large for a key"));
    }
    fs_err::read_to_string(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_secret_is_shown() {
        let secret = || Some(Secret::from("hunter2".to_owned()));
        let login = Login { passphrase: secret(), password: secret(), ..Login::default() };
        assert!(!format!("{login:?}").contains("hunter2"));
    }

    #[test]
    fn a_key_that_others_can_read_is_refused() {
        use std::os::unix::fs::PermissionsExt;
        let file = tempfile::NamedTempFile::new().unwrap();
        fs_err::set_permissions(file.path(), std::fs::Permissions::from_mode(0o644)).unwrap();
        let login = Login { key: Some(file.path().to_owned()), ..Login::default() };
        assert!(matches!(login.methods(), Err(LoginError::Key { .. })));
        fs_err::set_permissions(file.path(), std::fs::Permissions::from_mode(0o600)).unwrap();
        assert!(matches!(login.methods(), Err(LoginError::Locked { .. })), "it is no key");
    }

    #[test]
    fn the_home_is_filled_in() {
        let home = Path::new("/home/a");
        assert_eq!(expand("~/.ssh/id", Some(home)), Path::new("/home/a/.ssh/id"));
        assert_eq!(expand("/x/~/y", Some(home)), Path::new("/x/~/y"));
    }
}

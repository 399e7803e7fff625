//! A machine over SSH as a node: one connection, many channels.
//!
//! async-ssh2-tokio connects, logs in and goes through jump hosts; its channels are russh's, and what moves over them is
//! ours. A host key is judged before: russh alone can be made to show a key and stop there, so a first handshake learns
//! the key, our policy judges it, and async-ssh2-tokio is told to accept exactly that key and no other.

mod channel;
mod config;
mod connect;
mod login;
mod peek;

pub use connect::ConnectError;
pub use login::{Endpoint, Login, LoginError, Route, Surroundings};
pub use peek::PeekError;

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use russh::keys::PublicKey;
use tokio::sync::{Mutex, Semaphore};

use crate::hostkeys::HostKeys;
use crate::node::line::{Line, LineError, Process};
use crate::node::posix::{PosixNode, Sudo};
use crate::node::quote;
use connect::{Approved, Connection};

/// A machine over SSH as a node.
pub type SshNode = PosixNode<SshLine>;

/// How patient a line is.
#[derive(Debug, Clone)]
pub struct Options {
    /// How long one attempt to connect may take.
    pub connect_timeout: Duration,
    /// How often it is tried to connect the first time.
    pub first_attempts: u32,
    /// How often it is tried to connect again after the line was lost.
    pub attempts: u32,
    /// The pause after the first failed attempt; it doubles up to `longest_pause`.
    pub pause: Duration,
    /// The longest pause.
    pub longest_pause: Duration,
    /// Programs at once. sshd allows ten sessions unless it is told otherwise, and a new one may come to it before it
    /// has cleared away the one that ended: half of them are safe.
    pub channels: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            connect_timeout: Duration::from_secs(15),
            first_attempts: 2,
            attempts: 6,
            pause: Duration::from_millis(500),
            longest_pause: Duration::from_secs(8),
            channels: 5,
        }
    }
}

/// How often a channel is asked for when the server has none to give.
const CHANNEL_ATTEMPTS: usize = 12;

/// A connection that comes back when it is lost.
pub struct SshLine {
    route: Route,
    host_keys: Arc<HostKeys>,
    options: Options,
    state: Mutex<State>,
    channels: Arc<Semaphore>,
}

#[derive(Default)]
struct State {
    connection: Option<Arc<Connection>>,
    approved: Approved,
    was_connected: bool,
}

impl SshNode {
    /// A node at the end of a route; nothing is done before something is asked of it.
    ///
    /// Who does not log in as root works through sudo, with the login's password where sudo wants one.
    pub fn over_ssh(name: impl Into<String>, route: Route, host_keys: Arc<HostKeys>, options: Options) -> Self {
        let target = &route.target;
        let sudo = (target.user != "root").then(|| Sudo { password: target.login.password.clone() });
        Self::new(name, SshLine::new(route, host_keys, options), sudo)
    }
}

impl SshLine {
    /// A line over a route.
    pub fn new(route: Route, host_keys: Arc<HostKeys>, options: Options) -> Self {
        let channels = Arc::new(Semaphore::new(options.channels));
        Self { route, host_keys, options, state: Mutex::new(State::default()), channels }
    }

    /// Connects unless there is a connection.
    pub async fn connect(&self) -> Result<(), ConnectError> {
        self.connection().await.map(drop)
    }

    /// One host key of each type that the machine at the end has. Nobody logs in there, only at a jump host.
    pub async fn host_keys(&self) -> Result<Vec<PublicKey>, ConnectError> {
        connect::look_at_keys(&self.route, &self.host_keys, &self.options).await
    }

    /// Ends the connection; the next program makes a new one.
    pub async fn disconnect(&self) {
        if let Some(connection) = self.state.lock().await.connection.take() {
            connection.close().await;
        }
    }

    async fn connection(&self) -> Result<Arc<Connection>, ConnectError> {
        let mut state = self.state.lock().await;
        if let Some(connection) = state.connection.as_ref().filter(|connection| connection.is_open()) {
            return Ok(Arc::clone(connection));
        }
        state.connection = None;
        let attempts = if state.was_connected { self.options.attempts } else { self.options.first_attempts };
        let mut pause = self.options.pause;
        for attempt in 1..=attempts {
            match connect::connect(&self.route, &self.host_keys, &self.options, &mut state.approved).await {
                Ok(connection) => {
                    let connection = Arc::new(connection);
                    state.was_connected = true;
                    state.connection = Some(Arc::clone(&connection));
                    return Ok(connection);
                }
                Err(error) if attempt == attempts || !error.may_pass() => return Err(error),
                Err(_) => tokio::time::sleep(jittered(pause)).await,
            }
            pause = (pause * 2).min(self.options.longest_pause);
        }
        Err(ConnectError::GaveUp)
    }

    /// Starts a program on a channel. As long as it was not sent, a lost line is simply made anew.
    async fn open(&self, words: &str) -> Result<Process, ConnectError> {
        let permit = Arc::clone(&self.channels).acquire_owned().await.map_err(|_| ConnectError::GaveUp)?;
        let permit = Arc::new(permit);
        let mut pause = self.options.pause / 5;
        let mut lost = false;
        for _ in 0..CHANNEL_ATTEMPTS {
            let connection = self.connection().await?;
            match channel::start(&connection, words, self.options.connect_timeout, &permit).await {
                Ok(process) => return Ok(process),
                Err(error) if error.is_crowded() => {
                    tokio::time::sleep(jittered(pause)).await;
                    pause = (pause * 2).min(self.options.longest_pause);
                }
                Err(error) if lost => return Err(error),
                Err(_) => {
                    self.forget(&connection).await;
                    lost = true;
                }
            }
        }
        Err(ConnectError::GaveUp)
    }

    /// Does not use this connection for anything new, unless it has been replaced already.
    async fn forget(&self, connection: &Arc<Connection>) {
        let mut state = self.state.lock().await;
        if state.connection.as_ref().is_some_and(|current| Arc::ptr_eq(current, connection)) {
            state.connection = None;
        }
    }
}

#[async_trait]
impl Line for SshLine {
    async fn start(&self, argv: &[String]) -> Result<Process, LineError> {
        let words = quote::words(argv.iter().map(String::as_str));
        let words = words.map_err(|error| std::io::Error::new(std::io::ErrorKind::InvalidInput, error));
        let words = words.map_err(|source| LineError::Start { source })?;
        self.open(&words).await.map_err(|error| LineError::Unreachable { source: Box::new(error) })
    }
}

/// Between half and all of the pause, so that many nodes do not come back at the same moment.
fn jittered(pause: Duration) -> Duration {
    use rand::RngExt;
    pause.mul_f64(rand::rng().random_range(0.5..=1.0))
}

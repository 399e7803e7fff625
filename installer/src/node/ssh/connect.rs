//! From a route to a connection.

use std::net::SocketAddr;
use std::time::Duration;

use async_ssh2_tokio::{AuthMethod, Client, Error as WrapperError, ServerCheckMethod};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use russh::keys::PublicKey;
use russh::keys::ssh_key::Error as KeyError;

use super::Options;
use super::config::{config, known_first};
use super::login::{Endpoint, LoginError, Route};
use super::peek::{PeekError, peek, peek_all};
use crate::hostkeys::{HostKeys, Refusal};

/// Why there is no connection.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    /// The machine's key was not even seen.
    #[error("no SSH server was found")]
    Peek {
        /// Why.
        source: PeekError,
    },
    /// The machine is not trusted; nobody tried to log in.
    #[error("the machine is not trusted")]
    HostKey {
        /// Why.
        source: Refusal,
    },
    /// The login cannot be tried.
    #[error("the login cannot be used")]
    Login {
        /// Why.
        source: LoginError,
    },
    /// The machine does not accept the login.
    #[error("{user} cannot log in at {address}: {tried}")]
    Refused {
        /// The user.
        user: String,
        /// The machine.
        address: SocketAddr,
        /// What was tried and what came of it.
        tried: String,
    },
    /// The connection broke.
    #[error("the connection to {address} broke")]
    Broken {
        /// The machine.
        address: SocketAddr,
        /// Why.
        source: WrapperError,
    },
    /// The machine was too slow.
    #[error("{address} does not answer within {} s", .after.as_secs())]
    Timeout {
        /// The machine.
        address: SocketAddr,
        /// How long it was waited.
        after: Duration,
    },
    /// The machine's key cannot be written as text.
    #[error("the host key of {address} cannot be written")]
    Key {
        /// The machine.
        address: SocketAddr,
        /// Why.
        source: KeyError,
    },
    /// Nobody tries any longer.
    #[error("the line was given up")]
    GaveUp,
}

impl ConnectError {
    /// Whether the machine allows no more programs at once on this connection.
    pub(super) fn is_crowded(&self) -> bool {
        matches!(self, Self::Broken { source: WrapperError::SshError(russh::Error::ChannelOpenFailure(_)), .. })
    }

    /// Whether another attempt could end otherwise.
    pub fn may_pass(&self) -> bool {
        matches!(self, Self::Peek { .. } | Self::Broken { .. } | Self::Timeout { .. })
    }
}

/// Keys that were judged good, to be insisted on when the line is made anew.
#[derive(Debug, Default)]
pub(super) struct Approved {
    target: Option<PublicKey>,
    jump: Option<PublicKey>,
}

/// A connection, and the one to the jump host that carries it.
pub(super) struct Connection {
    client: Client,
    jump: Option<Client>,
}

impl Connection {
    pub(super) fn client(&self) -> &Client {
        &self.client
    }

    pub(super) fn is_open(&self) -> bool {
        !self.client.is_closed() && self.jump.as_ref().is_none_or(|jump| !jump.is_closed())
    }

    /// Says goodbye; a line that cannot be ended politely is ended by being dropped.
    pub(super) async fn close(&self) {
        for client in std::iter::once(&self.client).chain(&self.jump) {
            let _ = client.disconnect().await;
        }
    }
}

pub(super) async fn connect(
    route: &Route,
    host_keys: &HostKeys,
    options: &Options,
    approved: &mut Approved,
) -> Result<Connection, ConnectError> {
    let jump = match &route.jump {
        Some(jump) => Some(reach(jump, None, host_keys, options, &mut approved.jump).await?),
        None => None,
    };
    let client = reach(&route.target, jump.as_ref(), host_keys, options, &mut approved.target).await?;
    Ok(Connection { client, jump })
}

pub(super) async fn look_at_keys(
    route: &Route,
    host_keys: &HostKeys,
    options: &Options,
) -> Result<Vec<PublicKey>, ConnectError> {
    let jump = match &route.jump {
        Some(jump) => Some(reach(jump, None, host_keys, options, &mut None).await?),
        None => None,
    };
    let keys = peek_all(route.target.address, jump.as_ref(), options.connect_timeout).await;
    keys.map_err(|source| ConnectError::Peek { source })
}

/// Connects to one machine: its key is judged, then it must be exactly that key, then the ways to log in are tried.
async fn reach(
    endpoint: &Endpoint,
    via: Option<&Client>,
    host_keys: &HostKeys,
    options: &Options,
    approved: &mut Option<PublicKey>,
) -> Result<Client, ConnectError> {
    let methods = endpoint.login.methods().map_err(|source| ConnectError::Login { source })?;
    let key = match approved.clone() {
        Some(key) => key,
        None => judged(endpoint, via, host_keys, options.connect_timeout).await?,
    };
    *approved = Some(key.clone());
    let mut tried = vec![];
    for method in methods {
        let name = name_of(&method);
        match log_in(endpoint, via, &key, method, options.connect_timeout).await {
            Ok(client) => return Ok(client),
            Err(ConnectError::Broken { source, .. }) if is_refusal(&source) => tried.push(format!("{name}: {source}")),
            Err(ConnectError::Broken { source: WrapperError::SshError(russh::Error::UnknownKey), .. }) => {
                // Another key than a moment ago, or than last time: judging it tells what is wrong.
                *approved = None;
                *approved = Some(judged(endpoint, via, host_keys, options.connect_timeout).await?);
                let source = WrapperError::ServerCheckFailed;
                return Err(ConnectError::Broken { address: endpoint.address, source });
            }
            Err(error) => return Err(error),
        }
    }
    let tried = if tried.is_empty() { "there is neither a key nor a password".to_owned() } else { tried.join("; ") };
    Err(ConnectError::Refused { user: endpoint.user.clone(), address: endpoint.address, tried })
}

/// The key that the machine shows, if it may.
async fn judged(
    endpoint: &Endpoint,
    via: Option<&Client>,
    host_keys: &HostKeys,
    patience: Duration,
) -> Result<PublicKey, ConnectError> {
    let target = endpoint.as_target();
    let kinds = known_first(&host_keys.known_kinds(&target));
    let shown = peek(endpoint.address, via, kinds, patience).await.map_err(|source| ConnectError::Peek { source })?;
    match host_keys.judge(&target, &shown) {
        Ok(()) => Ok(shown),
        Err(refusal) if target.pin.is_some() => {
            // A fingerprint does not tell the type of its key: the machine may have the pinned key among others.
            let keys =
                peek_all(endpoint.address, via, patience).await.map_err(|source| ConnectError::Peek { source })?;
            let pinned = keys.into_iter().find(|key| host_keys.judge(&target, key).is_ok());
            pinned.ok_or(ConnectError::HostKey { source: refusal })
        }
        Err(source) => Err(ConnectError::HostKey { source }),
    }
}

async fn log_in(
    endpoint: &Endpoint,
    via: Option<&Client>,
    key: &PublicKey,
    method: AuthMethod,
    patience: Duration,
) -> Result<Client, ConnectError> {
    let address = endpoint.address;
    let bytes = key.to_bytes().map_err(|source| ConnectError::Key { address, source })?;
    let exactly = ServerCheckMethod::with_public_key(&STANDARD.encode(bytes));
    let config = config(known_first(&[key.algorithm()]));
    let user = endpoint.user.as_str();
    let connecting = async {
        match via {
            None => Client::connect_with_config(address, user, method, exactly, config).await,
            Some(via) => Client::connect_via_with_config(via, address, user, method, exactly, config).await,
        }
    };
    match tokio::time::timeout(patience, connecting).await {
        Ok(end) => end.map_err(|source| ConnectError::Broken { address, source }),
        Err(_) => Err(ConnectError::Timeout { address, after: patience }),
    }
}

/// How people call a way to log in; the value itself must not be printed.
fn name_of(method: &AuthMethod) -> &'static str {
    match method {
        AuthMethod::Password(_) => "password",
        AuthMethod::KeyboardInteractive(_) => "keyboard-interactive",
        AuthMethod::Agent => "agent",
        _ => "key",
    }
}

/// Whether the machine does not accept this way to log in, rather than being out of reach.
fn is_refusal(error: &WrapperError) -> bool {
    matches!(
        error,
        WrapperError::PasswordWrong
            | WrapperError::KeyAuthFailed
            | WrapperError::KeyboardInteractiveAuthFailed
            | WrapperError::KeyboardInteractiveNoResponseForPrompt(_)
            | WrapperError::AgentAuthError(_)
            | WrapperError::AgentConnectionFailed
            | WrapperError::AgentRequestIdentitiesFailed
            | WrapperError::AgentNoIdentities
            | WrapperError::AgentAuthenticationFailed
    )
}

//! Looks at the key that a machine shows, and leaves before saying who is there.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_ssh2_tokio::Client;
use russh::client::Handler;
use russh::keys::{Algorithm, PublicKey};

use super::config::{KINDS, config, is_rsa};

/// Why no key was seen.
#[derive(Debug, thiserror::Error)]
pub enum PeekError {
    /// Nobody answers.
    #[error("{address} does not answer within {} s", .after.as_secs())]
    Timeout {
        /// The address.
        address: SocketAddr,
        /// How long it was waited.
        after: Duration,
    },
    /// The jump host does not lead there.
    #[error("the jump host does not lead to {address}")]
    Jump {
        /// The address.
        address: SocketAddr,
        /// Why.
        source: async_ssh2_tokio::Error,
    },
    /// There is no SSH server, or none that can be spoken to.
    #[error("{address} cannot be spoken to")]
    Handshake {
        /// The address.
        address: SocketAddr,
        /// Why.
        source: russh::Error,
    },
}

impl PeekError {
    /// Whether the machine speaks SSH but has no key of the types that were asked for.
    fn is_no_such_key(&self) -> bool {
        matches!(self, Self::Handshake { source: russh::Error::NoCommonAlgo { .. }, .. })
    }
}

/// Keeps the key and refuses it, which ends the handshake.
struct Peek(Arc<Mutex<Option<PublicKey>>>);

impl Handler for Peek {
    type Error = russh::Error;

    async fn check_server_key(&mut self, key: &PublicKey) -> Result<bool, Self::Error> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(key.clone());
        Ok(false)
    }
}

/// The key that a machine shows when it is asked for these types in this order. No attempt to log in is made.
pub(super) async fn peek(
    address: SocketAddr,
    via: Option<&Client>,
    kinds: Vec<Algorithm>,
    patience: Duration,
) -> Result<PublicKey, PeekError> {
    let seen = Arc::new(Mutex::new(None));
    let handshake = handshake(address, via, kinds, Peek(Arc::clone(&seen)));
    let end = tokio::time::timeout(patience, handshake).await;
    let seen = seen.lock().unwrap_or_else(PoisonError::into_inner).take();
    match (seen, end) {
        (Some(key), _) => Ok(key),
        (None, Err(_)) => Err(PeekError::Timeout { address, after: patience }),
        (None, Ok(Err(error))) => Err(error),
        (None, Ok(Ok(()))) => Err(PeekError::Handshake { address, source: russh::Error::UnknownKey }),
    }
}

async fn handshake(
    address: SocketAddr,
    via: Option<&Client>,
    kinds: Vec<Algorithm>,
    handler: Peek,
) -> Result<(), PeekError> {
    let config = Arc::new(config(kinds));
    let end = match via {
        None => russh::client::connect(config, address, handler).await,
        Some(client) => {
            let channel = client.open_direct_tcpip_channel(address, None).await;
            let stream = channel.map_err(|source| PeekError::Jump { address, source })?.into_stream();
            russh::client::connect_stream(config, stream, handler).await
        }
    };
    end.map(drop).map_err(|source| PeekError::Handshake { address, source })
}

/// One key of each type that the machine has, the usual types first.
pub(super) async fn peek_all(
    address: SocketAddr,
    via: Option<&Client>,
    patience: Duration,
) -> Result<Vec<PublicKey>, PeekError> {
    let mut keys: Vec<PublicKey> = vec![];
    for kind in KINDS {
        if is_rsa(&kind) && keys.iter().any(|key| is_rsa(&key.algorithm())) {
            continue;
        }
        match peek(address, via, vec![kind], patience).await {
            Ok(key) => keys.push(key),
            Err(error) if error.is_no_such_key() => {}
            Err(error) => return Err(error),
        }
    }
    Ok(keys)
}

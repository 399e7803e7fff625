//! A program on a channel of a connection.

use std::sync::Arc;
use std::time::Duration;

use async_ssh2_tokio::Error as WrapperError;
use async_trait::async_trait;
use russh::{ChannelMsg, ChannelReadHalf, Sig};
use tokio::sync::OwnedSemaphorePermit;

use super::connect::{ConnectError, Connection};
use crate::node::line::{Event, Events, Process};

/// What SSH calls standard error.
const STDERR: u32 = 1;
/// What a shell says of a command that it may not run.
const MAY_NOT_RUN: i32 = 126;

/// Starts a program; words are what a shell splits. An error means that nothing was started.
pub(super) async fn start(
    connection: &Arc<Connection>,
    words: &str,
    patience: Duration,
    permit: &Arc<OwnedSemaphorePermit>,
) -> Result<Process, ConnectError> {
    let address = *connection.client().get_connection_address();
    let opening = tokio::time::timeout(patience, connection.client().get_channel()).await;
    let opened = opening.map_err(|_| ConnectError::Timeout { address, after: patience })?;
    let channel = opened.map_err(|source| ConnectError::Broken { address, source })?;
    let broken = |source| ConnectError::Broken { address, source: WrapperError::SshError(source) };
    channel.exec(true, words).await.map_err(broken)?;
    let (reading, writing) = channel.split();
    let events =
        ChannelEvents { reading, refused: false, _connection: Arc::clone(connection), _permit: Arc::clone(permit) };
    Ok(Process { stdin: Box::pin(writing.make_writer()), events: Box::new(events) })
}

struct ChannelEvents {
    reading: ChannelReadHalf,
    refused: bool,
    /// The line stays up and the channel counted for as long as somebody listens.
    _connection: Arc<Connection>,
    _permit: Arc<OwnedSemaphorePermit>,
}

#[async_trait]
impl Events for ChannelEvents {
    async fn next(&mut self) -> Event {
        if self.refused {
            self.refused = false;
            return Event::Exited(MAY_NOT_RUN);
        }
        loop {
            match self.reading.wait().await {
                Some(ChannelMsg::Data { data }) => return Event::Stdout(data.to_vec()),
                Some(ChannelMsg::ExtendedData { data, ext: STDERR }) => return Event::Stderr(data.to_vec()),
                Some(ChannelMsg::ExitStatus { exit_status }) => {
                    return Event::Exited(i32::try_from(exit_status).unwrap_or(i32::MAX));
                }
                Some(ChannelMsg::ExitSignal { signal_name, .. }) => return Event::Exited(128 + number(&signal_name)),
                Some(ChannelMsg::Failure) => {
                    self.refused = true;
                    return Event::Stderr(b"the SSH server does not allow commands\n".to_vec());
                }
                Some(ChannelMsg::Close) | None => return Event::Closed,
                Some(_) => {}
            }
        }
    }
}

fn number(signal: &Sig) -> i32 {
    match signal {
        Sig::HUP => 1,
        Sig::INT => 2,
        Sig::QUIT => 3,
        Sig::ILL => 4,
        Sig::ABRT => 6,
        Sig::FPE => 8,
        Sig::KILL => 9,
        Sig::USR1 => 10,
        Sig::SEGV => 11,
        Sig::PIPE => 13,
        Sig::ALRM => 14,
        Sig::TERM => 15,
        Sig::Custom(_) => 0,
    }
}

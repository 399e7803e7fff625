//! Talks with a started program: feeds it, listens to it, answers sudo.

use std::collections::VecDeque;
use std::io::Read;
use std::pin::Pin;
use std::time::Duration;

use kubexm_model::secret::Secret;
use tokio::io::{AsyncWrite, AsyncWriteExt};
use tokio::sync::mpsc;

use crate::node::Output;
use crate::node::line::{Event, Events, Process};
use crate::node::posix::sudo::Gate;

/// What a program is fed with.
pub(super) enum Feed {
    /// Bytes in memory.
    Bytes(Vec<u8>),
    /// Bytes in memory that nobody may see.
    Secret(Secret),
    /// As much as can be read, in pieces.
    Reader(Box<dyn Read + Send>),
}

/// How a talk failed.
#[derive(Debug)]
pub(super) enum TalkError {
    /// The line was lost; whether the program itself had been started by then.
    Lost {
        /// Whether the program may have done something.
        begun: bool,
    },
    /// sudo did not let the program be started.
    Refused {
        /// Why.
        reason: String,
    },
    /// What the program should be fed with could not be read here.
    Content(std::io::Error),
}

/// What travels at once: measured to be the fastest over SSH.
pub(super) const PIECE: usize = 256 * 1024;
/// What is always kept of standard error: why something failed.
const REASON: usize = 16 * 1024;
/// How long somebody else may hold a program's output open after its end.
const LINGER: Duration = Duration::from_secs(2);

/// Talks until the program has ended. With a gate, everything begins when sudo has opened it.
pub(super) async fn talk(process: Process, gate: Option<Gate>, feed: Feed, keep: usize) -> Result<Output, TalkError> {
    let Process { stdin, events } = process;
    let (tell, told) = mpsc::unbounded_channel();
    let listener = Listener { events, gate, tell, stdout: Tail::new(keep), stderr: Tail::new(keep.max(REASON)) };
    let listening = listener.listen();
    tokio::pin!(listening);
    // A program may end without reading everything, and may read everything long before it ends.
    tokio::select! {
        output = &mut listening => output,
        end = feed_when_told(stdin, feed, told) => {
            end.map_err(TalkError::Content)?;
            listening.await
        }
    }
}

/// What the listener tells the feeder.
enum Tell {
    Say(Secret),
    Begin,
}

struct Listener {
    events: Box<dyn Events>,
    gate: Option<Gate>,
    tell: mpsc::UnboundedSender<Tell>,
    stdout: Tail,
    stderr: Tail,
}

impl Listener {
    async fn listen(mut self) -> Result<Output, TalkError> {
        self.begin_if_open();
        let mut code = None;
        loop {
            let event = match code {
                None => self.events.next().await,
                Some(_) => tokio::time::timeout(LINGER, self.events.next()).await.unwrap_or(Event::Closed),
            };
            match event {
                Event::Stdout(bytes) => self.hear(bytes, true)?,
                Event::Stderr(bytes) => self.hear(bytes, false)?,
                Event::Exited(with) => code = Some(with),
                Event::Closed => break,
            }
        }
        match (code, &self.gate) {
            (None, gate) => Err(TalkError::Lost { begun: gate.as_ref().is_none_or(Gate::is_open) }),
            (Some(_), Some(gate)) if !gate.is_open() => Err(TalkError::Refused { reason: gate.reason() }),
            (Some(code), _) => {
                let cut = self.stdout.cut || self.stderr.cut;
                Ok(Output { code, stdout: self.stdout.into_bytes(), stderr: self.stderr.into_bytes(), cut })
            }
        }
    }

    fn hear(&mut self, bytes: Vec<u8>, from_stdout: bool) -> Result<(), TalkError> {
        let Some(gate) = &mut self.gate else {
            self.tail(from_stdout).extend(&bytes);
            return Ok(());
        };
        let was_open = gate.is_open();
        let rest = if from_stdout { gate.stdout(bytes) } else { gate.stderr(bytes) };
        if let Some(password) = gate.answer().map_err(|reason| TalkError::Refused { reason })? {
            // Nobody to tell means that the program has stopped reading; its end tells why.
            let _ = self.tell.send(Tell::Say(password));
        }
        if !was_open {
            self.begin_if_open();
        }
        self.tail(from_stdout).extend(&rest);
        Ok(())
    }

    fn begin_if_open(&self) {
        if self.gate.as_ref().is_none_or(Gate::is_open) {
            let _ = self.tell.send(Tell::Begin);
        }
    }

    fn tail(&mut self, from_stdout: bool) -> &mut Tail {
        if from_stdout { &mut self.stdout } else { &mut self.stderr }
    }
}

/// Writes what the listener says, and the feed once it may begin. An error is one of reading here.
async fn feed_when_told(
    mut stdin: Pin<Box<dyn AsyncWrite + Send>>,
    feed: Feed,
    mut told: mpsc::UnboundedReceiver<Tell>,
) -> std::io::Result<()> {
    while let Some(tell) = told.recv().await {
        match tell {
            Tell::Say(password) => {
                let line = [password.expose().as_bytes(), b"\n"];
                if write_all(&mut stdin, &line).await.is_err() {
                    return Ok(());
                }
            }
            Tell::Begin => {
                // A pipe that breaks is no error here: the program has ended, and its exit code tells how.
                match feed {
                    Feed::Bytes(bytes) => drop(write_all(&mut stdin, &[&bytes]).await),
                    Feed::Secret(secret) => drop(write_all(&mut stdin, &[secret.expose().as_bytes()]).await),
                    Feed::Reader(reader) => pour(reader, &mut stdin).await?,
                }
                let _ = stdin.shutdown().await;
                return Ok(());
            }
        }
    }
    Ok(())
}

async fn write_all(stdin: &mut Pin<Box<dyn AsyncWrite + Send>>, parts: &[&[u8]]) -> std::io::Result<()> {
    for part in parts {
        stdin.write_all(part).await?;
    }
    stdin.flush().await
}

/// Reads in a thread of its own and writes as fast as the other side takes it; a few pieces are in memory at a time.
async fn pour(mut reader: Box<dyn Read + Send>, stdin: &mut Pin<Box<dyn AsyncWrite + Send>>) -> std::io::Result<()> {
    let (sender, mut receiver) = mpsc::channel::<std::io::Result<Vec<u8>>>(2);
    let reading = tokio::task::spawn_blocking(move || {
        loop {
            let mut piece = Vec::with_capacity(PIECE);
            let read = reader.by_ref().take(PIECE as u64).read_to_end(&mut piece);
            let end = !matches!(read, Ok(count) if count > 0);
            let nothing = matches!(read, Ok(0));
            if nothing || sender.blocking_send(read.map(|_| piece)).is_err() || end {
                return;
            }
        }
    });
    while let Some(piece) = receiver.recv().await {
        if stdin.write_all(&piece?).await.is_err() {
            break;
        }
    }
    drop(receiver);
    reading.await.map_err(std::io::Error::other)
}

/// The last bytes of something long.
struct Tail {
    bytes: VecDeque<u8>,
    keep: usize,
    cut: bool,
}

impl Tail {
    fn new(keep: usize) -> Self {
        Self { bytes: VecDeque::new(), keep, cut: false }
    }

    fn extend(&mut self, bytes: &[u8]) {
        self.bytes.extend(bytes);
        if let Some(excess) = self.bytes.len().checked_sub(self.keep).filter(|excess| *excess > 0) {
            self.bytes.drain(..excess);
            self.cut = true;
        }
    }

    fn into_bytes(self) -> Vec<u8> {
        self.bytes.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_much_the_end_is_kept() {
        let mut tail = Tail::new(4);
        tail.extend(b"ab");
        assert!(!tail.cut);
        tail.extend(b"cdefg");
        assert!(tail.cut);
        assert_eq!(tail.into_bytes(), b"defg");
    }
}

//! This machine as a node.

use std::pin::pin;
use std::process::Stdio;

use async_trait::async_trait;
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process::{Child, ChildStderr, ChildStdout};

use crate::node::line::{Event, Events, Line, LineError, Process};
use crate::node::posix::PosixNode;

/// This machine as a node.
pub type LocalNode = PosixNode<LocalLine>;

/// Programs on this machine.
#[derive(Debug, Clone, Copy, Default)]
pub struct LocalLine;

#[async_trait]
impl Line for LocalLine {
    async fn start(&self, argv: &[String]) -> Result<Process, LineError> {
        let no_program = || std::io::Error::new(std::io::ErrorKind::InvalidInput, "no program");
        let (program, rest) = argv.split_first().ok_or_else(|| LineError::Start { source: no_program() })?;
        let mut child = tokio::process::Command::new(program)
            .args(rest)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .map_err(|source| LineError::Start { source })?;
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(stdin), stdout, stderr) = pipes else { return Err(LineError::Start { source: no_program() }) };
        Ok(Process { stdin: Box::pin(stdin), events: Box::new(LocalEvents { child, stdout, stderr, exited: false }) })
    }
}

struct LocalEvents {
    child: Child,
    stdout: Option<ChildStdout>,
    stderr: Option<ChildStderr>,
    exited: bool,
}

#[async_trait]
impl Events for LocalEvents {
    async fn next(&mut self) -> Event {
        loop {
            if self.exited && self.stdout.is_none() && self.stderr.is_none() {
                return Event::Closed;
            }
            tokio::select! {
                biased;
                bytes = chunk(&mut self.stdout) => match bytes {
                    Some(bytes) => return Event::Stdout(bytes),
                    None => self.stdout = None,
                },
                bytes = chunk(&mut self.stderr) => match bytes {
                    Some(bytes) => return Event::Stderr(bytes),
                    None => self.stderr = None,
                },
                code = exit_code(&mut self.child), if !self.exited => {
                    self.exited = true;
                    return code.map_or(Event::Closed, Event::Exited);
                }
            }
        }
    }
}

/// The next bytes; nothing at the end, and never anything when there is no pipe any more.
async fn chunk(pipe: &mut Option<impl AsyncRead + Unpin>) -> Option<Vec<u8>> {
    let Some(pipe) = pipe else { return std::future::pending().await };
    let mut bytes = Vec::with_capacity(64 * 1024);
    match pin!(pipe).read_buf(&mut bytes).await {
        Ok(count) if count > 0 => Some(bytes),
        _ => None,
    }
}

async fn exit_code(child: &mut Child) -> Option<i32> {
    use std::os::unix::process::ExitStatusExt;
    let status = child.wait().await.ok()?;
    status.code().or_else(|| status.signal().map(|signal| 128 + signal))
}

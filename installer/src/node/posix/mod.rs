//! A node that is spoken to in commands of POSIX, GNU coreutils and util-linux, over any line.
//!
//! Small scripts of our own stand beside this file. Values reach them as arguments only: no script is ever put together.

mod ask;
mod change;
mod look;
mod put;
mod sudo;
mod talk;

pub(crate) use ask::parse_mounts;
pub use sudo::Sudo;

use std::time::{Duration, Instant};

use async_trait::async_trait;
use kubexm_model::digest::Digest;

use crate::node::file::{NewFile, Sent, Stat};
use crate::node::line::{Line, LineError};
use crate::node::query::{Answer, Query};
use crate::node::{Change, Command, Inspect, Mutate, NodeError, NodePath, Output, Stdin};
use sudo::Gate;
use talk::{Feed, TalkError};

/// A node that is spoken to in commands.
pub struct PosixNode<L> {
    name: String,
    line: L,
    sudo: Option<Sudo>,
}

/// One program to be run, with all that is known about it.
struct Job {
    argv: Vec<String>,
    /// How it is called in messages.
    doing: String,
    feed: Feed,
    /// After which time nobody waits any longer.
    patience: Duration,
    keep: usize,
    /// Whether it may change something.
    changes: bool,
}

/// How long a look may take.
const LOOK: Duration = Duration::from_mins(2);
/// What a node is given beyond a time limit to say that it has kept it.
const GRACE: Duration = Duration::from_secs(20);
/// How long `timeout` waits between asking a program to end and ending it.
const KILL_AFTER: &str = "5";
/// The exit code of `timeout` when it had to act.
const TIMED_OUT: [i32; 2] = [124, 137];
/// How often a look is repeated when the line is lost; it changes nothing, so that is safe.
const LOOKS: usize = 3;

impl<L: Line> PosixNode<L> {
    /// A node at the end of a line; with `sudo` everything is done as root.
    pub fn new(name: impl Into<String>, line: L, sudo: Option<Sudo>) -> Self {
        Self { name: name.into(), line, sudo }
    }

    /// The line itself.
    pub fn line(&self) -> &L {
        &self.line
    }

    /// Runs a program once.
    async fn exec(&self, job: Job) -> Result<Output, NodeError> {
        let gate = self.sudo.as_ref().map(Gate::new);
        let argv = match &gate {
            Some(gate) => gate.wrap(job.argv),
            None => job.argv,
        };
        let process = self.line.start(&argv).await.map_err(|error| self.not_started(&job.doing, error))?;
        let talk = talk::talk(process, gate, job.feed, job.keep);
        let Ok(end) = tokio::time::timeout(job.patience, talk).await else {
            return Err(NodeError::Timeout { node: self.name.clone(), doing: job.doing, after: job.patience });
        };
        end.map_err(|error| match error {
            TalkError::Lost { begun } => {
                NodeError::Disconnected { node: self.name.clone(), doing: job.doing, unknown: begun && job.changes }
            }
            TalkError::Refused { reason } => NodeError::Sudo { node: self.name.clone(), reason },
            TalkError::Content(source) => NodeError::Start { node: self.name.clone(), command: job.doing, source },
        })
    }

    fn not_started(&self, doing: &str, error: LineError) -> NodeError {
        match error {
            LineError::Unreachable { source } => NodeError::Unreachable { node: self.name.clone(), source },
            LineError::Start { source } => {
                NodeError::Start { node: self.name.clone(), command: doing.to_owned(), source }
            }
        }
    }

    /// Runs one of our own looks, again if the line is lost; any exit code is an answer.
    async fn look(&self, doing: &str, argv: &[&str], keep: usize) -> Result<Output, NodeError> {
        let mut attempt = 0;
        loop {
            attempt += 1;
            let job = Job {
                argv: ["env", "LC_ALL=C"].iter().chain(argv).map(|&arg| arg.to_owned()).collect(),
                doing: doing.to_owned(),
                feed: Feed::Bytes(vec![]),
                patience: LOOK,
                keep,
                changes: false,
            };
            match self.exec(job).await {
                Err(NodeError::Disconnected { .. }) if attempt < LOOKS => {}
                end => return end,
            }
        }
    }

    /// Runs a command of the caller's, under the node's own clock.
    async fn command(&self, command: &Command, changes: bool) -> Result<Output, NodeError> {
        command.check().map_err(|source| NodeError::BadCommand { node: self.name.clone(), source })?;
        let mut argv = vec!["env".to_owned()];
        argv.extend(command.env.iter().map(|(name, value)| format!("{name}={value}")));
        let seconds = command.timeout.as_secs().max(1).to_string();
        argv.extend(["timeout", "-k", KILL_AFTER, &seconds, &command.program].map(str::to_owned));
        argv.extend(command.args.iter().cloned());
        let feed = match &command.stdin {
            Stdin::Empty => Feed::Bytes(vec![]),
            Stdin::Text(text) => Feed::Bytes(text.clone().into_bytes()),
            Stdin::Secret(secret) => Feed::Secret(secret.clone()),
        };
        let (doing, patience) = (command.to_string(), command.timeout + GRACE);
        let begin = Instant::now();
        let output = self.exec(Job { argv, doing, feed, patience, keep: command.keep, changes }).await?;
        if TIMED_OUT.contains(&output.code) && begin.elapsed() >= command.timeout {
            let (node, doing) = (self.name.clone(), command.to_string());
            return Err(NodeError::Timeout { node, doing, after: command.timeout });
        }
        if command.accepted.contains(&output.code) {
            Ok(output)
        } else {
            Err(self.failed(command.to_string(), &output))
        }
    }

    fn failed(&self, command: String, output: &Output) -> NodeError {
        NodeError::Failed { node: self.name.clone(), command, code: output.code, said: output.last_lines(20) }
    }

    fn puzzling(&self, question: impl Into<String>, answer: &[u8]) -> NodeError {
        let answer = String::from_utf8_lossy(&answer[..answer.len().min(200)]).into_owned();
        NodeError::Puzzling { node: self.name.clone(), question: question.into(), answer }
    }
}

#[async_trait]
impl<L: Line> Inspect for PosixNode<L> {
    fn name(&self) -> &str {
        &self.name
    }
    async fn stat(&self, path: &NodePath) -> Result<Option<Stat>, NodeError> {
        self.stat_path(path).await
    }
    async fn read(&self, path: &NodePath, limit: u64) -> Result<Option<Vec<u8>>, NodeError> {
        self.read_file(path, limit).await
    }
    async fn digest(&self, path: &NodePath) -> Result<Option<Digest>, NodeError> {
        self.digest_file(path).await
    }
    async fn list(&self, directory: &NodePath) -> Result<Option<Vec<String>>, NodeError> {
        self.list_directory(directory).await
    }
    async fn ask(&self, query: &Query) -> Result<Answer, NodeError> {
        self.answer(query).await
    }
}

#[async_trait]
impl<L: Line> Mutate for PosixNode<L> {
    async fn put(&self, file: &NewFile<'_>) -> Result<Sent, NodeError> {
        self.put_file(file).await
    }
    async fn change(&self, change: &Change) -> Result<(), NodeError> {
        self.make(change).await
    }
    async fn run(&self, command: &Command) -> Result<Output, NodeError> {
        self.command(command, true).await
    }
}

//! A line to a node: starts programs there and carries their bytes. This machine and SSH are lines.

use std::pin::Pin;

use async_trait::async_trait;
use tokio::io::AsyncWrite;

/// A way to start programs on a node.
#[async_trait]
pub trait Line: Send + Sync {
    /// Starts a program with its arguments. An error means that it was not started.
    async fn start(&self, argv: &[String]) -> Result<Process, LineError>;
}

/// A program that was started.
pub struct Process {
    /// What it reads.
    pub stdin: Pin<Box<dyn AsyncWrite + Send>>,
    /// What it says and how it ends.
    pub events: Box<dyn Events>,
}

/// What a program says and how it ends.
#[async_trait]
pub trait Events: Send {
    /// What happens next; after `Closed` nothing does.
    async fn next(&mut self) -> Event;
}

/// One thing that a program does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// It wrote to its standard output.
    Stdout(Vec<u8>),
    /// It wrote to its standard error.
    Stderr(Vec<u8>),
    /// It ended with this code; more of what it said may still come.
    Exited(i32),
    /// Nothing more comes. Without `Exited` before, the line was lost.
    Closed,
}

/// Why a program was not started.
#[derive(Debug, thiserror::Error)]
pub enum LineError {
    /// There is no line.
    #[error("there is no connection")]
    Unreachable {
        /// Why.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The program could not be started.
    #[error("the program cannot be started")]
    Start {
        /// Why.
        source: std::io::Error,
    },
}

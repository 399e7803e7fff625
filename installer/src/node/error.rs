//! What can go wrong between here and a node.

use std::time::Duration;

use kubexm_model::digest::Digest;

use crate::node::command::BadCommand;
use crate::node::path::{NodePath, NotAPath};

/// Why a node could not be looked at or changed.
#[derive(Debug, thiserror::Error)]
pub enum NodeError {
    /// The node could not be reached; nothing was asked of it.
    #[error("{node} cannot be reached")]
    Unreachable {
        /// The node.
        node: String,
        /// Why.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The line was lost.
    #[error("the connection to {node} was lost during `{doing}`{}", if *.unknown { ": nobody knows whether it happened" } else { "" })]
    Disconnected {
        /// The node.
        node: String,
        /// What was going on.
        doing: String,
        /// Whether it may have had an effect.
        unknown: bool,
    },
    /// It took too long and was ended.
    #[error("`{doing}` on {node} was ended after {} s", .after.as_secs())]
    Timeout {
        /// The node.
        node: String,
        /// What was going on.
        doing: String,
        /// The time limit.
        after: Duration,
    },
    /// A program ended with an exit code that was not accepted.
    #[error("`{command}` on {node} exited with {code}{}{said}", if .said.is_empty() { "" } else { ":\n" })]
    Failed {
        /// The node.
        node: String,
        /// The command.
        command: String,
        /// The exit code.
        code: i32,
        /// The last lines of what it said.
        said: String,
    },
    /// The user on the node may not become root.
    #[error("sudo on {node} refuses: {reason}")]
    Sudo {
        /// The node.
        node: String,
        /// Why.
        reason: String,
    },
    /// A file that should be read is larger than expected.
    #[error("{path} on {node} is larger than {limit} bytes")]
    TooLarge {
        /// The node.
        node: String,
        /// The file.
        path: NodePath,
        /// The limit.
        limit: u64,
    },
    /// A file arrived with other bytes than were sent.
    #[error("{path} arrived on {node} as {found}, but {wanted} was sent")]
    Corrupt {
        /// The node.
        node: String,
        /// The file.
        path: NodePath,
        /// What was sent.
        wanted: Digest,
        /// What arrived.
        found: String,
    },
    /// The content to send could not be read here.
    #[error("the content of {path} for {node} cannot be read")]
    Content {
        /// The node.
        node: String,
        /// The file.
        path: NodePath,
        /// Why.
        source: std::io::Error,
    },
    /// The node gave an answer that makes no sense.
    #[error("{node} answers {question} with something that cannot be understood: {answer}")]
    Puzzling {
        /// The node.
        node: String,
        /// What was asked.
        question: String,
        /// The beginning of the answer.
        answer: String,
    },
    /// There is no room beside the file for the one in which its content is gathered.
    #[error("{path} cannot be written on {node}")]
    NoRoomBeside {
        /// The node.
        node: String,
        /// The file.
        path: NodePath,
        /// Why.
        source: NotAPath,
    },
    /// A command that cannot be run anywhere.
    #[error("a command for {node} cannot be run")]
    BadCommand {
        /// The node.
        node: String,
        /// Why.
        source: BadCommand,
    },
    /// A program could not be started on this machine, or its pipes broke.
    #[error("`{command}` cannot be run on {node}")]
    Start {
        /// The node.
        node: String,
        /// The command.
        command: String,
        /// Why.
        source: std::io::Error,
    },
}

impl NodeError {
    /// Whether a change may have happened although it is reported as failed.
    ///
    /// The caller looks at the node again and never just repeats.
    pub fn may_have_happened(&self) -> bool {
        match self {
            Self::Disconnected { unknown, .. } => *unknown,
            Self::Timeout { .. } | Self::Failed { .. } | Self::Puzzling { .. } => true,
            _ => false,
        }
    }

    /// Whether the node is out of reach, rather than unwilling.
    pub fn is_unreachable(&self) -> bool {
        matches!(self, Self::Unreachable { .. } | Self::Disconnected { .. })
    }
}

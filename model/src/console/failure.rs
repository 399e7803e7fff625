//! How a command ends when it fails.

use std::error::Error;
use std::process::ExitCode;

use super::output;

/// The exit codes of both programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// Done.
    Done = 0,
    /// A step failed, and can be resumed.
    Failed = 1,
    /// Wrong usage, or a configuration with errors.
    Usage = 2,
    /// A bundle is damaged, untrusted, or lacks something.
    Untrusted = 4,
    /// Something could not be reached.
    Unreachable = 5,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

/// Why a command failed: what, because of what, and what to do.
#[derive(Debug)]
pub struct Failure {
    exit: Exit,
    message: String,
    causes: Vec<String>,
    hint: Option<String>,
}

impl Failure {
    /// Wrong usage, or a configuration with errors.
    pub fn usage(message: impl Into<String>) -> Self {
        Self { exit: Exit::Usage, message: message.into(), causes: vec![], hint: None }
    }

    /// A failure with an exit code of its own.
    pub fn new(exit: Exit, message: impl Into<String>) -> Self {
        Self { exit, message: message.into(), causes: vec![], hint: None }
    }

    /// The answer cannot be made or written.
    pub fn output(error: &dyn Error) -> Self {
        Self { exit: Exit::Failed, ..Self::usage("the answer cannot be written").because(error) }
    }

    /// The command has said everything already; only the exit code is left.
    pub fn silent(exit: Exit) -> Self {
        Self { exit, message: String::new(), causes: vec![], hint: None }
    }

    /// Adds an error and what caused it.
    #[must_use]
    pub fn because(mut self, error: &dyn Error) -> Self {
        let mut next = Some(error);
        while let Some(error) = next {
            self.causes.push(error.to_string());
            next = error.source();
        }
        self
    }

    /// Adds what to do.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// As it is printed: what, because of what, and what to do.
    pub fn text(&self) -> String {
        let mut text = format!("error: {}\n", self.message);
        for cause in &self.causes {
            text += &["  cause: ", cause, "\n"].concat();
        }
        if let Some(hint) = &self.hint {
            text += &["  hint: ", hint, "\n"].concat();
        }
        text
    }

    /// Prints it to standard error.
    pub fn report(&self) -> Exit {
        if !self.message.is_empty() {
            output::to_stderr(&self.text());
        }
        self.exit
    }
}

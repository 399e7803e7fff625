//! Programs with their arguments, and what they said.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use kubexm_model::secret::Secret;
use serde::{Deserialize, Serialize};

use crate::node::quote;

/// A program and its arguments: never a line for a shell.
///
/// Arguments and environment can be seen by everybody on the node while the program runs, and both are shown in logs:
/// a secret goes through [`Stdin::Secret`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Command {
    /// The program, by name or path.
    pub program: String,
    /// Its arguments.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<String>,
    /// Variables that are set beside those of the login.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub env: BTreeMap<String, String>,
    /// What it reads.
    #[serde(default, skip_serializing_if = "Stdin::is_empty")]
    pub stdin: Stdin,
    /// After which time it is ended, on the node too.
    #[serde(default = "default_timeout")]
    pub timeout: Duration,
    /// The exit codes that mean success.
    #[serde(default = "default_accepted")]
    pub accepted: Vec<i32>,
    /// How many bytes of each output are kept: the last ones, and of standard error never few.
    #[serde(default = "default_keep")]
    pub keep: usize,
}

/// What a program reads.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Stdin {
    /// Nothing.
    #[default]
    Empty,
    /// A text.
    Text(String),
    /// A text that is shown nowhere. It cannot be serialised: stars in a journal would be replayed as stars.
    #[serde(skip)]
    Secret(Secret),
}

/// What a program said.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Output {
    /// Its exit code; 128 and the number for a signal.
    pub code: i32,
    /// The last bytes of its standard output.
    pub stdout: Vec<u8>,
    /// The last bytes of its standard error.
    pub stderr: Vec<u8>,
    /// Whether earlier bytes of either were dropped.
    pub cut: bool,
}

/// Why a command cannot be run anywhere.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadCommand {
    /// No program.
    #[error("a command has no program")]
    NoProgram,
    /// A program that `env` would take for a variable or an option.
    #[error("`{program}` cannot be a program: it begins with a dash or holds an equals sign")]
    Program {
        /// The program.
        program: String,
    },
    /// No argument can hold this.
    #[error("an argument or variable of `{program}` holds a NUL character")]
    Nul {
        /// The program.
        program: String,
    },
    /// No such variable can be.
    #[error("`{name}` cannot be the name of a variable")]
    Variable {
        /// Its name.
        name: String,
    },
}

fn default_timeout() -> Duration {
    Duration::from_mins(2)
}
fn default_accepted() -> Vec<i32> {
    vec![0]
}
fn default_keep() -> usize {
    64 * 1024
}

impl Command {
    /// A program without arguments.
    pub fn new(program: impl Into<String>) -> Self {
        Self {
            program: program.into(),
            args: vec![],
            env: BTreeMap::new(),
            stdin: Stdin::Empty,
            timeout: default_timeout(),
            accepted: default_accepted(),
            keep: default_keep(),
        }
    }

    /// With one more argument.
    #[must_use]
    pub fn arg(mut self, arg: impl Into<String>) -> Self {
        self.args.push(arg.into());
        self
    }

    /// With more arguments.
    #[must_use]
    pub fn args<Arg: Into<String>>(mut self, args: impl IntoIterator<Item = Arg>) -> Self {
        self.args.extend(args.into_iter().map(Into::into));
        self
    }

    /// With a variable.
    #[must_use]
    pub fn env(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.env.insert(name.into(), value.into());
        self
    }

    /// With something to read.
    #[must_use]
    pub fn stdin(mut self, stdin: Stdin) -> Self {
        self.stdin = stdin;
        self
    }

    /// With another time limit.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// With other exit codes that mean success.
    #[must_use]
    pub fn accept(mut self, codes: impl IntoIterator<Item = i32>) -> Self {
        self.accepted = codes.into_iter().collect();
        self
    }

    /// With more or less of its output kept.
    #[must_use]
    pub fn keep(mut self, bytes: usize) -> Self {
        self.keep = bytes;
        self
    }

    /// Whether it can be run at all.
    pub fn check(&self) -> Result<(), BadCommand> {
        if self.program.is_empty() {
            return Err(BadCommand::NoProgram);
        }
        if self.program.starts_with('-') || self.program.contains('=') {
            return Err(BadCommand::Program { program: self.program.clone() });
        }
        if let Some(name) = self.env.keys().find(|name| !is_variable(name)) {
            return Err(BadCommand::Variable { name: name.clone() });
        }
        let mut texts = std::iter::once(&self.program).chain(&self.args).chain(self.env.values());
        if texts.any(|text| text.contains('\0')) {
            return Err(BadCommand::Nul { program: self.program.replace('\0', "\u{fffd}") });
        }
        Ok(())
    }
}

fn is_variable(name: &str) -> bool {
    let mut letters = name.chars();
    letters.next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
        && letters.all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
}

impl fmt::Display for Command {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&quote::shown(&self.program))?;
        self.args.iter().try_for_each(|arg| write!(f, " {}", quote::shown(arg)))
    }
}

impl Stdin {
    fn is_empty(&self) -> bool {
        *self == Self::Empty
    }

    /// The bytes to send.
    pub fn bytes(&self) -> &[u8] {
        match self {
            Self::Empty => &[],
            Self::Text(text) => text.as_bytes(),
            Self::Secret(secret) => secret.expose().as_bytes(),
        }
    }
}

impl Output {
    /// Its standard output as text without white space at the end; what is no UTF-8 is replaced.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.stdout).trim_end().to_owned()
    }

    /// The last lines of what it complained about, or else of what it said: for people.
    pub fn last_lines(&self, count: usize) -> String {
        let from = if self.stderr.trim_ascii().is_empty() { &self.stdout } else { &self.stderr };
        let text = String::from_utf8_lossy(from);
        let lines: Vec<&str> = text.trim().lines().collect();
        let shown = lines[lines.len().saturating_sub(count)..].join("\n");
        shown.chars().filter(|letter| *letter == '\n' || *letter == '\t' || !letter.is_control()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_neither_shown_nor_written() {
        let command = Command::new("chpasswd").stdin(Stdin::Secret(Secret::from("hunter2".to_owned())));
        assert!(!format!("{command:?} {command}").contains("hunter2"));
        assert!(serde_json::to_string(&command).is_err());
        assert_eq!(command.stdin.bytes(), b"hunter2");
    }

    #[test]
    fn a_command_comes_back_from_a_journal() {
        let command = Command::new("sh").args(["-c", "exit 3"]).env("LC_ALL", "C").accept([3]).keep(10);
        let text = serde_json::to_string(&command).unwrap();
        assert_eq!(serde_json::from_str::<Command>(&text).unwrap(), command);
        assert_eq!(serde_json::from_str::<Command>(r#"{"program": "true"}"#).unwrap(), Command::new("true"));
    }

    #[test]
    fn what_cannot_be_run_is_known_before() {
        for bad in [
            Command::new(""),
            Command::new("A=b"),
            Command::new("-x"),
            Command::new("a\0"),
            Command::new("a").arg("\0"),
            Command::new("a").env("b", "\0"),
            Command::new("a").env("b c", ""),
            Command::new("a").env("1", ""),
        ] {
            assert!(bad.check().is_err(), "{bad:?}");
        }
        assert_eq!(Command::new("a").args(["-x", "", "y=\n'"]).env("b", "c d").check(), Ok(()));
    }

    #[test]
    fn people_see_the_end_of_what_was_said() {
        let output = Output { stdout: b"fine".to_vec(), stderr: b"a\nb\x1b[31m\nc\n".to_vec(), ..Output::default() };
        assert_eq!(output.last_lines(2), "b[31m\nc");
        assert_eq!(Output { stderr: vec![], ..output }.last_lines(2), "fine");
    }
}

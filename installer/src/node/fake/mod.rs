//! A node in memory, for tests: it does what a real one does, remembers what was done, and fails where it is told to.

mod fault;
mod files;
mod links;
mod state;
mod system;
#[cfg(test)]
mod tests;

pub use fault::{Effect, Fault, Then};
pub use files::{Entry, Files};
pub use state::{FakeState, FakeUnit};

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use kubexm_model::digest::Digest;

use crate::node::file::{NewFile, Sent, Stat};
use crate::node::query::{Answer, Query};
use crate::node::{Change, Command, Inspect, Mutate, NodeError, NodePath, Output};
use fault::Trouble;

/// Says what a command does to the state and what it answers; nothing when the command is not its business.
pub type Script = dyn Fn(&Command, &mut FakeState) -> Option<Output> + Send + Sync;

/// A node in memory.
pub struct FakeNode {
    name: String,
    inner: Mutex<Inner>,
}

struct Inner {
    state: FakeState,
    scripts: Vec<Arc<Script>>,
    log: Vec<String>,
    looks: usize,
    trouble: Trouble,
}

/// How a failure is told before it is known on which node it happened.
pub(crate) struct Refused {
    code: i32,
    said: String,
}

pub(crate) fn refuse(said: impl Into<String>) -> Refused {
    Refused { code: 1, said: said.into() }
}

impl FakeNode {
    /// A node with a root directory and nothing else.
    pub fn empty(name: &str) -> Self {
        Self::with_state(name, FakeState::default())
    }

    /// A node with the directories, accounts and parameters that every Linux has.
    pub fn new(name: &str) -> Self {
        Self::with_state(name, FakeState::usual())
    }

    /// A node that is so.
    pub fn with_state(name: &str, state: FakeState) -> Self {
        let inner = Inner { state, scripts: vec![], log: vec![], looks: 0, trouble: Trouble::default() };
        Self { name: name.to_owned(), inner: Mutex::new(inner) }
    }

    /// Teaches it what commands do; what was taught last is asked first. Without that a command is not found.
    pub fn script(&self, script: impl Fn(&Command, &mut FakeState) -> Option<Output> + Send + Sync + 'static) {
        self.lock().scripts.push(Arc::new(script));
    }

    /// Lets it fail; the count of changes begins anew.
    pub fn fail(&self, fault: Fault) {
        self.lock().trouble = Trouble::new(fault);
    }

    /// Ends all trouble, as a new connection would; the count of changes begins anew.
    pub fn heal(&self) {
        self.lock().trouble = Trouble::default();
    }

    /// How it is now.
    pub fn snapshot(&self) -> FakeState {
        self.lock().state.clone()
    }

    /// Changes it behind everybody's back.
    pub fn edit(&self, edit: impl FnOnce(&mut FakeState)) {
        edit(&mut self.lock().state);
    }

    /// Every change that was asked for, in order, also those that failed.
    pub fn log(&self) -> Vec<String> {
        self.lock().log.clone()
    }

    /// Forgets what was asked for.
    pub fn clear_log(&self) {
        let mut inner = self.lock();
        inner.log.clear();
        inner.looks = 0;
    }

    /// How often it was looked at.
    pub fn looks(&self) -> usize {
        self.lock().looks
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        // A test that panicked while it held the lock has failed already.
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn look<T>(&self, doing: &str, look: impl FnOnce(&FakeState) -> Result<T, Refused>) -> Result<T, NodeError> {
        let mut inner = self.lock();
        inner.looks += 1;
        if inner.trouble.is_killed() {
            return Err(self.disconnected(doing, false));
        }
        look(&inner.state).map_err(|refused| self.failed(doing, refused))
    }

    /// One change: counted, written down, and spoilt if it is its turn. `half` is what a crash in the middle leaves.
    fn mutate<T>(
        &self,
        doing: &str,
        half: impl FnOnce(&mut FakeState),
        whole: impl FnOnce(&mut Inner) -> Result<T, Refused>,
    ) -> Result<T, NodeError> {
        let mut inner = self.lock();
        if inner.trouble.is_killed() {
            return Err(self.disconnected(doing, false));
        }
        inner.log.push(doing.to_owned());
        let Some(fault) = inner.trouble.next() else {
            return whole(&mut inner).map_err(|refused| self.failed(doing, refused));
        };
        match fault.effect {
            Effect::None => {}
            Effect::Half => half(&mut inner.state),
            Effect::Whole => drop(whole(&mut inner).map_err(|refused| self.failed(doing, refused))?),
        }
        match fault.then {
            Then::Error => Err(self.failed(doing, refuse("failed on purpose"))),
            Then::Killed => Err(self.disconnected(doing, true)),
        }
    }

    fn failed(&self, doing: &str, refused: Refused) -> NodeError {
        NodeError::Failed { node: self.name.clone(), command: doing.to_owned(), code: refused.code, said: refused.said }
    }

    fn disconnected(&self, doing: &str, unknown: bool) -> NodeError {
        NodeError::Disconnected { node: self.name.clone(), doing: doing.to_owned(), unknown }
    }

    fn execute(inner: &mut Inner, command: &Command) -> Result<Output, Refused> {
        let scripts = inner.scripts.clone();
        let answer = scripts.iter().rev().find_map(|script| script(command, &mut inner.state));
        let output = answer.ok_or_else(|| Refused { code: 127, said: format!("{}: not found", command.program) })?;
        if command.accepted.contains(&output.code) {
            return Ok(output);
        }
        Err(Refused { code: output.code, said: output.last_lines(20) })
    }

    fn check_command(&self, command: &Command) -> Result<(), NodeError> {
        command.check().map_err(|source| NodeError::BadCommand { node: self.name.clone(), source })
    }
}

#[async_trait]
impl Inspect for FakeNode {
    fn name(&self) -> &str {
        &self.name
    }

    async fn stat(&self, path: &NodePath) -> Result<Option<Stat>, NodeError> {
        self.look(&format!("stat {path}"), |state| Ok(state.files.stat(path)))
    }

    async fn read(&self, path: &NodePath, limit: u64) -> Result<Option<Vec<u8>>, NodeError> {
        let content = self.look(&format!("read {path}"), |state| state.files.read(path))?;
        if content.as_ref().is_some_and(|bytes| bytes.len() as u64 > limit) {
            return Err(NodeError::TooLarge { node: self.name.clone(), path: path.clone(), limit });
        }
        Ok(content)
    }

    async fn digest(&self, path: &NodePath) -> Result<Option<Digest>, NodeError> {
        self.look(&format!("digest {path}"), |state| Ok(state.files.read(path)?.map(|bytes| Digest::of(&bytes))))
    }

    async fn list(&self, directory: &NodePath) -> Result<Option<Vec<String>>, NodeError> {
        self.look(&format!("list {directory}"), |state| Ok(state.files.list(directory)))
    }

    async fn ask(&self, query: &Query) -> Result<Answer, NodeError> {
        let Query::Check(command) = query else {
            return self.look(&format!("{query:?}"), |state| Ok(state.answer(query)));
        };
        self.check_command(command)?;
        let mut inner = self.lock();
        inner.looks += 1;
        if inner.trouble.is_killed() {
            return Err(self.disconnected(&command.to_string(), false));
        }
        let before = inner.state.clone();
        let output =
            Self::execute(&mut inner, command).map_err(|refused| self.failed(&command.to_string(), refused))?;
        assert_eq!(before, inner.state, "`{command}` was declared to change nothing");
        Ok(Answer::Check(output))
    }
}

#[async_trait]
impl Mutate for FakeNode {
    async fn put(&self, file: &NewFile<'_>) -> Result<Sent, NodeError> {
        let no_room = |source| NodeError::NoRoomBeside { node: self.name.clone(), path: file.path.clone(), source };
        let temporary = file.temporary().map_err(no_room)?;
        let mut content = vec![];
        file.content
            .open()
            .and_then(|mut reader| reader.read_to_end(&mut content))
            .map_err(|source| NodeError::Content { node: self.name.clone(), path: file.path.clone(), source })?;
        let entry = Entry::File { mode: file.mode, owner: file.owner.clone(), content };
        let doing = format!("put {} {} {} {}", file.path, file.mode, file.owner, file.content.digest());
        if self.look(&doing, |state| Ok(state.files.entry(file.path) == Some(&entry)))? {
            return Ok(Sent { changed: false, bytes: 0 });
        }
        self.mutate(
            &doing,
            |state| state.files.put_half(&temporary, &entry),
            |inner| {
                let bytes = inner.state.files.put(file.path, &temporary, &entry)?;
                Ok(Sent { changed: true, bytes })
            },
        )
    }

    async fn change(&self, change: &Change) -> Result<(), NodeError> {
        let doing = format!("{change:?}");
        self.mutate(&doing, |state| state.change_half(change), |inner| inner.state.change(change))
    }

    async fn run(&self, command: &Command) -> Result<Output, NodeError> {
        self.check_command(command)?;
        self.mutate(&command.to_string(), |_| {}, |inner| Self::execute(inner, command))
    }
}

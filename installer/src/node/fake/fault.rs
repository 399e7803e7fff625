//! Failing where a test says so.

/// What goes wrong, and when.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fault {
    /// At which change, counted from 0.
    pub at: usize,
    /// What the change leaves behind.
    pub effect: Effect,
    /// What the caller sees.
    pub then: Then,
}

/// What a spoilt change leaves behind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// Nothing.
    None,
    /// What a crash in the middle leaves: a temporary file, a directory with the wrong mode, half a tree.
    Half,
    /// All of it.
    Whole,
}

/// What the caller sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Then {
    /// An error, this once.
    Error,
    /// A lost line, now and at every later call, until the node is healed.
    Killed,
}

impl Fault {
    /// All six ways in which the change can be spoilt.
    pub fn every_way(at: usize) -> impl Iterator<Item = Self> {
        [Effect::None, Effect::Half, Effect::Whole]
            .into_iter()
            .flat_map(move |effect| [Then::Error, Then::Killed].map(|then| Self { at, effect, then }))
    }
}

/// The trouble a node is in.
#[derive(Debug, Default)]
pub(super) struct Trouble {
    fault: Option<Fault>,
    changes: usize,
    killed: bool,
}

impl Trouble {
    pub(super) fn new(fault: Fault) -> Self {
        Self { fault: Some(fault), ..Self::default() }
    }

    pub(super) fn is_killed(&self) -> bool {
        self.killed
    }

    /// Counts a change; the fault if it is its turn.
    pub(super) fn next(&mut self) -> Option<Fault> {
        let turn = self.changes;
        self.changes += 1;
        let fault = self.fault.filter(|fault| fault.at == turn)?;
        self.killed = fault.then == Then::Killed;
        Some(fault)
    }
}

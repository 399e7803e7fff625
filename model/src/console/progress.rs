//! What a person sees while things are fetched and written: bars on a terminal, lines elsewhere.

use std::collections::HashMap;
use std::io::IsTerminal;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use indicatif::{HumanBytes, MultiProgress, ProgressBar, ProgressStyle};

use super::output::to_stderr;

/// More bars than this only flicker.
const MOST_BARS: usize = 8;
/// How often a line says that something still happens.
const HEARTBEAT: Duration = Duration::from_secs(10);

/// Draws progress.
pub struct Progress {
    bars: Option<Bars>,
    state: Mutex<State>,
}

struct Bars {
    all: MultiProgress,
    total: ProgressBar,
}

#[derive(Default)]
struct State {
    shown: HashMap<String, ProgressBar>,
    stage: String,
    bytes: u64,
    last: Option<Instant>,
}

impl Progress {
    /// Bars if standard error is a terminal and they are wanted, lines otherwise.
    pub fn new(bars: bool) -> Self {
        let bars = (bars && std::io::stderr().is_terminal()).then(|| {
            let all = MultiProgress::new();
            let total = all.add(
                ProgressBar::new(0)
                    .with_style(style("{msg:30!} {bytes:>10} of {total_bytes:<10} {bytes_per_sec:>12} {eta:>6} left")),
            );
            Bars { all, total }
        });
        Self { bars, state: Mutex::default() }
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// A new stage begins, of so many bytes.
    pub fn stage(&self, name: &str, bytes: u64) {
        let mut state = self.state();
        name.clone_into(&mut state.stage);
        (state.bytes, state.last) = (0, Some(Instant::now()));
        match &self.bars {
            Some(bars) => {
                bars.total.reset();
                bars.total.set_length(bytes);
                bars.total.set_message(name.to_owned());
            }
            None => to_stderr(&format!("{name}: {}\n", HumanBytes(bytes))),
        }
    }

    /// So many bytes more of this stage are done.
    pub fn add(&self, bytes: u64) {
        let mut state = self.state();
        state.bytes += bytes;
        match &self.bars {
            Some(bars) => bars.total.inc(bytes),
            None if state.last.is_some_and(|last| last.elapsed() >= HEARTBEAT) => {
                state.last = Some(Instant::now());
                to_stderr(&format!("{}: {} so far\n", state.stage, HumanBytes(state.bytes)));
            }
            None => {}
        }
    }

    /// Says something without disturbing the bars.
    pub fn say(&self, line: &str) {
        match &self.bars {
            Some(bars) => {
                let _ = bars.all.println(line);
            }
            None => to_stderr(&format!("{line}\n")),
        }
    }

    /// A bar of its own begins, if there is room.
    pub fn begin(&self, name: &str, size: Option<u64>) {
        let Some(bars) = &self.bars else { return };
        let mut state = self.state();
        if state.shown.len() < MOST_BARS && !state.shown.contains_key(name) {
            let bar = bars.all.insert_before(&bars.total, ProgressBar::new(size.unwrap_or(0)));
            bar.set_style(style("{msg:50!} {wide_bar} {bytes:>10}"));
            bar.set_message(name.to_owned());
            state.shown.insert(name.to_owned(), bar);
        }
    }

    /// So many bytes more of that bar are done.
    pub fn advance(&self, name: &str, bytes: u64) {
        if let Some(bar) = self.state().shown.get(name) {
            bar.inc(bytes);
        }
        self.add(bytes);
    }

    /// That bar is full.
    pub fn finish(&self, name: &str) {
        let bar = self.state().shown.remove(name);
        match (bar, &self.bars) {
            (Some(bar), Some(bars)) => {
                bar.finish_and_clear();
                bars.all.remove(&bar);
            }
            (_, None) => to_stderr(&format!("  {name}\n")),
            _ => {}
        }
    }

    /// Takes the bars away.
    pub fn done(&self) {
        if let Some(bars) = &self.bars {
            bars.total.finish_and_clear();
        }
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar())
}

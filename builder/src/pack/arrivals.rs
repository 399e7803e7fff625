//! Which blobs are in the store already while others are still on their way, so that packing need not wait for the last one.

use std::collections::HashSet;
use std::io;
use std::sync::{Condvar, Mutex, MutexGuard};

use kubexm_model::digest::Digest;

/// The blobs that have arrived.
#[derive(Debug, Default)]
pub struct Arrivals {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    here: HashSet<Digest>,
    /// Nothing more will come.
    ended: bool,
}

impl Arrivals {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// A blob is in the store.
    pub fn arrived(&self, digest: Digest) {
        self.state().here.insert(digest);
        self.changed.notify_all();
    }

    /// Nothing more will come.
    pub fn end(&self) {
        self.state().ended = true;
        self.changed.notify_all();
    }

    /// Does some work for each item as soon as its blob is there, with so many threads; fails if one never comes, or at the
    /// first error.
    pub(super) fn each<T: Send>(
        &self,
        items: Vec<(Digest, T)>,
        threads: usize,
        work: impl Fn(T) -> io::Result<()> + Sync,
    ) -> io::Result<()> {
        let left = Mutex::new(items);
        let failed: Mutex<Option<io::Error>> = Mutex::new(None);
        let worker = || {
            while let Some(item) = self.next(&left) {
                if let Err(error) = item.and_then(&work) {
                    failed.lock().unwrap_or_else(std::sync::PoisonError::into_inner).get_or_insert(error);
                    left.lock().unwrap_or_else(std::sync::PoisonError::into_inner).clear();
                }
            }
        };
        std::thread::scope(|scope| (0..threads.max(1)).for_each(|_| drop(scope.spawn(worker))));
        failed.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner).map_or(Ok(()), Err)
    }

    /// The next item whose blob is there; `None` if none is left.
    fn next<T>(&self, left: &Mutex<Vec<(Digest, T)>>) -> Option<io::Result<T>> {
        let mut state = self.state();
        loop {
            let mut left = left.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            if left.is_empty() {
                return None;
            }
            if let Some(at) = left.iter().position(|(digest, _)| state.here.contains(digest)) {
                return Some(Ok(left.swap_remove(at).1));
            }
            if state.ended {
                let (digest, _) = left.swap_remove(0);
                return Some(Err(io::Error::new(io::ErrorKind::NotFound, format!("{digest} was not fetched"))));
            }
            drop(left);
            state = self.changed.wait(state).unwrap_or_else(std::sync::PoisonError::into_inner);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn items() -> Vec<(Digest, u8)> {
        (0..50).map(|number| (Digest::of(&[number]), number)).collect()
    }

    #[test]
    fn work_is_done_as_blobs_arrive_and_once_for_each() {
        let arrivals = Arrivals::default();
        let seen = Mutex::new(vec![]);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                items().into_iter().rev().for_each(|(digest, _)| arrivals.arrived(digest));
                arrivals.end();
            });
            let work = |number| {
                seen.lock().unwrap().push(number);
                Ok(())
            };
            arrivals.each(items(), 4, work).unwrap();
        });
        let mut seen = seen.into_inner().unwrap();
        seen.sort_unstable();
        assert_eq!(seen, (0..50).collect::<Vec<u8>>());
    }

    #[test]
    fn what_never_comes_is_named_and_an_error_ends_it() {
        let arrivals = Arrivals::default();
        arrivals.arrived(Digest::of(&[0]));
        arrivals.end();
        let error = arrivals.each(items(), 2, |_| Ok(())).unwrap_err().to_string();
        assert!(error.ends_with("was not fetched"), "{error}");
        let error = arrivals.each(items(), 2, |_| Err(io::Error::other("no"))).unwrap_err().to_string();
        assert!(error == "no" || error.ends_with("was not fetched"), "{error}");
    }
}

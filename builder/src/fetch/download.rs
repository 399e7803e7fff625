//! One download, whatever it comes from: tried until it is there and is what it should be.

use std::io;

use bytes::Bytes;
use futures::future::BoxFuture;
use futures::stream::{BoxStream, StreamExt};
use kubexm_model::digest::Digest;
use tokio::sync::mpsc;

use super::{FetchError, Fetcher};
use crate::cache::Incoming;

/// What is known about a download before it begins.
#[derive(Debug, Clone, Copy, Default)]
pub struct Expected {
    /// Its digest.
    pub digest: Option<Digest>,
    /// Its size.
    pub size: Option<u64>,
}

/// The part of a file that a server sends.
pub struct Part {
    /// Where it begins.
    pub start: u64,
    /// How long the whole file is.
    pub total: Option<u64>,
    /// The server's name for this version of the file.
    pub etag: Option<String>,
    /// The bytes.
    pub bytes: BoxStream<'static, io::Result<Bytes>>,
}

/// Something that can be downloaded from any place on.
pub(super) trait Source: Send + Sync {
    /// What it is called in messages.
    fn address(&self) -> String;
    /// The host that serves it.
    fn host(&self) -> String;
    /// Opens it from `offset` on, if it still is the version `etag`; a server may send all of it all the same.
    fn open<'a>(&'a self, offset: u64, etag: Option<&'a str>) -> BoxFuture<'a, Result<Part, FetchError>>;
}

impl Fetcher {
    /// Brings something into the store, and returns its digest and size. What is there already is not asked for again.
    pub(super) async fn bring(
        &self,
        name: &str,
        source: &dyn Source,
        expected: Expected,
    ) -> Result<(Digest, u64), FetchError> {
        if let Some(found) = self.known(expected) {
            return Ok(found);
        }
        let _all = self.all.acquire().await.map_err(|_| FetchError::Options("fetching was stopped".to_owned()))?;
        let host = self.places(&source.host());
        let _host = host.acquire().await.map_err(|_| FetchError::Options("fetching was stopped".to_owned()))?;
        let key = expected
            .digest
            .map_or_else(|| format!("url-{}", Digest::of(source.address().as_bytes()).hex()), |digest| digest.hex());
        let (cache, lock_key) = (self.cache.clone(), key.clone());
        // Another process may be at the same download: wait for it, and look again.
        let held = blocking(move || cache.hold(&lock_key)).await?;
        if let Some(found) = self.known(expected) {
            return Ok(found);
        }
        self.watch.begin(name, expected.size);
        let result = self.retrying(name, async || self.once(name, source, expected, &key).await).await;
        drop(held);
        if result.is_ok() {
            self.watch.finish(name);
        }
        result
    }

    fn known(&self, expected: Expected) -> Option<(Digest, u64)> {
        let digest = expected.digest?;
        let size = self.cache.size(&digest)?;
        expected.size.is_none_or(|wanted| wanted == size).then_some((digest, size))
    }

    /// Tries something until it works, or another try would not help, or there were enough.
    pub(super) async fn retrying<T>(
        &self,
        name: &str,
        attempt: impl AsyncFn() -> Result<T, FetchError>,
    ) -> Result<T, FetchError> {
        let mut tries = 0;
        loop {
            let error = match attempt().await {
                Ok(done) => return Ok(done),
                Err(error) => error,
            };
            let Some(wait) = error.wait(tries).filter(|_| tries < self.options.retries) else { return Err(error) };
            tries += 1;
            self.watch.retry(name, &error.to_string());
            tokio::time::sleep(wait).await;
        }
    }

    async fn once(
        &self,
        name: &str,
        source: &dyn Source,
        expected: Expected,
        key: &str,
    ) -> Result<(Digest, u64), FetchError> {
        let (cache, key) = (self.cache.clone(), key.to_owned());
        let mut incoming = blocking(move || Incoming::new(&cache, &key)).await?;
        let wrong = |reason: String| FetchError::Wrong { address: source.address(), reason };
        if expected.size.is_some_and(|size| incoming.length() > size) {
            incoming.restart()?;
        }
        let whole = expected.size.is_some_and(|size| size == incoming.length());
        if !whole {
            // Without a digest to check against, only the server's own name for a version makes it safe to go on.
            let etag = incoming.etag();
            let resumable = expected.digest.is_some() || etag.is_some();
            let offset = if resumable { incoming.length() } else { 0 };
            let part = source.open(offset, etag.as_deref()).await?;
            if part.start != incoming.length() {
                incoming.restart()?;
            }
            if part.start != incoming.length() {
                return Err(wrong(format!("the server sends it from byte {} on", part.start)));
            }
            if let (Some(total), Some(size)) = (part.total, expected.size)
                && total != size
            {
                incoming.discard()?;
                return Err(wrong(format!("it has {total} bytes instead of {size}")));
            }
            incoming.set_etag(part.etag.as_deref())?;
            let most = expected.size.or(part.total);
            incoming = self.receive(name, source, part, incoming, most).await?;
            if let Some(most) = most.filter(|most| incoming.length() < *most) {
                let reason = format!("the connection ended after {} of {most} bytes", incoming.length());
                return Err(FetchError::Broken { address: source.address(), reason, wait: None });
            }
        }
        let found = incoming.digest();
        if let Some(digest) = expected.digest.filter(|digest| *digest != found) {
            incoming.discard()?;
            return Err(wrong(format!("its digest is {found} instead of {digest}")));
        }
        Ok(blocking(move || incoming.commit()).await?)
    }

    /// Hashes and writes on a thread of its own, so that the network never waits for the disk longer than a few parts.
    async fn receive(
        &self,
        name: &str,
        source: &dyn Source,
        part: Part,
        mut incoming: Incoming,
        most: Option<u64>,
    ) -> Result<Incoming, FetchError> {
        let broken = |reason: String| FetchError::Broken { address: source.address(), reason, wait: None };
        let (send, mut receive) = mpsc::channel::<Bytes>(16);
        let writer = tokio::task::spawn_blocking(move || -> io::Result<Incoming> {
            while let Some(bytes) = receive.blocking_recv() {
                incoming.write(&bytes)?;
            }
            Ok(incoming)
        });
        let mut left = most.map(|most| most - part.start);
        let mut bytes = part.bytes;
        let mut outcome = Ok(());
        while let Some(next) = bytes.next().await {
            let next = match next {
                Ok(next) => next,
                Err(error) => {
                    outcome = Err(broken(error.to_string()));
                    break;
                }
            };
            if let Some(room) = &mut left {
                match room.checked_sub(next.len() as u64) {
                    Some(rest) => *room = rest,
                    None => {
                        outcome = Err(FetchError::Wrong {
                            address: source.address(),
                            reason: "the server sends more than it should".to_owned(),
                        });
                        break;
                    }
                }
            }
            self.watch.advance(name, next.len() as u64);
            // The writer stops taking when the disk fails; its own error says why.
            if send.send(next).await.is_err() {
                break;
            }
        }
        drop(send);
        let incoming = writer.await.map_err(|error| broken(error.to_string()))??;
        outcome.map(|()| incoming)
    }
}

/// Runs something that waits for the disk.
pub(super) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> io::Result<T> {
    tokio::task::spawn_blocking(work).await.map_err(io::Error::other)?
}

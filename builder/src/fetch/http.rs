//! Files over HTTP: ranges that are resumed safely, redirects, and small documents.

use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use futures::future::{BoxFuture, FutureExt};
use futures::stream::StreamExt;
use kubexm_model::digest::Digest;
use reqwest::header::{ACCEPT_ENCODING, CONTENT_RANGE, ETAG, HeaderMap, IF_RANGE, RANGE, RETRY_AFTER};
use reqwest::{Certificate, Client, Response, StatusCode, Url};

use super::download::{Expected, Part, Source};
use super::retry::retry_after;
use super::{FetchError, Fetcher, Options};

/// What a checksum file or an index may weigh at most.
const MOST_SMALL: u64 = 64 * 1024 * 1024;

/// The certificates of a file.
pub(super) fn certificates(path: &Path) -> Result<Vec<Certificate>, FetchError> {
    let refuse = |reason: String| {
        FetchError::Options(format!("the certificate file {} cannot be used: {reason}", path.display()))
    };
    let text = fs_err::read(path).map_err(|error| refuse(error.to_string()))?;
    let found = Certificate::from_pem_bundle(&text).map_err(|error| refuse(error.to_string()))?;
    if found.is_empty() { Err(refuse("it holds no certificate".to_owned())) } else { Ok(found) }
}

pub(super) fn client(options: &Options, certificates: &[Certificate]) -> Result<Client, FetchError> {
    Client::builder()
        .user_agent(concat!("kubexm-bundle/", env!("CARGO_PKG_VERSION")))
        .connect_timeout(Duration::from_secs(30))
        .read_timeout(options.stall)
        .redirect(reqwest::redirect::Policy::limited(10))
        .tls_certs_merge(certificates.iter().cloned())
        .build()
        .map_err(|error| FetchError::Options(format!("no HTTP client can be made: {error}")))
}

struct HttpFile<'a> {
    fetcher: &'a Fetcher,
    url: &'a str,
}

impl Source for HttpFile<'_> {
    fn address(&self) -> String {
        self.url.to_owned()
    }

    fn host(&self) -> String {
        Url::parse(self.url).ok().and_then(|url| url.host_str().map(str::to_owned)).unwrap_or_default()
    }

    fn open<'a>(&'a self, offset: u64, etag: Option<&'a str>) -> BoxFuture<'a, Result<Part, FetchError>> {
        async move {
            let mut headers = HeaderMap::new();
            // A file that is compressed on the way has no ranges that mean anything.
            insert(&mut headers, ACCEPT_ENCODING, "identity");
            if offset > 0 {
                insert(&mut headers, RANGE, &format!("bytes={offset}-"));
                if let Some(etag) = etag {
                    insert(&mut headers, IF_RANGE, etag);
                }
            }
            let response = self.fetcher.get(self.url, headers).await?;
            let text = |name| response.headers().get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
            // A weak name does not promise the same bytes.
            let etag = text(ETAG).filter(|etag| !etag.starts_with("W/"));
            let (start, total) = if response.status() == StatusCode::PARTIAL_CONTENT {
                let range = text(CONTENT_RANGE).and_then(|range| content_range(&range));
                range.ok_or_else(|| broken(self.url, "the server sends a part without saying which".to_owned()))?
            } else {
                (0, response.content_length())
            };
            let bytes = response.bytes_stream().map(|next| next.map_err(std::io::Error::other)).boxed();
            Ok(Part { start, total, etag, bytes })
        }
        .boxed()
    }
}

fn insert(headers: &mut HeaderMap, name: reqwest::header::HeaderName, value: &str) {
    if let Ok(value) = value.parse() {
        headers.insert(name, value);
    }
}

fn broken(address: &str, reason: String) -> FetchError {
    FetchError::Broken { address: address.to_owned(), reason, wait: None }
}

/// `bytes 5-9/100`: where it begins, and how long the whole is.
fn content_range(text: &str) -> Option<(u64, Option<u64>)> {
    let (range, total) = text.strip_prefix("bytes ")?.split_once('/')?;
    let (start, _) = range.split_once('-')?;
    Some((start.trim().parse().ok()?, total.trim().parse().ok()))
}

/// Every cause of an error, joined: reqwest alone says only that something failed.
pub(super) fn causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(error) = next {
        let more = error.to_string();
        if !text.contains(&more) {
            text = format!("{text}: {more}");
        }
        next = error.source();
    }
    text
}

impl Fetcher {
    /// Downloads a file into the store.
    pub async fn file(&self, name: &str, url: &str, expected: Expected) -> Result<(Digest, u64), FetchError> {
        self.bring(name, &HttpFile { fetcher: self, url }, expected).await
    }

    /// A small document: a checksum file, an index.
    pub async fn document(&self, url: &str) -> Result<Vec<u8>, FetchError> {
        self.retrying(url, async || self.small(url).await).await
    }

    async fn small(&self, url: &str) -> Result<Vec<u8>, FetchError> {
        let mut stream = self.get(url, HeaderMap::new()).await?.bytes_stream();
        let mut document = vec![];
        while let Some(next) = stream.next().await {
            document.extend_from_slice(&next.map_err(|error| broken(url, causes(&error)))?);
            if document.len() as u64 > MOST_SMALL {
                return Err(FetchError::Refused {
                    address: url.to_owned(),
                    status: 200,
                    message: "it is larger than a document should be".to_owned(),
                });
            }
        }
        Ok(document)
    }

    /// The length of a file, if the server says so.
    pub async fn length(&self, url: &str) -> Option<u64> {
        let response = self.http.head(url).send().await.ok()?.error_for_status().ok()?;
        let header = response.headers().get(reqwest::header::CONTENT_LENGTH)?;
        header.to_str().ok()?.parse().ok()
    }

    async fn get(&self, url: &str, headers: HeaderMap) -> Result<Response, FetchError> {
        let parsed = Url::parse(url).map_err(|error| FetchError::Options(format!("`{url}` is no address: {error}")))?;
        let mut request = self.http.get(parsed.clone()).headers(headers);
        if let Some(account) = parsed.host_str().and_then(|host| self.accounts.host(host)) {
            request = request.basic_auth(&account.user, Some(account.password.expose()));
        }
        let response = request.send().await.map_err(|error| broken(url, causes(&error)))?;
        let status = response.status();
        if status.is_success() {
            return Ok(response);
        }
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        let wait = response.headers().get(RETRY_AFTER).and_then(|value| retry_after(value.to_str().ok()?, now));
        let again =
            status.is_server_error() || matches!(status, StatusCode::TOO_MANY_REQUESTS | StatusCode::REQUEST_TIMEOUT);
        if again {
            return Err(FetchError::Broken {
                address: url.to_owned(),
                reason: format!("the server answers {status}"),
                wait,
            });
        }
        Err(FetchError::Refused {
            address: url.to_owned(),
            status: status.as_u16(),
            message: status.canonical_reason().unwrap_or_default().to_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_content_range_says_where_it_begins() {
        assert_eq!(content_range("bytes 5-9/100"), Some((5, Some(100))));
        assert_eq!(content_range("bytes 5-9/*"), Some((5, None)));
        assert_eq!(content_range("5-9/100"), None);
    }
}

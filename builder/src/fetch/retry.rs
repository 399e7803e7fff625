//! What can go wrong, what is worth another try, and how long to wait before it.

use std::time::Duration;

/// Why something could not be fetched.
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    /// The options cannot be used.
    #[error("{0}")]
    Options(String),
    /// The server refused for good.
    #[error("{address} answers {status}{}", if .message.is_empty() { String::new() } else { format!(": {}", .message) })]
    Refused {
        /// What was asked for.
        address: String,
        /// The server's number.
        status: u16,
        /// The server's words.
        message: String,
    },
    /// The connection failed, or the server failed.
    #[error("{address} cannot be fetched: {reason}")]
    Broken {
        /// What was asked for.
        address: String,
        /// Why.
        reason: String,
        /// How long the server asks to wait.
        wait: Option<Duration>,
    },
    /// What came is not what was asked for.
    #[error("{address} is not what it should be: {reason}")]
    Wrong {
        /// What was asked for.
        address: String,
        /// Why.
        reason: String,
    },
    /// The store cannot be written.
    #[error("the cache cannot be written")]
    Cache(#[from] std::io::Error),
}

impl FetchError {
    /// How long to wait before the next try, or `None` if another try would not help.
    pub(super) fn wait(&self, tries: usize) -> Option<Duration> {
        match self {
            Self::Broken { wait: Some(wait), .. } => Some((*wait).min(LONGEST_WAIT)),
            Self::Broken { .. } | Self::Wrong { .. } => Some(backoff(tries)),
            Self::Options(_) | Self::Refused { .. } | Self::Cache(_) => None,
        }
    }
}

/// No server is waited for longer than this between two tries.
const LONGEST_WAIT: Duration = Duration::from_mins(2);

/// Doubles from a quarter of a second, with up to half of it more or less, so that many do not come back at once.
fn backoff(tries: usize) -> Duration {
    let base = Duration::from_millis(250 << tries.min(7));
    base.mul_f64(rand::random_range(0.5..1.5)).min(LONGEST_WAIT)
}

/// The header `Retry-After`: seconds, or a date, which is counted from now.
pub(super) fn retry_after(value: &str, now: u64) -> Option<Duration> {
    if let Ok(seconds) = value.trim().parse() {
        return Some(Duration::from_secs(seconds));
    }
    let date = httpdate::parse_http_date(value).ok()?.duration_since(std::time::UNIX_EPOCH).ok()?;
    Some(date.saturating_sub(Duration::from_secs(now)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiting_grows_and_stays_bounded() {
        for tries in 0..40 {
            assert!(backoff(tries) <= LONGEST_WAIT);
        }
        assert!(backoff(6) > backoff(0));
    }

    #[test]
    fn a_server_may_say_how_long_in_two_ways() {
        assert_eq!(retry_after("7", 0), Some(Duration::from_secs(7)));
        assert_eq!(retry_after("Thu, 01 Jan 1970 00:00:30 GMT", 10), Some(Duration::from_secs(20)));
        assert_eq!(retry_after("soon", 0), None);
    }
}

//! What a site accepted before: an older bundle is refused, and so is one that has expired.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::read::{Bundle, Verified};
use super::ticket::Ticket;
use crate::digest::Digest;

/// The newest bundle of each channel, and the latest time that was seen.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Accepted {
    channels: BTreeMap<String, Newest>,
    seen: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Newest {
    sequence: u64,
    bundle: Digest,
}

/// How a bundle stands at a site that may use it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// It is newer than everything before.
    New,
    /// It was accepted before, so a repair or a new node may go on using it.
    Known {
        /// It would be refused if it were new: worth a warning.
        expired: bool,
    },
    /// It is refused by itself, and a ticket allows it.
    ByTicket,
}

/// Why a bundle is refused although its signatures are good.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TooOld {
    /// A newer one was accepted.
    #[error("it has sequence {sequence} in channel {channel}, and {newest} was accepted already")]
    RolledBack {
        /// Its channel.
        channel: String,
        /// Its sequence.
        sequence: u64,
        /// The newest one.
        newest: u64,
    },
    /// Another bundle has the same place: somebody signed two.
    #[error(
        "another bundle with sequence {sequence} in channel {channel} was accepted before: two were signed for one place"
    )]
    Twice {
        /// Its channel.
        channel: String,
        /// Its sequence.
        sequence: u64,
    },
    /// Nothing could follow it for ages.
    #[error("its sequence {sequence} is absurdly far ahead, and no later bundle could follow it")]
    FarAhead {
        /// Its sequence.
        sequence: u64,
    },
    /// Its time is over.
    #[error("it expired {0} days ago")]
    Expired(u64),
    /// The clock is before something that has happened.
    #[error("the clock of this machine is wrong: it is {0} days behind what it has seen or what the bundle says")]
    Clock(u64),
}

/// Sequences are seconds by default, so that centuries of them fit.
const FURTHEST: u64 = 10_000_000_000;
const DAY: u64 = 24 * 60 * 60;

impl Accepted {
    /// From the text of a file; what cannot be read is never taken for nothing.
    pub fn from_json(text: &str) -> serde_json::Result<Self> {
        serde_json::from_str(text)
    }

    /// As the text of a file.
    pub fn to_json(&self) -> serde_json::Result<String> {
        serde_json::to_string_pretty(self)
    }

    /// Whether a bundle may be used at this time, in seconds since 1970.
    pub fn check(&self, bundle: &Bundle<Verified>, now: u64, tickets: &[Ticket]) -> Result<Standing, TooOld> {
        let statement = bundle.statement();
        let (channel, sequence) = (statement.channel.clone(), statement.sequence);
        let newest = self.channels.get(&channel);
        let expired = now > statement.expires;
        if newest.is_some_and(|newest| newest.sequence == sequence && newest.bundle == bundle.id()) {
            return Ok(Standing::Known { expired });
        }
        if newest.is_some_and(|newest| newest.sequence == sequence) {
            return Err(TooOld::Twice { channel, sequence });
        }
        if sequence.saturating_sub(newest.map_or(0, |newest| newest.sequence)) > FURTHEST {
            return Err(TooOld::FarAhead { sequence });
        }
        let behind = self.seen.max(statement.created).saturating_sub(now);
        if behind > DAY {
            // Whether it has expired cannot be known.
            return Err(TooOld::Clock(behind / DAY));
        }
        let refused = match newest {
            Some(newest) if sequence < newest.sequence => {
                Some(TooOld::RolledBack { channel, sequence, newest: newest.sequence })
            }
            _ if expired => Some(TooOld::Expired((now - statement.expires).div_ceil(DAY))),
            _ => None,
        };
        match refused {
            None => Ok(Standing::New),
            Some(_) if tickets.iter().any(|ticket| ticket.allows(bundle.id(), now)) => Ok(Standing::ByTicket),
            Some(refused) => Err(refused),
        }
    }

    /// Notes that a bundle was used with success; an older one, by ticket, does not become the newest.
    pub fn accept(&mut self, bundle: &Bundle<Verified>, now: u64) {
        let statement = bundle.statement();
        let this = Newest { sequence: statement.sequence, bundle: bundle.id() };
        let newest = self.channels.entry(statement.channel.clone()).or_insert(this);
        if this.sequence > newest.sequence {
            *newest = this;
        }
        self.seen = self.seen.max(now).max(statement.created);
    }
}

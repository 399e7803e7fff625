//! Versions as upstream projects write them (`v1.34.4`, `3.10`, `28.0.0-rc.1`), and ranges over them.
//!
//! They order as semantic versions do; a missing part counts as zero. `v1.2.3` and `1.2.3` are the same version.

use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// A version, without the `v` that some projects put before it.
#[derive(Clone)]
pub struct Version {
    text: String,
    order: semver::Version,
}

/// The text is no version.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a version such as 1.34.4")]
pub struct NotAVersion(String);

impl Version {
    /// The text without a leading `v`, as upstream writes it: `3.10` stays `3.10`.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Major and minor number: `1.34`.
    pub fn minor(&self) -> String {
        format!("{}.{}", self.order.major, self.order.minor)
    }

    /// The major number.
    pub fn major(&self) -> u64 {
        self.order.major
    }
}

impl FromStr for Version {
    type Err = NotAVersion;
    fn from_str(text: &str) -> Result<Self, NotAVersion> {
        let refuse = || NotAVersion(text.to_owned());
        let plain = text.strip_prefix('v').unwrap_or(text);
        let numbers = plain.find(['-', '+']).unwrap_or(plain.len());
        let (numbers, rest) = plain.split_at(numbers);
        let full = match numbers.split('.').count() {
            2 => format!("{numbers}.0{rest}"),
            3 => plain.to_owned(),
            _ => return Err(refuse()),
        };
        let order = semver::Version::parse(&full).map_err(|_| refuse())?;
        Ok(Self { text: plain.to_owned(), order })
    }
}

impl Ord for Version {
    fn cmp(&self, other: &Self) -> Ordering {
        self.order.cmp(&other.order)
    }
}
impl PartialOrd for Version {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl PartialEq for Version {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}
impl Eq for Version {}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}
impl fmt::Debug for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}
impl Serialize for Version {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text)
    }
}
impl<'de> Deserialize<'de> for Version {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}
impl JsonSchema for Version {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Version".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        // The numbers of a semantic version have no leading zeros; two parts are enough for us.
        let number = "(0|[1-9][0-9]*)";
        let tail = "(-[0-9A-Za-z.-]+)?([+][0-9A-Za-z.-]+)?";
        json_schema!({
            "type": "string",
            "format": "version",
            "pattern": format!("^v?{number}[.]{number}([.]{number})?{tail}$"),
        })
    }
}

/// Which versions are meant: comma separated comparisons such as `>=1.7.0, <3.0.0`, or `*`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Range {
    text: String,
    range: semver::VersionReq,
}

impl Range {
    /// Whether the version lies inside.
    pub fn contains(&self, version: &Version) -> bool {
        self.range.matches(&version.order)
    }
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}
impl Serialize for Range {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text)
    }
}
impl<'de> Deserialize<'de> for Range {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let range = semver::VersionReq::parse(&text).map_err(de::Error::custom)?;
        Ok(Self { text, range })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(text: &str) -> Version {
        text.parse().unwrap()
    }

    #[test]
    fn a_version_keeps_what_upstream_wrote_except_the_v() {
        assert_eq!(version("v1.34.4").as_str(), "1.34.4");
        assert_eq!(version("3.10").as_str(), "3.10");
        assert_eq!(version("3.10").minor(), "3.10");
        assert_eq!(version("v1.2.3"), version("1.2.3"));
    }

    #[test]
    fn numbers_order_as_numbers_and_a_candidate_comes_before_its_release() {
        let sorted = ["0.9.9", "1.2.10-rc.1", "1.2.10", "1.10", "1.10.1", "2.0.0"];
        for pair in sorted.windows(2) {
            assert!(version(pair[0]) < version(pair[1]), "{pair:?}");
        }
    }

    #[test]
    fn what_is_no_version_is_refused() {
        for text in ["", "v", "1", "1.2.3.4", "latest", "1.x", "01.2.3", "1.2.3-", "1.2 "] {
            assert!(text.parse::<Version>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_range_is_a_list_of_comparisons() {
        let range: Range = serde_json::from_str("\">=3.5.21, <3.7.0\"").unwrap();
        assert!(range.contains(&version("3.6.5")));
        assert!(!range.contains(&version("3.7.0")));
        assert!(!range.contains(&version("3.5.9")));
    }
}

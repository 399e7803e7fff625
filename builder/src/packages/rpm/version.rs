//! rpm's order of versions, and which versions a dependency accepts.
//!
//! A version is written `epoch:version-release`; a missing epoch is 0, a missing release says nothing about the release.

use std::cmp::Ordering;

/// A version taken apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Evr<'a> {
    /// Digits, `0` where none were written.
    pub epoch: &'a str,
    /// What upstream calls it.
    pub version: &'a str,
    /// What the distribution calls its build of it; `None` where it is left open.
    pub release: Option<&'a str>,
}

impl<'a> Evr<'a> {
    /// Takes a version apart as rpm does: digits before a colon are the epoch, what follows the last dash is the release.
    pub fn parse(text: &'a str) -> Self {
        let (epoch, rest) = match text.split_once(':') {
            Some((epoch, rest)) if epoch.bytes().all(|byte| byte.is_ascii_digit()) => (epoch, rest),
            _ => ("", text),
        };
        let (version, release) = match rest.rsplit_once('-') {
            // "4-" leaves the release open like "4".
            Some((version, release)) => (version, Some(release).filter(|release| !release.is_empty())),
            None => (rest, None),
        };
        Self { epoch: if epoch.is_empty() { "0" } else { epoch }, version, release }
    }

    /// Epoch and version alone.
    fn compare_version(&self, other: &Self) -> Ordering {
        order(self.epoch, other.epoch).then_with(|| order(self.version, other.version))
    }
}

impl PartialOrd for Evr<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Evr<'_> {
    /// The order between packages: one without a release is older than any release of it.
    fn cmp(&self, other: &Self) -> Ordering {
        self.compare_version(other).then_with(|| match (self.release, other.release) {
            (Some(mine), Some(theirs)) => order(mine, theirs),
            (mine, theirs) => mine.is_some().cmp(&theirs.is_some()),
        })
    }
}

/// The order of one part.
fn order(left: &str, right: &str) -> Ordering {
    rpm_version::Evr::new("", left, "").cmp(&rpm_version::Evr::new("", right, ""))
}

/// The order of two versions.
pub fn compare(left: &str, right: &str) -> Ordering {
    Evr::parse(left).cmp(&Evr::parse(right))
}

/// Which side of a version is meant; all three for "any version".
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Sense(u8);

impl Sense {
    /// Older.
    pub const LESS: Self = Self(1);
    /// This one.
    pub const EQUAL: Self = Self(2);
    /// Newer.
    pub const GREATER: Self = Self(4);
    /// No version was asked for.
    pub const ANY: Self = Self(7);

    /// As repository metadata writes it.
    pub fn from_flags(flags: &str) -> Option<Self> {
        Some(match flags {
            "LT" => Self::LESS,
            "LE" => Self::LESS.or(Self::EQUAL),
            "EQ" => Self::EQUAL,
            "GE" => Self::GREATER.or(Self::EQUAL),
            "GT" => Self::GREATER,
            _ => return None,
        })
    }

    /// As a person writes it.
    pub fn from_sign(sign: &str) -> Option<Self> {
        Some(match sign {
            "<" => Self::LESS,
            "<=" | "=<" => Self::LESS.or(Self::EQUAL),
            "=" | "==" => Self::EQUAL,
            ">=" | "=>" => Self::GREATER.or(Self::EQUAL),
            ">" => Self::GREATER,
            _ => return None,
        })
    }

    /// The sign a person writes; nothing for any version.
    pub fn sign(self) -> &'static str {
        match self.0 {
            1 => "<",
            3 => "<=",
            2 => "=",
            6 => ">=",
            4 => ">",
            _ => "",
        }
    }

    const fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    const fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }
}

/// Whether some version is both in what is provided and in what is required.
pub fn overlap(provided: (Sense, &str), required: (Sense, &str)) -> bool {
    let ((have, have_evr), (want, want_evr)) = (provided, required);
    if have == Sense::ANY || want == Sense::ANY {
        return true;
    }
    // Two ranges that are open to the same side always meet.
    if have.meets(Sense(want.0 & (Sense::LESS.0 | Sense::GREATER.0))) {
        return true;
    }
    let (left, right) = (Evr::parse(have_evr), Evr::parse(want_evr));
    let order = left.compare_version(&right).then_with(|| match (left.release, right.release) {
        (Some(mine), Some(theirs)) => order(mine, theirs),
        _ => Ordering::Equal,
    });
    match order {
        Ordering::Less => want.meets(Sense::LESS) || have.meets(Sense::GREATER),
        Ordering::Greater => want.meets(Sense::GREATER) || have.meets(Sense::LESS),
        // The side that leaves the release open decides whether the version itself is meant.
        Ordering::Equal => match (left.release, right.release) {
            (None, Some(_)) => have.meets(Sense::EQUAL),
            (Some(_), None) => want.meets(Sense::EQUAL),
            _ => have.meets(Sense::EQUAL) && want.meets(Sense::EQUAL),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_ordered_as_rpm_orders_them() {
        let rising = ["1.0~~a", "1.0~rc1", "1.0", "1.0-1", "1.0-1.el9", "1.0^git1-1", "1.0.1", "1.10", "1:0.1", "2:0"];
        for pair in rising.windows(2) {
            assert_eq!(compare(pair[0], pair[1]), Ordering::Less, "{pair:?}");
            assert_eq!(compare(pair[1], pair[0]), Ordering::Greater, "{pair:?}");
        }
        assert_eq!(compare("0:1.01-1", "1.1-01"), Ordering::Equal);
    }

    #[test]
    fn a_version_is_taken_apart_at_the_last_dash() {
        assert_eq!(Evr::parse("3:1.2-4.el9"), Evr { epoch: "3", version: "1.2", release: Some("4.el9") });
        assert_eq!(Evr::parse("1.2-"), Evr { epoch: "0", version: "1.2", release: None });
        assert_eq!(Evr::parse("v:1"), Evr { epoch: "0", version: "v:1", release: None });
    }

    #[test]
    fn a_dependency_without_a_release_accepts_every_release() {
        let have = (Sense::EQUAL, "1.2-5");
        for (sign, version, met) in [
            ("=", "1.2", true),
            ("=", "1.2-5", true),
            ("=", "1.2-6", false),
            (">", "1.2", false),
            (">=", "1.2", true),
            ("<", "1.2", false),
            (">", "1.2-4", true),
            ("<", "1:0", true),
            (">=", "1:0", false),
        ] {
            assert_eq!(overlap(have, (Sense::from_sign(sign).unwrap(), version)), met, "{sign} {version}");
        }
        assert!(overlap((Sense::ANY, ""), (Sense::EQUAL, "7")));
        assert!(overlap((Sense::LESS, "2"), (Sense::LESS, "1")));
    }
}

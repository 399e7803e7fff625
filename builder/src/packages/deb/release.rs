//! `Release`: what an archive says about itself, above all the digests of its indexes.

use std::collections::BTreeMap;
use std::time::{Duration, SystemTime};

use kubexm_model::digest::Digest;

/// More files than this no archive lists (Debian: some 2,000).
const MOST_FILES: usize = 100_000;
/// How much the clock of this machine may be behind the archive's.
const CLOCK_MAY_LAG: Duration = Duration::from_hours(1);

/// Why a Release file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ReleaseError {
    /// A field cannot be understood.
    #[error("its field {field} cannot be understood: `{value}`")]
    Field {
        /// The field.
        field: &'static str,
        /// What stands there.
        value: String,
    },
    /// It lists no SHA-256 digests.
    #[error("it lists no SHA-256 digests: the repository is too old to be trusted")]
    NoDigests,
    /// It is past its time.
    #[error("it was valid until {until} and the mirror was not renewed since: use another mirror (mirrors.packages)")]
    Expired {
        /// The date.
        until: String,
    },
    /// It is from the future.
    #[error("it is dated {date}, which is in the future: check the clock of this machine")]
    Future {
        /// The date.
        date: String,
    },
    /// It is about something else.
    #[error("it describes {found}, but {wanted} was asked for: the mirror serves another suite under that name")]
    OtherSuite {
        /// What was asked for.
        wanted: String,
        /// What came.
        found: String,
    },
}

/// The parts of a Release file that matter here.
#[derive(Debug, Default)]
pub struct Release {
    suite: Option<String>,
    codename: Option<String>,
    date: Option<(SystemTime, String)>,
    valid_until: Option<(SystemTime, String)>,
    by_hash: bool,
    separate_all: bool,
    priority: u16,
    files: BTreeMap<String, (Digest, u64)>,
}

/// An index as a Release file lists it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// Its path, relative to the Release file.
    pub path: String,
    /// Its digest.
    pub digest: Digest,
    /// Its size.
    pub size: u64,
}

impl Release {
    /// Reads the text of a Release file. The text is trusted when it comes here.
    pub fn read(text: &str) -> Result<Self, ReleaseError> {
        let mut release = Self { priority: 500, ..Self::default() };
        let mut but_upgrades = false;
        let mut all_is_listed = false;
        let mut all_is_merged = false;
        let mut section = "";
        for line in text.lines() {
            if line.starts_with(' ') {
                if section == "SHA256" {
                    release.file(line)?;
                }
                continue;
            }
            let Some((field, value)) = line.split_once(':') else { continue };
            let value = value.trim();
            section = field;
            match field {
                "Suite" => release.suite = Some(value.to_owned()),
                "Codename" => release.codename = Some(value.to_owned()),
                "Date" => release.date = Some((date("Date", value)?, value.to_owned())),
                "Valid-Until" => release.valid_until = Some((date("Valid-Until", value)?, value.to_owned())),
                "Acquire-By-Hash" => release.by_hash = value == "yes",
                // Backports want to be asked for, and experimental packages even more.
                "NotAutomatic" if value == "yes" => release.priority = 1,
                "ButAutomaticUpgrades" if value == "yes" => but_upgrades = true,
                "Architectures" => all_is_listed = value.split_whitespace().any(|one| one == "all"),
                "No-Support-for-Architecture-all" => all_is_merged = value == "Packages",
                _ => {}
            }
        }
        if release.priority == 1 && but_upgrades {
            release.priority = 100;
        }
        release.separate_all = all_is_listed && !all_is_merged;
        if release.files.is_empty() { Err(ReleaseError::NoDigests) } else { Ok(release) }
    }

    fn file(&mut self, line: &str) -> Result<(), ReleaseError> {
        let wrong = || ReleaseError::Field { field: "SHA256", value: line.trim().chars().take(200).collect() };
        let words: Vec<&str> = line.split_whitespace().collect();
        let [hex, size, path] = words.as_slice() else { return Err(wrong()) };
        let digest = Digest::from_hex(hex).map_err(|_| wrong())?;
        let size = size.parse().map_err(|_| wrong())?;
        if path.split('/').any(|part| part == "..") || path.starts_with('/') || self.files.len() >= MOST_FILES {
            return Err(wrong());
        }
        self.files.insert((*path).to_owned(), (digest, size));
        Ok(())
    }

    /// Whether it is what was asked for, and not past its time.
    pub fn check(&self, suite: &str, now: SystemTime) -> Result<(), ReleaseError> {
        if let Some((until, text)) = &self.valid_until
            && *until < now
        {
            return Err(ReleaseError::Expired { until: text.clone() });
        }
        if let Some((date, text)) = &self.date
            && *date > now + CLOCK_MAY_LAG
        {
            return Err(ReleaseError::Future { date: text.clone() });
        }
        let names: Vec<&str> = [&self.codename, &self.suite].into_iter().flatten().map(String::as_str).collect();
        let flat = suite.ends_with('/');
        if flat || names.is_empty() || names.contains(&suite) {
            return Ok(());
        }
        Err(ReleaseError::OtherSuite { wanted: suite.to_owned(), found: names.join(" and ") })
    }

    /// Whether files are served under their digests too.
    pub fn by_hash(&self) -> bool {
        self.by_hash
    }

    /// How much its packages are preferred, as apt counts it.
    pub fn priority(&self) -> u16 {
        self.priority
    }

    /// Whether packages of the architecture `all` have an index of their own.
    pub fn separate_all(&self) -> bool {
        self.separate_all
    }

    /// The best form of an index that is listed: the smallest that can be read here.
    pub fn index(&self, path: &str) -> Option<Listed> {
        [".xz", ".zst", ".gz", ""].iter().find_map(|ending| {
            let path = format!("{path}{ending}");
            let (digest, size) = *self.files.get(&path)?;
            Some(Listed { path, digest, size })
        })
    }
}

/// `Sat, 11 Jul 2026 10:16:37 UTC`; some archives leave out the zero before the day, or write +0000.
fn date(field: &'static str, value: &str) -> Result<SystemTime, ReleaseError> {
    let wrong = || ReleaseError::Field { field, value: value.chars().take(200).collect() };
    let words: Vec<&str> = value.split_whitespace().collect();
    let [weekday, day, month, year, time, "UTC" | "GMT" | "Z" | "+0000"] = words.as_slice() else {
        return Err(wrong());
    };
    let time = if time.len() == 7 { format!("0{time}") } else { (*time).to_owned() };
    httpdate::parse_http_date(&format!("{weekday} {day:0>2} {month} {year} {time} GMT")).map_err(|_| wrong())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "Suite: stable\nCodename: bookworm\nDate: Sat, 11 Jul 2026 10:16:37 UTC\nValid-Until: Sat, 18 Jul 2026 10:16:37 UTC\nAcquire-By-Hash: yes\nArchitectures: all amd64\nMD5Sum:\n 0 1 ignored\nSHA256:\n e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855 0 main/binary-amd64/Packages\n e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855 7 main/binary-amd64/Packages.xz\n";

    fn at(text: &str) -> SystemTime {
        date("Date", text).unwrap()
    }

    #[test]
    fn the_smallest_form_of_an_index_is_taken() {
        let release = Release::read(TEXT).unwrap();
        assert_eq!(release.index("main/binary-amd64/Packages").unwrap().size, 7);
        assert_eq!(release.index("main/binary-arm64/Packages"), None);
        assert!(release.by_hash() && release.separate_all());
    }

    #[test]
    fn it_counts_in_its_time_and_for_its_suite_only() {
        let release = Release::read(TEXT).unwrap();
        let now = at("Mon, 13 Jul 2026 00:00:00 UTC");
        assert!(release.check("bookworm", now).is_ok() && release.check("stable", now).is_ok());
        let later = at("Sun, 19 Jul 2026 00:00:00 UTC");
        assert!(matches!(release.check("bookworm", later), Err(ReleaseError::Expired { .. })));
        let earlier = at("Fri, 10 Jul 2026 00:00:00 UTC");
        assert!(matches!(release.check("bookworm", earlier), Err(ReleaseError::Future { .. })));
        assert!(matches!(release.check("trixie", now), Err(ReleaseError::OtherSuite { .. })));
    }

    #[test]
    fn dates_are_read_as_archives_write_them() {
        assert_eq!(at("Sat, 4 Jul 2026 1:02:03 +0000"), at("Sat, 04 Jul 2026 01:02:03 UTC"));
        assert!(date("Date", "tomorrow").is_err());
        assert!(date("Date", "Sat, 04 Jul 2026 01:02:03 +0200").is_err());
    }

    #[test]
    fn paths_that_leave_the_archive_and_odd_lines_are_refused() {
        for line in [" 00 1 a", " e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855 1 ../a", " x"] {
            assert!(Release::read(&format!("SHA256:\n{line}\n")).is_err(), "{line}");
        }
        assert!(matches!(Release::read("Suite: x\n"), Err(ReleaseError::NoDigests)));
    }
}

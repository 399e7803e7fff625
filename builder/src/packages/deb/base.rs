//! What a node has before anything is installed: the minimal system of a release, or the list of a real node.

use std::collections::BTreeSet;

/// A package that is there already.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct BasePackage {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Its architecture, where the list says it.
    pub architecture: Option<String>,
}

/// Why a list cannot be used.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum BaseError {
    /// A line is no package.
    #[error(
        "line {line} is no package: `{text}` (wanted: name version [architecture [status]], as `dpkg-query -W` prints it)"
    )]
    Line {
        /// The line's number.
        line: usize,
        /// What stands there.
        text: String,
    },
    /// There is no package in it.
    #[error("there is no package in it")]
    Empty,
}

/// Reads lines of name, version, architecture and status, with spaces or tabs between; only the first two are needed.
/// Lines of packages that are not installed, comments and empty lines count for nothing.
pub fn read(text: &str) -> Result<Vec<BasePackage>, BaseError> {
    let mut found = BTreeSet::new();
    for (number, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let refuse = || BaseError::Line { line: number + 1, text: line.chars().take(100).collect() };
        let words: Vec<&str> = line.split_whitespace().collect();
        let (name, rest) = words.split_first().ok_or_else(refuse)?;
        let (name, qualifier) = name.split_once(':').map_or((*name, None), |(name, arch)| (name, Some(arch)));
        let Some((version, rest)) = rest.split_first() else { return Err(refuse()) };
        if ["deinstall", "purge", "unknown"].contains(version) {
            continue;
        }
        if !version.starts_with(|first: char| first.is_ascii_digit()) || name.is_empty() {
            return Err(refuse());
        }
        let (architecture, status) = match rest.split_first() {
            Some((first, rest)) if !["install", "deinstall", "hold", "purge", "unknown", "ii"].contains(first) => {
                (Some(*first), rest)
            }
            _ => (qualifier, rest),
        };
        if status.is_empty() || status.contains(&"installed") || status.contains(&"ii") {
            found.insert(BasePackage {
                name: name.to_owned(),
                version: (*version).to_owned(),
                architecture: architecture.map(str::to_owned),
            });
        }
    }
    if found.is_empty() { Err(BaseError::Empty) } else { Ok(found.into_iter().collect()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_dpkg_query_and_plain_lists_are_read() {
        let text = "# a comment\nlibc6:amd64 2.36-9 amd64 install ok installed\nbash\t5.2-1\n\nvim 2:9.0 amd64 deinstall ok config-files\n";
        let found = read(text).unwrap();
        let names: Vec<_> = found.iter().map(|one| (one.name.as_str(), one.architecture.as_deref())).collect();
        assert_eq!(names, [("bash", None), ("libc6", Some("amd64"))]);
    }

    #[test]
    fn other_lines_are_refused_by_number() {
        assert!(matches!(read("bash 5\nnonsense\n"), Err(BaseError::Line { line: 2, .. })));
        assert_eq!(read("# nothing\n"), Err(BaseError::Empty));
    }
}

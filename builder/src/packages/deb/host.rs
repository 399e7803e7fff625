//! The apt configuration of this machine, which is the best source for a target of the same release.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use super::source::Source;
use crate::packages::signature::{Keyring, SignatureError};

/// Why the configuration cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum HostError {
    /// A file cannot be read.
    #[error("apt's configuration cannot be read")]
    File(#[source] io::Error),
    /// A key cannot be used.
    #[error("the key {} of {repository} cannot be used", path.display())]
    Key {
        /// The file.
        path: PathBuf,
        /// The repository that names it.
        repository: String,
        /// Why.
        #[source]
        source: SignatureError,
    },
    /// Nobody may sign a repository.
    #[error("{repository} names no key in Signed-By, and there is none in trusted.gpg.d")]
    NoKey {
        /// The repository.
        repository: String,
    },
}

/// The release that this machine runs: `ID` and `VERSION_ID` of os-release.
pub fn release(root: &Path) -> Option<(String, String)> {
    let text = fs_err::read_to_string(root.join("etc/os-release")).ok()?;
    let value = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix('='))?;
        Some(line.trim_matches('"').to_owned())
    };
    Some((value("ID")?, value("VERSION_ID")?))
}

/// The repositories of one release that are configured below a root: those whose suite is the code name or begins with it.
pub fn sources(root: &Path, codename: &str) -> Result<Vec<Source>, HostError> {
    let mut found = Vec::new();
    for path in files(root).map_err(HostError::File)? {
        let text = fs_err::read_to_string(&path).map_err(HostError::File)?;
        let entries =
            if path.extension().is_some_and(|ending| ending == "sources") { stanzas(&text) } else { lines(&text) };
        for entry in entries.into_iter().filter(|entry| belongs(&entry.suite, codename)) {
            found.push(entry.into_source(root)?);
        }
    }
    Ok(found)
}

fn belongs(suite: &str, codename: &str) -> bool {
    suite.strip_prefix(codename).is_some_and(|rest| rest.is_empty() || rest.starts_with(['-', '/']))
}

fn files(root: &Path) -> io::Result<Vec<PathBuf>> {
    let mut found = vec![root.join("etc/apt/sources.list")];
    let folder = root.join("etc/apt/sources.list.d");
    if folder.is_dir() {
        for entry in fs_err::read_dir(folder)? {
            found.push(entry?.path());
        }
    }
    found.retain(|path| {
        path.is_file() && path.extension().is_some_and(|ending| ending == "list" || ending == "sources")
    });
    found.sort();
    Ok(found)
}

/// What a configuration says of one suite.
#[derive(Debug, PartialEq, Eq)]
struct Entry {
    address: String,
    suite: String,
    components: Vec<String>,
    signed_by: Option<String>,
}

/// `deb [signed-by=…] address suite components…`
fn lines(text: &str) -> Vec<Entry> {
    let entry = |line: &str| {
        let rest = line.split('#').next()?.trim().strip_prefix("deb")?.strip_prefix([' ', '\t'])?.trim_start();
        let (options, rest) = match rest.strip_prefix('[') {
            Some(rest) => rest.split_once(']')?,
            None => ("", rest),
        };
        let signed_by = options.split_whitespace().find_map(|one| one.strip_prefix("signed-by=")).map(str::to_owned);
        let mut words = rest.split_whitespace().map(str::to_owned);
        Some(Entry { address: words.next()?, suite: words.next()?, components: words.collect(), signed_by })
    };
    text.lines().filter_map(entry).collect()
}

/// Stanzas with Types, URIs, Suites, Components and Signed-By, which may hold the key itself.
fn stanzas(text: &str) -> Vec<Entry> {
    let without_comments: Vec<&str> = text.lines().filter(|line| !line.starts_with('#')).collect();
    let mut found = Vec::new();
    for stanza in without_comments.split(|line| line.trim().is_empty()) {
        let fields = fields(stanza);
        let words =
            |name: &str| fields.get(name).into_iter().flat_map(|text| text.split_whitespace()).map(str::to_owned);
        let enabled = !words("enabled").any(|word| word == "no" || word == "false");
        if !enabled || !words("types").any(|word| word == "deb") {
            continue;
        }
        for address in words("uris") {
            for suite in words("suites") {
                let (components, signed_by) = (words("components").collect(), fields.get("signed-by").cloned());
                found.push(Entry { address: address.clone(), suite, components, signed_by });
            }
        }
    }
    found
}

/// The fields of a stanza, with their lines; a line with a single dot is an empty one.
fn fields(stanza: &[&str]) -> BTreeMap<String, String> {
    let mut found: BTreeMap<String, String> = BTreeMap::new();
    let mut current = String::new();
    for line in stanza {
        if line.starts_with([' ', '\t']) {
            let line = line.trim();
            let text = found.entry(current.clone()).or_default();
            text.push('\n');
            text.push_str(if line == "." { "" } else { line });
        } else if let Some((name, value)) = line.split_once(':') {
            current = name.trim().to_ascii_lowercase();
            found.insert(current.clone(), value.trim().to_owned());
        }
    }
    found
}

impl Entry {
    fn into_source(self, root: &Path) -> Result<Source, HostError> {
        let repository = format!("{} {}", self.address, self.suite);
        let keys = self.keys(root, &repository)?;
        Ok(Source { address: self.address, mirror: None, suite: self.suite, components: self.components, keys })
    }

    fn keys(&self, root: &Path, repository: &str) -> Result<Keyring, HostError> {
        let mut keys = Keyring::default();
        let mut add = |path: PathBuf, bytes: &[u8]| {
            let read = Keyring::read(bytes);
            let read = read.map_err(|source| HostError::Key { path, repository: repository.to_owned(), source })?;
            keys.extend(read);
            Ok::<(), HostError>(())
        };
        match &self.signed_by {
            Some(text) if text.contains("-----BEGIN PGP") => add(PathBuf::from("Signed-By"), text.trim().as_bytes())?,
            Some(text) => {
                for path in text.split([',', ' ', '\n']).filter(|word| word.starts_with('/')) {
                    let path = root.join(path.trim_start_matches('/'));
                    let bytes = fs_err::read(&path).map_err(HostError::File)?;
                    add(path, &bytes)?;
                }
            }
            None => {
                for path in trusted(root).map_err(HostError::File)? {
                    let bytes = fs_err::read(&path).map_err(HostError::File)?;
                    add(path, &bytes)?;
                }
            }
        }
        if keys.fingerprints().is_empty() {
            return Err(HostError::NoKey { repository: repository.to_owned() });
        }
        Ok(keys)
    }
}

/// The keys that sign any repository which names none.
fn trusted(root: &Path) -> io::Result<Vec<PathBuf>> {
    let folder = root.join("etc/apt/trusted.gpg.d");
    let mut found = Vec::new();
    if folder.is_dir() {
        for entry in fs_err::read_dir(folder)? {
            found.push(entry?.path());
        }
    }
    found.retain(|path| path.extension().is_some_and(|ending| ending == "gpg" || ending == "asc"));
    found.sort();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_forms_of_a_list_are_read() {
        let old = lines(
            "# no\ndeb [arch=amd64 signed-by=/k.gpg] http://a.test/debian bookworm main contrib # yes\ndeb-src http://a.test x y\n",
        );
        let new = stanzas(
            "Types: deb deb-src\nURIs: http://a.test/debian\nSuites: bookworm bookworm-updates\n# why\nComponents: main\nSigned-By:\n -----BEGIN PGP\n .\n abc\n\nTypes: deb\nEnabled: no\nURIs: http://b.test\nSuites: x\n",
        );
        assert_eq!(old.len(), 1);
        assert_eq!(old[0].components, ["main", "contrib"]);
        assert_eq!(old[0].signed_by.as_deref(), Some("/k.gpg"));
        let suites: Vec<&str> = new.iter().map(|entry| entry.suite.as_str()).collect();
        assert_eq!(suites, ["bookworm", "bookworm-updates"]);
        assert_eq!(new[0].signed_by.as_deref(), Some("\n-----BEGIN PGP\n\nabc"));
    }

    #[test]
    fn only_suites_of_the_release_count() {
        for suite in ["bookworm", "bookworm-security", "bookworm/updates"] {
            assert!(belongs(suite, "bookworm"), "{suite}");
        }
        for suite in ["bookworms", "cloud-bookworm", "nodistro", "trixie"] {
            assert!(!belongs(suite, "bookworm"), "{suite}");
        }
    }

    #[test]
    fn the_release_of_a_machine_is_read() {
        let root = tempfile::tempdir().unwrap();
        std::fs::create_dir(root.path().join("etc")).unwrap();
        fs_err::write(root.path().join("etc/os-release"), "ID=debian\nVERSION_ID=\"12\"\n").unwrap();
        assert_eq!(release(root.path()), Some(("debian".to_owned(), "12".to_owned())));
    }
}

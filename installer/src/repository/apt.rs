//! A flat apt repository: `deb [signed-by=…] file:/folder ./`.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::time::SystemTime;

use kubexm_model::digest::Digest;

use super::key::SiteKey;
use super::{Files, RepositoryError, gzip};

/// A package that the repository offers.
#[derive(Debug, Clone)]
pub struct AptPackage {
    /// Its paragraph as the distribution wrote it.
    pub stanza: String,
    /// Where its file is, from the folder of the repository on.
    pub path: String,
}

/// Writes `Packages`, `Packages.gz`, `Release` and `InRelease`.
pub fn files(packages: &[AptPackage], key: &SiteKey, now: SystemTime) -> Result<Files, RepositoryError> {
    let mut paragraphs = packages.iter().map(paragraph).collect::<Result<Vec<_>, _>>()?;
    paragraphs.sort();
    let list = paragraphs.join("\n").into_bytes();
    let architectures: BTreeSet<&str> = packages
        .iter()
        .filter_map(|package| field(&package.stanza, "Architecture"))
        .filter(|name| *name != "all")
        .collect();
    let mut files = Files::from([("Packages.gz".to_owned(), gzip(&list)?), ("Packages".to_owned(), list)]);
    let release = release(&files, &architectures, now);
    files.insert("InRelease".to_owned(), key.clear_signed(&release, now)?.into_bytes());
    files.insert("Release.gpg".to_owned(), key.detached(release.as_bytes(), now)?.into_bytes());
    files.insert("Release".to_owned(), release.into_bytes());
    Ok(files)
}

fn release(files: &Files, architectures: &BTreeSet<&str>, now: SystemTime) -> String {
    let mut text = String::from("Origin: KubeXM\nLabel: KubeXM\nSuite: site\nCodename: site\n");
    let architectures: Vec<&str> = architectures.iter().copied().collect();
    let _ = writeln!(text, "Date: {}", httpdate::fmt_http_date(now));
    let _ = writeln!(text, "Architectures: all {}", architectures.join(" "));
    text.push_str("SHA256:\n");
    for (path, bytes) in files {
        let _ = writeln!(text, " {} {} {path}", Digest::of(bytes).hex(), bytes.len());
    }
    text
}

/// The paragraph with the path of the file on the node.
fn paragraph(package: &AptPackage) -> Result<String, RepositoryError> {
    let name = field(&package.stanza, "Package");
    let refuse = |reason: &str| RepositoryError::Package {
        package: name.unwrap_or("without a name").to_owned(),
        reason: reason.to_owned(),
    };
    if name.is_none() || field(&package.stanza, "SHA256").is_none() {
        return Err(refuse("its paragraph has no Package or no SHA256"));
    }
    if package.stanza.lines().any(|line| line.trim().is_empty()) || package.path.contains(char::is_whitespace) {
        return Err(refuse("its paragraph has an empty line, or its path has a space"));
    }
    let mut text = String::new();
    for line in package.stanza.lines().filter(|line| !is_field(line, "Filename")) {
        let _ = writeln!(text, "{line}");
    }
    let _ = writeln!(text, "Filename: ./{}", package.path);
    Ok(text)
}

fn is_field(line: &str, name: &str) -> bool {
    line.split_once(':').is_some_and(|(key, _)| key.eq_ignore_ascii_case(name))
}

fn field<'a>(stanza: &'a str, name: &str) -> Option<&'a str> {
    stanza
        .lines()
        .find(|line| is_field(line, name))
        .and_then(|line| line.split_once(':'))
        .map(|(_, value)| value.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn package(stanza: &str) -> AptPackage {
        AptPackage { stanza: stanza.to_owned(), path: "pool/a.deb".to_owned() }
    }

    #[test]
    fn only_the_place_of_the_file_is_changed() {
        let stanza = "Package: a\nfilename: pool/main/a.deb\nSHA256: 00\nDescription: x\n Filename: stays\n";
        let text = paragraph(&package(stanza)).unwrap();
        assert_eq!(text, "Package: a\nSHA256: 00\nDescription: x\n Filename: stays\nFilename: ./pool/a.deb\n");
    }

    #[test]
    fn a_paragraph_that_would_break_the_list_is_refused() {
        for stanza in ["Package: a\n", "SHA256: 00\n", "Package: a\nSHA256: 00\n\nPackage: b\n"] {
            assert!(paragraph(&package(stanza)).is_err(), "{stanza}");
        }
    }
}

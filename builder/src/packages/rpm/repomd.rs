//! `repomd.xml`: the one document that a repository signs, and the digests of all others.

use std::io::BufRead;

use super::checksum::Checksum;
use super::xml::{self, Attributes, Visitor, XmlError, meaning};

/// A file that a repository lists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// What it is: `primary`, `filelists`, `modules`.
    pub kind: String,
    /// Where it is, from the repository's address on.
    pub location: String,
    /// The checksum of the file as it is served.
    pub checksum: Checksum,
    /// Its size as it is served.
    pub size: Option<u64>,
    /// Its size when it is unpacked.
    pub open_size: Option<u64>,
}

/// What a repository lists.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Repomd {
    /// The files.
    pub files: Vec<Listed>,
}

impl Repomd {
    /// Reads the document.
    pub fn read(input: impl BufRead) -> Result<Self, XmlError> {
        let mut state = State::default();
        xml::walk(input, &mut state)?;
        if !state.is_repomd {
            return Err(meaning("it is no list of a repository's files"));
        }
        Ok(Self { files: state.files })
    }

    /// The file of a kind.
    pub fn file(&self, kind: &str) -> Option<&Listed> {
        self.files.iter().find(|file| file.kind == kind)
    }
}

/// More kinds than any repository has.
const MOST_FILES: usize = 100;

#[derive(Default)]
struct State {
    is_repomd: bool,
    files: Vec<Listed>,
    kind: String,
    location: Option<String>,
    checksum_kind: String,
    checksum: Option<Checksum>,
    size: Option<u64>,
    open_size: Option<u64>,
}

impl Visitor for State {
    fn open(&mut self, name: &str, attributes: &Attributes) -> Result<(), XmlError> {
        match name {
            "repomd" => self.is_repomd = true,
            "data" => {
                let files = std::mem::take(&mut self.files);
                let kind = attributes.need("type", name)?.to_owned();
                *self = Self { is_repomd: self.is_repomd, files, kind, ..Self::default() };
            }
            "location" => self.location = Some(inside(attributes.need("href", name)?)?.to_owned()),
            "checksum" => attributes.need("type", name)?.clone_into(&mut self.checksum_kind),
            _ => {}
        }
        Ok(())
    }

    fn close(&mut self, name: &str, text: &str) -> Result<(), XmlError> {
        match name {
            "checksum" => self.checksum = Checksum::parse(&self.checksum_kind, text.trim()),
            "size" => self.size = Some(xml::number(text.trim())?),
            "open-size" => self.open_size = Some(xml::number(text.trim())?),
            "data" => self.finish()?,
            _ => {}
        }
        Ok(())
    }
}

impl State {
    fn finish(&mut self) -> Result<(), XmlError> {
        if self.files.len() == MOST_FILES {
            return Err(meaning("it lists more files than any repository has"));
        }
        let kind = std::mem::take(&mut self.kind);
        let location = self.location.take().ok_or_else(|| meaning(format!("it does not say where {kind} is")))?;
        let checksum = self.checksum.take().ok_or_else(|| {
            meaning(format!("the checksum of {kind} is {}, and only sha256 and sha512 count", self.checksum_kind))
        })?;
        self.files.push(Listed { kind, location, checksum, size: self.size, open_size: self.open_size });
        Ok(())
    }
}

/// A place below the repository's address; nothing that leads out of it.
pub(super) fn inside(location: &str) -> Result<&str, XmlError> {
    let harmless = |part: &str| !matches!(part, "" | "." | "..") && !part.contains(['\\', '\0']);
    if location.len() <= 4096 && location.split('/').all(harmless) && !location.contains("://") {
        return Ok(location);
    }
    Err(meaning(format!("`{location}` leads out of the repository")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(checksum: &str, href: &str) -> String {
        format!(
            "<repomd><revision>1</revision><data type=\"primary\">{checksum}<open-checksum type=\"sha256\">x</open-checksum>\
             <location href=\"{href}\"/><size>5</size><open-size>9</open-size></data></repomd>"
        )
    }

    fn sum() -> String {
        format!("<checksum type=\"sha256\">{}</checksum>", kubexm_model::digest::Digest::of(b"abc").hex())
    }

    #[test]
    fn files_are_found_by_their_kind() {
        let found = Repomd::read(document(&sum(), "repodata/p.xml.gz").as_bytes()).unwrap();
        let primary = found.file("primary").unwrap();
        assert_eq!(
            (primary.location.as_str(), primary.size, primary.open_size),
            ("repodata/p.xml.gz", Some(5), Some(9))
        );
        assert!(primary.checksum.matches(&b"abc"[..]).unwrap());
        assert_eq!(found.file("filelists"), None);
    }

    #[test]
    fn weak_sums_and_ways_out_are_refused() {
        let weak = "<checksum type=\"sha\">a9993e364706816aba3e25717850c26c9cd0d89d</checksum>";
        for (sum, href) in [
            (weak.to_owned(), "repodata/p"),
            (String::new(), "repodata/p"),
            (sum(), "../p"),
            (sum(), "/etc/passwd"),
            (sum(), "http://elsewhere/p"),
        ] {
            assert!(Repomd::read(document(&sum, href).as_bytes()).is_err(), "{sum} {href}");
        }
        assert!(Repomd::read(&b"<html></html>"[..]).is_err());
    }
}

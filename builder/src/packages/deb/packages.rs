//! The indexes of archives (`Packages`) in memory: the texts as they came, and where each package stands in them.
//!
//! A general deb822 reader makes a map of every stanza, ten times what is needed here. This one notes four fields while it
//! passes, and reads the others of those few packages that are asked about. The text stays as it is, so that the stanza of a
//! chosen package can be given on word for word. All of bookworm is 50 MB of text and 64,000 packages.

use std::borrow::Cow;
use std::io::{self, Read};

/// What one index may hold unpacked.
const MOST_BYTES: u64 = 512 * 1024 * 1024;
/// What all of them together may hold.
const MOST_PACKAGES: usize = 2_000_000;

/// Why an index cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum PackagesError {
    /// It cannot be unpacked.
    #[error("it cannot be unpacked")]
    Unpack(#[source] io::Error),
    /// It is too large.
    #[error("it is larger than {MOST_BYTES} bytes or {MOST_PACKAGES} packages, which no index is")]
    TooLarge,
    /// A package has no name, version or architecture.
    #[error("the package in line {line} has no {field}")]
    Missing {
        /// Where its first line is.
        line: usize,
        /// What is missing.
        field: &'static str,
    },
}

/// A place in one of the texts.
#[derive(Debug, Clone, Copy, Default)]
struct Span {
    start: u32,
    end: u32,
}

#[derive(Debug, Clone, Copy)]
struct Stanza {
    text: u16,
    all: Span,
    name: Span,
    version: Span,
    architecture: Span,
    provides: Span,
}

/// A package in a [`Pool`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StanzaId(u32);

impl StanzaId {
    /// Its place among all packages.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Every package of some indexes.
#[derive(Debug, Default)]
pub struct Pool {
    texts: Vec<String>,
    stanzas: Vec<Stanza>,
}

/// The text of an index, unpacked by the ending of its name.
pub fn unpack(name: &str, packed: impl Read) -> Result<String, PackagesError> {
    let mut bytes = Vec::new();
    let reader: Box<dyn Read> = match name.rsplit('.').next() {
        Some("xz") => Box::new(liblzma::read::XzDecoder::new_multi_decoder(packed)),
        Some("gz") => Box::new(flate2::read::MultiGzDecoder::new(packed)),
        Some("zst") => Box::new(zstd::stream::read::Decoder::new(packed).map_err(PackagesError::Unpack)?),
        _ => Box::new(packed),
    };
    reader.take(MOST_BYTES + 1).read_to_end(&mut bytes).map_err(PackagesError::Unpack)?;
    if bytes.len() as u64 > MOST_BYTES {
        return Err(PackagesError::TooLarge);
    }
    // Old archives hold names of maintainers in other encodings; nothing that is used here is affected.
    Ok(String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()))
}

impl Pool {
    /// Adds the packages of an index, and returns its number.
    pub fn add(&mut self, text: String) -> Result<u16, PackagesError> {
        let number = u16::try_from(self.texts.len()).map_err(|_| PackagesError::TooLarge)?;
        let mut reader = Reader { text: &text, number, line: 0, first_line: 0, stanza: None };
        reader.read(&mut self.stanzas)?;
        self.texts.push(text);
        Ok(number)
    }

    /// Every package, in the order of the indexes.
    pub fn ids(&self) -> impl Iterator<Item = StanzaId> {
        (0..self.stanzas.len()).map(id)
    }

    /// The index that a package is in.
    pub fn text_number(&self, id: StanzaId) -> u16 {
        self.stanzas[id.index()].text
    }

    /// Its name.
    pub fn name(&self, id: StanzaId) -> &str {
        self.span(id, self.stanzas[id.index()].name)
    }

    /// Its version.
    pub fn version(&self, id: StanzaId) -> &str {
        self.span(id, self.stanzas[id.index()].version)
    }

    /// Its architecture.
    pub fn architecture(&self, id: StanzaId) -> &str {
        self.span(id, self.stanzas[id.index()].architecture)
    }

    /// What it provides, as it is written.
    pub fn provides(&self, id: StanzaId) -> &str {
        self.span(id, self.stanzas[id.index()].provides)
    }

    /// The whole of it, word for word, without the empty line behind it.
    pub fn stanza(&self, id: StanzaId) -> &str {
        self.span(id, self.stanzas[id.index()].all)
    }

    /// A field of it; lines that are folded are joined.
    pub fn field(&self, id: StanzaId, name: &str) -> Option<Cow<'_, str>> {
        let mut lines = self.stanza(id).lines();
        let first = lines.by_ref().find_map(|line| value(line, name))?;
        let mut folded = lines.take_while(|line| line.starts_with([' ', '\t'])).peekable();
        if folded.peek().is_none() {
            return Some(Cow::Borrowed(first));
        }
        Some(Cow::Owned(folded.fold(first.to_owned(), |all, line| all + " " + line.trim())))
    }

    /// The first line of a field.
    pub fn plain_field(&self, id: StanzaId, name: &str) -> Option<&str> {
        self.stanza(id).lines().find_map(|line| value(line, name))
    }

    fn span(&self, id: StanzaId, span: Span) -> &str {
        &self.texts[self.stanzas[id.index()].text as usize][span.start as usize..span.end as usize]
    }
}

#[expect(clippy::cast_possible_truncation, reason = "MOST_PACKAGES is checked before anything gets a number")]
fn id(index: usize) -> StanzaId {
    StanzaId(index as u32)
}

/// What stands behind `name:`; names of fields are the same in either case.
fn value<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    let (field, value) = line.split_once(':')?;
    field.eq_ignore_ascii_case(name).then(|| value.trim())
}

struct Reader<'a> {
    text: &'a str,
    number: u16,
    line: usize,
    first_line: usize,
    stanza: Option<Stanza>,
}

impl Reader<'_> {
    fn read(&mut self, into: &mut Vec<Stanza>) -> Result<(), PackagesError> {
        let mut start = 0;
        while start < self.text.len() {
            let end = self.text[start..].find('\n').map_or(self.text.len(), |length| start + length);
            self.line += 1;
            if self.text[start..end].trim_end_matches('\r').is_empty() {
                self.finish(into)?;
            } else {
                self.note(start, end);
            }
            start = end + 1;
        }
        self.finish(into)
    }

    fn note(&mut self, start: usize, end: usize) {
        if self.stanza.is_none() {
            self.first_line = self.line;
        }
        let (text, number) = (self.text, self.number);
        let stanza = self.stanza.get_or_insert_with(|| Stanza {
            text: number,
            all: span(start, end),
            name: Span::default(),
            version: Span::default(),
            architecture: Span::default(),
            provides: Span::default(),
        });
        stanza.all.end = span(start, end).end;
        let line = &text[start..end];
        let place = |name: &str| {
            value(line, name).map(|value| {
                let at = value.as_ptr() as usize - text.as_ptr() as usize;
                span(at, at + value.len())
            })
        };
        match line.as_bytes()[0].to_ascii_uppercase() {
            b'P' => {
                stanza.name = place("Package").unwrap_or(stanza.name);
                stanza.provides = place("Provides").unwrap_or(stanza.provides);
            }
            b'V' => stanza.version = place("Version").unwrap_or(stanza.version),
            b'A' => stanza.architecture = place("Architecture").unwrap_or(stanza.architecture),
            _ => {}
        }
    }

    fn finish(&mut self, into: &mut Vec<Stanza>) -> Result<(), PackagesError> {
        let Some(stanza) = self.stanza.take() else { return Ok(()) };
        let line = self.first_line;
        for (field, span) in
            [("Package", stanza.name), ("Version", stanza.version), ("Architecture", stanza.architecture)]
        {
            if span.start == span.end {
                return Err(PackagesError::Missing { line, field });
            }
        }
        if into.len() >= MOST_PACKAGES {
            return Err(PackagesError::TooLarge);
        }
        into.push(stanza);
        Ok(())
    }
}

#[expect(clippy::cast_possible_truncation, reason = "MOST_BYTES is below four thousand million")]
fn span(start: usize, end: usize) -> Span {
    Span { start: start as u32, end: end as u32 }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    const TEXT: &str = "Package: one\nVersion: 1:2-3\nArchitecture: all\nDepends: a,\n b\nProvides: x (= 1)\nSize: 5\n\n\nPackage: two\nVersion: 1\nArchitecture: amd64\nDescription: no\n Package: three\n";

    #[test]
    fn packages_are_found_with_their_fields_and_their_words() {
        let mut pool = Pool::default();
        pool.add(TEXT.to_owned()).unwrap();
        let ids: Vec<StanzaId> = pool.ids().collect();
        let [one, two] = ids.as_slice() else { panic!("{ids:?}") };
        assert_eq!((pool.name(*one), pool.version(*one), pool.architecture(*one)), ("one", "1:2-3", "all"));
        assert_eq!(pool.provides(*one), "x (= 1)");
        assert_eq!(pool.field(*one, "depends").unwrap(), "a, b");
        assert_eq!(pool.field(*one, "Size").unwrap(), "5");
        assert_eq!(pool.field(*two, "Depends"), None);
        assert_eq!(pool.stanza(*two), TEXT.split("\n\n\n").nth(1).unwrap().trim_end());
    }

    #[test]
    fn every_packing_is_read() {
        let mut xz = liblzma::write::XzEncoder::new(vec![], 6);
        xz.write_all(TEXT.as_bytes()).unwrap();
        assert_eq!(unpack("P.xz", xz.finish().unwrap().as_slice()).unwrap(), TEXT);
        let mut gz = flate2::write::GzEncoder::new(vec![], flate2::Compression::fast());
        gz.write_all(TEXT.as_bytes()).unwrap();
        assert_eq!(unpack("P.gz", gz.finish().unwrap().as_slice()).unwrap(), TEXT);
        assert_eq!(unpack("P.zst", zstd::encode_all(TEXT.as_bytes(), 1).unwrap().as_slice()).unwrap(), TEXT);
        assert_eq!(unpack("Packages", TEXT.as_bytes()).unwrap(), TEXT);
        assert!(matches!(unpack("P.xz", TEXT.as_bytes()), Err(PackagesError::Unpack(_))));
    }

    #[test]
    fn a_package_without_a_version_is_refused_with_its_line() {
        let error = Pool::default().add("\nPackage: a\nArchitecture: all\n".to_owned()).unwrap_err();
        assert_eq!(error.to_string(), "the package in line 2 has no Version");
    }
}

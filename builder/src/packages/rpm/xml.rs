//! Repository metadata as a stream of elements, within limits that hold for any bytes.

use std::io::{self, BufRead, Read};

use quick_xml::XmlVersion;
use quick_xml::events::{BytesStart, Event};
use quick_xml::reader::Reader;

/// The longest tag or run of text; the longest descriptions in real repositories have a few hundred kilobytes.
const MOST_AT_ONCE: usize = 8 * 1024 * 1024;
/// Real metadata has seven levels.
const DEEPEST: usize = 32;

/// Why metadata cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum XmlError {
    /// It is no XML, or it ends too early.
    #[error("it is no proper XML at byte {at}: {reason}")]
    Broken {
        /// How far it was understood.
        at: u64,
        /// What is wrong there.
        reason: String,
    },
    /// It is larger or deeper than any repository's.
    #[error("{what} at byte {at} is beyond every sensible limit")]
    TooMuch {
        /// What is too large.
        what: &'static str,
        /// Where.
        at: u64,
    },
    /// Its words mean nothing to us.
    #[error("{what}")]
    Meaning {
        /// What does not make sense.
        what: String,
    },
}

/// Is told what stands in a document.
pub(super) trait Visitor {
    /// An element begins.
    fn open(&mut self, name: &str, attributes: &Attributes) -> Result<(), XmlError>;
    /// An element ends; `text` is what stood between this tag and the one before it.
    fn close(&mut self, name: &str, text: &str) -> Result<(), XmlError>;
}

/// The attributes of an element.
#[derive(Debug, Default)]
pub(super) struct Attributes(Vec<(String, String)>);

impl Attributes {
    /// The value of an attribute.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }

    /// All of them, in the order of the document.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// The value of an attribute that must be there.
    pub(super) fn need(&self, name: &str, element: &str) -> Result<&str, XmlError> {
        self.get(name).ok_or_else(|| meaning(format!("an element <{element}> has no attribute {name}")))
    }
}

/// A complaint about the meaning.
pub(super) fn meaning(what: impl Into<String>) -> XmlError {
    XmlError::Meaning { what: what.into() }
}

/// A number as metadata writes it.
pub(super) fn number(text: &str) -> Result<u64, XmlError> {
    text.parse().map_err(|_| meaning(format!("`{text}` is no number")))
}

/// Walks through a document.
pub(super) fn walk(input: impl BufRead, visitor: &mut impl Visitor) -> Result<(), XmlError> {
    let mut reader = Reader::from_reader(Bounded { inner: input, left: MOST_AT_ONCE });
    let (mut buffer, mut text, mut depth) = (Vec::new(), String::new(), 0_usize);
    loop {
        buffer.clear();
        reader.get_mut().left = MOST_AT_ONCE;
        let at = reader.buffer_position();
        let broken = |reason: String| XmlError::Broken { at, reason };
        let event = reader.read_event_into(&mut buffer).map_err(|error| {
            if is_limit(&error) { XmlError::TooMuch { what: "an element", at } } else { broken(error.to_string()) }
        })?;
        match event {
            Event::Start(tag) => {
                depth += 1;
                if depth > DEEPEST {
                    return Err(XmlError::TooMuch { what: "the nesting", at });
                }
                text.clear();
                visitor.open(tag.name().as_ref(), &attributes(&tag, at)?)?;
            }
            Event::Empty(tag) => {
                visitor.open(tag.name().as_ref(), &attributes(&tag, at)?)?;
                visitor.close(tag.name().as_ref(), "")?;
                text.clear();
            }
            Event::End(tag) => {
                depth -= 1;
                visitor.close(tag.name().as_ref(), &text)?;
                text.clear();
            }
            Event::Text(more) => text.push_str(&more.xml10_content()),
            Event::CData(more) => text.push_str(&more.xml10_content()),
            Event::GeneralRef(name) => {
                let own = name.resolve_char_ref().map_err(|error| broken(error.to_string()))?;
                let predefined = || quick_xml::escape::resolve_xml_entity(&name).and_then(|text| text.chars().next());
                text.push(own.or_else(predefined).ok_or_else(|| broken(format!("&{}; is unknown", &*name)))?);
            }
            Event::Eof if depth == 0 => return Ok(()),
            Event::Eof => return Err(broken("it ends in the middle".to_owned())),
            Event::DocType(_) => return Err(broken("it declares a document type".to_owned())),
            Event::Comment(_) | Event::Decl(_) | Event::PI(_) => {}
        }
        if text.len() > MOST_AT_ONCE {
            return Err(XmlError::TooMuch { what: "a text", at });
        }
    }
}

fn attributes(tag: &BytesStart<'_>, at: u64) -> Result<Attributes, XmlError> {
    let broken = |reason: String| XmlError::Broken { at, reason };
    let mut found = Vec::new();
    for attribute in tag.attributes() {
        let attribute = attribute.map_err(|error| broken(error.to_string()))?;
        let value = attribute.normalized_value(XmlVersion::Implicit1_0).map_err(|error| broken(error.to_string()))?;
        found.push((attribute.key.as_ref().to_owned(), value.into_owned()));
    }
    Ok(Attributes(found))
}

fn is_limit(error: &quick_xml::Error) -> bool {
    matches!(error, quick_xml::Error::Io(error) if error.kind() == io::ErrorKind::QuotaExceeded)
}

/// Gives out so many bytes before it is told that they were used.
struct Bounded<R> {
    inner: R,
    left: usize,
}

impl<R: BufRead> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let available = self.fill_buf()?;
        let count = available.len().min(buffer.len());
        buffer[..count].copy_from_slice(&available[..count]);
        self.consume(count);
        Ok(count)
    }
}

impl<R: BufRead> BufRead for Bounded<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        let left = self.left;
        let available = self.inner.fill_buf()?;
        if left == 0 && !available.is_empty() {
            return Err(io::ErrorKind::QuotaExceeded.into());
        }
        Ok(&available[..available.len().min(left)])
    }

    fn consume(&mut self, count: usize) {
        self.left -= count;
        self.inner.consume(count);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default)]
    struct Log(Vec<String>);

    impl Visitor for Log {
        fn open(&mut self, name: &str, attributes: &Attributes) -> Result<(), XmlError> {
            self.0.push(format!("+{name} {}", attributes.get("a").unwrap_or("-")));
            Ok(())
        }
        fn close(&mut self, name: &str, text: &str) -> Result<(), XmlError> {
            self.0.push(format!("-{name} {text}"));
            Ok(())
        }
    }

    fn log(text: &str) -> Result<Vec<String>, XmlError> {
        let mut log = Log::default();
        walk(text.as_bytes(), &mut log).map(|()| log.0)
    }

    #[test]
    fn elements_come_with_their_attributes_and_texts() {
        let found = log(r#"<?xml version="1.0"?><m><p a="&lt;1&gt;">x &amp; y&#33;</p><e a="2"/></m>"#).unwrap();
        assert_eq!(found, ["+m -", "+p <1>", "-p x & y!", "+e 2", "-e ", "-m "]);
    }

    #[test]
    fn what_is_not_metadata_is_refused() {
        let deep = "<a>".repeat(40);
        for text in ["<m><p></m>", "<m>", "<!DOCTYPE m [<!ENTITY x \"y\">]><m/>", "<m>&x;</m>", "<m a=1/>", &deep] {
            assert!(log(text).is_err(), "{text}");
        }
    }

    #[test]
    fn one_element_cannot_fill_the_memory() {
        let long = format!("<m>{}</m>", "x".repeat(MOST_AT_ONCE + 1));
        assert!(matches!(log(&long), Err(XmlError::TooMuch { .. })));
        let many = format!("<m>{}</m>", format!("<p>{}</p>", "x".repeat(MOST_AT_ONCE / 2)).repeat(3));
        assert!(log(&many).is_ok());
    }
}

//! A package's entry in its repository's list, kept for the repository on the nodes: the element `package` of `primary.xml`.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::BufRead;

use quick_xml::escape::escape;

use super::xml::{self, Attributes, Visitor, XmlError, meaning};

/// More than the longest entry of any distribution, which has some megabytes.
const MOST_OF_ONE: usize = 32 * 1024 * 1024;

/// Finds the entries of some packages by the location of their files. Each gets the paths that belong to it and that
/// only the list of all files has, so that whoever reads the entries alone knows what satisfies what.
pub(super) fn read(
    input: impl BufRead,
    files: &BTreeMap<String, Vec<String>>,
) -> Result<BTreeMap<String, String>, XmlError> {
    let mut state = State { files, text: None, location: String::new(), leaf: false, found: BTreeMap::new() };
    xml::walk(input, &mut state)?;
    Ok(state.found)
}

struct State<'a> {
    files: &'a BTreeMap<String, Vec<String>>,
    text: Option<String>,
    location: String,
    /// Whether the element that was opened last has no other in it.
    leaf: bool,
    found: BTreeMap<String, String>,
}

impl Visitor for State<'_> {
    fn open(&mut self, name: &str, attributes: &Attributes) -> Result<(), XmlError> {
        if name == "package" {
            self.text = Some(String::new());
            self.location.clear();
        }
        let Some(text) = &mut self.text else { return Ok(()) };
        if name == "location" {
            attributes.need("href", name)?.clone_into(&mut self.location);
        }
        text.push('<');
        text.push_str(name);
        for (name, value) in attributes.iter() {
            // Writing into memory does not fail.
            let _ = write!(text, " {name}=\"{}\"", escape(value));
        }
        text.push('>');
        self.leaf = true;
        if text.len() > MOST_OF_ONE { Err(meaning("a package has a longer entry than any package")) } else { Ok(()) }
    }

    fn close(&mut self, name: &str, content: &str) -> Result<(), XmlError> {
        let Some(text) = &mut self.text else { return Ok(()) };
        if self.leaf {
            text.push_str(&escape(content));
        } else if name == "format" {
            for path in self.files.get(&self.location).into_iter().flatten() {
                let _ = write!(text, "<file>{}</file>", escape(path.as_str()));
            }
        }
        let _ = write!(text, "</{name}>");
        self.leaf = false;
        if name == "package"
            && let Some(text) = self.text.take()
            && self.files.contains_key(&self.location)
        {
            self.found.insert(std::mem::take(&mut self.location), text);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: &str = r#"<metadata packages="2"><package type="rpm"><name>a</name><location href="a.rpm"/><format>
        <rpm:requires><rpm:entry name="(b &lt; 2 or c)"/></rpm:requires><file>/etc/a&amp;b</file></format></package>
        <package type="rpm"><name>b</name><location href="b.rpm"/><format><rpm:vendor/></format></package></metadata>"#;

    #[test]
    fn an_entry_says_what_it_said_and_which_files_more() {
        let wanted = BTreeMap::from([("a.rpm".to_owned(), vec!["/usr/share/<a>".to_owned()])]);
        let found = read(LIST.as_bytes(), &wanted).unwrap();
        assert_eq!(
            found.into_iter().collect::<Vec<_>>(),
            [(
                "a.rpm".to_owned(),
                "<package type=\"rpm\"><name>a</name><location href=\"a.rpm\"></location><format><rpm:requires>\
                 <rpm:entry name=\"(b &lt; 2 or c)\"></rpm:entry></rpm:requires><file>/etc/a&amp;b</file>\
                 <file>/usr/share/&lt;a&gt;</file></format></package>"
                    .to_owned()
            )]
        );
    }
}

//! `filelists.xml`: who owns a file that `primary.xml` does not list. It is large, and read only when a dependency needs it.

use std::collections::{HashMap, HashSet};
use std::io::BufRead;

use super::checksum::Checksum;
use super::index::{Index, Number, Text};
use super::xml::{self, Attributes, Visitor, XmlError, meaning};

/// Whether `primary.xml` lists every owner of a path already.
pub fn in_primary(path: &str) -> bool {
    path.starts_with("/etc/") || path.contains("bin/") || path == "/usr/lib/sendmail"
}

/// Adds the owners of the wanted paths.
pub(super) fn read(
    input: impl BufRead,
    repository: u16,
    wanted: &HashSet<Text>,
    index: &mut Index,
) -> Result<(), XmlError> {
    let mut by_sum = HashMap::new();
    for number in index.numbers().filter(|number| index.package(*number).repository == repository) {
        if let Some(file) = &index.package(number).file {
            by_sum.insert(hex(&file.checksum), number);
        }
    }
    let mut state = State { index, wanted, by_sum, current: None, seen: false, owners: Vec::new() };
    xml::walk(input, &mut state)?;
    if !state.seen {
        return Err(meaning("it is no list of files"));
    }
    for (path, owner) in state.owners {
        index.add_owner(path, owner);
    }
    index.sort_owners();
    Ok(())
}

fn hex(checksum: &Checksum) -> String {
    let text = checksum.to_string();
    text.split_once(':').map(|(_, hex)| hex.to_owned()).unwrap_or(text)
}

struct State<'a> {
    index: &'a Index,
    wanted: &'a HashSet<Text>,
    by_sum: HashMap<String, Number>,
    current: Option<Number>,
    seen: bool,
    owners: Vec<(Text, Number)>,
}

impl Visitor for State<'_> {
    fn open(&mut self, name: &str, attributes: &Attributes) -> Result<(), XmlError> {
        match name {
            "filelists" => self.seen = true,
            "package" => self.current = self.by_sum.get(attributes.need("pkgid", name)?).copied(),
            _ => {}
        }
        Ok(())
    }

    fn close(&mut self, name: &str, text: &str) -> Result<(), XmlError> {
        if name == "file"
            && let Some(owner) = self.current
            && let Some(path) = self.index.find(text).filter(|path| self.wanted.contains(path))
        {
            self.owners.push((path, owner));
        }
        Ok(())
    }
}

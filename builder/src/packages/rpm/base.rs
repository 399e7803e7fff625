//! What a node has before anything is installed: `rpm -qa --qf '%{NAME} %{EPOCHNUM}:%{VERSION}-%{RELEASE} %{ARCH}\n'`.

use std::collections::HashMap;

use super::index::{Index, Number, Package, Relation};
use super::version::Sense;

/// A package that a node has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BasePackage {
    /// Its name.
    pub name: String,
    /// `epoch:version-release`, without an epoch of 0.
    pub evr: String,
    /// Its architecture.
    pub arch: String,
}

/// The list cannot be read.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line} of the package list is not `name epoch:version-release architecture`: `{text}`")]
pub struct NotAList {
    /// Which line.
    pub line: usize,
    /// What stands there.
    pub text: String,
}

/// Reads the list. Keys, which rpm lists among packages, are left out.
pub fn read(text: &str) -> Result<Vec<BasePackage>, NotAList> {
    let mut found = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words.as_slice() {
            [] | ["gpg-pubkey", ..] => {}
            [name, evr, arch] if evr.contains('-') => {
                let evr = evr.strip_prefix("0:").unwrap_or(evr);
                found.push(BasePackage { name: (*name).into(), evr: evr.into(), arch: (*arch).into() });
            }
            _ => return Err(NotAList { line: number + 1, text: line.chars().take(100).collect() }),
        }
    }
    Ok(found)
}

/// Finds the packages of a node in the index, so that what they provide is known; others are added with their names alone.
pub fn place(base: &[BasePackage], index: &mut Index) -> Vec<Number> {
    let known: HashMap<_, Number> = index
        .numbers()
        .map(|number| {
            let package = index.package(number);
            ((package.name, package.evr, package.arch), number)
        })
        .collect();
    base.iter()
        .map(|entry| {
            let (name, evr, arch) = (index.text(&entry.name), index.text(&entry.evr), index.text(&entry.arch));
            known.get(&(name, evr, arch)).copied().unwrap_or_else(|| {
                let colour = index.text(&format!("{}({})", entry.name, entry.arch.replace('_', "-")));
                let provides = [name, colour].map(|name| Relation { name, evr, sense: Sense::EQUAL });
                index.add(Package::new(name, evr, arch, u16::MAX, None), [&provides, &[], &[], &[]], &[])
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_rpm_is_read() {
        let text = "bash 0:5.1.8-6.el9 x86_64\ngpg-pubkey 0:1-2 (none)\n\nshadow-utils 2:4.9-6.el9 x86_64\n";
        let found = read(text).unwrap();
        let evrs: Vec<&str> = found.iter().map(|package| package.evr.as_str()).collect();
        assert_eq!(evrs, ["5.1.8-6.el9", "2:4.9-6.el9"]);
        assert_eq!(read("bash 5.1.8-6.el9 x86_64\nbash\n").unwrap_err().line, 2);
    }
}

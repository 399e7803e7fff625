//! Every package of all repositories, small enough to stay in memory: each text is kept once, a dependency is twelve bytes.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use super::checksum::Checksum;
use super::version::{Sense, overlap};

/// A text that is kept once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Text(u32);

/// A package, by its place in the index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Number(pub(super) u32);

/// A name and the versions of it that are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Relation {
    /// A package, a capability, a path, or a rich dependency in its parentheses.
    pub name: Text,
    /// `epoch:version-release`, empty with [`Sense::ANY`].
    pub evr: Text,
    /// Which side of the version.
    pub sense: Sense,
}

/// What a package says about others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// What it can stand for.
    Provides,
    /// What it needs.
    Requires,
    /// What it cannot stand beside.
    Conflicts,
    /// What it takes the place of.
    Obsoletes,
}

/// The file of a package.
#[derive(Debug)]
pub struct PackageFile {
    /// Where it is, from the repository's address on.
    pub location: Text,
    /// Its size.
    pub size: u64,
    /// Its checksum.
    pub checksum: Checksum,
}

/// A package of a repository, or one that only the node has.
#[derive(Debug)]
pub struct Package {
    /// Its name.
    pub name: Text,
    /// `epoch:version-release`, without an epoch of 0.
    pub evr: Text,
    /// Its architecture.
    pub arch: Text,
    /// Its file; a package that only the node has comes without.
    pub file: Option<PackageFile>,
    /// Which repository it comes from.
    pub repository: u16,
    /// Where its relations end in the list of all, by kind; they begin where those of the kind before end.
    ends: [u32; 4],
    start: u32,
    files: Range<u32>,
}

/// Every package of all repositories.
#[derive(Debug, Default)]
pub struct Index {
    texts: Vec<Arc<str>>,
    known: HashMap<Arc<str>, Text>,
    packages: Vec<Package>,
    relations: Vec<Relation>,
    files: Vec<Text>,
    /// Who provides a name: name, package, relation; sorted.
    provided: Vec<(Text, Number, u32)>,
    /// Who takes the place of a name: name, package, relation; sorted.
    replaced: Vec<(Text, Number, u32)>,
    /// Who owns a file; sorted.
    owned: Vec<(Text, Number)>,
    /// Packages by name; sorted.
    named: Vec<(Text, Number)>,
}

impl Package {
    /// A package before it is added to the index.
    pub(super) fn new(name: Text, evr: Text, arch: Text, repository: u16, file: Option<PackageFile>) -> Self {
        Self { name, evr, arch, file, repository, ends: [0; 4], start: 0, files: 0..0 }
    }
}

impl Index {
    /// Keeps a text.
    #[expect(clippy::cast_possible_truncation, reason = "the readers' limits are far below four thousand million")]
    pub fn text(&mut self, text: &str) -> Text {
        if let Some(known) = self.known.get(text) {
            return *known;
        }
        let kept: Arc<str> = text.into();
        let number = Text(self.texts.len() as u32);
        self.texts.push(kept.clone());
        self.known.insert(kept, number);
        number
    }

    /// A text that is kept already.
    pub fn find(&self, text: &str) -> Option<Text> {
        self.known.get(text).copied()
    }

    /// The words of a text.
    pub fn words(&self, text: Text) -> &str {
        &self.texts[text.0 as usize]
    }

    /// A package.
    pub fn package(&self, number: Number) -> &Package {
        &self.packages[number.0 as usize]
    }

    /// How many packages there are.
    pub fn len(&self) -> usize {
        self.packages.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.packages.is_empty()
    }

    /// Every package.
    pub fn numbers(&self) -> impl Iterator<Item = Number> + use<> {
        (0..u32::try_from(self.packages.len()).unwrap_or(u32::MAX)).map(Number)
    }

    /// What a package says about others.
    pub fn relations(&self, number: Number, kind: Kind) -> &[Relation] {
        let package = self.package(number);
        let bounds = [package.start, package.ends[0], package.ends[1], package.ends[2], package.ends[3]];
        let kind = kind as usize;
        &self.relations[bounds[kind] as usize..bounds[kind + 1] as usize]
    }

    /// Name, version and architecture: how a package is named to people.
    pub fn nevra(&self, number: Number) -> String {
        let package = self.package(number);
        format!("{}-{}.{}", self.words(package.name), self.words(package.evr), self.words(package.arch))
    }

    /// A relation as its author wrote it.
    pub fn relation_words(&self, relation: Relation) -> String {
        match relation.sense {
            Sense::ANY => self.words(relation.name).to_owned(),
            sense => format!("{} {} {}", self.words(relation.name), sense.sign(), self.words(relation.evr)),
        }
    }

    /// Adds a package with its relations, in the order of [`Kind`], and its files.
    #[expect(clippy::cast_possible_truncation, reason = "the readers' limits are far below four thousand million")]
    pub(super) fn add(&mut self, mut package: Package, relations: [&[Relation]; 4], files: &[Text]) -> Number {
        package.start = self.relations.len() as u32;
        for (end, relations) in package.ends.iter_mut().zip(relations) {
            self.relations.extend_from_slice(relations);
            *end = self.relations.len() as u32;
        }
        let first = self.files.len() as u32;
        self.files.extend_from_slice(files);
        package.files = first..self.files.len() as u32;
        self.packages.push(package);
        Number(self.packages.len() as u32 - 1)
    }

    /// Adds an owner of a file that primary metadata does not list.
    pub(super) fn add_owner(&mut self, path: Text, owner: Number) {
        self.owned.push((path, owner));
    }

    /// Sorts what was added, so that it can be found. `visible` says which packages count at all.
    pub fn arrange(&mut self, visible: impl Fn(&Self, Number) -> bool) {
        let numbers: Vec<Number> = self.numbers().filter(|number| visible(self, *number)).collect();
        let (mut provided, mut replaced, mut named, mut owned) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for number in numbers {
            let package = self.package(number);
            named.push((package.name, number));
            for relation in package.start..package.ends[0] {
                provided.push((self.relations[relation as usize].name, number, relation));
            }
            for relation in package.ends[2]..package.ends[3] {
                replaced.push((self.relations[relation as usize].name, number, relation));
            }
            let files = package.files.start as usize..package.files.end as usize;
            owned.extend(self.files[files].iter().map(|file| (*file, number)));
        }
        provided.sort_unstable();
        replaced.sort_unstable();
        named.sort_unstable();
        (self.provided, self.replaced, self.named, self.owned) = (provided, replaced, named, owned);
        self.sort_owners();
    }

    /// The files of a package that only the list of all files has, as far as somebody asks for them.
    pub(super) fn files_beyond_primary(&self, number: Number) -> Vec<String> {
        let listed = self.package(number).files.start as usize..self.package(number).files.end as usize;
        let listed = &self.files[listed];
        let own = self.owned.iter().filter(|(path, owner)| *owner == number && !listed.contains(path));
        own.map(|(path, _)| self.words(*path).to_owned()).collect()
    }

    /// Sorts the owners of files after some were added.
    pub(super) fn sort_owners(&mut self) {
        self.owned.sort_unstable();
        self.owned.dedup();
    }

    /// The packages of a name.
    pub fn named(&self, name: Text) -> impl Iterator<Item = Number> + '_ {
        run(&self.named, |entry| entry.0, name).iter().map(|entry| entry.1)
    }

    /// The packages that provide a name in some version, or own it where it is a path; each once, in order.
    pub fn providers(&self, name: Text, sense: Sense, evr: &str) -> Vec<Number> {
        let matching = run(&self.provided, |entry| entry.0, name).iter().filter(|(_, _, at)| {
            let provided = self.relations[*at as usize];
            overlap((provided.sense, self.words(provided.evr)), (sense, evr))
        });
        let mut found: Vec<Number> = matching.map(|entry| entry.1).collect();
        if sense == Sense::ANY {
            found.extend(run(&self.owned, |entry| entry.0, name).iter().map(|entry| entry.1));
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// The packages of other names that take the place of a package.
    pub fn replacements(&self, number: Number) -> impl Iterator<Item = Number> + '_ {
        let name = self.package(number).name;
        run(&self.replaced, |entry| entry.0, name)
            .iter()
            .filter(move |(_, by, at)| {
                self.package(*by).name != name && self.is_named(number, self.relations[*at as usize])
            })
            .map(|entry| entry.1)
    }

    /// Whether a package itself has the name and the version of a relation.
    pub fn is_named(&self, number: Number, relation: Relation) -> bool {
        let package = self.package(number);
        package.name == relation.name
            && overlap((Sense::EQUAL, self.words(package.evr)), (relation.sense, self.words(relation.evr)))
    }
}

/// The entries of a sorted list that have a key.
fn run<T>(list: &[T], key: impl Fn(&T) -> Text, wanted: Text) -> &[T] {
    let start = list.partition_point(|entry| key(entry) < wanted);
    let length = list[start..].partition_point(|entry| key(entry) == wanted);
    &list[start..start + length]
}

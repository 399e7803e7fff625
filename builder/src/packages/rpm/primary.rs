//! `primary.xml`: the packages of a repository with their relations.

use std::io::BufRead;

use super::checksum::Checksum;
use super::index::{Index, Kind, Number, Package, PackageFile, Relation, Text};
use super::repomd::inside;
use super::version::Sense;
use super::xml::{self, Attributes, Visitor, XmlError, meaning};

/// More packages than any distribution has.
const MOST_PACKAGES: usize = 500_000;
/// More relations and files than any package has.
const MOST_OF_ONE: usize = 200_000;

/// Adds the packages of a repository to the index.
pub fn read(input: impl BufRead, repository: u16, index: &mut Index) -> Result<usize, XmlError> {
    let mut state = State { index, repository, package: None, seen: false, count: 0 };
    xml::walk(input, &mut state)?;
    if state.seen { Ok(state.count) } else { Err(meaning("it is no list of packages")) }
}

struct State<'a> {
    index: &'a mut Index,
    repository: u16,
    package: Option<Draft>,
    seen: bool,
    count: usize,
}

/// A package of which not everything was read yet.
#[derive(Default)]
struct Draft {
    name: String,
    arch: String,
    evr: String,
    location: String,
    size: Option<u64>,
    checksum_kind: String,
    checksum: Option<Checksum>,
    section: Option<Kind>,
    relations: [Vec<Relation>; 4],
    files: Vec<Text>,
}

impl Visitor for State<'_> {
    fn open(&mut self, name: &str, attributes: &Attributes) -> Result<(), XmlError> {
        match (name, &mut self.package) {
            ("metadata", _) => self.seen = true,
            ("package", None) => self.package = Some(Draft::default()),
            (_, Some(draft)) => draft.open(name, attributes, self.index)?,
            _ => {}
        }
        Ok(())
    }

    fn close(&mut self, name: &str, text: &str) -> Result<(), XmlError> {
        if name == "package"
            && let Some(draft) = self.package.take()
        {
            self.count += 1;
            if self.index.len() >= MOST_PACKAGES {
                return Err(meaning("it lists more packages than any distribution has"));
            }
            return draft.finish(self.repository, self.index).map(|_| ());
        }
        match &mut self.package {
            Some(draft) => draft.close(name, text, self.index),
            None => Ok(()),
        }
    }
}

impl Draft {
    fn open(&mut self, name: &str, attributes: &Attributes, index: &mut Index) -> Result<(), XmlError> {
        match name {
            "version" => self.evr = evr(attributes).ok_or_else(|| meaning("a package has no version"))?,
            "checksum" => attributes.need("type", name)?.clone_into(&mut self.checksum_kind),
            "size" => self.size = Some(xml::number(attributes.need("package", name)?)?),
            "location" => inside(attributes.need("href", name)?)?.clone_into(&mut self.location),
            "rpm:provides" => self.section = Some(Kind::Provides),
            "rpm:requires" => self.section = Some(Kind::Requires),
            "rpm:conflicts" => self.section = Some(Kind::Conflicts),
            "rpm:obsoletes" => self.section = Some(Kind::Obsoletes),
            "rpm:entry" => {
                if let Some(section) = self.section
                    && let Some(relation) = relation(attributes, index)?
                {
                    self.relations[section as usize].push(relation);
                }
            }
            _ => {}
        }
        self.within_limits()
    }

    fn close(&mut self, name: &str, text: &str, index: &mut Index) -> Result<(), XmlError> {
        match name {
            "name" => text.trim().clone_into(&mut self.name),
            "arch" => text.trim().clone_into(&mut self.arch),
            "checksum" => self.checksum = Checksum::parse(&self.checksum_kind, text.trim()),
            "rpm:provides" | "rpm:requires" | "rpm:conflicts" | "rpm:obsoletes" => self.section = None,
            "file" => self.files.push(index.text(text)),
            _ => {}
        }
        self.within_limits()
    }

    fn within_limits(&self) -> Result<(), XmlError> {
        let count = self.files.len() + self.relations.iter().map(Vec::len).sum::<usize>();
        if count > MOST_OF_ONE {
            return Err(meaning(format!("the package {} has more relations than any package", self.name)));
        }
        Ok(())
    }

    fn finish(self, repository: u16, index: &mut Index) -> Result<Number, XmlError> {
        let name = &self.name;
        if name.is_empty() || self.arch.is_empty() || self.evr.is_empty() {
            return Err(meaning(format!("a package `{name}` has no name, architecture or version")));
        }
        let checksum = self.checksum.ok_or_else(|| {
            meaning(format!("the checksum of {name} is {}, and only sha256 and sha512 count", self.checksum_kind))
        })?;
        let size = self.size.ok_or_else(|| meaning(format!("the package {name} has no size")))?;
        let file = PackageFile { location: index.text(&self.location), size, checksum };
        let (name, evr, arch) = (index.text(name), index.text(&self.evr), index.text(&self.arch));
        let package = Package::new(name, evr, arch, repository, Some(file));
        Ok(index.add(package, std::array::from_fn(|kind| self.relations[kind].as_slice()), &self.files))
    }
}

/// `epoch:version-release` of three attributes; an epoch of 0 is left out, and so is a missing release.
fn evr(attributes: &Attributes) -> Option<String> {
    let version = attributes.get("ver").filter(|version| !version.is_empty())?;
    let epoch = attributes.get("epoch").map_or("", |epoch| epoch.trim_start_matches('0'));
    let release = attributes.get("rel").unwrap_or_default();
    let (colon, dash) = (if epoch.is_empty() { "" } else { ":" }, if release.is_empty() { "" } else { "-" });
    Some(format!("{epoch}{colon}{version}{dash}{release}"))
}

fn relation(attributes: &Attributes, index: &mut Index) -> Result<Option<Relation>, XmlError> {
    let name = attributes.need("name", "rpm:entry")?;
    // What rpm itself must be able to do: the node's rpm says so itself when it cannot.
    if name.starts_with("rpmlib(") {
        return Ok(None);
    }
    let (sense, evr) = match attributes.get("flags") {
        None => (Sense::ANY, String::new()),
        Some(flags) => match (Sense::from_flags(flags), evr(attributes)) {
            (Some(sense), Some(evr)) => (sense, evr),
            (None, _) => return Err(meaning(format!("`{name}` has an unknown comparison {flags}"))),
            // A comparison with nothing accepts everything.
            (_, None) => (Sense::ANY, String::new()),
        },
    };
    Ok(Some(Relation { name: index.text(name), evr: index.text(&evr), sense }))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ONE: &str = r#"<metadata packages="1"><package type="rpm"><name>a</name><arch>noarch</arch>
        <version epoch="2" ver="1.0" rel="1"/><checksum type="SUM" pkgid="YES">HEX</checksum><summary>x</summary>
        <size package="77" installed="1" archive="1"/><location href="Packages/a.rpm"/><format>
        <rpm:provides><rpm:entry name="a" flags="EQ" epoch="2" ver="1.0" rel="1"/></rpm:provides>
        <rpm:requires><rpm:entry name="rpmlib(X)" flags="LE" epoch="0" ver="3"/><rpm:entry name="(b or c)"/>
          <rpm:entry name="d" flags="GE" epoch="0" ver="3"/></rpm:requires>
        <rpm:recommends><rpm:entry name="e"/></rpm:recommends>
        <rpm:conflicts><rpm:entry name="f" flags="LT" epoch="0" ver="1" rel="2"/></rpm:conflicts>
        <file>/usr/bin/a</file></format></package></metadata>"#;

    fn one(kind: &str) -> String {
        ONE.replace("SUM", kind).replace("HEX", &kubexm_model::digest::Digest::of(b"x").hex())
    }

    fn words(index: &Index, kind: Kind) -> Vec<String> {
        index.relations(Number(0), kind).iter().map(|relation| index.relation_words(*relation)).collect()
    }

    #[test]
    fn a_package_comes_with_everything_that_decides() {
        let mut index = Index::default();
        assert_eq!(read(one("sha256").as_bytes(), 3, &mut index).unwrap(), 1);
        index.arrange(|_, _| true);
        assert_eq!(index.nevra(Number(0)), "a-2:1.0-1.noarch");
        let package = index.package(Number(0));
        let file = package.file.as_ref().unwrap();
        assert_eq!((file.size, package.repository, index.words(file.location)), (77, 3, "Packages/a.rpm"));
        assert_eq!(words(&index, Kind::Provides), ["a = 2:1.0-1"]);
        assert_eq!(words(&index, Kind::Requires), ["(b or c)", "d >= 3"]);
        assert_eq!(words(&index, Kind::Conflicts), ["f < 1-2"]);
        assert_eq!(words(&index, Kind::Obsoletes), Vec::<String>::new());
        let path = index.find("/usr/bin/a").unwrap();
        assert_eq!(index.providers(path, Sense::ANY, ""), [Number(0)]);
    }

    #[test]
    fn what_is_incomplete_is_refused_by_name() {
        let sum = one("sha256");
        for (text, said) in [
            (one("sha"), "the checksum of a is sha"),
            (sum.replace("Packages/a.rpm", "../a.rpm"), "leads out"),
            (sum.replace("package=\"77\"", ""), "no attribute package"),
            (sum.replace("flags=\"GE\"", "flags=\"XX\""), "`d` has an unknown comparison XX"),
            (sum.replace("metadata", "html"), "no list of packages"),
        ] {
            let error = read(text.as_bytes(), 0, &mut Index::default()).unwrap_err();
            assert!(error.to_string().contains(said), "{error}");
        }
    }
}

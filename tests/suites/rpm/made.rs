//! Repositories that are written down without building a package: dnf decides from the same metadata.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;

use kubexm_model::digest::Digest;

/// A package.
#[derive(Debug, Clone, Default)]
pub struct Made {
    pub name: String,
    /// `epoch:version-release`.
    pub evr: String,
    pub arch: String,
    pub provides: Vec<String>,
    pub requires: Vec<String>,
    pub conflicts: Vec<String>,
    pub obsoletes: Vec<String>,
    pub files: Vec<String>,
}

impl Made {
    pub fn new(name: &str, evr: &str) -> Self {
        Self { name: name.to_owned(), evr: evr.to_owned(), arch: "noarch".to_owned(), ..Self::default() }
    }
    pub fn provides(mut self, what: &str) -> Self {
        self.provides.push(what.to_owned());
        self
    }
    pub fn requires(mut self, what: &str) -> Self {
        self.requires.push(what.to_owned());
        self
    }
    pub fn conflicts(mut self, what: &str) -> Self {
        self.conflicts.push(what.to_owned());
        self
    }
    pub fn obsoletes(mut self, what: &str) -> Self {
        self.obsoletes.push(what.to_owned());
        self
    }
    pub fn file(mut self, path: &str) -> Self {
        self.files.push(path.to_owned());
        self
    }

    /// As dnf writes it.
    pub fn nevra(&self) -> String {
        format!("{}-{}.{}", self.name, self.evr.strip_prefix("0:").unwrap_or(&self.evr), self.arch)
    }

    fn sum(&self) -> String {
        Digest::of(format!("{self:?}").as_bytes()).hex()
    }

    fn version(&self) -> String {
        let (epoch, version, release) = parts(&self.evr);
        format!("<version epoch=\"{epoch}\" ver=\"{version}\" rel=\"{release}\"/>")
    }

    fn primary(&self) -> String {
        let mut own = vec![format!("{} = {}", self.name, self.evr)];
        own.extend(self.provides.iter().cloned());
        let section = |name: &str, entries: &[String]| match entries {
            [] => String::new(),
            _ => format!("<rpm:{name}>{}</rpm:{name}>", entries.iter().map(|text| entry(text)).collect::<String>()),
        };
        let listed = |path: &&String| path.starts_with("/etc/") || path.contains("bin/");
        let files: String = self.files.iter().filter(listed).map(|path| format!("<file>{path}</file>")).collect();
        format!(
            "<package type=\"rpm\"><name>{}</name><arch>{}</arch>{}<checksum type=\"sha256\" pkgid=\"YES\">{}</checksum>\
             <summary>s</summary><description>d</description><packager/><url/><time file=\"1\" build=\"1\"/>\
             <size package=\"1000\" installed=\"1\" archive=\"1\"/><location href=\"{}.rpm\"/><format>\
             <rpm:license>MIT</rpm:license><rpm:vendor/><rpm:group>g</rpm:group><rpm:buildhost>h</rpm:buildhost>\
             <rpm:sourcerpm>s.src.rpm</rpm:sourcerpm><rpm:header-range start=\"1\" end=\"2\"/>{}{}{}{}{files}\
             </format></package>\n",
            self.name,
            self.arch,
            self.version(),
            self.sum(),
            self.nevra().replace(':', "_"),
            section("provides", &own),
            section("requires", &self.requires),
            section("conflicts", &self.conflicts),
            section("obsoletes", &self.obsoletes),
        )
    }

    fn filelist(&self) -> String {
        let files: String = self.files.iter().map(|path| format!("<file>{path}</file>")).collect();
        let (name, arch) = (&self.name, &self.arch);
        format!(
            "<package pkgid=\"{}\" name=\"{name}\" arch=\"{arch}\">{}{files}</package>\n",
            self.sum(),
            self.version()
        )
    }
}

fn parts(evr: &str) -> (&str, &str, &str) {
    let (epoch, rest) = evr.split_once(':').unwrap_or(("0", evr));
    let (version, release) = rest.split_once('-').unwrap_or((rest, ""));
    (epoch, version, release)
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// `name >= 1:2-3`, or a rich dependency, as metadata writes it.
fn entry(text: &str) -> String {
    let words: Vec<&str> = text.split(' ').collect();
    match words.as_slice() {
        [name, sign, evr] if !name.starts_with('(') => {
            let flags = match *sign {
                "<" => "LT",
                "<=" => "LE",
                "=" => "EQ",
                ">=" => "GE",
                _ => "GT",
            };
            let (epoch, version, release) = parts(evr);
            let release = if release.is_empty() { String::new() } else { format!(" rel=\"{release}\"") };
            format!("<rpm:entry name=\"{name}\" flags=\"{flags}\" epoch=\"{epoch}\" ver=\"{version}\"{release}/>")
        }
        _ => format!("<rpm:entry name=\"{}\"/>", escaped(text)),
    }
}

/// How metadata is packed.
#[derive(Debug, Clone, Copy)]
pub enum Packing {
    Gzip,
    Zstd,
    Xz,
}

fn pack(plain: &[u8], packing: Packing) -> (Vec<u8>, &'static str) {
    match packing {
        Packing::Gzip => {
            let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            encoder.write_all(plain).expect("memory");
            (encoder.finish().expect("memory"), "gz")
        }
        Packing::Zstd => (zstd::encode_all(plain, 1).expect("memory"), "zst"),
        Packing::Xz => {
            let mut encoder = liblzma::write::XzEncoder::new(Vec::new(), 1);
            encoder.write_all(plain).expect("memory");
            (encoder.finish().expect("memory"), "xz")
        }
    }
}

/// Writes a repository.
pub fn write(folder: &Path, packages: &[Made], modules: Option<&str>, packing: Packing) {
    let count = packages.len();
    let primary: Vec<String> = packages.iter().map(Made::primary).collect();
    let files: String = packages.iter().map(Made::filelist).collect();
    let files = format!(
        "{HEAD}<filelists xmlns=\"http://linux.duke.edu/metadata/filelists\" packages=\"{count}\">\n{files}</filelists>"
    );
    let mut documents = vec![("primary", "xml", list(&primary)), ("filelists", "xml", files)];
    documents.extend(modules.map(|modules| ("modules", "yaml", modules.to_owned())));
    publish(folder, &documents, packing);
}

const HEAD: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";

/// The list of packages, from their entries.
pub fn list(entries: &[String]) -> String {
    format!(
        "{HEAD}<metadata xmlns=\"http://linux.duke.edu/metadata/common\" xmlns:rpm=\"http://linux.duke.edu/metadata/rpm\" \
         packages=\"{}\">\n{}</metadata>",
        entries.len(),
        entries.concat()
    )
}

/// Writes documents, each with its kind and the ending of its name, and the list of them.
pub fn publish(folder: &Path, documents: &[(&str, &str, String)], packing: Packing) {
    std::fs::create_dir_all(folder.join("repodata")).expect("a folder");
    let mut list = String::new();
    for (kind, ending, plain) in documents {
        let (packed, suffix) = pack(plain.as_bytes(), packing);
        let path = format!("repodata/{kind}.{ending}.{suffix}");
        std::fs::write(folder.join(&path), &packed).expect("metadata is written");
        writeln!(
            list,
            "<data type=\"{kind}\"><checksum type=\"sha256\">{}</checksum><open-checksum type=\"sha256\">{}</open-checksum>\
             <location href=\"{path}\"/><timestamp>1</timestamp><size>{}</size><open-size>{}</open-size></data>",
            Digest::of(&packed).hex(),
            Digest::of(plain.as_bytes()).hex(),
            packed.len(),
            plain.len()
        )
        .expect("memory");
    }
    let repomd = format!(
        "{HEAD}<repomd xmlns=\"http://linux.duke.edu/metadata/repo\"><revision>1</revision>\n{list}</repomd>\n"
    );
    std::fs::write(folder.join("repodata/repomd.xml"), repomd).expect("the list is written");
}

//! An rpm repository: `repodata` in gzip, which yum of every age reads.

use std::fmt::Write as _;
use std::io::BufRead;
use std::time::{SystemTime, UNIX_EPOCH};

use kubexm_model::digest::Digest;
use rpm::{Dependency, DependencyFlags, FileType, PackageMetadata};

use super::key::SiteKey;
use super::{Files, RepositoryError, gzip};

/// A package that the repository offers.
#[derive(Debug)]
pub struct RpmPackage {
    /// Where its file is, from the folder of the repository on.
    pub path: String,
    /// The size of its file.
    pub size: u64,
    /// The digest of its file.
    pub digest: Digest,
    metadata: PackageMetadata,
}

impl RpmPackage {
    /// Reads the header of a package; the rest of the file is not needed.
    pub fn read(path: &str, size: u64, digest: Digest, mut header: impl BufRead) -> Result<Self, RepositoryError> {
        let metadata = PackageMetadata::parse(&mut header).map_err(|error| refuse(path, &error))?;
        Ok(Self { path: path.to_owned(), size, digest, metadata })
    }
}

fn refuse(package: &str, error: &rpm::Error) -> RepositoryError {
    RepositoryError::Package { package: package.to_owned(), reason: error.to_string() }
}

/// Writes `repodata`: primary, filelists, other, `repomd.xml` and its signature.
pub fn files(packages: &[RpmPackage], key: &SiteKey, now: SystemTime) -> Result<Files, RepositoryError> {
    let mut sorted: Vec<&RpmPackage> = packages.iter().collect();
    sorted.sort_by(|left, right| left.path.cmp(&right.path));
    let (mut primary, mut filelists, mut other) = (String::new(), String::new(), String::new());
    for package in &sorted {
        let listed = Listed::of(package).map_err(|error| refuse(&package.path, &error))?;
        primary.push_str(&listed.primary);
        filelists.push_str(&listed.filelists);
        other.push_str(&listed.other);
    }
    let seconds = now.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let mut files = Files::new();
    let mut list = String::new();
    let documents = [
        ("primary", "metadata", "common", primary),
        ("filelists", "filelists", "filelists", filelists),
        ("other", "otherdata", "other", other),
    ];
    for (kind, element, space, content) in documents {
        let plain = document(element, space, sorted.len(), &content);
        let packed = gzip(plain.as_bytes())?;
        let path = format!("repodata/{}-{kind}.xml.gz", Digest::of(&packed).hex());
        let _ = writeln!(
            list,
            "<data type=\"{kind}\"><checksum type=\"sha256\">{}</checksum><open-checksum type=\"sha256\">{}</open-checksum>\
             <location href=\"{path}\"/><timestamp>{seconds}</timestamp><size>{}</size><open-size>{}</open-size></data>",
            Digest::of(&packed).hex(),
            Digest::of(plain.as_bytes()).hex(),
            packed.len(),
            plain.len()
        );
        files.insert(path, packed);
    }
    let repomd = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<repomd xmlns=\"http://linux.duke.edu/metadata/repo\" \
         xmlns:rpm=\"http://linux.duke.edu/metadata/rpm\"><revision>{seconds}</revision>\n{list}</repomd>\n"
    );
    files.insert("repodata/repomd.xml.asc".to_owned(), key.detached(repomd.as_bytes(), now)?.into_bytes());
    files.insert("repodata/repomd.xml".to_owned(), repomd.into_bytes());
    Ok(files)
}

fn document(element: &str, space: &str, count: usize, content: &str) -> String {
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<{element} xmlns=\"http://linux.duke.edu/metadata/{space}\" \
         xmlns:rpm=\"http://linux.duke.edu/metadata/rpm\" packages=\"{count}\">\n{content}</{element}>\n"
    )
}

/// A package in the three lists.
struct Listed {
    primary: String,
    filelists: String,
    other: String,
}

impl Listed {
    fn of(package: &RpmPackage) -> Result<Self, rpm::Error> {
        let metadata = &package.metadata;
        let (name, arch, digest) = (escape(metadata.get_name()?), escape(metadata.get_arch()?), package.digest.hex());
        let version = format!(
            "<version epoch=\"{}\" ver=\"{}\" rel=\"{}\"/>",
            metadata.get_epoch().unwrap_or(0),
            escape(metadata.get_version()?),
            escape(metadata.get_release()?)
        );
        let mut all = String::new();
        let mut important = String::new();
        for entry in metadata.get_file_entries()? {
            let path = entry.path().to_string_lossy().into_owned();
            let kind = if entry.file_type() == FileType::Dir { " type=\"dir\"" } else { "" };
            let line = format!("<file{kind}>{}</file>\n", escape(&path));
            all.push_str(&line);
            // What primary lists by agreement, so that most dependencies on files need no other list.
            if path.starts_with("/etc/") || path.contains("bin/") || path == "/usr/lib/sendmail" {
                important.push_str(&line);
            }
        }
        let head = format!("<package pkgid=\"{digest}\" name=\"{name}\" arch=\"{arch}\">{version}");
        let primary = format!(
            "<package type=\"rpm\"><name>{name}</name><arch>{arch}</arch>{version}\
             <checksum type=\"sha256\" pkgid=\"YES\">{digest}</checksum>{}<format>{}{important}</format></package>\n",
            description(package),
            format(metadata)?
        );
        Ok(Self { primary, filelists: format!("{head}\n{all}</package>\n"), other: format!("{head}</package>\n") })
    }
}

/// What people read, and the sizes.
fn description(package: &RpmPackage) -> String {
    let metadata = &package.metadata;
    let text = |found: Result<&str, rpm::Error>| escape(found.unwrap_or_default());
    format!(
        "<summary>{}</summary><description>{}</description><packager/><url>{}</url><time file=\"{time}\" build=\"{time}\"/>\
         <size package=\"{}\" installed=\"{installed}\" archive=\"{installed}\"/><location href=\"{}\"/>",
        text(metadata.get_summary()),
        text(metadata.get_description()),
        text(metadata.get_url()),
        package.size,
        escape(&package.path),
        time = metadata.get_build_time().unwrap_or(0),
        installed = metadata.get_installed_size().unwrap_or(0),
    )
}

/// What decides: the relations, and where the header is.
fn format(metadata: &PackageMetadata) -> Result<String, rpm::Error> {
    let text = |found: Result<&str, rpm::Error>| escape(found.unwrap_or_default());
    let offsets = metadata.get_package_segment_offsets();
    let relations = [
        ("provides", metadata.get_provides()?),
        ("requires", metadata.get_requires()?),
        ("conflicts", metadata.get_conflicts()?),
        ("obsoletes", metadata.get_obsoletes()?),
    ];
    let relations: String = relations.iter().map(|(kind, entries)| section(kind, entries)).collect();
    Ok(format!(
        "<rpm:license>{}</rpm:license><rpm:vendor>{}</rpm:vendor><rpm:group>{}</rpm:group><rpm:buildhost/>\
         <rpm:sourcerpm>{}</rpm:sourcerpm><rpm:header-range start=\"{}\" end=\"{}\"/>{relations}",
        text(metadata.get_license()),
        text(metadata.get_vendor()),
        text(metadata.get_group()),
        text(metadata.get_source_rpm()),
        offsets.header,
        offsets.payload,
    ))
}

fn section(kind: &str, entries: &[Dependency]) -> String {
    // What rpm itself must be able to do is no matter of repositories.
    let entries: String = entries.iter().filter(|entry| !entry.name.starts_with("rpmlib(")).map(relation).collect();
    if entries.is_empty() { entries } else { format!("<rpm:{kind}>{entries}</rpm:{kind}>\n") }
}

fn relation(entry: &Dependency) -> String {
    let name = escape(&entry.name);
    let flags = match entry.flags & (DependencyFlags::LESS | DependencyFlags::GREATER | DependencyFlags::EQUAL) {
        DependencyFlags::LESS => "LT",
        DependencyFlags::LE => "LE",
        DependencyFlags::EQUAL => "EQ",
        DependencyFlags::GE => "GE",
        DependencyFlags::GREATER => "GT",
        _ => return format!("<rpm:entry name=\"{name}\"/>"),
    };
    let (epoch, rest) = entry.version.split_once(':').unwrap_or(("0", &entry.version));
    let (version, release) = rest.rsplit_once('-').unwrap_or((rest, ""));
    let release = if release.is_empty() { String::new() } else { format!(" rel=\"{}\"", escape(release)) };
    format!(
        "<rpm:entry name=\"{name}\" flags=\"{flags}\" epoch=\"{}\" ver=\"{}\"{release}/>",
        escape(epoch),
        escape(version)
    )
}

/// Text for XML; control characters, which XML cannot hold, are left out.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\n' | '\t' => escaped.push(character),
            control if control.is_control() => {}
            plain => escaped.push(plain),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_relation_is_written_as_createrepo_writes_it() {
        let entry = Dependency { name: "a&b".into(), flags: DependencyFlags::GE, version: "1:2.0-3".into() };
        assert_eq!(relation(&entry), "<rpm:entry name=\"a&amp;b\" flags=\"GE\" epoch=\"1\" ver=\"2.0\" rel=\"3\"/>");
        let entry = Dependency { name: "(a or b)".into(), flags: DependencyFlags::ANY, version: String::new() };
        assert_eq!(relation(&entry), "<rpm:entry name=\"(a or b)\"/>");
        assert_eq!(section("requires", &[Dependency::any("rpmlib(X)")]), "");
    }
}

//! Package URLs (ECMA-427): one line that says what a thing is and where it comes from.

use std::collections::BTreeMap;
use std::fmt;

use kubexm_model::bom::Kind;
use kubexm_model::cluster::schema::Arch;
use kubexm_model::digest::Digest;
use kubexm_model::lock::Locked;

/// The parts of a package URL.
#[derive(Debug, Default)]
struct Purl {
    kind: &'static str,
    namespace: String,
    name: String,
    version: String,
    qualifiers: BTreeMap<&'static str, String>,
}

/// The package URL of an entry.
pub(super) fn of(entry: &Locked) -> String {
    match entry.kind {
        Kind::Image => image(entry, entry.blob.digest, None).to_string(),
        Kind::Chart => file("helm", entry).to_string(),
        Kind::Binary | Kind::Manifest => file("generic", entry).to_string(),
        Kind::Package => package(entry).to_string(),
    }
}

/// The package URL of an image for one platform.
pub(super) fn of_platform(entry: &Locked, manifest: Digest, arch: Arch) -> String {
    image(entry, manifest, Some(arch)).to_string()
}

fn image(entry: &Locked, digest: Digest, arch: Option<Arch>) -> Purl {
    let (repository, tag) = repository_and_tag(&entry.name);
    let name = repository.rsplit('/').next().unwrap_or(repository).to_lowercase();
    let arch = arch.map_or("", Arch::as_str);
    let qualifiers = [("arch", arch), ("repository_url", repository), ("tag", tag)];
    Purl {
        kind: "oci",
        name,
        version: digest.to_string(),
        qualifiers: qualifiers.map(|(key, value)| (key, value.to_owned())).into(),
        ..Purl::default()
    }
}

/// `registry/path:tag@digest` without the digest, in two.
fn repository_and_tag(name: &str) -> (&str, &str) {
    let name = name.split('@').next().unwrap_or(name);
    match name.rsplit_once(':') {
        Some((repository, tag)) if !tag.contains('/') => (repository, tag),
        _ => (name, ""),
    }
}

fn file(kind: &'static str, entry: &Locked) -> Purl {
    let version = entry.version.clone().unwrap_or_default();
    let qualifiers = [("checksum", entry.blob.digest.to_string()), ("download_url", entry.source.clone())];
    Purl { kind, name: entry.name.clone(), version, qualifiers: qualifiers.into(), ..Purl::default() }
}

/// What sort of package it is, and for which architecture, is in the name of its file.
fn package(entry: &Locked) -> Purl {
    let file_name = entry.source.split(['?', '#']).next().and_then(|path| path.rsplit('/').next()).unwrap_or_default();
    let (kind, separator, stem) = match (file_name.strip_suffix(".deb"), file_name.strip_suffix(".rpm")) {
        (Some(stem), _) => ("deb", '_', stem),
        (_, Some(stem)) => ("rpm", '.', stem),
        _ => return file("generic", entry),
    };
    let os = entry.os.as_deref().unwrap_or_default().to_lowercase();
    let arch = stem.rsplit_once(separator).map_or("", |(_, arch)| arch).to_owned();
    let distro = os.split_whitespace().collect::<Vec<_>>().join("-");
    let mut qualifiers = BTreeMap::from([("arch", arch), ("distro", distro)]);
    let mut version = entry.version.clone().unwrap_or_default();
    let mut name = entry.name.clone();
    if kind == "deb" {
        name = name.to_lowercase();
    } else if let Some((epoch, rest)) = version.split_once(':') {
        qualifiers.insert("epoch", epoch.to_owned());
        version = rest.to_owned();
    }
    let namespace = os.split_whitespace().next().unwrap_or_default().to_owned();
    Purl { kind, namespace, name, version, qualifiers }
}

impl fmt::Display for Purl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "pkg:{}/", self.kind)?;
        if !self.namespace.is_empty() {
            write!(f, "{}/", Encoded(&self.namespace))?;
        }
        write!(f, "{}", Encoded(&self.name))?;
        if !self.version.is_empty() {
            write!(f, "@{}", Encoded(&self.version))?;
        }
        let set = self.qualifiers.iter().filter(|(_, value)| !value.is_empty());
        for (number, (key, value)) in set.enumerate() {
            write!(f, "{}{key}={}", if number == 0 { '?' } else { '&' }, Encoded(value))?;
        }
        Ok(())
    }
}

/// Text in which everything that could mean something is written as percent and two digits; the colon never is.
pub(super) struct Encoded<'text>(pub(super) &'text str);

impl fmt::Display for Encoded<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.bytes().try_for_each(|byte| match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'.' | b'-' | b'_' | b'~' | b':' => {
                fmt::Write::write_char(f, byte.into())
            }
            _ => write!(f, "%{byte:02X}"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sbom::sample;

    fn purl(name: &str) -> String {
        of(sample::lock().entries.iter().find(|entry| entry.name == name).unwrap())
    }

    #[test]
    fn each_kind_has_its_own_form() {
        let hex = Digest::of(b"etcd index").hex();
        assert_eq!(
            purl("registry.example/library/Etcd:3.6.6-0"),
            format!("pkg:oci/etcd@sha256:{hex}?repository_url=registry.example%2Flibrary%2FEtcd&tag=3.6.6-0")
        );
        let hex = Digest::of(b"runc").hex();
        assert_eq!(
            purl("runc"),
            format!("pkg:generic/runc@1.3.3?checksum=sha256:{hex}&download_url=https:%2F%2Ffiles.example%2Frunc.amd64")
        );
        assert!(purl("ingress-nginx").starts_with("pkg:helm/ingress-nginx@4.13.0?checksum=sha256:"));
        assert!(purl("kube-flannel.yml").starts_with("pkg:generic/kube-flannel.yml@0.27.4?checksum=sha256:"));
        assert_eq!(purl("chrony"), "pkg:deb/debian/chrony@1:4.3-2%2Bdeb12u1?arch=amd64&distro=debian-12");
        assert_eq!(
            purl("NetworkManager"),
            "pkg:rpm/rocky/NetworkManager@1.52-3.el9?arch=x86_64&distro=rocky-9&epoch=1"
        );
        assert!(purl("odd").starts_with("pkg:generic/odd@7?checksum=sha256:"));
    }

    #[test]
    fn ports_digests_and_missing_tags_are_told_apart() {
        assert_eq!(repository_and_tag("host:5000/a/b"), ("host:5000/a/b", ""));
        assert_eq!(repository_and_tag("host:5000/a/b:1"), ("host:5000/a/b", "1"));
        assert_eq!(repository_and_tag("a/b:1@sha256:00"), ("a/b", "1"));
        assert_eq!(repository_and_tag("a"), ("a", ""));
    }

    #[test]
    fn nothing_gets_out_of_its_place() {
        assert_eq!(Encoded("a/b?c=d&e#f@g %ü\n:~_-.").to_string(), "a%2Fb%3Fc%3Dd%26e%23f%40g%20%25%C3%BC%0A:~_-.");
    }
}

//! The full name of an image: read, shown in full and in short.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::error::{Fault, ReferenceError, shortened};
use super::{Registry, grammar};
use crate::digest::Digest;

/// The namespace of names that have none, in the default registry.
const OFFICIAL: &str = "library/";
/// The tag of names that have neither tag nor digest.
const LATEST: &str = "latest";

/// An image by its full name: registry, repository, and a tag, a digest or both.
///
/// Two references are equal when they name the same thing; whether the tag was written does not count.
#[derive(Debug, Clone)]
pub struct Reference {
    registry: Registry,
    repository: String,
    tag: Option<String>,
    tag_is_explicit: bool,
    digest: Option<Digest>,
}

impl Reference {
    /// Where it is kept.
    pub fn registry(&self) -> &Registry {
        &self.registry
    }

    /// Its name there, such as `library/nginx`.
    pub fn repository(&self) -> &str {
        &self.repository
    }

    /// Its tag; `latest` where the text had neither tag nor digest.
    pub fn tag(&self) -> Option<&str> {
        self.tag.as_deref()
    }

    /// Whether the text had the tag, which otherwise is `latest` by convention.
    pub fn tag_is_explicit(&self) -> bool {
        self.tag_is_explicit
    }

    /// Its digest, which counts more than the tag where both are there.
    pub fn digest(&self) -> Option<Digest> {
        self.digest
    }

    /// Registry and repository without tag and digest.
    pub fn name(&self) -> String {
        format!("{}/{}", self.registry, self.repository)
    }

    /// The form that people write: without the default registry and its namespace. It means the same image.
    pub fn familiar(&self) -> String {
        let full = self.to_string();
        if !self.registry.is_default() {
            return full;
        }
        let (_, short) = full.split_once('/').unwrap_or(("", &full));
        let bare = self.repository.strip_prefix(OFFICIAL).filter(|rest| !rest.contains('/'));
        match (bare, self.repository.split('/').next()) {
            (Some(_), _) => short.strip_prefix(OFFICIAL).unwrap_or(short).to_owned(),
            // `my.name/app` alone would be read as a registry called my.name.
            (None, Some(first)) if Registry::is_meant_by(first) => full,
            _ => short.to_owned(),
        }
    }

    /// The same image under another registry and repository; tag and digest stay.
    pub(super) fn moved(&self, registry: Registry, repository: String) -> Result<Self, ReferenceError> {
        let moved = Self { registry, repository, ..self.clone() };
        grammar::repository(&moved.repository).map_err(|fault| ReferenceError::new(&moved.to_string(), fault))?;
        Ok(moved)
    }

    fn key(&self) -> (&Registry, &str, Option<&str>, Option<Digest>) {
        (&self.registry, &self.repository, self.tag.as_deref(), self.digest)
    }
}

impl FromStr for Reference {
    type Err = ReferenceError;

    fn from_str(text: &str) -> Result<Self, ReferenceError> {
        let because = |fault| ReferenceError::new(text, fault);
        if text.is_empty() {
            return Err(because(Fault::Empty));
        }
        if text.len() == 64 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')) {
            return Err(because(Fault::Number));
        }
        let (rest, digest) = match text.split_once('@') {
            Some((rest, digest)) => {
                (rest, Some(digest.parse().map_err(|_| because(Fault::Digest(shortened(digest))))?))
            }
            None => (text, None),
        };
        let (registry, rest) = match rest.split_once('/') {
            Some((first, rest)) if Registry::is_meant_by(first) => {
                (first.parse().map_err(|error: ReferenceError| because(error.fault))?, rest)
            }
            _ => (Registry::default_one(), rest),
        };
        let (path, tag) = match rest.split_once(':') {
            Some((path, tag)) => (path, Some(tag)),
            None => (rest, None),
        };
        tag.map_or(Ok(()), grammar::tag).map_err(because)?;
        let official = registry.is_default() && !path.contains('/');
        let repository = if official { format!("{OFFICIAL}{path}") } else { path.to_owned() };
        grammar::repository(&repository).map_err(because)?;
        let implied = if digest.is_none() { Some(LATEST) } else { None };
        let tag_is_explicit = tag.is_some();
        Ok(Self { registry, repository, tag: tag.or(implied).map(str::to_owned), tag_is_explicit, digest })
    }
}

impl fmt::Display for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.registry, self.repository)?;
        self.tag.as_ref().map_or(Ok(()), |tag| write!(f, ":{tag}"))?;
        self.digest.map_or(Ok(()), |digest| write!(f, "@{digest}"))
    }
}

impl PartialEq for Reference {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}
impl Eq for Reference {}
impl PartialOrd for Reference {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Reference {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key().cmp(&other.key())
    }
}
impl Hash for Reference {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.key().hash(state);
    }
}
impl Serialize for Reference {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
impl<'de> Deserialize<'de> for Reference {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHA: &str = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

    fn read(text: &str) -> Reference {
        text.parse().unwrap_or_else(|error| panic!("{error}"))
    }

    fn fault(text: &str) -> Fault {
        text.parse::<Reference>().expect_err(text).fault
    }

    #[test]
    fn short_names_mean_what_docker_says() {
        for (text, full, familiar) in [
            ("nginx", "docker.io/library/nginx:latest", "nginx:latest"),
            ("library/nginx", "docker.io/library/nginx:latest", "nginx:latest"),
            ("index.docker.io/nginx", "docker.io/library/nginx:latest", "nginx:latest"),
            ("user/app:1", "docker.io/user/app:1", "user/app:1"),
            ("localhost/x", "localhost/x:latest", "localhost/x:latest"),
            ("localhost:5000/x", "localhost:5000/x:latest", "localhost:5000/x:latest"),
            ("localhost:5000", "docker.io/library/localhost:5000", "localhost:5000"),
            ("docker.io/my.name/app:1", "docker.io/my.name/app:1", "docker.io/my.name/app:1"),
            ("docker.io/localhost/app:1", "docker.io/localhost/app:1", "docker.io/localhost/app:1"),
            ("library/a/b:1", "docker.io/library/a/b:1", "library/a/b:1"),
            ("docker.io:443/x:1", "docker.io:443/x:1", "docker.io:443/x:1"),
            ("Registry.K8s.io/pause:3.10", "registry.k8s.io/pause:3.10", "registry.k8s.io/pause:3.10"),
        ] {
            assert_eq!(read(text).to_string(), full);
            assert_eq!(read(text).familiar(), familiar);
            assert_eq!(read(familiar), read(text), "{familiar}");
        }
    }

    #[test]
    fn tag_and_digest_are_both_kept() {
        let both = read(&format!("host:5000/a/b/c/d/e:tag@{SHA}"));
        assert_eq!(both.to_string(), format!("host:5000/a/b/c/d/e:tag@{SHA}"));
        assert_eq!((both.registry().host(), both.registry().port()), ("host", Some(5000)));
        assert_eq!((both.repository(), both.tag()), ("a/b/c/d/e", Some("tag")));
        assert_eq!(both.digest(), Some(SHA.parse().unwrap()));

        let digest_only = read(&format!("nginx@{SHA}"));
        assert_eq!((digest_only.tag(), digest_only.tag_is_explicit()), (None, false));
        assert_eq!(digest_only.familiar(), format!("nginx@{SHA}"));
    }

    #[test]
    fn an_implied_tag_is_known_as_such_and_makes_no_other_image() {
        assert!(!read("nginx").tag_is_explicit());
        assert!(read("nginx:latest").tag_is_explicit());
        assert_eq!(read("nginx"), read("nginx:latest"));
        assert_ne!(read("nginx"), read("nginx:1"));
    }

    #[test]
    fn what_names_no_image_is_refused_with_the_reason() {
        assert_eq!(fault(""), Fault::Empty);
        assert_eq!(fault("registry.k8s.io/Pause:3"), Fault::UpperCase("Pause".to_owned()));
        assert_eq!(fault("Nginx"), Fault::UpperCase("Nginx".to_owned()));
        assert_eq!(fault("Foo/bar"), Fault::UpperCase("Foo".to_owned()));
        assert_eq!(fault(" nginx"), Fault::Component(" nginx".to_owned()));
        assert_eq!(fault("nginx\n"), Fault::Component("nginx\u{fffd}".to_owned()));
        assert_eq!(fault("a//b"), Fault::Component(String::new()));
        assert_eq!(fault("registry.k8s.io/"), Fault::Component(String::new()));
        assert_eq!(fault("/a"), Fault::Component(String::new()));
        assert_eq!(fault("https://a.b/c"), Fault::Registry("https:".to_owned()));
        assert_eq!(fault("a.b:x/c"), Fault::Registry("a.b:x".to_owned()));
        assert_eq!(fault("nginx:"), Fault::Tag(String::new()));
        assert_eq!(fault("nginx:1:2"), Fault::Tag("1:2".to_owned()));
        assert_eq!(fault("nginx@"), Fault::Digest(String::new()));
        assert_eq!(fault("nginx@sha512:00"), Fault::Digest("sha512:00".to_owned()));
        assert_eq!(fault(&format!("nginx@{}", SHA.to_uppercase())), Fault::Digest(SHA.to_uppercase()));
        assert!(matches!(fault(&format!("nginx@{SHA}@{SHA}")), Fault::Digest(_)));
        assert_eq!(fault(&"a1".repeat(32)), Fault::Number);
        assert_eq!(fault(&format!("a.b/{}", "c".repeat(256))), Fault::TooLong(256));
        assert_eq!(fault(&"c".repeat(250)), Fault::TooLong(258));
    }

    #[test]
    fn a_message_shows_the_beginning_of_a_long_text() {
        let error = "x ".repeat(5000).parse::<Reference>().expect_err("spaces");
        assert!(error.to_string().chars().count() < 500, "{error}");
        assert!(error.to_string().contains('…'));
    }
}

//! A site's own registry, and names moved into it and back.
//!
//! The whole upstream name becomes the path: `registry.k8s.io/pause:3.10.1` is
//! `registry.kubexm.local:5000/company/infra/registry.k8s.io/pause:3.10.1` there, so names of two registries cannot meet.

use std::fmt;
use std::str::FromStr;

use super::error::{Fault, ReferenceError};
use super::{Reference, Registry, grammar};

/// Where a site keeps its images: a registry, and perhaps a path in it that belongs to us.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Site {
    registry: Registry,
    prefix: Option<String>,
}

impl Site {
    /// From `registry.kubexm.local:5000` and perhaps `company/infra`.
    pub fn new(registry: &str, prefix: Option<&str>) -> Result<Self, ReferenceError> {
        let registry = registry.parse()?;
        if let Some(prefix) = prefix {
            grammar::repository(prefix).map_err(|fault| ReferenceError::new(prefix, fault))?;
        }
        Ok(Self { registry, prefix: prefix.map(str::to_owned) })
    }

    /// The registry.
    pub fn registry(&self) -> &Registry {
        &self.registry
    }

    /// The path in it that belongs to us.
    pub fn prefix(&self) -> Option<&str> {
        self.prefix.as_deref()
    }

    /// The path under which everything of an upstream registry lies here: what containerd's mirrors point to.
    pub fn path_of(&self, upstream: &Registry) -> String {
        let path = upstream.path();
        self.prefix.as_ref().map_or_else(|| path.clone(), |prefix| format!("{prefix}/{path}"))
    }

    /// Whether a reference already lies here, under our path.
    pub fn holds(&self, reference: &Reference) -> bool {
        self.inside(reference).is_some()
    }

    /// What follows our path in a reference that lies here.
    fn inside<'reference>(&self, reference: &'reference Reference) -> Option<&'reference str> {
        let path = Some(reference.repository()).filter(|_| *reference.registry() == self.registry)?;
        match &self.prefix {
            Some(prefix) => path.strip_prefix(prefix.as_str())?.strip_prefix('/'),
            None => Some(path),
        }
    }
}

impl Reference {
    /// The same image in a site's registry. Tag and digest stay; what lies there already stays as it is.
    ///
    /// It fails only where the longer path is more than registries accept.
    pub fn rewrite(&self, site: &Site) -> Result<Self, ReferenceError> {
        if site.holds(self) {
            return Ok(self.clone());
        }
        self.moved(site.registry.clone(), format!("{}/{}", site.path_of(self.registry()), self.repository()))
    }

    /// The upstream name of an image that was rewritten into a site's registry; nothing for the site's own images.
    pub fn original(&self, site: &Site) -> Option<Self> {
        let (registry, repository) = site.inside(self)?.split_once('/')?;
        let original = self.moved(Registry::from_path(registry)?, repository.to_owned()).ok()?;
        // What no upstream name leads to was not written by `rewrite`: it is an image of the site's own.
        let read_again: Self = original.to_string().parse().ok()?;
        (read_again == original && original.rewrite(site).as_ref() == Ok(self)).then_some(original)
    }
}

impl FromStr for Site {
    type Err = ReferenceError;

    /// From `registry.kubexm.local:5000/company/infra`.
    fn from_str(text: &str) -> Result<Self, ReferenceError> {
        if text.is_empty() {
            return Err(ReferenceError::new(text, Fault::Empty));
        }
        match text.split_once('/') {
            Some((registry, prefix)) => Self::new(registry, Some(prefix)),
            None => Self::new(text, None),
        }
    }
}

impl fmt::Display for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.registry)?;
        self.prefix.as_ref().map_or(Ok(()), |prefix| write!(f, "/{prefix}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHA: &str = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

    fn read(text: &str) -> Reference {
        text.parse().unwrap_or_else(|error| panic!("{error}"))
    }

    #[test]
    fn the_whole_upstream_name_becomes_the_path() {
        for (site, upstream, here) in [
            (
                "r.local:5000/company/infra",
                "registry.k8s.io/pause:3.10.1",
                "company/infra/registry.k8s.io/pause:3.10.1",
            ),
            ("r.local:5000", "nginx", "docker.io/library/nginx:latest"),
            ("r.local:5000", "localhost:5001/x:1", "localhost_5001/x:1"),
            ("r.local:5000", "[fd00::1]:80/x:1", "ip6_fd00_0_0_0_0_0_0_1_80/x:1"),
            ("r.local:5000/p", &format!("h:1/a/b/c/d/e:t@{SHA}"), &format!("p/h_1/a/b/c/d/e:t@{SHA}")),
            // Another port is another registry, and so is another path of the same one.
            ("r.local:5000", "r.local/x:1", "r.local/x:1"),
            ("r.local:5000/p", "r.local:5000/q/x:1", "p/r.local_5000/q/x:1"),
            ("r.local:5000/p", "r.local:5000/pq/x:1", "p/r.local_5000/pq/x:1"),
        ] {
            let site: Site = site.parse().unwrap();
            let rewritten = read(upstream).rewrite(&site).unwrap();
            assert_eq!(rewritten.to_string(), format!("r.local:5000/{here}"));
            assert_eq!(rewritten.original(&site), Some(read(upstream)));
            assert_eq!(rewritten.rewrite(&site).unwrap(), rewritten);
        }
    }

    #[test]
    fn the_sites_own_images_stay_and_have_no_original() {
        let site: Site = "r.local:5000".parse().unwrap();
        for own in
            ["r.local:5000/mine/app:1", "r.local:5000/app", "r.local:5000/docker.io/nginx:1", "r.local:5000/a_1_2/b"]
        {
            assert_eq!(read(own).rewrite(&site).unwrap(), read(own));
            assert_eq!(read(own).original(&site), None, "{own}");
        }
        assert_eq!(read("nginx").original(&site), None);
    }

    #[test]
    fn a_path_that_grows_too_long_is_refused() {
        let site: Site = "r.local:5000/company".parse().unwrap();
        let long = read(&format!("a.b/{}:1", "c".repeat(243)));
        assert_eq!(long.rewrite(&site).unwrap().repository().len(), 255);
        let longer = read(&format!("a.b/{}:1", "c".repeat(244)));
        assert_eq!(longer.rewrite(&site).expect_err("256 characters").fault, Fault::TooLong(256));
    }

    #[test]
    fn a_site_is_a_registry_and_a_path() {
        for bad in ["", "registry", "r.local/", "r.local/Upper", "r.local//a", "r.local/a:1", "https://r.local"] {
            assert!(bad.parse::<Site>().is_err(), "{bad}");
        }
        let site: Site = "r.local:5000/a/b".parse().unwrap();
        assert_eq!((site.to_string().as_str(), site.prefix()), ("r.local:5000/a/b", Some("a/b")));
        assert_eq!(site.path_of(&"h:1".parse().unwrap()), "a/b/h_1");
    }
}

//! Where things are fetched from instead of upstream: the zone's mirrors, and the cluster's own before them.

use std::collections::BTreeMap;

use crate::catalogue::Catalogue;
use crate::cluster::schema::Spec;

/// The redirections of one cluster.
#[derive(Debug, Clone, Default)]
pub struct Redirects {
    files: BTreeMap<String, String>,
    images: BTreeMap<String, String>,
    packages: BTreeMap<String, String>,
}

/// The zone's redirections with the cluster's own laid over them.
pub fn redirects(spec: &Spec, catalogue: &Catalogue) -> Redirects {
    let own = &spec.mirrors;
    let zone = catalogue.zones.get(&own.zone);
    let both = |zone: Option<&BTreeMap<String, String>>, own: &BTreeMap<String, String>| {
        zone.into_iter().flatten().chain(own).map(|(from, to)| (from.clone(), to.clone())).collect()
    };
    Redirects {
        files: both(zone.map(|zone| &zone.files), &own.files),
        images: both(zone.map(|zone| &zone.images), &own.images),
        packages: both(zone.map(|zone| &zone.packages), &own.packages),
    }
}

impl Redirects {
    /// Where a file is fetched from instead.
    pub fn file(&self, url: &str) -> Option<String> {
        let (_, rest) = url.split_once("://")?;
        longest(&self.files, rest)
    }

    /// Where an image is fetched from instead.
    pub fn image(&self, name: &str) -> Option<String> {
        longest(&self.images, name)
    }

    /// Where a package repository is read from instead.
    pub fn package(&self, repository: &str) -> Option<String> {
        let (_, rest) = repository.split_once("://")?;
        longest(&self.packages, rest)
    }
}

/// The address with its longest known beginning replaced; beginnings end where a part of the path ends.
fn longest(map: &BTreeMap<String, String>, address: &str) -> Option<String> {
    let whole_parts = |rest: &str| rest.is_empty() || rest.starts_with(['/', ' ']);
    map.iter()
        .filter_map(|(from, to)| {
            let from = from.trim_end_matches('/');
            let rest = address.strip_prefix(from).filter(|rest| whole_parts(rest))?;
            Some((from.len(), format!("{}{rest}", to.trim_end_matches('/'))))
        })
        .max_by_key(|(length, _)| *length)
        .map(|(_, address)| address)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_whole_beginning_is_replaced() {
        let map: BTreeMap<String, String> = [
            ("registry.k8s.io", "mirror.test/k8s"),
            ("registry.k8s.io/coredns", "mirror.test/dns/"),
            ("gcr.io", "mirror.test/gcr"),
        ]
        .map(|(from, to)| (from.to_owned(), to.to_owned()))
        .into();
        assert_eq!(longest(&map, "registry.k8s.io/pause:3.10").unwrap(), "mirror.test/k8s/pause:3.10");
        assert_eq!(longest(&map, "registry.k8s.io/coredns/coredns:v1").unwrap(), "mirror.test/dns/coredns:v1");
        assert_eq!(longest(&map, "gcr.io.example/x:1"), None);
        assert_eq!(longest(&map, "quay.io/x:1"), None);
    }
}

//! What a person may ask for: `socat`, `socat.x86_64`, `socat-1.7.4`, `libssl.so.3()(64bit)`, `nginx >= 1.20`, `/usr/bin/socat`.

use super::index::{Index, Number};
use super::version::{Evr, Sense};

/// The packages that a request may mean, in no order.
pub fn candidates(index: &Index, spec: &str) -> Vec<Number> {
    let spec = spec.trim();
    let mut found: Vec<Number> = index.find(spec).map(|name| index.named(name).collect()).unwrap_or_default();
    if !found.is_empty() {
        // Whoever asks for a name gets what took its place.
        let replaced: Vec<Number> = found.iter().flat_map(|number| index.replacements(*number)).collect();
        found.extend(replaced);
    }
    if found.is_empty() {
        found = by_version(index, spec);
    }
    if found.is_empty() {
        found = providers(index, spec).unwrap_or_default();
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// A name with an architecture, a version, a release behind it.
fn by_version(index: &Index, spec: &str) -> Vec<Number> {
    let mut found = Vec::new();
    for (at, _) in spec.match_indices(['-', '.']) {
        let (name, rest) = (&spec[..at], &spec[at + 1..]);
        let Some(name) = index.find(name) else { continue };
        found.extend(index.named(name).filter(|number| {
            let package = index.package(*number);
            let (evr, arch) = (Evr::parse(index.words(package.evr)), index.words(package.arch));
            let release = evr.release.unwrap_or_default();
            let versions = [
                evr.version.to_owned(),
                format!("{}-{release}", evr.version),
                format!("{}:{}", evr.epoch, evr.version),
                format!("{}:{}-{release}", evr.epoch, evr.version),
            ];
            let named = |version: &String| rest == version || rest.strip_suffix(arch) == Some(&format!("{version}."));
            if spec[at..].starts_with('.') { rest == arch } else { versions.iter().any(named) }
        }));
    }
    found
}

/// Who provides a capability or a path, with a version or without.
fn providers(index: &Index, spec: &str) -> Option<Vec<Number>> {
    let words: Vec<&str> = spec.split_whitespace().collect();
    let (name, sense, evr) = match words.as_slice() {
        [name] => (*name, Sense::ANY, ""),
        [name, sign, evr] => (*name, Sense::from_sign(sign)?, *evr),
        _ => return None,
    };
    Some(index.providers(index.find(name)?, sense, evr))
}

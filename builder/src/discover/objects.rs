//! Fields of known kinds that hold images, whole or in parts.

use super::catch::Catch;
use super::error::Reason;
use super::fields::{ImageFields, Parts, Trust};
use super::pattern::select;
use super::trail::Trail;
use super::tree::Node;

/// Applies the rules for an object's kind.
pub(super) fn object(node: &Node, at: &Trail<'_>, fields: &ImageFields, catch: &mut Catch) {
    let (Some(version), Some(kind)) = (node.text("apiVersion"), node.text("kind")) else { return };
    let group = version.split_once('/').map_or("", |(group, _)| group);
    let name = node.field("metadata").and_then(|metadata| metadata.text("name")).unwrap_or_default();
    for rule in fields.rules_for(group, kind, name) {
        for path in &rule.paths {
            select(path, node, at, &mut |value, at| catch.value(value, Trust::Certain, at));
        }
        for parts in &rule.parts {
            select(&parts.at, node, at, &mut |mapping, at| join(parts, mapping, at, catch));
        }
    }
}

/// Puts a reference together from the fields beside each other.
fn join(parts: &Parts, mapping: &Node, at: &Trail<'_>, catch: &mut Catch) {
    let set = |key: &String| mapping.text(key).filter(|text| !text.is_empty());
    let Some(repository) = set(&parts.repository).filter(|_| parts.unless.as_ref().and_then(set).is_none()) else {
        return;
    };
    let place = at.field(&parts.repository);
    let digest = parts.digest.iter().find_map(set);
    let tag = parts.tag.iter().find_map(set);
    let mut text = parts.registry.as_ref().and_then(set).map_or_else(String::new, |registry| format!("{registry}/"));
    text.push_str(repository);
    let complete = repository.rsplit('/').next().is_some_and(|last| last.contains([':', '@']));
    match (digest, tag) {
        (Some(digest), _) if digest.contains(':') => text = format!("{text}@{digest}"),
        (Some(hex), _) => text = format!("{text}@sha256:{hex}"),
        (None, Some(tag)) => text = format!("{text}:{tag}"),
        (None, None) if complete => {}
        (None, None) => return catch.problem(Reason::Untagged(text.chars().take(120).collect()), &place),
    }
    catch.text(&text, Trust::Certain, &place);
}

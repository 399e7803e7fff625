//! One container: its image, and the images that it is told to start by variables and arguments.

use super::catch::Catch;
use super::fields::{ImageFields, Trust};
use super::trail::Trail;
use super::tree::Node;

/// The lists of a pod that hold containers, by which a pod is recognised wherever it stands.
pub(super) const LISTS: [&str; 3] = ["containers", "initContainers", "ephemeralContainers"];

/// Looks through an item of such a list. One without an image changes a container that another names: nothing to find.
pub(super) fn container(node: &Node, at: &Trail<'_>, fields: &ImageFields, catch: &mut Catch) {
    if let Some(image) = node.field("image") {
        catch.value(image, Trust::Required, &at.field("image"));
    }
    variables(node, at, fields, catch);
    for key in ["command", "args"] {
        if let Some(list) = node.field(key) {
            arguments(list.items(), &at.field(key), fields, catch);
        }
    }
}

/// `env: [{name: RELATED_IMAGE_X, value: …}]`
fn variables(node: &Node, at: &Trail<'_>, fields: &ImageFields, catch: &mut Catch) {
    let at = at.field("env");
    for (index, variable) in node.field("env").map_or(&[][..], Node::items).iter().enumerate() {
        let trust = variable.text("name").and_then(|name| fields.variables.trust(name));
        if let (Some(trust), Some(value)) = (trust, variable.text("value")) {
            catch.text(value, trust, &at.item(index).field("value"));
        }
    }
}

/// `--some-image=…`, and `--some-image` with its value in the next item.
fn arguments(items: &[Node], at: &Trail<'_>, fields: &ImageFields, catch: &mut Catch) {
    let text = |index: usize| match items.get(index) {
        Some(Node::Text(text)) => Some(text.as_str()),
        _ => None,
    };
    for index in 0..items.len() {
        let Some(argument) = text(index).filter(|argument| argument.starts_with('-')) else { continue };
        let (flag, value, place) = match argument.split_once('=') {
            Some((flag, value)) => (flag, Some(value), index),
            None => (argument, text(index + 1).filter(|next| !next.starts_with('-')), index + 1),
        };
        if let (Some(trust), Some(value)) = (fields.flags.trust(flag), value) {
            catch.text(value, trust, &at.item(place));
        }
    }
}

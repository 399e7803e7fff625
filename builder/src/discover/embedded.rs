//! Settings and whole manifests inside the values of ConfigMaps (and of Secrets, as far as they are written in clear).

use super::trail::Trail;
use super::tree::{Node, documents};
use super::walk::{Walker, title};

/// Documents inside documents inside documents: more is not a manifest.
const LEVELS: usize = 3;
/// A cluster accepts no ConfigMap that is longer.
const LONGEST: usize = 1024 * 1024;

impl Walker<'_> {
    /// Looks through the values of an object that holds texts under names.
    pub(super) fn texts(&mut self, node: &Node, at: &Trail<'_>) {
        let Some(key) = (match node.text("kind") {
            Some("ConfigMap") => Some("data"),
            Some("Secret") => Some("stringData"),
            _ => None,
        }) else {
            return;
        };
        let (values, at) = (node.field(key).map_or(&[][..], Node::entries), at.field(key));
        for (name, value) in values {
            let Node::Text(text) = value else { continue };
            let at = at.field(name);
            // Operators read such values as they read variables of the same name.
            if let Some(trust) = self.fields.variables.trust(name) {
                self.catch.text(text, trust, &at);
            }
            self.manifest(text, &at);
        }
    }

    /// A value that is YAML itself. Scripts and settings in other forms are not: what does not parse is left alone.
    fn manifest(&mut self, text: &str, at: &Trail<'_>) {
        let structured = text.contains('\n') || text.trim_start().starts_with(['{', '[']);
        if self.level >= LEVELS || text.len() > LONGEST || !structured || !text.contains("image") {
            return;
        }
        self.level += 1;
        let budget = self.budget();
        for (index, document) in documents(text, &budget).map_while(Result::ok).enumerate() {
            let place = match (title(&document), index) {
                (Some(title), _) => format!("{at}: {title}"),
                (None, 0) => format!("{at}:"),
                (None, index) => format!("{at}: document {}", index + 1),
            };
            self.node(&document, &Trail::object(&place));
        }
        self.level -= 1;
    }
}

//! Text to a tree in which everything knows its place.
//!
//! A person's file is read into this tree first and into types later, so that *all* problems can be reported at once,
//! each with its line, and so that scalars are read as what the field asks for (`version: 1.30` stays a text).

mod merge;
mod parse;
mod source;

pub use merge::{SetError, merge, set};
pub use parse::{Limits, parse};
pub use source::{Place, Source, Sources};

/// A node of the tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// Where it stands.
    pub place: Place,
    /// What it is.
    pub value: Value,
}

/// What a node is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// Text, and whether it was written without quotes (only then can it mean a number, a boolean or nothing).
    Scalar {
        /// The text, unescaped.
        text: String,
        /// Without quotes.
        plain: bool,
    },
    /// A list.
    List(Vec<Node>),
    /// A mapping, in the order of the file.
    Map(Vec<Entry>),
}

/// One field of a mapping.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// The field's name.
    pub key: String,
    /// Where the name stands.
    pub key_place: Place,
    /// What it is set to.
    pub node: Node,
}

impl Node {
    /// Whether it says nothing: an empty value, `~` or `null`.
    pub fn is_null(&self) -> bool {
        matches!(&self.value, Value::Scalar { text, plain: true } if matches!(text.as_str(), "" | "~" | "null" | "Null" | "NULL"))
    }

    /// Gives it and everything in it one place.
    pub fn relocate(&mut self, place: Place) {
        self.place = place;
        match &mut self.value {
            Value::Scalar { .. } => {}
            Value::List(items) => items.iter_mut().for_each(|item| item.relocate(place)),
            Value::Map(entries) => entries.iter_mut().for_each(|entry| {
                entry.key_place = place;
                entry.node.relocate(place);
            }),
        }
    }

    /// The field of a mapping.
    pub fn field(&self, key: &str) -> Option<&Entry> {
        match &self.value {
            Value::Map(entries) => entries.iter().find(|entry| entry.key == key),
            _ => None,
        }
    }

    /// The place of a field's name, where it is written down; otherwise that of its nearest ancestor.
    pub fn locate_name(&self, path: &str, name: &str) -> Place {
        let mut node = Some(self);
        for step in steps(path) {
            node = node.and_then(|node| match (step, &node.value) {
                (Step::Field(key), _) => node.field(key).map(|entry| &entry.node),
                (Step::Item(index), Value::List(items)) => items.get(index),
                _ => None,
            });
        }
        node.and_then(|node| node.field(name)).map_or_else(|| self.locate(path), |entry| entry.key_place)
    }

    /// The place of a field given as `spec.hosts[2].address`; of its nearest ancestor where it is not written down.
    pub fn locate(&self, path: &str) -> Place {
        let mut node = self;
        let mut place = self.place;
        for step in steps(path) {
            match (step, &node.value) {
                (Step::Field(key), Value::Map(_)) => {
                    let Some(entry) = node.field(key) else { break };
                    node = &entry.node;
                    // A collection's own place spans many lines; the name above it is what a reader looks for.
                    place = if matches!(node.value, Value::Scalar { .. }) && !node.is_null() {
                        node.place
                    } else {
                        entry.key_place
                    };
                }
                (Step::Item(index), Value::List(items)) => {
                    let Some(item) = items.get(index) else { break };
                    node = item;
                    place = first_place(item);
                }
                _ => break,
            }
        }
        place
    }
}

/// The place of the first thing written in a node: the name of a mapping's first field, or the node itself.
fn first_place(node: &Node) -> Place {
    match &node.value {
        Value::Map(entries) => entries.first().map_or(node.place, |entry| entry.key_place),
        _ => node.place,
    }
}

/// A step of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step<'a> {
    /// Into a field.
    Field(&'a str),
    /// Into an item of a list.
    Item(usize),
}

/// The steps of a path such as `spec.hosts[2].address` or `spec.mirrors.images["registry.k8s.io"]`.
pub fn steps(path: &str) -> Vec<Step<'_>> {
    let mut found = vec![];
    let mut rest = path;
    while !rest.is_empty() {
        let quoted = rest.strip_prefix("[\"").and_then(|inner| inner.split_once("\"]"));
        let item = rest.strip_prefix('[').and_then(|inner| inner.split_once(']'));
        if let Some((key, after)) = quoted {
            found.push(Step::Field(key));
            rest = after;
        } else if let Some((Ok(index), after)) = item.map(|(index, after)| (index.parse(), after)) {
            found.push(Step::Item(index));
            rest = after;
        } else {
            let end =
                rest.char_indices().skip(1).find(|(_, c)| ['.', '['].contains(c)).map_or(rest.len(), |(at, _)| at);
            found.push(Step::Field(&rest[..end]));
            rest = &rest[end..];
        }
        rest = rest.strip_prefix('.').unwrap_or(rest);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_split_into_fields_and_items() {
        let field = Step::Field;
        assert_eq!(
            steps("spec.hosts[2].roles[0]"),
            [field("spec"), field("hosts"), Step::Item(2), field("roles"), Step::Item(0)]
        );
        assert_eq!(steps("a[\"b.c:5\"].d"), [field("a"), field("b.c:5"), field("d")]);
        assert_eq!(steps("hosts[x]"), [field("hosts"), field("[x]")]);
        assert_eq!(steps(""), []);
        assert_eq!(steps("é[0]"), [field("é"), Step::Item(0)]);
    }

    #[test]
    fn a_missing_field_is_located_at_its_nearest_ancestor() {
        let mut sources = Sources::default();
        let id = sources.add("a.yaml", "spec:\n  hosts:\n  - name: a\n".to_owned());
        let tree = parse(&sources, id, &Limits::default()).unwrap();
        let at = |path| {
            let place = tree.locate(path);
            (place.line, place.column)
        };
        assert_eq!(at("spec.hosts[0].name"), (3, 11));
        assert_eq!(at("spec.hosts[0].address"), (3, 5));
        assert_eq!(at("spec.network.plugin"), (1, 1));
    }
}

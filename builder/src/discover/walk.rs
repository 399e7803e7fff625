//! Walks through a document and knows the shapes that hold images.

use std::rc::Rc;

use super::Found;
use super::catch::Catch;
use super::containers::{LISTS, container};
use super::error::DiscoverError;
use super::fields::{ImageFields, Trust};
use super::objects::object;
use super::trail::Trail;
use super::tree::{Budget, Node};

/// Walks through documents and collects what they name.
#[derive(Debug)]
pub(super) struct Walker<'fields> {
    pub(super) fields: &'fields ImageFields,
    pub(super) catch: Catch,
    /// How many texts the current document is embedded in.
    pub(super) level: usize,
    budget: Rc<Budget>,
}

impl<'fields> Walker<'fields> {
    pub(super) fn new(fields: &'fields ImageFields, budget: Budget) -> Self {
        Self { fields, catch: Catch::default(), level: 0, budget: Rc::new(budget) }
    }

    /// What may still be read, shared with everything that is embedded.
    pub(super) fn budget(&self) -> Rc<Budget> {
        Rc::clone(&self.budget)
    }

    pub(super) fn finish(self) -> Result<Vec<Found>, DiscoverError> {
        self.catch.finish()
    }

    /// A document of a text; a list of objects is walked object by object, so that places name those.
    pub(super) fn document(&mut self, node: &Node, origin: &str, number: usize) -> Result<(), DiscoverError> {
        let place = format!("{origin}: {}", title(node).unwrap_or_else(|| format!("document {number}")));
        match node {
            Node::Null => {}
            Node::Text(_) | Node::Other => return Err(DiscoverError::NotAnObject { place }),
            _ if node.text("kind").is_some_and(|kind| kind.ends_with("List")) && node.field("items").is_some() => {
                for item in node.field("items").map_or(&[][..], Node::items) {
                    self.document(item, origin, number)?;
                }
            }
            _ => self.node(node, &Trail::object(&place)),
        }
        Ok(())
    }

    /// A value and everything in it.
    pub(super) fn node(&mut self, node: &Node, at: &Trail<'_>) {
        for (index, item) in node.items().iter().enumerate() {
            self.node(item, &at.item(index));
        }
        if !node.entries().is_empty() {
            object(node, at, self.fields, &mut self.catch);
            self.texts(node, at);
        }
        for (key, value) in node.entries() {
            let at = at.field(key);
            self.shape(key, value, &at);
            self.node(value, &at);
        }
    }

    /// What a field's name and form give away.
    fn shape(&mut self, key: &str, value: &Node, at: &Trail<'_>) {
        let items = value.items().iter().enumerate();
        match (value, self.fields.fields.trust(key)) {
            (Node::Text(text), Some(trust)) => self.catch.text(text, trust, at),
            (Node::List(_), _) if LISTS.contains(&key) => {
                items.for_each(|(index, item)| container(item, &at.item(index), self.fields, &mut self.catch));
            }
            (Node::List(_), _) if key == "volumes" => {
                for (index, item) in items {
                    if let Some(reference) = item.field("image").and_then(|image| image.field("reference")) {
                        let at = at.item(index);
                        self.catch.value(reference, Trust::Certain, &at.field("image").field("reference"));
                    }
                }
            }
            _ => {}
        }
    }
}

/// Kind and name of an object.
pub(super) fn title(node: &Node) -> Option<String> {
    let kind = node.text("kind")?;
    let metadata = node.field("metadata");
    let name = metadata.and_then(|metadata| metadata.text("name").or_else(|| metadata.text("generateName")));
    Some(name.map_or_else(|| kind.to_owned(), |name| format!("{kind} {name}")))
}

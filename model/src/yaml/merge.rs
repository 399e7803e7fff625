//! One tree laid over another, and single fields set from the command line.

use super::{Entry, Node, Place, Step, Value, steps};

/// Lays `over` over `base`: mappings join field by field, everything else is replaced.
pub fn merge(base: &mut Node, over: Node) {
    match (&mut base.value, over) {
        (Value::Map(fields), Node { value: Value::Map(more), .. }) => {
            for entry in more {
                match fields.iter_mut().find(|known| known.key == entry.key) {
                    Some(known) => merge(&mut known.node, entry.node),
                    None => fields.push(entry),
                }
            }
        }
        (_, over) => *base = over,
    }
}

/// Why a field cannot be set; each with the path of what is in the way.
#[derive(Debug, PartialEq, Eq)]
pub enum SetError {
    /// An item of a list that does not exist.
    Absent(String),
    /// A list where a field is meant.
    List(String),
    /// A text where a field is meant.
    NoMap(String),
}

/// Sets the field at `path`; mappings on the way are made, and named at `name_place`. Items of lists must exist.
pub fn set(node: &mut Node, path: &str, value: Node, name_place: Place) -> Result<(), SetError> {
    let mut node = node;
    let mut walked = String::new();
    for step in steps(path) {
        match step {
            Step::Field(key) => {
                node = field_or_new(node, key, name_place, &walked)?;
                let dot = if walked.is_empty() { "" } else { "." };
                walked = format!("{walked}{dot}{key}");
            }
            Step::Item(index) => {
                walked = format!("{walked}[{index}]");
                node = match &mut node.value {
                    Value::List(items) => items.get_mut(index),
                    _ => None,
                }
                .ok_or_else(|| SetError::Absent(walked.clone()))?;
            }
        }
    }
    *node = value;
    Ok(())
}

fn field_or_new<'node>(
    node: &'node mut Node,
    key: &str,
    place: Place,
    path: &str,
) -> Result<&'node mut Node, SetError> {
    if node.is_null() {
        node.value = Value::Map(vec![]);
    }
    let fields = match &mut node.value {
        Value::Map(fields) => fields,
        Value::List(_) => return Err(SetError::List(path.to_owned())),
        Value::Scalar { .. } => return Err(SetError::NoMap(path.to_owned())),
    };
    let at = fields.iter().position(|entry| entry.key == key).unwrap_or(fields.len());
    if at == fields.len() {
        let empty = Node { place, value: Value::Scalar { text: String::new(), plain: true } };
        fields.push(Entry { key: key.to_owned(), key_place: place, node: empty });
    }
    Ok(&mut fields[at].node)
}

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

/// Sets the field at `path`; mappings on the way are made, items of lists must exist. `Err` holds the part that does not.
pub fn set(node: &mut Node, path: &str, value: Node) -> Result<(), String> {
    let place = value.place;
    let mut node = node;
    let mut walked = String::new();
    for step in steps(path) {
        node = match step {
            Step::Field(key) => {
                if !walked.is_empty() {
                    walked.push('.');
                }
                walked.push_str(key);
                field_or_new(node, key, place)
            }
            Step::Item(index) => {
                walked = format!("{walked}[{index}]");
                match &mut node.value {
                    Value::List(items) => items.get_mut(index),
                    _ => None,
                }
            }
        }
        .ok_or(walked.clone())?;
    }
    *node = value;
    Ok(())
}

fn field_or_new<'node>(node: &'node mut Node, key: &str, place: Place) -> Option<&'node mut Node> {
    if node.is_null() {
        node.value = Value::Map(vec![]);
    }
    let Value::Map(fields) = &mut node.value else { return None };
    let at = fields.iter().position(|entry| entry.key == key).unwrap_or(fields.len());
    if at == fields.len() {
        let empty = Node { place, value: Value::Scalar { text: String::new(), plain: true } };
        fields.push(Entry { key: key.to_owned(), key_place: place, node: empty });
    }
    Some(&mut fields[at].node)
}

//! The fields of cluster.yaml that decide whether something is wanted.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

/// Fields below `spec` and the values that they must have; all of them must hold.
///
/// A path through a list asks its elements: one of them must satisfy every condition on that list.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct When(pub BTreeMap<String, OneOf>);

/// The values that a field may have: null means that it is not set, `*` that it is set to anything.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OneOf(pub Vec<Value>);

impl<'de> Deserialize<'de> for OneOf {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(match Value::deserialize(deserializer)? {
            Value::Array(values) => Self(values),
            value => Self(vec![value]),
        })
    }
}

impl OneOf {
    fn accepts(&self, found: Option<&Value>) -> bool {
        let unset = match found {
            None | Some(Value::Null) => true,
            Some(Value::Array(items)) => items.is_empty(),
            Some(_) => false,
        };
        self.0.iter().any(|wanted| match wanted {
            Value::Null => unset,
            Value::String(word) if word == "*" => !unset,
            wanted => found == Some(wanted),
        })
    }
}

impl When {
    /// Whether a cluster's spec satisfies all conditions.
    pub fn holds(&self, spec: &Value) -> bool {
        let conditions: Vec<_> = self.0.iter().map(|(path, one_of)| (path.as_str(), one_of)).collect();
        all_hold(spec, &conditions)
    }

    /// The value of a field; through a list, that of the element which satisfies the conditions on the list.
    pub fn pick<'spec>(&self, spec: &'spec Value, path: &str) -> Option<&'spec Value> {
        let (head, rest) = path.split_once('.').map_or((path, None), |(head, rest)| (head, Some(rest)));
        let value = spec.get(head)?;
        let Some(rest) = rest else { return Some(value) };
        let Value::Array(items) = value else {
            return self.below(head).pick(value, rest);
        };
        let inner = self.below(head);
        items.iter().find(|item| inner.holds(item)).and_then(|item| inner.pick(item, rest))
    }

    /// The conditions on what lies below a field.
    fn below(&self, head: &str) -> Self {
        let prefix = format!("{head}.");
        let inner =
            self.0.iter().filter_map(|(path, one_of)| Some((path.strip_prefix(&prefix)?.to_owned(), one_of.clone())));
        Self(inner.collect())
    }
}

fn all_hold(value: &Value, conditions: &[(&str, &OneOf)]) -> bool {
    let mut deeper: BTreeMap<&str, Vec<(&str, &OneOf)>> = BTreeMap::new();
    for (path, one_of) in conditions {
        match path.split_once('.') {
            None if !one_of.accepts(value.get(*path)) => return false,
            None => {}
            Some((head, rest)) => deeper.entry(head).or_default().push((rest, one_of)),
        }
    }
    deeper.into_iter().all(|(head, conditions)| match value.get(head) {
        Some(Value::Array(items)) => items.iter().any(|item| all_hold(item, &conditions)),
        Some(inner) => all_hold(inner, &conditions),
        None => all_hold(&Value::Null, &conditions),
    })
}

impl When {
    /// The deciding fields with the values that they have: `runtime.type=containerd`.
    ///
    /// That something is not set explains nothing to a reader, so it is left out.
    pub fn because(&self, spec: &Value) -> Vec<String> {
        let reason = |path: &String| {
            let value = self.pick(spec, path).filter(|value| !value.is_null())?;
            Some(format!("{path}={}", value.as_str().map_or_else(|| value.to_string(), str::to_owned)))
        };
        self.0.keys().filter_map(reason).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn when(value: Value) -> When {
        serde_json::from_value(value).unwrap()
    }

    #[test]
    fn conditions_on_one_list_meet_in_one_element() {
        let spec = json!({"addons": [{"name": "metallb", "chart": "x.tgz"}, {"name": "other"}]});
        assert!(when(json!({"addons.name": "metallb"})).holds(&spec));
        assert!(!when(json!({"addons.name": "metallb", "addons.chart": null})).holds(&spec));
        assert!(when(json!({"addons.chart": "*"})).holds(&spec));
        assert!(when(json!({"addons.name": ["nothing", "other"]})).holds(&spec));
        assert!(!when(json!({"storage.name": "nfs"})).holds(&spec));
    }

    #[test]
    fn a_field_is_picked_from_the_element_that_is_meant() {
        let spec = json!({"storage": [{"name": "nfs", "version": "1"}, {"name": "longhorn", "version": "2"}]});
        let rule = when(json!({"storage.name": "longhorn"}));
        assert_eq!(rule.pick(&spec, "storage.version"), Some(&json!("2")));
        assert_eq!(when(json!({})).pick(&json!({"a": {"b": 3}}), "a.b"), Some(&json!(3)));
    }

    #[test]
    fn a_reason_names_the_fields_that_decide_and_what_they_are_set_to() {
        let spec = json!({"a": {"b": "c"}, "d": 2, "list": [{"name": "x"}, {"name": "y"}]});
        let rule = when(json!({"a.b": ["c", "z"], "d": [true, 2], "e": null, "list.name": "y"}));
        assert_eq!(rule.because(&spec), ["a.b=c", "d=2", "list.name=y"]);
    }
}

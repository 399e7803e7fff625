//! The JSON Schema of cluster.yaml, generated from the types.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use schemars::generate::SchemaSettings;
use serde_json::Value;

use super::schema::ClusterFile;

/// Where the schema is published, and what its `$id` says.
pub const ADDRESS: &str = "https://kubexm.io/schema/cluster-v1alpha1.json";

static ROOT: LazyLock<Value> = LazyLock::new(|| {
    // Draft 7 is what the YAML language server of the editors reads.
    let schema = SchemaSettings::draft07().into_generator().into_root_schema_for::<ClusterFile>();
    let mut value = schema.to_value();
    value["$id"] = Value::String(ADDRESS.to_owned());
    value
});

/// The whole schema.
pub fn root() -> &'static Value {
    &ROOT
}

/// Follows references and unpacks what schemars wraps around them, down to a schema that says what is meant.
pub(super) fn resolve(schema: &'static Value) -> &'static Value {
    let reference = schema.get("$ref").and_then(Value::as_str);
    if let Some(name) = reference.and_then(|text| text.strip_prefix("#/definitions/")) {
        return resolve(&root()["definitions"][name]);
    }
    let wrapped = schema.get("allOf").or_else(|| schema.get("anyOf")).and_then(Value::as_array);
    match wrapped.and_then(|parts| parts.iter().find(|part| part["type"] != "null")) {
        Some(part) => resolve(part),
        None => schema,
    }
}

/// The fields of an object, by name.
pub(super) fn properties(schema: &'static Value) -> Option<&'static serde_json::Map<String, Value>> {
    schema.get("properties").and_then(Value::as_object)
}

/// The values of a list of values, or `None` for other schemas.
pub(super) fn values(schema: &'static Value) -> Option<Vec<&'static str>> {
    let of = |schema: &'static Value| -> Vec<&'static str> {
        let listed = schema.get("enum").and_then(Value::as_array).into_iter().flatten();
        listed.chain(schema.get("const")).filter_map(Value::as_str).collect()
    };
    let found: Vec<_> = match schema.get("oneOf").and_then(Value::as_array) {
        Some(parts) => parts.iter().flat_map(of).collect(),
        None => of(schema),
    };
    (!found.is_empty()).then_some(found)
}

/// Every field below `spec` and `metadata` with the path that leads to it; items of lists are written `hosts[]`.
pub(super) fn fields() -> &'static BTreeMap<String, &'static Value> {
    static FIELDS: LazyLock<BTreeMap<String, &'static Value>> = LazyLock::new(|| {
        let mut found = BTreeMap::new();
        collect("", root(), &mut found);
        found
    });
    &FIELDS
}

fn collect(path: &str, schema: &'static Value, found: &mut BTreeMap<String, &'static Value>) {
    let schema = resolve(schema);
    if let Some(items) = schema.get("items") {
        collect(&format!("{path}[]"), items, found);
    }
    for (name, field) in properties(schema).into_iter().flatten() {
        let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
        found.insert(path.clone(), field);
        collect(&path, field, found);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::formats;

    #[test]
    fn the_schema_says_nothing_that_the_reader_does_not_check() {
        const KNOWN: &[&str] = &[
            "$ref",
            "$schema",
            "$id",
            "title",
            "description",
            "default",
            "definitions",
            "type",
            "properties",
            "required",
            "additionalProperties",
            "items",
            "minItems",
            "minLength",
            "maxLength",
            "minimum",
            "maximum",
            "enum",
            "const",
            "oneOf",
            "anyOf",
            "allOf",
            "format",
            "pattern",
        ];
        fn walk(schema: &Value) {
            let Value::Object(map) = schema else { return };
            for (key, value) in map {
                assert!(KNOWN.contains(&key.as_str()), "the reader does not know `{key}`: {schema}");
                match key.as_str() {
                    "properties" | "definitions" => value.as_object().unwrap().values().for_each(walk),
                    "items" | "additionalProperties" => walk(value),
                    "oneOf" | "anyOf" | "allOf" => value.as_array().unwrap().iter().for_each(walk),
                    _ => {}
                }
            }
            if let Some(format) = map.get("format").and_then(Value::as_str) {
                let numeric = format.starts_with("uint");
                assert!(numeric || formats::find(format).is_some(), "no rule for the form `{format}`");
            } else {
                assert!(!map.contains_key("pattern"), "a pattern needs a form with a rule: {schema}");
            }
        }
        walk(root());
    }

    #[test]
    fn every_field_is_described() {
        for (path, schema) in fields() {
            assert!(schema.get("description").is_some(), "{path} has no description");
        }
    }
}

//! A tree against the schema: every problem of shape at once, and the values as the fields ask for them.
//!
//! What is wrong is replaced by something harmless, and its path is remembered as unsure, so that the checks which do
//! not depend on it can still run.

use serde_json::{Map, Number, Value};

use super::formats;
use super::free::free;
use super::json_schema::{fields, properties, resolve, values};
use super::suggest::nearest;
use crate::finding::{Code, Finding};
use crate::yaml::{self, Entry, Node, Place};

/// What came of it.
pub(super) struct Shaped {
    /// The values, complete even where the tree was not.
    pub(super) value: Value,
    /// What is wrong.
    pub(super) findings: Vec<Finding>,
    /// Paths whose values were made up, with `[]` for any item of a list.
    pub(super) unsure: Vec<String>,
    /// Where secrets stand.
    pub(super) secrets: Vec<Place>,
}

/// Reads a tree along the schema.
pub(super) fn shape(tree: &Node, schema: &'static Value) -> Shaped {
    let mut shaper = Shaper { findings: vec![], unsure: vec![], secrets: vec![] };
    let value = shaper.read(tree, schema, "").unwrap_or_else(|| shaper.made_up(schema, ""));
    Shaped { value, findings: shaper.findings, unsure: shaper.unsure, secrets: shaper.secrets }
}

struct Shaper {
    findings: Vec<Finding>,
    unsure: Vec<String>,
    secrets: Vec<Place>,
}

impl Shaper {
    /// The value of a node, or `None` after saying why there is none.
    fn read(&mut self, node: &Node, schema: &'static Value, path: &str) -> Option<Value> {
        let schema = resolve(schema);
        if let Some(words) = values(schema) {
            return self.one_of(node, &words, path);
        }
        match schema["type"].as_str() {
            Some("object") => self.object(node, schema, path),
            Some("array") => self.list(node, schema, path),
            Some("boolean") => self.boolean(node, path),
            Some("integer") => self.integer(node, schema, path),
            Some("string") => self.text(node, schema, path),
            _ => match schema["type"].as_array() {
                // `Option` of a simple type: ["string", "null"].
                Some(_) if schema["type"][0] == "integer" => self.integer(node, schema, path),
                Some(_) => self.text(node, schema, path),
                None => Some(free(node)),
            },
        }
    }

    fn object(&mut self, node: &Node, schema: &'static Value, path: &str) -> Option<Value> {
        let yaml::Value::Map(entries) = &node.value else {
            return self.wrong_type(node, "a mapping", path);
        };
        let Some(known) = properties(schema) else {
            return Some(self.free_keys(entries, schema, path));
        };
        let mut object = Map::new();
        let mut meant = vec![];
        for entry in entries {
            let Some(field) = known.get(&entry.key) else {
                meant.extend(self.unknown_field(entry, known.keys().map(String::as_str), path));
                continue;
            };
            let below = join(path, &entry.key);
            // `kubernetes:` with nothing behind it is the same as leaving it out.
            if entry.node.is_null() {
                continue;
            }
            match self.read(&entry.node, field, &below) {
                Some(value) => {
                    object.insert(entry.key.clone(), value);
                }
                None => self.unsure.push(any_item(&below)),
            }
        }
        for name in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
            if !object.contains_key(name) {
                let below = join(path, name);
                let written = entries.iter().any(|entry| entry.key == name && !entry.node.is_null());
                // A misspelt field has been reported as such.
                if !written && !meant.contains(&name) {
                    self.missing(node, name, path);
                }
                let value = self.made_up(&known[name], &below);
                object.insert(name.to_owned(), value);
            }
        }
        Some(Value::Object(object))
    }

    /// A mapping whose keys the user chooses.
    fn free_keys(&mut self, entries: &[Entry], schema: &'static Value, path: &str) -> Value {
        let inner = schema.get("additionalProperties").filter(|inner| inner.is_object());
        let mut object = Map::new();
        for entry in entries {
            let value = match inner {
                Some(inner) => self.read(&entry.node, inner, &join(path, &entry.key)),
                None => Some(free(&entry.node)),
            };
            object.extend(value.map(|value| (entry.key.clone(), value)));
        }
        Value::Object(object)
    }

    fn list(&mut self, node: &Node, schema: &'static Value, path: &str) -> Option<Value> {
        let yaml::Value::List(items) = &node.value else {
            return self.wrong_type(node, "a list", path);
        };
        let least = schema["minItems"].as_u64().unwrap_or(0);
        if (items.len() as u64) < least {
            let message = format!("`{path}` is empty, and needs {least} item or more");
            self.findings.push(Finding::new(Code::OutOfRange, Some(node.place), message));
            return None;
        }
        let mut values = vec![];
        for (index, item) in items.iter().enumerate() {
            let below = format!("{path}[{index}]");
            match self.read(item, &schema["items"], &below) {
                Some(value) => values.push(value),
                None => self.unsure.push(any_item(&below)),
            }
        }
        Some(Value::Array(values))
    }

    fn one_of(&mut self, node: &Node, words: &[&'static str], path: &str) -> Option<Value> {
        let text = self.scalar(node, "a text", path)?;
        if words.contains(&text) {
            return Some(Value::String(text.to_owned()));
        }
        let all = words.join(", ");
        let help = match nearest(text, words.iter().copied()) {
            Some(word) if words.len() == 1 => format!("write `{word}`"),
            Some(word) => format!("did you mean `{word}`? Possible: {all}"),
            None => format!("possible: {all}"),
        };
        let message = format!("`{}` is not a value of `{path}`", short(text));
        self.findings.push(Finding::new(Code::UnknownValue, Some(node.place), message).help(help));
        None
    }

    fn boolean(&mut self, node: &Node, path: &str) -> Option<Value> {
        let text = self.scalar(node, "true or false", path)?;
        let guess = match text.to_ascii_lowercase().as_str() {
            "true" | "yes" | "on" | "y" | "1" => "true",
            "false" | "no" | "off" | "n" | "0" => "false",
            _ => "",
        };
        match text {
            "true" | "True" | "TRUE" => Some(Value::Bool(true)),
            "false" | "False" | "FALSE" => Some(Value::Bool(false)),
            _ => {
                let message = format!("`{path}` takes true or false, not `{}`", short(text));
                let mut finding = Finding::new(Code::WrongType, Some(node.place), message);
                if !guess.is_empty() {
                    finding = finding.help(format!("write {guess}: YAML 1.2 knows no other word for it"));
                }
                self.findings.push(finding);
                None
            }
        }
    }

    fn integer(&mut self, node: &Node, schema: &'static Value, path: &str) -> Option<Value> {
        let text = self.scalar(node, "a number", path)?;
        let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
        if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
            let message = format!("`{path}` takes a whole number, not `{}`", short(text));
            self.findings.push(Finding::new(Code::WrongType, Some(node.place), message));
            return None;
        }
        let least = schema["minimum"].as_i64().unwrap_or(0);
        let most = schema["maximum"].as_i64().unwrap_or(i64::MAX);
        match text.parse::<i64>().ok().filter(|number| (least..=most).contains(number)) {
            Some(number) => Some(Value::Number(Number::from(number))),
            None => {
                let message = format!("`{path}` must be from {least} to {most}, and is {}", short(text));
                self.findings.push(Finding::new(Code::OutOfRange, Some(node.place), message));
                None
            }
        }
    }

    fn text(&mut self, node: &Node, schema: &'static Value, path: &str) -> Option<Value> {
        if schema["format"] == "secret" {
            self.secrets.push(node.place);
        }
        let text = self.scalar(node, "a text", path)?;
        let length = text.chars().count() as u64;
        let problem = if text.is_empty() && schema["format"] != "time-zone" && restricted(schema) {
            Some(format!("`{path}` is empty"))
        } else if text.chars().any(char::is_control) && schema["format"] != "secret" && schema["format"] != "keys" {
            Some(format!("`{path}` contains a line break or another control character"))
        } else if let Some(format) = schema["format"].as_str().and_then(formats::find) {
            (!(format.accepts)(text)).then(|| format!("`{path}` takes {}", format.expected))
        } else if length > schema["maxLength"].as_u64().unwrap_or(u64::MAX) {
            Some(format!("`{path}` is longer than {} characters", schema["maxLength"]))
        } else {
            None
        };
        match problem {
            None => Some(Value::String(text.to_owned())),
            Some(message) => {
                let mut finding = Finding::new(Code::BadFormat, Some(node.place), message);
                if schema["format"] == "dns-label" && length > 63 {
                    finding.help = Some(format!("it has {length} characters, and 63 are the most"));
                } else if schema["format"] == "dns-label" {
                    finding.help = dns_label_of(text).map(|label| format!("write `{label}`"));
                }
                self.findings.push(finding);
                None
            }
        }
    }

    fn scalar<'node>(&mut self, node: &'node Node, expected: &str, path: &str) -> Option<&'node str> {
        match &node.value {
            yaml::Value::Scalar { text, .. } if !node.is_null() => Some(text),
            _ => {
                self.wrong_type(node, expected, path);
                None
            }
        }
    }

    fn wrong_type(&mut self, node: &Node, expected: &str, path: &str) -> Option<Value> {
        let found = match &node.value {
            yaml::Value::Scalar { .. } if node.is_null() => "nothing",
            yaml::Value::Scalar { .. } => "a text",
            yaml::Value::List(_) => "a list",
            yaml::Value::Map(_) => "a mapping",
        };
        let what = if path.is_empty() { "the file" } else { &format!("`{path}`") };
        let finding = Finding::new(Code::WrongType, Some(node.place), format!("{what} takes {expected}, not {found}"));
        let mut finding = finding.label(format!("this is {found}"));
        if let (yaml::Value::Scalar { text, .. }, "a list") = (&node.value, expected) {
            finding.help = Some(format!("write `[{}]`", short(text)));
        }
        self.findings.push(finding);
        None
    }

    /// Reports a field that does not exist, and returns the one that was probably meant.
    fn unknown_field(
        &mut self,
        entry: &Entry,
        known: impl Iterator<Item = &'static str>,
        path: &str,
    ) -> Option<&'static str> {
        let key = &entry.key;
        let place = if path.is_empty() { "cluster.yaml".to_owned() } else { format!("`{path}`") };
        let message = format!("`{}` is not a field of {place}", short(key));
        let known: Vec<_> = known.collect();
        let elsewhere = || {
            let end = format!(".{key}");
            let found = fields().keys().find_map(|field| field.strip_suffix(&end));
            found.map(|section| format!("`{key}` belongs under `{section}`"))
        };
        let meant = nearest(key, known.iter().copied());
        let help = meant
            .map(|field| format!("did you mean `{field}`?"))
            .or_else(elsewhere)
            .unwrap_or_else(|| format!("possible: {}", known.join(", ")));
        self.findings.push(Finding::new(Code::UnknownField, Some(entry.key_place), message).help(help));
        meant
    }

    fn missing(&mut self, node: &Node, name: &str, path: &str) {
        let whole = if path.is_empty() { "cluster.yaml".to_owned() } else { format!("`{path}`") };
        let field = fields().get(&any_item(&join(path, name))).copied();
        let about = field.and_then(|field| field["description"].as_str()).unwrap_or("it has no default");
        let about = about.trim_end_matches('.');
        let possible = field.and_then(|field| values(resolve(field)));
        let possible = possible.map(|words| format!(" ({})", words.join(", "))).unwrap_or_default();
        let place = Place { end: node.place.column + 1, ..node.place };
        let finding = Finding::new(Code::MissingField, Some(place), format!("{whole} has no `{name}`"));
        self.findings.push(finding.help(format!("add `{name}`: {about}{possible}")));
    }

    /// A harmless value for a field that must be there, remembered as unsure.
    fn made_up(&mut self, schema: &'static Value, path: &str) -> Value {
        self.unsure.push(any_item(path));
        let schema = resolve(schema);
        if let Some(words) = values(schema) {
            return Value::String(words[0].to_owned());
        }
        match schema["type"].as_str() {
            Some("object") => {
                let required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
                let fields = properties(schema);
                required
                    .filter_map(|name| Some((name.to_owned(), self.made_up(fields?.get(name)?, &join(path, name)))))
                    .collect::<Map<_, _>>()
                    .into()
            }
            Some("array") => Value::Array(vec![]),
            Some("string") if schema["format"] == "ip" => Value::String("0.0.0.0".to_owned()),
            _ => Value::String("unknown".to_owned()),
        }
    }
}

/// Whether a text must be something.
fn restricted(schema: &Value) -> bool {
    schema["format"].is_string() || schema["minLength"].as_u64().unwrap_or(0) > 0
}

fn join(path: &str, name: &str) -> String {
    if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") }
}

/// The path with every index left out: `spec.hosts[].port`.
fn any_item(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    let mut inside = false;
    for c in path.chars() {
        if c == ']' {
            inside = false;
        }
        if !inside {
            out.push(c);
        }
        if c == '[' {
            inside = true;
        }
    }
    out
}

/// A text short enough for a message.
fn short(text: &str) -> String {
    let line = text.lines().next().unwrap_or("");
    if line.chars().count() <= 60 { line.to_owned() } else { line.chars().take(57).chain("...".chars()).collect() }
}

/// The DNS label that a name could be turned into.
fn dns_label_of(text: &str) -> Option<String> {
    let text = text.split('.').next().unwrap_or("");
    let label: String = text.to_lowercase().chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    let label = label.trim_matches('-').to_owned();
    formats::find("dns-label").filter(|format| (format.accepts)(&label)).map(|_| label)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_is_any_item() {
        assert_eq!(any_item("spec.hosts[12].roles[0]"), "spec.hosts[].roles[]");
    }
}

//! Settings that are handed on as they are: YAML values whose type nobody prescribes.

use serde_json::{Map, Number, Value};

use crate::yaml::{self, Node};

/// A value whose type nobody prescribes, read as YAML's core schema has it.
pub(super) fn free(node: &Node) -> Value {
    match &node.value {
        yaml::Value::List(items) => items.iter().map(free).collect(),
        yaml::Value::Map(entries) => {
            entries.iter().map(|entry| (entry.key.clone(), free(&entry.node))).collect::<Map<_, _>>().into()
        }
        yaml::Value::Scalar { .. } if node.is_null() => Value::Null,
        yaml::Value::Scalar { text, plain: false } => Value::String(text.clone()),
        yaml::Value::Scalar { text, plain: true } => match text.as_str() {
            "true" | "True" | "TRUE" => Value::Bool(true),
            "false" | "False" | "FALSE" => Value::Bool(false),
            _ => number(text).map_or_else(|| Value::String(text.clone()), Value::Number),
        },
    }
}

/// A number of YAML's core schema.
fn number(text: &str) -> Option<Number> {
    if let Some(octal) = text.strip_prefix("0o") {
        return i64::from_str_radix(octal, 8).ok().map(Number::from);
    }
    if let Some(hex) = text.strip_prefix("0x") {
        return i64::from_str_radix(hex, 16).ok().map(Number::from);
    }
    if !text.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c)) {
        return None;
    }
    // What Kubernetes and Helm read as octal, `defaultMode: 0644`, must reach them as that number.
    let octal =
        text.strip_prefix('0').filter(|rest| !rest.is_empty() && rest.bytes().all(|b| (b'0'..=b'7').contains(&b)));
    if let Some(octal) = octal {
        return i64::from_str_radix(octal, 8).ok().map(Number::from);
    }
    let whole = text.parse::<i64>().ok().map(Number::from).or_else(|| text.parse::<u64>().ok().map(Number::from));
    whole.or_else(|| text.parse::<f64>().ok().and_then(Number::from_f64))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::yaml::Place;

    #[test]
    fn free_scalars_are_read_as_the_core_schema_has_it() {
        let scalar = |text: &str, plain| {
            free(&Node { place: Place::default(), value: yaml::Value::Scalar { text: text.to_owned(), plain } })
        };
        assert_eq!(scalar("12", true), Value::from(12));
        assert_eq!(scalar("12", false), Value::from("12"));
        assert_eq!(scalar("0x10", true), Value::from(16));
        assert_eq!(scalar("0644", true), Value::from(0o644));
        assert_eq!(scalar("0", true), Value::from(0));
        assert_eq!(scalar("12345678901234567890", true), Value::from(12_345_678_901_234_567_890_u64));
        assert_eq!(scalar("1.5", true), Value::from(1.5));
        assert_eq!(scalar("no", true), Value::from("no"));
        assert_eq!(scalar("true", true), Value::from(true));
        assert_eq!(scalar("~", true), Value::Null);
        assert_eq!(scalar("-", true), Value::from("-"));
        assert_eq!(scalar("nan", true), Value::from("nan"));
    }
}

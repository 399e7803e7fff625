//! Data that can stand inside a script element: nothing in it can end the element or begin another one.

use std::fmt::Write as _;

use serde::Serialize;

/// The value as JSON without `<`, `>`, `&` and the line ends that old scripts stumble over.
pub(super) fn embedded(value: &impl Serialize) -> String {
    let json = serde_json::to_string(value).unwrap_or_default();
    let mut safe = String::with_capacity(json.len());
    for c in json.chars() {
        match c {
            // Outside of texts JSON has none of these, and in a text this is another way to write the same.
            '<' | '>' | '&' | '\u{2028}' | '\u{2029}' => {
                let _ = write!(safe, "\\u{:04x}", u32::from(c));
            }
            c => safe.push(c),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_texts_stay_texts() {
        let hostile = "</script><!--<script>&amp;\u{2028}\u{2029}\"\\";
        let json = embedded(&[hostile]);
        assert!(!json.contains(['<', '>', '&', '\u{2028}', '\u{2029}']), "{json}");
        assert_eq!(serde_json::from_str::<Vec<String>>(&json).unwrap(), [hostile]);
    }
}

//! Addresses and tags with words in them: `…/v{{version}}/…-{{arch}}.tar.gz`.

use std::collections::BTreeMap;

use handlebars::Handlebars;

use crate::version::Version;

/// A pattern uses a word that does not exist, or is not closed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the pattern `{pattern}` cannot be filled in: {reason}")]
pub struct PatternError {
    pattern: String,
    reason: String,
}

/// The words that patterns may use.
#[derive(Debug, Clone, Default)]
pub struct Words(BTreeMap<String, String>);

impl Words {
    /// The words that a version brings.
    pub fn of(version: &Version, vars: Option<&BTreeMap<String, String>>) -> Self {
        let mut words = vars.cloned().unwrap_or_default();
        words.insert("version".to_owned(), version.as_str().to_owned());
        words.insert("minor".to_owned(), version.minor());
        words.insert("major".to_owned(), version.major().to_string());
        Self(words)
    }

    /// The same and one more.
    #[must_use]
    pub fn with(&self, word: &str, value: impl Into<String>) -> Self {
        let mut words = self.0.clone();
        words.insert(word.to_owned(), value.into());
        Self(words)
    }

    /// Which word is wrong, and which there are; what the engine says where it is none of them.
    fn reason(&self, pattern: &str, said: &str) -> String {
        let used = pattern.split("{{").skip(1).filter_map(|rest| rest.split_once("}}")).map(|(word, _)| word.trim());
        match used.into_iter().find(|word| !self.0.contains_key(*word)) {
            Some(word) => {
                format!("there is no word `{word}`, only {}", self.0.keys().cloned().collect::<Vec<_>>().join(", "))
            }
            None => said.to_owned(),
        }
    }

    /// The pattern with its words filled in.
    pub fn fill(&self, pattern: &str) -> Result<String, PatternError> {
        if !pattern.contains("{{") {
            return Ok(pattern.to_owned());
        }
        let mut engine = Handlebars::new();
        engine.set_strict_mode(true);
        engine.register_escape_fn(handlebars::no_escape);
        engine.render_template(pattern, &self.0).map_err(|error| PatternError {
            pattern: pattern.to_owned(),
            reason: self.reason(pattern, &error.to_string()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_filled_in_and_unknown_ones_refused() {
        let words = Words::of(&"v1.34.4".parse().unwrap(), None).with("arch", "amd64");
        assert_eq!(words.fill("a/v{{version}}/{{minor}}/x-{{arch}}?a=b").unwrap(), "a/v1.34.4/1.34/x-amd64?a=b");
        assert!(words.fill("a/{{verion}}").is_err());
        assert!(words.fill("a/{{version").is_err());
    }
}

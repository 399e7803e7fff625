//! Values that must never be printed: passwords and tokens.

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize, Serializer};
use zeroize::Zeroizing;

/// A text that shows stars wherever it is printed or serialised, and is wiped from memory when dropped.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct Secret(Zeroizing<String>);

impl Secret {
    /// The text itself; call it only where it is handed to the other side.
    pub fn expose(&self) -> &str {
        &self.0
    }
}

/// What stands in place of a secret.
pub(crate) const STARS: &str = "********";

impl From<String> for Secret {
    fn from(text: String) -> Self {
        Self(Zeroizing::new(text))
    }
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(STARS)
    }
}

impl Serialize for Secret {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(STARS)
    }
}

impl JsonSchema for Secret {
    fn inline_schema() -> bool {
        true
    }
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Secret".into()
    }
    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string", "minLength": 1, "format": "secret"})
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_shows_itself_only_when_asked() {
        let secret: Secret = serde_json::from_str("\"hunter2\"").unwrap();
        assert_eq!(format!("{secret:?}"), STARS);
        assert_eq!(serde_json::to_string(&secret).unwrap(), format!("\"{STARS}\""));
        assert_eq!(secret.expose(), "hunter2");
    }
}

//! A commented cluster.yaml to start from.

use std::collections::BTreeMap;

use handlebars::Handlebars;

use super::formats;
use crate::catalogue::Catalogue;

/// The samples there are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sample {
    /// Every field with a comment.
    Full,
    /// Three masters behind a virtual address.
    HighlyAvailable,
    /// One machine.
    Minimal,
}

/// A sample cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum SampleError {
    /// The name cannot be a cluster's.
    #[error("`{0}` is not {expected}", expected = formats::find("dns-label").map_or("", |format| format.expected))]
    Name(String),
    /// The template asks for a word that the catalogue does not give.
    #[error("the template cannot be filled in")]
    Template(#[source] Box<handlebars::RenderError>),
}

impl Sample {
    fn template(self) -> &'static str {
        match self {
            Self::Full => include_str!("../../../templates/config/full.yaml.hbs"),
            Self::HighlyAvailable => include_str!("../../../templates/config/ha.yaml.hbs"),
            Self::Minimal => include_str!("../../../templates/config/minimal.yaml.hbs"),
        }
    }

    /// The sample's text, with the catalogue's current versions and a line that tells editors where the schema is.
    pub fn render(self, name: &str, schema: &str, catalogue: &Catalogue) -> Result<String, SampleError> {
        if formats::find("dns-label").is_some_and(|format| !(format.accepts)(name)) {
            return Err(SampleError::Name(name.to_owned()));
        }
        let kubernetes = catalogue.newest_kubernetes();
        let mut words: BTreeMap<&str, &str> = [("name", name), ("schema", schema)].into();
        words.extend(kubernetes.map(|version| ("kubernetes", version.as_str())));
        for component in ["etcd", "containerd", "registry", "flannel", "coredns"] {
            words.extend(catalogue.version_for(component, kubernetes).map(|version| (component, version.as_str())));
        }
        let mut engine = Handlebars::new();
        engine.set_strict_mode(true);
        engine.register_escape_fn(handlebars::no_escape);
        engine.render_template(self.template(), &words).map_err(|error| SampleError::Template(Box::new(error)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::json_schema;

    #[test]
    fn the_full_sample_names_every_field() {
        let text = Sample::Full.template();
        for path in json_schema::fields().keys() {
            let field = path.rsplit('.').next().unwrap().trim_end_matches("[]");
            assert!(text.contains(&format!("{field}:")), "{path} is not in the full sample");
        }
    }
}

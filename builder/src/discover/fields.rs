//! Where images stand besides containers: `manifests/image-fields.yaml` as types.

use serde::Deserialize;

use super::error::FieldsError;
use super::pattern::matches;

/// The list that this program carries.
const BUILTIN: (&str, &str) = ("manifests/image-fields.yaml", include_str!("../../../manifests/image-fields.yaml"));

/// The fields, variables and flags that hold images.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ImageFields {
    pub(super) objects: Vec<ObjectRule>,
    pub(super) variables: Names,
    pub(super) flags: Names,
    pub(super) fields: Names,
}

/// Fields of objects of some kinds.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ObjectRule {
    /// The part of apiVersion in front of the `/`; empty for the core.
    #[serde(default)]
    pub(super) group: String,
    pub(super) kinds: Vec<String>,
    /// A pattern for metadata.name.
    #[serde(default = "any")]
    pub(super) name: String,
    /// Fields that hold a whole reference.
    #[serde(default)]
    pub(super) paths: Vec<String>,
    /// Mappings whose fields make up a reference together.
    #[serde(default)]
    pub(super) parts: Vec<Parts>,
}

fn any() -> String {
    "*".to_owned()
}

/// A reference in parts. Where several fields are listed, the first that is set counts.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Parts {
    /// The mapping that has the fields.
    pub(super) at: String,
    pub(super) registry: Option<String>,
    pub(super) repository: String,
    #[serde(default)]
    pub(super) tag: Vec<String>,
    #[serde(default)]
    pub(super) digest: Vec<String>,
    /// A field that makes the others meaningless.
    pub(super) unless: Option<String>,
}

/// Names with wildcards, by how sure it is that their values are images.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Names {
    certain: Vec<String>,
    tagged: Vec<String>,
    likely: Vec<String>,
}

/// How sure it is that a value is an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Trust {
    /// It must be one, and must be there.
    Required,
    /// It is one, unless it is empty.
    Certain,
    /// It is one if it looks like one: with a `/` or a `:`.
    Likely,
    /// It is one if it is a repository with a `/` and a tag or a digest.
    Tagged,
}

impl ImageFields {
    /// The list that this program carries.
    pub fn builtin() -> Result<Self, FieldsError> {
        Self::read(BUILTIN.0, BUILTIN.1)
    }

    /// A list of the same form.
    pub fn read(file: &str, text: &str) -> Result<Self, FieldsError> {
        serde_yaml::from_str(text).map_err(|source| FieldsError { file: file.to_owned(), source })
    }

    /// Both lists together.
    #[must_use]
    pub fn and(mut self, more: Self) -> Self {
        self.objects.extend(more.objects);
        self.variables.extend(more.variables);
        self.flags.extend(more.flags);
        self.fields.extend(more.fields);
        self
    }

    /// The rules for an object.
    pub(super) fn rules_for(&self, group: &str, kind: &str, name: &str) -> impl Iterator<Item = &ObjectRule> {
        let fits = move |rule: &&ObjectRule| {
            rule.group == group && rule.kinds.iter().any(|known| known == kind) && matches(&rule.name, name)
        };
        self.objects.iter().filter(fits)
    }
}

impl Names {
    /// How much a value under this name is to be trusted; nothing for names that are not listed.
    pub(super) fn trust(&self, name: &str) -> Option<Trust> {
        let lists = [(&self.certain, Trust::Certain), (&self.tagged, Trust::Tagged), (&self.likely, Trust::Likely)];
        let listed = |patterns: &[String]| patterns.iter().any(|pattern| matches(pattern, name));
        lists.into_iter().find(|(patterns, _)| listed(patterns)).map(|(_, trust)| trust)
    }

    fn extend(&mut self, more: Self) {
        self.certain.extend(more.certain);
        self.tagged.extend(more.tagged);
        self.likely.extend(more.likely);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_that_the_program_carries_is_readable_and_a_wrong_one_is_not() {
        let fields = ImageFields::builtin().unwrap();
        assert_eq!(fields.variables.trust("RELATED_IMAGE_X"), Some(Trust::Certain));
        assert_eq!(fields.flags.trust("--thanos-default-base-image"), Some(Trust::Tagged));
        assert_eq!(fields.flags.trust("--engine-image"), Some(Trust::Likely));
        assert_eq!(fields.flags.trust("--verbose"), None);
        assert!(ImageFields::read("f", "objects: [{kind: X}]").is_err());
        assert!(ImageFields::read("f", "object: []").is_err());
    }

    #[test]
    fn a_users_list_adds_to_it() {
        let more =
            ImageFields::read("f", "variables: {certain: [MINE]}\nobjects: [{kinds: [A], group: g, paths: [x]}]")
                .unwrap();
        let both = ImageFields::builtin().unwrap().and(more);
        assert_eq!(both.variables.trust("MINE"), Some(Trust::Certain));
        assert_eq!(both.rules_for("g", "A", "any").count(), 1);
        assert_eq!(both.rules_for("h", "A", "any").count(), 0);
    }
}

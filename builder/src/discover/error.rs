//! Why images could not be found.

use kubexm_model::image::ReferenceError;

use super::tree;

/// The images of a manifest cannot be told.
#[derive(Debug, thiserror::Error)]
pub enum DiscoverError {
    /// The text is not YAML.
    #[error("{origin} is not YAML")]
    Yaml {
        /// The text's name.
        origin: String,
        /// Why.
        #[source]
        source: serde_yaml::Error,
    },
    /// The text is, or expands to, more than any manifest needs.
    #[error("{origin} expands to more than {nodes} values or {bytes} bytes", nodes = tree::NODES, bytes = tree::BYTES)]
    TooMuch {
        /// The text's name.
        origin: String,
    },
    /// A document is a mere text or number: most likely a page of a web server, not a manifest.
    #[error("{place} is not a Kubernetes object")]
    NotAnObject {
        /// The text's name and the document's number.
        place: String,
    },
    /// Images that cannot be read, all of them.
    #[error("{}", .problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))]
    Images {
        /// Each with its place.
        problems: Vec<Problem>,
    },
}

impl DiscoverError {
    pub(super) fn reading(origin: &str, error: tree::ReadError) -> Self {
        let origin = origin.to_owned();
        match error {
            tree::ReadError::TooMuch => Self::TooMuch { origin },
            tree::ReadError::Yaml(source) => Self::Yaml { origin, source },
        }
    }
}

/// An image that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{place}: {reason}")]
pub struct Problem {
    /// File, kind and name of the object, path in it.
    pub place: String,
    /// What is wrong there.
    pub reason: Reason,
}

/// Why an image cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Reason {
    /// It is no reference.
    #[error("{0}")]
    Reference(ReferenceError),
    /// A template was not rendered, or a variable is only known in the cluster.
    #[error("`{text}` still has a placeholder `{mark}`: which image it will be cannot be told")]
    Placeholder {
        /// The value.
        text: String,
        /// What gives it away.
        mark: &'static str,
    },
    /// It is a number, a list or a mapping.
    #[error("an image is named by a text, and this is none")]
    NotText,
    /// A repository stands alone where the fields beside it should give a tag or a digest.
    #[error("`{0}` has neither a tag nor a digest beside it")]
    Untagged(String),
}

/// The list of fields that hold images is not usable.
#[derive(Debug, thiserror::Error)]
#[error("{file} does not list fields of images as manifests/image-fields.yaml does")]
pub struct FieldsError {
    /// The file.
    pub file: String,
    /// Why.
    #[source]
    pub source: serde_yaml::Error,
}

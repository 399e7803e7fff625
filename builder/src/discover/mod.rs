//! Images named in Kubernetes manifests: found by parsing, each with the places that name it.
//!
//! ```text
//! text ── tree ──► documents ── walk ──► container shapes, image volumes ─┐
//! manifests/image-fields.yaml ── fields ──► fields, variables, flags ─────┼── catch ──► Found, or every problem at once
//! ConfigMap values ── tree again ──► documents inside documents ──────────┘
//! ```
//!
//! A pod template is recognised by its shape, wherever it stands, so kinds that nobody has heard of are covered. What has
//! another shape is listed as data. An image that cannot be read is an error with its place: a bundle that lacks it
//! would fail at a site without internet.

mod catch;
mod containers;
mod embedded;
mod error;
mod fields;
mod objects;
mod pattern;
#[cfg(test)]
mod tests;
mod trail;
mod tree;
mod walk;

use kubexm_model::image::Reference;

pub use error::{DiscoverError, FieldsError, Problem, Reason};
pub use fields::ImageFields;

/// An image, and where it is named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The image.
    pub reference: Reference,
    /// Each place that names it: file, kind and name of the object, path in it; sorted.
    pub places: Vec<String>,
}

/// Finds every image in a text of YAML documents (or JSON); `origin` is the name under which a person knows the text.
///
/// Sorted by reference, each reference once. Charts are rendered first: what Helm prints is such a text.
pub fn find(text: &str, origin: &str, fields: &ImageFields) -> Result<Vec<Found>, DiscoverError> {
    let mut walker = walk::Walker::new(fields, tree::Budget::default());
    let budget = walker.budget();
    for (index, document) in tree::documents(text, &budget).enumerate() {
        let document = document.map_err(|error| DiscoverError::reading(origin, error))?;
        walker.document(&document, origin, index + 1)?;
    }
    if budget.is_exceeded() {
        return Err(DiscoverError::TooMuch { origin: origin.to_owned() });
    }
    walker.finish()
}

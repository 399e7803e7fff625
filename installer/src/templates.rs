//! Text for nodes, from `templates/`: files as they are, and files with holes that are filled in. A hole without a value is an
//! error, never an empty text.

use handlebars::Handlebars;
use rust_embed::RustEmbed;
use serde::Serialize;

#[derive(RustEmbed)]
#[folder = "../templates"]
#[include = "os/*"]
struct Templates;

/// Why a text cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum TemplateError {
    /// There is no such file.
    #[error("there is no template {0}")]
    Missing(String),
    /// Its holes and the values do not fit.
    #[error("the template {name} cannot be filled in")]
    Fill {
        /// Its name.
        name: String,
        /// Why.
        source: Box<handlebars::RenderError>,
    },
}

/// A file as it is.
pub fn text(name: &str) -> Result<String, TemplateError> {
    let missing = || TemplateError::Missing(name.to_owned());
    let file = Templates::get(name).ok_or_else(missing)?;
    String::from_utf8(file.data.into_owned()).map_err(|_| missing())
}

/// A file with its holes filled in. Values are taken as they are: whoever gives them has checked them by type.
pub fn render(name: &str, values: &impl Serialize) -> Result<String, TemplateError> {
    let mut handlebars = Handlebars::new();
    handlebars.set_strict_mode(true);
    handlebars.register_escape_fn(handlebars::no_escape);
    handlebars
        .render_template(&text(name)?, values)
        .map_err(|source| TemplateError::Fill { name: name.to_owned(), source: Box::new(source) })
}

//! One page that shows what a bundle holds: where its bytes go, where everything comes from, and what changed since another one.
//!
//! The page is a single file that needs no network and no JavaScript; with JavaScript the table can be sorted and searched.
//! The same numbers stand in it as JSON, for scripts. Its text is in `templates/page/`; every value that comes from a lock
//! is escaped on its way in, and a content security policy lets nothing run but our own script.

/// Escaped text that may be broken into lines where people would break it.
mod breakable;
/// What changed between two bundles.
mod change;
/// What changed, in words and signs.
mod compared;
/// What the page is about.
mod contents;
/// Data that can stand inside a script element.
mod json;
/// Numbers as people read them.
mod number;
/// The picture: a tile for everything, grouped by kind.
mod picture;
/// The table: a row for everything.
mod table;
/// Areas in proportion to sizes.
mod treemap;
/// The chain of trust.
mod trust;
/// The page's words and numbers, ready to be filled in.
mod view;

#[cfg(test)]
mod tests;

pub use change::{Change, Changes, How};
pub use contents::{Contents, Item, Shared};

use breakable::breakable;
use handlebars::Handlebars;

/// The templates, by the names under which they call each other.
const TEMPLATES: [(&str, &str); 5] = [
    ("page", include_str!("../../../templates/page/page.html.hbs")),
    ("trust", include_str!("../../../templates/page/trust.html.hbs")),
    ("map", include_str!("../../../templates/page/map.html.hbs")),
    ("changes", include_str!("../../../templates/page/changes.html.hbs")),
    ("table", include_str!("../../../templates/page/table.html.hbs")),
];
const STYLE: &str = include_str!("../../../templates/page/style.css");
const SCRIPT: &str = include_str!("../../../templates/page/script.js");

/// The page for a bundle, compared with an `other`, older one if there is one.
pub fn render(contents: &Contents, other: Option<&Contents>) -> String {
    fill(&view::Page::of(contents, other))
        // The templates are part of the program and a test fills them; should one be wrong after all, the page says so.
        .unwrap_or_else(|error| format!("this page could not be made: {error}"))
}

fn fill(page: &view::Page) -> Result<String, Box<dyn std::error::Error>> {
    let mut engine = Handlebars::new();
    engine.set_strict_mode(true);
    engine.register_helper("breakable", Box::new(breakable));
    for (name, template) in TEMPLATES {
        engine.register_template_string(name, template)?;
    }
    Ok(engine.render("page", page)?)
}

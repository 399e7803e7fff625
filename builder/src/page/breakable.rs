//! Escaped text that may be broken into lines where people would break it: behind the separators of addresses and names.

use handlebars::{Context, Handlebars, Helper, HelperResult, Output, RenderContext, html_escape};

/// The helper `{{breakable text}}`.
pub(super) fn breakable(
    helper: &Helper<'_>,
    _: &Handlebars<'_>,
    _: &Context,
    _: &mut RenderContext<'_, '_>,
    out: &mut dyn Output,
) -> HelperResult {
    let text = helper.param(0).and_then(|text| text.value().as_str()).unwrap_or_default();
    out.write(&broken(text))?;
    Ok(())
}

fn broken(text: &str) -> String {
    // Each piece is escaped by itself, so that nothing is put into the middle of an escaped character.
    let pieces = text.split_inclusive(['/', ':', ',', ';', '_', '=']);
    pieces.map(html_escape).collect::<Vec<_>>().join("<wbr>")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_escaped_and_breaks_behind_separators() {
        assert_eq!(broken("a.b/c:1"), "a.b/<wbr>c:<wbr>1");
        assert_eq!(broken(""), "");
        assert_eq!(broken("</p>&;"), "&lt;/<wbr>p&gt;&amp;;");
        assert!(!broken("<script>a=\"b\";'</script>").replace("<wbr>", "").contains(['<', '>', '"', '\'']));
    }
}

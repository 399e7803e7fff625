//! Licences as the standards want them: a licence expression, or words that are none.

/// What is known about a licence.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Licence<'text> {
    /// A licence expression of SPDX.
    Expression(&'text str),
    /// Words that are no such expression.
    Words(&'text str),
    /// Nothing.
    Unknown,
}

impl<'text> Licence<'text> {
    /// From what the lock has.
    pub(super) fn of(text: Option<&'text str>) -> Self {
        match text.map(str::trim) {
            None | Some("" | "NOASSERTION" | "NONE") => Self::Unknown,
            Some(text) if is_expression(text) => Self::Expression(text),
            Some(text) => Self::Words(text),
        }
    }

    /// The licences in it that are on nobody's list; a document must say what they are.
    pub(super) fn own(&self) -> impl Iterator<Item = &'text str> + use<'text> {
        let text = if let Self::Expression(text) = self { text } else { "" };
        text.split([' ', '(', ')']).filter(|word| word.starts_with(OWN))
    }
}

const OWN: &str = "LicenseRef-";

/// Whether the text has the form of a licence expression. Which licences exist is on a list that grows, and not checked here.
fn is_expression(text: &str) -> bool {
    let spaced = text.replace('(', " ( ").replace(')', " ) ");
    let mut open = 0_u32;
    // What came last: nothing or an operator (a licence must follow), a licence, an exception or a closed group.
    let (mut operand, mut licence, mut with) = (false, false, false);
    for word in spaced.split_whitespace() {
        match word {
            "(" if !operand && !with => open += 1,
            ")" if operand && open > 0 => (open, licence) = (open - 1, false),
            "AND" | "OR" if operand => (operand, licence) = (false, false),
            "WITH" if licence => (operand, licence, with) = (false, false, true),
            "(" | ")" | "AND" | "OR" | "WITH" => return false,
            _ if operand || !is_name(word) => return false,
            _ => (operand, licence, with) = (true, !with, false),
        }
    }
    operand && open == 0
}

fn is_name(word: &str) -> bool {
    let name = word.strip_suffix('+').unwrap_or(word);
    !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '.')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_are_told_from_words() {
        for good in [
            "Apache-2.0",
            "GPL-2.0+",
            "MIT AND (Apache-2.0 OR BSD-2-Clause)",
            "((MIT))",
            "GPL-2.0-only WITH Classpath-exception-2.0 OR MIT",
            "LicenseRef-distribution",
        ] {
            assert_eq!(Licence::of(Some(good)), Licence::Expression(good));
        }
        for bad in [
            "GPLv2+ and LGPLv2",
            "MIT AND",
            "AND MIT",
            "MIT MIT",
            "MIT OR OR MIT",
            "(MIT",
            "MIT)",
            "()",
            "MIT (BSD)",
            "(MIT) WITH x",
            "a WITH b WITH c",
            "a WITH (b)",
            "<script>",
            "MIT/X11",
            "DocumentRef-x:LicenseRef-y",
            "+",
        ] {
            assert_eq!(Licence::of(Some(bad)), Licence::Words(bad));
        }
        for none in [None, Some(""), Some(" "), Some("NOASSERTION"), Some("NONE")] {
            assert_eq!(Licence::of(none), Licence::Unknown);
        }
        assert_eq!(Licence::of(Some(&"(".repeat(1_000_000))), Licence::Words(&"(".repeat(1_000_000)));
    }

    #[test]
    fn own_licences_are_found() {
        let own = |text| Licence::of(Some(text)).own().collect::<Vec<_>>().join(" ");
        assert_eq!(own("MIT AND (LicenseRef-a OR LicenseRef-b.c)"), "LicenseRef-a LicenseRef-b.c");
        assert_eq!(own("no LicenseRef-a here"), "");
    }
}

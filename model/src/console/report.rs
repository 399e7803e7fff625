//! Findings as a person reads them, and as a program does.

use std::ops::Range;

use annotate_snippets::{AnnotationKind, Level, Origin, Renderer, Snippet};
use serde_json::{Value, json};

use super::output;
use crate::cluster::Reading;
use crate::finding::{Finding, Severity};
use crate::yaml::{Place, Sources};

/// A longer line is not shown: no person reads it, and no terminal has room for it.
const LONGEST_LINE: usize = 10_000;

/// How many findings are shown in full; a file with more has one cause for most of them.
const MOST_SHOWN: usize = 200;

/// All findings with the lines they point at.
pub fn text(reading: &Reading) -> String {
    let mut out = String::new();
    for finding in reading.findings.iter().take(MOST_SHOWN) {
        out.push_str(&one(finding, &reading.sources));
        out.push_str("\n\n");
    }
    if let Some(more) = reading.findings.len().checked_sub(MOST_SHOWN).filter(|more| *more > 0) {
        out = format!("{out}and {more} more, which `-o json` shows\n\n");
    }
    out
}

/// Prints the findings to standard error.
pub fn to_stderr(reading: &Reading) {
    output::to_stderr(&text(reading));
}

/// `3 errors, 1 warning`.
pub fn summary(findings: &[Finding]) -> String {
    let errors = findings.iter().filter(|finding| finding.severity == Severity::Error).count();
    let warnings = findings.len() - errors;
    let count = |number: usize, word: &str| match number {
        0 => None,
        1 => Some(format!("1 {word}")),
        many => Some(format!("{many} {word}s")),
    };
    let parts: Vec<_> = [count(errors, "error"), count(warnings, "warning")].into_iter().flatten().collect();
    if parts.is_empty() { "no problems".to_owned() } else { parts.join(", ") }
}

/// All findings for a program.
pub fn json(reading: &Reading) -> Value {
    let findings = reading.findings.iter().map(|finding| {
        let place = finding.place.map(|place| {
            let name = reading.sources.get(place.source).map(|source| hide_secrets(&source.name, &[]));
            json!({"file": name, "line": place.line, "column": place.column, "endColumn": place.end})
        });
        json!({
            "code": finding.code, "severity": finding.severity, "message": finding.message, "place": place,
            "label": finding.label, "help": finding.help,
        })
    });
    json!({"findings": findings.collect::<Vec<_>>()})
}

fn one(finding: &Finding, sources: &Sources) -> String {
    let level = match finding.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let title = level.primary_title(finding.message.as_str()).id(finding.code.to_string());
    let shown = finding.place.and_then(|place| Shown::of(place, sources));
    let mut group = match &shown {
        Some(shown) if shown.line.len() > LONGEST_LINE => {
            let column = finding.place.map_or(1, |place| place.column);
            title.element(Origin::path(shown.name.as_str()).line(shown.number).char_column(column))
        }
        Some(shown) => {
            let mark = AnnotationKind::Primary.span(shown.from..shown.to);
            let mark = if finding.label.is_empty() { mark } else { mark.label(finding.label.as_str()) };
            title.element(
                Snippet::source(shown.line.as_str())
                    .line_start(shown.number)
                    .path(shown.name.as_str())
                    .annotation(mark),
            )
        }
        None => annotate_snippets::Group::with_title(title),
    };
    if let Some(help) = &finding.help {
        group = group.element(Level::HELP.message(help.as_str()));
    }
    Renderer::styled().render(&[group])
}

/// The one line that is shown of a source, and the bytes of it that are marked.
struct Shown {
    name: String,
    number: usize,
    line: String,
    from: usize,
    to: usize,
}

impl Shown {
    fn of(place: Place, sources: &Sources) -> Option<Self> {
        let source = sources.get(place.source)?;
        let line = hide_secrets(source.line(place.line), &source.hidden_in(place.line).collect::<Vec<_>>());
        let byte = |column: usize| line.char_indices().nth(column - 1).map_or(line.len(), |(at, _)| at);
        let (from, to) = (byte(place.column), byte(place.end));
        Some(Self { name: hide_secrets(&source.name, &[]), number: place.line, from, to, line })
    }
}

/// The line with stars in place of its secrets; columns stay where they are.
///
/// `known` are the characters that the reader knows to be secret. Behind any other `password` everything is hidden to the
/// end of the line: the file may not be YAML at all, or the word may stand in settings that are handed on.
fn hide_secrets(line: &str, known: &[Range<usize>]) -> String {
    const KEY: &str = "password";
    let mut out: Vec<char> = line.chars().collect();
    let lower: Vec<char> = out.iter().map(char::to_ascii_lowercase).collect();
    let key: Vec<char> = KEY.chars().collect();
    let mut hide = |range: Range<usize>| out.iter_mut().take(range.end).skip(range.start).for_each(|c| *c = '*');
    known.iter().cloned().for_each(&mut hide);
    for at in (0..lower.len()).filter(|at| lower[*at..].starts_with(&key)) {
        let skip = |from: usize, set: &str| from + lower[from..].iter().take_while(|c| set.contains(**c)).count();
        let sign = skip(at + key.len(), "\"' ");
        if !matches!(lower.get(sign), Some(':' | '=')) {
            continue;
        }
        let value = skip(sign + 1, " \t");
        if !known.iter().any(|range| range.contains(&value)) {
            hide(value..usize::MAX);
        }
    }
    out.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_are_not_shown() {
        let hide = |line| hide_secrets(line, &[]);
        assert_eq!(hide("  password: hunter2"), "  password: *******");
        assert_eq!(hide("{password: abc, port: 1}"), "{password: *************");
        assert_eq!(hide("--set hosts[0].password=a,b"), "--set hosts[0].password=***");
        assert_eq!(hide("\"password\" : \"a b\""), "\"password\" : *****");
        assert_eq!(hide("harbor_admin_password: x"), "harbor_admin_password: *");
        assert_eq!(hide("passwordEnv: NAME"), "passwordEnv: NAME");
        assert_eq!(hide("password:"), "password:");
        assert_eq!(hide("é password: é"), "é password: *");
        let known = std::slice::from_ref(&(11..14));
        assert_eq!(hide_secrets("{password: abc, port: 1}", known), "{password: ***, port: 1}");
    }
}

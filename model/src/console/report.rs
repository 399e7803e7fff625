//! Findings as a person reads them, and as a program does.

use annotate_snippets::{AnnotationKind, Level, Origin, Renderer, Snippet};
use serde_json::{Value, json};

use super::output;
use crate::cluster::Reading;
use crate::finding::{Finding, Severity};
use crate::yaml::{Place, Sources};

/// A longer line is not shown: no person reads it, and no terminal has room for it.
const LONGEST_LINE: usize = 10_000;

/// All findings with the lines they point at.
pub fn text(reading: &Reading) -> String {
    let mut out = String::new();
    for finding in &reading.findings {
        out.push_str(&one(finding, &reading.sources));
        out.push_str("\n\n");
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
            let name = reading.sources.get(place.source).map(|source| hide_secrets(&source.name));
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
        let line = hide_secrets(source.line(place.line));
        let byte = |column: usize| line.char_indices().nth(column - 1).map_or(line.len(), |(at, _)| at);
        let (from, to) = (byte(place.column), byte(place.end));
        Some(Self { name: hide_secrets(&source.name), number: place.line, from, to, line })
    }
}

/// The line with stars in place of what follows `password`; columns stay where they are.
///
/// It works on the text, so that a line can be shown even when the file is not YAML.
fn hide_secrets(line: &str) -> String {
    const KEY: &str = "password";
    let lower = line.to_ascii_lowercase();
    let mut out: Vec<char> = line.chars().collect();
    for (at, _) in lower.match_indices(KEY) {
        let before = line[..at].chars().count();
        let rest: Vec<char> = line[at + KEY.len()..].chars().collect();
        let key_end = rest.iter().take_while(|c| "\"' ".contains(**c)).count();
        if !matches!(rest.get(key_end), Some(':' | '=')) {
            continue;
        }
        let value = key_end + 1 + rest[key_end + 1..].iter().take_while(|c| c.is_whitespace()).count();
        let quote = rest.get(value).filter(|c| "\"'".contains(**c)).copied();
        let ends = |c: char| quote.map_or(",}".contains(c), |quote| c == quote);
        let from = value + usize::from(quote.is_some());
        let length = rest[from.min(rest.len())..].iter().take_while(|c| !ends(**c)).count();
        let first = before + KEY.len() + from;
        out.iter_mut().skip(first).take(length).for_each(|c| *c = '*');
    }
    out.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn passwords_are_not_shown() {
        assert_eq!(hide_secrets("  password: hunter2"), "  password: *******");
        assert_eq!(hide_secrets("{user: a, password: 'x}y', port: 1}"), "{user: a, password: '***', port: 1}");
        assert_eq!(hide_secrets("{password: abc, port: 1}"), "{password: ***, port: 1}");
        assert_eq!(hide_secrets("--set hosts[0].password=abc"), "--set hosts[0].password=***");
        assert_eq!(hide_secrets("\"password\" : \"a b\""), "\"password\" : \"***\"");
        assert_eq!(hide_secrets("passwordEnv: NAME"), "passwordEnv: NAME");
        assert_eq!(hide_secrets("password:"), "password:");
        assert_eq!(hide_secrets("é password: é"), "é password: *");
    }
}

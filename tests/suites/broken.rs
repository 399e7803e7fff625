//! Every broken fixture gets exactly the messages that were reviewed.

use std::collections::BTreeSet;

use kubexm_model::console::report;
use kubexm_model::finding::{Code, any_error};
use kubexm_tests::{assert_golden, assert_no_stray_golden, bundle, catalogue, fixtures, read_fixture, root, stem};

const FOLDERS: [&str; 3] = ["yaml", "shape", "sense"];

/// The report without colours.
fn plain(text: &str) -> String {
    let mut out = String::new();
    let mut escape = false;
    for c in text.chars() {
        match c {
            '\u{1b}' => escape = true,
            'm' if escape => escape = false,
            _ if escape => {}
            _ => out.push(c),
        }
    }
    out
}

#[test]
fn every_broken_cluster_gets_the_messages_that_were_reviewed() {
    let catalogue = catalogue();
    let mut count = 0;
    for folder in FOLDERS {
        let files = fixtures(&format!("clusters/broken/{folder}"));
        for file in &files {
            let reading = read_fixture(file, &catalogue);
            assert!(!reading.findings.is_empty(), "{} has no finding", file.display());
            assert_eq!(reading.cluster.is_none(), any_error(&reading.findings), "{}", file.display());
            assert_golden(&format!("broken/{folder}/{}.txt", stem(file)), &plain(&report::text(&reading)));
            count += 1;
        }
        assert_no_stray_golden(&format!("broken/{folder}"), &files.iter().map(|file| stem(file)).collect::<Vec<_>>());
    }
    assert!(count >= 60, "{count} broken clusters");
}

#[test]
fn every_kind_of_finding_has_a_fixture() {
    let catalogue = catalogue();
    let files = FOLDERS.iter().flat_map(|folder| fixtures(&format!("clusters/broken/{folder}")));
    let seen: BTreeSet<Code> =
        files.flat_map(|file| read_fixture(&file, &catalogue).findings).map(|finding| finding.code).collect();
    // Overrides come from the command line, whose suite has them.
    let missing: Vec<_> = Code::ALL.iter().filter(|code| **code != Code::BadOverride && !seen.contains(code)).collect();
    assert!(missing.is_empty(), "no fixture shows {missing:?}");
}

#[test]
fn one_mistake_makes_one_finding() {
    let catalogue = catalogue();
    for file in ["shape", "sense"].iter().flat_map(|folder| fixtures(&format!("clusters/broken/{folder}"))) {
        let findings = read_fixture(&file, &catalogue).findings;
        assert_eq!(findings.len(), 1, "{}: {findings:#?}", file.display());
        let place = findings[0].place.unwrap();
        assert!(place.line > 0 && place.column > 0, "{}", file.display());
    }
}

#[test]
fn twelve_mistakes_make_twelve_findings_with_line_and_column_and_exit_code_two() {
    let output = bundle(&root().join("tests/fixtures/clusters/broken"), &["lint", "-f", "twelve.yaml"]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert_eq!(text.lines().filter(|line| line.trim_start().starts_with("--> twelve.yaml:")).count(), 12, "{text}");
    assert_golden("twelve.txt", &text);
}

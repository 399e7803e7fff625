//! Every broken fixture gets exactly the messages that were reviewed.

use std::collections::BTreeSet;
use std::path::Path;

use kubexm_model::catalogue::Catalogue;
use kubexm_model::cluster::Reading;
use kubexm_model::console::report;
use kubexm_model::finding::{Code, Finding, any_error};
use kubexm_tests::{
    assert_golden, assert_no_stray_golden, bundle, catalogue, fixtures, read_fixture, root, stem, text,
};

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

/// What the head of a fixture says that must be found: `# wants CODE LINE:COLUMN, …`, over several lines if need be.
fn wanted(text: &str) -> Vec<(String, String)> {
    let head: String = text
        .lines()
        .skip(1)
        .take_while(|line| line.starts_with('#'))
        .map(|line| line.trim_start_matches('#').trim_start())
        .collect();
    let list =
        head.strip_prefix("wants").unwrap_or_else(|| panic!("the second line does not say what must be found: {head}"));
    let pairs = list.split(',').filter_map(|pair| pair.trim().split_once(' '));
    let pairs = pairs
        .map(|(code, place)| (code.to_owned(), place.trim().to_owned()))
        .filter(|(code, _)| code.starts_with("KX"));
    pairs.collect()
}

/// What is wrong with the findings of a fixture, or nothing.
fn unwanted(file: &Path, reading: &Reading) -> Option<String> {
    let place =
        |finding: &Finding| finding.place.map_or("-".to_owned(), |place| format!("{}:{}", place.line, place.column));
    let found: Vec<_> = reading.findings.iter().map(|finding| (finding.code.to_string(), place(finding))).collect();
    let wanted = wanted(&text(file));
    let shown =
        || format!("{}\n  wants {wanted:?}\n  found {found:?}\n{}", file.display(), plain(&report::text(reading)));
    (found != wanted).then(shown)
}

#[test]
fn every_mistake_makes_one_finding_at_its_place() {
    let catalogue = catalogue();
    let folders = ["broken/yaml", "broken/shape", "broken/sense", "broken"];
    let files = folders.iter().flat_map(|folder| fixtures(&format!("clusters/{folder}")));
    let wrong: Vec<_> = files.filter_map(|file| unwanted(&file, &read_fixture(&file, &catalogue))).collect();
    assert!(wrong.is_empty(), "{} fixtures:\n{}", wrong.len(), wrong.concat());
}

#[test]
fn a_stricter_catalogue_refuses_what_the_own_one_takes() {
    let over = text(&root().join("tests/fixtures/catalogue/good/stricter-release.yaml"));
    let stricter = Catalogue::with_overrides(&[("stricter-release.yaml".to_owned(), over)]).unwrap();
    for file in fixtures("clusters/broken/stricter") {
        assert_eq!(unwanted(&file, &read_fixture(&file, &stricter)), None);
        assert!(read_fixture(&file, &catalogue()).cluster.is_some());
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

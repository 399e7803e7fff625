//! Module streams: what is seen of them, beside what dnf sees.

use super::cases::{Case, theirs};
use super::made::{Made, Packing};
use super::ours;

const MODULES: &str = "---
document: modulemd-defaults
version: 1
data:
  module: db
  stream: '10'
  profiles: {}
---
document: modulemd
version: 2
data:
  name: db
  stream: '10'
  version: 1
  context: aaaaaaaa
  arch: x86_64
  summary: s
  description: d
  license: {module: [MIT]}
  dependencies: [{requires: {platform: [el9]}}]
  artifacts: {rpms: ['db-0:10.2-1.noarch', 'db-0:10.2-1.src']}
---
document: modulemd
version: 2
data:
  name: db
  stream: '12'
  version: 1
  context: bbbbbbbb
  arch: x86_64
  summary: s
  description: d
  license: {module: [MIT]}
  dependencies: [{requires: {platform: [el9], lang: []}}]
  artifacts: {rpms: ['db-0:12.1-1.noarch', 'db-tools-0:12.1-1.noarch']}
---
document: modulemd
version: 2
data:
  name: lang
  stream: '3.10'
  version: 5
  context: cccccccc
  arch: x86_64
  summary: s
  description: d
  license: {module: [MIT]}
  dependencies: [{requires: {platform: [el9]}}]
  artifacts: {rpms: ['lang-0:3.10-1.noarch']}
---
document: modulemd
version: 2
data:
  name: lang
  stream: '3.9'
  version: 5
  context: dddddddd
  arch: x86_64
  summary: s
  description: d
  license: {module: [MIT]}
  dependencies: [{requires: {platform: [el8]}}]
  artifacts: {rpms: ['lang-0:3.9-1.noarch']}
";

/// Packages of streams, and others of the same names that a stream in use hides.
fn world() -> Vec<Made> {
    vec![
        Made::new("db", "10.2-1"),
        Made::new("db", "12.1-1"),
        Made::new("db", "99.0-1"),
        Made::new("db-tools", "12.1-1").requires("db >= 12"),
        Made::new("db-tools", "11.0-1"),
        Made::new("fake-db", "1.0-1").provides("db = 77"),
        Made::new("lang", "3.10-1"),
        Made::new("lang", "3.9-1"),
        Made::new("lang", "3.11-1").provides("speech"),
        Made::new("client", "1.0-1").requires("db >= 11"),
        Made::new("reader", "1.0-1").requires("db"),
    ]
}

#[test]
fn streams_are_seen_as_dnf_sees_them() {
    let folder = tempfile::tempdir().expect("a folder");
    let streams: [&[&str]; 3] = [&[], &["db:12"], &["lang:3.10"]];
    let wishes = ["db", "db-tools", "client", "reader", "lang", "speech", "fake-db"];
    let mut cases = Vec::new();
    for streams in streams {
        for wish in wishes {
            cases.push(Case {
                repositories: vec![(world(), 99)],
                modules: Some(MODULES.to_owned()),
                streams: streams.iter().map(|stream| (*stream).to_owned()).collect(),
                wanted: vec![wish.to_owned()],
                ..Case::default()
            });
        }
    }
    let paths = cases[0].write(folder.path(), Packing::Gzip);
    let questions: Vec<_> =
        cases.iter().enumerate().map(|(id, case)| case.question(id, &paths, folder.path())).collect();
    for (case, theirs) in cases.iter().zip(theirs("dnf", &questions)) {
        let (own, words) = ours::answer(case, &paths);
        assert_eq!(own, theirs, "{:?} with {:?}: {words}", case.wanted, case.streams);
    }
}

#[test]
fn a_stream_that_does_not_exist_is_named() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut case = Case { repositories: vec![(world(), 99)], modules: Some(MODULES.to_owned()), ..Case::default() };
    let paths = case.write(folder.path(), Packing::Zstd);
    for (stream, said) in [("db:13", "no repository has it"), ("lang:3.9", "cannot be had"), ("db", "module:stream")] {
        case.streams = vec![stream.to_owned()];
        let error = ours::run(&ours::request(&case, &paths)).expect_err("it must be refused");
        let words = std::error::Error::source(&error).expect("a cause").to_string();
        assert!(words.contains(stream) && words.contains(said), "{words}");
    }
}

//! Every command that the README and the documents print is run here, in the order in which it stands.
//!
//! A block of `sh` is run line by line in one folder per document. Lines that start one of the two scripts are not run
//! here: CI runs those by themselves.

use std::path::{Path, PathBuf};
use std::process::Command;

use kubexm_tests::{program, root, text};

fn documents() -> Vec<PathBuf> {
    let top = ["README.md", "CONTRIBUTING.md", "ARCHITECTURE.md"].map(|name| root().join(name));
    let docs = std::fs::read_dir(root().join("docs")).unwrap().map(|entry| entry.unwrap().path());
    let mut all: Vec<_> =
        top.into_iter().chain(docs).filter(|path| path.extension().is_some_and(|ext| ext == "md")).collect();
    all.sort();
    all
}

/// The lines of all `sh` blocks, without comments; continued lines joined.
fn commands(document: &str) -> Vec<String> {
    let mut found = vec![];
    let mut inside = false;
    for line in document.lines() {
        if line.trim_start().starts_with("```") {
            inside = line.trim() == "```sh";
        } else if inside {
            let line = line.split(" #").next().unwrap_or("").trim();
            if !line.is_empty() && !line.starts_with('#') {
                found.push(line.to_owned());
            }
        }
    }
    found
}

fn is_script(command: &str) -> bool {
    command.split_whitespace().find(|word| !word.contains('=')).is_some_and(|word| word.starts_with("scripts/"))
}

#[test]
fn every_printed_command_works() {
    let programs = program("kubexm-bundle");
    let path = format!("{}:{}", programs.parent().unwrap().display(), std::env::var("PATH").unwrap());
    let mut count = 0;
    for document in documents() {
        let folder = tempfile::tempdir().unwrap();
        for command in commands(&text(&document)) {
            if is_script(&command) {
                assert!(exists(&command), "{}: `{command}` starts nothing", document.display());
                continue;
            }
            let output = Command::new("bash")
                .args(["-euo", "pipefail", "-c", &command])
                .current_dir(folder.path())
                .env("PATH", &path)
                .output()
                .unwrap();
            let error = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{}: `{command}` failed:\n{error}", document.display());
            count += 1;
        }
    }
    assert!(count >= 8, "only {count} commands are printed");
}

fn exists(command: &str) -> bool {
    let script = command.split_whitespace().find(|word| word.starts_with("scripts/")).unwrap();
    Path::new(&root().join(script)).exists()
}

#[test]
fn every_link_inside_the_repository_leads_somewhere() {
    for document in documents() {
        let text = text(&document);
        for part in text.split("](").skip(1) {
            let target = part.split([')', '#']).next().unwrap();
            if !target.is_empty() && !target.contains("://") {
                let path = document.parent().unwrap().join(target);
                assert!(path.exists(), "{}: there is no {target}", document.display());
            }
        }
    }
}

#[test]
fn the_published_schema_is_the_generated_one() {
    let published: serde_json::Value = serde_json::from_str(&text(&root().join("docs/cluster-v1alpha1.json"))).unwrap();
    assert_eq!(
        &published,
        kubexm_model::cluster::json_schema::root(),
        "run `kubexm-bundle schema > docs/cluster-v1alpha1.json`"
    );
}

//! The chain of trust: from whoever published a thing to the key that signed the bundle.

use kubexm_model::lock::Proof;
use serde::Serialize;

use super::contents::Contents;
use super::number::count;
use crate::sbom::utc::readable;

/// A link of the chain.
#[derive(Debug, Serialize)]
pub(super) struct Link {
    /// `good`, `weak` or `broken`: the colour.
    state: &'static str,
    /// The same as a sign.
    sign: &'static str,
    title: &'static str,
    lines: Vec<Line>,
}

#[derive(Debug, Serialize)]
struct Line {
    text: String,
    /// What the text stands for, in full.
    full: String,
    code: bool,
}

/// The links, from upstream to the keys.
pub(super) fn chain(contents: &Contents) -> Vec<Link> {
    let statement = &contents.statement;
    let unproven = contents.items.iter().any(|item| item.proof == Proof::FirstSight);
    let signed = !contents.keys.is_empty();
    vec![
        link(if unproven { Weak } else { Good }, "Upstream", proofs(contents)),
        link(Good, "Lock", vec![digest(&statement.lock.to_string()), plain("names every blob by its SHA-256")]),
        link(Good, "Index", vec![digest(&statement.index.to_string()), plain("names every member of the file")]),
        link(
            Good,
            "Statement",
            vec![
                plain(&format!("{}, sequence {}", statement.channel, statement.sequence)),
                plain(&format!("expires {}", readable(statement.expires))),
            ],
        ),
        link(if signed { Good } else { Broken }, "Keys", keys(&contents.keys)),
    ]
}

#[derive(Clone, Copy)]
enum State {
    Good,
    Weak,
    Broken,
}
use State::{Broken, Good, Weak};

fn link(state: State, title: &'static str, lines: Vec<Line>) -> Link {
    let (state, sign) = match state {
        Good => ("good", "✓"),
        Weak => ("weak", "!"),
        Broken => ("broken", "✗"),
    };
    Link { state, sign, title, lines }
}

fn plain(text: &str) -> Line {
    Line { text: text.to_owned(), full: String::new(), code: false }
}

/// The beginning of a digest, as long as anybody compares it.
fn digest(full: &str) -> Line {
    Line { text: format!("{}…", full.chars().take(23).collect::<String>()), full: full.to_owned(), code: true }
}

fn keys(keys: &[String]) -> Vec<Line> {
    if keys.is_empty() {
        return vec![plain("nobody has signed this bundle")];
    }
    keys.iter().map(|key| Line { text: key.clone(), full: format!("ed25519 {key}"), code: true }).collect()
}

/// How many entries have which proof.
fn proofs(contents: &Contents) -> Vec<Line> {
    let kinds = [Proof::Published, Proof::Pinned, Proof::Registry, Proof::Repository, Proof::FirstSight];
    let counted = kinds.map(|proof| (proof, contents.items.iter().filter(|item| item.proof == proof).count()));
    let there = counted.into_iter().filter(|(_, number)| *number > 0);
    there.map(|(proof, number)| plain(&format!("{} {}", count(number, "digest", "digests"), words(proof)))).collect()
}

/// A proof in words.
pub(super) fn words(proof: Proof) -> &'static str {
    match proof {
        Proof::Published => "published upstream",
        Proof::Pinned => "pinned in the catalogue",
        Proof::Registry => "given by the registry",
        Proof::Repository => "signed by the package repository",
        Proof::FirstSight => "taken at first sight",
    }
}

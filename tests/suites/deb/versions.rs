//! The order of versions is dpkg's.

use std::cmp::Ordering;
use std::process::Command;

use kubexm_builder::packages::deb::version::compare;

use crate::chance::Chance;

const PAIRS: usize = 10_000;

/// Pieces that versions are made of: digits with and without zeros, letters, tildes, and what is neither.
const PIECES: [&str; 24] = [
    "0",
    "1",
    "00",
    "01",
    "9",
    "10",
    "123456789012345678901234567890",
    "a",
    "b",
    "Z",
    "z",
    "rc",
    "~",
    "~~",
    "+",
    ".",
    ".0",
    "+b1",
    "~rc1",
    "~deb12u1",
    "+dfsg",
    "-1",
    "-",
    ":",
];

fn version(chance: &mut Chance) -> String {
    let mut text = String::new();
    if chance.percent(25) {
        text += chance.word(&["0:", "1:", "01:", "2:", "10:"]);
    }
    let epoch = !text.is_empty();
    text += chance.word(&["0", "1", "2", "10", "007"]);
    for _ in 0..chance.below(5) {
        // A colon belongs into a version with an epoch only, and a hyphen to one with a revision.
        let pieces = if epoch { &PIECES[..] } else { &PIECES[..PIECES.len() - 1] };
        text += chance.word(pieces);
    }
    match chance.below(4) {
        0 => text + "-1",
        1 => text + "-0",
        2 => text + "-" + chance.word(&["1~bpo", "0ubuntu1", "1+b2", "1.1", "~1", "a"]),
        _ if text.contains('-') => text + "-1",
        _ => text,
    }
}

/// The other version of a pair: a new one, or one that differs in its last piece only.
fn neighbour(chance: &mut Chance, of: &str) -> String {
    match chance.below(4) {
        0 => version(chance),
        1 if !of.contains(':') => format!("0:{of}"),
        2 => format!("{of}~"),
        _ => format!("{of}{}", chance.word(&["0", "a", "+", "~a", ".0", "1"])),
    }
}

fn dpkg_says(a: &str, b: &str, order: Ordering) -> bool {
    let relation = match order {
        Ordering::Less => "lt",
        Ordering::Equal => "eq",
        Ordering::Greater => "gt",
    };
    let output = Command::new("dpkg").args(["--compare-versions", a, relation, b]).output();
    let output = output.expect("dpkg is here: it is the judge of this test");
    assert!(output.stderr.is_empty(), "{a} {relation} {b}: {}", String::from_utf8_lossy(&output.stderr));
    output.status.success()
}

#[test]
fn ten_thousand_pairs_are_ordered_as_dpkg_orders_them() {
    let mut chance = Chance::new(12);
    let pairs: Vec<(String, String)> = (0..PAIRS)
        .map(|_| {
            let one = version(&mut chance);
            let other = neighbour(&mut chance, &one);
            (one, other)
        })
        .collect();
    for order in [Ordering::Less, Ordering::Equal, Ordering::Greater] {
        let count = pairs.iter().filter(|(a, b)| compare(a, b) == order).count();
        assert!(count > PAIRS / 50, "only {count} pairs are {order:?}: the test would prove little");
    }
    std::thread::scope(|scope| {
        for half in pairs.chunks(PAIRS / 2) {
            scope.spawn(move || {
                for (a, b) in half {
                    assert!(dpkg_says(a, b, compare(a, b)), "dpkg does not say that {a} is {:?} {b}", compare(a, b));
                }
            });
        }
    });
}

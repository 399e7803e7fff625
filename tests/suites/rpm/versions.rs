//! Versions: 12,000 pairs beside rpm, 12,000 dependencies beside libsolv.

use std::process::Command;

use kubexm_builder::packages::rpm::version::{Sense, compare, overlap};

use super::{Dice, oracle};

const PAIRS: usize = 12_000;

/// One part of a version, made of what is hard: zeros, letters, separators, tildes and carets in any place.
fn part(dice: &mut Dice) -> String {
    let bits = [
        "0", "1", "2", "10", "09", "007", "20240101", "a", "b", "rc", "Z", ".", "..", "_", "+", "~", "^", "~~", "^~",
        "el9",
    ];
    (0..=dice.below(5)).map(|_| dice.pick(&bits)).collect()
}

/// A whole version. rpm refuses an empty version, so the first character is a digit.
fn version(dice: &mut Dice, release: usize) -> String {
    let epoch = if dice.chance(30) { format!("{}:", dice.pick(&["0", "1", "2", "01"])) } else { String::new() };
    let release = if dice.chance(release) { format!("-1{}", part(dice)) } else { String::new() };
    format!("{epoch}{}{}{release}", dice.below(3), part(dice))
}

/// Another version; often only a little different.
fn neighbour(dice: &mut Dice, of: &str, release: usize) -> String {
    match dice.below(4) {
        0 => version(dice, release),
        1 => of.to_owned(),
        2 => format!("0:{}", of.split_once(':').map_or(of, |(_, rest)| rest)),
        _ => format!("{of}{}", dice.pick(&["~", "^", "1", "a", ".0", "~1", "^1"])),
    }
}

#[test]
fn the_order_is_that_of_rpm() {
    let mut dice = Dice(1);
    let pairs: Vec<(String, String)> = (0..PAIRS)
        .map(|_| {
            let left = version(&mut dice, 100);
            let right = neighbour(&mut dice, &left, 100);
            (left, right)
        })
        .collect();
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("pairs");
    let text: String = pairs.iter().map(|(left, right)| format!("{left} {right}\n")).collect();
    std::fs::write(&file, text).expect("the pairs are written");
    let lua = format!(
        "%{{lua: for line in io.lines('{}') do local a, b = line:match('(%S+) (%S+)'); print(rpm.vercmp(a, b)..'\\n') end}}",
        file.display()
    );
    let output = Command::new("rpm").args(["--eval", &lua]).output().expect("Debian's package rpm is installed");
    let answers: Vec<String> = String::from_utf8(output.stdout)
        .expect("numbers")
        .lines()
        .filter(|line| !line.is_empty())
        .map(str::to_owned)
        .collect();
    assert_eq!(answers.len(), PAIRS, "{}", String::from_utf8_lossy(&output.stderr));
    for ((left, right), answer) in pairs.iter().zip(&answers) {
        assert_eq!((compare(left, right) as i8).to_string(), *answer, "{left} and {right}");
    }
    for kind in ["-1", "0", "1"] {
        assert!(answers.iter().filter(|answer| *answer == kind).count() > PAIRS / 20, "too few answers {kind}");
    }
}

#[test]
fn a_dependency_accepts_what_libsolv_accepts() {
    let mut dice = Dice(2);
    let signs = ["<", "<=", "=", ">=", ">"];
    let cases: Vec<[String; 4]> = (0..PAIRS)
        .map(|_| {
            let left = version(&mut dice, 60);
            let right = neighbour(&mut dice, &left, 60);
            [dice.pick(&signs).to_owned(), left, dice.pick(&signs).to_owned(), right]
        })
        .collect();
    let answers = oracle("ranges", &cases.iter().map(|case| case.join(" ") + "\n").collect::<String>());
    assert_eq!(answers.len(), PAIRS);
    for ([have, left, want, right], answer) in cases.iter().zip(&answers) {
        let sense = |sign: &str| Sense::from_sign(sign).expect("a known sign");
        let found = overlap((sense(have), left), (sense(want), right));
        assert_eq!(u8::from(found).to_string(), *answer, "provided {have} {left}, required {want} {right}");
    }
    assert!(answers.iter().filter(|answer| *answer == "0").count() > PAIRS / 20);
}

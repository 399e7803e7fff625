//! rpm repositories: our answers beside those of rpm, libsolv and dnf.

/// Real packages.
mod built;
/// The program, from repositories to a bundle.
mod bundle;
/// Generated cases.
mod cases;
/// Keys and signatures.
mod gpg;
/// Over HTTP.
mod http;
/// Repositories that are written down.
mod made;
/// Module streams.
mod modules;
/// Our own answers.
mod ours;
/// Real packages, resolved and installed.
mod real;
/// Repositories that we write.
mod site;
/// The order of versions, and what a dependency accepts.
mod versions;

use std::io::Write;
use std::process::{Command, Stdio};

/// Debian's own Python, for which dnf and libsolv are installed.
const PYTHON: &str = "/usr/bin/python3";

/// Asks the script beside this file; its answer has a line for each question.
fn oracle(question: &str, input: &str) -> Vec<String> {
    let script = kubexm_tests::root().join("tests/suites/rpm/oracle.py");
    let mut child = Command::new(PYTHON)
        .arg(script)
        .arg(question)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("{PYTHON} cannot be started: {error}"));
    let mut stdin = child.stdin.take().expect("a pipe was asked for");
    let input = input.to_owned();
    let writer = std::thread::spawn(move || stdin.write_all(input.as_bytes()));
    let output = child.wait_with_output().expect("the script ends");
    writer.join().expect("the writer ends").expect("the script reads its input");
    assert!(output.status.success(), "oracle.py {question} failed: Debian's python3-dnf and python3-solv are needed");
    String::from_utf8(output.stdout).expect("the script writes text").lines().map(str::to_owned).collect()
}

/// Numbers that look random and are the same in each run.
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        // xorshift64*: any seed but zero.
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 16
    }

    /// Below `limit`.
    fn below(&mut self, limit: usize) -> usize {
        usize::try_from(self.next()).expect("48 bits fit") % limit
    }

    /// True so many times in a hundred.
    fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of several.
    fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }
}

//! Generated repositories: what we would install beside what dnf would install.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::made::{Made, Packing, write};
use super::{Dice, oracle, ours};

/// A case: repositories with their priorities, what the node has, what is wanted.
#[derive(Debug, Default)]
pub struct Case {
    pub repositories: Vec<(Vec<Made>, u32)>,
    pub modules: Option<String>,
    pub streams: Vec<String>,
    pub installed: Vec<Made>,
    pub wanted: Vec<String>,
}

/// What somebody would install, or that he would not.
pub type Answer = Option<BTreeSet<String>>;

impl Case {
    /// Writes it down, and says where.
    pub fn write(&self, folder: &Path, packing: Packing) -> Vec<PathBuf> {
        let mut paths = Vec::new();
        for (number, (packages, _)) in self.repositories.iter().enumerate() {
            let path = folder.join(format!("r{number}"));
            let modules = self.modules.as_deref().filter(|_| number == 0);
            write(&path, packages, modules, packing);
            paths.push(path);
        }
        paths
    }

    pub fn question(&self, id: usize, paths: &[PathBuf], installed: &Path) -> Value {
        let priority = self.repositories.iter().map(|(_, priority)| priority);
        let repositories: Vec<Value> =
            paths.iter().zip(priority).map(|(path, priority)| json!({"path": path, "priority": priority})).collect();
        json!({"id": id, "repositories": repositories, "wanted": self.wanted, "streams": self.streams, "installed": installed})
    }
}

/// dnf's answers, or libsolv's, to many cases at once.
pub fn theirs(who: &str, questions: &[Value]) -> Vec<Answer> {
    let lines = oracle(who, &questions.iter().map(|question| format!("{question}\n")).collect::<String>());
    assert_eq!(lines.len(), questions.len(), "an answer a case");
    lines
        .iter()
        .map(|line| {
            let answer: Value = serde_json::from_str(line).expect("JSON");
            let packages = answer.get("packages")?.as_array()?;
            Some(packages.iter().filter_map(|name| name.as_str().map(str::to_owned)).collect())
        })
        .collect()
}

const VERSIONS: [&str; 9] =
    ["1.0-1", "1.0~rc1-1", "1.0^git3-1", "1.1-1", "1.1-2.el9", "2.0-1", "10.0-1", "1:0.5-1", "1:0.5~a-1"];

/// Where generated packages get their relations from.
struct World {
    names: Vec<String>,
    dice: Dice,
}

impl World {
    /// A name that stands behind `after`, so that most cases have an answer.
    fn name(&mut self, after: usize) -> String {
        let low = if self.dice.chance(85) { (after + 1).min(self.names.len() - 1) } else { 0 };
        let at = low + self.dice.below(self.names.len() - low);
        self.names[at].clone()
    }

    /// A name, a capability or a file; sometimes with a version.
    fn simple(&mut self, after: usize) -> String {
        match self.dice.below(10) {
            0 | 1 => format!("cap{}", self.dice.below(4)),
            2 => format!("cap{} {} {}", self.dice.below(4), self.sign(), self.dice.below(3) + 1),
            3 => format!("/usr/bin/tool{}", self.dice.below(3)),
            4 => format!("/usr/share/data{}", self.dice.below(3)),
            5 | 6 => format!("{} {} {}", self.name(after), self.sign(), self.bound()),
            _ => self.name(after),
        }
    }

    fn sign(&mut self) -> &'static str {
        self.dice.pick(&["<", "<=", "=", ">=", ">=", ">=", ">"])
    }

    fn bound(&mut self) -> &'static str {
        self.dice.pick(&["1.0-1", "1.0", "1.1", "1.1-1", "2.0", "1:0.5", "1.0~rc1"])
    }

    fn rich(&mut self, after: usize) -> String {
        let [a, b, c] = std::array::from_fn(|_| self.simple(after));
        match self.dice.below(8) {
            0 | 1 => format!("({a} or {b})"),
            2 => format!("({a} and {b})"),
            3 => format!("({a} if {b})"),
            4 => format!("({a} if {b} else {c})"),
            5 => format!("(({a} or {b}) if {c})"),
            6 => format!("({a} with {b})"),
            _ => format!("({a} without {b})"),
        }
    }

    fn package(&mut self, at: usize, evr: &str) -> Made {
        let name = self.names[at].clone();
        let mut made = Made::new(&name, evr);
        if self.dice.chance(40) {
            made.arch = "x86_64".to_owned();
        }
        if self.dice.chance(30) {
            made = made.provides(&format!("cap{}", self.dice.below(4)));
        }
        if self.dice.chance(25) {
            made = made.provides(&format!("cap{} = {}", self.dice.below(4), self.dice.below(3) + 1));
        }
        for (percent, folder, name) in [(20, "/usr/bin", "tool"), (20, "/usr/share", "data")] {
            if self.dice.chance(percent) {
                made = made.file(&format!("{folder}/{name}{}", self.dice.below(3)));
            }
        }
        for _ in 0..self.dice.below(3) {
            let what = if self.dice.chance(25) { self.rich(at) } else { self.simple(at) };
            made = made.requires(&what);
        }
        if self.dice.chance(8) {
            let what = self.simple(at);
            made = made.conflicts(&what);
        }
        if self.dice.chance(3) {
            let (a, b) = (self.name(at), self.name(at));
            made = made.conflicts(&format!("({a} and {b})"));
        }
        if self.dice.chance(6) {
            let what = format!("{} < {}", self.name(at), self.bound());
            made = made.obsoletes(&what);
        }
        made
    }
}

/// A case that looks random and is the same in each run.
pub fn case(seed: u64) -> Case {
    let mut dice = Dice(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
    let names = (0..4 + dice.below(9)).map(|number| format!("p{number}")).collect();
    let mut world = World { names, dice };
    let two = world.dice.chance(30);
    let mut repositories = vec![(Vec::new(), 99), (Vec::new(), world.dice.pick(&[99, 50]))];
    for at in 0..world.names.len() {
        let mut versions: Vec<&str> = (0..=world.dice.below(3)).map(|_| world.dice.pick(&VERSIONS)).collect();
        versions.sort_unstable();
        versions.dedup();
        for evr in versions {
            let made = world.package(at, evr);
            let to = usize::from(two && world.dice.chance(40));
            repositories[to].0.push(made);
        }
    }
    repositories.truncate(if two { 2 } else { 1 });
    let wanted = (0..=world.dice.below(3))
        .map(|_| match world.dice.below(12) {
            0 => format!("cap{}", world.dice.below(4)),
            1 => format!("/usr/bin/tool{}", world.dice.below(3)),
            _ => world.names[world.dice.below(world.names.len())].clone(),
        })
        .collect();
    Case { repositories, wanted, ..Case::default() }
}

const CASES: u64 = 500;
/// Where packages can be chosen from, libsolv's order of choosing is followed, but not its every turn: of so many answers
/// one may be another than dnf's, if dnf agrees that it is right.
const ONE_OTHER_IN: u64 = 40;
const INSTALLED_CASES: u64 = 500;

fn written(folder: &Path, cases: &[Case], packing: impl Fn(usize) -> Packing) -> Vec<Vec<PathBuf>> {
    let write = |(id, case): (usize, &Case)| case.write(&folder.join(id.to_string()), packing(id));
    cases.iter().enumerate().map(write).collect()
}

/// The cases whose answers are not the same, with ours; whether there is an answer must be the same for all.
fn different(cases: &[Case], paths: &[Vec<PathBuf>], theirs: &[Answer]) -> Vec<(usize, BTreeSet<String>)> {
    let mut different = Vec::new();
    for (id, case) in cases.iter().enumerate() {
        let (own, words) = ours::answer(case, &paths[id]);
        assert_eq!(own.is_some(), theirs[id].is_some(), "case {id}: ours {own:?} {words}, theirs {:?}", theirs[id]);
        if let Some(own) = own.filter(|own| Some(own) != theirs[id].as_ref()) {
            println!("case {id}: wanted {:?}: ours {own:?}, theirs {:?}", case.wanted, theirs[id]);
            different.push((id, own));
        }
    }
    different
}

#[test]
fn generated_cases_have_the_answers_of_dnf() {
    let folder = tempfile::tempdir().expect("a folder");
    let cases: Vec<Case> = (0..CASES).map(case).collect();
    let paths = written(folder.path(), &cases, |id| [Packing::Gzip, Packing::Zstd, Packing::Xz][id % 3]);
    let question = |id: usize| cases[id].question(id, &paths[id], Path::new(""));
    let answers = theirs("dnf", &(0..cases.len()).map(question).collect::<Vec<_>>());
    let solved = answers.iter().filter(|answer| answer.is_some()).count();
    assert!(solved > cases.len() / 2 && solved < cases.len() * 9 / 10, "{solved} of {CASES} cases have an answer");
    let different = different(&cases, &paths, &answers);
    assert!(different.len() as u64 <= CASES / ONE_OTHER_IN, "{} of {CASES} are different", different.len());
    // Where we chose otherwise, dnf is asked for exactly our packages, and must find nothing missing and nothing wrong.
    let exactly: Vec<Value> = different
        .iter()
        .map(|(id, own)| {
            let mut question = question(*id);
            question["wanted"] = json!(own);
            question
        })
        .collect();
    for ((id, own), agreed) in different.iter().zip(theirs("dnf", &exactly)) {
        assert_eq!(Some(own), agreed.as_ref(), "case {id}");
    }
}

/// A case of a node that has some packages already: those that libsolv itself would put on an empty node.
fn installed_cases(folder: &Path) -> Vec<Case> {
    let empty: Vec<Case> = (1000..1000 + INSTALLED_CASES).map(case).collect();
    let paths = written(folder, &empty, |_| Packing::Gzip);
    let nothing = folder.join("nothing");
    write(&nothing, &[], None, Packing::Gzip);
    let questions: Vec<Value> =
        empty.iter().enumerate().map(|(id, case)| case.question(id, &paths[id], &nothing)).collect();
    let mut cases = empty;
    for (seed, (case, there)) in (0_u64..).zip(cases.iter_mut().zip(theirs("libsolv", &questions))) {
        let all = case.repositories.iter().flat_map(|(packages, _)| packages);
        case.installed =
            all.filter(|made| there.as_ref().is_some_and(|there| there.contains(&made.nevra()))).cloned().collect();
        let mut dice = Dice(seed + 77);
        case.wanted = (0..=dice.below(2)).map(|_| format!("p{}", dice.below(4))).collect();
    }
    cases
}

#[test]
fn what_a_node_has_is_kept_as_libsolv_keeps_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let cases = installed_cases(&folder.path().join("before"));
    let paths = written(&folder.path().join("after"), &cases, |_| Packing::Gzip);
    let questions: Vec<Value> = cases
        .iter()
        .enumerate()
        .map(|(id, case)| {
            let installed = folder.path().join(format!("installed{id}"));
            write(&installed, &case.installed, None, Packing::Gzip);
            case.question(id, &paths[id], &installed)
        })
        .collect();
    let answers = theirs("libsolv", &questions);
    let with_something = cases.iter().filter(|case| !case.installed.is_empty()).count();
    assert!(with_something > cases.len() / 3, "only {with_something} nodes have something");
    let different = different(&cases, &paths, &answers);
    assert!(different.len() as u64 <= INSTALLED_CASES / ONE_OTHER_IN, "{} are different", different.len());
}

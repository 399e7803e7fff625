//! Small archives that are made up, in two steps: something is installed, the archive goes on, something else is installed.

use std::collections::BTreeMap;

use kubexm_builder::packages::deb::lookup::Lookup;
use kubexm_builder::packages::deb::packages::Pool;

use crate::apt::{Apt, Verdict};
use crate::chance::Chance;
use crate::ours;

const ARCHIVES: u64 = 600;

/// An archive: stanzas in the order of its index.
struct Archive {
    stanzas: Vec<String>,
    names: Vec<String>,
}

impl Archive {
    fn new(chance: &mut Chance, multi_arch: bool) -> Self {
        let names: Vec<String> = (0..6 + chance.below(8)).map(|number| format!("p{number}")).collect();
        let mut archive = Self { stanzas: vec![], names };
        for name in archive.names.clone() {
            archive.add(chance, &name, multi_arch);
        }
        archive
    }

    /// Some packages get another version.
    fn goes_on(&mut self, chance: &mut Chance, multi_arch: bool) {
        for name in self.names.clone() {
            if chance.percent(40) {
                self.add(chance, &name, multi_arch);
            }
        }
    }

    fn add(&mut self, chance: &mut Chance, name: &str, multi_arch: bool) {
        let version = chance.word(&["1", "1.1", "2~rc1", "2", "1:0.5", "3-1"]);
        let architectures: &[&str] = match (multi_arch, chance.below(4)) {
            (_, 0) => &["all"],
            (true, 1) => &["amd64", "i386"],
            _ => &["amd64"],
        };
        if self
            .stanzas
            .iter()
            .any(|known| ours::field(known, "Package") == name && ours::field(known, "Version") == version)
        {
            return;
        }
        let body = self.body(chance, multi_arch && architectures != ["all"]);
        for architecture in architectures {
            self.stanzas.push(format!(
                "Package: {name}\nVersion: {version}\nArchitecture: {architecture}\n{body}Filename: {name}.deb\nSize: 1\nSHA256: {}\n",
                "0".repeat(64)
            ));
        }
    }

    fn body(&self, chance: &mut Chance, multi_arch: bool) -> String {
        let mut text = format!("Priority: {}\n", chance.word(&["optional", "optional", "standard", "important"]));
        if multi_arch && chance.percent(70) {
            text += &format!("Multi-Arch: {}\n", chance.word(&["same", "foreign", "allowed"]));
        }
        for (field, percent, most) in [("Pre-Depends", 10, 1), ("Depends", 65, 3)] {
            if chance.percent(percent) {
                let groups: Vec<String> = (0..=chance.below(most)).map(|_| self.group(chance, multi_arch)).collect();
                text += &format!("{field}: {}\n", groups.join(", "));
            }
        }
        for (field, percent) in [("Conflicts", 8), ("Breaks", 12)] {
            if chance.percent(percent) {
                text += &format!("{field}: {}\n", self.relation(chance, 60));
            }
        }
        if chance.percent(30) {
            let version = if chance.percent(40) { " (= 2)" } else { "" };
            text += &format!("Provides: {}{version}\n", chance.word(&["v0", "v1", "v2"]));
        }
        text
    }

    fn group(&self, chance: &mut Chance, multi_arch: bool) -> String {
        let one = |chance: &mut Chance| {
            let text = self.relation(chance, 30);
            if multi_arch && chance.percent(10) && !text.contains(' ') { format!("{text}:any") } else { text }
        };
        let count = *[1, 1, 1, 2, 3].get(chance.below(5)).expect("five");
        (0..count).map(|_| one(chance)).collect::<Vec<_>>().join(" | ")
    }

    fn relation(&self, chance: &mut Chance, with_version: usize) -> String {
        let name = if chance.percent(20) {
            chance.word(&["v0", "v1", "v2"]).to_owned()
        } else {
            self.names[chance.below(self.names.len())].clone()
        };
        if !chance.percent(with_version) {
            return name;
        }
        format!(
            "{name} ({} {})",
            chance.word(&["<<", "<=", "=", ">=", ">="]),
            chance.word(&["1", "1.1", "2", "1:0.5", "3-1"])
        )
    }

    fn text(&self) -> String {
        self.stanzas.iter().map(|stanza| format!("{stanza}\n")).collect()
    }

    /// The stanzas of a verdict on top of what was installed.
    fn installed<'a>(
        &'a self,
        before: &[&'a str],
        chosen: &std::collections::BTreeSet<String>,
        native: &str,
    ) -> Vec<&'a str> {
        let slot = |stanza: &str| {
            let architecture = ours::field(stanza, "Architecture");
            let architecture = if architecture == "all" { native } else { architecture };
            format!("{}:{architecture}", ours::field(stanza, "Package"))
        };
        let mut all: BTreeMap<String, &'a str> = before.iter().map(|stanza| (slot(stanza), *stanza)).collect();
        for stanza in &self.stanzas {
            if chosen.contains(&format!("{}={}", slot(stanza), ours::field(stanza, "Version"))) {
                all.insert(slot(stanza), stanza);
            }
        }
        all.into_values().collect()
    }
}

/// How often both sides agreed, and how they differed where they did not.
#[derive(Debug, Default)]
struct Tally {
    same_set: usize,
    both_refuse: usize,
    /// apt's resolver finds nothing, and agrees with what the complete search found when it is told.
    apt_gives_up: usize,
    /// apt ran into a conflict, repaired it in its own way, and agrees with ours as well.
    other_choice: Vec<String>,
    /// apt would remove something, which is never done here.
    apt_removes: usize,
    wrong: Vec<String>,
}

impl Tally {
    fn compare(&mut self, apt: &Apt, label: &str, theirs: &Verdict, ours: &Verdict) {
        match (theirs, ours) {
            (Verdict::Removes, _) => self.apt_removes += 1,
            (Verdict::Refuses, Verdict::Refuses) => self.both_refuse += 1,
            (Verdict::Installs(a), Verdict::Installs(b)) if a == b => self.same_set += 1,
            (_, Verdict::Installs(set)) if apt.asked(&set.iter().cloned().collect::<Vec<_>>()) == *ours => match theirs
            {
                Verdict::Refuses => self.apt_gives_up += 1,
                _ => self.other_choice.push(format!("{label}: apt {theirs:?}, ours {ours:?}")),
            },
            _ => self.wrong.push(format!("{label}: apt {theirs:?}, ours {ours:?}")),
        }
    }

    fn cases(&self) -> usize {
        self.same_set + self.both_refuse + self.apt_gives_up + self.other_choice.len() + self.wrong.len()
    }
}

fn run(seeds: impl Iterator<Item = u64>) -> Tally {
    let mut tally = Tally::default();
    let apts = [Apt::new(&["amd64"]), Apt::new(&["amd64", "i386"])];
    for seed in seeds {
        let mut chance = Chance::new(seed);
        let multi_arch = seed % 3 == 0;
        let apt = &apts[usize::from(multi_arch)];
        let mut archive = Archive::new(&mut chance, multi_arch);
        let first = [archive.names[chance.below(archive.names.len())].clone()];
        apt.set(&archive.text(), &[]);
        let theirs = apt.asked(&first);
        tally.compare(apt, &format!("{seed} first {first:?}"), &theirs, &verdict(&archive, apt, &[], &first));
        let Verdict::Installs(chosen) = theirs else { continue };
        let before: Vec<String> = archive.installed(&[], &chosen, "amd64").into_iter().map(str::to_owned).collect();
        let before: Vec<&str> = before.iter().map(String::as_str).collect();
        archive.goes_on(&mut chance, multi_arch);
        let more: Vec<String> = (0..1 + chance.below(2))
            .map(|_| archive.names[chance.below(archive.names.len())].clone())
            .filter(|name| !before.iter().any(|stanza| ours::field(stanza, "Package") == name))
            .collect();
        if more.is_empty() {
            continue;
        }
        apt.set(&archive.text(), &before);
        let theirs = apt.asked(&more);
        tally.compare(apt, &format!("{seed} then {more:?}"), &theirs, &verdict(&archive, apt, &before, &more));
    }
    tally
}

fn verdict(archive: &Archive, apt: &Apt, installed: &[&str], names: &[String]) -> Verdict {
    let mut pool = Pool::default();
    pool.add(archive.text()).expect("the index can be read");
    let lookup = Lookup::new(&pool, apt.architectures());
    ours::asked(&pool, &lookup, apt.architectures(), installed, names)
}

#[test]
fn closures_in_made_up_archives_are_those_of_apt() {
    let halves: Vec<Tally> = std::thread::scope(|scope| {
        let threads: Vec<_> =
            (0..2).map(|half| scope.spawn(move || run((1..=ARCHIVES).filter(move |seed| seed % 2 == half)))).collect();
        threads.into_iter().map(|thread| thread.join().expect("a half comes to its end")).collect()
    });
    let sum = |of: fn(&Tally) -> usize| halves.iter().map(of).sum::<usize>();
    let cases = sum(Tally::cases);
    println!("{cases} cases: {halves:#?}");
    assert_eq!(sum(|half| half.wrong.len()), 0, "{halves:#?}");
    assert!(sum(|half| half.other_choice.len()) * 200 <= cases, "more than one in 200 differ: {halves:#?}");
    assert!(cases >= 800 && sum(|half| half.same_set) * 2 > cases, "the test would prove little: {halves:#?}");
}

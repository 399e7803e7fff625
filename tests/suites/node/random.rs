//! Random changes on the node in memory and on this machine: both do and refuse the same, and end the same.

use kubexm_installer::node::fake::FakeNode;
use kubexm_installer::node::local::LocalLine;
use kubexm_installer::node::{
    AccountName, Change, FileChange, FileKind, Inspect, LocalNode, Mode, Mutate, NewFile, NodePath, Owner,
};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use crate::path;
use crate::sshd::whoami;

/// One step, with paths below a directory that differs between the two.
#[derive(Debug, Clone)]
enum Step {
    Put(&'static str, Vec<u8>, u32),
    MakeDirectory(&'static str, u32),
    Link(&'static str, &'static str),
    Remove(&'static str),
    RemoveDirectory(&'static str),
    RemoveTree(&'static str),
    Rename(&'static str, &'static str),
    Copy(&'static str, &'static str),
    SetMode(&'static str, u32),
}

const PLACES: [&str; 9] = ["a", "b", "c", "a/a", "a/b", "b/a", "a/a/a", "b/c/d", "c/a"];
const TARGETS: [&str; 7] = ["a", "b", "../a", "a/a", "c", ".", "nowhere"];

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let place = || proptest::sample::select(&PLACES[..]);
    let mode = || proptest::sample::select(&[0o600_u32, 0o644, 0o700, 0o755, 0o4755, 0o1777][..]);
    let step = prop_oneof![
        4 => (place(), proptest::collection::vec(any::<u8>(), 0..20), mode()).prop_map(|(at, content, mode)| Step::Put(at, content, mode)),
        4 => (place(), mode()).prop_map(|(at, mode)| Step::MakeDirectory(at, mode)),
        2 => (place(), proptest::sample::select(&TARGETS[..])).prop_map(|(at, target)| Step::Link(at, target)),
        1 => place().prop_map(Step::Remove),
        1 => place().prop_map(Step::RemoveDirectory),
        1 => place().prop_map(Step::RemoveTree),
        2 => (place(), place()).prop_map(|(from, to)| Step::Rename(from, to)),
        2 => (place(), place()).prop_map(|(from, to)| Step::Copy(from, to)),
        1 => (place(), mode()).prop_map(|(at, mode)| Step::SetMode(at, mode)),
    ];
    proptest::collection::vec(step, 1..25)
}

#[test]
fn the_node_in_memory_does_what_a_machine_does() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let group = std::process::Command::new("id").arg("-gn").output().unwrap();
    let group = String::from_utf8(group.stdout).unwrap();
    let owner = Owner::new(AccountName::new(whoami()).unwrap(), AccountName::new(group.trim()).unwrap());
    let mut runner = TestRunner::new(Config { cases: 40, failure_persistence: None, ..Config::default() });
    let end = runner.run(&steps(), |steps| {
        let directory = tempfile::tempdir().unwrap();
        let bases = [path("/srv/base"), path(directory.path().to_str().unwrap())];
        let fake = FakeNode::new("fake");
        fake.edit(|state| state.files.set_directory(&bases[0]));
        let local = LocalNode::new("local", LocalLine, None);
        for (index, step) in steps.iter().enumerate() {
            let ours = runtime.block_on(make(&fake, &bases[0], &owner, step));
            let theirs = runtime.block_on(make(&local, &bases[1], &owner, step));
            prop_assert_eq!(ours.is_ok(), theirs.is_ok(), "step {} of {:?}: {:?} {:?}", index, steps, ours, theirs);
        }
        let ours = runtime.block_on(tree(&fake, &bases[0]));
        let theirs = runtime.block_on(tree(&local, &bases[1]));
        prop_assert_eq!(ours, theirs, "after {:?}", steps);
        Ok(())
    });
    end.unwrap_or_else(|error| panic!("{error}"));
}

async fn make(node: &dyn Mutate, base: &NodePath, owner: &Owner, step: &Step) -> Result<(), String> {
    let at = |place: &str| base.join(place).unwrap();
    let change: Change = match step {
        Step::Put(place, content, mode) => {
            let file = NewFile { path: &at(place), mode: Mode::new(*mode), owner, content };
            return node.put(&file).await.map(drop).map_err(|error| error.to_string());
        }
        Step::MakeDirectory(place, mode) => {
            FileChange::MakeDirectory { path: at(place), mode: Mode::new(*mode), owner: owner.clone() }.into()
        }
        Step::Link(place, target) => FileChange::Link { path: at(place), target: (*target).to_owned() }.into(),
        Step::Remove(place) => FileChange::Remove { path: at(place) }.into(),
        Step::RemoveDirectory(place) => FileChange::RemoveDirectory { path: at(place) }.into(),
        Step::RemoveTree(place) => FileChange::RemoveTree { path: at(place) }.into(),
        Step::Rename(from, to) => FileChange::Rename { from: at(from), to: at(to) }.into(),
        Step::Copy(from, to) => FileChange::Copy { from: at(from), to: at(to) }.into(),
        Step::SetMode(place, mode) => FileChange::SetMode { path: at(place), mode: Mode::new(*mode) }.into(),
    };
    node.change(&change).await.map_err(|error| error.to_string())
}

/// Everything below a directory, as lines.
async fn tree(node: &dyn Inspect, base: &NodePath) -> Vec<String> {
    let mut lines = vec![];
    let mut left = vec![base.clone()];
    while let Some(directory) = left.pop() {
        for name in node.list(&directory).await.unwrap().unwrap_or_default() {
            let at = directory.join(&name).unwrap();
            let stat = node.stat(&at).await.unwrap().unwrap();
            let rest = at.as_str().strip_prefix(base.as_str()).unwrap();
            match &stat.kind {
                FileKind::File => {
                    let content = node.read(&at, 100).await.unwrap().unwrap();
                    lines.push(format!("{rest} {} {} {content:?}", stat.mode, stat.owner));
                }
                FileKind::Directory => {
                    lines.push(format!("{rest}/ {} {}", stat.mode, stat.owner));
                    left.push(at);
                }
                kind => lines.push(format!("{rest} {kind:?}")),
            }
        }
    }
    lines.sort();
    lines
}

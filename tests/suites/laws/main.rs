//! Laws that every specific step keeps, on every cluster of the fixtures: described without touching, changed once, undone from
//! wherever it failed, and gone on with from wherever it was killed.

mod cases;
mod node;

use std::collections::BTreeMap;

use kubexm_installer::node::fake::Fault;
use kubexm_tests::assert_golden;

use cases::{Case, cases, runtime};

#[test]
fn every_step_has_the_effect_that_its_golden_file_shows() {
    let mut pages: BTreeMap<String, String> = BTreeMap::new();
    for case in cases() {
        let node = case.node();
        let before = node.snapshot();
        runtime().block_on(case.run(&node)).unwrap();
        let page = pages.entry(case.step()).or_default();
        *page += &format!("== {}\n{}\n", case.name, before.difference(&node::without_kept(&node.snapshot())));
    }
    assert!(pages.len() >= 9, "{}", pages.len());
    for (step, page) in &pages {
        assert_golden(&format!("steps/{step}.txt"), page);
    }
}

#[test]
fn no_step_changes_anything_the_second_time() {
    for case in cases() {
        let node = case.node();
        runtime().block_on(case.run(&node)).unwrap();
        node.clear_log();
        let again = runtime().block_on(case.run(&node)).unwrap();
        assert_eq!(again, 0, "{case}");
        assert_eq!(node.log(), Vec::<String>::new(), "{case}");
    }
}

/// Every change of a case, spoilt in every way.
fn every_fault(case: &Case) -> impl Iterator<Item = Fault> + use<> {
    let node = case.node();
    runtime().block_on(case.run(&node)).unwrap();
    (0..node.log().len()).flat_map(Fault::every_way)
}

#[test]
fn a_node_is_as_it_was_after_a_failure_anywhere() {
    let mut tried = 0;
    for case in cases() {
        for fault in every_fault(&case) {
            let node = case.node();
            let before = node.snapshot();
            node.fail(fault);
            let folder = node::journal_folder();
            let failed = runtime().block_on(case.run_with(&node, &folder)).is_err();
            assert!(failed, "{case}: {fault:?} was not noticed");
            // A lost line comes back; whatever could not be undone then is undone now.
            node.heal();
            let remains = runtime().block_on(case.roll_back(&node, &folder));
            assert_eq!(remains, Vec::<String>::new(), "{case}: {fault:?}");
            assert_eq!(before.difference(&node.snapshot()), "", "{case}: {fault:?}");
            tried += 1;
        }
    }
    assert!(tried > 500, "only {tried} faults were tried");
}

#[test]
fn a_run_that_was_killed_anywhere_goes_on_to_the_same_end() {
    for case in cases() {
        let node = case.node();
        let before = node.snapshot();
        runtime().block_on(case.run(&node)).unwrap();
        let end = node::without_kept(&node.snapshot());
        for fault in every_fault(&case).filter(node::is_kill) {
            let node = case.node();
            let folder = node::journal_folder();
            node.fail(fault);
            assert!(runtime().block_on(case.run_with(&node, &folder)).is_err());
            node.heal();
            runtime()
                .block_on(case.run_with(&node, &folder))
                .unwrap_or_else(|error| panic!("{case}: {fault:?}: {error}"));
            assert_eq!(end.difference(&node::without_kept(&node.snapshot())), "", "{case}: {fault:?}");
            // And from there all the way back.
            let remains = runtime().block_on(case.roll_back(&node, &folder));
            assert_eq!(remains, Vec::<String>::new(), "{case}: {fault:?}");
            assert_eq!(before.difference(&node.snapshot()), "", "{case}: {fault:?}");
        }
    }
}

#[test]
fn a_local_repository_is_gone_whatever_happened() {
    for fails in [false, true] {
        let machines = runtime().block_on(cases::prepare_all(fails));
        let mut used = 0;
        for machine in &machines {
            let (state, log) = (machine.snapshot(), machine.log().join("\n"));
            used += usize::from(log.contains("iso9660"));
            assert!(state.mounts.is_empty(), "{state:?}");
            assert!(state.files.entry(&node::path("/var/lib/kubexm/packages")).is_none(), "{state:?}");
            let installed = state.packages.keys().any(|name| name.as_str() == "socat");
            assert_eq!(installed, log.contains("iso9660") && !fails);
        }
        assert!(used > 0, "no machine mounted anything");
    }
}

#[test]
fn packages_may_stay_when_all_else_is_undone() {
    let mut tried = 0;
    for case in cases().into_iter().filter(|case| case.step() == "packages.install-system-packages") {
        let (node, folder) = (case.node(), node::journal_folder());
        runtime().block_on(case.run_with(&node, &folder)).unwrap();
        let after = node.snapshot();
        assert!(runtime().block_on(case.roll_back_but_packages(&node, &folder)).is_empty());
        assert_eq!(after.packages, node.snapshot().packages, "{case}");
        tried += 1;
    }
    assert!(tried > 0);
}

#[test]
fn every_step_has_a_name_and_stands_in_a_task() {
    let in_tasks: Vec<&str> = kubexm_installer::pipelines::create_cluster()
        .modules
        .iter()
        .flat_map(|module| &module.tasks)
        .flat_map(|task| task.steps.iter().map(|step| step.id().0))
        .collect();
    for step in kubexm_installer::steps::all() {
        assert!(in_tasks.contains(&step.id().0), "{} is in no task", step.name());
        assert!(step.name().starts_with(char::is_uppercase));
    }
}

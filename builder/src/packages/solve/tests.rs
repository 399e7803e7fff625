use super::{Installed, PackageId, Plan, Reason, Request, Rule, Universe, Wanted, solve};

fn needs(any_of: &[PackageId], words: &str) -> Rule {
    Rule::Needs { any_of: any_of.to_vec(), when: Vec::new(), words: words.to_owned() }
}

fn excludes(any: &[PackageId], words: &str) -> Rule {
    Rule::Excludes { any: any.to_vec(), words: words.to_owned() }
}

fn wanted(any_of: &[PackageId], words: &str) -> Wanted {
    Wanted { any_of: any_of.to_vec(), words: words.to_owned() }
}

fn names(universe: &Universe, plan: &Plan) -> Vec<String> {
    plan.chosen.keys().map(|id| universe.name(*id)).collect()
}

#[test]
fn the_preferred_candidate_is_chosen_and_says_who_needs_it() {
    let mut universe = Universe::default();
    let app = universe.add("app", "1");
    let new = universe.add("lib", "2");
    let old = universe.add("lib", "1");
    universe.rule(app, needs(&[new, old], "lib"));
    let plan = solve(&universe, &Request { wanted: vec![wanted(&[app], "app")], ..Request::default() }).unwrap();
    assert_eq!(names(&universe, &plan), ["app 1", "lib 2"]);
    assert_eq!(plan.chosen[&app], Reason::Wanted { words: "app".to_owned() });
    assert_eq!(plan.chosen[&new], Reason::Needed { by: app, words: "lib".to_owned() });
}

#[test]
fn an_older_candidate_is_chosen_where_a_rule_forbids_the_newer_one() {
    let mut universe = Universe::default();
    let app = universe.add("app", "1");
    let other = universe.add("other", "1");
    let new = universe.add("lib", "2");
    let old = universe.add("lib", "1");
    universe.rule(app, needs(&[new, old], "lib"));
    universe.rule(other, excludes(&[new], "Breaks: lib (>= 2)"));
    let request = Request { wanted: vec![wanted(&[app], "app"), wanted(&[other], "other")], ..Request::default() };
    assert_eq!(names(&universe, &solve(&universe, &request).unwrap()), ["app 1", "other 1", "lib 1"]);
}

#[test]
fn what_is_installed_stays_unless_a_rule_forces_a_newer_one() {
    let mut universe = Universe::default();
    let installed = universe.add("lib", "1");
    let newer = universe.add("lib", "2");
    let easy = universe.add("easy", "1");
    let strict = universe.add("strict", "1");
    universe.rule(easy, needs(&[newer, installed], "lib"));
    universe.rule(strict, needs(&[newer], "lib (>= 2)"));
    let request = |root| Request {
        installed: vec![Installed { package: installed, or: vec![newer] }],
        wanted: vec![wanted(&[root], "it")],
    };
    let kept = solve(&universe, &request(easy)).unwrap();
    assert_eq!(names(&universe, &kept), ["lib 1", "easy 1"]);
    assert_eq!(kept.new_packages().count(), 1);
    let forced = solve(&universe, &request(strict)).unwrap();
    assert_eq!(forced.chosen[&newer], Reason::Replaces { older: installed });
}

#[test]
fn a_conditional_need_counts_only_beside_what_it_names() {
    let mut universe = Universe::default();
    let app = universe.add("app", "1");
    let desktop = universe.add("desktop", "1");
    let _other_desktop = universe.add("desktop", "2");
    let plugin = universe.add("plugin", "1");
    let when = vec![vec![desktop]];
    universe.rule(app, Rule::Needs { any_of: vec![plugin], when, words: "(plugin if desktop)".to_owned() });
    let alone = Request { wanted: vec![wanted(&[app], "app")], ..Request::default() };
    assert_eq!(names(&universe, &solve(&universe, &alone).unwrap()), ["app 1"]);
    let both = Request { wanted: vec![wanted(&[app], "app"), wanted(&[desktop], "desktop")], ..Request::default() };
    assert_eq!(names(&universe, &solve(&universe, &both).unwrap()), ["app 1", "desktop 1", "plugin 1"]);
}

#[test]
fn a_condition_that_does_not_hold_never_asks_for_another_version_of_what_it_names() {
    let mut universe = Universe::default();
    let app = universe.add("app", "1");
    let desktop = universe.add("desktop", "1");
    let _other_desktop = universe.add("desktop", "2");
    let when = vec![vec![desktop]];
    universe.rule(app, Rule::Needs { any_of: Vec::new(), when, words: "(nothing if desktop = 1)".to_owned() });
    let alone = Request { wanted: vec![wanted(&[app], "app")], ..Request::default() };
    assert_eq!(names(&universe, &solve(&universe, &alone).unwrap()), ["app 1"]);
    let both = Request { wanted: vec![wanted(&[app], "app"), wanted(&[desktop], "desktop")], ..Request::default() };
    assert!(solve(&universe, &both).is_err());
}

#[test]
fn a_conflict_is_told_from_the_request_to_where_it_ends() {
    let mut universe = Universe::default();
    let app = universe.add("app", "1");
    let tool = universe.add("tool", "3");
    let library = universe.add("lib", "1");
    universe.rule(app, needs(&[tool], "tool"));
    universe.rule(tool, needs(&[library], "lib"));
    universe.rule(library, excludes(&[app], "Breaks: app (<< 2)"));
    let request = Request { wanted: vec![wanted(&[app], "app")], ..Request::default() };
    let refusal = solve(&universe, &request).unwrap_err();
    assert_eq!(
        refusal.lines,
        [
            "app is wanted",
            "app 1 needs tool: tool 3",
            "tool 3 needs lib: lib 1",
            "lib 1 cannot stand beside app 1 (Breaks: app (<< 2))"
        ]
    );
}

#[test]
fn what_nothing_offers_is_named() {
    let mut universe = Universe::default();
    let app = universe.add("app", "1");
    universe.rule(app, needs(&[], "libgone (>= 3)"));
    let ghosts = vec![wanted(&[app], "app"), wanted(&[], "ghost"), wanted(&[], "phantom")];
    let lines = solve(&universe, &Request { wanted: ghosts, ..Request::default() }).unwrap_err().lines;
    assert_eq!(lines, ["ghost is wanted, which nothing offers", "phantom is wanted, which nothing offers"]);
    let request = Request { wanted: vec![wanted(&[app], "app")], ..Request::default() };
    let lines = solve(&universe, &request).unwrap_err().lines;
    assert_eq!(lines, ["app is wanted", "app 1 needs libgone (>= 3), which nothing offers"]);
}

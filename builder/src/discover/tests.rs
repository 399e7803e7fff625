//! Fixtures in `tests/fixtures/manifests`, and laws over generated manifests.

use std::path::PathBuf;

use proptest::prelude::*;

use super::{DiscoverError, Found, ImageFields, find};

/// The files of a folder of fixtures that end so, by their names without the ending.
fn fixtures(folder: &str, ending: &str) -> Vec<(String, String, String)> {
    let root = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/fixtures/manifests")).join(folder);
    let mut files = vec![];
    for entry in fs_err::read_dir(&root).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "yaml") {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            let wanted = fs_err::read_to_string(path.with_extension(ending)).unwrap();
            files.push((name, fs_err::read_to_string(&path).unwrap(), wanted));
        }
    }
    files.sort();
    files
}

fn look(text: &str, origin: &str) -> Result<Vec<Found>, DiscoverError> {
    find(text, origin, &ImageFields::builtin().unwrap())
}

fn names(text: &str) -> Vec<String> {
    look(text, "t").unwrap().iter().map(|found| found.reference.familiar()).collect()
}

#[test]
fn every_image_of_every_good_fixture_is_found_with_its_places() {
    let files = fixtures("good", "images");
    assert!(files.len() >= 4);
    for (name, text, wanted) in files {
        let found = look(&text, &name).unwrap_or_else(|error| panic!("{error}"));
        let lines = found.iter().flat_map(|found| {
            let image = found.reference.familiar();
            found.places.iter().map(move |place| format!("{image} = {place}"))
        });
        let mut lines: Vec<_> = lines.collect();
        assert!(found.is_sorted_by(|a, b| a.reference < b.reference), "sorted, each image once");
        lines.sort();
        assert_eq!(lines.join("\n") + "\n", wanted, "{name}");
    }
}

#[test]
fn every_problem_of_every_broken_fixture_is_told_with_its_place() {
    let files = fixtures("broken", "problems");
    assert!(files.len() >= 3);
    for (name, text, wanted) in files {
        let error = look(&text, &name).expect_err(&name);
        assert_eq!(format!("{error}\n"), wanted, "{name}");
    }
}

#[test]
fn a_text_without_objects_has_no_images() {
    for text in ["", "\n", "---\n", "# only a comment\n", "---\n---\n", "\u{feff}---\n"] {
        assert_eq!(names(text), Vec::<String>::new(), "{text:?}");
    }
}

#[test]
fn line_ends_of_another_system_change_nothing() {
    let (_, text, _) = fixtures("good", "images").swap_remove(0);
    assert!(!names(&text).is_empty());
    assert_eq!(names(&text), names(&format!("\u{feff}{}", text.replace('\n', "\r\n"))));
}

#[test]
fn a_bomb_inside_a_config_map_is_refused_too() {
    let long = "x".repeat(700 * 1024);
    let text =
        format!("kind: ConfigMap\ndata:\n  bomb: |\n    image: &a {long}\n    b: [{}]\n", vec!["*a"; 100].join(", "));
    assert!(matches!(look(&text, "t"), Err(DiscoverError::TooMuch { .. })));
}

#[test]
fn a_flag_without_a_value_takes_none_from_the_next_flag() {
    let fields = ImageFields::read("f", "flags: {certain: [--helper]}").unwrap();
    let with = |arguments: &str| find(&format!("containers: [{{args: [{arguments}]}}]"), "t", &fields);
    assert_eq!(with("--helper, --other, a/b:1").unwrap(), []);
    assert_eq!(with("--helper, a/b:1").unwrap().len(), 1);
    assert_eq!(with("--helper=a/b:1, c/d:1").unwrap().len(), 1);
    assert_eq!(with("--helper").unwrap(), []);
    assert!(with("--helper=A").is_err());
}

/// Wraps a pod's specification in one of the ways in which manifests do.
fn wrapped(way: usize, number: usize, images: &[String]) -> String {
    let list: Vec<_> = images.iter().map(|image| format!("{{name: c, image: '{image}'}}")).collect();
    let pod = format!("{{spec: {{containers: [{}]}}}}", list.join(", "));
    let head = format!("metadata: {{name: n{number}}}");
    match way {
        0 => format!("{{kind: Pod, {head}, spec: {{initContainers: [{}]}}}}", list.join(", ")),
        1 => format!("{{kind: Deployment, {head}, spec: {{template: {pod}}}}}"),
        2 => format!("{{kind: CronJob, {head}, spec: {{jobTemplate: {{spec: {{template: {pod}}}}}}}}}"),
        3 => format!("{{kind: List, items: [{{kind: Job, {head}, spec: {{template: {pod}}}}}]}}"),
        4 => format!("{{kind: Odd, {head}, spec: {{a: [[{{b: {pod}}}]]}}}}"),
        _ => format!("kind: ConfigMap\n{head}\ndata:\n  pod.yaml: |\n    kind: Pod\n    x: {pod}"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn exactly_the_images_that_were_put_in_are_found(
        objects in prop::collection::vec((0_usize..6, prop::collection::vec("[a-z]{1,3}\\.x(:[1-9])?/[a-z]{1,3}:[a-z0-9]{1,3}", 0..4)), 0..8),
    ) {
        let documents: Vec<_> =
            objects.iter().enumerate().map(|(number, (way, images))| wrapped(*way, number, images)).collect();
        let mut wanted: Vec<_> = objects.iter().flat_map(|(_, images)| images.clone()).collect();
        let count = wanted.len();
        wanted.sort();
        wanted.dedup();
        let found = look(&documents.join("\n---\n"), "t").unwrap();
        let mut names: Vec<_> = found.iter().map(|found| found.reference.to_string()).collect();
        names.sort();
        prop_assert_eq!(names, wanted);
        prop_assert_eq!(found.iter().map(|found| found.places.len()).sum::<usize>(), count);
    }

    #[test]
    fn no_text_makes_it_panic(text in "([a-z&*!|>{}\\[\\]:,'\"%@#<$ \n-]|kind: |containers:\n|- image: |data: ){0,60}") {
        let _ = look(&text, "t");
    }
}

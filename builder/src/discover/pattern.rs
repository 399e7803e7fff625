//! Names and paths with wildcards.

use kubexm_model::yaml::{Step, steps};

use super::trail::Trail;
use super::tree::Node;

/// Whether a name has the form of a pattern, in which `*` stands for any characters.
pub(super) fn matches(pattern: &str, name: &str) -> bool {
    let Some((head, tail)) = pattern.split_once('*') else { return pattern == name };
    let Some(rest) = name.strip_prefix(head) else { return false };
    (0..=rest.len()).filter(|at| rest.is_char_boundary(*at)).any(|at| matches(tail, &rest[at..]))
}

/// Calls `each` for every value at a path such as `spec.steps[*].image`, `spec.list[0]` or `data.*_IMAGE`.
pub(super) fn select(path: &str, node: &Node, trail: &Trail<'_>, each: &mut dyn FnMut(&Node, &Trail<'_>)) {
    descend(&steps(path), node, trail, each);
}

fn descend(path: &[Step<'_>], node: &Node, trail: &Trail<'_>, each: &mut dyn FnMut(&Node, &Trail<'_>)) {
    let Some((step, rest)) = path.split_first() else { return each(node, trail) };
    for (index, item) in node.items().iter().enumerate() {
        if matches!(step, Step::Field("[*]")) || *step == Step::Item(index) {
            descend(rest, item, &trail.item(index), each);
        }
    }
    for (key, value) in node.entries() {
        if matches!(step, Step::Field(pattern) if matches(pattern, key)) {
            descend(rest, value, &trail.field(key), each);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tree::{Budget, documents};
    use super::*;

    #[test]
    fn a_star_stands_for_any_characters() {
        for (pattern, name) in
            [("A_*", "A_B"), ("*_IMAGE", "X_IMAGE"), ("R_*_IMAGE", "R_A_B_IMAGE"), ("*", ""), ("a", "a")]
        {
            assert!(matches(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in
            [("A_*", "B_A_"), ("*_IMAGE", "X_IMAGES"), ("R_*_IMAGE", "R_IMAGE"), ("a", "ab"), ("é*", "e")]
        {
            assert!(!matches(pattern, name), "{pattern} {name}");
        }
    }

    #[test]
    fn a_path_leads_to_every_value_it_means() {
        let text = "l: [{i: a}, {i: b}, {j: c}]\nd: {X_IMAGE: d, Y: e}\n\"k.l\": f\n";
        let node = documents(text, &Budget::default()).next().unwrap().unwrap();
        let at = |path| {
            let mut found = vec![];
            select(path, &node, &Trail::object("o"), &mut |_, trail| found.push(trail.to_string()));
            found
        };
        assert_eq!(at("l[*].i"), ["o l[0].i", "o l[1].i"]);
        assert_eq!(at("l[1].i"), ["o l[1].i"]);
        assert_eq!(at("d.*_IMAGE"), ["o d.X_IMAGE"]);
        assert_eq!(at("d.*"), ["o d.X_IMAGE", "o d.Y"]);
        assert_eq!(at("[\"k.l\"]"), ["o [\"k.l\"]"]);
        assert_eq!(at("d.Z").len() + at("l.i").len() + at("Y").len(), 0);
    }
}

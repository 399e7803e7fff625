//! Relations between packages as archives write them: `a (>= 1) | b:any, c`.

use std::cmp::Ordering;

use super::version::compare;

/// One name with what is asked of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Relation<'a> {
    /// The name.
    pub name: &'a str,
    /// The architecture behind the colon: `any`, `native` or a real one.
    pub architecture: Option<&'a str>,
    /// Which versions will do.
    pub version: Option<(Operator, &'a str)>,
}

/// How versions are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operator {
    /// `<<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `=`
    Equal,
    /// `>=`
    GreaterOrEqual,
    /// `>>`
    Greater,
}

impl Operator {
    /// Whether `left` stands in this relation to `right`.
    pub fn holds(self, left: &str, right: &str) -> bool {
        let order = compare(left, right);
        match self {
            Self::Less => order == Ordering::Less,
            Self::LessOrEqual => order != Ordering::Greater,
            Self::Equal => order == Ordering::Equal,
            Self::GreaterOrEqual => order != Ordering::Less,
            Self::Greater => order == Ordering::Greater,
        }
    }
}

impl Relation<'_> {
    /// Whether a version will do.
    pub fn fits(&self, version: &str) -> bool {
        self.version.is_none_or(|(operator, wanted)| operator.holds(version, wanted))
    }
}

/// The groups of a field: all of them are asked for. What a group is made of: one of them will do.
pub fn groups(field: &str) -> impl Iterator<Item = (&str, Vec<Relation<'_>>)> {
    field.split(',').map(str::trim).filter(|group| !group.is_empty()).map(|group| {
        let alternatives = group.split('|').filter_map(relation).collect();
        (group, alternatives)
    })
}

/// `name[:architecture] [(operator version)]`; anything else is no relation, and nothing satisfies it.
fn relation(text: &str) -> Option<Relation<'_>> {
    let text = text.trim();
    let (name, version) = match text.split_once('(') {
        Some((name, rest)) => (name.trim(), Some(operator(rest.trim_end().strip_suffix(')')?)?)),
        None => (text, None),
    };
    let (name, architecture) = match name.split_once(':') {
        Some((name, architecture)) => (name, Some(architecture)),
        None => (name, None),
    };
    let is_name = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-._".contains(&byte));
    is_name.then_some(Relation { name, architecture, version })
}

fn operator(text: &str) -> Option<(Operator, &str)> {
    let text = text.trim();
    let length = text.bytes().take_while(|byte| b"<=>".contains(byte)).count();
    let (operator, version) = text.split_at(length);
    let operator = match operator {
        "<<" => Operator::Less,
        // The short forms are old, and mean what the long ones mean.
        "<=" | "<" => Operator::LessOrEqual,
        "=" => Operator::Equal,
        ">=" | ">" => Operator::GreaterOrEqual,
        ">>" => Operator::Greater,
        _ => return None,
    };
    let version = version.trim();
    (!version.is_empty()).then_some((operator, version))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_groups_of_alternatives() {
        let found: Vec<_> = groups("libc6 (>= 2.36), a | b:any (<<1) | c,,d:amd64").collect();
        assert_eq!(found.len(), 3);
        assert_eq!(found[0].0, "libc6 (>= 2.36)");
        assert_eq!(found[0].1[0].version, Some((Operator::GreaterOrEqual, "2.36")));
        let names: Vec<_> = found[1].1.iter().map(|one| (one.name, one.architecture)).collect();
        assert_eq!(names, [("a", None), ("b", Some("any")), ("c", None)]);
        assert_eq!(found[1].1[1].version, Some((Operator::Less, "1")));
        assert_eq!(found[2].1[0].architecture, Some("amd64"));
    }

    #[test]
    fn what_is_no_relation_satisfies_nothing() {
        for odd in ["a (1)", "a (>= )", "a b", "a (>= 1", "$x"] {
            assert_eq!(groups(odd).next().unwrap().1, [], "{odd}");
        }
    }

    #[test]
    fn versions_fit_by_their_operator() {
        for (text, fits) in [
            ("a (<< 2)", [true, false, false]),
            ("a (<= 2)", [true, true, false]),
            ("a (= 2)", [false, true, false]),
            ("a (>= 2)", [false, true, true]),
            ("a (>> 2)", [false, false, true]),
            ("a", [true, true, true]),
        ] {
            let relation = groups(text).next().unwrap().1[0];
            assert_eq!(["1", "2", "3"].map(|version| relation.fits(version)), fits, "{text}");
        }
    }
}

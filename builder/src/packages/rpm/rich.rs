//! Rich dependencies: `(a or b)`, `(a if b else c)`, `(a with b)` and the like, and what they demand.

use super::version::Sense;

/// Deeper than anybody writes.
const DEEPEST: usize = 32;
/// A dependency that says so many things at once is meant to do harm.
const MOST_CLAUSES: usize = 1000;

/// A rich dependency as it is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Rich {
    /// One name, and the versions that are meant.
    One {
        /// A package, a capability or a path.
        name: String,
        /// Which side of the version.
        sense: Sense,
        /// The version, empty with [`Sense::ANY`].
        evr: String,
    },
    /// All of them.
    And(Vec<Rich>),
    /// One of them.
    Or(Vec<Rich>),
    /// The first, if the second; otherwise the third, if there is one.
    If(Box<[Rich]>),
    /// The first, unless the second; otherwise the third, if there is one.
    Unless(Box<[Rich]>),
    /// One package that is all of these.
    With(Vec<Rich>),
    /// A package that is the first and not the second.
    Without(Box<[Rich; 2]>),
}

impl Rich {
    /// Whether the name of a relation is a rich dependency.
    pub fn is_rich(name: &str) -> bool {
        name.starts_with('(')
    }

    /// Reads a rich dependency; `None` if it is none.
    pub fn parse(text: &str) -> Option<Self> {
        let mut parser = Parser { rest: text.strip_prefix('(')? };
        let found = parser.group(0)?;
        parser.rest.trim().is_empty().then_some(found)
    }

    /// Every name in it.
    pub fn names<'a>(&'a self, found: &mut Vec<&'a str>) {
        match self {
            Self::One { name, .. } => found.push(name),
            Self::And(parts) | Self::Or(parts) | Self::With(parts) => parts.iter().for_each(|part| part.names(found)),
            Self::If(parts) | Self::Unless(parts) => parts.iter().for_each(|part| part.names(found)),
            Self::Without(parts) => parts.iter().for_each(|part| part.names(found)),
        }
    }
}

struct Parser<'a> {
    rest: &'a str,
}

impl<'a> Parser<'a> {
    /// What stands behind an opening parenthesis, and the closing one.
    fn group(&mut self, depth: usize) -> Option<Rich> {
        if depth > DEEPEST {
            return None;
        }
        let mut parts = vec![self.operand(depth)?];
        let mut words: Vec<&str> = Vec::new();
        while !self.eat(")") {
            words.push(self.word()?);
            parts.push(self.operand(depth)?);
        }
        let first = words.first().copied();
        let same = words.iter().all(|word| Some(*word) == first);
        Some(match (first, words.as_slice()) {
            (None, _) => parts.pop()?,
            (Some("and"), _) if same => Rich::And(parts),
            (Some("or"), _) if same => Rich::Or(parts),
            (Some("with"), _) if same => Rich::With(parts),
            (_, ["without"]) => Rich::Without(Box::new(<[Rich; 2]>::try_from(parts).ok()?)),
            (_, ["if"] | ["if", "else"]) => Rich::If(parts.into()),
            (_, ["unless"] | ["unless", "else"]) => Rich::Unless(parts.into()),
            _ => return None,
        })
    }

    fn operand(&mut self, depth: usize) -> Option<Rich> {
        self.rest = self.rest.trim_start();
        if self.eat("(") {
            return self.group(depth + 1);
        }
        let name = self.word()?.to_owned();
        let sign_length = self.peek().find(|c| !matches!(c, '<' | '=' | '>')).unwrap_or(0);
        if sign_length == 0 {
            return Some(Rich::One { name, sense: Sense::ANY, evr: String::new() });
        }
        let (sign, rest) = self.peek().split_at(sign_length);
        let sense = Sense::from_sign(sign)?;
        self.rest = rest;
        let evr = self.word()?;
        // An epoch of 0 is written nowhere else.
        Some(Rich::One { name, sense, evr: evr.strip_prefix("0:").unwrap_or(evr).to_owned() })
    }

    fn peek(&self) -> &'a str {
        self.rest.trim_start()
    }

    fn eat(&mut self, token: &str) -> bool {
        match self.peek().strip_prefix(token) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    /// Up to a space or to the end of the group; a name may have parentheses of its own: `pkgconfig(zlib)`.
    fn word(&mut self) -> Option<&'a str> {
        let text = self.peek();
        let mut open = 0_usize;
        let end = text.find(|c: char| match c {
            '(' => {
                open += 1;
                false
            }
            ')' if open > 0 => {
                open -= 1;
                false
            }
            c => c == ')' || c.is_whitespace(),
        })?;
        let (word, rest) = text.split_at(end);
        self.rest = rest;
        (!word.is_empty()).then_some(word)
    }
}

/// One demand: one of `any_of`, or else none of some group in `unless`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Clause<P> {
    /// One of these keeps it.
    pub any_of: Vec<P>,
    /// It is kept too if one of these groups has no chosen member.
    pub unless: Vec<Vec<P>>,
}

/// What a dependency demands, as clauses that must all be kept; `None` if they are too many.
///
/// `providers` says which packages a name stands for.
pub fn demands<P: Clone + Ord>(
    rich: &Rich,
    wanted: bool,
    providers: &mut impl FnMut(&str, Sense, &str) -> Vec<P>,
) -> Option<Vec<Clause<P>>> {
    match rich {
        Rich::One { .. } | Rich::With(_) | Rich::Without(_) => {
            Some(vec![Clause::of(packages(rich, providers), wanted)])
        }
        Rich::And(parts) | Rich::Or(parts) => {
            let sides = parts.iter().map(|part| demands(part, wanted, providers)).collect::<Option<Vec<_>>>()?;
            combine(sides, matches!(rich, Rich::And(_)) == wanted)
        }
        Rich::If(parts) => {
            // (a or not b), and where there is a third: (b or c)
            let first = vec![demands(&parts[0], wanted, providers)?, demands(&parts[1], !wanted, providers)?];
            let mut sides = vec![combine(first, !wanted)?];
            if let Some(third) = parts.get(2) {
                let second = vec![demands(&parts[1], wanted, providers)?, demands(third, wanted, providers)?];
                sides.push(combine(second, !wanted)?);
            }
            combine(sides, wanted)
        }
        Rich::Unless(parts) => {
            // (a and not b), or where there is a third: (b and c)
            let first = vec![demands(&parts[0], wanted, providers)?, demands(&parts[1], !wanted, providers)?];
            let mut sides = vec![combine(first, wanted)?];
            if let Some(third) = parts.get(2) {
                let second = vec![demands(&parts[1], wanted, providers)?, demands(third, wanted, providers)?];
                sides.push(combine(second, wanted)?);
            }
            combine(sides, !wanted)
        }
    }
}

/// The packages that one name, or one intersection of names, stands for.
fn packages<P: Clone + Ord>(rich: &Rich, providers: &mut impl FnMut(&str, Sense, &str) -> Vec<P>) -> Vec<P> {
    match rich {
        Rich::One { name, sense, evr } => providers(name, *sense, evr),
        Rich::With(parts) => {
            let mut parts = parts.iter();
            let mut found = parts.next().map(|part| packages(part, providers)).unwrap_or_default();
            for part in parts {
                let also = packages(part, providers);
                found.retain(|one| also.contains(one));
            }
            found
        }
        Rich::Without(parts) => {
            let not = packages(&parts[1], providers);
            let mut found = packages(&parts[0], providers);
            found.retain(|one| !not.contains(one));
            found
        }
        // Inside of `with` and `without` these mean sets too.
        Rich::And(parts) | Rich::Or(parts) => parts.iter().flat_map(|part| packages(part, providers)).collect(),
        Rich::If(parts) | Rich::Unless(parts) => packages(&parts[0], providers),
    }
}

impl<P> Clause<P> {
    /// One of a group, or none of it.
    pub fn of(group: Vec<P>, wanted: bool) -> Self {
        if wanted {
            return Self { any_of: group, unless: Vec::new() };
        }
        Self { any_of: Vec::new(), unless: vec![group] }
    }
}

/// All sides, or one of them: then each clause of one is joined with each of the others.
fn combine<P: Clone + Ord>(sides: Vec<Vec<Clause<P>>>, all: bool) -> Option<Vec<Clause<P>>> {
    if all {
        let clauses: Vec<_> = sides.into_iter().flatten().collect();
        return (clauses.len() <= MOST_CLAUSES).then_some(clauses);
    }
    let mut joined = vec![Clause { any_of: Vec::new(), unless: Vec::new() }];
    for side in sides {
        if joined.len() * side.len() > MOST_CLAUSES {
            return None;
        }
        joined = joined.iter().flat_map(|left| side.iter().map(|right| join(left, right))).collect();
    }
    Some(joined)
}

fn join<P: Clone + Ord>(left: &Clause<P>, right: &Clause<P>) -> Clause<P> {
    let mut any_of: Vec<P> = left.any_of.iter().chain(&right.any_of).cloned().collect();
    any_of.sort_unstable();
    any_of.dedup();
    let mut unless: Vec<Vec<P>> = left.unless.iter().chain(&right.unless).cloned().collect();
    unless.sort_unstable();
    unless.dedup();
    Clause { any_of, unless }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each name is a package of that letter; `ab` is provided by a and b.
    fn said(text: &str, wanted: bool) -> Vec<String> {
        let rich = Rich::parse(text).unwrap();
        let clauses = demands(&rich, wanted, &mut |name, _, _| name.chars().collect()).unwrap();
        let mut said: Vec<String> = clauses
            .iter()
            .map(|clause| {
                let not = clause.unless.iter().map(|group| format!("!{}", group.iter().collect::<String>()));
                clause.any_of.iter().map(ToString::to_string).chain(not).collect::<Vec<_>>().join("|")
            })
            .collect();
        said.sort();
        said
    }

    #[test]
    fn every_operator_is_understood() {
        for (text, clauses) in [
            ("(a and b and c)", vec!["a", "b", "c"]),
            ("(a or b)", vec!["a|b"]),
            ("(a if b)", vec!["a|!b"]),
            ("(a if b else c)", vec!["a|!b", "b|c"]),
            ("(abc with bcd)", vec!["b|c"]),
            ("(abc without b)", vec!["a|c"]),
            ("((a and b) or c)", vec!["a|c", "b|c"]),
            ("(a if (b or c))", vec!["a|!b", "a|!c"]),
            ("(a if (b and c))", vec!["a|!b|!c"]),
            ("(a unless b)", vec!["!b", "a"]),
        ] {
            assert_eq!(said(text, true), clauses, "{text}");
        }
        assert_eq!(said("(a and b)", false), ["!a|!b"]);
        assert_eq!(said("(a or b)", false), ["!a", "!b"]);
        assert_eq!(said("(a unless b)", false), ["b|!a"]);
        assert_eq!(said("(a unless b else c)", false), ["!b|!c", "b|!a"]);
    }

    #[test]
    fn versions_and_names_with_parentheses_are_read() {
        let one = |name: &str, sense, evr: &str| Rich::One { name: name.to_owned(), sense, evr: evr.to_owned() };
        let greater = Sense::from_sign(">=").unwrap();
        assert_eq!(
            Rich::parse("(pkgconfig(zlib) >= 0:1.2 with lib.so()(64bit))"),
            Some(Rich::With(vec![one("pkgconfig(zlib)", greater, "1.2"), one("lib.so()(64bit)", Sense::ANY, "")]))
        );
        assert_eq!(Rich::parse("((a))"), Some(one("a", Sense::ANY, "")));
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        let deep = format!("{}a{}", "(".repeat(40), ")".repeat(40));
        for text in
            ["(a", "a)", "()", "(a and)", "(a and b or c)", "(a if b if c)", "(a xor b)", "(a) b", "(a >> 1)", &deep]
        {
            assert_eq!(Rich::parse(text), None, "{text}");
        }
        let group = "(b and c and d and e and f and g and h and i and j and k and l)";
        let many = format!("({group} or {group} or {group})");
        let rich = Rich::parse(&many).unwrap();
        assert_eq!(demands(&rich, true, &mut |name, _, _| vec![name.to_owned()]), None);
    }
}

//! The parser's events to a tree, within limits that no cluster.yaml needs and every YAML bomb breaks.

use std::collections::HashMap;

use saphyr_parser::{Event, Parser, ScalarStyle, ScanError, Span, StrInput};

use super::{Entry, Node, Place, Sources, Value};
use crate::finding::{Code, Finding};

/// What a file may contain at most.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Nodes after aliases are expanded.
    pub nodes: usize,
    /// Collections inside collections.
    pub depth: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { nodes: 1_000_000, depth: 64 }
    }
}

/// Reads one document; a second document in the same text is a problem.
pub fn parse(sources: &Sources, source: usize, limits: &Limits) -> Result<Node, Vec<Finding>> {
    let (name, text) = sources.get(source).map_or(("", ""), |s| (s.name.as_str(), s.text.as_str()));
    let builder = Builder {
        parser: Parser::new_from_str(text),
        source,
        name: name.to_owned(),
        limits,
        nodes: 0,
        anchors: HashMap::new(),
        problems: vec![],
    };
    builder.document()
}

struct Builder<'input, 'limits> {
    parser: Parser<'input, StrInput<'input>>,
    source: usize,
    name: String,
    limits: &'limits Limits,
    /// Nodes made so far, copies behind aliases included.
    nodes: usize,
    anchors: HashMap<usize, (Node, usize)>,
    problems: Vec<Finding>,
}

/// Parsing cannot go on; the reason is the last of `problems`.
struct Stop;

impl<'input> Builder<'input, '_> {
    fn document(mut self) -> Result<Node, Vec<Finding>> {
        let node = self.whole();
        match node {
            Ok(node) if self.problems.is_empty() => Ok(node),
            _ => Err(self.problems),
        }
    }

    fn whole(&mut self) -> Result<Node, Stop> {
        let node = loop {
            match self.next()? {
                (Event::DocumentStart(_), _) => {
                    let event = self.next()?;
                    break self.node(event, 0)?;
                }
                (Event::StreamEnd, _) => {
                    let name = self.name.clone();
                    self.problems.push(Finding::new(Code::Unreadable, None, format!("{name} has no content")));
                    return Err(Stop);
                }
                _ => {}
            }
        };
        while let Some(event) = self.parser.next() {
            match event {
                Ok((Event::DocumentStart(_), span)) => {
                    let help = "give each document a file of its own: several `-f` are laid over each other";
                    return Err(self.stop(Code::Syntax, span, "a second YAML document begins here", Some(help)));
                }
                Ok(_) => {}
                Err(error) => return Err(self.syntax(&error)),
            }
        }
        Ok(node)
    }

    fn next(&mut self) -> Result<(Event<'input>, Span), Stop> {
        match self.parser.next() {
            Some(Ok(event)) => Ok(event),
            Some(Err(error)) => Err(self.syntax(&error)),
            None => Ok((Event::StreamEnd, Span::default())),
        }
    }

    fn node(&mut self, (event, span): (Event<'input>, Span), depth: usize) -> Result<Node, Stop> {
        if depth > self.limits.depth {
            return Err(self.too_deep(span));
        }
        self.count(1, span)?;
        let before = self.nodes;
        let place = self.place(span);
        let (value, anchor) = match event {
            Event::Alias(id) => return self.alias(id, span),
            Event::Scalar(text, style, anchor, _) => {
                (Value::Scalar { text: text.into_owned(), plain: style == ScalarStyle::Plain }, anchor)
            }
            Event::SequenceStart(anchor, _) => (self.list(depth)?, anchor),
            Event::MappingStart(anchor, _) => (self.map(depth)?, anchor),
            _ => return Err(self.stop(Code::Syntax, span, "a value is missing here", None)),
        };
        let node = Node { place, value };
        if anchor != 0 {
            self.anchors.insert(anchor, (node.clone(), self.nodes - before + 1));
        }
        Ok(node)
    }

    fn list(&mut self, depth: usize) -> Result<Value, Stop> {
        let mut items = vec![];
        loop {
            match self.next()? {
                (Event::SequenceEnd, _) => return Ok(Value::List(items)),
                event => items.push(self.node(event, depth + 1)?),
            }
        }
    }

    fn map(&mut self, depth: usize) -> Result<Value, Stop> {
        let mut entries: Vec<Entry> = vec![];
        let mut seen: HashMap<String, Place> = HashMap::new();
        let mut inherited: Vec<Entry> = vec![];
        loop {
            let (key, key_place) = match self.next()? {
                (Event::MappingEnd, _) => break,
                (Event::Scalar(text, ..), span) => (text.into_owned(), self.place(span)),
                (_, span) => return Err(self.stop(Code::Syntax, span, "a field's name must be a text", None)),
            };
            let event = self.next()?;
            let node = self.node(event, depth + 1)?;
            if key == "<<" {
                inherited.extend(self.inherit(node)?);
                continue;
            }
            if let Some(first) = seen.insert(key.clone(), key_place) {
                let message = format!("`{key}` is set twice");
                let finding = Finding::new(Code::DuplicateField, Some(key_place), message)
                    .label(format!("first set in line {}", first.line))
                    .help("keep one of the two");
                self.problems.push(finding);
            }
            entries.push(Entry { key, key_place, node });
        }
        inherited.retain(|entry| !seen.contains_key(&entry.key));
        entries.extend(inherited);
        Ok(Value::Map(entries))
    }

    /// What `<<: *anchor` or `<<: [*a, *b]` brings; earlier ones win, as YAML has it.
    fn inherit(&mut self, node: Node) -> Result<Vec<Entry>, Stop> {
        let place = node.place;
        let maps = if let Value::List(items) = node.value { items } else { vec![node] };
        let mut entries: Vec<Entry> = vec![];
        for map in maps {
            let Value::Map(more) = map.value else {
                self.problems.push(Finding::new(
                    Code::WrongType,
                    Some(place),
                    "`<<` takes a mapping, or a list of them",
                ));
                return Err(Stop);
            };
            for entry in more {
                if !entries.iter().any(|known| known.key == entry.key) {
                    entries.push(entry);
                }
            }
        }
        Ok(entries)
    }

    fn alias(&mut self, id: usize, span: Span) -> Result<Node, Stop> {
        let Some((node, size)) = self.anchors.get(&id).cloned() else {
            return Err(self.stop(Code::Syntax, span, "an alias stands inside the thing it repeats", None));
        };
        self.count(size, span)?;
        Ok(node)
    }

    fn count(&mut self, nodes: usize, span: Span) -> Result<(), Stop> {
        self.nodes += nodes;
        if self.nodes <= self.limits.nodes {
            return Ok(());
        }
        let message = format!("the file expands to more than {} values", self.limits.nodes);
        Err(self.stop(Code::TooMuch, span, message, Some("write repeated parts out, or split the cluster")))
    }

    fn too_deep(&mut self, span: Span) -> Stop {
        let message = format!("collections are nested more than {} deep", self.limits.depth);
        self.stop(Code::TooMuch, span, message, None)
    }

    fn syntax(&mut self, error: &ScanError) -> Stop {
        let marker = *error.marker();
        // The parser has a limit of its own, which it may reach before its events reach us.
        if error.info().contains("recursion limit") {
            return self.too_deep(Span::empty(marker));
        }
        let (words, help) = in_words(error.info());
        self.stop(Code::Syntax, Span::empty(marker), format!("this is not YAML: {words}"), help)
    }

    fn stop(&mut self, code: Code, span: Span, message: impl Into<String>, help: Option<&str>) -> Stop {
        let mut finding = Finding::new(code, Some(self.place(span)), message);
        finding.help = help.map(str::to_owned);
        self.problems.push(finding);
        Stop
    }

    fn place(&self, span: Span) -> Place {
        let (line, column) = (span.start.line().max(1), span.start.col() + 1);
        let end = if span.end.line() == line { span.end.col() + 1 } else { column + 1 };
        Place { source: self.source, line, column, end: end.max(column + 1), last_line: span.end.line().max(line) }
    }
}

/// The parser's words, or ours where its own would not help; and a way out.
fn in_words(info: &str) -> (&str, Option<&'static str>) {
    if info.contains("tab") {
        (info, Some("indent with spaces"))
    } else if info.contains("unknown anchor") {
        ("it repeats an anchor that is not there", Some("write the anchor (&name) before its use (*name)"))
    } else if info.contains("',' or ']'") || info.contains("',' or '}'") || info.contains("flow") {
        (info, Some("a bracket or brace that was opened before is not closed"))
    } else if info.contains("quoted scalar") {
        (info, Some("a quote that was opened before is not closed"))
    } else {
        (info, None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Node, Vec<Finding>> {
        let mut sources = Sources::default();
        let id = sources.add("t", text.to_owned());
        parse(&sources, id, &Limits { nodes: 1000, depth: 20 })
    }

    fn codes(text: &str) -> Vec<Code> {
        read(text).unwrap_err().into_iter().map(|finding| finding.code).collect()
    }

    #[test]
    fn merge_keys_inherit_and_own_fields_win() {
        let tree = read("a: &a {x: 1, y: 2}\nb: {<<: *a, y: 3}\n").unwrap();
        let b = &tree.field("b").unwrap().node;
        let text = |key| match &b.field(key).unwrap().node.value {
            Value::Scalar { text, .. } => text.clone(),
            other => panic!("{other:?}"),
        };
        assert_eq!((text("x"), text("y")), ("1".to_owned(), "3".to_owned()));
    }

    #[test]
    fn bombs_depth_duplicates_and_more_documents_are_refused() {
        let mut bomb = String::from("a0: &a0 [x, x, x, x]\n");
        for level in 1..12 {
            let previous = format!("*a{}", level - 1);
            bomb = format!("{bomb}a{level}: &a{level} [{previous}, {previous}, {previous}, {previous}]\n");
        }
        assert_eq!(codes(&bomb), [Code::TooMuch]);
        assert_eq!(codes(&format!("{}1{}", "[".repeat(30), "]".repeat(30))), [Code::TooMuch]);
        assert_eq!(codes("a: 1\nb: 2\na: 3\nb: 4\n"), [Code::DuplicateField, Code::DuplicateField]);
        assert_eq!(codes("a: 1\n---\nb: 2\n"), [Code::Syntax]);
        assert_eq!(codes(""), [Code::Unreadable]);
        assert_eq!(codes("# only a comment\n"), [Code::Unreadable]);
        assert_eq!(codes("a: [1, 2\n"), [Code::Syntax]);
        assert_eq!(codes("a: &x [*x]\n"), [Code::Syntax]);
    }
}

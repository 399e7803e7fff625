//! YAML text to plain trees, within limits that no manifest needs and every YAML bomb breaks.
//!
//! Not `kubexm_model::yaml`: that reader is for one document by a person and reports each doubtful line; manifests come as
//! many documents from machines, which set a field twice now and then without harm.

use std::cell::Cell;
use std::collections::HashSet;
use std::fmt;

use serde::Deserialize;
use serde::de::{self, DeserializeSeed, Deserializer, EnumAccess, MapAccess, SeqAccess, VariantAccess, Visitor};

/// Values after aliases are expanded, in one text with everything embedded in it.
pub(super) const NODES: usize = 1_000_000;
/// Bytes of text in them.
pub(super) const BYTES: usize = 32 * 1024 * 1024;

/// A value.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Node {
    /// Nothing, or `null`.
    Null,
    /// A text.
    Text(String),
    /// A number or a boolean, which never names an image.
    Other,
    /// A list.
    List(Vec<Node>),
    /// A mapping; of a field that is set twice, the last one counts, as it does for Kubernetes.
    Map(Vec<(String, Node)>),
}

impl Node {
    /// The field of a mapping.
    pub(super) fn field(&self, key: &str) -> Option<&Node> {
        self.entries().iter().find(|(name, _)| name == key).map(|(_, value)| value)
    }

    /// The text of a field.
    pub(super) fn text(&self, key: &str) -> Option<&str> {
        match self.field(key) {
            Some(Self::Text(text)) => Some(text),
            _ => None,
        }
    }

    /// The fields of a mapping; none of anything else.
    pub(super) fn entries(&self) -> &[(String, Node)] {
        if let Self::Map(entries) = self { entries } else { &[] }
    }

    /// The items of a list; none of anything else.
    pub(super) fn items(&self) -> &[Node] {
        if let Self::List(items) = self { items } else { &[] }
    }
}

/// What may still be read.
#[derive(Debug)]
pub(super) struct Budget {
    nodes: Cell<usize>,
    bytes: Cell<usize>,
    exceeded: Cell<bool>,
}

impl Default for Budget {
    fn default() -> Self {
        Self { nodes: Cell::new(NODES), bytes: Cell::new(BYTES), exceeded: Cell::new(false) }
    }
}

impl Budget {
    pub(super) fn is_exceeded(&self) -> bool {
        self.exceeded.get()
    }

    fn spend<E: de::Error>(&self, bytes: usize) -> Result<(), E> {
        match (self.nodes.get().checked_sub(1), self.bytes.get().checked_sub(bytes)) {
            (Some(nodes), Some(bytes)) => {
                self.nodes.set(nodes);
                self.bytes.set(bytes);
                Ok(())
            }
            _ => {
                self.exceeded.set(true);
                Err(E::custom("too much"))
            }
        }
    }
}

/// A text cannot be read.
#[derive(Debug)]
pub(super) enum ReadError {
    Yaml(serde_yaml::Error),
    TooMuch,
}

/// The documents of a text, read one at a time; nothing after the first error.
pub(super) fn documents(text: &str, budget: &Budget) -> impl Iterator<Item = Result<Node, ReadError>> {
    let mut stopped = false;
    let too_long = text.len() > BYTES;
    // The parser would take a mark of byte order for a text.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    serde_yaml::Deserializer::from_str(if too_long { "" } else { text }).map_while(move |document| {
        if stopped {
            return None;
        }
        let read = Reader(budget)
            .deserialize(document)
            .map_err(|source| if budget.is_exceeded() { ReadError::TooMuch } else { ReadError::Yaml(source) });
        let read = if too_long { Err(ReadError::TooMuch) } else { read };
        stopped = read.is_err();
        Some(read)
    })
}

#[derive(Clone, Copy)]
struct Reader<'budget>(&'budget Budget);

impl<'de> DeserializeSeed<'de> for Reader<'_> {
    type Value = Node;
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Node, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl Reader<'_> {
    fn plain<E: de::Error>(self, node: Node) -> Result<Node, E> {
        self.0.spend(0).map(|()| node)
    }
}

impl<'de> Visitor<'de> for Reader<'_> {
    type Value = Node;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("YAML")
    }
    fn visit_unit<E: de::Error>(self) -> Result<Node, E> {
        self.plain(Node::Null)
    }
    fn visit_none<E: de::Error>(self) -> Result<Node, E> {
        self.plain(Node::Null)
    }
    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Node, D::Error> {
        deserializer.deserialize_any(self)
    }
    fn visit_bool<E: de::Error>(self, _: bool) -> Result<Node, E> {
        self.plain(Node::Other)
    }
    fn visit_i64<E: de::Error>(self, _: i64) -> Result<Node, E> {
        self.plain(Node::Other)
    }
    fn visit_u64<E: de::Error>(self, _: u64) -> Result<Node, E> {
        self.plain(Node::Other)
    }
    fn visit_i128<E: de::Error>(self, _: i128) -> Result<Node, E> {
        self.plain(Node::Other)
    }
    fn visit_u128<E: de::Error>(self, _: u128) -> Result<Node, E> {
        self.plain(Node::Other)
    }
    fn visit_f64<E: de::Error>(self, _: f64) -> Result<Node, E> {
        self.plain(Node::Other)
    }
    fn visit_str<E: de::Error>(self, text: &str) -> Result<Node, E> {
        self.0.spend(text.len()).map(|()| Node::Text(text.to_owned()))
    }
    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Node, A::Error> {
        self.0.spend(0)?;
        let mut items = vec![];
        while let Some(item) = access.next_element_seed(self)? {
            items.push(item);
        }
        Ok(Node::List(items))
    }
    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Node, A::Error> {
        self.0.spend(0)?;
        let mut entries = vec![];
        while let Some(key) = access.next_key_seed(Key(self.0))? {
            entries.push((key, access.next_value_seed(self)?));
        }
        Ok(Node::Map(settle(entries)))
    }
    /// A tag such as `!secret` changes nothing about what stands behind it.
    fn visit_enum<A: EnumAccess<'de>>(self, access: A) -> Result<Node, A::Error> {
        let (_, variant) = access.variant_seed(Key(self.0))?;
        variant.newtype_variant_seed(self)
    }
}

/// The name of a field: any scalar, as it is written.
struct Key<'budget>(&'budget Budget);

impl<'de> DeserializeSeed<'de> for Key<'_> {
    type Value = String;
    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<String, D::Error> {
        let key = String::deserialize(deserializer)?;
        self.0.spend(key.len()).map(|()| key)
    }
}

/// Each field once. What `<<: *anchor` or `<<: [*a, *b]` brings goes in front, the first last, so that the last one of a
/// name is always the one that counts.
fn settle(entries: Vec<(String, Node)>) -> Vec<(String, Node)> {
    let (merged, own): (Vec<_>, Vec<_>) = entries.into_iter().partition(|(key, _)| key == "<<");
    let maps =
        merged.into_iter().flat_map(|(_, value)| if let Node::List(items) = value { items } else { vec![value] });
    let mut inherited: Vec<_> = maps.map(|map| if let Node::Map(entries) = map { entries } else { vec![] }).collect();
    inherited.reverse();
    let all: Vec<_> = inherited.into_iter().flatten().chain(own).collect();
    let mut seen = HashSet::new();
    let mut counts: Vec<_> = all.iter().rev().map(|(key, _)| seen.insert(key.as_str())).collect();
    counts.reverse();
    all.into_iter().zip(counts).filter_map(|(entry, counts)| counts.then_some(entry)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<Result<Node, ReadError>> {
        documents(text, &Budget::default()).collect()
    }

    #[test]
    fn documents_anchors_merges_tags_and_odd_names_are_read() {
        let text = "a: &a {x: one, y: two}\nb: {<<: *a, y: own}\nm: {<<: [*a, {x: late, z: three}]}\nc: !odd {d: e}\n1: f\n---\n- g\n---\n# nothing\n";
        let trees: Vec<_> = read(text).into_iter().map(Result::unwrap).collect();
        assert_eq!(trees.len(), 3);
        assert_eq!(trees[0].field("b").unwrap().text("x"), Some("one"));
        assert_eq!(trees[0].field("b").unwrap().text("y"), Some("own"));
        let merged = trees[0].field("m").unwrap();
        assert_eq!((merged.text("x"), merged.text("z")), (Some("one"), Some("three")));
        assert_eq!(trees[0].field("c").unwrap().text("d"), Some("e"));
        assert_eq!(trees[0].text("1"), Some("f"));
        assert_eq!(trees[1], Node::List(vec![Node::Text("g".to_owned())]));
        assert_eq!(trees[2], Node::Null);
    }

    #[test]
    fn the_last_of_two_fields_counts() {
        assert_eq!(read("a: x\na: y\n").remove(0).unwrap().text("a"), Some("y"));
    }

    #[test]
    fn bombs_are_refused() {
        let mut wide = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
        for level in 1..9 {
            let previous = vec![format!("*a{}", level - 1); 10].join(", ");
            wide = format!("{wide}a{level}: &a{level} [{previous}]\n");
        }
        let long = format!("a: &a {}\nb: [{}]\n", "x".repeat(1024 * 1024), vec!["*a"; 100].join(", "));
        let deep = format!("{}1{}", "[".repeat(5000), "]".repeat(5000));
        // Many small bombs in one text are one bomb.
        let many =
            "a: &a [x,x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a]\nc: [*b,*b,*b,*b,*b,*b]\n---\n".repeat(6000);
        // The parser has a limit of its own on aliases, which the first one reaches.
        assert!(matches!(read(&wide).pop(), Some(Err(ReadError::Yaml(_)))));
        for bomb in [long, many] {
            assert!(matches!(read(&bomb).pop(), Some(Err(ReadError::TooMuch))), "{}", &bomb[..20]);
        }
        assert!(matches!(read(&deep).pop(), Some(Err(ReadError::Yaml(_)))));
        assert!(matches!(read(&"a".repeat(BYTES + 1)).pop(), Some(Err(ReadError::TooMuch))));
    }

    #[test]
    fn nothing_follows_an_error() {
        let read = read("a: 1\n---\nb: [\n---\nc: 1\n");
        assert!(matches!(&read[..], [Ok(_), Err(ReadError::Yaml(_))]), "{read:?}");
    }
}

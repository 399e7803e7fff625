//! The texts that a configuration was read from, and places in them.

/// A text with the name under which a person knows it.
#[derive(Debug, Clone)]
pub struct Source {
    /// A path, `<stdin>`, or the words of a command line override.
    pub name: String,
    /// The whole text.
    pub text: String,
}

/// All texts of one configuration, in the order in which they were given.
#[derive(Debug, Clone, Default)]
pub struct Sources(Vec<Source>);

impl Sources {
    /// Adds a text and returns its number.
    pub fn add(&mut self, name: impl Into<String>, text: String) -> usize {
        self.0.push(Source { name: name.into(), text });
        self.0.len() - 1
    }

    /// The text of that number.
    pub fn get(&self, id: usize) -> Option<&Source> {
        self.0.get(id)
    }

    /// The names, joined as a person would write them.
    pub fn names(&self) -> String {
        self.0.iter().map(|source| source.name.as_str()).collect::<Vec<_>>().join(", ")
    }
}

/// A stretch of one line of a source; lines and columns count from 1, columns in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Place {
    /// The number of the source.
    pub source: usize,
    /// The line.
    pub line: usize,
    /// The first column.
    pub column: usize,
    /// The column behind the last one; not before `column`.
    pub end: usize,
}

impl Source {
    /// A line without its end, counted from 1.
    pub fn line(&self, number: usize) -> &str {
        self.text.lines().nth(number.saturating_sub(1)).unwrap_or("")
    }
}

//! The texts that a configuration was read from, and places in them.

/// A text with the name under which a person knows it.
#[derive(Debug, Clone)]
pub struct Source {
    /// A path, `<stdin>`, or the words of a command line override.
    pub name: String,
    /// The whole text.
    pub text: String,
    /// Where each line begins, so that a line is found without counting.
    lines: Vec<usize>,
    /// Places that hold secrets.
    hidden: Vec<Place>,
}

/// All texts of one configuration, in the order in which they were given.
#[derive(Debug, Clone, Default)]
pub struct Sources(Vec<Source>);

impl Sources {
    /// Adds a text and returns its number.
    pub fn add(&mut self, name: impl Into<String>, text: String) -> usize {
        let lines = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        self.0.push(Source { name: name.into(), text, lines, hidden: vec![] });
        self.0.len() - 1
    }

    /// The text of that number.
    pub fn get(&self, id: usize) -> Option<&Source> {
        self.0.get(id)
    }

    /// Remembers that a place holds a secret, so that it is never shown.
    pub fn hide(&mut self, place: Place) {
        if let Some(source) = self.0.get_mut(place.source) {
            source.hidden.push(place);
        }
    }
}

/// A stretch of a source, of which the first line is shown; lines and columns count from 1, columns in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Place {
    /// The number of the source.
    pub source: usize,
    /// The line.
    pub line: usize,
    /// The first column.
    pub column: usize,
    /// The column behind the last one of the first line; behind `column`.
    pub end: usize,
    /// The line that it ends in.
    pub last_line: usize,
}

impl Source {
    /// A line without its end, counted from 1.
    pub fn line(&self, number: usize) -> &str {
        let number = number.max(1);
        let start = self.lines.get(number - 1).copied().unwrap_or(self.text.len());
        let end = self.lines.get(number).copied().unwrap_or(self.text.len());
        self.text[start..end].trim_end_matches(['\n', '\r'])
    }

    /// The columns of a line that hold secrets, as ranges of characters counted from 0.
    pub fn hidden_in(&self, line: usize) -> impl Iterator<Item = std::ops::Range<usize>> {
        let inside = move |place: &&Place| (place.line..=place.last_line).contains(&line);
        self.hidden.iter().filter(inside).map(move |place| {
            let from = if line == place.line { place.column - 1 } else { 0 };
            let to = if line == place.line && line == place.last_line { place.end - 1 } else { usize::MAX };
            from..to
        })
    }
}

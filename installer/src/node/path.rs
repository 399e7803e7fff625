//! Absolute paths on a node.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// An absolute path without `.`, `..`, doubled or trailing slashes.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct NodePath(String);

/// Why a text is no path on a node.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotAPath {
    /// It does not begin at the root.
    #[error("`{text}` is not an absolute path")]
    Relative {
        /// The text.
        text: String,
    },
    /// It has a part that means nothing or something else than its name.
    #[error("`{text}` has an empty, `.` or `..` part")]
    Part {
        /// The text.
        text: String,
    },
    /// It holds a character that no path can.
    #[error("{text:?} holds a NUL character")]
    Nul {
        /// The text.
        text: String,
    },
    /// It is longer than Linux allows.
    #[error("a path that begins `{text}` is too long: at most {PATH_MAX} bytes, {NAME_MAX} for each part")]
    Long {
        /// Its beginning.
        text: String,
    },
}

const PATH_MAX: usize = 4095;
const NAME_MAX: usize = 255;

impl NodePath {
    /// Checks a text.
    pub fn new(text: impl Into<String>) -> Result<Self, NotAPath> {
        let text = text.into();
        let Some(inner) = text.strip_prefix('/') else { return Err(NotAPath::Relative { text }) };
        if inner.contains('\0') {
            return Err(NotAPath::Nul { text });
        }
        if text.len() > PATH_MAX || inner.split('/').any(|part| part.len() > NAME_MAX) {
            return Err(NotAPath::Long { text: text.chars().take(60).collect() });
        }
        if !inner.is_empty() && inner.split('/').any(|part| matches!(part, "" | "." | "..")) {
            return Err(NotAPath::Part { text });
        }
        Ok(Self(text))
    }

    /// The text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The path of something in this directory; `below` may have several parts.
    pub fn join(&self, below: &str) -> Result<Self, NotAPath> {
        Self::new(format!("{}/{below}", self.0.trim_end_matches('/')))
    }

    /// The last part; empty for the root.
    pub fn file_name(&self) -> &str {
        self.0.rsplit_once('/').map_or("", |(_, name)| name)
    }

    /// The directory in which it is; nothing for the root.
    pub fn parent(&self) -> Option<Self> {
        let (parent, name) = self.0.rsplit_once('/')?;
        match (parent, name) {
            ("", "") => None,
            ("", _) => Some(Self("/".to_owned())),
            _ => Some(Self(parent.to_owned())),
        }
    }

    /// Whether it is this directory or below it.
    pub fn is_within(&self, directory: &Self) -> bool {
        self.0
            .strip_prefix(directory.0.trim_end_matches('/'))
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    }
}

impl fmt::Display for NodePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
impl fmt::Debug for NodePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}
impl FromStr for NodePath {
    type Err = NotAPath;
    fn from_str(text: &str) -> Result<Self, NotAPath> {
        Self::new(text)
    }
}
impl TryFrom<String> for NodePath {
    type Error = NotAPath;
    fn try_from(text: String) -> Result<Self, NotAPath> {
        Self::new(text)
    }
}
impl From<NodePath> for String {
    fn from(path: NodePath) -> Self {
        path.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_absolute_and_plain() {
        for good in ["/", "/etc", "/etc/a b/ü\n'\"$x", "/..a/.b"] {
            assert_eq!(NodePath::new(good).unwrap().as_str(), good);
        }
        let long_part = format!("/{}", "a".repeat(256));
        let long = "/a".repeat(2048);
        for bad in ["", "etc", "//etc", "/etc/", "/etc//a", "/etc/./a", "/etc/../a", "/..", "/a\0b", &long_part, &long]
        {
            assert!(NodePath::new(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn paths_know_their_parts() {
        let root = NodePath::new("/").unwrap();
        let etc = root.join("etc").unwrap();
        let file = etc.join("a/b").unwrap();
        assert_eq!((etc.as_str(), file.as_str()), ("/etc", "/etc/a/b"));
        assert_eq!((file.file_name(), root.file_name()), ("b", ""));
        assert_eq!(file.parent().unwrap().parent().unwrap(), etc);
        assert_eq!((etc.parent(), root.parent()), (Some(root.clone()), None));
        assert!(file.is_within(&etc) && etc.is_within(&etc) && file.is_within(&root));
        assert!(!NodePath::new("/etcetera").unwrap().is_within(&etc));
        assert!(etc.join("../a").is_err() && etc.join("").is_err());
    }

    #[test]
    fn a_path_is_checked_when_it_is_read_back() {
        assert!(serde_json::from_str::<NodePath>("\"/a/../b\"").is_err());
        assert_eq!(serde_json::from_str::<NodePath>("\"/a\"").unwrap(), NodePath::new("/a").unwrap());
    }
}

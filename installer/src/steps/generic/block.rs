//! Lines of ours in a file of somebody else's, between two marks.

use async_trait::async_trait;

use super::file::{created, replaced};
use super::{MOST_TEXT, while_doing};
use crate::engine::{Found, Op, OpError, Outputs};
use crate::node::{FileKind, Inspect, Mode, Mutate, NewFile, NodeError, NodePath, Owner, Stat};

const BEGIN: &str = "# BEGIN KubeXM Managed Block";
const END: &str = "# END KubeXM Managed Block";

/// Where the lines stand in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::steps) enum At {
    /// Before everything else.
    Top,
    /// After everything else.
    Bottom,
}

/// Keeps lines of ours in a file; what others wrote there stays as it is.
pub(in crate::steps) struct ManagedBlock {
    path: NodePath,
    lines: Vec<String>,
    at: At,
}

impl ManagedBlock {
    /// These lines, in this place.
    pub(in crate::steps) fn new(path: NodePath, lines: Vec<String>, at: At) -> Self {
        Self { path, lines, at }
    }

    /// The file as it is, and the text that it should have.
    async fn look(&self, node: &dyn Inspect) -> Result<(Option<Stat>, String, String), OpError> {
        let doing = self.describe();
        let stat = node.stat(&self.path).await.map_err(while_doing(&doing))?;
        let bytes = node.read(&self.path, MOST_TEXT).await.map_err(while_doing(&doing))?.unwrap_or_default();
        let text = String::from_utf8(bytes)
            .map_err(|_| OpError::Refused(format!("{} is no text, and is left alone", self.path)))?;
        let wanted = with_block(&text, &self.lines, self.at);
        Ok((stat, text, wanted))
    }
}

/// The text with our lines in it, once.
fn with_block(text: &str, lines: &[String], at: At) -> String {
    let mut others = vec![];
    let mut inside = false;
    for line in text.lines() {
        match line.trim() {
            BEGIN => inside = true,
            END if inside => inside = false,
            _ if inside => {}
            _ => others.push(line),
        }
    }
    let block: Vec<&str> = match lines {
        [] => vec![],
        lines => std::iter::once(BEGIN).chain(lines.iter().map(String::as_str)).chain([END]).collect(),
    };
    let (first, second) = if at == At::Top { (block, others) } else { (others, block) };
    first.iter().chain(&second).flat_map(|line| [*line, "\n"]).collect()
}

#[async_trait]
impl Op for ManagedBlock {
    fn describe(&self) -> String {
        format!("keep {} lines in {}", self.lines.len(), self.path)
    }

    async fn probe(&self, node: &dyn Inspect) -> Result<Found, OpError> {
        let (stat, text, wanted) = self.look(node).await?;
        if text == wanted {
            return Ok(Found::Satisfied);
        }
        let (content, owner) = (wanted.into_bytes(), Owner::root());
        let file = NewFile { path: &self.path, mode: Mode::FILE, owner: &owner, content: &content };
        match stat {
            None => Ok(created(&file)),
            Some(stat) => replaced(&file, &stat.kind),
        }
    }

    async fn apply(&self, node: &dyn Mutate, _outputs: &Outputs) -> Result<(), OpError> {
        let (stat, _, wanted) = self.look(node).await?;
        write_text(node, &self.path, stat, wanted).await.map_err(while_doing(&self.describe()))
    }
}

/// Writes a text with the mode and owner that the file has.
pub(super) async fn write_text(
    node: &dyn Mutate,
    path: &NodePath,
    was: Option<Stat>,
    text: String,
) -> Result<(), NodeError> {
    let regular = was.filter(|stat| stat.kind == FileKind::File);
    let (mode, owner) = regular.map_or((Mode::FILE, Owner::root()), |stat| (stat.mode, stat.owner));
    let content = text.into_bytes();
    node.put(&NewFile { path, mode, owner: &owner, content: &content }).await.map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_lines_are_there_once_and_the_others_stay() {
        let lines = vec!["10.0.0.1 a".to_owned()];
        let first = with_block("127.0.0.1 localhost\n", &lines, At::Bottom);
        assert_eq!(first, format!("127.0.0.1 localhost\n{BEGIN}\n10.0.0.1 a\n{END}\n"));
        assert_eq!(with_block(&first, &lines, At::Bottom), first);
        let later = format!("{first}1.2.3.4 somebody\n");
        let again = with_block(&later, &["10.0.0.2 b".to_owned()], At::Bottom);
        assert_eq!(again, format!("127.0.0.1 localhost\n1.2.3.4 somebody\n{BEGIN}\n10.0.0.2 b\n{END}\n"));
        assert_eq!(with_block(&again, &[], At::Bottom), "127.0.0.1 localhost\n1.2.3.4 somebody\n");
        assert!(with_block("nameserver 1.1.1.1\n", &lines, At::Top).starts_with(BEGIN));
    }
}

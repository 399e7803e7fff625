//! Single lines of a file of somebody else's, changed by a rule.

use async_trait::async_trait;

use super::block::write_text;
use super::file::replaced;
use super::{MOST_TEXT, while_doing};
use crate::engine::{Found, Op, OpError, Outputs};
use crate::node::{Inspect, Mode, Mutate, NewFile, NodePath, Owner, Stat};

/// What happens to a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::steps) enum Edit {
    /// Swap space in fstab becomes a comment.
    CommentOutSwap,
    /// `SELINUX=enforcing` becomes permissive.
    RelaxSelinux,
}

impl Edit {
    fn line(self, line: &str) -> String {
        match self {
            Self::CommentOutSwap => {
                let is_swap = !line.trim_start().starts_with('#') && line.split_whitespace().nth(2) == Some("swap");
                if is_swap { format!("# {line}") } else { line.to_owned() }
            }
            Self::RelaxSelinux if line.trim() == "SELINUX=enforcing" => "SELINUX=permissive".to_owned(),
            Self::RelaxSelinux => line.to_owned(),
        }
    }

    fn text(self, text: &str) -> String {
        let edited = text.split_inclusive('\n').map(|line| {
            let (body, end) = line.strip_suffix('\n').map_or((line, ""), |body| (body, "\n"));
            self.line(body) + end
        });
        edited.collect()
    }
}

/// Changes lines of a file that is there; one that is not is left so.
pub(in crate::steps) struct EditLines {
    path: NodePath,
    edit: Edit,
}

impl EditLines {
    /// This edit in this file.
    pub(in crate::steps) fn new(path: NodePath, edit: Edit) -> Self {
        Self { path, edit }
    }

    async fn look(&self, node: &dyn Inspect) -> Result<Option<(Stat, String, String)>, OpError> {
        let doing = self.describe();
        let Some(stat) = node.stat(&self.path).await.map_err(while_doing(&doing))? else { return Ok(None) };
        let bytes = node.read(&self.path, MOST_TEXT).await.map_err(while_doing(&doing))?.unwrap_or_default();
        let text = String::from_utf8(bytes)
            .map_err(|_| OpError::Refused(format!("{} is no text, and is left alone", self.path)))?;
        let wanted = self.edit.text(&text);
        Ok(Some((stat, text, wanted)))
    }
}

#[async_trait]
impl Op for EditLines {
    fn describe(&self) -> String {
        let what = match self.edit {
            Edit::CommentOutSwap => "comment out swap space in",
            Edit::RelaxSelinux => "make SELinux permissive in",
        };
        format!("{what} {}", self.path)
    }

    async fn probe(&self, node: &dyn Inspect) -> Result<Found, OpError> {
        let Some((stat, text, wanted)) = self.look(node).await? else { return Ok(Found::Satisfied) };
        if text == wanted {
            return Ok(Found::Satisfied);
        }
        let (content, owner) = (wanted.into_bytes(), Owner::root());
        replaced(&NewFile { path: &self.path, mode: Mode::FILE, owner: &owner, content: &content }, &stat.kind)
    }

    async fn apply(&self, node: &dyn Mutate, _outputs: &Outputs) -> Result<(), OpError> {
        let Some((stat, _, wanted)) = self.look(node).await? else { return Ok(()) };
        write_text(node, &self.path, Some(stat), wanted).await.map_err(while_doing(&self.describe()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_swap_space_is_commented_out() {
        let fstab =
            "# swap was here\n/dev/sda1 / ext4 defaults 0 1\n/swapfile none swap sw 0 0\nUUID=1 /swap ext4 x 0 0";
        let wanted = fstab.replace("\n/swapfile", "\n# /swapfile");
        assert_eq!(Edit::CommentOutSwap.text(fstab), wanted);
        assert_eq!(Edit::CommentOutSwap.text(&wanted), wanted);
    }

    #[test]
    fn selinux_is_relaxed_and_not_switched_off() {
        let text = "SELINUX=enforcing\nSELINUXTYPE=targeted\n";
        assert_eq!(Edit::RelaxSelinux.text(text), "SELINUX=permissive\nSELINUXTYPE=targeted\n");
        assert_eq!(Edit::RelaxSelinux.text("SELINUX=disabled\n"), "SELINUX=disabled\n");
    }
}

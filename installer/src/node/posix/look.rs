//! Files, looked at.

use kubexm_model::digest::Digest;

use super::PosixNode;
use crate::node::file::{FileKind, Mode, Owner, Stat};
use crate::node::line::Line;
use crate::node::names::AccountName;
use crate::node::{NodeError, NodePath, Output};

/// How tools end when nothing is there, or nothing can be.
const ABSENT: [&str; 3] = [": No such file or directory", ": Not a directory", ": Too many levels of symbolic links"];
/// More than the names in any directory that is ours to list.
const LONGEST_LIST: usize = 16 * 1024 * 1024;
/// Everything about a file but its name, a line each: mode, ids, names, size.
const FORMAT: &str = "%f\n%u\n%g\n%U\n%G\n%s";

impl<L: Line> PosixNode<L> {
    pub(super) async fn stat_path(&self, path: &NodePath) -> Result<Option<Stat>, NodeError> {
        let doing = format!("stat {path}");
        let output = self.look(&doing, &["stat", "-c", FORMAT, "--", path.as_str()], 64 * 1024).await?;
        let Some(output) = self.present(doing, output)? else { return Ok(None) };
        let text = String::from_utf8_lossy(&output.stdout);
        let (mut stat, is_link) = parse(&text).ok_or_else(|| self.puzzling(format!("stat {path}"), &output.stdout))?;
        if is_link {
            let Some(target) = self.link_target(path).await? else { return Ok(None) };
            stat.kind = FileKind::Symlink(target);
        }
        Ok(Some(stat))
    }

    async fn link_target(&self, path: &NodePath) -> Result<Option<String>, NodeError> {
        let doing = format!("readlink {path}");
        let output = self.look(&doing, &["readlink", "-n", "--", path.as_str()], 64 * 1024).await?;
        let Some(output) = self.present(doing, output)? else { return Ok(None) };
        let target = String::from_utf8(output.stdout);
        target.map(Some).map_err(|error| self.puzzling(format!("readlink {path}"), error.as_bytes()))
    }

    pub(super) async fn read_file(&self, path: &NodePath, limit: u64) -> Result<Option<Vec<u8>>, NodeError> {
        let doing = format!("read {path}");
        let most = limit.saturating_add(1);
        let keep = usize::try_from(most).unwrap_or(usize::MAX);
        let output = self.look(&doing, &["head", "-c", &most.to_string(), "--", path.as_str()], keep).await?;
        let Some(output) = self.present(doing, output)? else { return Ok(None) };
        if output.stdout.len() as u64 > limit {
            return Err(NodeError::TooLarge { node: self.name.clone(), path: path.clone(), limit });
        }
        Ok(Some(output.stdout))
    }

    pub(super) async fn digest_file(&self, path: &NodePath) -> Result<Option<Digest>, NodeError> {
        let doing = format!("sha256sum {path}");
        let output = self.look(&doing, &["sha256sum", "--", path.as_str()], 64 * 1024).await?;
        let Some(output) = self.present(doing, output)? else { return Ok(None) };
        digest_in(&output.stdout).map(Some).ok_or_else(|| self.puzzling(format!("sha256sum {path}"), &output.stdout))
    }

    pub(super) async fn list_directory(&self, directory: &NodePath) -> Result<Option<Vec<String>>, NodeError> {
        let doing = format!("list {directory}");
        // The slash at the end makes find follow a symlink, and fail at what is no directory.
        let place = format!("{}/", directory.as_str().trim_end_matches('/'));
        let argv = ["find", &place, "-mindepth", "1", "-maxdepth", "1", "-print0"];
        let output = self.look(&doing, &argv, LONGEST_LIST).await?;
        let Some(output) = self.present(doing, output)? else { return Ok(None) };
        if output.cut {
            return Err(NodeError::TooLarge {
                node: self.name.clone(),
                path: directory.clone(),
                limit: LONGEST_LIST as u64,
            });
        }
        let text = String::from_utf8(output.stdout);
        let text = text.map_err(|error| self.puzzling(format!("list {directory}"), error.as_bytes()))?;
        let paths = text.split_terminator('\0');
        let mut names: Vec<String> = paths.map(|path| path.rsplit('/').next().unwrap_or(path).to_owned()).collect();
        names.sort_unstable();
        Ok(Some(names))
    }

    /// The output, or nothing when the tool says that the file is not there.
    fn present(&self, doing: String, output: Output) -> Result<Option<Output>, NodeError> {
        if output.code == 0 {
            return Ok(Some(output));
        }
        // Only the very end counts: what stands before it may be a name that somebody chose.
        let said = String::from_utf8_lossy(&output.stderr);
        if ABSENT.iter().any(|end| said.trim_end().ends_with(end)) {
            return Ok(None);
        }
        Err(self.failed(doing, &output))
    }
}

/// The digest at the beginning of sha256sum's answer; a backslash before it tells that the name is odd.
pub(super) fn digest_in(answer: &[u8]) -> Option<Digest> {
    let text = std::str::from_utf8(answer.get(..answer.len().min(65))?).ok()?;
    Digest::from_hex(text.trim_start_matches('\\').get(..64)?).ok()
}

fn parse(text: &str) -> Option<(Stat, bool)> {
    let [mode, uid, gid, user, group, size] = text.lines().collect::<Vec<_>>().try_into().ok()?;
    let mode = u32::from_str_radix(mode, 16).ok()?;
    let size: u64 = size.parse().ok()?;
    let (kind, size) = match mode & 0o170_000 {
        0o100_000 => (FileKind::File, size),
        0o040_000 => (FileKind::Directory, 0),
        0o120_000 => (FileKind::Symlink(String::new()), 0),
        _ => (FileKind::Other, 0),
    };
    let owner = Owner::new(account(user, uid)?, account(group, gid)?);
    let is_link = matches!(kind, FileKind::Symlink(_));
    Some((Stat { kind, mode: Mode::new(mode), owner, size }, is_link))
}

/// The name, or the number where there is no name or none that we would write.
fn account(name: &str, id: &str) -> Option<AccountName> {
    let named = AccountName::new(name).ok().filter(|_| name != "UNKNOWN");
    named.or_else(|| id.parse::<u32>().ok().and_then(|id| AccountName::new(id.to_string()).ok()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stat_says_is_understood() {
        let (stat, is_link) = parse("81a4\n0\n4\nroot\nadm\n12\n").unwrap();
        assert_eq!((stat.kind, stat.mode, stat.size), (FileKind::File, Mode::FILE, 12));
        assert_eq!(stat.owner.to_string(), "root:adm");
        assert!(!is_link);
        let (stat, _) = parse("43ff\n1234\n5678\nUNKNOWN\nweird name\n4096\n").unwrap();
        assert_eq!((stat.kind, stat.mode.bits(), stat.size), (FileKind::Directory, 0o1777, 0));
        assert_eq!(stat.owner.to_string(), "1234:5678");
        assert!(parse("a1ff\n0\n0\nroot\nroot\n3").unwrap().1);
        for bad in ["", "81a4", "xyz\n0\n0\nroot\nroot\n1", "81a4\n0\n0\nroot\nroot\n-1", "1\n2\n3\n4\n5\n6\n7"] {
            assert!(parse(bad).is_none(), "{bad:?}");
        }
    }

    #[test]
    fn a_digest_is_found_before_any_name() {
        let hex = Digest::of(b"x").hex();
        assert_eq!(digest_in(format!("{hex}  /a\n").as_bytes()), Some(Digest::of(b"x")));
        assert_eq!(digest_in(format!("\\{hex}  /a\\nb\n").as_bytes()), Some(Digest::of(b"x")));
        assert_eq!(digest_in(b"sha256sum: no"), None);
    }
}

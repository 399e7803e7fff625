//! Bringing a file to the node.

use std::io::Read;
use std::time::Duration;

use kubexm_model::digest::{Digest, Hasher};

use super::talk::{Feed, PIECE};
use super::{Job, PosixNode};
use crate::node::change::{Change, FileChange};
use crate::node::file::{NewFile, Sent};
use crate::node::line::Line;
use crate::node::{NodeError, NodePath, Output};

const LOOK: &str = include_str!("put_look.sh");
const WRITE: &str = include_str!("put_write.sh");
/// The temporary file changed since it was looked at.
const MOVED: i32 = 75;
/// Less arrived than was sent.
const CUT: i32 = 76;
/// Something else arrived than was sent.
const CORRUPT: i32 = 77;
/// How often an upload is continued after the line was lost. Each time, what has arrived is checked first.
const ATTEMPTS: usize = 4;
/// The longest time for one attempt; a line that carries nothing is found dead much earlier.
const PATIENCE: Duration = Duration::from_hours(6);

/// A file on the node, as the script tells it.
#[derive(Debug, PartialEq, Eq)]
struct There {
    mode: u32,
    user: [String; 2],
    group: [String; 2],
    size: u64,
    digest: Option<Digest>,
}

/// What an attempt came to.
enum Attempt {
    Done,
    Again,
}

impl<L: Line> PosixNode<L> {
    pub(super) async fn put_file(&self, file: &NewFile<'_>) -> Result<Sent, NodeError> {
        let no_room = |source| NodeError::NoRoomBeside { node: self.name.clone(), path: file.path.clone(), source };
        let part = file.temporary().map_err(no_room)?;
        let mut bytes = 0;
        let mut attempt = 0;
        loop {
            attempt += 1;
            let (there, gathered) = self.look_before_put(file, &part).await?;
            if let Some(there) = there.filter(|there| there.digest == Some(file.content.digest())) {
                return self.adjust(file, &there, bytes).await;
            }
            let end = self.attempt(file, &part, gathered.as_ref(), &mut bytes).await;
            match end {
                Ok(Attempt::Done) => return Ok(Sent { changed: true, bytes }),
                Ok(Attempt::Again) | Err(NodeError::Disconnected { .. }) if attempt < ATTEMPTS => {}
                Ok(Attempt::Again) => {
                    let (node, doing) = (self.name.clone(), format!("put {}", file.path));
                    return Err(NodeError::Disconnected { node, doing, unknown: false });
                }
                Err(error) => return Err(error),
            }
        }
    }

    async fn look_before_put(
        &self,
        file: &NewFile<'_>,
        part: &NodePath,
    ) -> Result<(Option<There>, Option<There>), NodeError> {
        let doing = format!("look at {}", file.path);
        let size = file.content.size().to_string();
        let argv = ["sh", "-c", LOOK, "kubexm", file.path.as_str(), part.as_str(), &size];
        let output = self.look(&doing, &argv, 64 * 1024).await?;
        if output.code != 0 {
            return Err(self.failed(doing, &output));
        }
        let text = output.text();
        let mut lines = text.lines().map(parse);
        match (lines.next(), lines.next(), lines.next()) {
            (Some(Ok(there)), Some(Ok(gathered)), None) => Ok((there, gathered)),
            _ => Err(self.puzzling(doing, &output.stdout)),
        }
    }

    /// The content is there; mode and owner are made right without sending anything.
    async fn adjust(&self, file: &NewFile<'_>, there: &There, bytes: u64) -> Result<Sent, NodeError> {
        let owner_is_right =
            there.user.contains(&file.owner.user.to_string()) && there.group.contains(&file.owner.group.to_string());
        if owner_is_right && there.mode == file.mode.bits() {
            return Ok(Sent { changed: bytes > 0, bytes });
        }
        let path = file.path.clone();
        // Changing the owner takes away special bits: the mode comes last.
        let owner = FileChange::SetOwner { path: path.clone(), owner: file.owner.clone() };
        self.make(&Change::File(owner)).await?;
        self.make(&Change::File(FileChange::SetMode { path, mode: file.mode })).await?;
        Ok(Sent { changed: true, bytes })
    }

    async fn attempt(
        &self,
        file: &NewFile<'_>,
        part: &NodePath,
        gathered: Option<&There>,
        bytes: &mut u64,
    ) -> Result<Attempt, NodeError> {
        let (reader, offset) = self.reader_from(file, gathered).await?;
        let (size, digest) = (file.content.size(), file.content.digest());
        let values = [
            file.path.to_string(),
            part.to_string(),
            file.mode.argument(),
            file.owner.to_string(),
            offset.to_string(),
            size.to_string(),
            digest.hex(),
        ];
        let argv = ["sh", "-c", WRITE, "kubexm"].map(str::to_owned).into_iter().chain(values).collect();
        let doing = format!("put {}", file.path);
        let feed = Feed::Reader(reader);
        let job = Job { argv, doing: doing.clone(), feed, patience: PATIENCE, keep: 64 * 1024, changes: true };
        let output = self.exec(job).await.map_err(|error| self.as_content_error(file, error))?;
        *bytes += size - offset;
        self.judge(file, doing, &output)
    }

    fn judge(&self, file: &NewFile<'_>, doing: String, output: &Output) -> Result<Attempt, NodeError> {
        match output.code {
            0 => Ok(Attempt::Done),
            MOVED => Ok(Attempt::Again),
            // The line held to the end, so it was the content that ended too early.
            CUT => Err(self.unreadable(file, std::io::ErrorKind::UnexpectedEof.into())),
            CORRUPT => Err(NodeError::Corrupt {
                node: self.name.clone(),
                path: file.path.clone(),
                wanted: file.content.digest(),
                found: output.text(),
            }),
            _ => Err(self.failed(doing, output)),
        }
    }

    fn as_content_error(&self, file: &NewFile<'_>, error: NodeError) -> NodeError {
        match error {
            NodeError::Start { source, .. } => self.unreadable(file, source),
            other => other,
        }
    }

    fn unreadable(&self, file: &NewFile<'_>, source: std::io::Error) -> NodeError {
        NodeError::Content { node: self.name.clone(), path: file.path.clone(), source }
    }

    /// The content from where the node has it, which is the beginning unless the gathered part is really its beginning.
    async fn reader_from(
        &self,
        file: &NewFile<'_>,
        gathered: Option<&There>,
    ) -> Result<(Box<dyn Read + Send>, u64), NodeError> {
        let mut reader = file.content.open().map_err(|source| self.unreadable(file, source))?;
        let usable = gathered.filter(|there| there.size > 0 && there.size <= file.content.size());
        let Some((size, Some(digest))) = usable.map(|there| (there.size, there.digest)) else { return Ok((reader, 0)) };
        let skipping = tokio::task::spawn_blocking(move || skip(&mut reader, size).map(|found| (reader, found)));
        let skipped = skipping.await.map_err(std::io::Error::other).and_then(|skipped| skipped);
        let (reader, found) = skipped.map_err(|source| self.unreadable(file, source))?;
        if found == digest {
            return Ok((reader, size));
        }
        Ok((file.content.open().map_err(|source| self.unreadable(file, source))?, 0))
    }
}

/// Reads so many bytes and tells their digest.
fn skip(reader: &mut Box<dyn Read + Send>, size: u64) -> std::io::Result<Digest> {
    let mut hasher = Hasher::default();
    let mut buffer = vec![0; PIECE];
    let mut beginning = reader.by_ref().take(size);
    loop {
        match beginning.read(&mut buffer)? {
            0 => return Ok(hasher.finish().0),
            count => hasher.update(&buffer[..count]),
        }
    }
}

/// A line that makes no sense.
#[derive(Debug, PartialEq, Eq)]
struct Nonsense;

/// A line of the script: nothing there, or a file.
fn parse(line: &str) -> Result<Option<There>, Nonsense> {
    if line == "none" {
        return Ok(None);
    }
    let fields: Result<[&str; 7], _> = line.split('|').collect::<Vec<_>>().try_into();
    let [mode, uid, gid, user, group, size, digest] = fields.map_err(|_| Nonsense)?;
    let digest = if digest == "-" { None } else { Some(Digest::from_hex(digest).map_err(|_| Nonsense)?) };
    Ok(Some(There {
        mode: u32::from_str_radix(mode, 8).map_err(|_| Nonsense)?,
        user: [uid.to_owned(), user.to_owned()],
        group: [gid.to_owned(), group.to_owned()],
        size: size.parse().map_err(|_| Nonsense)?,
        digest,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_script_says_is_understood() {
        assert_eq!(parse("none"), Ok(None));
        let hex = Digest::of(b"x").hex();
        let there = parse(&format!("4755|0|0|root|domain users|1|{hex}")).unwrap().unwrap();
        assert_eq!((there.mode, there.size, there.digest), (0o4755, 1, Some(Digest::of(b"x"))));
        assert_eq!(parse("600|0|0|root|root|1|-").unwrap().unwrap().digest, None);
        for bad in ["", "600", "600|0|0|root|root|x|-", "9|0|0|root|root|1|-", "600|0|0|root|root|1|abc"] {
            assert_eq!(parse(bad), Err(Nonsense), "{bad:?}");
        }
    }

    #[test]
    fn skipping_tells_what_was_skipped() {
        let mut reader: Box<dyn Read + Send> = Box::new(std::io::Cursor::new(b"hello world".to_vec()));
        assert_eq!(skip(&mut reader, 5).unwrap(), Digest::of(b"hello"));
        let mut rest = String::new();
        reader.read_to_string(&mut rest).unwrap();
        assert_eq!(rest, " world");
    }
}

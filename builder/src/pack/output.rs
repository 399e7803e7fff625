//! The file or the volumes that a bundle is written to: whole under their names, or not there.

use std::fs::File;
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use kubexm_model::bundle::{Plan, VolumeHead, WriteAt};
use kubexm_model::console::bundle::volume_name;
use kubexm_model::digest::Digest;
use tempfile::NamedTempFile;

/// Scratch files beside the place where they will be.
pub(super) struct Output {
    parts: Vec<Part>,
}

struct Part {
    file: NamedTempFile,
    path: PathBuf,
    /// Where its part of the bundle begins in the bundle, and in the file.
    offset: u64,
    skip: u64,
}

impl Output {
    /// Scratch files for a planned bundle: one, or as many as volumes of that size are needed.
    pub(super) fn create(plan: &Plan, out: &Path, volume_size: Option<u64>) -> io::Result<Self> {
        let Some(most) = volume_size else {
            let whole = Part { file: scratch(out)?, path: out.to_owned(), offset: 0, skip: 0 };
            whole.file.as_file().set_len(plan.size())?;
            return Ok(Self { parts: vec![whole] });
        };
        let parts = plan.volumes(most)?.into_iter().map(|head| Part::volume(&head, out)).collect::<io::Result<_>>()?;
        Ok(Self { parts })
    }

    /// The names that the files will have.
    pub(super) fn paths(plan: &Plan, out: &Path, volume_size: Option<u64>) -> io::Result<Vec<PathBuf>> {
        let Some(most) = volume_size else { return Ok(vec![out.to_owned()]) };
        Ok(plan.volumes(most)?.iter().map(|head| volume_name(out, head.number)).collect())
    }

    /// Waits for the disk.
    pub(super) fn sync(&self) -> io::Result<()> {
        self.parts.iter().try_for_each(|part| part.file.as_file().sync_data())
    }

    /// Gives the files their names. The first volume comes last: without it nobody takes the others for a bundle.
    pub(super) fn persist(mut self) -> io::Result<()> {
        while let Some(part) = self.parts.pop() {
            part.file.as_file().set_permissions(std::fs::Permissions::from_mode(0o644))?;
            part.file.persist(&part.path).map_err(|error| error.error)?;
        }
        Ok(())
    }
}

impl Part {
    fn volume(head: &VolumeHead, out: &Path) -> io::Result<Self> {
        let skip = VolumeHead::LENGTH as u64;
        let part = Self { file: scratch(out)?, path: volume_name(out, head.number), offset: head.offset, skip };
        part.file.as_file().set_len(head.file_size())?;
        WriteAt::write_all_at(part.file.as_file(), &head.encode(), 0)?;
        Ok(part)
    }
}

impl WriteAt for Output {
    fn write_all_at(&self, buffer: &[u8], offset: u64) -> io::Result<()> {
        // A frame is written at once and never cut, so one file takes all of it.
        let after = self.parts.partition_point(|part| part.offset <= offset);
        let part = self.parts.get(after.wrapping_sub(1)).ok_or(io::ErrorKind::InvalidInput)?;
        WriteAt::write_all_at(part.file.as_file(), buffer, part.skip + offset - part.offset)
    }
}

fn scratch(out: &Path) -> io::Result<NamedTempFile> {
    let folder = out.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    tempfile::Builder::new().prefix(".kubexm-").tempfile_in(folder)
}

/// Writes the digests of volumes beside them, as `sha256sum --check` reads them; for people, never for our own verdict.
pub(super) fn write_checksums(out: &Path, volumes: &[PathBuf]) -> io::Result<()> {
    let digest = |path: &PathBuf| File::open(path).and_then(Digest::of_reader).map(|(digest, _)| digest.hex());
    let digests: Vec<String> = std::thread::scope(|scope| {
        let hashing: Vec<_> = volumes.iter().map(|path| scope.spawn(move || digest(path))).collect();
        let joined = hashing.into_iter().map(|thread| thread.join().map_err(|_| io::Error::other("a thread failed")));
        joined.map(|digest| digest.and_then(|digest| digest)).collect::<io::Result<_>>()
    })?;
    let mut file = scratch(out)?;
    for (path, digest) in volumes.iter().zip(digests) {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        writeln!(file, "{digest}  {name}")?;
    }
    file.as_file().set_permissions(std::fs::Permissions::from_mode(0o644))?;
    let mut path = out.as_os_str().to_owned();
    path.push(".sha256");
    file.persist(PathBuf::from(path)).map_err(|error| error.error)?;
    Ok(())
}

/// Removes volumes of an earlier bundle of the same name that this one does not replace: they would only confuse.
pub(super) fn remove_leftovers(out: &Path, volumes: &[PathBuf]) -> io::Result<()> {
    let first = u32::try_from(volumes.len()).unwrap_or(u32::MAX).saturating_add(1);
    for number in first.. {
        let path = volume_name(out, number);
        let ours = File::open(&path).and_then(|file| VolumeHead::read(&file)).is_ok_and(|head| head.is_some());
        if !ours {
            return Ok(());
        }
        fs_err::remove_file(path)?;
    }
    Ok(())
}

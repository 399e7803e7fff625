//! Finds a bundle on disk: one file, or volumes that may lie in several folders.

use std::fs::File;
use std::path::{Path, PathBuf};

use super::super::failure::Failure;
use super::refused;
use crate::bundle::{Bundle, ReadAt, Refusal, Unverified, VolumeHead, Volumes};

/// The files of a bundle.
#[derive(Debug)]
pub enum Found {
    /// All of it in one file.
    Whole(PathBuf),
    /// Volumes, with their heads.
    Volumes(PathBuf, Vec<(PathBuf, VolumeHead)>),
}

impl Found {
    /// Looks for the bundle that `path` names: the file itself, or any of its volumes, the others beside it or in `folders`.
    pub fn at(path: &Path, folders: &[PathBuf]) -> Result<Self, Failure> {
        let own = path.parent().filter(|own| !own.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let folders: Vec<&Path> = std::iter::once(own).chain(folders.iter().map(PathBuf::as_path)).collect();
        let seed = if path.exists() { Some(path.to_owned()) } else { any_volume(path, &folders) };
        let seed = seed.unwrap_or_else(|| path.to_owned());
        let head = head(&seed).map_err(|error| Failure::usage("the bundle cannot be opened").because(&error))?;
        let Some(head) = head else { return Ok(Self::Whole(seed)) };
        let mut volumes = vec![(seed.clone(), head)];
        for folder in folders {
            let entries = fs_err::read_dir(folder)
                .map_err(|error| Failure::usage("a folder of volumes cannot be read").because(&error))?;
            for entry in entries.flatten().filter(|entry| entry.path() != seed) {
                // What cannot be read is none of ours, or shows as missing.
                if let Ok(Some(other)) = self::head(&entry.path())
                    && other.bundle == head.bundle
                {
                    volumes.push((entry.path(), other));
                }
            }
        }
        volumes.sort_by(|a, b| (a.1.number, &a.0).cmp(&(b.1.number, &b.0)));
        volumes.dedup_by_key(|(_, head)| head.number);
        Ok(Self::Volumes(seed, volumes))
    }

    /// Opens it without trusting it.
    pub fn open(&self) -> Result<Bundle<Unverified>, Failure> {
        match self {
            Self::Whole(path) => Bundle::open(Box::new(open(path)?)).map_err(|refusal| refused(path, &refusal)),
            Self::Volumes(seed, volumes) => {
                let mut parts: Vec<(VolumeHead, Box<dyn ReadAt>)> = vec![];
                for (path, head) in volumes {
                    parts.push((*head, Box::new(open(path)?)));
                }
                let bundle = volumes.first().map(|(_, head)| head.bundle);
                let gathered = bundle.map_or_else(
                    || Err(Refusal::MissingVolumes { missing: vec![], count: 0 }),
                    |bundle| Volumes::gather(bundle, parts),
                );
                gathered.and_then(Volumes::open).map_err(|refusal| refuse_volumes(seed, &refusal))
            }
        }
    }

    /// The file in which the bundle begins, and where.
    pub fn beginning(&self) -> (&Path, u64) {
        match self {
            Self::Whole(path) => (path, 0),
            Self::Volumes(seed, volumes) => {
                let first = volumes.first().map_or(seed, |(path, _)| path);
                (first, VolumeHead::LENGTH as u64)
            }
        }
    }
}

/// How the volumes of a bundle are called: its name, and three digits.
pub fn volume_name(bundle: &Path, number: u32) -> PathBuf {
    let mut name = bundle.as_os_str().to_owned();
    name.push(format!(".{number:03}"));
    name.into()
}

fn open(path: &Path) -> Result<File, Failure> {
    let file = fs_err::File::open(path);
    Ok(file.map_err(|error| Failure::usage("the bundle cannot be opened").because(&error))?.into_parts().0)
}

fn head(path: &Path) -> std::io::Result<Option<VolumeHead>> {
    if !fs_err::metadata(path)?.is_file() {
        return Ok(None);
    }
    VolumeHead::read(fs_err::File::open(path)?.file())
}

/// A volume of the bundle with that name, if only volumes are there.
fn any_volume(path: &Path, folders: &[&Path]) -> Option<PathBuf> {
    let name = path.file_name()?.to_str()?;
    let is_volume = |file: &Path| {
        let rest = file.file_name().and_then(|file| file.to_str()?.strip_prefix(name)?.strip_prefix('.'));
        rest.is_some_and(|rest| rest.len() >= 3 && rest.bytes().all(|byte| byte.is_ascii_digit()))
    };
    let mut files: Vec<PathBuf> = folders
        .iter()
        .flat_map(|folder| fs_err::read_dir(folder).into_iter().flatten().flatten())
        .map(|entry| entry.path())
        .filter(|file| is_volume(file))
        .collect();
    files.sort();
    files.into_iter().next()
}

/// Says which files are missing, by their names.
fn refuse_volumes(seed: &Path, refusal: &Refusal) -> Failure {
    let failure = refused(seed, refusal);
    let Refusal::MissingVolumes { missing, .. } = refusal else { return failure };
    let names: Vec<String> =
        missing.iter().map(|number| volume_name(&seed.with_extension(""), *number).display().to_string()).collect();
    failure.hint(format!("bring {}; --volumes DIR names further folders to look in", names.join(", ")))
}

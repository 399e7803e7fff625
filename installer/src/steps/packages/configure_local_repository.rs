//! The bundle becomes a repository on the node.

use std::io::BufReader;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use kubexm_model::catalogue::Family;
use kubexm_model::lock::Locked;

use super::local::{FOLDER, Missing, missing};
use crate::engine::{Op, StepId};
use crate::node::{Content, Mode};
use crate::repository::apt::{self, AptPackage};
use crate::repository::rpm::{self, RpmPackage};
use crate::repository::{Files, RepositoryError};
use crate::steps::generic::{EnsureDirectory, MountImage, PutFile, path};
use crate::steps::{Ops, Step, StepCx, StepError};
use crate::supplies::Supplies;

/// Brings the packages that the node lacks, or an image of them that is mounted, and lists of them that the package manager reads and the site has signed.
pub struct ConfigureLocalRepository;

impl From<RepositoryError> for StepError {
    fn from(error: RepositoryError) -> Self {
        Self(error.to_string())
    }
}

impl Step for ConfigureLocalRepository {
    fn id(&self) -> StepId {
        StepId("packages.configure-local-repository")
    }

    fn name(&self) -> &'static str {
        "ConfigureLocalRepository"
    }

    fn timeout(&self) -> Duration {
        Duration::from_mins(20)
    }

    fn expand(&self, cx: &StepCx<'_>) -> Ops {
        let Some(Missing { supplies, family, offered, .. }) = missing(cx) else { return Ok(vec![]) };
        let mut ops: Vec<Box<dyn Op>> = vec![];
        for folder in ["", "/pool", "/lists/partial", "/archives/partial", "/repodata", "/repos.d"] {
            ops.push(Box::new(EnsureDirectory::new(path(&format!("{FOLDER}{folder}"))?).mode(Mode::CLOSED)));
        }
        if let Some(image) = supplies.image() {
            let (file, pool) = (path(&format!("{FOLDER}/packages.iso"))?, path(&format!("{FOLDER}/pool"))?);
            ops.push(Box::new(PutFile::of(file.clone(), image)));
            ops.push(Box::new(MountImage::new(file, pool)));
        } else {
            for package in &offered {
                let file = path(&format!("{FOLDER}/{}", place(package, family)))?;
                ops.push(Box::new(PutFile::of(file, Arc::new(supplies.content(&package.blob)))));
            }
        }
        for (name, bytes) in lists(supplies, family, &offered)? {
            ops.push(Box::new(PutFile::new(path(&format!("{FOLDER}/{name}"))?, bytes)));
        }
        Ok(ops)
    }
}

/// Where a package lies in the folder.
fn place(package: &Locked, family: Family) -> String {
    let ending = if family == Family::Deb { "deb" } else { "rpm" };
    format!("pool/{}.{ending}", package.blob.digest.hex())
}

/// What the package manager reads: lists, signatures, the key, and where all that is.
fn lists(supplies: &Supplies, family: Family, offered: &[&Locked]) -> Result<Files, StepError> {
    // The lock's time, so that the same bundle and key give the same lists.
    let made = SystemTime::UNIX_EPOCH + Duration::from_secs(supplies.made());
    let mut files = match family {
        Family::Deb => {
            let package = |entry: &&Locked| AptPackage {
                stanza: entry.stanza.clone().unwrap_or_default(),
                path: place(entry, family),
            };
            let mut files = apt::files(&offered.iter().map(package).collect::<Vec<_>>(), &supplies.key, made)?;
            let source = format!("deb [signed-by={FOLDER}/key.asc] file:{FOLDER} ./\n");
            files.insert("sources.list".to_owned(), source.into_bytes());
            files
        }
        Family::Rpm => {
            let mut packages = vec![];
            for entry in offered {
                let content = supplies.content(&entry.blob);
                let header = content.open().map_err(|error| StepError(format!("{}: {error}", entry.name)))?;
                let (place, size) = (place(entry, family), entry.blob.size);
                packages.push(RpmPackage::read(&place, size, entry.blob.digest, BufReader::new(header))?);
            }
            let mut files = rpm::files(&packages, &supplies.key, made)?;
            let source = format!(
                "[kubexm]\nname=KubeXM\nbaseurl=file://{FOLDER}\nenabled=1\ngpgcheck=0\nrepo_gpgcheck=1\n\
                 gpgkey=file://{FOLDER}/key.asc\n"
            );
            files.insert("repos.d/kubexm.repo".to_owned(), source.into_bytes());
            files
        }
    };
    files.insert("key.asc".to_owned(), supplies.key.public()?.into_bytes());
    Ok(files)
}

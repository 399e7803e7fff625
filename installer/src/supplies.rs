//! What the bundle brings for the nodes: the lock, and contents that stream from the bundle without a second copy on disk.

use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use kubexm_model::bom::Kind;
use kubexm_model::bundle::{BundleSet, MemberPath};
use kubexm_model::digest::Digest;
use kubexm_model::lock::{Blob, Lock, Locked};

use crate::node::Content;
use crate::repository::key::SiteKey;

/// A verified bundle, what it was locked to, and the key by which the site vouches for what it hands on.
#[derive(Clone)]
pub struct Supplies {
    bundle: Arc<BundleSet>,
    lock: Arc<Lock>,
    image: Option<Arc<Image>>,
    /// The site's key for package repositories.
    pub key: Arc<SiteKey>,
}

impl Supplies {
    /// What a verified bundle brings.
    pub fn new(bundle: BundleSet, lock: Lock, key: SiteKey) -> Self {
        Self { bundle: Arc::new(bundle), lock: Arc::new(lock), image: None, key: Arc::new(key) }
    }

    /// With an ISO image of the packages, which then come from there.
    #[must_use]
    pub fn with_image(mut self, image: Image) -> Self {
        self.image = Some(Arc::new(image));
        self
    }

    /// The ISO image of the packages, if there is one.
    pub fn image(&self) -> Option<Arc<Image>> {
        self.image.clone()
    }

    /// When the lock was made, in seconds since 1970.
    pub fn made(&self) -> u64 {
        self.lock.created
    }

    /// The packages for all systems.
    pub fn packages(&self) -> impl Iterator<Item = &Locked> {
        self.lock.entries.iter().filter(|entry| entry.kind == Kind::Package)
    }

    /// The bytes of a blob.
    pub fn content(&self, blob: &Blob) -> FromBundle {
        FromBundle { bundle: self.bundle.clone(), digest: blob.digest, size: blob.size }
    }
}

/// A file of this machine.
pub struct Image {
    path: PathBuf,
    digest: Digest,
    size: u64,
}

impl Image {
    /// Reads it once, for its digest.
    pub fn read(path: &Path) -> io::Result<Self> {
        let (digest, size) = Digest::of_reader(fs_err::File::open(path)?)?;
        Ok(Self { path: path.to_owned(), digest, size })
    }
}

impl Content for Image {
    fn size(&self) -> u64 {
        self.size
    }

    fn digest(&self) -> Digest {
        self.digest
    }

    fn open(&self) -> io::Result<Box<dyn Read + Send>> {
        Ok(Box::new(fs_err::File::open(&self.path)?))
    }
}

/// A blob of the bundle, read in place.
pub struct FromBundle {
    bundle: Arc<BundleSet>,
    digest: Digest,
    size: u64,
}

impl Content for FromBundle {
    fn size(&self) -> u64 {
        self.size
    }

    fn digest(&self) -> Digest {
        self.digest
    }

    fn open(&self) -> io::Result<Box<dyn Read + Send>> {
        let (reader, mut writer) = io::pipe()?;
        let (bundle, path) = (self.bundle.clone(), MemberPath::Blob(self.digest));
        // The bundle pushes, the node pulls; whoever stops first ends both. A damaged blob ends short, and the node sees it by
        // the digest.
        std::thread::spawn(move || bundle.copy_to(path, &mut writer));
        Ok(Box::new(reader))
    }
}

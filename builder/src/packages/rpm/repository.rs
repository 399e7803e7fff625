//! One repository: its list of files and who vouches for it, and the files themselves, checked and unpacked.

use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use fs_err::File;

use super::repomd::{Listed, Repomd};
use super::xml::XmlError;
use crate::fetch::{Expected, FetchError, Fetcher};
use crate::packages::signature::{Keyring, SignatureError};

/// What an unpacked file may hold where the repository does not say how much it is.
const MOST_UNPACKED: u64 = 4 * 1024 * 1024 * 1024;

/// Where packages come from.
#[derive(Debug, Clone)]
pub struct Source {
    /// What it is called in messages.
    pub name: String,
    /// The folder above `repodata`: `https://…` or `file:///…`, with `$basearch` and `$releasever`.
    pub address: String,
    /// Whose signatures count. `None`: nobody signs, and the connection alone vouches.
    pub keys: Option<Keyring>,
    /// Whether the list of files must be signed too; many distributions sign packages only.
    pub signed_metadata: bool,
    /// The lowest number goes first; 99 is what dnf takes where nothing is said.
    pub priority: u32,
}

/// Who vouches for the packages of a repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Proof {
    /// The list of files is signed, and it has the checksum of every package.
    Metadata {
        /// The fingerprint of the key.
        key: String,
    },
    /// Only packages are signed: each must carry a good signature.
    Packages,
    /// No key is known: the connection, and that the checksum stays the one in the lock.
    Connection,
}

/// Why a repository cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum RepositoryError {
    /// A file cannot be fetched, or is not what the repository lists.
    #[error("repository {repository}: {file} cannot be had")]
    Fetch {
        /// Which repository.
        repository: String,
        /// Which file.
        file: String,
        /// Why.
        source: FetchError,
    },
    /// A file on this machine cannot be read.
    #[error("repository {repository}: {file} cannot be read")]
    Read {
        /// Which repository.
        repository: String,
        /// Which file.
        file: String,
        /// Why.
        source: io::Error,
    },
    /// A file is not what the repository lists.
    #[error(
        "repository {repository}: {file} is not what repomd.xml lists: {reason}; fetch again later, or use another mirror"
    )]
    Wrong {
        /// Which repository.
        repository: String,
        /// Which file.
        file: String,
        /// The difference.
        reason: String,
    },
    /// The list of files is not signed.
    #[error("repository {repository}: repomd.xml must be signed, and there is no repomd.xml.asc beside it")]
    Unsigned {
        /// Which repository.
        repository: String,
    },
    /// The signature does not count.
    #[error("repository {repository}: the signature of repomd.xml does not count")]
    Signature {
        /// Which repository.
        repository: String,
        /// Why.
        source: SignatureError,
    },
    /// A file makes no sense.
    #[error("repository {repository}: {file} makes no sense")]
    Metadata {
        /// Which repository.
        repository: String,
        /// Which file.
        file: String,
        /// Why.
        source: XmlError,
    },
    /// The repository does not list what every repository has.
    #[error("repository {repository}: repomd.xml lists no {file}")]
    Missing {
        /// Which repository.
        repository: String,
        /// Which file.
        file: String,
    },
}

/// A repository whose list of files was read and believed.
#[derive(Debug)]
pub struct Repository {
    /// What it is called in messages.
    pub name: String,
    /// Its address, with a slash at the end.
    pub address: String,
    /// Who vouches for it.
    pub proof: Proof,
    list: Repomd,
}

impl Repository {
    /// Reads the list of files, and checks who signed it.
    pub async fn open(fetcher: &Fetcher, source: &Source, address: String) -> Result<Self, RepositoryError> {
        let repository = &source.name;
        let get = async |file: &str| document(fetcher, repository, &address, file).await;
        let list = get("repodata/repomd.xml").await?.ok_or_else(|| RepositoryError::Missing {
            repository: repository.clone(),
            file: "repodata/repomd.xml, nor is there one".to_owned(),
        })?;
        let proof = match &source.keys {
            None if source.signed_metadata => return Err(RepositoryError::Unsigned { repository: repository.clone() }),
            None => Proof::Connection,
            Some(keys) => match get("repodata/repomd.xml.asc").await? {
                Some(signature) => {
                    let key = keys.detached(&signature, &list, SystemTime::now());
                    let refuse = |source| RepositoryError::Signature { repository: repository.clone(), source };
                    Proof::Metadata { key: key.map_err(refuse)? }
                }
                None if source.signed_metadata => {
                    return Err(RepositoryError::Unsigned { repository: repository.clone() });
                }
                None => Proof::Packages,
            },
        };
        let list = Repomd::read(list.as_slice()).map_err(|source| RepositoryError::Metadata {
            repository: repository.clone(),
            file: "repomd.xml".to_owned(),
            source,
        })?;
        Ok(Self { name: repository.clone(), address, proof, list })
    }

    /// Brings a file here. `None` if the repository has no such file.
    pub async fn fetch(&self, fetcher: &Fetcher, kind: &str) -> Result<Option<Fetched>, RepositoryError> {
        let Some(listed) = self.list.file(kind) else { return Ok(None) };
        let path = match local(&self.address) {
            Some(folder) => folder.join(&listed.location),
            None => self.download(fetcher, listed).await?,
        };
        // The store has what its name says; everything else is looked at.
        if local(&self.address).is_some() || listed.checksum.digest().is_none() {
            self.check(listed, &path)?;
        }
        Ok(Some(Fetched { path, most: listed.open_size.unwrap_or(MOST_UNPACKED).min(MOST_UNPACKED) }))
    }

    async fn download(&self, fetcher: &Fetcher, listed: &Listed) -> Result<PathBuf, RepositoryError> {
        let expected = Expected { digest: listed.checksum.digest(), size: listed.size };
        let name = format!("{} {}", self.name, listed.kind);
        let url = format!("{}{}", self.address, listed.location);
        let (digest, _) = fetcher.file(&name, &url, expected).await.map_err(|source| RepositoryError::Fetch {
            repository: self.name.clone(),
            file: listed.location.clone(),
            source,
        })?;
        Ok(fetcher.cache().path(&digest))
    }

    fn check(&self, listed: &Listed, path: &Path) -> Result<(), RepositoryError> {
        let (repository, file) = (self.name.clone(), listed.location.clone());
        let opened = File::open(path).and_then(|file| Ok((file.metadata()?.len(), listed.checksum.matches(file)?)));
        let reason = match opened {
            Err(source) => return Err(RepositoryError::Read { repository, file, source }),
            Ok((size, _)) if listed.size.is_some_and(|listed| listed != size) => format!("it has {size} bytes"),
            Ok((_, false)) => format!("its checksum is not {}", listed.checksum),
            Ok(_) => return Ok(()),
        };
        Err(RepositoryError::Wrong { repository, file, reason })
    }

    /// An error about one of its files.
    pub(super) fn unreadable(&self, file: &str, source: XmlError) -> RepositoryError {
        RepositoryError::Metadata { repository: self.name.clone(), file: file.to_owned(), source }
    }
}

/// A file of a repository that is here and is what the repository lists.
#[derive(Debug, Clone)]
pub struct Fetched {
    path: PathBuf,
    most: u64,
}

impl Fetched {
    /// Opens it, unpacked. How it is packed is seen from its first bytes.
    pub fn unpacked(&self) -> io::Result<Box<dyn BufRead>> {
        let mut file = BufReader::with_capacity(256 * 1024, File::open(&self.path)?);
        let start = file.fill_buf()?;
        let plain: Box<dyn Read> = if start.starts_with(&[0x1f, 0x8b]) {
            Box::new(flate2::bufread::MultiGzDecoder::new(file))
        } else if start.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]) {
            Box::new(zstd::stream::read::Decoder::with_buffer(file)?)
        } else if start.starts_with(&[0xfd, b'7', b'z', b'X', b'Z']) {
            Box::new(liblzma::bufread::XzDecoder::new_multi_decoder(file))
        } else {
            Box::new(file)
        };
        Ok(Box::new(BufReader::with_capacity(256 * 1024, plain.take(self.most))))
    }
}

/// A small document; `None` if it does not exist.
async fn document(
    fetcher: &Fetcher,
    repository: &str,
    address: &str,
    file: &str,
) -> Result<Option<Vec<u8>>, RepositoryError> {
    let (repository, name) = (repository.to_owned(), file.to_owned());
    if let Some(folder) = local(address) {
        return match fs_err::read(folder.join(file)) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(source) => Err(RepositoryError::Read { repository, file: name, source }),
        };
    }
    match fetcher.document(&format!("{address}{file}")).await {
        Ok(bytes) => Ok(Some(bytes)),
        Err(FetchError::Refused { status: 404 | 410, .. }) => Ok(None),
        Err(source) => Err(RepositoryError::Fetch { repository, file: name, source }),
    }
}

/// The folder of a repository on this machine.
fn local(address: &str) -> Option<PathBuf> {
    address.strip_prefix("file://").map(PathBuf::from)
}

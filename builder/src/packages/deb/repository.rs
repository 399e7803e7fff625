//! Reads repositories: the signed Release file each time anew, indexes by their digests and so only when they change.

use std::time::SystemTime;

use futures::future::try_join_all;

use super::clearsigned::ClearSigned;
use super::packages::{PackagesError, unpack};
use super::release::{Listed, Release, ReleaseError};
use super::source::Source;
use crate::fetch::{Expected, FetchError, Fetcher};
use crate::packages::signature::SignatureError;

/// Why a repository cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum RepositoryError {
    /// Its Release file cannot be fetched.
    #[error("its {file} cannot be fetched")]
    Unreachable {
        /// Which file.
        file: &'static str,
        /// Why.
        #[source]
        source: FetchError,
    },
    /// The Release file is not signed as it should be.
    #[error("its {file} must not be trusted; if the repository has a new key, give that one")]
    Untrusted {
        /// Which file.
        file: &'static str,
        /// Why.
        #[source]
        source: SignatureError,
    },
    /// InRelease is no signed text.
    #[error("its InRelease is not one signed text, or something was added to it")]
    NotSigned,
    /// The Release file says something that does not do.
    #[error("its Release file cannot be used")]
    Release(#[source] ReleaseError),
    /// It has no such index.
    #[error("its Release file lists no {path}: it has no such component or architecture")]
    NotListed {
        /// The index.
        path: String,
    },
    /// An index cannot be fetched, or is another one.
    #[error(
        "its index {path} cannot be fetched as its Release file describes it; the mirror may be in the middle of an update"
    )]
    Index {
        /// The index.
        path: String,
        /// Why.
        #[source]
        source: FetchError,
    },
    /// An index cannot be read.
    #[error("its index {path} cannot be read")]
    Unreadable {
        /// The index.
        path: String,
        /// Why.
        #[source]
        source: PackagesError,
    },
}

/// One index, unpacked.
#[derive(Debug)]
pub struct Index {
    /// The text.
    pub text: String,
    /// How much it is preferred, as apt counts it.
    pub priority: u16,
}

/// Every index of a repository for one architecture and for packages that fit all.
pub async fn read(
    fetcher: &Fetcher,
    source: &Source,
    architecture: &str,
    now: SystemTime,
) -> Result<Vec<Index>, RepositoryError> {
    let text = release_text(fetcher, source, now).await?;
    let release = Release::read(&text).map_err(RepositoryError::Release)?;
    release.check(&source.suite, now).map_err(RepositoryError::Release)?;
    let mut architectures = vec![architecture];
    if release.separate_all() {
        architectures.push("all");
    }
    let mut listed = Vec::new();
    for path in source.indexes(&architectures) {
        match release.index(&path) {
            Some(index) => listed.push(index),
            // Not every component has packages that fit all architectures.
            None if path.ends_with("/binary-all/Packages") => {}
            None => return Err(RepositoryError::NotListed { path }),
        }
    }
    let priority = release.priority();
    let texts = try_join_all(listed.into_iter().map(|index| index_text(fetcher, source, &release, index))).await?;
    Ok(texts.into_iter().map(|text| Index { text, priority }).collect())
}

/// The Release file, after its signature was checked.
async fn release_text(fetcher: &Fetcher, source: &Source, now: SystemTime) -> Result<String, RepositoryError> {
    let get = async |file: &'static str| {
        let address = format!("{}/{file}", source.folder());
        fetcher.document(&address).await.map_err(|source| RepositoryError::Unreachable { file, source })
    };
    match get("InRelease").await {
        Ok(bytes) => {
            let signed = ClearSigned::read(&bytes).ok_or(RepositoryError::NotSigned)?;
            let checked = source.keys.detached(signed.signature.as_bytes(), &signed.signed_bytes(), now);
            checked.map_err(|source| RepositoryError::Untrusted { file: "InRelease", source })?;
            Ok(signed.text)
        }
        Err(RepositoryError::Unreachable { source: FetchError::Refused { status: 403 | 404, .. }, .. }) => {
            let (text, signature) = (get("Release").await?, get("Release.gpg").await?);
            let checked = source.keys.detached(&signature, &text, now);
            checked.map_err(|source| RepositoryError::Untrusted { file: "Release", source })?;
            String::from_utf8(text).map_err(|_| RepositoryError::NotSigned)
        }
        Err(error) => Err(error),
    }
}

async fn index_text(
    fetcher: &Fetcher,
    source: &Source,
    release: &Release,
    index: Listed,
) -> Result<String, RepositoryError> {
    let path = &index.path;
    let file = if release.by_hash() {
        let folder = path.rsplit_once('/').map(|(folder, _)| format!("{folder}/")).unwrap_or_default();
        format!("{folder}by-hash/SHA256/{}", index.digest.hex())
    } else {
        path.clone()
    };
    let expected = Expected { digest: Some(index.digest), size: Some(index.size) };
    let address = format!("{}/{file}", source.folder());
    let name = format!("{} {path}", source.suite);
    let brought = fetcher.file(&name, &address, expected).await;
    brought.map_err(|source| RepositoryError::Index { path: path.clone(), source })?;
    let refuse = |source| RepositoryError::Unreadable { path: path.clone(), source };
    let packed = fetcher.cache().read(&index.digest).map_err(|error| refuse(PackagesError::Unpack(error)))?;
    let name = path.clone();
    // Unpacking takes a processor for a while.
    let text = tokio::task::spawn_blocking(move || unpack(&name, packed)).await;
    text.map_err(|error| refuse(PackagesError::Unpack(std::io::Error::other(error))))?.map_err(refuse)
}

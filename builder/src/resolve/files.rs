//! Files: binaries, archives, manifests.

use kubexm_model::bom::{Digest as Published, Entry};
use kubexm_model::digest::Digest;
use kubexm_model::lock::{Blob, Locked, Proof};

use super::checksum::{in_index, in_sums};
use super::{ResolveError, Resolver, locked};
use crate::discover::{self, Found};
use crate::fetch::Expected;

impl Resolver {
    /// The address that a file is really fetched from.
    pub fn address(&self, url: &str) -> String {
        self.redirects.file(url).unwrap_or_else(|| url.to_owned())
    }

    /// A binary or an archive. It is downloaded only if its digest or its size cannot be known otherwise.
    pub(super) async fn file(&self, entry: &Entry) -> Result<Locked, ResolveError> {
        let (upstream, address) = Self::addresses(entry)?;
        let (digest, proof) = self.published(entry, &upstream).await?;
        let known = match digest {
            Some(digest) => self.fetcher.cache().size(&digest).map(|size| (digest, size)),
            None => None,
        };
        let (digest, size) = match (known, digest) {
            (Some(known), _) => known,
            (None, Some(digest)) => match self.fetcher.length(&address).await {
                Some(size) => (digest, size),
                None => self.download(entry, &address, Some(digest)).await?,
            },
            (None, None) => self.download(entry, &address, None).await?,
        };
        Ok(locked(entry, proof, Blob { digest, size, media_type: None }))
    }

    /// A file of Kubernetes manifests: downloaded, and searched for images.
    pub(super) async fn manifest(&self, entry: &Entry) -> Result<(Locked, Vec<Found>), ResolveError> {
        let locked = self.downloaded(entry).await?;
        let bytes =
            fs_err::read(self.fetcher.cache().path(&locked.blob.digest)).map_err(crate::fetch::FetchError::Cache)?;
        let text = String::from_utf8(bytes).map_err(|_| ResolveError::Upstream("it is not text".to_owned()))?;
        let images = discover::find(&text, &entry.name, &self.fields)?;
        Ok((locked, images))
    }

    /// An entry whose bytes are needed now.
    pub(super) async fn downloaded(&self, entry: &Entry) -> Result<Locked, ResolveError> {
        let (upstream, address) = Self::addresses(entry)?;
        if !upstream.contains("://") {
            return own_file(entry, &upstream, self);
        }
        let (digest, proof) = self.published(entry, &upstream).await?;
        let (digest, size) = self.download(entry, &address, digest).await?;
        Ok(locked(entry, proof, Blob { digest, size, media_type: None }))
    }

    fn addresses(entry: &Entry) -> Result<(String, String), ResolveError> {
        let upstream = entry
            .source
            .first()
            .ok_or_else(|| ResolveError::Upstream("the catalogue has no address for it".to_owned()))?;
        Ok((upstream.clone(), entry.mirror.first().unwrap_or(upstream).clone()))
    }

    async fn download(
        &self,
        entry: &Entry,
        address: &str,
        digest: Option<Digest>,
    ) -> Result<(Digest, u64), ResolveError> {
        Ok(self.fetcher.file(&entry.name, address, Expected { digest, size: None }).await?)
    }

    /// The digest that somebody vouches for, if anybody does.
    async fn published(&self, entry: &Entry, upstream: &str) -> Result<(Option<Digest>, Proof), ResolveError> {
        let nothing = |address: &str| ResolveError::Upstream(format!("{address} has no digest of it"));
        let name = upstream.rsplit('/').next().unwrap_or_default();
        match &entry.checksum {
            Some(Published::Sha256sum(url)) => {
                let text = self.fetcher.document(&self.address(url)).await?;
                let digest = in_sums(&String::from_utf8_lossy(&text), name).ok_or_else(|| nothing(url))?;
                Ok((Some(digest), Proof::Published))
            }
            Some(Published::Index(url)) => {
                let text = self.fetcher.document(&self.address(url)).await?;
                let version = entry.version.as_deref().unwrap_or_default();
                let digest = in_index(&text, &entry.name, version).ok_or_else(|| nothing(url))?;
                Ok((Some(digest), Proof::Published))
            }
            Some(Published::Sha256(hex)) => {
                let digest = Digest::from_hex(hex).map_err(|error| ResolveError::Upstream(error.to_string()))?;
                Ok((Some(digest), Proof::Pinned))
            }
            Some(Published::FirstSight(_)) | None => Ok((None, Proof::FirstSight)),
        }
    }
}

/// A chart or manifest that lies beside cluster.yaml.
fn own_file(entry: &Entry, path: &str, resolver: &Resolver) -> Result<Locked, ResolveError> {
    let bytes = fs_err::read(path).map_err(|error| ResolveError::Upstream(error.to_string()))?;
    let digest = resolver.fetcher.cache().put(&bytes).map_err(crate::fetch::FetchError::Cache)?;
    Ok(locked(entry, Proof::FirstSight, Blob { digest, size: bytes.len() as u64, media_type: None }))
}

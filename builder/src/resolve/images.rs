//! Images: the index byte for byte, and for each platform the manifest with what belongs to it.

use kubexm_model::bom::{Entry, Kind, Reason};
use kubexm_model::cluster::schema::Arch;
use kubexm_model::digest::Digest;
use kubexm_model::image::Reference;
use kubexm_model::lock::{Blob, Locked, PlatformImage, Proof};
use serde::Deserialize;

use super::{ResolveError, Resolver, locked};
use crate::fetch::ImageSource;

/// A manifest or an index; which of the two it is follows from what it holds, and it may not hold both.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Document {
    #[serde(default)]
    media_type: Option<String>,
    #[serde(default)]
    manifests: Option<Vec<Descriptor>>,
    #[serde(default)]
    config: Option<Descriptor>,
    #[serde(default)]
    layers: Option<Vec<Descriptor>>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Descriptor {
    #[serde(default)]
    media_type: Option<String>,
    digest: Digest,
    size: u64,
    #[serde(default)]
    platform: Option<Platform>,
    #[serde(default)]
    urls: Option<Vec<String>>,
}

#[derive(Debug, Deserialize)]
struct Platform {
    os: String,
    architecture: String,
    #[serde(default)]
    variant: Option<String>,
}

/// What an index may list at most.
const MOST_CHILDREN: usize = 1000;

fn wrong(reason: impl Into<String>) -> ResolveError {
    ResolveError::Upstream(reason.into())
}

impl Document {
    fn parse(bytes: &[u8]) -> Result<Self, ResolveError> {
        let document: Self =
            serde_json::from_slice(bytes).map_err(|error| wrong(format!("its manifest cannot be read: {error}")))?;
        let index = document.manifests.is_some();
        let manifest = document.config.is_some() || document.layers.is_some();
        // One that could be read as either is made to be read differently by different programs.
        if index == manifest {
            return Err(wrong("its manifest is neither an index nor the manifest of an image"));
        }
        if document.manifests.as_ref().is_some_and(|children| children.len() > MOST_CHILDREN) {
            return Err(wrong(format!("its index lists more than {MOST_CHILDREN} manifests")));
        }
        let foreign = |descriptor: &Descriptor| descriptor.urls.as_ref().is_some_and(|urls| !urls.is_empty());
        if document.layers.iter().flatten().any(foreign) {
            return Err(wrong("it has layers that lie on other hosts"));
        }
        Ok(document)
    }
}

impl Descriptor {
    fn blob(&self) -> Blob {
        Blob { digest: self.digest, size: self.size, media_type: self.media_type.clone() }
    }

    /// Whether it is for Linux on this architecture; variants of arm64 other than v8 are not meant.
    fn is_for(&self, arch: Arch) -> bool {
        self.platform.as_ref().is_some_and(|platform| {
            let variant = matches!(platform.variant.as_deref(), None | Some("" | "v8" | "v1"));
            platform.os == "linux" && platform.architecture == arch.as_str() && variant
        })
    }
}

impl Resolver {
    /// An image of the bill of materials.
    pub(super) async fn image(&self, entry: &Entry) -> Result<Locked, ResolveError> {
        let name: Reference = entry.name.parse().map_err(|error| wrong(format!("{error}")))?;
        let (blob, platforms) = self.platforms(&name, &entry.arch).await?;
        Ok(Locked { platforms, ..locked(entry, Proof::Registry, blob) })
    }

    /// An image that was found in a manifest.
    pub(super) async fn found_image(
        &self,
        name: &Reference,
        found_in: Vec<String>,
        reasons: Vec<Reason>,
    ) -> Result<Locked, (ResolveError, Vec<String>)> {
        let (blob, platforms) = match self.platforms(name, &self.arch).await {
            Ok(found) => found,
            Err(error) => return Err((error, found_in)),
        };
        Ok(Locked {
            kind: Kind::Image,
            name: name.to_string(),
            version: name.tag().map(str::to_owned),
            os: Some("linux".to_owned()),
            arch: self.arch.clone(),
            component: String::new(),
            licence: None,
            source: name.to_string(),
            proof: Proof::Registry,
            blob,
            members: vec![],
            platforms,
            found_in,
            stanza: None,
            reasons,
        })
    }

    /// Where an image is really fetched from.
    pub fn image_source(&self, name: &Reference) -> Result<ImageSource, ResolveError> {
        let from = match self.redirects.image(&name.to_string()) {
            Some(mirror) => {
                mirror.parse().map_err(|error| wrong(format!("the mirror's name {mirror} is no image: {error}")))?
            }
            None => name.clone(),
        };
        Ok(ImageSource { name: name.clone(), from })
    }

    async fn platforms(&self, name: &Reference, arch: &[Arch]) -> Result<(Blob, Vec<PlatformImage>), ResolveError> {
        let source = self.image_source(name)?;
        self.fetcher.log_in(&source).await?;
        let (digest, bytes) = self.fetcher.manifest(&source, name.digest()).await?;
        let top = Document::parse(&bytes)?;
        let blob = Blob { digest, size: bytes.len() as u64, media_type: top.media_type.clone() };
        let mut platforms = vec![];
        for arch in arch {
            let manifest = match &top.manifests {
                Some(children) => children
                    .iter()
                    .find(|child| child.is_for(*arch))
                    .map(Descriptor::blob)
                    .ok_or_else(|| wrong(format!("it has no linux/{}", arch.as_str())))?,
                None => blob.clone(),
            };
            platforms.push(self.platform(&source, *arch, manifest, top.manifests.is_none()).await?);
        }
        Ok((blob, platforms))
    }

    async fn platform(
        &self,
        source: &ImageSource,
        arch: Arch,
        manifest: Blob,
        alone: bool,
    ) -> Result<PlatformImage, ResolveError> {
        let (_, bytes) = self.fetcher.manifest(source, Some(manifest.digest)).await?;
        if bytes.len() as u64 != manifest.size {
            return Err(wrong(format!("its manifest for {} has another size than its index says", arch.as_str())));
        }
        let document = Document::parse(&bytes)?;
        let (Some(config), Some(layers)) = (document.config, document.layers) else {
            return Err(wrong("its index leads to another index"));
        };
        let config = config.blob();
        if alone {
            // Without an index only the configuration says what it runs on.
            self.fetcher.blob(&source.name.to_string(), source, &config).await?;
            let text =
                fs_err::read(self.fetcher.cache().path(&config.digest)).map_err(crate::fetch::FetchError::Cache)?;
            let found: Platform = serde_json::from_slice(&text)
                .map_err(|error| wrong(format!("its configuration cannot be read: {error}")))?;
            if found.os != "linux" || found.architecture != arch.as_str() {
                return Err(wrong(format!(
                    "it is for {}/{} alone, and linux/{} is needed",
                    found.os,
                    found.architecture,
                    arch.as_str()
                )));
            }
        }
        let layers = layers.iter().map(Descriptor::blob).collect();
        Ok(PlatformImage {
            arch,
            manifest: Blob { media_type: document.media_type.or(manifest.media_type), ..manifest },
            config,
            layers,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_that_could_be_both_is_refused() {
        let digest = Digest::of(b"x");
        let descriptor = format!(r#"{{"digest": "{digest}", "size": 1}}"#);
        let parse = |text: String| Document::parse(text.as_bytes());
        assert!(parse(format!(r#"{{"manifests": [{descriptor}]}}"#)).is_ok());
        assert!(parse(format!(r#"{{"config": {descriptor}, "layers": []}}"#)).is_ok());
        assert!(parse(format!(r#"{{"manifests": [], "config": {descriptor}, "layers": []}}"#)).is_err());
        assert!(parse("{}".to_owned()).is_err());
        assert!(parse(r#"{"manifests": [{"digest": "sha256:../../x", "size": 1}]}"#.to_owned()).is_err());
        assert!(
            parse(format!(
                r#"{{"config": {descriptor}, "layers": [{{"digest": "{digest}", "size": 1, "urls": ["https://x"]}}]}}"#
            ))
            .is_err()
        );
    }
}

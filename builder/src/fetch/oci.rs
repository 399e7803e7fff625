//! Images: manifests kept byte for byte, and blobs that are downloaded like any other file.

use std::time::Duration;

use futures::future::{BoxFuture, FutureExt};
use kubexm_model::digest::Digest;
use kubexm_model::image::Reference;
use kubexm_model::lock::Blob;
use oci_distribution::client::{BlobResponse, Certificate, CertificateEncoding, ClientConfig, ClientProtocol};
use oci_distribution::errors::OciDistributionError;
use oci_distribution::secrets::RegistryAuth;

use super::download::{Expected, Part, Source};
use super::http::causes;
use super::{FetchError, Fetcher, Options};

/// What manifests may be; the server chooses among them.
const MANIFESTS: [&str; 4] = [
    "application/vnd.oci.image.index.v1+json",
    "application/vnd.docker.distribution.manifest.list.v2+json",
    "application/vnd.oci.image.manifest.v1+json",
    "application/vnd.docker.distribution.manifest.v2+json",
];

/// What a manifest or index may weigh at most.
const MOST_MANIFEST: usize = 8 * 1024 * 1024;

/// An image, and the place that it is really fetched from.
#[derive(Debug, Clone)]
pub struct ImageSource {
    /// Its name.
    pub name: Reference,
    /// The mirror's name for it, or the same.
    pub from: Reference,
}

pub(super) fn client(
    options: &Options,
    certificates: &[reqwest::Certificate],
) -> Result<oci_distribution::Client, FetchError> {
    // reqwest does not give a certificate's bytes back, so the file is read once more.
    let pem = options.ca_file.as_ref().map(fs_err::read).transpose()?;
    let extra =
        pem.filter(|_| !certificates.is_empty()).map(|data| Certificate { encoding: CertificateEncoding::Pem, data });
    let config = ClientConfig {
        protocol: ClientProtocol::HttpsExcept(options.plain_http.clone()),
        extra_root_certificates: extra.into_iter().collect(),
        platform_resolver: None,
        read_timeout: Some(options.stall),
        connect_timeout: Some(Duration::from_secs(30)),
        user_agent: concat!("kubexm-bundle/", env!("CARGO_PKG_VERSION")),
        ..ClientConfig::default()
    };
    // `Client::new` would fall back to a client without these settings.
    oci_distribution::Client::try_from(config)
        .map_err(|error| FetchError::Options(format!("no registry client can be made: {error}")))
}

/// The name as the registry client wants it.
fn reference(image: &Reference) -> Result<oci_distribution::Reference, FetchError> {
    image.to_string().parse().map_err(|error| FetchError::Options(format!("`{image}` is no image: {error}")))
}

fn translate(address: &str, error: OciDistributionError) -> FetchError {
    let address = address.to_owned();
    let (status, message) = match error {
        OciDistributionError::ServerError { code, message, .. } => (code, message),
        OciDistributionError::RegistryError { envelope, .. } => {
            let text = envelope.to_string();
            let code = if text.to_lowercase().contains("toomanyrequests") { 429 } else { 404 };
            (code, text)
        }
        OciDistributionError::UnauthorizedError { .. } => (401, "an account is needed, or has no access".to_owned()),
        OciDistributionError::AuthenticationFailure(reason) => (401, reason),
        OciDistributionError::ImageManifestNotFoundError(reason) => (404, reason),
        other => return FetchError::Broken { address, reason: causes(&other), wait: None },
    };
    if status >= 500 || status == 429 || status == 408 {
        return FetchError::Broken { address, reason: format!("the registry answers {status}: {message}"), wait: None };
    }
    FetchError::Refused { address, status, message }
}

struct ImageBlob<'a> {
    fetcher: &'a Fetcher,
    image: &'a ImageSource,
    digest: Digest,
    size: u64,
}

impl Source for ImageBlob<'_> {
    fn address(&self) -> String {
        format!("{} of {}", self.digest, self.image.from)
    }

    fn host(&self) -> String {
        self.image.from.registry().to_string()
    }

    fn open<'a>(&'a self, offset: u64, _etag: Option<&'a str>) -> BoxFuture<'a, Result<Part, FetchError>> {
        async move {
            let image = reference(&self.image.from)?;
            let digest = self.digest.to_string();
            // Asked for a range, also from 0 on, the client leaves the hashing to us; otherwise it would hash everything too.
            let response = self.fetcher.oci.pull_blob_stream_partial(&image, digest.as_str(), offset, None).await;
            let (start, stream) = match response.map_err(|error| translate(&self.address(), error))? {
                BlobResponse::Full(stream) => (0, stream),
                BlobResponse::Partial(stream) => (offset, stream),
            };
            Ok(Part { start, total: Some(self.size), etag: None, bytes: stream.stream })
        }
        .boxed()
    }
}

impl Fetcher {
    /// Says who we are to a registry; a wrong password shows here, and not as a riddle later.
    pub async fn log_in(&self, image: &ImageSource) -> Result<(), FetchError> {
        let Some(account) = self.accounts.registry(&image.from.registry().to_string()).await? else { return Ok(()) };
        let auth = RegistryAuth::Basic(account.user, account.password.expose().to_owned());
        let name = reference(&image.from)?;
        let outcome = self.oci.auth(&name, &auth, oci_distribution::RegistryOperation::Pull).await;
        outcome.map(|_| ()).map_err(|error| translate(&image.from.registry().to_string(), error))
    }

    /// A manifest or index, byte for byte, put into the store. With a digest, that very one.
    pub async fn manifest(&self, image: &ImageSource, digest: Option<Digest>) -> Result<(Digest, Vec<u8>), FetchError> {
        if let Some(digest) = digest
            && self.cache.size(&digest).is_some()
        {
            return Ok((digest, fs_err::read(self.cache.path(&digest))?));
        }
        let from = digest.map_or_else(|| image.from.to_string(), |digest| format!("{}@{digest}", image.from.name()));
        let name: oci_distribution::Reference =
            from.parse().map_err(|error| FetchError::Options(format!("`{from}` is no image: {error}")))?;
        let account = self.accounts.registry(&image.from.registry().to_string()).await?;
        let auth = account.map_or(RegistryAuth::Anonymous, |account| {
            RegistryAuth::Basic(account.user, account.password.expose().to_owned())
        });
        let pull = async || {
            self.oci.pull_manifest_raw(&name, &auth, &MANIFESTS).await.map_err(|error| translate(&from, error))
        };
        let (bytes, _) = self.retrying(&from, pull).await?;
        let wrong = |reason: String| FetchError::Refused { address: from.clone(), status: 200, message: reason };
        if bytes.len() > MOST_MANIFEST {
            return Err(wrong("its manifest is larger than any manifest should be".to_owned()));
        }
        let found = Digest::of(&bytes);
        if let Some(digest) = digest.filter(|digest| *digest != found) {
            return Err(wrong(format!("its digest is {found} instead of {digest}")));
        }
        self.cache.put(&bytes)?;
        Ok((found, bytes.to_vec()))
    }

    /// Downloads a layer or a configuration into the store.
    pub async fn blob(&self, name: &str, image: &ImageSource, blob: &Blob) -> Result<(), FetchError> {
        let source = ImageBlob { fetcher: self, image, digest: blob.digest, size: blob.size };
        let expected = Expected { digest: Some(blob.digest), size: Some(blob.size) };
        self.bring(name, &source, expected).await.map(|_| ())
    }
}

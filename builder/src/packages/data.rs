//! What the program carries besides the catalogue: keys of distributions, and what their minimal systems hold.

use rust_embed::RustEmbed;

use super::deb::base::{self, BaseError, BasePackage};
use super::signature::{Keyring, SignatureError};

/// The files of `manifests/keys` and `manifests/base`.
#[derive(RustEmbed)]
#[folder = "../manifests"]
#[include = "keys/*.asc"]
#[include = "base/*.txt"]
struct Files;

/// Why something that the program carries cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum DataError {
    /// The catalogue names a file that is not there.
    #[error("the catalogue names {path}, which this program does not carry")]
    Missing {
        /// Its path.
        path: String,
    },
    /// A key cannot be read.
    #[error("the key {path} cannot be used")]
    Key {
        /// Its path.
        path: String,
        /// Why.
        #[source]
        source: SignatureError,
    },
    /// A list cannot be read.
    #[error("the base list {path} cannot be used")]
    Base {
        /// Its path.
        path: String,
        /// Why.
        #[source]
        source: BaseError,
    },
}

fn file(path: String) -> Result<(String, Vec<u8>), DataError> {
    match Files::get(&path) {
        Some(file) => Ok((path, file.data.into_owned())),
        None => Err(DataError::Missing { path }),
    }
}

/// The keys of some files.
pub fn keys(names: &[String]) -> Result<Keyring, DataError> {
    let mut all = Keyring::default();
    for name in names {
        let (path, bytes) = file(format!("keys/{name}"))?;
        all.extend(Keyring::read(&bytes).map_err(|source| DataError::Key { path, source })?);
    }
    Ok(all)
}

/// The packages of a minimal Debian system.
pub fn deb_base(name: &str) -> Result<Vec<BasePackage>, DataError> {
    let (path, bytes) = file(format!("base/{name}"))?;
    base::read(&String::from_utf8_lossy(&bytes)).map_err(|source| DataError::Base { path, source })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_release_of_the_catalogue_has_its_keys_and_its_base() {
        let catalogue = kubexm_model::catalogue::Catalogue::builtin().unwrap();
        let releases = ["debian", "ubuntu"].iter().flat_map(|name| &catalogue.systems[*name].versions);
        for release in releases {
            assert!(!keys(&release.keys).unwrap().fingerprints().is_empty(), "{}", release.version);
            let base = deb_base(release.base.as_deref().unwrap()).unwrap();
            assert!(base.iter().any(|one| one.name == "libc6"), "{}", release.version);
        }
    }

    #[test]
    fn a_name_that_is_not_carried_is_said() {
        assert_eq!(
            keys(&["nobody.asc".to_owned()]).unwrap_err().to_string(),
            "the catalogue names keys/nobody.asc, which this program does not carry"
        );
    }
}

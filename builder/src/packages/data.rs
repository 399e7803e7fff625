//! What the program carries besides the catalogue: keys of distributions, and what their minimal systems hold.

use rust_embed::RustEmbed;

use super::deb::base as deb;
use super::rpm::base as rpm;
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
        source: Box<dyn std::error::Error + Send + Sync>,
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

/// The packages of a minimal system of Debian and its kin.
pub fn deb_base(name: &str) -> Result<Vec<deb::BasePackage>, DataError> {
    let (path, bytes) = file(format!("base/{name}"))?;
    deb::read(&String::from_utf8_lossy(&bytes)).map_err(|error| DataError::Base { path, source: Box::new(error) })
}

/// The packages of a minimal system of Enterprise Linux and its kin.
pub fn rpm_base(name: &str) -> Result<Vec<rpm::BasePackage>, DataError> {
    let (path, bytes) = file(format!("base/{name}"))?;
    rpm::read(&String::from_utf8_lossy(&bytes)).map_err(|error| DataError::Base { path, source: Box::new(error) })
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
    fn every_key_that_an_rpm_system_names_can_be_read() {
        let catalogue = kubexm_model::catalogue::Catalogue::builtin().unwrap();
        let fingerprints = |system: &str, version: &str| {
            let release = catalogue.systems[system].versions.iter().find(|one| one.version == version).unwrap();
            keys(&release.keys).unwrap().fingerprints()
        };
        assert_eq!(fingerprints("rocky", "8"), ["7051c470a929f454cebe37b715af5dac6d745a60"]);
        assert_eq!(fingerprints("rocky", "9"), ["21cb256ae16fc54c6e652949702d426d350d275d"]);
        assert_eq!(fingerprints("centos", "7").len(), 3);
        assert_eq!(fingerprints("centos", "9"), fingerprints("centos", "8"));
        for own in ["almalinux-8.asc", "almalinux-9.asc"] {
            assert!(!keys(&[own.to_owned()]).unwrap().fingerprints().is_empty(), "{own}");
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

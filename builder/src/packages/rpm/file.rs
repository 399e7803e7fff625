//! The file of a package: that it is the one that was chosen, and that somebody vouches for it.

use std::io::{BufReader, Read};
use std::path::Path;
use std::time::SystemTime;

use fs_err::File;
use kubexm_model::digest::Digest;
use rpm::{IndexTag, PackageMetadata};

use super::Needed;
use super::repository::Proof;
use crate::packages::signature::{Keyring, SignatureError};

/// The largest headers of real packages, those with a hundred thousand files, have some thirty megabytes.
const MOST_HEADER: u64 = 256 * 1024 * 1024;

/// Why a package is not taken.
#[derive(Debug, thiserror::Error)]
pub enum PackageError {
    /// The file cannot be read.
    #[error("the package {package} cannot be read")]
    Read {
        /// Which package.
        package: String,
        /// Why.
        source: std::io::Error,
    },
    /// Other bytes than the repository listed.
    #[error(
        "the package {package} is not the one that its repository lists: {reason}; fetch it again, or use another mirror"
    )]
    Wrong {
        /// Which package.
        package: String,
        /// The difference.
        reason: String,
    },
    /// It is no package.
    #[error("the file of {package} is no package of rpm: {reason}")]
    NoPackage {
        /// Which package.
        package: String,
        /// Why not.
        reason: String,
    },
    /// Nobody signed it.
    #[error("the package {package} is not signed, and nothing else vouches for it")]
    Unsigned {
        /// Which package.
        package: String,
    },
    /// The signature does not count.
    #[error("the signature of the package {package} does not count")]
    Signature {
        /// Which package.
        package: String,
        /// Why.
        source: SignatureError,
    },
}

/// Checks the file of a package: always its size and checksum, and its signature where that is what vouches for it.
pub fn check(path: &Path, needed: &Needed, keys: Option<&Keyring>, now: SystemTime) -> Result<(), PackageError> {
    let package = format!("{}-{}.{}", needed.name, needed.evr, needed.arch);
    let read = |source| PackageError::Read { package: package.clone(), source };
    let wrong = |reason: String| PackageError::Wrong { package: package.clone(), reason };
    let file = File::open(path).map_err(read)?;
    let size = file.metadata().map_err(read)?.len();
    if size != needed.size {
        return Err(wrong(format!("it has {size} bytes instead of {}", needed.size)));
    }
    if !needed.checksum.matches(file).map_err(read)? {
        return Err(wrong(format!("its checksum is not {}", needed.checksum)));
    }
    match (&needed.proof, keys) {
        (Proof::Packages, Some(keys)) => signed(path, &package, needed, keys, now),
        (Proof::Packages, None) => Err(PackageError::Unsigned { package }),
        (Proof::Metadata { .. } | Proof::Connection, _) => Ok(()),
    }
}

/// The signature covers the header, the header has the digest of the rest, and the name inside is the one that was chosen.
fn signed(path: &Path, package: &str, needed: &Needed, keys: &Keyring, now: SystemTime) -> Result<(), PackageError> {
    let read = |source| PackageError::Read { package: package.to_owned(), source };
    let no_package = |reason: String| PackageError::NoPackage { package: package.to_owned(), reason };
    let unreadable = |error: rpm::Error| no_package(error.to_string());
    let mut input = BufReader::new(File::open(path).map_err(read)?).take(MOST_HEADER);
    let metadata = PackageMetadata::parse(&mut input).map_err(unreadable)?;
    let header = metadata.header_bytes().map_err(unreadable)?;
    let signatures = metadata.raw_signatures().map_err(unreadable)?;
    let mut verdict = Err(PackageError::Unsigned { package: package.to_owned() });
    for signature in &signatures {
        match keys.detached(signature, &header, now) {
            Ok(_) => verdict = Ok(()),
            Err(source) if verdict.is_err() => {
                verdict = Err(PackageError::Signature { package: package.to_owned(), source });
            }
            Err(_) => {}
        }
    }
    verdict?;
    let inside = name_inside(&metadata).map_err(unreadable)?;
    if inside != package {
        let reason = format!("the name in it is {inside}");
        return Err(PackageError::Wrong { package: package.to_owned(), reason });
    }
    let listed = metadata.header.get_entry_data_as_string(IndexTag::RPMTAG_PAYLOADSHA256).map_err(|_| {
        no_package("it is older than rpm 4.14, and its signature does not cover what is in it".to_owned())
    })?;
    let (found, _) = Digest::of_reader(input.into_inner()).map_err(read)?;
    if found.hex() != listed {
        let reason = "its contents are not those that were signed".to_owned();
        return Err(PackageError::Wrong { package: needed.name.clone(), reason });
    }
    Ok(())
}

fn name_inside(metadata: &PackageMetadata) -> Result<String, rpm::Error> {
    let epoch = match metadata.get_epoch() {
        Ok(0) | Err(rpm::Error::TagNotFound(_)) => String::new(),
        Ok(epoch) => format!("{epoch}:"),
        Err(error) => return Err(error),
    };
    let (name, version, release) = (metadata.get_name()?, metadata.get_version()?, metadata.get_release()?);
    Ok(format!("{name}-{epoch}{version}-{release}.{}", metadata.get_arch()?))
}

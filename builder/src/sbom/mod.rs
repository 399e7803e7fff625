//! The bill of materials as SPDX 2.3 and as CycloneDX 1.6, for everybody who has tools for those.
//!
//! Both are made from the lock alone and from nothing else: no clock, no random numbers, everything sorted. So the same lock
//! gives the same bytes, and a document can be made again and compared. What is inside an image or a package is not looked at;
//! each of them stands with its digest, its address upstream and its licence where that is known.

/// CycloneDX 1.6.
mod cyclonedx;
/// Names by which parts of a document refer to each other.
mod id;
/// Licences as the standards want them.
mod licence;
/// What both documents have in common.
mod part;
/// Package URLs.
mod purl;
/// SPDX 2.3.
mod spdx;
/// Seconds since 1970 as a date.
pub(crate) mod utc;

#[cfg(test)]
pub(crate) mod sample;
#[cfg(test)]
mod tests;

use kubexm_model::lock::Lock;
use serde::Serialize;

/// The lock as an SPDX 2.3 document in JSON.
pub fn spdx(lock: &Lock) -> Vec<u8> {
    bytes(&spdx::Document::of(&id::uuid(lock), lock, &part::parts(lock)))
}

/// The lock as a CycloneDX 1.6 document in JSON.
pub fn cyclonedx(lock: &Lock) -> Vec<u8> {
    bytes(&cyclonedx::Document::of(&id::uuid(lock), lock, &part::parts(lock)))
}

/// Indented, because people look into these files, and with a newline at the end.
fn bytes(document: &impl Serialize) -> Vec<u8> {
    // Structs of text and numbers can always be written.
    let mut bytes = serde_json::to_vec_pretty(document).unwrap_or_default();
    bytes.push(b'\n');
    bytes
}

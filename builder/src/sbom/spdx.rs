//! SPDX 2.3: the document is about one package, the bundle, which contains the entries; an image contains its platforms.

use std::collections::BTreeSet;

use kubexm_model::bom::Kind;
use kubexm_model::cluster::schema::word;
use kubexm_model::digest::Digest;
use kubexm_model::lock::Lock;
use serde::Serialize;

use super::licence::Licence;
use super::part::{Part, Platform};
use super::purl::Encoded;
use super::utc::timestamp;

const DOCUMENT: &str = "SPDXRef-DOCUMENT";
const BUNDLE: &str = "SPDXRef-bundle";
const NO_ASSERTION: &str = "NOASSERTION";

/// The document.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Document {
    spdx_version: &'static str,
    data_license: &'static str,
    #[serde(rename = "SPDXID")]
    id: &'static str,
    name: String,
    #[serde(rename = "documentNamespace")]
    namespace: String,
    creation_info: CreationInfo,
    packages: Vec<Package>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    has_extracted_licensing_infos: Vec<OwnLicence>,
    relationships: Vec<Relationship>,
}

#[derive(Debug, Serialize)]
struct CreationInfo {
    created: String,
    creators: [String; 1],
}

#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct Package {
    #[serde(rename = "SPDXID")]
    id: String,
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    version_info: Option<String>,
    supplier: &'static str,
    download_location: String,
    files_analyzed: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    checksums: Vec<Checksum>,
    #[serde(skip_serializing_if = "Option::is_none")]
    source_info: Option<String>,
    license_concluded: &'static str,
    license_declared: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    license_comments: Option<String>,
    copyright_text: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    comment: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    external_refs: Vec<ExternalRef>,
    primary_package_purpose: &'static str,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Checksum {
    algorithm: &'static str,
    checksum_value: String,
}

#[derive(Debug, Serialize)]
struct ExternalRef {
    #[serde(rename = "referenceCategory")]
    category: &'static str,
    #[serde(rename = "referenceType")]
    kind: &'static str,
    #[serde(rename = "referenceLocator")]
    locator: String,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct OwnLicence {
    license_id: String,
    extracted_text: &'static str,
}

#[derive(Debug, Serialize)]
struct Relationship {
    #[serde(rename = "spdxElementId")]
    from: String,
    #[serde(rename = "relationshipType")]
    kind: &'static str,
    #[serde(rename = "relatedSpdxElement")]
    to: String,
}

impl Document {
    pub(super) fn of(uuid: &str, lock: &Lock, parts: &[Part<'_>]) -> Self {
        let mut packages = vec![bundle(lock)];
        let mut relationships = vec![relationship(DOCUMENT, "DESCRIBES", BUNDLE)];
        for part in parts {
            relationships.push(relationship(BUNDLE, "CONTAINS", &reference(&part.id)));
            packages.push(package(part));
            for platform in &part.platforms {
                relationships.push(relationship(&reference(&part.id), "CONTAINS", &reference(&platform.id)));
                packages.push(platform_package(part, platform));
            }
        }
        let own: BTreeSet<&str> = parts.iter().flat_map(|part| part.licence.own()).collect();
        Self {
            spdx_version: "SPDX-2.3",
            data_license: "CC0-1.0",
            id: DOCUMENT,
            name: format!("bundle for {}", lock.cluster),
            namespace: format!("https://kubexm.io/spdx/{}/{uuid}", Encoded(&lock.cluster)),
            creation_info: CreationInfo {
                created: timestamp(lock.created),
                creators: [concat!("Tool: kubexm-bundle-", env!("CARGO_PKG_VERSION")).to_owned()],
            },
            packages,
            has_extracted_licensing_infos: own.into_iter().map(own_licence).collect(),
            relationships,
        }
    }
}

fn reference(id: &str) -> String {
    format!("SPDXRef-{id}")
}

fn relationship(from: &str, kind: &'static str, to: &str) -> Relationship {
    Relationship { from: from.to_owned(), kind, to: to.to_owned() }
}

fn own_licence(id: &str) -> OwnLicence {
    OwnLicence {
        license_id: id.to_owned(),
        extracted_text: "The text comes with the thing itself; it was not taken out of it.",
    }
}

/// A package of which nothing is known.
fn blank() -> Package {
    Package {
        supplier: NO_ASSERTION,
        download_location: NO_ASSERTION.to_owned(),
        license_concluded: NO_ASSERTION,
        license_declared: NO_ASSERTION.to_owned(),
        copyright_text: NO_ASSERTION,
        primary_package_purpose: "OTHER",
        ..Package::default()
    }
}

fn bundle(lock: &Lock) -> Package {
    Package {
        id: BUNDLE.to_owned(),
        name: format!("bundle for {}", lock.cluster),
        version_info: Some(timestamp(lock.created)),
        comment: Some(format!("made from the bill of materials {}", lock.bom)),
        primary_package_purpose: "INSTALL",
        ..blank()
    }
}

fn package(part: &Part<'_>) -> Package {
    let entry = part.entry;
    let (declared, comments) = match part.licence {
        Licence::Expression(expression) => (expression, None),
        Licence::Words(words) => (NO_ASSERTION, Some(format!("upstream says: {words}"))),
        Licence::Unknown => (NO_ASSERTION, None),
    };
    Package {
        id: reference(&part.id),
        name: entry.name.clone(),
        version_info: entry.version.clone(),
        download_location: part.address.unwrap_or(NO_ASSERTION).to_owned(),
        checksums: sha256(entry.blob.digest),
        source_info: Some(format!("from {}; digest: {}", entry.source, word(&entry.proof))),
        license_declared: declared.to_owned(),
        license_comments: comments,
        comment: Some(format!("component {}; wanted by {}", entry.component, part.reasons().join(", "))),
        external_refs: purl(&part.purl),
        primary_package_purpose: match entry.kind {
            Kind::Binary => "APPLICATION",
            Kind::Image => "CONTAINER",
            Kind::Manifest => "FILE",
            Kind::Chart | Kind::Package => "INSTALL",
        },
        ..blank()
    }
}

fn platform_package(part: &Part<'_>, platform: &Platform) -> Package {
    Package {
        id: reference(&platform.id),
        checksums: sha256(platform.manifest),
        comment: Some(format!("the image for {}", platform.arch.as_str())),
        external_refs: purl(&platform.purl),
        ..package(part)
    }
}

fn sha256(digest: Digest) -> Vec<Checksum> {
    vec![Checksum { algorithm: "SHA256", checksum_value: digest.hex() }]
}

fn purl(purl: &str) -> Vec<ExternalRef> {
    vec![ExternalRef { category: "PACKAGE-MANAGER", kind: "purl", locator: purl.to_owned() }]
}

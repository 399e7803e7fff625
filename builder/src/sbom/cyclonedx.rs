//! CycloneDX 1.6: the bundle depends on its components; an image's platforms stand inside it.

use kubexm_model::bom::Kind;
use kubexm_model::cluster::schema::word;
use kubexm_model::digest::Digest;
use kubexm_model::lock::Lock;
use serde::Serialize;

use super::licence::Licence;
use super::part::{Part, Platform};
use super::utc::timestamp;

const BUNDLE: &str = "bundle";

/// The document.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Document {
    bom_format: &'static str,
    spec_version: &'static str,
    serial_number: String,
    version: u32,
    metadata: Metadata,
    components: Vec<Component>,
    dependencies: Vec<Dependency>,
}

#[derive(Debug, Serialize)]
struct Metadata {
    timestamp: String,
    tools: Tools,
    component: Component,
    properties: Vec<Property>,
}

#[derive(Debug, Serialize)]
struct Tools {
    components: [Component; 1],
}

#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct Component {
    #[serde(rename = "type")]
    kind: &'static str,
    #[serde(rename = "bom-ref", skip_serializing_if = "String::is_empty")]
    id: String,
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    version: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    hashes: Vec<Hash>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    licenses: Vec<LicenceChoice>,
    #[serde(skip_serializing_if = "String::is_empty")]
    purl: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    external_references: Vec<ExternalReference>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    components: Vec<Component>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    properties: Vec<Property>,
}

#[derive(Debug, Serialize)]
struct Hash {
    alg: &'static str,
    content: String,
}

/// A licence expression, or a licence that has only a name.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum LicenceChoice {
    Expression { expression: String, acknowledgement: &'static str },
    Named { license: Named },
}

#[derive(Debug, Serialize)]
struct Named {
    name: String,
}

#[derive(Debug, Serialize)]
struct ExternalReference {
    #[serde(rename = "type")]
    kind: &'static str,
    url: String,
}

#[derive(Debug, Serialize)]
struct Property {
    name: &'static str,
    value: String,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Dependency {
    #[serde(rename = "ref")]
    id: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    depends_on: Vec<String>,
}

impl Document {
    pub(super) fn of(uuid: &str, lock: &Lock, parts: &[Part<'_>]) -> Self {
        let bundle = Component {
            kind: "platform",
            id: BUNDLE.to_owned(),
            name: format!("bundle for {}", lock.cluster),
            version: Some(timestamp(lock.created)),
            ..Component::default()
        };
        let tool = Component {
            kind: "application",
            name: "kubexm-bundle".to_owned(),
            version: Some(env!("CARGO_PKG_VERSION").to_owned()),
            ..Component::default()
        };
        Self {
            bom_format: "CycloneDX",
            spec_version: "1.6",
            serial_number: format!("urn:uuid:{uuid}"),
            version: 1,
            metadata: Metadata {
                timestamp: timestamp(lock.created),
                tools: Tools { components: [tool] },
                component: bundle,
                properties: vec![Property { name: "kubexm:bom", value: lock.bom.to_string() }],
            },
            components: parts.iter().map(component).collect(),
            dependencies: vec![Dependency {
                id: BUNDLE.to_owned(),
                depends_on: parts.iter().map(|part| part.id.clone()).collect(),
            }],
        }
    }
}

fn component(part: &Part<'_>) -> Component {
    let entry = part.entry;
    Component {
        kind: match entry.kind {
            Kind::Image => "container",
            Kind::Manifest => "file",
            Kind::Binary | Kind::Chart | Kind::Package => "application",
        },
        id: part.id.clone(),
        name: entry.name.clone(),
        version: entry.version.clone(),
        hashes: sha256(entry.blob.digest),
        licenses: licences(&part.licence),
        purl: part.purl.clone(),
        external_references: part
            .address
            .map(|url| ExternalReference { kind: "distribution", url: url.to_owned() })
            .into_iter()
            .collect(),
        components: part.platforms.iter().map(|platform| platform_component(part, platform)).collect(),
        properties: properties(part),
    }
}

fn platform_component(part: &Part<'_>, platform: &Platform) -> Component {
    Component {
        kind: "container",
        id: platform.id.clone(),
        name: part.entry.name.clone(),
        version: part.entry.version.clone(),
        hashes: sha256(platform.manifest),
        licenses: licences(&part.licence),
        purl: platform.purl.clone(),
        properties: vec![Property { name: "kubexm:platform", value: format!("linux/{}", platform.arch.as_str()) }],
        ..Component::default()
    }
}

fn sha256(digest: Digest) -> Vec<Hash> {
    vec![Hash { alg: "SHA-256", content: digest.hex() }]
}

fn licences(licence: &Licence<'_>) -> Vec<LicenceChoice> {
    match *licence {
        Licence::Expression(text) => {
            vec![LicenceChoice::Expression { expression: text.to_owned(), acknowledgement: "declared" }]
        }
        Licence::Words(text) => vec![LicenceChoice::Named { license: Named { name: text.to_owned() } }],
        Licence::Unknown => vec![],
    }
}

/// What the standard has no field for.
fn properties(part: &Part<'_>) -> Vec<Property> {
    let entry = part.entry;
    let one = [
        ("kubexm:component", entry.component.clone()),
        ("kubexm:kind", word(&entry.kind)),
        ("kubexm:platform", part.platform()),
        ("kubexm:proof", word(&entry.proof)),
        ("kubexm:source", entry.source.clone()),
    ];
    let why = part.reasons().into_iter().map(|why| ("kubexm:why", why.to_owned()));
    let found = entry.found_in.iter().map(|place| ("kubexm:found-in", place.clone()));
    let all = one.into_iter().chain(why).chain(found).filter(|(_, value)| !value.is_empty());
    all.map(|(name, value)| Property { name, value }).collect()
}

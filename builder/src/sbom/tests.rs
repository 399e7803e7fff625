//! The documents keep the standards' rules: `rules/` has those about form, and the rest (who names whom) is here.
//! Each rule is also shown to refuse a document that breaks it.

use std::collections::BTreeSet;

use kubexm_model::bom::Kind;
use serde_json::{Value, json};

use super::{cyclonedx, sample, spdx};

/// Everything that is wrong with a document.
fn problems(rules: &str, document: &Value) -> Vec<String> {
    let rules: Value = serde_json::from_str(rules).unwrap();
    let rules = jsonschema::validator_for(&rules).unwrap();
    rules.iter_errors(document).map(|error| format!("{}: {error}", error.instance_path())).collect()
}

/// The texts at this key, wherever it stands.
fn all<'value>(document: &'value Value, key: &str) -> Vec<&'value str> {
    match document {
        Value::Array(items) => items.iter().flat_map(|item| all(item, key)).collect(),
        Value::Object(fields) => {
            let here = fields.get(key).and_then(Value::as_str);
            here.into_iter().chain(fields.values().flat_map(|value| all(value, key))).collect()
        }
        _ => vec![],
    }
}

fn repeated(names: &[&str]) -> Vec<String> {
    let mut seen = BTreeSet::new();
    names.iter().filter(|name| !seen.insert(**name)).map(|name| format!("{name} is there twice")).collect()
}

fn unknown(names: &[&str], known: &[&str]) -> Vec<String> {
    names.iter().filter(|name| !known.contains(name)).map(|name| format!("{name} does not exist")).collect()
}

fn spdx_problems(document: &Value) -> Vec<String> {
    let mut problems = problems(include_str!("rules/spdx.json"), document);
    let ids = all(document, "SPDXID");
    problems.extend(repeated(&ids));
    problems.extend(unknown(&all(document, "spdxElementId"), &ids));
    problems.extend(unknown(&all(document, "relatedSpdxElement"), &ids));
    // Everything hangs on the document, and each licence of our own is explained.
    let related: Vec<&str> = all(document, "relatedSpdxElement");
    problems.extend(unknown(&ids, &[&related[..], &["SPDXRef-DOCUMENT"]].concat()));
    let explained = all(document, "licenseId");
    let declared = all(document, "licenseDeclared").join(" ").replace(['(', ')'], " ");
    let own: Vec<&str> = declared.split(' ').filter(|word| word.starts_with("LicenseRef-")).collect();
    problems.extend(unknown(&own, &explained));
    problems
}

fn cyclonedx_problems(document: &Value) -> Vec<String> {
    let mut problems = problems(include_str!("rules/cyclonedx.json"), document);
    let ids = all(document, "bom-ref");
    problems.extend(repeated(&ids));
    problems.extend(unknown(&all(document, "ref"), &ids));
    let lists = document["dependencies"].as_array().into_iter().flatten().filter_map(|d| d["dependsOn"].as_array());
    let needed: Vec<&str> = lists.flatten().filter_map(Value::as_str).collect();
    problems.extend(unknown(&needed, &ids));
    problems
}

fn documents() -> (Value, Value) {
    let lock = sample::lock();
    (serde_json::from_slice(&spdx(&lock)).unwrap(), serde_json::from_slice(&cyclonedx(&lock)).unwrap())
}

#[test]
fn the_documents_keep_the_rules() {
    let (spdx, cyclonedx) = documents();
    assert_eq!(spdx_problems(&spdx), [""; 0]);
    assert_eq!(cyclonedx_problems(&cyclonedx), [""; 0]);
}

#[test]
fn a_lock_without_entries_gives_documents_too() {
    let mut lock = sample::lock();
    lock.entries.clear();
    assert_eq!(spdx_problems(&serde_json::from_slice(&spdx(&lock)).unwrap()), [""; 0]);
    assert_eq!(cyclonedx_problems(&serde_json::from_slice(&cyclonedx(&lock)).unwrap()), [""; 0]);
}

#[test]
fn the_rules_refuse_what_the_standards_refuse() {
    let (spdx, cyclonedx) = documents();
    let id = spdx["packages"][1]["SPDXID"].clone();
    for (place, value) in [
        ("/spdxVersion", json!("2.3")),
        ("/dataLicense", json!("MIT")),
        ("/documentNamespace", json!("https://x#y")),
        ("/creationInfo/created", json!("2025-13-01T00:00:00Z")),
        ("/creationInfo/created", json!("2025-11-16T04:05:06+01:00")),
        ("/creationInfo/creators", json!([])),
        ("/packages/1/SPDXID", json!("SPDXRef-a_b")),
        ("/packages/2/SPDXID", id),
        ("/packages/1/downloadLocation", json!("registry.example/a:1")),
        ("/packages/1/checksums/0/checksumValue", json!("abc")),
        ("/packages/1/checksums", json!([])),
        ("/packages/1/supplier", json!("")),
        ("/packages/1/licenseDeclared", json!("LicenseRef-nowhere")),
        ("/packages/1/primaryPackagePurpose", json!("IMAGE")),
        ("/packages/1/externalRefs/0/referenceLocator", json!("pkg:generic/a b")),
        ("/relationships/0/relationshipType", json!("NEEDS")),
        ("/relationships/1/relatedSpdxElement", json!("SPDXRef-nobody")),
        ("/hasExtractedLicensingInfos", json!([])),
    ] {
        refuses(&spdx, place, value, spdx_problems);
    }
    let reference = cyclonedx["components"][0]["bom-ref"].clone();
    for (place, value) in [
        ("/bomFormat", json!("cyclonedx")),
        ("/specVersion", json!("1.5")),
        ("/serialNumber", json!("urn:uuid:1")),
        ("/version", json!(0)),
        ("/metadata/timestamp", json!("yesterday")),
        ("/components/0/type", json!("image")),
        ("/components/0/name", json!("")),
        ("/components/1/bom-ref", reference),
        ("/components/0/hashes/0/alg", json!("SHA256")),
        ("/components/0/hashes/0/content", json!("00")),
        ("/components/0/licenses", json!([])),
        ("/components/0/licenses", json!([{"expression": "MIT"}, {"expression": "MIT"}])),
        ("/components/0/purl", json!("generic/a")),
        ("/components/0/properties", json!([])),
        ("/dependencies/0/ref", json!("nobody")),
        ("/dependencies/0/dependsOn/0", json!("nobody")),
    ] {
        refuses(&cyclonedx, place, value, cyclonedx_problems);
    }
}

fn refuses(document: &Value, place: &str, value: Value, problems: fn(&Value) -> Vec<String>) {
    let mut broken = document.clone();
    *broken.pointer_mut(place).unwrap_or_else(|| panic!("there is no {place}")) = value;
    assert!(!problems(&broken).is_empty(), "{place} may be anything");
}

#[test]
fn same_lock_same_bytes_in_whatever_order_the_entries_stand() {
    let lock = sample::lock();
    let mut turned = lock.clone();
    turned.entries.reverse();
    assert!(spdx(&lock) == spdx(&lock.clone()) && cyclonedx(&lock) == cyclonedx(&lock.clone()));
    // Another order is another lock, so the documents have another name; the rest is the same.
    let without_name = |bytes: Vec<u8>| {
        let text = String::from_utf8(bytes).unwrap();
        text.lines().filter(|l| !l.contains("serialNumber") && !l.contains("documentNamespace")).collect::<String>()
    };
    assert!(without_name(spdx(&lock)) == without_name(spdx(&turned)));
    assert!(without_name(cyclonedx(&lock)) == without_name(cyclonedx(&turned)));
    assert!(spdx(&lock) != spdx(&turned));
}

#[test]
fn every_entry_and_every_platform_is_there_once() {
    let (spdx, cyclonedx) = documents();
    let lock = sample::lock();
    // One image has no index, and is its own only platform.
    let platforms: usize = lock.entries.iter().map(|entry| entry.platforms.len()).sum::<usize>() - 1;
    assert_eq!(spdx["packages"].as_array().unwrap().len(), 1 + lock.entries.len() + platforms);
    assert_eq!(cyclonedx["components"].as_array().unwrap().len(), lock.entries.len());
    assert_eq!(all(&cyclonedx["components"], "bom-ref").len(), lock.entries.len() + platforms);
    for document in [&spdx, &cyclonedx] {
        let text = document.to_string();
        for entry in &lock.entries {
            assert!(text.contains(&entry.blob.digest.hex()), "{}", entry.name);
            for image in &entry.platforms {
                assert!(text.contains(&image.manifest.digest.hex()), "{}", entry.name);
                assert!(!text.contains(&image.layers[0].digest.hex()), "{}", entry.name);
            }
        }
        assert!(!text.contains("cp1"), "names of hosts stay at home");
    }
}

#[test]
fn what_is_not_known_is_not_claimed() {
    let (spdx, cyclonedx) = documents();
    let package = |name: &str| spdx["packages"].as_array().unwrap().iter().find(|p| p["name"] == name).unwrap();
    assert_eq!(package("chrony")["licenseDeclared"], "NOASSERTION");
    assert_eq!(package("odd")["downloadLocation"], "NOASSERTION");
    assert_eq!(package("registry.example/pause:3.10.1")["downloadLocation"], "NOASSERTION");
    assert_eq!(package("runc")["downloadLocation"], "https://files.example/runc.amd64");
    assert_eq!(package("runc")["licenseDeclared"], "Apache-2.0");
    assert_eq!(package("runc")["licenseConcluded"], "NOASSERTION");
    assert_eq!(package("runc")["supplier"], "NOASSERTION");
    let hostile = package(sample::HOSTILE);
    assert_eq!(hostile["licenseDeclared"], "NOASSERTION");
    assert!(hostile["licenseComments"].as_str().unwrap().starts_with("upstream says: GPLv2+ and "));
    let component =
        |name: &str| cyclonedx["components"].as_array().unwrap().iter().find(|c| c["name"] == name).unwrap();
    assert_eq!(component("chrony").get("licenses"), None);
    assert_eq!(component(sample::HOSTILE).get("externalReferences"), None);
    let kinds = sample::lock().entries.into_iter().map(|entry| entry.kind).collect::<std::collections::HashSet<Kind>>();
    assert_eq!(kinds.len(), 5, "the sample has every kind");
}

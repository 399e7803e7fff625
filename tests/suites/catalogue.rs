//! The catalogue: complete for what is promised, true to its own references, and open to a user's file.

use std::collections::BTreeSet;

use kubexm_model::catalogue::{Catalogue, Component, When};
use kubexm_model::cluster::json_schema;
use kubexm_tests::{catalogue, fixtures, root, stem, text};
use serde_json::Value;

/// What the programs promise to know. A renamed key breaks this test before it breaks a user.
const COMPONENTS: &[&str] = &[
    "kubeadm",
    "kubelet",
    "kubectl",
    "kube-apiserver",
    "kube-controller-manager",
    "kube-scheduler",
    "kube-proxy",
    "etcd",
    "containerd",
    "runc",
    "cni-plugins",
    "crictl",
    "nerdctl",
    "docker",
    "docker-compose",
    "cri-dockerd",
    "cri-o",
    "isulad",
    "registry",
    "harbor",
    "helm",
    "calicoctl",
    "kube-vip",
    "haproxy",
    "nginx",
    "keepalived",
    "flannel",
    "calico",
    "cilium",
    "kube-ovn",
    "hybridnet",
    "multus",
    "coredns",
    "nodelocaldns",
    "pause",
    "openebs-localpv",
    "longhorn",
    "rook-ceph",
    "nfs",
    "local-path",
    "metallb",
    "ingress-nginx",
    "metrics-server",
    "kube-prometheus-stack",
    "node-dependencies",
];
const SYSTEMS: &[&str] = &["centos", "debian", "kylin", "openeuler", "rhel", "rocky", "ubuntu"];

#[test]
fn everything_promised_is_there_and_nothing_else() {
    let catalogue = catalogue();
    let found: BTreeSet<&str> = catalogue.components.keys().map(String::as_str).collect();
    assert_eq!(found, COMPONENTS.iter().copied().collect());
    assert_eq!(catalogue.systems.keys().map(String::as_str).collect::<Vec<_>>(), SYSTEMS);
    for minor in ["1.32", "1.33", "1.34"] {
        assert!(catalogue.releases[minor].versions.len() >= 5, "{minor}");
    }
    assert!(catalogue.zones.contains_key("cn"));
}

#[test]
fn every_component_says_what_it_is_and_brings_something() {
    for component in catalogue().components.values() {
        let Component { name, title, licence, homepage, .. } = component;
        assert!(!title.is_empty() && !licence.is_empty() && homepage.starts_with("https://"), "{name}");
        let brings = component.files.len()
            + component.images.len()
            + component.charts.len()
            + component.manifests.len()
            + component.packages.len();
        assert!(brings > 0, "{name} brings nothing");
        let needed = |other: &Component| other.needs.contains_key(name);
        assert!(
            !component.wanted.is_empty() || catalogue().components.values().any(needed),
            "nothing ever asks for {name}"
        );
    }
}

/// The schema below `spec` that a path of a rule leads to.
fn field(path: &str) -> Option<Value> {
    let root = json_schema::root();
    let resolve = |mut schema: Value| loop {
        let inner = ["allOf", "anyOf"]
            .iter()
            .find_map(|key| schema[*key].as_array()?.iter().find(|part| part["type"] != "null").cloned());
        let reference = schema["$ref"]
            .as_str()
            .and_then(|name| name.strip_prefix("#/definitions/"))
            .map(|name| root["definitions"][name].clone());
        let items = schema.get("items").cloned();
        match reference.or(inner).or(items) {
            Some(next) => schema = next,
            None => return schema,
        }
    };
    let mut schema = resolve(root["properties"]["spec"].clone());
    for name in path.split('.') {
        schema = resolve(schema["properties"].get(name)?.clone());
    }
    Some(schema)
}

fn check_when(component: &str, when: &When) {
    for (path, values) in &when.0 {
        let schema = field(path).unwrap_or_else(|| panic!("{component}: `{path}` is no field of cluster.yaml"));
        let one_of: Vec<&Value> = schema["oneOf"]
            .as_array()
            .into_iter()
            .flatten()
            .flat_map(|part| part.get("const").into_iter().chain(part["enum"].as_array().into_iter().flatten()))
            .collect();
        for value in &values.0 {
            let known = value.is_null() || value == "*" || one_of.is_empty() || one_of.contains(&value);
            assert!(known, "{component}: `{path}` never is {value}");
            assert_eq!(schema["type"] == "boolean", value.is_boolean(), "{component}: {path} is {value}");
        }
    }
}

#[test]
fn rules_ask_for_fields_and_values_that_exist() {
    for component in catalogue().components.values() {
        let name = &component.name;
        for rule in &component.wanted {
            check_when(name, &rule.when);
            if let Some(path) = &rule.version {
                assert!(field(path).is_some(), "{name}: `{path}` is no field of cluster.yaml");
            }
            assert!(!rule.on.is_empty(), "{name}: a rule for no nodes");
        }
        component
            .files
            .iter()
            .chain(&component.charts)
            .chain(&component.manifests)
            .for_each(|file| check_when(name, &file.when));
        component.images.iter().for_each(|image| check_when(name, &image.when));
        component.packages.iter().for_each(|package| check_when(name, &package.when));
    }
}

#[test]
fn every_value_that_names_a_component_has_one() {
    let catalogue = catalogue();
    for path in ["runtime.type", "network.plugin", "storage.name"] {
        let schema = field(path).unwrap();
        for part in schema["oneOf"].as_array().unwrap() {
            let name = part.get("const").or_else(|| part["enum"].get(0)).and_then(Value::as_str).unwrap();
            assert!(catalogue.component(name).is_some(), "{path} can be {name}, which the catalogue does not have");
        }
    }
}

#[test]
fn no_code_names_a_version_or_an_address() {
    let mut files = vec![];
    for folder in ["model/src", "builder/src", "installer/src"] {
        sources(&root().join(folder), &mut files);
    }
    assert!(files.len() > 30);
    for file in files {
        let code = text(&file);
        let code = code.split("#[cfg(test)]").next().unwrap();
        for line in code.lines().filter(|line| !line.trim_start().starts_with("//")) {
            // The default registry is part of the grammar of image names.
            if file.ends_with("image/registry.rs") && line.contains("DEFAULT") {
                continue;
            }
            for host in ["dl.k8s.io", "github.com/", "registry.k8s.io/", "quay.io", "docker.io", "ghcr.io"] {
                assert!(!line.contains(host), "{}: {line}", file.display());
            }
        }
    }
}

fn sources(folder: &std::path::Path, found: &mut Vec<std::path::PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { sources(&path, found) } else { found.push(path) }
    }
}

#[test]
fn a_users_file_adds_and_changes_entries() {
    for file in fixtures("catalogue/good") {
        let over = [(stem(&file), text(&file))];
        Catalogue::with_overrides(&over).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    }
}

#[test]
fn a_users_file_that_is_wrong_is_refused_with_the_reason() {
    for file in fixtures("catalogue/broken") {
        let error =
            Catalogue::with_overrides(&[(format!("{}.yaml", stem(&file)), text(&file))]).expect_err("it is broken");
        let mut chain = error.to_string();
        if let Some(source) = std::error::Error::source(&error) {
            chain = format!("{chain}\n{source}");
        }
        kubexm_tests::assert_golden(&format!("catalogue/{}.txt", stem(&file)), &(chain + "\n"));
    }
}

#[test]
fn a_renamed_key_a_missing_checksum_and_an_image_without_registry_are_refused() {
    for (text, wanted) in [
        ("components: {containerd: {filez: []}}", "unknown field `filez`"),
        (
            "components: {x: {title: t, group: tool, licence: MIT, homepage: 'https://x', versions: [{version: 1.0.0}], files: [{name: x, url: 'https://x/{{version}}'}]}}",
            "missing field `checksum`",
        ),
        ("components: {pause: {images: [{name: pause, tag: '{{version}}'}]}}", "no full https address or image name"),
        (
            "components: {runc: {files: [{name: runc, url: 'https://x/{{verion}}', checksum: {firstSight: none}}]}}",
            "cannot be filled in",
        ),
        ("releases: {'1.34': {set: {etcd: 9.9.9}}}", "there is no etcd 9.9.9"),
    ] {
        let error = Catalogue::with_overrides(&[("mine.yaml".to_owned(), text.to_owned())]).expect_err(text);
        let chain =
            format!("{error} {}", std::error::Error::source(&error).map(ToString::to_string).unwrap_or_default());
        assert!(chain.contains(wanted), "{chain}");
    }
}

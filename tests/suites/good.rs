//! Every good fixture is a cluster, and its bill of materials is the one that was reviewed.

use std::collections::BTreeSet;

use kubexm_model::bom::{self, Bom, Entry, Kind};
use kubexm_model::cluster::json_schema;
use kubexm_model::cluster::schema::word;
use kubexm_model::console::report;
use kubexm_tests::{assert_golden, assert_no_stray_golden, catalogue, fixtures, read_fixture, stem};
use serde_json::Value;

/// What a reviewer looks at: one line an entry, with its sources and reasons.
fn page(bom: &Bom) -> String {
    let line = |entry: &Entry| {
        let arch: Vec<_> = entry.arch.iter().map(word).collect();
        let reasons: Vec<_> = entry.reasons.iter().map(ToString::to_string).collect();
        let from = if entry.mirror.is_empty() {
            entry.source.join(" ")
        } else {
            format!("{} <- {}", entry.source.join(" "), entry.mirror.join(" "))
        };
        let os = entry.os.as_deref().unwrap_or("any");
        format!(
            "{} {} {os}/{}\n    {from}\n    {}\n",
            word(&entry.kind),
            entry.name,
            arch.join(","),
            reasons.join("; ")
        )
    };
    bom.entries.iter().map(line).collect::<Vec<_>>().concat()
}

#[test]
fn every_good_cluster_has_the_bill_of_materials_that_was_reviewed() {
    let catalogue = catalogue();
    let files = fixtures("clusters/good");
    assert!(files.len() >= 30, "{} good clusters", files.len());
    for file in &files {
        let reading = read_fixture(file, &catalogue);
        let cluster =
            reading.cluster.as_ref().unwrap_or_else(|| panic!("{}\n{}", file.display(), report::text(&reading)));
        assert_golden(&format!("bom/{}.txt", stem(file)), &page(&bom::derive(cluster, &catalogue)));
    }
    assert_no_stray_golden("bom", &files.iter().map(|file| stem(file)).collect::<Vec<_>>());
}

#[test]
fn the_good_clusters_use_every_field_and_every_value() {
    let mut written = BTreeSet::new();
    for file in fixtures("clusters/good") {
        let value: Value = serde_yaml::from_str(&kubexm_tests::text(&file)).unwrap();
        collect("", &value, &mut written);
    }
    let mut missing = vec![];
    wanted("", json_schema::root(), &mut |name| {
        if !written.contains(&name) {
            missing.push(name);
        }
    });
    assert!(missing.is_empty(), "no good cluster has {missing:?}");
}

/// `path` and `path=value` of everything in a file.
fn collect(path: &str, value: &Value, found: &mut BTreeSet<String>) {
    found.insert(path.to_owned());
    match value {
        Value::Object(map) => {
            for (key, value) in map.iter().filter(|(key, _)| *key != "<<") {
                let below = if path.is_empty() { key.clone() } else { format!("{path}.{key}") };
                collect(&below, value, found);
            }
            if let Some(inherited) = map.get("<<") {
                collect(path, inherited, found);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| collect(&format!("{path}[]"), item, found)),
        Value::String(text) => {
            found.insert(format!("{path}={text}"));
        }
        _ => {}
    }
}

/// Every field of the schema, and every value of those that have a list of values.
fn wanted(path: &str, schema: &Value, say: &mut impl FnMut(String)) {
    let root = json_schema::root();
    if let Some(name) = schema["$ref"].as_str().and_then(|name| name.strip_prefix("#/definitions/")) {
        return wanted(path, &root["definitions"][name], say);
    }
    for part in ["allOf", "anyOf"].iter().flat_map(|key| schema[key].as_array().into_iter().flatten()) {
        wanted(path, part, say);
    }
    let one_of = schema["oneOf"].as_array().into_iter().flatten();
    for value in one_of.flat_map(|part| part["enum"].as_array().into_iter().flatten().chain(part.get("const"))) {
        say(format!("{path}={}", value.as_str().unwrap()));
    }
    if schema["items"].is_object() {
        wanted(&format!("{path}[]"), &schema["items"], say);
    }
    for (name, field) in schema["properties"].as_object().into_iter().flatten() {
        let below = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
        say(below.clone());
        wanted(&below, field, say);
    }
}

#[test]
fn a_bill_of_materials_holds_only_what_its_cluster_needs() {
    let catalogue = catalogue();
    for file in fixtures("clusters/good") {
        let reading = read_fixture(&file, &catalogue);
        let cluster = reading.cluster.unwrap();
        let bom = bom::derive(&cluster, &catalogue);
        let has = |kind: Kind, component: &str| {
            bom.entries.iter().any(|entry| entry.kind == kind && entry.component == component)
        };
        let spec = serde_json::to_value(cluster.spec()).unwrap();
        let name = file.display();
        let kubeadm = spec["kubernetes"]["type"] == "kubeadm";
        assert_eq!(has(Kind::Binary, "kubeadm"), kubeadm, "{name}");
        for part in ["kube-apiserver", "kube-controller-manager", "kube-scheduler"] {
            assert_eq!(has(Kind::Image, part), kubeadm, "{name}: {part}");
            assert_eq!(has(Kind::Binary, part), !kubeadm, "{name}: {part}");
        }
        let harbor = spec["registry"]["type"] == "harbor";
        assert_eq!(has(Kind::Binary, "docker-compose"), harbor, "{name}");
        assert_eq!(has(Kind::Binary, "containerd"), spec["runtime"]["type"] == "containerd", "{name}");
        let no_proxy = spec["network"]["kubeProxyReplacement"] == true;
        assert_eq!(has(Kind::Image, "kube-proxy") || has(Kind::Binary, "kube-proxy"), !no_proxy, "{name}");
        for entry in &bom.entries {
            assert!(!entry.reasons.is_empty(), "{name}: {} has no reason", entry.name);
            assert!(
                !entry.name.is_empty() && !entry.component.is_empty() || entry.kind == Kind::Package,
                "{name}: {entry:?}"
            );
        }
    }
}

#[test]
fn files_laid_over_each_other_make_one_cluster() {
    let folder = kubexm_tests::root().join("tests/fixtures/clusters/overlay");
    let files = ["base.yaml", "site.yaml"].map(|name| (name.to_owned(), kubexm_tests::text(&folder.join(name))));
    let reading = kubexm_model::cluster::read(files.into(), &[], &catalogue());
    let cluster = reading.cluster.unwrap();
    let shown = serde_yaml::to_string(&cluster.view()).unwrap();
    assert_golden("overlay.yaml", &shown);
}

#[test]
fn what_config_view_shows_is_the_same_cluster() {
    let catalogue = catalogue();
    for file in fixtures("clusters/good") {
        let cluster = read_fixture(&file, &catalogue).cluster.unwrap();
        let shown = serde_yaml::to_string(&cluster.view()).unwrap();
        let again = kubexm_model::cluster::read(vec![("view.yaml".to_owned(), shown)], &[], &catalogue);
        let errors = report::text(&again);
        let same = again.cluster.unwrap_or_else(|| panic!("{}\n{errors}", file.display()));
        assert_eq!(same.view(), cluster.view(), "{}", file.display());
        assert_eq!(
            page(&bom::derive(&same, &catalogue)),
            page(&bom::derive(&cluster, &catalogue)),
            "{}",
            file.display()
        );
    }
}

#[test]
fn no_answer_shows_a_secret() {
    let catalogue = catalogue();
    for file in fixtures("clusters/good") {
        let reading = read_fixture(&file, &catalogue);
        let shown = format!("{}{}", report::text(&reading), report::json(&reading));
        let view = serde_yaml::to_string(&reading.cluster.unwrap().view()).unwrap();
        assert!(!shown.contains("S3CRET") && !view.contains("S3CRET"), "{}", file.display());
    }
}

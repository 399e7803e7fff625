//! The JSON Schema, judged by a validator that is not ours.

use jsonschema::Validator;
use kubexm_model::cluster::json_schema;
use kubexm_tests::{fixtures, text};
use serde_json::Value;

fn validator() -> Validator {
    jsonschema::draft7::new(json_schema::root()).expect("the schema is a valid draft-07 schema")
}

/// A file as an editor's YAML reader sees it; merge keys are resolved there too.
fn value(path: &std::path::Path) -> Value {
    let mut yaml: serde_yaml::Value =
        serde_yaml::from_str(&text(path)).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    yaml.apply_merge().unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::to_value(yaml).unwrap()
}

#[test]
fn the_schema_is_valid_against_draft_07_itself() {
    assert!(jsonschema::meta::is_valid(json_schema::root()));
    assert_eq!(json_schema::root()["$schema"], "http://json-schema.org/draft-07/schema#");
}

#[test]
fn every_good_cluster_satisfies_the_schema() {
    let validator = validator();
    for file in fixtures("clusters/good") {
        if let Err(error) = validator.validate(&value(&file)) {
            panic!("{}: {error} at {}", file.display(), error.instance_path());
        }
    }
}

#[test]
fn clusters_of_a_wrong_shape_do_not() {
    let validator = validator();
    for file in fixtures("clusters/broken/shape") {
        assert!(!validator.is_valid(&value(&file)), "the schema accepts {}", file.display());
    }
}

#[test]
fn clusters_that_only_make_no_sense_do() {
    let validator = validator();
    for file in fixtures("clusters/broken/sense") {
        if let Err(error) = validator.validate(&value(&file)) {
            panic!("{} belongs to shape: {error} at {}", file.display(), error.instance_path());
        }
    }
}

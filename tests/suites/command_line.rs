//! The programs as a person runs them: answers, errors, exit codes, and input that is no cluster.yaml.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use kubexm_tests::{bundle, program, root};
use serde_json::Value;

const GOOD: &str = "apiVersion: kubexm.io/v1alpha1
kind: Cluster
metadata: {name: t}
spec:
  hosts: [{name: a, address: 10.0.0.1, roles: [master, worker, registry]}]
  kubernetes: {version: v1.34.4}
  system: {os: [{name: debian, version: '12'}]}
";

struct Run {
    out: String,
    err: String,
    code: Option<i32>,
}

fn run(folder: &Path, args: &[&str]) -> Run {
    let output = bundle(folder, args);
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Run { out: text(output.stdout), err: text(output.stderr), code: output.status.code() }
}

fn folder_with(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        std::fs::File::create(folder.path().join(name)).unwrap().write_all(text.as_bytes()).unwrap();
    }
    folder
}

#[test]
fn cluster_yaml_of_the_folder_is_read_when_no_file_is_named() {
    let folder = folder_with(&[("cluster.yml", GOOD)]);
    let lint = run(folder.path(), &["lint"]);
    assert_eq!((lint.code, lint.out.as_str()), (Some(0), "cluster.yml: no problems\n"));
    let empty = folder_with(&[]);
    let lint = run(empty.path(), &["lint"]);
    assert_eq!(lint.code, Some(2));
    assert!(lint.out.contains("there is no cluster.yaml or cluster.yml here"), "{}", lint.out);
}

#[test]
fn standard_input_is_read_from_a_dash() {
    let mut child = Command::new(program("kubexm-bundle"))
        .args(["bom", "-f", "-", "-o", "json"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(GOOD.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let bom: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(bom["entries"].as_array().unwrap().len() > 10);
}

#[test]
fn what_is_no_configuration_gets_an_answer_and_exit_code_two() {
    let deep = format!("{}1{}", "[".repeat(5000), "]".repeat(5000));
    let mut bomb = String::from("a: &a [x, x, x, x, x, x, x, x, x]\n");
    for (name, of) in ["b", "c", "d", "e", "f", "g", "h", "i"].iter().zip(["a", "b", "c", "d", "e", "f", "g", "h"]) {
        let nine = vec![format!("*{of}"); 9].join(", ");
        writeln!(bomb, "{name}: &{name} [{nine}]").unwrap();
    }
    let folder = folder_with(&[
        ("empty", ""),
        ("deep", &deep),
        ("bomb", &bomb),
        ("list", "- a\n- b\n"),
        ("text", "hello"),
        ("nul", "a: \0b"),
    ]);
    let path = folder.path();
    std::fs::File::create(path.join("garbage")).unwrap().write_all(&[0xff, 0xfe, 0, 1, 2, 3]).unwrap();
    let huge = "a: b\n".repeat(100 * 1024 * 1024 / 5);
    std::fs::File::create(path.join("huge")).unwrap().write_all(huge.as_bytes()).unwrap();
    for (file, wanted) in [
        ("empty", "empty has no content"),
        ("deep", "nested more than 64 deep"),
        ("bomb", "expands to more than"),
        ("list", "the file takes a mapping, not a list"),
        ("text", "the file takes a mapping, not a text"),
        ("nul", "it contains a NUL byte"),
        ("garbage", "byte 0 is not UTF-8"),
        ("huge", "it is larger than 16 MiB"),
        ("absent", "there is no such file"),
        (".", "it is a directory"),
    ] {
        let lint = run(path, &["lint", "-f", file]);
        assert_eq!(lint.code, Some(2), "{file}: {} {}", lint.out, lint.err);
        assert!(lint.out.contains(wanted), "{file}: {}", lint.out);
        assert_eq!(lint.err, "", "{file}");
    }
}

#[test]
fn unknown_flags_and_commands_are_refused_with_a_suggestion() {
    let here = root();
    for (args, wanted) in [
        (&["lint", "--flie", "x"][..], "--file"),
        (&["lnit"][..], "lint"),
        (&["bom", "-o", "jsn"][..], "json"),
        (&["explain", "KX9999"][..], "there is no finding `KX9999`"),
        (&["list", "versions", "containrd"][..], "has no component `containrd`"),
        (&["create", "config", "--name", "No_Name"][..], "DNS label"),
        (&["create", "config", "--ha", "--minimal"][..], "cannot be used with"),
        (&["lint", "--catalogue", "absent.yaml"][..], "there is no such file"),
    ] {
        let run = run(here, args);
        assert_eq!(run.code, Some(2), "{args:?}");
        assert!(run.err.contains(wanted), "{args:?}: {}", run.err);
        assert_eq!(run.out, "", "{args:?}");
    }
}

#[test]
fn fields_are_set_from_the_command_line() {
    let folder = folder_with(&[("cluster.yaml", GOOD)]);
    let view = |args: &[&str]| -> Value {
        let all = [&["config", "view", "-o", "json"], args].concat();
        let run = run(folder.path(), &all);
        assert_eq!(run.code, Some(0), "{args:?}: {}", run.err);
        serde_json::from_str(&run.out).unwrap()
    };
    assert_eq!(view(&["--set", "kubernetes.version=v1.33.0"])["spec"]["kubernetes"]["version"], "1.33.0");
    assert_eq!(view(&["--set", "hosts[0].port=2222"])["spec"]["hosts"][0]["port"], 2222);
    assert_eq!(view(&["--set", "metadata.name=other"])["metadata"]["name"], "other");
    assert_eq!(view(&["-e", "pod_cidr=10.50.0.0/16"])["spec"]["kubernetes"]["podCidr"], "10.50.0.0/16");
    let mirrors = view(&["--set", "mirrors.images[\"registry.k8s.io\"]=m.example/k8s"]);
    assert_eq!(mirrors["spec"]["mirrors"]["images"]["registry.k8s.io"], "m.example/k8s");
    assert_eq!(
        view(&["--set", "apiServer={}", "--set", "kubernetes.apiServer.certSANs=[a, b]"][2..])["spec"]["kubernetes"]["apiServer"]
            ["certSANs"][1],
        "b"
    );
    assert_eq!(view(&["--zone", "cn"])["spec"]["mirrors"]["zone"], "cn");
}

#[test]
fn an_override_that_sets_nothing_is_refused_and_shows_no_secret() {
    let folder = folder_with(&[("cluster.yaml", GOOD)]);
    for (args, wanted) in [
        (["--set", "kubernetes"], "sets nothing"),
        (["--set", "hosts[7].port=1"], "`spec.hosts[7]` is not there"),
        (["--set", "kubernetes.verison=1"], "did you mean `version`?"),
        (["--set", "kubernetes.version=[1"], "this is not YAML"),
        (["-e", "version=1.34.4"], "say which with --set"),
        (["-e", "pod_cdir=1"], "did you mean `podCidr`?"),
        (["--set", "hosts[0].port=banana"], "takes a whole number, not `banana`"),
    ] {
        let lint = run(folder.path(), &["lint", args[0], args[1]]);
        assert_eq!(lint.code, Some(2), "{args:?}: {}", lint.out);
        assert!(lint.out.contains(wanted), "{args:?}: {}", lint.out);
    }
    let lint = run(folder.path(), &["lint", "--set", "hosts[0].password=hunter2"]);
    assert_eq!(lint.code, Some(0), "{}", lint.out);
    assert!(lint.out.contains("KX1701") && !lint.out.contains("hunter2"), "{}", lint.out);
    let json = run(folder.path(), &["lint", "-o", "json", "--set", "hosts[0].password=hunter2"]);
    assert!(!json.out.contains("hunter2"), "{}", json.out);
    let view = run(folder.path(), &["config", "view", "--set", "hosts[0].password=hunter2"]);
    assert!(view.out.contains("********") && !(view.out + &view.err).contains("hunter2"));
}

#[test]
fn warnings_count_only_when_asked() {
    let text = GOOD.replace("  system: {os: [{name: debian, version: '12'}]}\n", "");
    let folder = folder_with(&[("cluster.yaml", &text)]);
    assert_eq!(run(folder.path(), &["lint"]).code, Some(0));
    assert_eq!(run(folder.path(), &["lint", "--strict"]).code, Some(2));
}

#[test]
fn findings_come_as_json_with_their_places() {
    let folder = folder_with(&[("cluster.yaml", &GOOD.replace("kind: Cluster", "kind: Clutser"))]);
    let lint = run(folder.path(), &["lint", "-o", "json"]);
    let found: Value = serde_json::from_str(&lint.out).unwrap();
    let finding = &found["findings"][0];
    assert_eq!(finding["code"], "KX1005");
    assert_eq!(finding["place"], serde_json::json!({"file": "cluster.yaml", "line": 2, "column": 7, "endColumn": 14}));
}

#[test]
fn a_bill_of_materials_comes_in_every_form() {
    let folder = folder_with(&[("cluster.yaml", GOOD)]);
    let count = |run: &Run| run.out.lines().count();
    let name = run(folder.path(), &["bom", "-o", "name"]);
    let table = run(folder.path(), &["bom"]);
    assert_eq!(count(&name) + 1, count(&table));
    assert!(table.err.contains("entries:"));
    let wide = run(folder.path(), &["bom", "-o", "wide"]);
    assert!(wide.out.contains("https://dl.k8s.io/release/v1.34.4/bin/linux/amd64/kubeadm"), "{}", wide.out);
    let json: Value = serde_json::from_str(&run(folder.path(), &["bom", "-o", "json"]).out).unwrap();
    let yaml: Value = serde_yaml::from_str(&run(folder.path(), &["bom", "-o", "yaml"]).out).unwrap();
    assert_eq!(json, yaml);
    assert_eq!(json["entries"].as_array().unwrap().len(), count(&name));
}

#[test]
fn a_zone_redirects_what_it_mirrors() {
    let folder = folder_with(&[("cluster.yaml", GOOD)]);
    let output = Command::new(program("kubexm-bundle"))
        .current_dir(folder.path())
        .env("KMZONE", "cn")
        .args(["bom", "-o", "json"])
        .output()
        .unwrap();
    let bom: Value = serde_json::from_slice(&output.stdout).unwrap();
    let entry = bom["entries"].as_array().unwrap().iter().find(|entry| entry["name"] == "kubelet").unwrap().clone();
    assert_ne!(entry["mirror"][0], entry["source"][0]);
    assert!(entry["mirror"][0].as_str().unwrap().ends_with("/release/v1.34.4/bin/linux/amd64/kubelet"), "{entry}");
}

#[test]
fn samples_are_clean_and_name_their_schema() {
    for args in [&[][..], &["--ha"], &["--minimal"]] {
        let sample = run(root(), &[&["create", "config", "--name", "prod", "--schema", "./s.json"], args].concat());
        assert!(sample.out.starts_with("# yaml-language-server: $schema=./s.json\n"), "{}", sample.out);
        let folder = folder_with(&[("cluster.yaml", &sample.out)]);
        let lint = run(folder.path(), &["lint", "--strict"]);
        assert_eq!((lint.code, lint.out.as_str()), (Some(0), "cluster.yaml: no problems\n"), "{args:?}");
    }
}

#[test]
fn both_programs_describe_themselves() {
    for name in ["kubexm-bundle", "kubexm-install"] {
        let ask = |args: &[&str]| {
            let output = Command::new(program(name)).args(args).output().unwrap();
            assert!(output.status.success(), "{name} {args:?}");
            String::from_utf8(output.stdout).unwrap()
        };
        assert!(ask(&["completion", "bash"]).contains(name));
        assert!(ask(&["man"]).contains(".TH"));
        let version: Value = serde_json::from_str(&ask(&["version", "-o", "json"])).unwrap();
        assert_eq!(version["name"], name);
        assert!(ask(&["explain", "kx1401"]).starts_with("KX1401 Networks overlap\n"));
        assert!(ask(&["explain"]).lines().count() > 40);
        let pages = tempfile::tempdir().unwrap();
        ask(&["man", "--dir", pages.path().to_str().unwrap()]);
        assert!(pages.path().join(format!("{name}-lint.1")).exists());
    }
}

#[test]
fn colours_come_only_when_asked_off_a_terminal() {
    let folder = folder_with(&[("cluster.yaml", "x: 1\n")]);
    assert!(!run(folder.path(), &["lint"]).out.contains('\u{1b}'));
    assert!(run(folder.path(), &["lint", "--color", "always"]).out.contains('\u{1b}'));
    assert!(!run(folder.path(), &["lint", "--no-color"]).out.contains('\u{1b}'));
}

#[test]
fn output_that_nobody_reads_is_no_failure() {
    let folder = folder_with(&[("cluster.yaml", GOOD)]);
    let mut child = Command::new(program("kubexm-bundle"))
        .current_dir(folder.path())
        .args(["schema"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert_eq!(output.status.code(), Some(0));
}

//! What a cluster of a thousand hosts costs: read, lint, and the bill of materials.

use std::fmt::Write as _;
use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use kubexm_model::catalogue::Catalogue;
use kubexm_model::{bom, cluster};

/// Five masters, workers of two architectures, and a registry host.
fn thousand_hosts() -> String {
    let mut text = String::from(
        "apiVersion: kubexm.io/v1alpha1\nkind: Cluster\nmetadata: {name: large}\nspec:\n  kubernetes: {version: v1.34.4, podCidr: 10.128.0.0/9, serviceCidr: 172.30.0.0/16}\n  \
         system: {os: [{name: debian, version: '12'}, {name: rocky, version: '9'}]}\n  hosts:\n",
    );
    for number in 0..1000 {
        let role = match number {
            0..5 => "master, etcd",
            5 => "registry",
            _ => "worker",
        };
        let arch = if number % 2 == 0 { "amd64" } else { "arm64" };
        let (high, low) = (number / 250, number % 250 + 1);
        let _ = writeln!(
            text,
            "  - {{name: node-{number}, address: 10.1.{high}.{low}, port: 22, user: root, roles: [{role}], arch: {arch}, labels: {{rack: r{}}}}}",
            number / 40
        );
    }
    text
}

fn lint_and_bom(criterion: &mut Criterion) {
    let text = thousand_hosts();
    let catalogue = kubexm_tests::catalogue();
    let read = |catalogue: &Catalogue| {
        let reading = cluster::read(vec![("cluster.yaml".to_owned(), text.clone())], &[], catalogue);
        assert!(reading.findings.is_empty(), "{:?}", reading.findings);
        reading.cluster.expect("the cluster has no errors")
    };
    criterion.bench_function("catalogue", |bench| bench.iter(|| black_box(kubexm_tests::catalogue())));
    criterion.bench_function("lint of 1000 hosts", |bench| bench.iter(|| black_box(read(&catalogue))));
    criterion.bench_function("catalogue, lint and bom of 1000 hosts", |bench| {
        bench.iter(|| {
            let catalogue = kubexm_tests::catalogue();
            let cluster = read(&catalogue);
            black_box(bom::derive(&cluster, &catalogue))
        });
    });
}

criterion_group!(benches, lint_and_bom);
criterion_main!(benches);

//! A lock with every kind of entry, and with the odd ones: made for one platform and for two, shared layers, hostile names.

use kubexm_model::bom::{Kind, Reason};
use kubexm_model::cluster::schema::Arch;
use kubexm_model::digest::Digest;
use kubexm_model::lock::{Blob, Lock, Locked, PlatformImage, Proof, VERSION};

/// What a web page and a shell would both rather not see.
pub(crate) const HOSTILE: &str = "<script>alert(\"x\")</script>'&</script>\u{2028}$(id)";

pub(crate) fn blob(content: &str, size: u64) -> Blob {
    Blob { digest: Digest::of(content.as_bytes()), size, media_type: None }
}

pub(crate) fn entry(kind: Kind, name: &str, version: &str, source: &str, size: u64) -> Locked {
    Locked {
        kind,
        name: name.to_owned(),
        version: Some(version.to_owned()).filter(|version| !version.is_empty()),
        os: None,
        arch: vec![],
        component: name.to_owned(),
        licence: Some("Apache-2.0".to_owned()),
        source: source.to_owned(),
        proof: Proof::Published,
        blob: blob(name, size),
        members: vec![],
        platforms: vec![],
        found_in: vec![],
        stanza: None,
        reasons: vec![Reason { why: String::new(), nodes: serde_json::from_str(r#"["cp1", "cp2"]"#).unwrap() }],
    }
}

pub(crate) fn image(name: &str, arches: &[Arch], layers: &[(&str, u64)]) -> Locked {
    let platforms = arches.iter().map(|&arch| PlatformImage {
        arch,
        manifest: blob(&format!("{name} {} manifest", arch.as_str()), 700),
        config: blob(&format!("{name} {} config", arch.as_str()), 1500),
        layers: layers.iter().map(|(layer, size)| blob(&format!("{layer} {}", arch.as_str()), *size)).collect(),
    });
    let version = name.rsplit(':').next().unwrap();
    Locked {
        arch: arches.to_vec(),
        os: Some("linux".to_owned()),
        proof: Proof::Registry,
        platforms: platforms.collect(),
        ..entry(Kind::Image, name, version, name, 1200)
    }
}

fn package(name: &str, version: &str, os: &str, source: &str) -> Locked {
    Locked {
        os: Some(os.to_owned()),
        arch: vec![Arch::Amd64],
        licence: None,
        ..entry(Kind::Package, name, version, source, 300_000)
    }
}

/// The lock.
pub(crate) fn lock() -> Lock {
    const BOTH: [Arch; 2] = [Arch::Amd64, Arch::Arm64];
    let mut etcd = image("registry.example/library/Etcd:3.6.6-0", &BOTH, &[("base", 30_000_000), ("etcd", 20_000_000)]);
    etcd.blob = blob("etcd index", 1200);
    let mut pause = image("registry.example/pause:3.10.1", &BOTH[..1], &[("pause", 300_000)]);
    pause.blob = pause.platforms[0].manifest.clone();
    let mut found = image("host.example:5000/net/flannel:v1", &BOTH, &[("base", 30_000_000), ("flannel", 9_000_000)]);
    found.found_in = vec!["kube-flannel.yml: DaemonSet kube-flannel-ds".to_owned()];
    let binary = |arch| Locked {
        arch: vec![arch],
        os: Some("linux".to_owned()),
        ..entry(Kind::Binary, "runc", "1.3.3", "https://files.example/runc.amd64", 12_000_000)
    };
    let hostile = Locked {
        os: Some(HOSTILE.to_owned()),
        component: HOSTILE.to_owned(),
        licence: Some(format!("GPLv2+ and {HOSTILE}")),
        found_in: vec![HOSTILE.to_owned()],
        reasons: vec![Reason { why: HOSTILE.to_owned(), nodes: serde_json::from_str(r#"["<b>"]"#).unwrap() }],
        ..entry(Kind::Manifest, HOSTILE, HOSTILE, &format!("https://files.example/{HOSTILE}"), 100)
    };
    let entries = vec![
        hostile.clone(),
        Locked { proof: Proof::FirstSight, ..hostile },
        binary(Arch::Amd64),
        binary(Arch::Arm64),
        etcd,
        pause,
        found,
        Locked {
            licence: Some("MIT AND (LicenseRef-a OR LicenseRef-b)".to_owned()),
            proof: Proof::FirstSight,
            ..entry(Kind::Chart, "ingress-nginx", "4.13.0", "https://charts.example/ingress-nginx-4.13.0.tgz", 60_000)
        },
        entry(Kind::Manifest, "kube-flannel.yml", "0.27.4", "https://files.example/kube-flannel.yml", 4000),
        package("chrony", "1:4.3-2+deb12u1", "debian 12", "https://deb.example/pool/chrony_4.3-2+deb12u1_amd64.deb"),
        package(
            "NetworkManager",
            "1:1.52-3.el9",
            "rocky 9",
            "https://rpm.example/N/NetworkManager-1.52-3.el9.x86_64.rpm",
        ),
        package("odd", "7", "debian 12", "https://deb.example/debian bookworm"),
    ];
    Lock {
        version: VERSION,
        cluster: "demo & <b>".to_owned(),
        created: 1_763_265_906,
        bom: Digest::of(b"bom"),
        entries,
    }
}

//! What different systems say about themselves, and what becomes of it.

use std::sync::LazyLock;

use kubexm_installer::inventory::facts::{Leftover, NodeFacts, Protocol, SeLinux};
use kubexm_installer::inventory::parse::{Asked, Misunderstood, facts};
use kubexm_installer::inventory::{gather, gather_all};
use kubexm_installer::node::fake::FakeNode;
use kubexm_installer::node::local::LocalLine;
use kubexm_installer::node::{Inspect, LocalNode, NodePath, Output};
use kubexm_model::cluster::schema::Arch;

use crate::path;
use crate::sshd::Sshd;

fn recorded(name: &str) -> String {
    let file = kubexm_tests::root().join("tests/suites/node/facts").join(name);
    std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

/// Asked at these times for the space of two directories.
fn asked(sent: f64, received: f64) -> Asked<'static> {
    static DIRECTORIES: LazyLock<[NodePath; 2]> = LazyLock::new(|| [path("/var/lib"), path("/opt/a b")]);
    Asked { directories: DIRECTORIES.as_slice(), sent, received }
}

fn understood(name: &str) -> NodeFacts {
    facts(&recorded(name), asked(0.0, 1.0)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn close(found: f64, expected: f64) -> bool {
    (found - expected).abs() < 1e-6
}

#[test]
fn debian() {
    let node = facts(&recorded("debian-12.txt"), asked(1000.0, 1000.5)).unwrap();
    assert_eq!((node.system.os.as_str(), node.system.os_version.as_deref()), ("debian", Some("12")));
    assert_eq!((node.system.arch, node.system.uptime, node.system.as_root), (Some(Arch::Amd64), 15029, true));
    assert_eq!(node.system.product_uuid.as_deref(), Some("4c4c4544-0042-3510-8052-b4c04f4e4432"));
    assert!(node.system.modules.contains("nf_tables"));
    assert_eq!(node.system.sysctls["net.ipv4.ip_local_port_range"], "32768 60999");
    assert_eq!((node.resources.cpus, node.resources.memory), (4, 8_131_072 * 1024));
    assert_eq!((node.resources.cgroup_version, node.resources.swaps.len()), (Some(2), 0));
    assert_eq!((node.storage.disks["sda"].size, node.storage.disks["sdb"].rotational), (83_886_080 * 512, true));
    assert_eq!(node.storage.space[&path("/opt/a b")].free, 4096 * 1_000_000);
    assert_eq!(node.storage.mount_of(&path("/var/lib/etcd")).unwrap().source, "/dev/sda2");
    assert!(node.storage.mount_of(&path("/tmp")).unwrap().options.contains(&"noexec".to_owned()));
    assert_eq!((node.network.interfaces["ens18"].mtu, node.network.interfaces["ens18"].addresses.len()), (1450, 2));
    assert!(!node.network.has_default_route() && node.network.nameservers.is_empty());
    assert_eq!(node.network.routes.len(), 2, "a route that refuses is none: {:?}", node.network.routes);
    let ports: Vec<_> = node.network.listening.iter().map(|each| (each.port, each.process.as_deref())).collect();
    assert_eq!(ports, [(22, Some("sshd")), (22, Some("sshd"))], "a connection is no open port");
    // Ours 1000.0 to 1000.5, theirs 1000.1 to 1000.35: 0.25 s on the way, 25 ms behind.
    assert!(close(node.clock.offset, -0.025) && close(node.clock.uncertainty, 0.125), "{:?}", node.clock);
    assert_eq!(node.clock.synchronised, Some(false));
    assert!(node.security.apparmor && node.security.selinux == SeLinux::Absent);
    assert_eq!(node.software.packages["openssh-server"], "1:9.2p1-2+deb12u5");
    assert_eq!(node.software.units.keys().collect::<Vec<_>>(), ["apparmor.service", "systemd-timesyncd.service"]);
}

#[test]
fn ubuntu_with_docker_swap_and_a_proxy() {
    let node = understood("ubuntu-24.04.txt");
    assert_eq!(
        (node.system.arch, node.system.os_like.as_slice()),
        (Some(Arch::Arm64), ["debian".to_owned()].as_slice())
    );
    assert_eq!(node.resources.swaps, ["/swap.img"]);
    assert!(node.network.has_default_route() && node.network.interfaces.contains_key("veth1a2b3c4"));
    assert_eq!(node.network.search, ["eu.internal", "corp.example"]);
    let listening: Vec<String> = node
        .network
        .listening
        .iter()
        .map(|each| {
            format!("{:?} {} {} {}", each.protocol, each.address, each.port, each.process.as_deref().unwrap_or("-"))
        })
        .collect();
    assert_eq!(
        listening,
        [
            "Tcp 127.0.0.1 41394 containerd",
            "Tcp 127.0.0.53 53 systemd-resolve",
            "Tcp ::1 6379 -",
            "Udp 127.0.0.53 53 systemd-resolve"
        ]
    );
    assert_eq!(node.network.listening[3].protocol, Protocol::Udp);
    assert!(node.security.ufw && node.security.iptables_rules == Some(17));
    assert_eq!(node.software.leftovers[&path("/var/lib/docker")], Leftover::Full);
    assert_eq!(node.software.leftovers[&path("/run/docker.sock")], Leftover::File);
    assert_eq!(node.software.leftovers[&path("/etc/cni/net.d")], Leftover::Empty);
    assert_eq!(
        (node.network.proxies.len(), node.network.proxies[0].value.as_str()),
        (2, "http://***@proxy.corp.example:3128")
    );
    assert_eq!(node.network.proxies[1].file.as_deref(), Some("/etc/environment"));
    assert_eq!(node.network.proxies[1].value, "localhost,127.0.0.1");
}

#[test]
fn rocky_with_selinux_and_an_old_cluster() {
    let node = understood("rocky-9.txt");
    assert_eq!((node.system.os.as_str(), node.system.os_version.as_deref()), ("rocky", Some("9.5")));
    assert_eq!(node.system.os_like, ["rhel", "centos", "fedora"]);
    assert_eq!(node.security.selinux, SeLinux::Enforcing);
    assert_eq!(node.software.package_managers, ["dnf", "yum"]);
    assert_eq!(node.software.units["kubelet.service"].active, "activating");
    assert_eq!(node.network.interfaces["bond0.100"].addresses.len(), 2);
    assert_eq!(node.network.routes.len(), 2);
    assert_eq!(node.network.nameservers.len(), 3, "also one with a zone");
    assert!(
        node.network
            .listening
            .iter()
            .any(|each| each.port == 6443 && each.process.as_deref() == Some("kube-apiserver"))
    );
    assert!(node.storage.mount_of(&path("/usr/local/bin")).unwrap().options.contains(&"noexec".to_owned()));
    assert_eq!(node.storage.space[&path("/var/lib")].inodes, 0);
}

#[test]
fn busybox_without_most_tools() {
    let node = understood("busybox.txt");
    assert_eq!((node.system.arch, node.system.machine_id, node.system.as_root), (None, None, false));
    assert_eq!(node.resources.cgroup_version, Some(1), "hybrid counts as version 1");
    assert_eq!((node.security.nft_rules, node.clock.synchronised, node.software.packages.len()), (None, None, 0));
    assert!(node.clock.uncertainty >= 1.0, "whole seconds: {:?}", node.clock);
    assert_eq!(node.network.listening[0].process, None);
}

#[test]
fn what_makes_no_sense_is_no_fact() {
    let good = recorded("debian-12.txt");
    let spoilt = |from: &str, to: &str| {
        assert!(good.contains(from), "{from}");
        facts(&good.replacen(from, to, 1), asked(0.0, 1.0)).unwrap_err()
    };
    assert_eq!(facts("", asked(0.0, 1.0)), Err(Misunderstood::Incomplete { part: "beginning" }));
    assert_eq!(facts(&good[..good.len() / 2], asked(0.0, 1.0)), Err(Misunderstood::Incomplete { part: "end" }));
    assert!(matches!(spoilt("kernel\t", "kernal\t"), Misunderstood::Key { .. }));
    assert!(matches!(spoilt("cpus\t4", "cpus\tmany"), Misunderstood::Value { key: "cpus", .. }));
    assert!(matches!(spoilt("machine\tx86_64", "machine\t"), Misunderstood::Missing { key: "machine" }));
    assert!(matches!(spoilt("disk\tsda|83886080|0", "disk\tsda"), Misunderstood::Value { key: "disk", .. }));
    assert!(matches!(
        spoilt("0 4096 10000000 ", "0 4096 99999999999999999999 "),
        Misunderstood::Value { key: "space", .. }
    ));
    assert!(matches!(spoilt("space\t1 ", "space\t2 "), Misunderstood::Value { key: "space", .. }));
    assert!(matches!(spoilt("00000000:0016", "日日00:0016"), Misunderstood::Value { .. }));
    assert!(matches!(spoilt("holder\tprocess 1\n", "holder\tx\n"), Misunderstood::Value { key: "holder", .. }));
}

#[tokio::test]
async fn this_machine_and_one_over_ssh_tell_about_themselves() {
    let sshd = Sshd::start(&["ed25519"], "");
    let (local, ssh) = (LocalNode::new("local", LocalLine, None), sshd.node(sshd.address));
    let nodes: [&dyn Inspect; 2] = [&local, &ssh];
    let wanted = [path("/var/lib"), path("/no/such/place"), path("/tmp/$(touch pwned)\n'")];
    for facts in gather_all(&nodes, &wanted, 8).await {
        let facts = facts.unwrap();
        let text = serde_json::to_string(&facts).unwrap();
        assert_eq!(serde_json::from_str::<NodeFacts>(&text).unwrap(), facts);
        assert_eq!(
            facts.system.hostname,
            local
                .read(&path("/proc/sys/kernel/hostname"), 100)
                .await
                .unwrap()
                .map(|name| String::from_utf8(name).unwrap().trim().to_owned())
                .unwrap()
        );
        assert!(facts.resources.cpus > 0 && facts.resources.memory > 0 && !facts.storage.mounts.is_empty());
        assert!(wanted.iter().all(|place| facts.storage.space[place].total > 0), "{:?}", facts.storage.space);
        assert!(facts.clock.offset.abs() <= facts.clock.uncertainty + 0.01, "it is the same clock: {:?}", facts.clock);
        assert!(facts.software.tools.contains_key("tar"));
        assert!(
            facts.network.listening.iter().any(|each| each.port == sshd.address.port()),
            "{:?}",
            facts.network.listening
        );
    }
    assert_eq!(sshd.connections(), 2);
}

#[tokio::test]
async fn a_node_in_memory_says_what_it_is_taught() {
    let node = FakeNode::new("fake");
    assert!(gather(&node, &[]).await.is_err());
    let text = recorded("rocky-9.txt");
    node.script(move |command, _| {
        (command.args.first().map(String::as_str) == Some("-s"))
            .then(|| Output { stdout: text.clone().into(), ..Output::default() })
    });
    assert_eq!(gather(&node, &[path("/var/lib")]).await.unwrap().system.os, "rocky");
    assert_eq!(node.looks(), 2);
}

//! A node in memory that answers the commands of the steps, and what belongs to the journal on it.

use std::path::PathBuf;

use kubexm_installer::node::fake::{FakeNode, FakeState, FakeUnit, Fault, Then};
use kubexm_installer::node::query::{Active, Enabled};
use kubexm_installer::node::{Command, NodePath, Output, PackageName, SysctlKey, UnitName};
use kubexm_installer::repository::key::SiteKey;
use kubexm_installer::supplies::{Image, Supplies};
use kubexm_model::bom::{Kind, Nodes, Reason};
use kubexm_model::bundle::{BundleSet, Member};
use kubexm_model::cluster::schema::Arch;
use kubexm_model::digest::Digest;
use kubexm_model::lock::{Blob, Lock, Locked, Proof, VERSION};
use kubexm_tests::bundles::{member, open, pack, trust};
use kubexm_tests::{noise, root, text};
use tempfile::TempDir;

pub fn path(text: &str) -> NodePath {
    NodePath::new(text).unwrap()
}

/// The folder on nodes in which a run keeps things.
pub fn kept() -> NodePath {
    path("/var/lib/kubexm/run")
}

/// A node with something for every step to do: swap, firewall, SELinux, another name, another resolver.
pub fn busy() -> FakeNode {
    let node = FakeNode::new("node");
    node.edit(|state| {
        state.files.set_file(&path("/etc/fstab"), "/dev/sda1 / ext4 defaults 0 1\n/swapfile none swap sw 0 0\n");
        state.files.set_file(&path("/swapfile"), "");
        state.files.set_file(&path("/etc/selinux/config"), "SELINUX=enforcing\nSELINUXTYPE=targeted\n");
        state.files.set_file(&path("/etc/resolv.conf"), "nameserver 10.9.9.9\n");
        state.files.set_file(&path("/etc/chrony.conf"), "pool pool.ntp.org iburst\n");
        state.files.set_file(&path("/etc/sysctl.d/99-kubexm-cri.conf"), "# an older one\n");
        state.swaps.insert(path("/swapfile"));
        for (name, active, enabled) in [
            ("firewalld.service", Active::Active, Enabled::Enabled),
            ("ufw.service", Active::Inactive, Enabled::Disabled),
            ("chronyd.service", Active::Active, Enabled::Enabled),
            ("chrony.service", Active::Inactive, Enabled::Disabled),
            ("systemd-resolved.service", Active::Active, Enabled::Enabled),
        ] {
            let unit = FakeUnit { active, enabled, ..FakeUnit::default() };
            state.units.insert(UnitName::new(name).unwrap(), unit);
        }
        for (key, value) in [("kernel.hostname", "old-name"), ("kubexm.selinux", "Enforcing"), ("kernel.panic", "0")] {
            state.sysctls.insert(SysctlKey::new(key).unwrap(), value.to_owned());
        }
    });
    node.script(answer);
    node
}

/// The commands that the steps run, on values that stand among the kernel parameters.
fn answer(command: &Command, state: &mut FakeState) -> Option<Output> {
    let key = match command.program.as_str() {
        "uname" | "hostname" => "kernel.hostname",
        "getenforce" | "setenforce" => "kubexm.selinux",
        // Every module that the node lists can be loaded.
        "modprobe" => return Some(Output::default()),
        // Everything behind the dashes is installed.
        "apt-get" => {
            let names = command.args.iter().skip_while(|arg| *arg != "--").skip(1);
            state.packages.extend(names.map(|name| (PackageName::new(name.as_str()).unwrap(), "1".to_owned())));
            return Some(Output::default());
        }
        _ => return None,
    };
    let value = state.sysctls.get_mut(&SysctlKey::new(key).unwrap())?;
    if let ("hostname" | "setenforce", Some(wanted)) = (command.program.as_str(), command.args.last()) {
        value.clone_from(wanted);
    }
    Some(Output { stdout: value.clone().into_bytes(), ..Output::default() })
}

/// The node without what a run keeps there for the way back, and without the folder above it if nothing else is in there.
pub fn without_kept(state: &FakeState) -> FakeState {
    let mut state = state.clone();
    state.files.unset(&kept());
    let above = path("/var/lib/kubexm");
    if !state.files.iter().any(|(path, _)| path.is_within(&above) && *path != above) {
        state.files.unset(&above);
    }
    state
}

/// A bundle with two packages for Debian 12, as a verified one brings them.
pub fn supplies() -> Supplies {
    let contents = [noise(3_000, 21), noise(5_000, 22)];
    let members: Vec<_> = contents.iter().map(|content| member(None, content, false)).collect();
    let entries = ["socat", "libwrap0"].iter().zip(&members).map(|(name, (member, _))| locked(name, member)).collect();
    let lock =
        Lock { version: VERSION, cluster: "demo".to_owned(), created: 1_700_000_000, bom: Digest::of(b"bom"), entries };
    let bundle = BundleSet::new(open(pack(&members, &[1], 1), &trust(&[1])).unwrap(), vec![]).unwrap();
    Supplies::new(bundle, lock, SiteKey::read(&text(&root().join("tests/fixtures/site-key.asc"))).unwrap())
}

/// The same, with the packages in an image.
pub fn supplies_with_image() -> Supplies {
    supplies().with_image(Image::read(&root().join("LICENSE")).unwrap())
}

fn locked(name: &str, member: &Member) -> Locked {
    let stanza = format!(
        "Package: {name}\nVersion: 1\nArchitecture: amd64\nSHA256: {}\nSize: {}\n",
        member.digest.hex(),
        member.size
    );
    Locked {
        kind: Kind::Package,
        name: name.to_owned(),
        version: Some("1".to_owned()),
        os: Some("debian 12".to_owned()),
        arch: vec![Arch::Amd64],
        component: "node-dependencies".to_owned(),
        licence: None,
        source: "https://packages.test/x.deb".to_owned(),
        proof: Proof::Repository,
        blob: Blob { digest: member.digest, size: member.size, media_type: None },
        members: vec![],
        platforms: vec![],
        found_in: vec![],
        stanza: Some(stanza),
        reasons: vec![Reason { why: "every cluster".to_owned(), nodes: Nodes::default() }],
    }
}

pub fn is_kill(fault: &Fault) -> bool {
    fault.then == Then::Killed
}

/// A folder for a journal in memory: thousands of them are synced.
pub fn journal_folder() -> TempDir {
    let memory = PathBuf::from("/dev/shm");
    let folder = if memory.is_dir() { memory } else { std::env::temp_dir() };
    tempfile::tempdir_in(folder).unwrap()
}

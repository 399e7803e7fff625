//! Debian's own archive, from the mirror that this machine is configured for.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::{Arc, OnceLock};
use std::time::SystemTime;

use kubexm_builder::cache::Cache;
use kubexm_builder::fetch::{Fetcher, Options, Unwatched};
use kubexm_builder::packages::deb::lookup::Lookup;
use kubexm_builder::packages::deb::packages::{Pool, StanzaId};
use kubexm_builder::packages::deb::source::Source;
use kubexm_builder::packages::deb::version::compare;
use kubexm_builder::packages::deb::{host, repository};

use crate::apt::{Apt, Verdict};
use crate::chance::Chance;
use crate::ours;

/// The archive of this machine's release: its packages, and its indexes as one text.
struct Archive {
    pool: Pool,
    text: String,
}

fn sources() -> Vec<Source> {
    let sources = host::sources(Path::new("/"), "bookworm").expect("this machine's apt configuration can be read");
    assert!(
        sources.iter().any(|source| source.suite == "bookworm"),
        "this machine has no mirror of Debian 12 in its apt configuration, which this test needs"
    );
    sources
}

fn archive() -> &'static Archive {
    static ARCHIVE: OnceLock<Archive> = OnceLock::new();
    ARCHIVE.get_or_init(|| {
        let folder = kubexm_tests::root().join("target/tmp/deb-cache");
        std::fs::create_dir_all(&folder).expect("a folder can be made");
        let fetcher =
            Fetcher::new(Cache::open(&folder.join("store")).unwrap(), Options::default(), Arc::new(Unwatched));
        let fetcher = fetcher.expect("fetching needs nothing");
        let runtime = tokio::runtime::Runtime::new().expect("threads can be started");
        let mut pool = Pool::default();
        let mut text = String::new();
        for source in sources() {
            let read = runtime.block_on(repository::read(&fetcher, &source, "amd64", SystemTime::now()));
            for index in read.unwrap_or_else(|error| panic!("{}: {error:?}", source.name())) {
                text.push_str(&index.text);
                text.push('\n');
                pool.add(index.text).expect("an index can be read");
            }
        }
        Archive { pool, text }
    })
}

/// A minimal system: what debootstrap installs of the variant minbase.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Minimal {
    /// As debootstrap leaves it: in the versions of the first suite.
    Fresh,
    /// After every update that there is.
    Updated,
}

fn minimal(pool: &Pool, state: Minimal) -> Vec<&str> {
    let list = kubexm_tests::text(&kubexm_tests::root().join("manifests/base/debian-12.txt"));
    let base = kubexm_builder::packages::deb::base::read(&list).expect("the list can be read");
    let names: BTreeSet<&str> = base.iter().map(|one| one.name.as_str()).collect();
    let mut found: BTreeMap<&str, StanzaId> = BTreeMap::new();
    for id in pool.ids().filter(|id| names.contains(pool.name(*id))) {
        let known = found.entry(pool.name(id)).or_insert(id);
        if state == Minimal::Updated && compare(pool.version(id), pool.version(*known)).is_gt() {
            *known = id;
        }
    }
    assert_eq!(found.len(), names.len(), "the base list names packages that Debian 12 does not have");
    found.into_values().map(|id| pool.stanza(id)).collect()
}

/// The judge and everything that is asked of it.
struct Court {
    apt: Apt,
    lookup: Lookup<'static>,
    installed: Vec<&'static str>,
}

impl Court {
    fn new(state: Minimal) -> Self {
        let archive = archive();
        let apt = Apt::new(&["amd64"]);
        let installed = minimal(&archive.pool, state);
        apt.set(&archive.text, &installed);
        apt.update();
        let lookup = Lookup::new(&archive.pool, apt.architectures());
        Self { apt, lookup, installed }
    }

    fn both(&self, names: &[String]) -> (Verdict, Verdict) {
        let ours = ours::asked(&archive().pool, &self.lookup, self.apt.architectures(), &self.installed, names);
        (self.apt.asked(names), ours)
    }
}

/// The packages of a node by default, and what load balancers and docker need.
const NODE: [&str; 14] = [
    "bash-completion",
    "chrony",
    "conntrack",
    "ebtables",
    "ipset",
    "iptables",
    "nfs-common",
    "open-iscsi",
    "socat",
    "keepalived",
    "haproxy",
    "nginx",
    "docker.io",
    "ipvsadm",
];

fn node_packages() -> Vec<String> {
    NODE.iter().map(|name| (*name).to_owned()).collect()
}

#[test]
fn the_packages_of_a_node_are_those_that_apt_would_fetch() {
    let (theirs, ours) = Court::new(Minimal::Updated).both(&node_packages());
    assert_eq!(theirs, ours);
    let Verdict::Installs(set) = ours else { panic!("{ours:?}") };
    println!("{} packages", set.len());
    assert!(set.len() > 80, "{set:?}");
}

#[test]
fn what_is_installed_is_upgraded_only_where_something_new_forces_it() {
    let court = Court::new(Minimal::Fresh);
    court.apt.leave_the_rest_alone();
    let (theirs, ours) = court.both(&node_packages());
    assert_eq!(theirs, ours);
}

#[test]
fn closures_of_a_hundred_packages_of_debian_are_those_of_apt() {
    let court = Court::new(Minimal::Updated);
    let pool = &archive().pool;
    let names: Vec<&str> = pool.ids().filter(|id| pool.text_number(*id) == 0).map(|id| pool.name(id)).collect();
    let mut chance = Chance::new(2026);
    let mut differ = Vec::new();
    let (mut sizes, mut refused) = (0, 0);
    for _ in 0..100 {
        let name = names[chance.below(names.len())].to_owned();
        let (theirs, ours) = court.both(std::slice::from_ref(&name));
        match (&theirs, &ours) {
            (Verdict::Installs(a), Verdict::Installs(b)) if a == b => sizes += a.len(),
            (Verdict::Refuses, Verdict::Refuses) => refused += 1,
            (Verdict::Installs(a), Verdict::Installs(b)) => {
                let only = |a: &BTreeSet<String>, b: &BTreeSet<String>| a.difference(b).cloned().collect::<Vec<_>>();
                differ.push(format!("{name}: only apt {:?}, only ours {:?}", only(a, b), only(b, a)));
            }
            _ => differ.push(format!("{name}: apt {theirs:?}, ours {ours:?}")),
        }
    }
    println!("{sizes} packages in all, {refused} refused by both");
    assert!(differ.is_empty(), "{} differ: {differ:#?}", differ.len());
    assert!(sizes > 1000, "the test would prove little: {sizes}");
}

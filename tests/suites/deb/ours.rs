//! Our verdict in the words of the judge.

use kubexm_builder::packages::deb::base::BasePackage;
use kubexm_builder::packages::deb::lookup::Lookup;
use kubexm_builder::packages::deb::packages::Pool;
use kubexm_builder::packages::deb::universe::{Target, build};
use kubexm_builder::packages::solve::solve_walking;

use crate::apt::Verdict;

/// The value of a field of a stanza.
pub fn field<'a>(stanza: &'a str, name: &str) -> &'a str {
    let line = stanza.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
    line.unwrap_or_else(|| panic!("{stanza} has no {name}"))
}

/// What we would install from an index on top of some stanzas.
pub fn asked(
    pool: &Pool,
    lookup: &Lookup<'_>,
    architectures: &[String],
    installed: &[&str],
    names: &[String],
) -> Verdict {
    let base: Vec<BasePackage> = installed
        .iter()
        .map(|stanza| BasePackage {
            name: field(stanza, "Package").to_owned(),
            version: field(stanza, "Version").to_owned(),
            architecture: Some(field(stanza, "Architecture").to_owned()),
        })
        .collect();
    let target = Target { pool, lookup, priorities: &[], architectures, base: &base, recommends: false };
    let world = build(&target, names);
    let Ok(plan) = solve_walking(&world.universe, &world.request) else { return Verdict::Refuses };
    let chosen = plan.new_packages().map(|(id, _)| {
        let stanza = world.stanza(id).expect("what is new comes from the index");
        let architecture = match pool.architecture(stanza) {
            "all" => &architectures[0],
            one => one,
        };
        format!("{}:{architecture}={}", pool.name(stanza), pool.version(stanza))
    });
    Verdict::Installs(chosen.collect())
}

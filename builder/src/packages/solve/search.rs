//! The complete search: an answer if there is one, the reason if there is none.

use std::collections::BTreeSet;

use resolvo::{Problem, Solver, UnsolvableOrCancelled};

use super::explain::{self, Refusal};
use super::provider::{Firm, Provider};
use super::{PackageId, Request, Rule, Universe, plan};

/// Packages that keep every rule.
pub(super) fn search(universe: &Universe, request: &Request) -> Result<BTreeSet<PackageId>, Refusal> {
    let mut firm = Firm::new();
    loop {
        let chosen = once(universe, request, &firm)?;
        let kept: BTreeSet<PackageId> = plan::with_reasons(universe, request, &chosen).chosen.into_keys().collect();
        let before = firm.len();
        firm.extend(forgotten(universe, &kept));
        // Each turn names a rule that no turn before named, so this ends.
        if firm.len() == before {
            return Ok(kept);
        }
    }
}

/// Conditional rules that an answer does not keep.
fn forgotten(universe: &Universe, chosen: &BTreeSet<PackageId>) -> Firm {
    let has = |group: &[PackageId]| group.iter().any(|one| chosen.contains(one));
    let broken = |rule: &Rule| match rule {
        Rule::Needs { any_of, when, .. } => when.iter().all(|group| has(group)) && !has(any_of),
        Rule::Excludes { .. } => false,
    };
    let rules = chosen.iter().flat_map(|id| universe.rules(*id).iter().enumerate().map(|(at, rule)| (*id, at, rule)));
    rules.filter(|(_, _, rule)| broken(rule)).map(|(id, at, _)| (id, at)).collect()
}

fn once(universe: &Universe, request: &Request, firm: &Firm) -> Result<BTreeSet<PackageId>, Refusal> {
    let mut provider = Provider::new(universe, firm);
    let roots = roots(request);
    let requirements: Vec<_> = roots.iter().map(|root| provider.requirement(&root.any_of)).collect();
    let problem = Problem::new().requirements(requirements.iter().map(|one| (*one).into()).collect());
    let mut solver = Solver::new(provider);
    match solver.solve(problem) {
        Ok(chosen) => Ok(chosen.into_iter().filter_map(|one| solver.provider().package(one)).collect()),
        Err(UnsolvableOrCancelled::Unsolvable(conflict)) => {
            let graph = conflict.graph(&solver);
            Err(explain::refusal(&graph, solver.provider(), &roots))
        }
        Err(UnsolvableOrCancelled::Cancelled(_)) => Err(Refusal { lines: vec!["the search was stopped".to_owned()] }),
    }
}

/// What must be in the answer, in the order in which it is decided: what is installed stays if it can.
pub(super) struct Root {
    pub(super) any_of: Vec<PackageId>,
    pub(super) words: String,
    pub(super) installed: bool,
}

fn roots(request: &Request) -> Vec<Root> {
    let installed = request.installed.iter().map(|one| Root {
        any_of: std::iter::once(one.package).chain(one.or.iter().copied()).collect(),
        words: String::new(),
        installed: true,
    });
    let wanted = request.wanted.iter().map(|one| Root {
        any_of: one.any_of.clone(),
        words: one.words.clone(),
        installed: false,
    });
    installed.chain(wanted).collect()
}

//! The complete search: an answer if there is one, the reason if there is none.

use std::collections::BTreeSet;

use resolvo::{Problem, Solver, UnsolvableOrCancelled};

use super::explain::{self, Refusal};
use super::provider::Provider;
use super::{PackageId, Request, Universe};

/// Packages that keep every rule.
pub(super) fn search(universe: &Universe, request: &Request) -> Result<BTreeSet<PackageId>, Refusal> {
    let mut provider = Provider::new(universe);
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

//! What the solver sees, whatever the package family: packages in slots, and rules between them.
//!
//! A family translates its dependency language into explicit sets of packages, so that the solver knows nothing of
//! version grammars. One package at most is chosen from each slot (`name` for rpm, `name:architecture` for deb).

/// From a conflict to sentences.
pub mod explain;
/// The answer: what is chosen, and why.
pub mod plan;
/// What the search engine sees of a universe.
mod provider;
/// The complete search.
mod search;
/// Packages and rules.
pub mod universe;
/// The first try.
mod walk;

pub use explain::Refusal;
pub use plan::{Plan, Reason};
pub use universe::{PackageId, Rule, Universe};

/// What the answer must contain.
#[derive(Debug, Default)]
pub struct Request {
    /// What the node has already; none of it goes away.
    pub installed: Vec<Installed>,
    /// What is asked for, in the order in which it was asked.
    pub wanted: Vec<Wanted>,
}

/// A package that the node has.
#[derive(Debug)]
pub struct Installed {
    /// The package as it stands on the node. It is kept unless a rule forces one of `or`.
    pub package: PackageId,
    /// What may take its place, the preferred one first. Nothing older belongs here, so that nothing is downgraded.
    pub or: Vec<PackageId>,
}

/// One thing that is asked for.
#[derive(Debug)]
pub struct Wanted {
    /// The candidates, the preferred one first. Empty: there is nothing of that name, and the request is refused.
    pub any_of: Vec<PackageId>,
    /// The request as it was written: `keepalived`, `libc6 (= 2.36)`.
    pub words: String,
}

/// Chooses packages so that every rule is kept: the installed ones where that is possible, the preferred ones elsewhere.
pub fn solve(universe: &Universe, request: &Request) -> Result<Plan, Refusal> {
    everything_is_offered(request)?;
    let chosen = search::search(universe, request)?;
    Ok(plan::with_reasons(universe, request, &chosen))
}

/// The same, but the first answer of a plain walk counts if it keeps every rule: what apt would come to.
pub fn solve_walking(universe: &Universe, request: &Request) -> Result<Plan, Refusal> {
    match walk::walk(universe, request) {
        Some(chosen) => Ok(plan::with_every_answer(universe, request, &chosen)),
        None => solve(universe, request),
    }
}

/// Names that nothing offers are said all at once: no search would name more than one of them.
fn everything_is_offered(request: &Request) -> Result<(), Refusal> {
    let absent = request.wanted.iter().filter(|wanted| wanted.any_of.is_empty());
    let lines: Vec<String> = absent.map(|wanted| format!("{} is wanted, which nothing offers", wanted.words)).collect();
    if lines.is_empty() { Ok(()) } else { Err(Refusal { lines }) }
}

#[cfg(test)]
mod tests;

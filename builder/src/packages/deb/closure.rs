//! The whole way: repositories, a node's packages and some names become the packages to fetch, each with its reason.

use std::time::SystemTime;

use futures::future::try_join_all;
use kubexm_model::digest::Digest;

use super::base::BasePackage;
use super::lookup::Lookup;
use super::packages::{PackagesError, Pool, StanzaId};
use super::repository::{self, RepositoryError};
use super::source::Source;
use super::universe::{Target, World, build};
use crate::fetch::Fetcher;
use crate::packages::solve::{PackageId, Reason, Refusal, solve_walking};

/// Why there is no closure.
#[derive(Debug, thiserror::Error)]
pub enum ClosureError {
    /// A repository cannot be used.
    #[error("the repository {name} cannot be used")]
    Repository {
        /// Its line.
        name: String,
        /// Why.
        #[source]
        source: Box<RepositoryError>,
    },
    /// There are no repositories.
    #[error("there is no repository to take packages from")]
    NoRepository,
    /// Together the indexes are too large, or one of them is broken.
    #[error("the indexes of {name} cannot be read")]
    Index {
        /// Its line.
        name: String,
        /// Why.
        #[source]
        source: PackagesError,
    },
    /// No set of packages keeps every rule.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// A package that is needed says too little about itself.
    #[error("{name} cannot be fetched: its entry in the index of {repository} has no usable {field}")]
    Incomplete {
        /// The package.
        name: String,
        /// The repository's line.
        repository: String,
        /// The field.
        field: &'static str,
    },
}

/// What is asked.
#[derive(Debug)]
pub struct Question {
    /// The repositories; of one version in several the first counts.
    pub sources: Vec<Source>,
    /// Debian's name of the node's architecture.
    pub architecture: String,
    /// What the node has.
    pub base: Vec<BasePackage>,
    /// The names: `name`, or `name=version`.
    pub wanted: Vec<String>,
    /// The time that signatures are judged at.
    pub now: SystemTime,
}

/// A package that has to be fetched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chosen {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Its architecture, or `all`.
    pub architecture: String,
    /// Where it is.
    pub address: String,
    /// Its size.
    pub size: u64,
    /// Its digest.
    pub digest: Digest,
    /// Its entry in the index, word for word.
    pub stanza: String,
    /// Why it is there.
    pub reason: Why,
}

/// Why a package is in a closure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Why {
    /// It was asked for, in these words.
    Wanted(String),
    /// Another one needs it.
    Needed {
        /// The name of that one.
        by: String,
        /// The dependency as it is written there.
        words: String,
    },
    /// The node has an older one, and a rule forces this one.
    Replaces {
        /// The version that the node has.
        version: String,
    },
}

/// Everything that has to be fetched for what is asked, sorted by name.
pub async fn closure(fetcher: &Fetcher, question: Question) -> Result<Vec<Chosen>, ClosureError> {
    let (pool, archive) = read_all(fetcher, &question).await?;
    let solved = tokio::task::spawn_blocking(move || solve(&pool, &archive, &question)).await;
    solved.unwrap_or_else(|error| Err(Refusal { lines: vec![error.to_string()] }.into()))
}

/// Which repository each text of the pool is from, and how much it is preferred.
#[derive(Debug, Default)]
struct Archive {
    sources: Vec<usize>,
    priorities: Vec<u16>,
}

async fn read_all(fetcher: &Fetcher, question: &Question) -> Result<(Pool, Archive), ClosureError> {
    if question.sources.is_empty() {
        return Err(ClosureError::NoRepository);
    }
    let read = question.sources.iter().map(async |source| {
        let indexes = repository::read(fetcher, source, &question.architecture, question.now).await;
        indexes.map_err(|error| ClosureError::Repository { name: source.name(), source: Box::new(error) })
    });
    let (mut pool, mut archive) = (Pool::default(), Archive::default());
    for (number, indexes) in try_join_all(read).await?.into_iter().enumerate() {
        for index in indexes {
            let added = pool.add(index.text);
            added.map_err(|source| ClosureError::Index { name: question.sources[number].name(), source })?;
            archive.sources.push(number);
            archive.priorities.push(index.priority);
        }
    }
    Ok((pool, archive))
}

fn solve(pool: &Pool, archive: &Archive, question: &Question) -> Result<Vec<Chosen>, ClosureError> {
    let architectures = std::slice::from_ref(&question.architecture);
    let target = Target {
        pool,
        lookup: &Lookup::new(pool, architectures),
        priorities: &archive.priorities,
        architectures,
        base: &question.base,
        recommends: false,
    };
    let world = build(&target, &question.wanted);
    let plan = solve_walking(&world.universe, &world.request)?;
    let mut chosen = Vec::new();
    for (id, reason) in &plan.chosen {
        // What is asked for by name is fetched even if the base has it: the base is a guess about a node.
        let asked = world.request.wanted.iter().find(|wanted| wanted.any_of.contains(id));
        let why = match (reason, asked) {
            (Reason::Installed, None) => continue,
            (_, Some(wanted)) => Why::Wanted(wanted.words.clone()),
            (reason, None) => why(&world, pool, reason),
        };
        if let Some(stanza) = world.stanza(*id) {
            chosen.push(describe(pool, archive, question, stanza, why)?);
        }
    }
    chosen.sort_by(|a, b| (&a.name, &a.architecture).cmp(&(&b.name, &b.architecture)));
    Ok(chosen)
}

fn why(world: &World, pool: &Pool, reason: &Reason) -> Why {
    let name = |id: PackageId| world.stanza(id).map_or_else(|| world.universe.slot(id), |stanza| pool.name(stanza));
    match reason {
        Reason::Wanted { words } => Why::Wanted(words.clone()),
        Reason::Needed { by, words } => Why::Needed { by: name(*by).to_owned(), words: words.clone() },
        Reason::Replaces { older } => Why::Replaces { version: world.universe.version(*older).to_owned() },
        Reason::Installed => Why::Wanted(String::new()),
    }
}

fn describe(
    pool: &Pool,
    archive: &Archive,
    question: &Question,
    stanza: StanzaId,
    reason: Why,
) -> Result<Chosen, ClosureError> {
    let source = &question.sources[archive.sources[pool.text_number(stanza) as usize]];
    let missing =
        |field| ClosureError::Incomplete { name: pool.name(stanza).to_owned(), repository: source.name(), field };
    let field = |name| pool.plain_field(stanza, name);
    let path = field("Filename").filter(|path| stays_inside(path)).ok_or_else(|| missing("Filename"))?;
    let size = field("Size").and_then(|size| size.parse().ok()).ok_or_else(|| missing("Size"))?;
    let digest = field("SHA256").and_then(|hex| Digest::from_hex(hex).ok()).ok_or_else(|| missing("SHA256"))?;
    Ok(Chosen {
        name: pool.name(stanza).to_owned(),
        version: pool.version(stanza).to_owned(),
        architecture: pool.architecture(stanza).to_owned(),
        address: format!("{}/{}", source.address.trim_end_matches('/'), path.trim_start_matches("./")),
        size,
        digest,
        stanza: pool.stanza(stanza).to_owned(),
        reason,
    })
}

fn stays_inside(path: &str) -> bool {
    !path.is_empty() && !path.starts_with('/') && !path.contains("://") && path.split('/').all(|part| part != "..")
}

//! Packages of Enterprise Linux, openEuler and their kin: from repositories and names to everything that a node lacks.
//!
//! ```text
//! Source ── repository ──► repomd, primary, modules, filelists ──► Index ── universe ──► solve ──► Closure
//! ```

/// The order of versions.
pub mod version;

/// Checksums of files.
pub mod checksum;

/// Metadata as a stream of elements.
pub mod xml;

/// The list of a repository's files.
pub mod repomd;

/// One repository: who vouches for it, and its files.
pub mod repository;

/// Every package of all repositories.
pub mod index;

/// The packages of a repository.
pub mod primary;

/// What is kept of a package's entry.
mod stanza;

/// Who owns which file.
pub mod filelists;

/// Streams of packages.
pub mod modules;

/// What a node has already.
pub mod base;

/// What a person may ask for.
pub mod wanted;

/// Rich dependencies.
pub mod rich;

/// Which of several packages is taken first.
pub mod prefer;

/// What the solver sees.
pub mod universe;

/// The file of a package.
pub mod file;

use std::collections::BTreeMap;
use std::fmt;

use self::base::BasePackage;
use self::checksum::Checksum;
use self::index::{Index, Number};
use self::modules::{Modules, ModulesError};
use self::repository::{Fetched, Proof, Repository, RepositoryError, Source};
use self::universe::{Asked, Reach, Translated};
use crate::fetch::Fetcher;
use crate::packages::solve::{self, PackageId, Reason, Refusal};

/// What is asked for.
#[derive(Debug, Clone, Default)]
pub struct Request {
    /// Where packages come from.
    pub sources: Vec<Source>,
    /// rpm's name of the architecture: `x86_64`, `aarch64`.
    pub arch: String,
    /// The release of the distribution, for `$releasever`: `9`.
    pub release: String,
    /// The platform that module streams are made for: `el9`.
    pub platform: Option<String>,
    /// Streams that are not the default: `module:stream`.
    pub streams: Vec<String>,
    /// What the node has.
    pub base: Vec<BasePackage>,
    /// What it shall have: names, capabilities, paths.
    pub wanted: Vec<String>,
}

/// A package that the node lacks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Needed {
    /// Its name.
    pub name: String,
    /// `epoch:version-release`, without an epoch of 0.
    pub evr: String,
    /// Its architecture.
    pub arch: String,
    /// The repository it comes from.
    pub repository: String,
    /// The address of its file.
    pub address: String,
    /// The size of its file.
    pub size: u64,
    /// The checksum of its file.
    pub checksum: Checksum,
    /// Who vouches for it.
    pub proof: Proof,
    /// Why it is needed.
    pub reason: Why,
    /// Its entry in the repository's list of packages: the element `package`, with every file in it that others ask for.
    pub stanza: String,
}

/// Why a package is needed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Why {
    /// Somebody asked for it with these words.
    Wanted(String),
    /// Another package needs it.
    Needed {
        /// That package: name, version and architecture.
        by: String,
        /// What it needs.
        words: String,
    },
    /// Something that the node has must make way.
    Replaces {
        /// What the node has.
        older: String,
    },
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Wanted(words) => write!(f, "wanted as {words}"),
            Self::Needed { by, words } => write!(f, "{by} needs {words}"),
            Self::Replaces { older } => write!(f, "takes the place of {older}"),
        }
    }
}

impl Needed {
    /// Name, version and architecture: how it is named to people.
    pub fn nevra(&self) -> String {
        format!("{}-{}.{}", self.name, self.evr, self.arch)
    }
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum RpmError {
    /// A repository cannot be used.
    #[error("the packages of a repository cannot be read")]
    Repository(#[from] RepositoryError),
    /// The modules of a repository cannot be used.
    #[error("the modules of repository {repository} cannot be used")]
    Modules {
        /// Which repository; "all" where streams are chosen.
        repository: String,
        /// Why.
        source: ModulesError,
    },
    /// The packages cannot be had together.
    #[error("the packages cannot be installed together:\n{}", .0.lines.join("\n"))]
    Refused(Refusal),
    /// Work that was given to a thread did not end.
    #[error("reading was stopped")]
    Stopped(#[from] tokio::task::JoinError),
}

/// Finds everything that a node lacks, by name.
pub async fn resolve(fetcher: &Fetcher, request: &Request) -> Result<Vec<Needed>, RpmError> {
    let mut repositories = Vec::new();
    for source in &request.sources {
        repositories.push(
            Repository::open(fetcher, source, plain_address(&source.address, &request.arch, &request.release)).await?,
        );
    }
    let (mut index, modules, lists) = read(fetcher, &repositories).await?;
    let seen = modules
        .choose(&request.streams, &request.arch, request.platform.as_deref())
        .map_err(|source| RpmError::Modules { repository: "all".to_owned(), source })?;
    let installed = base::place(&request.base, &mut index);
    let fits = |index: &Index, number: Number| {
        let arch = index.words(index.package(number).arch);
        installed.contains(&number) || ((arch == request.arch || arch == "noarch") && seen.shows(index, number))
    };
    index.arrange(fits);
    let priorities: Vec<u32> = request.sources.iter().map(|source| source.priority).collect();
    let asked = Asked { wanted: &request.wanted, installed: &installed, priorities: &priorities };
    if Reach::new(&index, asked).hidden_paths() {
        add_files(fetcher, &repositories, &request.wanted, &mut index).await?;
    }
    let translated = Reach::new(&index, asked).translate();
    let plan = solve::solve(&translated.universe, &translated.request).map_err(RpmError::Refused)?;
    let entries =
        entries(&index, &repositories, lists, plan.new_packages().map(|(id, _)| translated.numbers[id.index()]));
    let mut entries = entries.await?;
    let mut needed: Vec<Needed> = plan
        .new_packages()
        .filter_map(|(id, reason)| describe(&index, &repositories, &translated, id, reason))
        .collect();
    for one in &mut needed {
        one.stanza = entries.remove(&one.address).unwrap_or_default();
    }
    needed.sort_by(|left, right| (&left.name, &left.arch).cmp(&(&right.name, &right.arch)));
    Ok(needed)
}

/// An address without variables, with a slash at the end.
pub fn plain_address(address: &str, arch: &str, release: &str) -> String {
    let plain = address.replace("$basearch", arch).replace("$releasever", release);
    if plain.ends_with('/') { plain } else { plain + "/" }
}

/// The packages and the modules of all repositories, and the lists that the packages stand in.
async fn read(fetcher: &Fetcher, repositories: &[Repository]) -> Result<(Index, Modules, Vec<Fetched>), RpmError> {
    let (mut index, mut modules, mut lists) = (Index::default(), Modules::default(), Vec::new());
    for (number, repository) in (0_u16..).zip(repositories) {
        let primary = repository.fetch(fetcher, "primary").await?.ok_or_else(|| RepositoryError::Missing {
            repository: repository.name.clone(),
            file: "primary".to_owned(),
        })?;
        lists.push(primary.clone());
        let (filled, outcome) = tokio::task::spawn_blocking(move || {
            let outcome = primary
                .unpacked()
                .map_err(|error| unpacking(&error))
                .and_then(|input| primary::read(input, number, &mut index));
            (index, outcome)
        })
        .await?;
        outcome.map_err(|source| repository.unreadable("primary", source))?;
        index = filled;
        if let Some(listed) = repository.fetch(fetcher, "modules").await? {
            let outcome = listed.unpacked().map_err(ModulesError::from).and_then(|input| modules.read(input));
            outcome.map_err(|source| RpmError::Modules { repository: repository.name.clone(), source })?;
        }
    }
    Ok((index, modules, lists))
}

/// The owners of files that packages ask for and that primary metadata does not list.
async fn add_files(
    fetcher: &Fetcher,
    repositories: &[Repository],
    wanted: &[String],
    index: &mut Index,
) -> Result<(), RpmError> {
    let paths = universe::paths(index, wanted);
    for (number, repository) in (0_u16..).zip(repositories) {
        let Some(listed) = repository.fetch(fetcher, "filelists").await? else { continue };
        let outcome = listed
            .unpacked()
            .map_err(|error| unpacking(&error))
            .and_then(|input| filelists::read(input, number, &paths, index));
        outcome.map_err(|source| repository.unreadable("filelists", source))?;
    }
    Ok(())
}

/// The entries of some packages in the lists of their repositories, by the address of their files.
async fn entries(
    index: &Index,
    repositories: &[Repository],
    lists: Vec<Fetched>,
    numbers: impl Iterator<Item = Number>,
) -> Result<BTreeMap<String, String>, RpmError> {
    let mut wanted: Vec<BTreeMap<String, Vec<String>>> = vec![BTreeMap::new(); lists.len()];
    for number in numbers {
        let package = index.package(number);
        if let (Some(file), Some(wanted)) = (&package.file, wanted.get_mut(usize::from(package.repository))) {
            wanted.insert(index.words(file.location).to_owned(), index.files_beyond_primary(number));
        }
    }
    let mut found = BTreeMap::new();
    for ((repository, list), files) in repositories.iter().zip(lists).zip(wanted).filter(|(_, files)| !files.is_empty())
    {
        let read =
            move || list.unpacked().map_err(|error| unpacking(&error)).and_then(|input| stanza::read(input, &files));
        let entries =
            tokio::task::spawn_blocking(read).await?.map_err(|source| repository.unreadable("primary", source))?;
        found.extend(entries.into_iter().map(|(location, text)| (format!("{}{location}", repository.address), text)));
    }
    Ok(found)
}

fn unpacking(error: &std::io::Error) -> xml::XmlError {
    xml::XmlError::Broken { at: 0, reason: error.to_string() }
}

/// `None` for a package without a file, which only the node can have.
fn describe(
    index: &Index,
    repositories: &[Repository],
    translated: &Translated,
    id: PackageId,
    reason: &Reason,
) -> Option<Needed> {
    let package = index.package(translated.numbers[id.index()]);
    let file = package.file.as_ref()?;
    let repository = repositories.get(usize::from(package.repository))?;
    let name = |id: PackageId| index.nevra(translated.numbers[id.index()]);
    Some(Needed {
        name: index.words(package.name).to_owned(),
        evr: index.words(package.evr).to_owned(),
        arch: index.words(package.arch).to_owned(),
        repository: repository.name.clone(),
        address: format!("{}{}", repository.address, index.words(file.location)),
        size: file.size,
        checksum: file.checksum.clone(),
        proof: repository.proof.clone(),
        reason: match reason {
            // A package of the node is not new.
            Reason::Installed => return None,
            Reason::Replaces { older } => Why::Replaces { older: name(*older) },
            Reason::Wanted { words } => Why::Wanted(words.clone()),
            Reason::Needed { by, words } => Why::Needed { by: name(*by), words: words.clone() },
        },
        stanza: String::new(),
    })
}

//! Our own answer to a case.

use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use kubexm_builder::cache::Cache;
use kubexm_builder::fetch::{Fetcher, Options, Unwatched};
use kubexm_builder::packages::rpm::base::BasePackage;
use kubexm_builder::packages::rpm::repository::Source;
use kubexm_builder::packages::rpm::{Needed, Request, RpmError, resolve};

use super::cases::{Answer, Case};

/// Runs the resolver. All cases share a fetcher: to make one takes longer than to answer.
pub fn run(request: &Request) -> Result<Vec<Needed>, RpmError> {
    static FETCHER: OnceLock<(tempfile::TempDir, Fetcher)> = OnceLock::new();
    let (_, fetcher) = FETCHER.get_or_init(|| {
        let folder = tempfile::tempdir().expect("a folder");
        let cache = Cache::open(&folder.path().join("cache")).expect("a cache");
        let options = Options { retries: 0, ..Options::default() };
        (folder, Fetcher::new(cache, options, Arc::new(Unwatched)).expect("a fetcher"))
    });
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(resolve(fetcher, request))
}

/// A source without keys.
pub fn source(name: &str, address: &str, priority: u32) -> Source {
    Source { name: name.to_owned(), address: address.to_owned(), keys: None, signed_metadata: false, priority }
}

/// The request of a case.
pub fn request(case: &Case, paths: &[PathBuf]) -> Request {
    let sources = paths.iter().zip(&case.repositories).enumerate();
    let sources = sources
        .map(|(number, (path, (_, priority)))| {
            source(&format!("r{number}"), &format!("file://{}", path.display()), *priority)
        })
        .collect();
    let base = case.installed.iter().map(|made| BasePackage {
        name: made.name.clone(),
        evr: made.evr.clone(),
        arch: made.arch.clone(),
    });
    Request {
        sources,
        arch: "x86_64".to_owned(),
        release: "9".to_owned(),
        platform: Some("el9".to_owned()),
        streams: case.streams.clone(),
        base: base.collect(),
        wanted: case.wanted.clone(),
    }
}

/// Our answer, and our words where there is none.
pub fn answer(case: &Case, paths: &[PathBuf]) -> (Answer, String) {
    match run(&request(case, paths)) {
        Ok(needed) => {
            (Some(needed.iter().map(|one| format!("{}-{}.{}", one.name, one.evr, one.arch)).collect()), String::new())
        }
        Err(RpmError::Refused(refusal)) => (None, refusal.lines.join(" / ")),
        Err(error) => panic!("{error}: {:?}", std::error::Error::source(&error)),
    }
}

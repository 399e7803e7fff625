//! Repositories that somebody changed, let grow old, or signed with another key: each is refused by name.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::TcpListener;
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use kubexm_builder::cache::Cache;
use kubexm_builder::fetch::{Expected, Fetcher, Options, Unwatched};
use kubexm_builder::packages::deb::closure::{Chosen, ClosureError, Question, closure};
use kubexm_builder::packages::deb::source::Source;
use kubexm_builder::packages::signature::Keyring;
use kubexm_model::digest::Digest;

const DEB: &[u8] = b"the bytes of a package";

/// Keys that are made for this test, in a folder of gpg.
pub struct Keys {
    folder: tempfile::TempDir,
}

impl Keys {
    pub fn new() -> Self {
        let keys = Self { folder: tempfile::tempdir().expect("a folder can be made") };
        for name in ["archive", "stranger"] {
            keys.gpg(&["--quick-gen-key", name, "ed25519", "sign", "never"], b"");
        }
        keys.gpg(&["--faked-system-time", "20200101T000000", "--quick-gen-key", "past", "ed25519", "sign", "1d"], b"");
        keys
    }

    pub fn gpg(&self, words: &[&str], input: &[u8]) -> Vec<u8> {
        let mut child = Command::new("gpg")
            .args(["--batch", "--quiet", "--no-tty", "--pinentry-mode", "loopback", "--passphrase", ""])
            .arg("--homedir")
            .arg(self.folder.path())
            .args(words)
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped())
            .spawn()
            .expect("gpg is here: it signs for this test");
        child.stdin.take().expect("a pipe").write_all(input).expect("gpg reads");
        let output = child.wait_with_output().expect("gpg ends");
        assert!(output.status.success(), "gpg {words:?}: {}", String::from_utf8_lossy(&output.stderr));
        output.stdout
    }

    fn ring(&self, name: &str) -> Keyring {
        Keyring::read(&self.gpg(&["--armor", "--export", name], b"")).expect("gpg's keys can be read")
    }
}

impl Drop for Keys {
    fn drop(&mut self) {
        // gpg leaves a process behind that keeps its keys.
        let _ = Command::new("gpgconf").arg("--homedir").arg(self.folder.path()).args(["--kill", "all"]).status();
    }
}

/// A repository on the loopback: its files by path.
pub struct Repository {
    files: Arc<Mutex<BTreeMap<String, Vec<u8>>>>,
    asked: Arc<Mutex<Vec<String>>>,
    pub address: String,
}

impl Repository {
    pub fn serve() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port is free");
        let address = format!("http://{}", listener.local_addr().expect("it has an address"));
        let files: Arc<Mutex<BTreeMap<String, Vec<u8>>>> = Arc::default();
        let asked: Arc<Mutex<Vec<String>>> = Arc::default();
        let (served, noted) = (files.clone(), asked.clone());
        std::thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                let mut request = vec![0; 8192];
                let length = stream.read(&mut request).unwrap_or(0);
                let text = String::from_utf8_lossy(&request[..length]).into_owned();
                let path = text.split(' ').nth(1).unwrap_or_default().to_owned();
                let found = served.lock().unwrap().get(&path).cloned();
                noted.lock().unwrap().push(path);
                let (status, body) = found.map_or(("404 Not Found", vec![]), |body| ("200 OK", body));
                let head = format!("HTTP/1.1 {status}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n", body.len());
                let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(&body));
            }
        });
        Self { files, asked, address }
    }

    pub fn put(&self, path: &str, bytes: &[u8]) {
        self.files.lock().unwrap().insert(path.to_owned(), bytes.to_vec());
    }

    fn change(&self, path: &str, from: &str, to: &str) {
        let mut files = self.files.lock().unwrap();
        let text = String::from_utf8(files[path].clone()).expect("text");
        assert!(text.contains(from), "{path} has no {from}");
        files.insert(path.to_owned(), text.replace(from, to).into_bytes());
    }

    /// Fills it: one package, its index, and a Release file that one key signs.
    fn fill(&self, keys: &Keys, key: &str, release: impl Fn(String) -> String) {
        let index = index();
        let digest = Digest::of(index.as_bytes()).hex();
        let text = release(format!(
            "Suite: stable\nCodename: made\nDate: {}\nAcquire-By-Hash: yes\nArchitectures: amd64\nComponents: main\nSHA256:\n {digest} {} main/binary-amd64/Packages\n",
            httpdate(SystemTime::now()),
            index.len()
        ));
        let mut words = vec!["--local-user", key, "--clearsign"];
        if key == "weak" {
            words = vec!["--local-user", "archive", "--digest-algo", "SHA1", "--clearsign"];
        }
        if key == "past" {
            words.splice(0..0, ["--faked-system-time", "20200101T000100"]);
        }
        self.put("/dists/made/InRelease", &keys.gpg(&words, text.as_bytes()));
        self.put(&format!("/dists/made/main/binary-amd64/by-hash/SHA256/{digest}"), index.as_bytes());
        self.put("/pool/one.deb", DEB);
    }

    fn source(&self, keys: Keyring) -> Source {
        Source {
            address: self.address.clone(),
            mirror: None,
            suite: "made".to_owned(),
            components: vec!["main".to_owned()],
            keys,
        }
    }
}

fn index() -> String {
    let digest = Digest::of(DEB).hex();
    format!(
        "Package: one\nVersion: 1\nArchitecture: amd64\nFilename: pool/one.deb\nSize: {}\nSHA256: {digest}\n",
        DEB.len()
    )
}

pub fn httpdate(time: SystemTime) -> String {
    let output = Command::new("date")
        .args(["-u", "-R", "-d"])
        .arg(format!("@{}", time.duration_since(SystemTime::UNIX_EPOCH).unwrap().as_secs()))
        .output();
    String::from_utf8(output.expect("date is here").stdout).expect("text").trim().to_owned()
}

fn fetcher(folder: &Path) -> Fetcher {
    let options = Options { retries: 0, ..Options::default() };
    Fetcher::new(Cache::open(folder).expect("a store"), options, Arc::new(Unwatched)).expect("nothing is needed")
}

fn ask(fetcher: &Fetcher, source: Source) -> Result<Vec<Chosen>, ClosureError> {
    let question = Question {
        sources: vec![source],
        architecture: "amd64".to_owned(),
        base: vec![],
        wanted: vec!["one".to_owned()],
        now: SystemTime::now(),
    };
    tokio::runtime::Runtime::new().expect("threads").block_on(closure(fetcher, question))
}

/// Every sentence of an error, joined as the command line prints them.
fn words(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(error) = next {
        text = format!("{text}: {error}");
        next = error.source();
    }
    text
}

/// What is wrong, whose signatures count, how the repository is made, and what the refusal must say.
type Case<'a> = (&'static str, Keyring, Box<dyn Fn(&Repository) + 'a>, &'static [&'static str]);

#[test]
fn a_repository_is_refused_by_name_when_anything_is_wrong_with_it() {
    let keys = Keys::new();
    let folder = tempfile::tempdir().expect("a folder can be made");
    let (archive, past) = (keys.ring("archive"), keys.ring("past"));
    let old = httpdate(SystemTime::now() - Duration::from_hours(1));
    let cases: Vec<Case<'_>> = vec![
        ("sound", archive.clone(), Box::new(|r| r.fill(&keys, "archive", |text| text)), &[]),
        (
            "tampered",
            archive.clone(),
            Box::new(|r| {
                r.fill(&keys, "archive", |text| text);
                r.change("/dists/made/InRelease", "Suite: stable", "Suite: changed");
            }),
            &["InRelease must not be trusted", "does not fit the content"],
        ),
        (
            "something added",
            archive.clone(),
            Box::new(|r| {
                r.fill(&keys, "archive", |text| text);
                r.change("/dists/made/InRelease", "-----BEGIN PGP SIGNED", "Suite: mine\n-----BEGIN PGP SIGNED");
            }),
            &["InRelease is not one signed text"],
        ),
        (
            "expired",
            archive.clone(),
            Box::new(|r| r.fill(&keys, "archive", |text| format!("Valid-Until: {old}\n{text}"))),
            &["Release file cannot be used", "it was valid until"],
        ),
        (
            "another key",
            archive.clone(),
            Box::new(|r| r.fill(&keys, "stranger", |text| text)),
            &["InRelease must not be trusted", "none of the given keys"],
        ),
        (
            "an expired key",
            past,
            Box::new(|r| r.fill(&keys, "past", |text| text)),
            &["InRelease must not be trusted", "the key has expired"],
        ),
        (
            "a weak hash",
            archive.clone(),
            Box::new(|r| r.fill(&keys, "weak", |text| text)),
            &["InRelease must not be trusted", "uses SHA1, which is too weak"],
        ),
        (
            "another suite",
            archive.clone(),
            Box::new(|r| r.fill(&keys, "archive", |text| text.replace("Codename: made", "Codename: other"))),
            &["it describes other and stable, but made was asked for"],
        ),
        (
            "a missing by-hash file",
            archive.clone(),
            Box::new(|r| {
                r.fill(&keys, "archive", |text| text);
                r.files.lock().unwrap().retain(|path, _| !path.contains("by-hash"));
            }),
            &["its index main/binary-amd64/Packages cannot be fetched", "by-hash/SHA256/", "404"],
        ),
        (
            "an index that is not listed",
            archive.clone(),
            Box::new(|r| r.fill(&keys, "archive", |text| text.replace("main/binary-amd64", "main/binary-arm64"))),
            &["lists no main/binary-amd64/Packages"],
        ),
        (
            "an index with another digest",
            archive.clone(),
            Box::new(|r| {
                r.fill(&keys, "archive", |text| text);
                let path =
                    format!("/dists/made/main/binary-amd64/by-hash/SHA256/{}", Digest::of(index().as_bytes()).hex());
                r.change(&path, "Version: 1", "Version: 2");
            }),
            &["its index main/binary-amd64/Packages cannot be fetched", "its digest is"],
        ),
    ];
    for (number, (name, ring, prepare, expected)) in cases.into_iter().enumerate() {
        let repository = Repository::serve();
        prepare(&repository);
        let outcome = ask(&fetcher(&folder.path().join(number.to_string())), repository.source(ring));
        match outcome {
            Ok(chosen) => {
                assert!(expected.is_empty(), "{name} is not refused");
                assert_eq!(chosen.len(), 1, "{name}");
            }
            Err(error) => {
                let text = words(&error);
                println!("{name}: {text}");
                assert!(text.contains(&format!("{} made main", repository.address)), "{name}: {text}");
                assert!(!expected.is_empty() && expected.iter().all(|one| text.contains(one)), "{name}: {text}");
            }
        }
    }
}

#[test]
fn a_package_with_another_digest_is_refused_and_nothing_is_fetched_twice() {
    let keys = Keys::new();
    let folder = tempfile::tempdir().expect("a folder can be made");
    let repository = Repository::serve();
    repository.fill(&keys, "archive", |text| text);
    let fetcher = fetcher(&folder.path().join("store"));
    let chosen = ask(&fetcher, repository.source(keys.ring("archive"))).expect("it is sound").remove(0);
    assert_eq!((chosen.digest, chosen.size), (Digest::of(DEB), DEB.len() as u64));
    ask(&fetcher, repository.source(keys.ring("archive"))).expect("it still is");
    let asked = repository.asked.lock().unwrap().clone();
    assert_eq!(asked.iter().filter(|path| path.contains("by-hash")).count(), 1, "{asked:?}");
    assert_eq!(asked.iter().filter(|path| path.ends_with("InRelease")).count(), 2, "{asked:?}");
    repository.put("/pool/one.deb", b"other bytes, same length");
    let expected = Expected { digest: Some(chosen.digest), size: None };
    let fetched =
        tokio::runtime::Runtime::new().expect("threads").block_on(fetcher.file("one", &chosen.address, expected));
    let text = words(&fetched.expect_err("other bytes"));
    assert!(text.contains("/pool/one.deb is not what it should be: its digest is"), "{text}");
}

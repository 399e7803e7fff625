//! Fetching from servers that misbehave: whatever they do, a blob in the store is what its name says.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use kubexm_builder::cache::Cache;
use kubexm_builder::fetch::{Expected, FetchError, Fetcher, Options, Unwatched};
use kubexm_model::digest::Digest;

fn noise(length: usize) -> Vec<u8> {
    kubexm_tests::noise(length, 7)
}

/// What a client asked for.
#[derive(Debug, Clone)]
struct Request {
    path: String,
    range: Option<u64>,
    if_range: Option<String>,
    /// How many requests came before it.
    number: usize,
}

/// What the server answers.
#[derive(Clone)]
struct Answer {
    status: u16,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
    /// Ends the connection after so many bytes of the body.
    cut: Option<usize>,
}

impl Answer {
    fn new(status: u16, body: &[u8]) -> Self {
        Self { status, headers: vec![], body: body.to_vec(), cut: None }
    }
    fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }
    fn cut(mut self, after: usize) -> Self {
        self.cut = Some(after);
        self
    }
    /// A part of a file, as a good server sends it.
    fn part(whole: &[u8], from: u64) -> Self {
        let start = usize::try_from(from).unwrap();
        Self::new(206, &whole[start..])
            .header("Content-Range", &format!("bytes {start}-{}/{}", whole.len() - 1, whole.len()))
    }
}

/// A server on the loopback that answers as a test wants, one connection a request.
struct Server {
    address: String,
    seen: Arc<Mutex<Vec<Request>>>,
}

impl Server {
    fn start(answer: impl Fn(&Request) -> Answer + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let seen: Arc<Mutex<Vec<Request>>> = Arc::default();
        let (log, answer) = (seen.clone(), Arc::new(answer));
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let (log, answer) = (log.clone(), answer.clone());
                std::thread::spawn(move || serve(&stream.unwrap(), &log, &*answer));
            }
        });
        Self { address, seen }
    }

    fn requests(&self) -> Vec<Request> {
        self.seen.lock().unwrap().clone()
    }
}

fn serve(mut stream: &TcpStream, log: &Mutex<Vec<Request>>, answer: &(dyn Fn(&Request) -> Answer + Send + Sync)) {
    let mut head = vec![];
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") {
        if stream.read(&mut byte).unwrap_or(0) == 0 {
            return;
        }
        head.push(byte[0]);
    }
    let head = String::from_utf8(head).unwrap();
    let header = |name: &str| {
        head.lines()
            .find_map(|line| line.split_once(':').filter(|(key, _)| key.eq_ignore_ascii_case(name)))
            .map(|(_, value)| value.trim().to_owned())
    };
    let request = {
        let mut log = log.lock().unwrap();
        let range =
            header("range").and_then(|range| range.trim_start_matches("bytes=").trim_end_matches('-').parse().ok());
        let request = Request {
            path: head.split(' ').nth(1).unwrap().to_owned(),
            range,
            if_range: header("if-range"),
            number: log.len(),
        };
        log.push(request.clone());
        request
    };
    let answer = answer(&request);
    let mut text =
        format!("HTTP/1.1 {} x\r\nConnection: close\r\nContent-Length: {}\r\n", answer.status, answer.body.len());
    for (name, value) in &answer.headers {
        text += &format!("{name}: {value}\r\n");
    }
    let body = &answer.body[..answer.cut.unwrap_or(answer.body.len()).min(answer.body.len())];
    let _ = stream.write_all((text + "\r\n").as_bytes()).and_then(|()| stream.write_all(body));
}

struct Setup {
    cache: Cache,
    fetcher: Fetcher,
    _folder: tempfile::TempDir,
}

fn setup(retries: usize) -> Setup {
    let folder = tempfile::tempdir().unwrap();
    let cache = Cache::open(&folder.path().join("cache")).unwrap();
    let options = Options { retries, stall: Duration::from_secs(5), ..Options::default() };
    let fetcher = Fetcher::new(cache.clone(), options, Arc::new(Unwatched)).unwrap();
    Setup { cache, fetcher, _folder: folder }
}

fn run<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap().block_on(work)
}

fn expected(bytes: &[u8]) -> Expected {
    Expected { digest: Some(Digest::of(bytes)), size: Some(bytes.len() as u64) }
}

/// Every blob in the store is what its name says, whatever happened before.
fn assert_sound(cache: &Cache) {
    assert_eq!(cache.verify(&|_, _| {}).unwrap(), []);
}

#[test]
fn a_download_that_is_cut_again_and_again_goes_on_where_it_stopped() {
    let file = noise(1_000_000);
    let whole = file.clone();
    let server = Server::start(move |request| {
        let from = request.range.unwrap_or(0);
        let answer = if from == 0 { Answer::new(200, &whole) } else { Answer::part(&whole, from) };
        answer.cut(150_000)
    });
    let setup = setup(20);
    let url = format!("{}/f", server.address);
    let done = run(setup.fetcher.file("f", &url, expected(&file))).unwrap();
    assert_eq!(done, (Digest::of(&file), 1_000_000));
    let starts: Vec<u64> = server.requests().iter().map(|request| request.range.unwrap_or(0)).collect();
    assert!(starts.len() >= 7 && starts.windows(2).all(|pair| pair[0] < pair[1]), "{starts:?}");
    assert_sound(&setup.cache);
}

#[test]
fn a_second_run_goes_on_where_the_first_one_gave_up() {
    let file = noise(500_000);
    let (whole, healthy) = (file.clone(), Arc::new(AtomicUsize::new(0)));
    let flag = healthy.clone();
    let server = Server::start(move |request| match (flag.load(Ordering::SeqCst), request.range) {
        (0, _) => Answer::new(200, &whole).cut(300_000),
        (_, Some(from)) => Answer::part(&whole, from),
        (_, None) => Answer::new(200, &whole),
    });
    let setup = setup(0);
    let url = format!("{}/f", server.address);
    assert!(matches!(run(setup.fetcher.file("f", &url, expected(&file))), Err(FetchError::Broken { .. })));
    healthy.store(1, Ordering::SeqCst);
    run(setup.fetcher.file("f", &url, expected(&file))).unwrap();
    assert!(server.requests()[1].range.is_some_and(|from| from > 0 && from <= 300_000), "{:?}", server.requests());
    assert_sound(&setup.cache);
}

#[test]
fn a_server_that_ignores_ranges_is_no_problem() {
    let file = noise(400_000);
    let whole = file.clone();
    let server = Server::start(move |request| {
        let answer = Answer::new(200, &whole);
        if request.number == 0 { answer.cut(100_000) } else { answer }
    });
    let setup = setup(3);
    run(setup.fetcher.file("f", &format!("{}/f", server.address), expected(&file))).unwrap();
    assert_sound(&setup.cache);
}

#[test]
fn a_file_that_changes_meanwhile_is_not_mixed() {
    let (old, new) = (noise(300_000), noise(310_000).into_iter().rev().collect::<Vec<u8>>());
    let second = new.clone();
    let server = Server::start(move |request| match (&request.if_range, request.number) {
        (_, 0) => Answer::new(200, &old).header("ETag", "\"v1\"").cut(100_000),
        // The version is another one, so a good server sends all of it.
        (Some(etag), _) if etag == "\"v1\"" => Answer::new(200, &second).header("ETag", "\"v2\""),
        _ => Answer::new(500, b""),
    });
    let setup = setup(3);
    let done = run(setup.fetcher.file("f", &format!("{}/f", server.address), Expected::default())).unwrap();
    assert_eq!(done.0, Digest::of(&new));
    assert_sound(&setup.cache);
}

#[test]
fn without_a_digest_or_a_version_nothing_is_resumed() {
    let file = noise(300_000);
    let whole = file.clone();
    let server = Server::start(move |request| {
        let answer = Answer::new(200, &whole);
        if request.number == 0 { answer.cut(100_000) } else { answer }
    });
    let setup = setup(3);
    run(setup.fetcher.file("f", &format!("{}/f", server.address), Expected::default())).unwrap();
    assert!(server.requests().iter().all(|request| request.range.is_none()));
}

#[test]
fn wrong_bytes_never_get_into_the_store() {
    let file = noise(200_000);
    let mut wrong = file.clone();
    wrong[77] ^= 1;
    let answers: [(&str, Answer); 5] = [
        ("right size, wrong bytes", Answer::new(200, &wrong)),
        ("shorter", Answer::new(200, &file[..1000])),
        ("longer", Answer::new(200, &[&file[..], b"more"].concat())),
        ("an error page", Answer::new(200, b"<html>not found</html>")),
        ("a part that is none", Answer::new(206, &file)),
    ];
    for (name, answer) in answers {
        let server = Server::start(move |_| answer.clone());
        let setup = setup(1);
        let error = run(setup.fetcher.file("f", &format!("{}/f", server.address), expected(&file))).expect_err(name);
        assert!(matches!(error, FetchError::Wrong { .. } | FetchError::Broken { .. }), "{name}: {error}");
        assert_eq!(setup.cache.list().unwrap(), [], "{name}");
    }
}

#[test]
fn a_part_from_another_place_is_not_taken_for_the_one_that_was_asked_for() {
    let file = noise(200_000);
    let whole = file.clone();
    let server = Server::start(move |request| match request.number {
        0 => Answer::new(200, &whole).cut(50_000),
        1 => Answer::part(&whole, 120_000),
        _ => Answer::new(200, &whole),
    });
    let setup = setup(4);
    run(setup.fetcher.file("f", &format!("{}/f", server.address), expected(&file))).unwrap();
    assert_sound(&setup.cache);
}

#[test]
fn a_busy_server_is_asked_again_when_it_says() {
    let file = noise(1000);
    let whole = file.clone();
    let server = Server::start(move |request| match request.number {
        0 => Answer::new(429, b"").header("Retry-After", "2"),
        1 => Answer::new(503, b""),
        _ => Answer::new(200, &whole),
    });
    let setup = setup(5);
    let start = Instant::now();
    run(setup.fetcher.file("f", &format!("{}/f", server.address), expected(&file))).unwrap();
    assert!(start.elapsed() >= Duration::from_secs(2), "the server asked for two seconds");
    assert_eq!(server.requests().len(), 3);
}

#[test]
fn what_is_refused_for_good_is_asked_for_once() {
    for status in [400, 401, 403, 404, 410] {
        let server = Server::start(move |_| Answer::new(status, b"no"));
        let setup = setup(5);
        let error = run(setup.fetcher.file("f", &format!("{}/f", server.address), Expected::default())).unwrap_err();
        assert!(matches!(error, FetchError::Refused { status: found, .. } if found == status), "{error}");
        assert_eq!(server.requests().len(), 1);
    }
}

#[test]
fn a_server_that_never_recovers_is_given_up_with_its_address() {
    let server = Server::start(|_| Answer::new(500, b""));
    let setup = setup(2);
    let url = format!("{}/some/file", server.address);
    let error = run(setup.fetcher.file("f", &url, Expected::default())).unwrap_err();
    assert!(error.to_string().contains(&url), "{error}");
    assert_eq!(server.requests().len(), 3);
}

#[test]
fn redirects_are_followed_and_loops_are_not() {
    let file = noise(1000);
    let whole = file.clone();
    let server = Server::start(move |request| match request.path.as_str() {
        "/a" => Answer::new(302, b"").header("Location", "/b"),
        "/loop" => Answer::new(302, b"").header("Location", "/loop"),
        _ => Answer::new(200, &whole),
    });
    let setup = setup(0);
    run(setup.fetcher.file("f", &format!("{}/a", server.address), expected(&file))).unwrap();
    assert!(run(setup.fetcher.file("g", &format!("{}/loop", server.address), Expected::default())).is_err());
    assert!(server.requests().len() < 20);
}

#[test]
fn one_blob_is_downloaded_once_however_many_ask_for_it() {
    let file = noise(300_000);
    let whole = file.clone();
    let server = Server::start(move |_| Answer::new(200, &whole));
    let setup = setup(0);
    let url = format!("{}/f", server.address);
    run(async {
        let all = (0..12).map(|_| setup.fetcher.file("f", &url, expected(&file)));
        for done in futures::future::join_all(all).await {
            done.unwrap();
        }
    });
    assert_eq!(server.requests().len(), 1);
    assert_sound(&setup.cache);
}

#[test]
fn a_store_that_cannot_be_written_is_an_error_and_leaves_nothing_wrong() {
    // Without its folder for downloads no file can be opened in the store.
    let file = noise(1000);
    let whole = file.clone();
    let server = Server::start(move |_| Answer::new(200, &whole));
    let setup = setup(0);
    let partial = setup.cache.root().join("partial");
    std::fs::remove_dir(&partial).unwrap();
    let url = format!("{}/f", server.address);
    assert!(matches!(run(setup.fetcher.file("f", &url, expected(&file))), Err(FetchError::Cache(_))));
    std::fs::create_dir(&partial).unwrap();
    run(setup.fetcher.file("f", &url, expected(&file))).unwrap();
    assert_sound(&setup.cache);
}

/// A registry that lets nobody in, and writes down who knocked.
fn locked_registry() -> (String, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let seen: Arc<Mutex<Vec<String>>> = Arc::default();
    let log = seen.clone();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut head = [0; 4096];
            let length = stream.read(&mut head).unwrap_or(0);
            let head = String::from_utf8_lossy(&head[..length]).into_owned();
            let account = head.lines().find(|line| line.to_lowercase().starts_with("authorization:"));
            log.lock().unwrap().extend(account.map(str::to_owned));
            let answer = "HTTP/1.1 401 x\r\nWWW-Authenticate: Basic realm=\"x\"\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";
            let _ = stream.write_all(answer.as_bytes());
        }
    });
    (address, seen)
}

#[test]
fn the_account_of_a_credential_helper_goes_to_its_registry() {
    use std::os::unix::fs::PermissionsExt;
    let (address, seen) = locked_registry();
    let folder = tempfile::tempdir().unwrap();
    let put = |name: &str, text: &str| {
        std::fs::File::create(folder.path().join(name)).unwrap().write_all(text.as_bytes()).unwrap();
    };
    let helper = "#!/bin/sh\nread -r asked || true\necho \"$1 $asked\" > asked\nprintf '{\"ServerURL\": \"x\", \"Username\": \"u\", \"Secret\": \"p:w\"}'\n";
    put("docker-credential-test", helper);
    let program = folder.path().join("docker-credential-test");
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    put("config.json", &format!(r#"{{"credHelpers": {{"{address}": "test"}}}}"#));
    put(
        "pod.yaml",
        &format!(
            "apiVersion: v1\nkind: Pod\nmetadata: {{name: a}}\nspec:\n  containers: [{{name: c, image: '{address}/x:1'}}]\n"
        ),
    );
    put(
        "cluster.yaml",
        "apiVersion: kubexm.io/v1alpha1\nkind: Cluster\nmetadata: {name: a}\nspec:\n  hosts: [{name: a, address: 10.0.0.1, \
         roles: [master, worker, registry]}]\n  network: {plugin: cilium}\n  addons: [{name: a, manifests: [./pod.yaml]}]\n",
    );
    let path = format!("{}:{}", folder.path().display(), std::env::var("PATH").unwrap());
    let output = std::process::Command::new(kubexm_tests::program("kubexm-bundle"))
        .args(["lock", "--only", "manifests", "--retries", "0", "--cache-dir", "cache", "--plain-http", &address])
        .current_dir(folder.path())
        .env("PATH", path)
        .env("DOCKER_CONFIG", folder.path())
        .output()
        .unwrap();
    assert!(!output.status.success());
    assert_eq!(kubexm_tests::text(&folder.path().join("asked")), format!("get {address}\n"));
    let seen = seen.lock().unwrap();
    assert!(seen.iter().any(|line| line.ends_with("Basic dTpwOnc=")), "{seen:?}");
    assert!(!String::from_utf8_lossy(&output.stderr).contains("p:w"));
}

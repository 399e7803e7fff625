//! Over HTTP: what is kept, and what a server that misbehaves cannot do.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use super::cases::Case;
use super::made::{Made, Packing};
use super::ours;

/// Serves a folder on the loopback until the test ends, and writes down what was asked for.
pub struct Server {
    pub address: String,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Server {
    pub fn new(folder: &Path) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = format!("http://{}/", listener.local_addr().expect("an address"));
        let asked = Arc::<Mutex<Vec<String>>>::default();
        let (folder, log) = (folder.to_owned(), asked.clone());
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                answer(stream, &folder, &log);
            }
        });
        Self { address, asked }
    }

    pub fn asked(&self) -> Vec<String> {
        std::mem::take(&mut *self.asked.lock().expect("a list"))
    }
}

fn answer(mut stream: TcpStream, folder: &Path, log: &Mutex<Vec<String>>) {
    let mut lines = BufReader::new(stream.try_clone().expect("a stream")).lines().map_while(Result::ok);
    let Some(request) = lines.next() else { return };
    for line in lines {
        if line.is_empty() {
            break;
        }
    }
    let path = request.split(' ').nth(1).unwrap_or("/").trim_start_matches('/').to_owned();
    let (status, body) = match std::fs::read(folder.join(&path)) {
        Ok(body) => ("200 OK", body),
        Err(_) => ("404 Not Found", Vec::new()),
    };
    log.lock().expect("a list").push(path);
    let head = format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", body.len());
    // A client that has seen enough may be gone.
    let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(&body));
}

fn case(wanted: &str) -> Case {
    let packages = vec![
        Made::new("tool", "1.0-1").requires("/usr/share/words"),
        Made::new("words", "1.0-1").file("/usr/share/words"),
        Made::new("plain", "1.0-1"),
    ];
    Case { repositories: vec![(packages, 99)], wanted: vec![wanted.to_owned()], ..Case::default() }
}

fn primary(folder: &Path) -> PathBuf {
    folder.join("os/x86_64/9/r0/repodata/primary.xml.zst")
}

#[test]
fn only_what_is_needed_is_fetched_and_only_once() {
    let folder = tempfile::tempdir().expect("a folder");
    case("tool").write(&folder.path().join("os/x86_64/9"), Packing::Zstd);
    let server = Server::new(folder.path());
    let answer = |wanted: &str| {
        let case = case(wanted);
        let mut request = ours::request(&case, &[PathBuf::from("/nowhere")]);
        request.sources[0].address = format!("{}os/$basearch/$releasever/r0", server.address);
        ours::run(&request).map(|needed| needed.into_iter().map(|one| one.address).collect::<Vec<_>>())
    };
    let list = "os/x86_64/9/r0/repodata";
    assert_eq!(
        answer("plain").expect("an answer"),
        [format!("{}os/x86_64/9/r0/plain-1.0-1.noarch.rpm", server.address)]
    );
    assert_eq!(server.asked(), [format!("{list}/repomd.xml"), format!("{list}/primary.xml.zst")]);
    // A path that primary does not list asks for the large list; what is in the store is not asked for again.
    assert_eq!(answer("tool").expect("an answer").len(), 2);
    assert_eq!(server.asked(), [format!("{list}/repomd.xml"), format!("{list}/filelists.xml.zst")]);
    // Another list of packages than the one that repomd.xml names.
    let other = Case { repositories: vec![(vec![Made::new("evil", "1.0-1")], 99)], ..Case::default() };
    let elsewhere = tempfile::tempdir().expect("a folder");
    other.write(&elsewhere.path().join("os/x86_64/9"), Packing::Zstd);
    let repomd = elsewhere.path().join(list).join("repomd.xml");
    std::fs::copy(repomd, folder.path().join(list).join("repomd.xml")).expect("another list");
    let error = answer("evil").expect_err("it must be refused");
    let cause = std::error::Error::source(&error).expect("a cause").to_string();
    assert!(cause.contains("repository r0: repodata/primary.xml.zst cannot be had"), "{cause}");
    std::fs::remove_file(primary(folder.path())).expect("a file");
    assert!(answer("evil").is_err());
}

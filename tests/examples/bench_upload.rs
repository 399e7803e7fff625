//! How fast a large file gets to a node, against OpenSSH's own client, over the same server on loopback; one line of JSON.
//! `bench_upload [MIB] [ROUNDS]`; build it with --release.

#[path = "../suites/node/sshd.rs"]
mod sshd;

use std::io::{self, Read};
use std::process::{Command, Stdio};
use std::time::Instant;

use kubexm_installer::node::{AccountName, Content, FileChange, Inspect, Mode, Mutate, NewFile, NodePath, Owner};
use kubexm_model::digest::Digest;
use sshd::Sshd;

const MIB: usize = 1024 * 1024;

/// Bytes that do not compress, made while they are read.
#[derive(Clone)]
struct Noise {
    block: Vec<u8>,
    blocks: usize,
    digest: Digest,
}

impl Noise {
    fn new(blocks: usize) -> Self {
        let mut block = vec![0; MIB];
        rand::fill(&mut block[..]);
        let mut noise = Self { block, blocks, digest: Digest::of(b"") };
        noise.digest = Digest::of_reader(noise.open().expect("noise can be read")).expect("noise can be read").0;
        noise
    }
}

impl Content for Noise {
    fn size(&self) -> u64 {
        (self.blocks * MIB) as u64
    }
    fn digest(&self) -> Digest {
        self.digest
    }
    fn open(&self) -> io::Result<Box<dyn Read + Send>> {
        struct Reader(Noise, usize);
        impl Read for Reader {
            fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
                let left = self.0.blocks * MIB - self.1;
                let place = self.1 % MIB;
                let count = buffer.len().min(MIB - place).min(left);
                buffer[..count].copy_from_slice(&self.0.block[place..place + count]);
                self.1 += count;
                Ok(count)
            }
        }
        Ok(Box::new(Reader(self.clone(), 0)))
    }
}

#[tokio::main]
async fn main() {
    let mut numbers = std::env::args().skip(1).map(|text| text.parse::<usize>().expect("a number"));
    let (size, rounds) = (numbers.next().unwrap_or(256), numbers.next().unwrap_or(3));
    let sshd = Sshd::start(&["ed25519"], "");
    let directory = tempfile::tempdir_in("/dev/shm").expect("a directory in memory");
    let noise = Noise::new(size);
    let (mut ours, mut theirs, mut checked) = (0.0_f64, 0.0_f64, 0.0_f64);
    for _ in 0..rounds {
        ours = ours.max(size as f64 / upload(&sshd, &directory, &noise).await);
        theirs = theirs.max(size as f64 / openssh(&sshd, &directory, &noise, "cat > FILE"));
        checked = checked.max(size as f64 / openssh(&sshd, &directory, &noise, "tee FILE | sha256sum > /dev/null"));
    }
    assert!(sshd.connections() > rounds, "{}", sshd.log());
    let peak = std::fs::read_to_string("/proc/self/status").expect("the kernel tells");
    let peak =
        peak.lines().find_map(|line| line.strip_prefix("VmHWM:")).map(|text| text.trim().trim_end_matches(" kB"));
    let peak: u64 = peak.and_then(|text| text.parse().ok()).unwrap_or_default();
    println!(
        "{{\"mib\": {size}, \"upload_mib_per_s\": {ours:.0}, \"openssh_upload_mib_per_s\": {theirs:.0}, \
         \"openssh_checked_upload_mib_per_s\": {checked:.0}, \"peak_rss_bytes\": {}}}",
        peak * 1024
    );
}

/// Seconds for a file with its digest checked on the node and its name taken; the connection is there.
async fn upload(sshd: &Sshd, directory: &tempfile::TempDir, noise: &Noise) -> f64 {
    let node = sshd.node(sshd.address);
    let at = NodePath::new(directory.path().join("ours").to_str().expect("a path")).expect("a path");
    let root = AccountName::new(sshd::whoami()).expect("a name");
    let owner = Owner::new(root.clone(), root);
    node.stat(&at).await.expect("the node answers");
    let begin = Instant::now();
    let file = NewFile { path: &at, mode: Mode::FILE, owner: &owner, content: noise };
    assert_eq!(node.put(&file).await.expect("the file arrives").bytes, noise.size());
    let seconds = begin.elapsed().as_secs_f64();
    node.change(&FileChange::Remove { path: at }.into()).await.expect("the file goes");
    seconds
}

/// Seconds for OpenSSH's client and a command that takes the content; less what connecting alone takes.
fn openssh(sshd: &Sshd, directory: &tempfile::TempDir, noise: &Noise, command: &str) -> f64 {
    let connecting = ssh(sshd, "true", None);
    let file = directory.path().join("theirs");
    let seconds = ssh(sshd, &command.replace("FILE", &file.display().to_string()), Some(noise));
    std::fs::remove_file(file).expect("the file goes");
    seconds - connecting
}

fn ssh(sshd: &Sshd, line: &str, noise: Option<&Noise>) -> f64 {
    let known = sshd.at("known_hosts");
    let begin = Instant::now();
    let mut child = Command::new("ssh")
        .args(["-F", "none", "-o", "BatchMode=yes", "-o", "StrictHostKeyChecking=yes", "-i"])
        .arg(sshd.at("login"))
        .args(["-o", &format!("UserKnownHostsFile={}", known.display()), "-p", &sshd.address.port().to_string()])
        .arg(format!("{}@127.0.0.1", sshd.user))
        .arg(line)
        .stdin(Stdio::piped())
        .spawn()
        .expect("ssh can be run");
    let mut stdin = child.stdin.take().expect("a pipe");
    if let Some(noise) = noise {
        let mut reader = noise.open().expect("noise can be read");
        let mut buffer = vec![0; 256 * 1024];
        loop {
            match reader.read(&mut buffer).expect("noise can be read") {
                0 => break,
                count => io::Write::write_all(&mut stdin, &buffer[..count]).expect("ssh takes it"),
            }
        }
    }
    drop(stdin);
    assert!(child.wait().expect("ssh ends").success());
    begin.elapsed().as_secs_f64()
}

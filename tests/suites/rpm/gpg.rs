//! Keys and signatures of GnuPG, which made those of every distribution.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Somebody with a key.
pub struct Signer {
    home: tempfile::TempDir,
    /// Options for a clock of his own.
    clock: Vec<String>,
}

impl Signer {
    pub fn new() -> Self {
        Self::with(&[], "never")
    }

    /// Somebody whose key expired long ago.
    pub fn expired() -> Self {
        Self::with(&["--faked-system-time", "20200101T000000!"], "1d")
    }

    fn with(clock: &[&str], expires: &str) -> Self {
        let home = tempfile::Builder::new().prefix("gpg").tempdir().expect("a folder");
        let signer = Self { home, clock: clock.iter().map(|word| (*word).to_owned()).collect() };
        signer.gpg(&["--quick-gen-key", "Somebody <somebody@example.org>", "rsa2048", "sign", expires]);
        signer
    }

    fn gpg(&self, arguments: &[&str]) -> Vec<u8> {
        let output = Command::new("gpg")
            .arg("--homedir")
            .arg(self.home.path())
            .args(["--batch", "--quiet", "--yes", "--pinentry-mode", "loopback", "--passphrase", ""])
            .args(&self.clock)
            .args(arguments)
            .output()
            .expect("gpg is installed");
        assert!(output.status.success(), "gpg {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        output.stdout
    }

    /// The public key.
    pub fn key(&self) -> Vec<u8> {
        self.gpg(&["--armor", "--export"])
    }

    pub fn key_file(&self) -> PathBuf {
        let path = self.home.path().join("key.asc");
        std::fs::write(&path, self.key()).expect("the key is written");
        path
    }

    /// Signs a file into `FILE.asc`.
    pub fn sign(&self, file: &Path) {
        self.sign_with(file, "SHA256");
    }

    pub fn sign_with(&self, file: &Path, hash: &str) {
        self.gpg(&["--digest-algo", hash, "--armor", "--detach-sign", file.to_str().expect("a plain path")]);
    }

    /// Signs packages.
    pub fn sign_packages(&self, packages: &[PathBuf]) {
        let output = Command::new("rpmsign")
            .arg("--addsign")
            .args(["--define", "_gpg_name Somebody", "--define", "__gpg /usr/bin/gpg"])
            .args(["--define", &format!("_gpg_path {}", self.home.path().display())])
            .args(packages)
            .env("GNUPGHOME", self.home.path())
            .output()
            .expect("rpmsign is installed");
        assert!(output.status.success(), "rpmsign: {}", String::from_utf8_lossy(&output.stderr));
    }
}

impl Drop for Signer {
    /// gpg leaves an agent behind; this asks that one to end.
    fn drop(&mut self) {
        let kill = Command::new("gpgconf").arg("--homedir").arg(self.home.path()).args(["--kill", "all"]).status();
        drop(kill);
    }
}

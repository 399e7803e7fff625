//! apt of this machine as the judge: an apt that knows one index and one list of installed packages, and nothing of this machine.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// What apt would do: a set of `name:architecture=version`, and whether something would go away.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// These would be new or newer.
    Installs(BTreeSet<String>),
    /// Something that is installed would have to go.
    Removes,
    /// It refuses.
    Refuses,
}

/// A folder with an apt of its own.
pub struct Apt {
    folder: tempfile::TempDir,
    architectures: Vec<String>,
}

impl Apt {
    /// An apt for these architectures, its own one first.
    pub fn new(architectures: &[&str]) -> Self {
        let folder = tempfile::tempdir().expect("a folder can be made");
        for path in [
            "etc/apt/apt.conf.d",
            "etc/apt/sources.list.d",
            "etc/apt/preferences.d",
            "state/lists/partial",
            "cache/archives/partial",
            "log",
        ] {
            std::fs::create_dir_all(folder.path().join(path)).expect("a folder can be made");
        }
        let root = folder.path().display();
        let mut text = format!(
            "Dir \"{root}\"; Dir::Etc \"{root}/etc/apt\"; Dir::State \"{root}/state\"; Dir::Cache \"{root}/cache\"; Dir::Log \"{root}/log\";\n\
             Dir::State::status \"{root}/status\"; Dir::Bin::dpkg \"/usr/bin/dpkg\"; Debug::NoLocking \"1\"; APT::Sandbox::User \"\";\n\
             APT::Install-Recommends \"0\"; APT::Install-Suggests \"0\"; APT::Get::AllowUnauthenticated \"1\";\n\
             APT::Architecture \"{}\";\n",
            architectures[0]
        );
        for architecture in architectures {
            text += &format!("APT::Architectures:: \"{architecture}\";\n");
        }
        std::fs::write(folder.path().join("apt.conf"), text).expect("a file can be written");
        Self { folder, architectures: architectures.iter().map(|one| (*one).to_owned()).collect() }
    }

    /// Tells it not to upgrade what is installed only because something of the same source package is new.
    pub fn leave_the_rest_alone(&self) {
        let text = "APT::Get::Upgrade-By-Source-Package \"0\";\n";
        let file = std::fs::OpenOptions::new().append(true).open(self.path("apt.conf"));
        std::io::Write::write_all(&mut file.expect("a file can be opened"), text.as_bytes()).expect("and written");
    }

    /// The architectures it was made for.
    pub fn architectures(&self) -> &[String] {
        &self.architectures
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Gives it an index and what is installed: stanzas as in an index, without the line Status.
    pub fn set(&self, index: &str, installed: &[&str]) {
        write(&self.path("Packages"), index);
        let status = installed.iter().map(|stanza| {
            let (first, rest) = stanza.split_once('\n').expect("a stanza has lines");
            format!("{first}\nStatus: install ok installed\nMaintainer: nobody\nDescription: -\n{rest}\n\n")
        });
        write(&self.path("status"), &status.collect::<String>());
    }

    /// Makes the index a repository that it keeps in its own form: worth it for a large one.
    pub fn update(&self) {
        std::fs::create_dir_all(self.path("repository")).expect("a folder can be made");
        std::fs::rename(self.path("Packages"), self.path("repository/Packages")).expect("a file can be moved");
        let list = format!("deb [trusted=yes] file:{} ./\n", self.path("repository").display());
        write(&self.path("etc/apt/sources.list"), &list);
        let output = self.run(&["update", "-qq"], &[]);
        assert!(output.status.success(), "apt-get update: {}", String::from_utf8_lossy(&output.stderr));
    }

    fn run(&self, words: &[&str], names: &[String]) -> Output {
        let mut command = Command::new("apt-get");
        command.env_clear().env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin").env("LC_ALL", "C");
        command.env("APT_CONFIG", self.path("apt.conf")).args(words).args(names);
        command.output().expect("apt-get is here: it is the judge of this test")
    }

    /// What it would do for some names.
    pub fn asked(&self, names: &[String]) -> Verdict {
        let index = self.path("Packages");
        let mut words = vec!["-qq", "install", "--print-uris", "--no-remove"];
        let index_name = index.display().to_string();
        if index.exists() {
            words.extend(["--with-source", &index_name]);
        }
        let output = self.run(&words, names);
        let text = String::from_utf8_lossy(&output.stdout);
        if !output.status.success() {
            let words = format!("{text}{}", String::from_utf8_lossy(&output.stderr));
            let knows = [
                "unmet",
                "broken packages",
                "no installation candidate",
                "Unable to locate",
                "multiple choices",
                "correct problems",
                "generated breaks",
            ];
            if words.contains("remove is disabled") {
                return Verdict::Removes;
            }
            assert!(knows.iter().any(|one| words.contains(one)), "apt-get fails for another reason: {words}");
            return Verdict::Refuses;
        }
        Verdict::Installs(text.lines().filter_map(|line| self.fetches(line)).collect())
    }

    /// `'address' name_version_architecture.deb size digest`, with `%3a` for a colon.
    fn fetches(&self, line: &str) -> Option<String> {
        let file = line.strip_prefix('\'')?.split(' ').nth(1)?.strip_suffix(".deb")?;
        let [name, version, architecture] = file.split('_').collect::<Vec<_>>().try_into().ok()?;
        let architecture = if architecture == "all" { &self.architectures[0] } else { architecture };
        Some(format!("{name}:{architecture}={}", version.replace("%3a", ":")))
    }
}

fn write(path: &Path, text: &str) {
    std::fs::write(path, text).expect("a file can be written");
}

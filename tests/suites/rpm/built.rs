//! Repositories of real packages, made with rpmbuild and `createrepo_c`.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::made::Made;

pub fn run(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let words = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{command:?}: {words}");
    words
}

/// Builds packages into a folder, and returns their files.
pub fn packages(folder: &Path, packages: &[Made]) -> Vec<PathBuf> {
    let work = tempfile::tempdir().expect("a folder");
    let mut specs = Vec::new();
    for (number, made) in packages.iter().enumerate() {
        let spec = work.path().join(format!("{number}.spec"));
        std::fs::write(&spec, text(made)).expect("a spec is written");
        specs.push(spec);
    }
    std::fs::create_dir_all(folder).expect("a folder");
    run(Command::new("rpmbuild")
        .args(["-bb", "--quiet", "--nodeps", "--target", "noarch"])
        .args(["--define", &format!("_topdir {}", work.path().display())])
        .args(["--define", &format!("_rpmdir {}", folder.display()), "--define", "_build_name_fmt %{NAME}-%{EVR}.rpm"])
        .args(&specs));
    let mut found: Vec<PathBuf> =
        std::fs::read_dir(folder).expect("packages").map(|entry| entry.expect("an entry").path()).collect();
    found.sort();
    assert_eq!(found.len(), packages.len(), "a file a package");
    found
}

/// Lists the packages of a folder.
pub fn createrepo(folder: &Path) {
    run(Command::new("createrepo_c").arg("--quiet").arg(folder));
}

fn text(made: &Made) -> String {
    let (epoch, rest) = made.evr.split_once(':').unwrap_or(("", &made.evr));
    let (version, release) = rest.split_once('-').expect("a release");
    let mut spec = format!(
        "Name: {}\nVersion: {version}\nRelease: {release}\nSummary: test\nLicense: MIT\nBuildArch: noarch\n",
        made.name
    );
    if !epoch.is_empty() {
        writeln!(spec, "Epoch: {epoch}").expect("memory");
    }
    let kinds = [
        ("Provides", &made.provides),
        ("Requires", &made.requires),
        ("Conflicts", &made.conflicts),
        ("Obsoletes", &made.obsoletes),
    ];
    for (kind, entries) in kinds {
        for entry in entries {
            writeln!(spec, "{kind}: {entry}").expect("memory");
        }
    }
    let install: String = made
        .files
        .iter()
        .map(|file| {
            format!("install -D -m 644 /dev/null %{{buildroot}}{file}\necho {} > %{{buildroot}}{file}\n", made.nevra())
        })
        .collect();
    let files = made.files.join("\n");
    write!(spec, "%description\ntest\n%install\n{install}%files\n{files}\n").expect("memory");
    spec
}

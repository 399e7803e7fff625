//! What the suites share: fixtures, golden files, and the built programs.

/// Small bundles made by hand.
pub mod bundles;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use kubexm_model::catalogue::Catalogue;
use kubexm_model::cluster::{Reading, read};

/// The root of the repository.
pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crate has a parent folder")
}

/// The YAML files of a folder below `tests/fixtures`, sorted; a folder without files fails the test.
pub fn fixtures(folder: &str) -> Vec<PathBuf> {
    let folder = root().join("tests/fixtures").join(folder);
    let entries = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.expect("a folder can be listed").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "yaml"))
        .collect();
    files.sort();
    assert!(!files.is_empty(), "{} holds no fixtures", folder.display());
    files
}

/// The name of a fixture without its folder and ending.
pub fn stem(path: &Path) -> String {
    path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default()
}

/// The text of a file.
pub fn text(path: &Path) -> String {
    fs_text(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn fs_text(path: &Path) -> std::io::Result<String> {
    String::from_utf8(std::fs::read(path)?).map_err(std::io::Error::other)
}

/// The catalogue that the programs carry.
pub fn catalogue() -> Catalogue {
    Catalogue::builtin().unwrap_or_else(|error| panic!("the catalogue is broken: {error}"))
}

/// Reads one fixture under its bare file name, so that no path of this machine gets into a golden file.
pub fn read_fixture(path: &Path, catalogue: &Catalogue) -> Reading {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    read(vec![(name, text(path))], &[], catalogue)
}

/// Compares with `tests/golden/NAME`; with UPDATE_GOLDEN set it is written instead, for a person to review.
pub fn assert_golden(name: &str, found: &str) {
    let path = root().join("tests/golden").join(name);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::create_dir_all(path.parent().expect("a golden file has a folder")).expect("the folder can be made");
        std::fs::File::create(&path)
            .and_then(|mut file| std::io::Write::write_all(&mut file, found.as_bytes()))
            .expect("the golden file can be written");
        return;
    }
    let wanted = fs_text(&path).unwrap_or_default();
    if wanted == found {
        return;
    }
    let line = wanted.lines().zip(found.lines()).position(|(a, b)| a != b);
    let line = line.unwrap_or_else(|| wanted.lines().count().min(found.lines().count()));
    panic!(
        "{name} differs from line {}:\n  wanted: {}\n  found:  {}\nUPDATE_GOLDEN=1 scripts/test rust writes what was found",
        line + 1,
        wanted.lines().nth(line).unwrap_or("(end)"),
        found.lines().nth(line).unwrap_or("(end)"),
    );
}

/// Fails if `tests/golden/FOLDER` holds a file that no fixture stands behind.
pub fn assert_no_stray_golden(folder: &str, known: &[String]) {
    let entries = std::fs::read_dir(root().join("tests/golden").join(folder)).expect("the golden folder can be listed");
    for entry in entries {
        let path = entry.expect("a folder can be listed").path();
        assert!(known.contains(&stem(&path)), "{} has no fixture", path.display());
    }
}

/// One of the two programs, as cargo built it beside this test.
pub fn program(name: &str) -> PathBuf {
    let test = std::env::current_exe().expect("a test knows its own path");
    let folder = test.parent().and_then(Path::parent).expect("tests run from target/PROFILE/deps");
    let program = folder.join(name);
    assert!(program.exists(), "{} is not built: run `cargo build --workspace` first", program.display());
    program
}

/// Runs `kubexm-bundle` in a folder, without the environment variables that would change its answers.
pub fn bundle(folder: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(program("kubexm-bundle"));
    command
        .current_dir(folder)
        .args(args)
        .env_remove("KMZONE")
        .env_remove("KUBEXM_FILE")
        .env_remove("KUBEXM_CATALOGUE");
    command.output().expect("the program starts")
}

/// Bytes that do not compress, the same for the same seed.
pub fn noise(length: usize, seed: u64) -> Vec<u8> {
    let mut state = seed | 1;
    let next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_le_bytes()[0]
    };
    std::iter::repeat_with(next).take(length).collect()
}

//! Reads the files that a person names, within limits, so that a wrong file gets an answer and not the machine.

use std::fmt;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::finding::{Code, Finding};

/// The files that are read when none is named.
pub const DEFAULT_FILES: [&str; 2] = ["cluster.yaml", "cluster.yml"];

/// The file of this folder that is read when none is named.
pub(super) fn default_file() -> Option<&'static str> {
    DEFAULT_FILES.into_iter().find(|file| Path::new(file).exists())
}

/// What a configuration file may weigh at most: thousands of hosts fit several times.
const MOST_BYTES: u64 = 16 * 1024 * 1024;

/// A file cannot be read.
#[derive(Debug)]
pub struct Unreadable {
    name: String,
    reason: String,
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cannot read {}: {}", self.name, self.reason)
    }
}

/// A file's name and text; `-` is standard input.
pub fn read(path: &Path) -> Result<(String, String), Unreadable> {
    let name = if path == Path::new("-") { "<stdin>".to_owned() } else { path.display().to_string() };
    let refuse = |reason: String| Unreadable { name: name.clone(), reason };
    let open = || -> io::Result<Box<dyn Read>> {
        if path == Path::new("-") { Ok(Box::new(io::stdin())) } else { Ok(Box::new(std::fs::File::open(path)?)) }
    };
    let mut bytes = vec![];
    let opened = open().map_err(|error| refuse(plain(&error)))?;
    opened.take(MOST_BYTES + 1).read_to_end(&mut bytes).map_err(|error| refuse(plain(&error)))?;
    if bytes.len() as u64 > MOST_BYTES {
        return Err(refuse(format!("it is larger than {} MiB", MOST_BYTES / 1024 / 1024)));
    }
    let text = String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        refuse(format!("it is not text: byte {at} is not UTF-8"))
    })?;
    if text.contains('\0') {
        return Err(refuse("it is not text: it contains a NUL byte".to_owned()));
    }
    let text = text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text);
    Ok((name, text))
}

/// The texts of all files, and a finding for each that cannot be read.
pub(super) fn read_all(paths: &[PathBuf]) -> (Vec<(String, String)>, Vec<Finding>) {
    let usual: Vec<PathBuf> = default_file().into_iter().map(PathBuf::from).collect();
    let paths = match (paths, usual.as_slice()) {
        ([], []) => {
            let message = format!("there is no {} here", DEFAULT_FILES.join(" or "));
            let help = "name a file with -f, or write one: kubexm-bundle create config > cluster.yaml";
            return (vec![], vec![Finding::new(Code::Unreadable, None, message).help(help)]);
        }
        ([], usual) => usual,
        (paths, _) => paths,
    };
    let (mut files, mut problems) = (vec![], vec![]);
    for path in paths {
        match read(path) {
            Ok(file) => files.push(file),
            Err(problem) => problems.push(Finding::new(Code::Unreadable, None, problem.to_string())),
        }
    }
    (files, problems)
}

/// The system's reason without its number.
fn plain(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "there is no such file".to_owned(),
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        io::ErrorKind::IsADirectory => "it is a directory".to_owned(),
        _ => error.to_string(),
    }
}

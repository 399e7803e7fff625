//! `inspect`: what a bundle holds, as a table, as a tree, as JSON, or as a page to look at.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::{Args, ValueEnum};
use indicatif::HumanBytes;
use kubexm_builder::page::{self, Contents};
use kubexm_model::cluster::schema::{Arch, word};
use kubexm_model::console::bundle::{BundleArgs, lock_of};
use kubexm_model::console::{Exit, Failure, output};
use kubexm_model::lock::{Lock, Locked};
use serde_json::json;

#[derive(Debug, Args)]
pub(crate) struct Inspect {
    #[command(flatten)]
    bundle: BundleArgs,

    /// The form of the answer
    #[arg(short, long, value_enum, default_value_t, value_name = "FORMAT")]
    output: Form,

    /// Write a page to look at, with a map of the sizes
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,

    /// An older bundle: the page shows what changed since then
    #[arg(long, value_name = "BUNDLE", requires = "report")]
    since: Option<PathBuf>,
}

/// The forms of the answer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
enum Form {
    #[default]
    Table,
    Wide,
    /// Components, what belongs to them, and what that consists of
    Tree,
    Json,
    Yaml,
    Name,
}

impl Inspect {
    pub(crate) fn run(&self) -> Result<(), Failure> {
        let bundle = self.bundle.open()?;
        let lock = lock_of(&bundle, &self.bundle.bundle)?;
        if let Some(report) = &self.report {
            let contents = contents_of(&self.bundle)?;
            let since = self.since.as_ref().map(|since| contents_of(&self.bundle.with(since))).transpose()?;
            let page = page::render(&contents, since.as_ref());
            let written = fs_err::write(report, page);
            written.map_err(|error| Failure::new(Exit::Failed, "the page cannot be written").because(&error))?;
            return output::text(&format!("{}\n", report.display()));
        }
        match self.output {
            Form::Json => output::json(&json!({"statement": bundle.statement(), "lock": lock})),
            Form::Yaml => output::yaml(&json!({"statement": bundle.statement(), "lock": lock})),
            Form::Name => output::lines(lock.entries.iter().map(|entry| &entry.name)),
            Form::Tree => output::text(&tree(&lock)),
            Form::Table | Form::Wide => {
                let head = ["KIND", "NAME", "VERSION", "PLATFORM", "SIZE", "PROOF", "LICENCE", "FROM"];
                let columns = if self.output == Form::Wide { head.len() } else { 6 };
                let rows = lock.entries.iter().map(|entry| row(entry)[..columns].to_vec());
                output::text(&output::table(&head[..columns], rows))
            }
        }
    }
}

/// What a verified bundle holds, ready to be shown or compared.
pub(crate) fn contents_of(args: &BundleArgs) -> Result<Contents, Failure> {
    let bundle = args.open()?;
    let lock = lock_of(&bundle, &args.bundle)?;
    let keys: Vec<_> = bundle.signatures().iter().map(|signature| signature.key.fingerprint()).collect();
    Ok(Contents::of_bundle(&lock, bundle.statement(), &keys, bundle.index()))
}

/// Components with their entries, and images with their layers.
fn tree(lock: &Lock) -> String {
    let mut components: BTreeMap<&str, Vec<Branch>> = BTreeMap::new();
    for entry in &lock.entries {
        let [kind, name, _, platform, size, ..] = &row(entry)[..] else { continue };
        let layers = entry.platforms.iter().flat_map(|image| {
            let arch = image.arch.as_str();
            image.layers.iter().map(move |layer| {
                let twigs = vec![];
                Branch { text: format!("{arch} {} {}", layer.digest, HumanBytes(layer.size)), twigs }
            })
        });
        let text = format!("{kind} {name} {platform} {size}");
        components.entry(&entry.component).or_default().push(Branch { text, twigs: layers.collect() });
    }
    let mut text = format!("{}\n", lock.cluster);
    let root: Vec<Branch> =
        components.into_iter().map(|(name, twigs)| Branch { text: name.to_owned(), twigs }).collect();
    draw(&root, "", &mut text);
    text
}

/// A line of a tree, and the lines that hang on it.
struct Branch {
    text: String,
    twigs: Vec<Branch>,
}

fn draw(branches: &[Branch], indent: &str, out: &mut String) {
    for (at, branch) in branches.iter().enumerate() {
        let (fork, next) = if at + 1 == branches.len() { ("└─ ", "   ") } else { ("├─ ", "│  ") };
        *out += &[indent, fork, &branch.text, "\n"].concat();
        draw(&branch.twigs, &[indent, next].concat(), out);
    }
}

fn row(entry: &Locked) -> Vec<String> {
    let arch: Vec<&str> = entry.arch.iter().copied().map(Arch::as_str).collect();
    let platform = entry.os.as_ref().map_or("any".to_owned(), |os| format!("{os}/{}", arch.join(",")));
    let mut blobs: Vec<_> = entry.blobs().map(|blob| (blob.digest, blob.size)).collect();
    blobs.sort_unstable();
    blobs.dedup();
    let size: u64 = blobs.iter().map(|(_, size)| size).sum();
    vec![
        word(&entry.kind),
        entry.name.clone(),
        entry.version.clone().unwrap_or_else(|| "-".to_owned()),
        platform,
        HumanBytes(size).to_string(),
        word(&entry.proof),
        entry.licence.clone().unwrap_or_else(|| "-".to_owned()),
        entry.source.clone(),
    ]
}

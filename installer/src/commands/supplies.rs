//! Flags by which a bundle is given to a run, and what it brings.

use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use clap::Args;
use kubexm_installer::repository::key::SiteKey;
use kubexm_installer::supplies::{Image, Supplies};
use kubexm_model::cluster::Cluster;
use kubexm_model::console::bundle::{BundleArgs, TrustArgs, lock_of};
use kubexm_model::console::{Exit, Failure};

use super::nodes::NodeArgs;

/// The bundle, and the keys that are trusted.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Bundle")]
pub(crate) struct SupplyArgs {
    /// The bundle that everything comes from, or any of its volumes
    #[arg(long, value_name = "BUNDLE", visible_alias = "offline-bundle", requires = "bundle_key")]
    bundle: Option<PathBuf>,

    /// A public key that is trusted to sign bundles
    #[arg(long, value_name = "FILE", env = "KUBEXM_TRUSTED_KEY")]
    bundle_key: Vec<PathBuf>,

    /// A further folder with volumes of the bundle
    #[arg(long, value_name = "DIR")]
    volumes: Vec<PathBuf>,

    /// An ISO image of the packages, as `kubexm-bundle build --iso` writes it: nodes mount it instead of getting single files
    #[arg(long, value_name = "FILE", requires = "bundle")]
    iso: Option<PathBuf>,

    /// A bundle that it builds upon
    #[arg(long, value_name = "BUNDLE")]
    base: Vec<PathBuf>,

    #[command(flatten)]
    trust: TrustArgs,
}

impl SupplyArgs {
    /// Opens and verifies the bundle before any node is spoken to.
    pub(crate) fn open(&self, cluster: &Cluster, nodes: &NodeArgs) -> Result<Option<Supplies>, Failure> {
        let Some(path) = &self.bundle else { return Ok(None) };
        let args = BundleArgs::new(path.clone(), self.bundle_key.clone(), self.volumes.clone(), self.base.clone());
        let bundle = args.open_all()?;
        self.trust.check(path, bundle.newest(), &args.trusted()?)?;
        let lock = lock_of(bundle.newest(), path)?;
        let key = site_key(&nodes.state()?.join(cluster.name()))?;
        let supplies = Supplies::new(bundle, lock, key);
        let Some(iso) = &self.iso else { return Ok(Some(supplies)) };
        let image = Image::read(iso).map_err(|error| Failure::usage("the image cannot be read").because(&error))?;
        Ok(Some(supplies.with_image(image)))
    }
}

/// The site's key for package repositories: made once, for its owner alone.
fn site_key(folder: &Path) -> Result<SiteKey, Failure> {
    let path = folder.join("site-key.asc");
    let failed = |error: &dyn std::error::Error| {
        Failure::new(Exit::Failed, format!("the site's key {} cannot be used", path.display())).because(error)
    };
    if path.exists() {
        let text = fs_err::read_to_string(&path).map_err(|error| failed(&error))?;
        return SiteKey::read(&text).map_err(|error| failed(&error));
    }
    let key = SiteKey::generate("KubeXM site", SystemTime::now()).map_err(|error| failed(&error))?;
    let secret = key.secret().map_err(|error| failed(&error))?;
    let mut file = std::fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(&path)
        .map_err(|error| failed(&error))?;
    file.write_all(secret.as_bytes()).and_then(|()| file.sync_all()).map_err(|error| failed(&error))?;
    Ok(key)
}

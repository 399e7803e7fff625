//! One repository: where it is, what of it is wanted, and who may sign it.

use crate::packages::signature::Keyring;

/// A suite of an archive.
#[derive(Debug, Clone)]
pub struct Source {
    /// Its address, without `dists/`.
    pub address: String,
    /// Where it is read from instead.
    pub mirror: Option<String>,
    /// Its suite; one that ends with `/` is a folder without components.
    pub suite: String,
    /// Its components.
    pub components: Vec<String>,
    /// Whose signatures count.
    pub keys: Keyring,
}

impl Source {
    /// How it is named to people, as in a line of sources.list.
    pub fn name(&self) -> String {
        let address = self.mirror.as_ref().unwrap_or(&self.address);
        [&[address.clone(), self.suite.clone()], self.components.as_slice()].concat().join(" ")
    }

    /// The address of the folder that holds the Release file.
    pub(super) fn folder(&self) -> String {
        let address = self.mirror.as_ref().unwrap_or(&self.address).trim_end_matches('/');
        let suite = self.suite.trim_matches('/');
        match (self.is_flat(), suite) {
            (true, "" | ".") => address.to_owned(),
            (true, _) => format!("{address}/{suite}"),
            (false, _) => format!("{address}/dists/{suite}"),
        }
    }

    /// The paths of its indexes for some architectures, relative to the Release file.
    pub(super) fn indexes(&self, architectures: &[&str]) -> Vec<String> {
        if self.is_flat() {
            return vec!["Packages".to_owned()];
        }
        let mut paths = Vec::new();
        for component in &self.components {
            paths.extend(architectures.iter().map(|one| format!("{component}/binary-{one}/Packages")));
        }
        paths
    }

    fn is_flat(&self) -> bool {
        self.suite.ends_with('/')
    }
}

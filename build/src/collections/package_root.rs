//! The places of packages on this disk, which lead from pages to files and back.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use serde::{Deserialize, Serialize};

/// The place of a package's files.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PackageRoot {
    /// The directory that the paths of its files are relative to.
    pub path: PathBuf,
    /// Where several packages share that directory: the first names in the paths of its files.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub names: BTreeSet<String>,
}

impl PackageRoot {
    /// Returns the path of a file relative to the directory, if it belongs to the package.
    pub fn inner<'a>(&self, path: &'a Path) -> Option<&'a Path> {
        let inner = path.strip_prefix(&self.path).ok()?;
        let is_own = |name: &str| self.names.is_empty() || self.names.contains(name);
        match inner.components().next()? {
            Component::Normal(name) if name.to_str().is_some_and(is_own) => Some(inner),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_belongs_to_the_package_whose_names_it_has() {
        let path = PathBuf::from("/venv/site-packages");
        let names = BTreeSet::from(["yaml".to_owned()]);
        let root = PackageRoot { path: path.clone(), names };
        let file = path.join("yaml/nodes.py");
        assert_eq!(root.inner(&file), Some(Path::new("yaml/nodes.py")));
        assert_eq!(root.inner(&path.join("attr/nodes.py")), None);
        assert_eq!(root.inner(&path.join("../yaml/nodes.py")), None);
        assert_eq!(root.inner(Path::new("/etc/passwd")), None);
    }
}

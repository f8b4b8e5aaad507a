//! Distributions of Python in environments: `name-version.dist-info` in `site-packages`.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use findling_base::regular_file;

use crate::package::Package;
use crate::places::{Places, directories, is_directory};

/// Names of the environment of a project, beside its lock file.
const ENVIRONMENTS: [&str; 3] = [".venv", "venv", "env"];

/// Largest list of a distribution's files that is read, in bytes.
const MAX_RECORD_BYTES: u64 = 16 << 20;

/// A distribution in an environment.
#[derive(Clone, Debug)]
struct Distribution {
    version: String,
    /// The directory `site-packages`.
    site: PathBuf,
    /// `name-version.dist-info`.
    info: PathBuf,
}

/// The distributions of a project's environments, and those of all environments.
pub(crate) struct SitePackages<'a> {
    own: BTreeMap<String, Vec<Distribution>>,
    shared: Option<BTreeMap<String, Vec<Distribution>>>,
    places: &'a Places,
}

impl<'a> SitePackages<'a> {
    /// Looks for the distributions of the project in `directory`.
    pub fn new(directory: &Path, places: &'a Places) -> Self {
        let beside = ENVIRONMENTS.iter().map(|name| directory.join(name));
        let beside = beside.filter(|path| is_directory(path));
        let mut own = BTreeMap::new();
        for environment in places.environments.iter().cloned().chain(beside) {
            add(&environment, &mut own);
        }
        Self { own, shared: None, places }
    }

    /// Returns `site-packages` with a distribution and the paths of its files below that. A package
    /// without a version is found in the project's own environments only.
    pub fn find(&mut self, package: &Package) -> Option<(Package, PathBuf, Vec<PathBuf>)> {
        let name = normalised(&package.name);
        let fits = |known: &&Distribution| {
            package.version.is_empty() || known.version.eq_ignore_ascii_case(&package.version)
        };
        let find = |all: &BTreeMap<String, Vec<Distribution>>| {
            all.get(&name).and_then(|known| known.iter().find(fits)).cloned()
        };
        let found = find(&self.own).or_else(|| {
            let places = self.places;
            let shared = self.shared.get_or_insert_with(|| {
                let mut all = BTreeMap::new();
                let environments = places.shared_environments.iter();
                environments
                    .flat_map(|path| directories(path))
                    .for_each(|path| add(&path, &mut all));
                all
            });
            if package.version.is_empty() { None } else { find(shared) }
        })?;
        let files = files(&found);
        let known = Package::new(package.ecosystem, &package.name, &found.version)?;
        Some((Package { is_optional: package.is_optional, ..known }, found.site, files))
    }
}

/// Adds the distributions of an environment.
fn add(environment: &Path, all: &mut BTreeMap<String, Vec<Distribution>>) {
    let libraries = [environment.join("lib"), environment.join("lib64")];
    let pythons = libraries.iter().filter(|path| is_directory(path)).flat_map(|path| {
        directories(path).into_iter().filter(|path| {
            path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("python"))
        })
    });
    let sites = pythons.map(|python| python.join("site-packages"));
    let on_windows = environment.join("Lib").join("site-packages");
    for site in sites.chain([on_windows, environment.to_owned()]) {
        for info in directories(&site) {
            let name = info.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let known = name.strip_suffix(".dist-info").and_then(|name| name.split_once('-'));
            if let Some((name, version)) = known {
                let version = version.to_owned();
                let distribution = Distribution { version, site: site.clone(), info };
                all.entry(normalised(name)).or_default().push(distribution);
            }
        }
    }
}

/// Returns a name as it is compared: lower-case, with one `-` for `-`, `_` and `.`.
fn normalised(name: &str) -> String {
    let words = name.split(['-', '_', '.']).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("-").to_lowercase()
}

/// Returns the files in a distribution's list that lie below `site-packages`.
fn files(distribution: &Distribution) -> Vec<PathBuf> {
    let record = regular_file::read(&distribution.info.join("RECORD"), MAX_RECORD_BYTES);
    let record = String::from_utf8(record.unwrap_or_default()).unwrap_or_default();
    let mut files: Vec<PathBuf> = record.lines().filter_map(path_of).collect();
    let metadata = distribution.info.file_name().map(|info| Path::new(info).join("METADATA"));
    files.extend(metadata);
    files.sort();
    files.dedup();
    files
}

/// Returns the path in a line of `RECORD`: `name/file.py,sha256=…,123`. A path that leads out of
/// `site-packages` is not accepted.
fn path_of(line: &str) -> Option<PathBuf> {
    let path = match line.strip_prefix('"') {
        Some(quoted) => quoted.split_once('"')?.0,
        None => line.split(',').next()?,
    };
    let path = PathBuf::from(path);
    let is_inside = path.components().all(|part| matches!(part, Component::Normal(_)));
    (is_inside && !path.as_os_str().is_empty()).then_some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_compared_as_the_registry_does() {
        assert_eq!(normalised("Ruamel.YAML__x"), "ruamel-yaml-x");
    }

    #[test]
    fn lines_of_a_list_that_lead_out_are_not_accepted() {
        assert_eq!(path_of("a/b.py,sha256=x,1"), Some(PathBuf::from("a/b.py")));
        assert_eq!(path_of("\"a,b.py\",sha256=x,1"), Some(PathBuf::from("a,b.py")));
        for line in ["../../bin/tool,,", "/etc/passwd,,", "a/../../b,,", "", "\"x"] {
            assert_eq!(path_of(line), None, "{line}");
        }
    }
}

//! The formats of lock files. Each parser returns the packages that come from a registry or from a
//! repository; packages of the project itself are left out.

pub(crate) mod cargo;
pub(crate) mod go;
pub(crate) mod npm;
pub(crate) mod pnpm;
pub(crate) mod python;
pub(crate) mod requirements;
pub(crate) mod yarn;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::package::Package;

/// The content of a lock file.
#[derive(Debug, Default)]
pub(crate) struct Content {
    pub packages: Vec<Package>,
    /// Entries that are left out, since their names or versions are none of a registry.
    pub refused: Vec<String>,
}

impl Content {
    /// Adds a package, or the entry that gives none.
    pub fn push(&mut self, package: Option<Package>, entry: &str) {
        match package {
            Some(package) => self.packages.push(package),
            None => self.refused.push(entry.to_owned()),
        }
    }
}

/// A lock file in TOML: a list of packages.
#[derive(Deserialize)]
struct List<E> {
    #[serde(default = "Vec::new")]
    package: Vec<E>,
}

/// Returns the entries of a lock file in TOML.
fn listed<E: DeserializeOwned>(text: &str) -> Result<Vec<E>, String> {
    let list: List<E> = toml::from_str(text).map_err(|error| first_line(error.message()))?;
    Ok(list.package)
}

/// Returns the first line of a parser's message.
pub(crate) fn first_line(message: &str) -> String {
    message.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or("an error").to_owned()
}

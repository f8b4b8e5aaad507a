//! Modules in the cache of Go.

use std::path::PathBuf;

use crate::package::Package;
use crate::places::{Places, is_directory};

/// Returns the directory of a module: `github.com/!burnt!sushi/toml@v0.3.1`.
pub(crate) fn find(package: &Package, places: &Places) -> Option<PathBuf> {
    let path = format!("{}@{}", escaped(&package.name), escaped(&package.version));
    let mut paths = places.module_caches.iter().map(|cache| (cache, cache.join(&path)));
    let (cache, path) = paths.find(|(_, path)| is_directory(path))?;
    // A directory on the way may be a link.
    let is_below = path.canonicalize().ok()?.starts_with(cache.canonicalize().ok()?);
    is_below.then_some(path)
}

/// Returns a path in which each upper-case letter is `!` and the lower-case letter, since some
/// systems do not distinguish them.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_ascii_uppercase() {
            escaped.push('!');
        }
        escaped.push(c.to_ascii_lowercase());
    }
    escaped
}

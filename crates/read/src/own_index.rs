//! The index of a site's own search, as MkDocs writes it. If a page is not in it, its author keeps
//! it out of searches.

use std::collections::{BTreeSet, HashSet};
use std::path::PathBuf;

use serde_json::Value;

use super::tree::Tree;
use super::{Problem, RawPage, Severity};

/// The places of the index, below the root of a site or of one of its versions.
const PLACE: &str = "search/search_index.json";

/// Largest index that is read, in bytes.
const MAX_BYTES: u64 = 256 << 20;

/// Largest number of directories between the root and the root of a version.
const MAX_LEVELS: usize = 2;

/// Leaves out pages that are missing in the index of their own site.
pub(super) fn drop_unlisted(
    pages: &mut [&mut RawPage],
    tree: &Tree,
    on_problem: &mut dyn FnMut(Problem),
) {
    let mut looked_at: BTreeSet<PathBuf> = BTreeSet::new();
    let mut sites: Vec<(String, PathBuf)> = Vec::new();
    for raw in pages.iter() {
        let depth = raw.page.id.split('/').count();
        let names: Vec<&str> = raw.page.id.split('/').collect();
        let Some(root) = raw.path.ancestors().nth(depth) else { continue };
        for n in 0..depth.min(MAX_LEVELS + 1) {
            let below = names[..n].join("/");
            let directory = root.join(&below);
            if looked_at.insert(directory.clone()) && tree.is_file(&directory.join(PLACE)) {
                sites.push((below, directory.join(PLACE)));
            }
        }
    }
    for (below, path) in sites {
        let Some(listed) = listed(&path, tree) else { continue };
        let prefix = if below.is_empty() { String::new() } else { format!("{below}/") };
        let is_listed = |raw: &RawPage| {
            let id = raw.page.id.strip_prefix(&prefix)?;
            Some(listed.contains(key(id)))
        };
        let found: Vec<bool> = pages.iter().filter_map(|raw| is_listed(raw)).collect();
        let n_listed = found.iter().filter(|listed| **listed).count();
        // An index of another build, or of a part of the site, says nothing about other pages.
        if n_listed * 2 < found.len() {
            continue;
        }
        for raw in pages.iter_mut() {
            // The error page has its own reason.
            if is_listed(raw) != Some(false) || raw.is_dropped {
                continue;
            }
            raw.is_dropped = true;
            let reason = "the index of the site's own search leaves it out".to_owned();
            let path = raw.path.clone();
            on_problem(Problem { severity: Severity::Skipped, path, line: None, reason });
        }
    }
}

/// Returns the pages that an index lists.
fn listed(path: &std::path::Path, tree: &Tree) -> Option<HashSet<String>> {
    if tree.len(path).ok()? > MAX_BYTES {
        return None;
    }
    let index: Value = serde_json::from_slice(&tree.read(path).ok()?).ok()?;
    // Zensical calls them items.
    let docs = index.get("docs").or_else(|| index.get("items"))?.as_array()?;
    let location = |doc: &Value| doc.get("location")?.as_str().map(|at| key(at).to_owned());
    let listed: HashSet<String> = docs.iter().filter_map(location).collect();
    (!listed.is_empty()).then_some(listed)
}

/// Returns the path of a page without the parts that its addresses may leave out.
fn key(location: &str) -> &str {
    let path = location.split(['#', '?']).next().unwrap_or_default().trim_start_matches("./");
    let path = path.strip_suffix("index.html").unwrap_or(path);
    path.trim_matches('/')
}

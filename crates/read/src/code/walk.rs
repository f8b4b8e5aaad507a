//! The files of a directory of code.

use std::path::{Path, PathBuf};

use super::super::Severity;
use super::super::tree::Tree;
use super::kinds::is_read;

/// Lists the code and the documents beside it below a directory, in the order of their paths.
/// Hidden files, files that `.gitignore` and `.ignore` on a disk name, directories that programs
/// fill, and files for which `is_excluded` returns true are left out. Links are not followed. The
/// other files that are left out are reported, each with the reason.
pub(crate) fn walk(
    directory: &Path,
    tree: &Tree,
    is_excluded: &(dyn Fn(&Path) -> bool + Sync),
    tell: &mut dyn FnMut(Severity, &Path, String),
) -> Vec<PathBuf> {
    let mut files = if tree.is_disk() {
        on_disk(directory, tree, tell)
    } else {
        let is_hidden = |path: &Path, is_dir: bool| {
            path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'))
                || is_dir && is_filled(path, tree)
        };
        let mut files = Vec::new();
        tree.walk(directory, &is_hidden, &mut |path| files.extend(path));
        files
    };
    files.retain(|path| {
        let is_read = is_read(path) || is_script(path, tree);
        if !is_read && !is_excluded(path) {
            tell(Severity::Skipped, path, not_read(path));
        }
        is_read && !is_excluded(path)
    });
    files
}

/// Returns the message about a file of a kind that is not read.
fn not_read(path: &Path) -> String {
    match path.extension().map(|end| end.to_string_lossy().to_ascii_lowercase()) {
        Some(end) => format!("is of a kind that is not read: .{end}"),
        None => "is of a kind that is not read: no extension".to_owned(),
    }
}

/// Returns whether programs fill a directory: with packages, caches, compiled files, or a bundle.
fn is_filled(directory: &Path, tree: &Tree) -> bool {
    let name = directory.file_name().unwrap_or_default();
    name == "node_modules"
        || name == "__pycache__"
        || ["CACHEDIR.TAG", "pyvenv.cfg", "findling.idx"]
            .iter()
            .any(|mark| tree.is_file(&directory.join(mark)))
}

/// Returns all files below a directory on a disk that no `.gitignore` excludes.
#[cfg(feature = "repositories")]
fn on_disk(
    directory: &Path,
    tree: &Tree,
    tell: &mut dyn FnMut(Severity, &Path, String),
) -> Vec<PathBuf> {
    use std::sync::{Arc, Mutex};

    let mut files = Vec::new();
    let mut walker = ignore::WalkBuilder::new(directory);
    // A directory outside a repository may also have these files.
    walker.require_git(false).sort_by_file_path(Path::cmp);
    if !has_plain_rules(directory) {
        tell(Severity::Error, directory, UNREADABLE_RULES.to_owned());
        return files;
    }
    let refused = Arc::new(Mutex::new(Vec::new()));
    let (bounds, follows, refusing) =
        (tree.bounds().clone(), tree.follows_links(), refused.clone());
    let of_filled = tree.clone();
    walker.follow_links(follows).filter_entry(move |entry| {
        let is_dir = entry.file_type().is_some_and(|kind| kind.is_dir());
        if is_dir && entry.depth() > 0 && is_filled(entry.path(), &of_filled) {
            return false;
        }
        if follows && (entry.path_is_symlink() || is_dir) {
            let real = entry.path().canonicalize();
            return real.is_ok_and(|real| bounds.allows(&real));
        }
        if is_dir && !has_plain_rules(entry.path()) {
            if let Ok(mut refused) = refusing.lock() {
                refused.push(entry.path().to_owned());
            }
            return false;
        }
        true
    });
    for entry in walker.build() {
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) => {
                tell(Severity::Error, directory, format!("cannot be read: {error}"));
                continue;
            }
        };
        if entry.file_type().is_some_and(|kind| kind.is_file()) {
            files.push(entry.into_path());
        } else if entry.path_is_symlink() && is_read(entry.path()) {
            let reason = "is left out: links in code are followed with --follow-links only";
            tell(Severity::Skipped, entry.path(), reason.to_owned());
        }
    }
    let refused = refused.lock().map(|mut refused| std::mem::take(&mut *refused));
    for path in refused.unwrap_or_default() {
        tell(Severity::Error, &path, UNREADABLE_RULES.to_owned());
    }
    files
}

/// The message about a directory whose rules cannot be read.
#[cfg(feature = "repositories")]
const UNREADABLE_RULES: &str =
    "is left out: expected .gitignore and .ignore to be files of less than 1 MB";

/// Returns whether the rule files of a directory, such as `.gitignore`, are regular files. Their
/// reader would wait for a pipe, and would read a device without end.
#[cfg(feature = "repositories")]
fn has_plain_rules(directory: &Path) -> bool {
    use findling_base::small_file;

    [".gitignore", ".ignore", ".git/info/exclude"].iter().all(|name| {
        match std::fs::metadata(directory.join(name)) {
            Ok(metadata) => metadata.is_file() && metadata.len() <= small_file::MAX_LEN,
            Err(_) => true,
        }
    })
}

/// Reports the directory and leaves it out.
#[cfg(not(feature = "repositories"))]
fn on_disk(
    directory: &Path,
    _: &Tree,
    tell: &mut dyn FnMut(Severity, &Path, String),
) -> Vec<PathBuf> {
    let reason = "is not read here; build this program with the feature `repositories`";
    tell(Severity::Error, directory, reason.to_owned());
    Vec::new()
}

/// Returns whether a file without an extension begins with `#!`.
fn is_script(path: &Path, tree: &Tree) -> bool {
    path.extension().is_none() && tree.start(path, 2) == b"#!"
}

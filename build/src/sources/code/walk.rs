//! The files of a directory of code.

use std::path::{Path, PathBuf};

use super::super::Severity;
use super::super::tree::Tree;
use super::{is_code, is_markup};

/// Code and prose beside it below a directory, in the order of their paths: without what is hidden,
/// what `.gitignore` and `.ignore` on a disk name, and what `is_excluded` says. Links are not
/// followed.
pub(in crate::sources) fn walk(
    directory: &Path,
    tree: &Tree,
    is_excluded: &(dyn Fn(&Path) -> bool + Sync),
    tell: &mut dyn FnMut(Severity, &Path, String),
) -> Vec<PathBuf> {
    let mut files = if tree.is_disk() {
        on_disk(directory, tell)
    } else {
        let is_hidden = |path: &Path, _: bool| {
            path.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.'))
        };
        let mut files = Vec::new();
        tree.walk(directory, &is_hidden, &mut |path| files.extend(path));
        files
    };
    files.retain(|path| {
        (is_code(path) || is_markup(path) || is_script(path, tree)) && !is_excluded(path)
    });
    files
}

/// All files below a directory on a disk that no `.gitignore` leaves out.
#[cfg(not(target_family = "wasm"))]
fn on_disk(directory: &Path, tell: &mut dyn FnMut(Severity, &Path, String)) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let walker = ignore::WalkBuilder::new(directory)
        // A directory that is no repository may have the files as well.
        .require_git(false)
        .sort_by_file_path(Path::cmp)
        .build();
    for entry in walker {
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) => {
                tell(Severity::Error, directory, format!("cannot be read: {error}"));
                continue;
            }
        };
        if entry.file_type().is_some_and(|kind| kind.is_file()) {
            files.push(entry.into_path());
        }
    }
    files
}

/// None: for WebAssembly, files are in memory.
#[cfg(target_family = "wasm")]
fn on_disk(_: &Path, _: &mut dyn FnMut(Severity, &Path, String)) -> Vec<PathBuf> {
    Vec::new()
}

/// Whether a file without an extension begins with `#!`.
fn is_script(path: &Path, tree: &Tree) -> bool {
    path.extension().is_none() && tree.start(path, 2) == b"#!"
}

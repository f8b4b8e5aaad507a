//! The files of a directory of code.

use std::path::{Path, PathBuf};

use ignore::WalkBuilder;

use super::super::Severity;
use super::{is_code, is_markup};

/// Code and prose beside it below a directory, in the order of their paths: without what is hidden,
/// what `.gitignore` and `.ignore` name, and what `is_excluded` says. Links are not followed.
pub(in crate::sources) fn walk(
    directory: &Path,
    is_excluded: &(dyn Fn(&Path) -> bool + Sync),
    tell: &mut dyn FnMut(Severity, &Path, String),
) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let walker = WalkBuilder::new(directory)
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
        let path = entry.path();
        let is_file = entry.file_type().is_some_and(|kind| kind.is_file());
        if is_file && (is_code(path) || is_markup(path) || is_script(path)) && !is_excluded(path) {
            files.push(entry.into_path());
        }
    }
    files
}

/// Whether a file without an extension begins with `#!`.
fn is_script(path: &Path) -> bool {
    use std::io::Read;
    if path.extension().is_some() {
        return false;
    }
    let mut start = [0; 2];
    std::fs::File::open(path).and_then(|mut file| file.read_exact(&mut start)).is_ok()
        && start == *b"#!"
}

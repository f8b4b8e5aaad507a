//! Files that a document takes parts from: `.. include::` and its like.
//!
//! Only files below the root of the site are read, and links that lead out of it are not followed.

use std::cell::RefCell;
use std::path::{Path, PathBuf};

use super::files::File;
use super::tree::Tree;
use super::{Outcome, Severity, decode};

/// Largest sum of the sizes of all files that a page takes in.
const MAX_BYTES: usize = 8 << 20;

/// Largest number of files that a page takes in.
const MAX_FILES: usize = 500;

/// Largest number of files that cannot be taken in and are named.
const MAX_TOLD: usize = 3;

/// Why a file is not taken in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refused {
    /// There is no such file, or it cannot be read.
    Missing,
    /// It is not below the root.
    Outside,
    /// It is the page.
    Itself,
    /// The page takes in too much.
    TooMuch,
}

/// The files that a page takes in.
#[derive(Debug)]
pub(super) struct Includes {
    tree: Tree,
    /// `None` where nothing can be taken in: the page does not come from a file.
    root: Option<PathBuf>,
    directory: PathBuf,
    /// The page.
    page: Option<PathBuf>,
    state: RefCell<State>,
}

#[derive(Debug, Default)]
struct State {
    bytes: usize,
    files: usize,
    refused: Vec<(String, Refused)>,
}

impl Includes {
    /// Those of a page.
    pub fn of(file: &File, tree: &Tree) -> Self {
        let directory = match file.path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
            _ => PathBuf::from("."),
        };
        let depth = file.id.split('/').count() - 1;
        let root = directory.ancestors().nth(depth).unwrap_or(&directory);
        let root = if root.as_os_str().is_empty() { Path::new(".") } else { root };
        let is_file = tree.is_file(&file.path);
        Self {
            tree: tree.clone(),
            root: is_file.then(|| tree.canonicalize(root).ok()).flatten(),
            page: tree.canonicalize(&file.path).ok(),
            directory,
            state: RefCell::default(),
        }
    }

    /// The path and the text of a file. A path that begins with `/` is relative to the root, others
    /// to `from`, a file that was taken in, or to the page.
    ///
    /// # Errors
    /// Why the file is not taken in.
    pub fn open(&self, from: Option<&Path>, target: &str) -> Result<(PathBuf, String), Refused> {
        let found = self.find(from, target);
        if let Err(refused) = &found {
            self.state.borrow_mut().refused.push((target.to_owned(), *refused));
        }
        found
    }

    /// The path of a file whose name is relative to the page.
    pub fn beside(&self, name: &str) -> PathBuf {
        self.directory.join(name)
    }

    fn find(&self, from: Option<&Path>, target: &str) -> Result<(PathBuf, String), Refused> {
        let root = self.root.as_ref().ok_or(Refused::Outside)?;
        let directory = from.and_then(Path::parent).unwrap_or(&self.directory);
        let path = match target.strip_prefix('/') {
            Some(below) => root.join(below.trim_start_matches('/')),
            None => directory.join(target),
        };
        let path = self.tree.canonicalize(&path).map_err(|_| Refused::Missing)?;
        if !path.starts_with(root) {
            return Err(Refused::Outside);
        }
        if Some(&path) == self.page.as_ref() {
            return Err(Refused::Itself);
        }
        if !self.tree.is_file(&path) {
            return Err(Refused::Missing);
        }
        let size = self.tree.len(&path).map_err(|_| Refused::Missing)?;
        let size = usize::try_from(size).unwrap_or(usize::MAX);
        let mut state = self.state.borrow_mut();
        if state.files >= MAX_FILES || size > MAX_BYTES - state.bytes.min(MAX_BYTES) {
            return Err(Refused::TooMuch);
        }
        let bytes = self.tree.read(&path).map_err(|_| Refused::Missing)?;
        state.files += 1;
        state.bytes += bytes.len();
        Ok((path, decode::plain(&bytes, None).text.replace('\0', " ")))
    }

    /// Tells of the files that were not taken in, and that the page depends on those that were.
    pub fn tell(&self, file: &File, outcome: &mut Outcome) {
        let mut state = self.state.take();
        // The file's own bytes do not tell what the page holds.
        outcome.may_change |= state.files > 0 || !state.refused.is_empty();
        state.refused.dedup();
        let n = state.refused.len();
        for (target, refused) in state.refused.into_iter().take(MAX_TOLD) {
            let reason = match refused {
                Refused::Missing => "which is not there or cannot be read".to_owned(),
                Refused::Outside => {
                    "which is not below the root; give a directory that contains both".to_owned()
                }
                Refused::Itself => "which is itself".to_owned(),
                Refused::TooMuch => {
                    format!("but takes in more than {MAX_FILES} files or {MAX_BYTES} bytes")
                }
            };
            let reason = format!("takes in `{target}`, {reason}; the rest of the page is read");
            outcome.tell(Severity::Warning, &file.path, None, reason);
        }
        if n > MAX_TOLD {
            let reason = format!("takes in {} more files that cannot be read", n - MAX_TOLD);
            outcome.tell(Severity::Warning, &file.path, None, reason);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Format;
    use super::*;

    fn of(dir: &Path, id: &str) -> Includes {
        Includes::of(
            &File { id: id.into(), path: dir.join(id), format: Format::Rst },
            &Tree::default(),
        )
    }

    #[test]
    fn only_files_below_the_root_are_taken_in() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("docs");
        std::fs::create_dir_all(root.join("guide")).unwrap();
        std::fs::write(root.join("guide/a.rst"), "page").unwrap();
        std::fs::write(root.join("part.txt"), "part").unwrap();
        std::fs::write(dir.path().join("secret.txt"), "secret").unwrap();
        let includes = of(&root, "guide/a.rst");
        let text = |target| includes.open(None, target).map(|(_, text)| text);
        assert_eq!(text("../part.txt"), Ok("part".to_owned()));
        assert_eq!(text("/part.txt"), Ok("part".to_owned()));
        assert_eq!(text("../../secret.txt"), Err(Refused::Outside));
        assert_eq!(text("/../secret.txt"), Err(Refused::Outside));
        assert_eq!(text("/etc/passwd"), Err(Refused::Missing));
        assert_eq!(text("absent.txt"), Err(Refused::Missing));
        assert_eq!(text("."), Err(Refused::Missing));
        assert_eq!(text("a.rst"), Err(Refused::Itself));
        #[cfg(unix)]
        {
            let link = root.join("guide/link.txt");
            std::os::unix::fs::symlink(dir.path().join("secret.txt"), link).unwrap();
            assert_eq!(text("link.txt"), Err(Refused::Outside));
        }
        let (part, _) = includes.open(None, "../part.txt").unwrap();
        let itself = includes.open(Some(&part), "guide/a.rst").unwrap_err();
        assert_eq!(itself, Refused::Itself, "relative to the part");
    }

    #[test]
    fn a_page_from_the_web_takes_nothing_in() {
        let file = File {
            id: "a.rst".into(),
            path: "https://example.org/a.rst".into(),
            format: Format::Rst,
        };
        let includes = Includes::of(&file, &Tree::default());
        assert_eq!(includes.open(None, "/etc/hostname").unwrap_err(), Refused::Outside);
    }

    #[test]
    fn what_a_page_takes_in_is_limited_and_told() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("a.rst"), "page").unwrap();
        std::fs::write(dir.path().join("large.txt"), vec![b'x'; MAX_BYTES / 2 + 1]).unwrap();
        let includes = of(dir.path(), "a.rst");
        assert!(includes.open(None, "large.txt").is_ok());
        assert_eq!(includes.open(None, "large.txt").unwrap_err(), Refused::TooMuch);
        for name in ["b", "c", "d"] {
            assert!(includes.open(None, name).is_err());
        }
        let mut outcome = Outcome::default();
        let path = dir.path().join("a.rst");
        includes.tell(&File { id: "a.rst".into(), path, format: Format::Rst }, &mut outcome);
        assert!(outcome.may_change);
        assert_eq!(outcome.problems.len(), MAX_TOLD + 1);
    }
}

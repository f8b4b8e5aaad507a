//! Files that a document includes, by `.. include::` and similar constructs.
//!
//! Only files below the root of the site are read, and links that lead out of it are not followed.

use std::cell::RefCell;
use std::path::{Component, Path, PathBuf};
use std::time::SystemTime;

use bincode::{Decode, Encode};

use super::file::File;
use super::tree::Tree;
use super::{Outcome, Severity, decode};

/// Largest total size of all files that a page includes.
const MAX_BYTES: usize = 8 << 20;

/// Largest number of files that a page includes.
const MAX_FILES: usize = 500;

/// Largest number of files that could not be included and are named.
const MAX_TOLD: usize = 3;

/// A file that a page depends on besides its own.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode)]
pub struct Included {
    /// The path below the root as it was given.
    pub path: PathBuf,
    /// The length in bytes.
    pub len: u64,
    /// The time when it was written, if the system gives it.
    pub modified: Option<SystemTime>,
    /// The BLAKE3 hash of the contents that were read, in hex digits; `None` if there is no such
    /// file.
    pub hash: Option<String>,
}

/// The reason why a file is not included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refused {
    /// A file that does not exist or cannot be read.
    Missing,
    /// A file that is not below the root.
    Outside,
    /// The file of the page itself.
    Itself,
    /// A file that exceeds the limits, because the page includes too much.
    TooMuch,
}

/// The files that a page includes.
#[derive(Debug)]
pub(super) struct Includes {
    tree: Tree,
    /// The root without links; `None` if nothing can be included, for example because the page does
    /// not come from a file.
    root: Option<PathBuf>,
    /// The root as it was given. The paths of the site's files begin with it.
    given_root: PathBuf,
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
    included: Vec<Included>,
}

impl Includes {
    /// Returns an empty set of the files that a page includes.
    pub fn of(file: &File, tree: &Tree) -> Self {
        let directory = match file.path.parent() {
            Some(parent) if !parent.as_os_str().is_empty() => parent.to_owned(),
            _ => PathBuf::from("."),
        };
        let depth = file.id.split('/').count() - 1;
        let root = directory.ancestors().nth(depth).unwrap_or(&directory);
        let root = if root.as_os_str().is_empty() { Path::new(".") } else { root };
        // The id of a package's file does not tell the root.
        let is_file = tree.is_file(&file.path) && file.package.is_none();
        Self {
            tree: tree.clone(),
            // If inputs only have the root of the file system in common, every file is below it.
            root: is_file
                .then(|| tree.canonicalize(root).ok())
                .flatten()
                .filter(|root| !tree.is_disk() || root.parent().is_some()),
            page: tree.canonicalize(&file.path).ok(),
            given_root: root.to_owned(),
            directory,
            state: RefCell::default(),
        }
    }

    /// Returns the path and the text of a file. A path that begins with `/` is relative to the
    /// root, others to `from`, an included file, or to the page.
    ///
    /// # Errors
    /// The reason why the file is not included.
    pub fn open(&self, from: Option<&Path>, target: &str) -> Result<(PathBuf, String), Refused> {
        let found = self.find(from, target);
        if let Err(refused) = &found {
            self.state.borrow_mut().refused.push((target.to_owned(), *refused));
        }
        found
    }

    /// Opens the first existing one of several files, like [`open`](Self::open).
    ///
    /// # Errors
    /// The reason why the first of them is not included.
    pub fn open_first(
        &self,
        from: Option<&Path>,
        targets: &[String],
    ) -> Result<(PathBuf, String), Refused> {
        let mut first = None;
        for target in targets {
            match self.find(from, target) {
                Ok(found) => return Ok(found),
                Err(refused) => first.get_or_insert(refused),
            };
        }
        let refused = first.unwrap_or(Refused::Missing);
        let target = targets.first().cloned().unwrap_or_default();
        self.state.borrow_mut().refused.push((target, refused));
        Err(refused)
    }

    /// Returns the text of a file that the page refers to, if it exists.
    pub fn look(&self, target: &str) -> Option<String> {
        self.find(None, target).ok().map(|(_, text)| text)
    }

    /// Returns whether the page comes from a file and can include other files.
    pub fn can_open(&self) -> bool {
        self.root.is_some()
    }

    /// Returns the path of a file whose name is relative to the page.
    #[cfg_attr(not(feature = "asciidoc"), expect(dead_code, reason = "AsciiDoc asks"))]
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
        let Ok(path) = self.tree.canonicalize(&path) else {
            self.miss(&path);
            return Err(Refused::Missing);
        };
        let Ok(below) = path.strip_prefix(root) else { return Err(Refused::Outside) };
        if Some(&path) == self.page.as_ref() {
            return Err(Refused::Itself);
        }
        let known_as = self.given_root.join(below);
        let len = self.tree.len(&path).ok().filter(|_| self.tree.is_file(&path));
        let Some(len) = len else {
            self.miss(&known_as);
            return Err(Refused::Missing);
        };
        let size = usize::try_from(len).unwrap_or(usize::MAX);
        let mut state = self.state.borrow_mut();
        if state.files >= MAX_FILES || size > MAX_BYTES - state.bytes.min(MAX_BYTES) {
            return Err(Refused::TooMuch);
        }
        let Ok(bytes) = self.tree.read_below(root, &path) else {
            drop(state);
            self.miss(&known_as);
            return Err(Refused::Missing);
        };
        state.files += 1;
        state.bytes += bytes.len();
        state.included.push(Included {
            path: known_as,
            len,
            modified: self.tree.modified(&path),
            hash: Some(blake3::hash(&bytes).to_hex().to_string()),
        });
        Ok((path, decode::plain(&bytes, None).text.replace('\0', " ")))
    }

    /// Records that a file below the root is missing: the page would be different if the file
    /// existed.
    fn miss(&self, path: &Path) {
        let mut known_as = PathBuf::new();
        for part in path.components() {
            match part {
                Component::ParentDir => drop(known_as.pop()),
                Component::CurDir => {}
                part => known_as.push(part),
            }
        }
        let given = self.root.as_ref().and_then(|root| known_as.strip_prefix(root).ok());
        let known_as = given.map_or(known_as.clone(), |below| self.given_root.join(below));
        if known_as.starts_with(&self.given_root) || self.given_root == Path::new(".") {
            let missing = Included { path: known_as, len: 0, modified: None, hash: None };
            self.state.borrow_mut().included.push(missing);
        }
    }

    /// Reports the files that were not included, and records that the page depends on the included
    /// ones.
    pub fn tell(&self, file: &File, outcome: &mut Outcome) {
        let mut state = self.state.take();
        // The file's own bytes do not determine the page's contents.
        outcome.may_change |= state.files > 0 || !state.refused.is_empty();
        outcome.included.append(&mut state.included);
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
            &File { id: id.into(), path: dir.join(id), format: Format::Rst, package: None },
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
            package: None,
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
        includes.tell(
            &File { id: "a.rst".into(), path, format: Format::Rst, package: None },
            &mut outcome,
        );
        assert!(outcome.may_change);
        assert_eq!(outcome.problems.len(), MAX_TOLD + 1);
    }
}

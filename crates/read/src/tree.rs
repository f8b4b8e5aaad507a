//! The files of a site: on a disk, or in memory if there is no disk, as in a browser.
//!
//! A path in memory is relative, and the empty path is the directory of all files. Both kinds list
//! the same files in the same order, so the same site gives the same bundle.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use walkdir::DirEntry;

use super::bounds::Bounds;

/// The files from which a site is read.
#[derive(Clone, Default)]
pub struct Tree {
    /// The files, if they are in memory.
    files: Option<Arc<BTreeMap<PathBuf, Vec<u8>>>>,
    /// The places where files of a disk may be read.
    bounds: Bounds,
}

/// Largest number of bytes that are read of a file whose length the system does not give.
const MAX_UNTOLD_BYTES: u64 = 64 << 20;

/// Shows where the files are, not their contents, because this text is part of the keys of pages in
/// the cache.
impl fmt::Debug for Tree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.files.is_some() { "Memory" } else { "Disk" })
    }
}

/// The problem with an entry of a directory.
pub(super) enum Fault {
    /// A link to a directory above it.
    LinksBackTo(PathBuf),
    /// A link out of the input.
    LeadsOut,
    /// A link to something that is not there.
    Dangling,
    /// An entry that cannot be read.
    Unreadable(String),
}

impl Tree {
    /// Returns files in memory. Paths are relative; if a path leads out of the directory, only its
    /// names are kept.
    pub fn of_files(files: impl IntoIterator<Item = (String, Vec<u8>)>) -> Self {
        let files = files.into_iter().map(|(path, bytes)| (names_of(Path::new(&path)), bytes));
        Self { files: Some(Arc::new(files.collect())), bounds: Bounds::default() }
    }

    /// Returns the same files. Files on a disk are read only below the inputs, unless links may
    /// lead out of them. Bounds that were already set stay.
    pub(super) fn within(&self, inputs: &[PathBuf], follows: bool) -> Self {
        let is_free = self.is_disk() && !self.bounds.is_set();
        let bounds = if is_free { Bounds::of(inputs, follows) } else { self.bounds.clone() };
        Self { files: self.files.clone(), bounds }
    }

    /// Returns whether links are followed to any target. Without bounds this is false, because no
    /// user has requested it.
    #[cfg(feature = "repositories")]
    pub(super) fn follows_links(&self) -> bool {
        self.bounds.is_set() && self.bounds.follows()
    }

    /// Returns the places where files of a disk may be read.
    #[cfg(feature = "repositories")]
    pub(super) fn bounds(&self) -> &Bounds {
        &self.bounds
    }

    /// Returns whether a path is a directory.
    pub(super) fn is_dir(&self, path: &Path) -> bool {
        match &self.files {
            None => path.is_dir(),
            Some(_) => path.as_os_str().is_empty() || self.below(path).next().is_some(),
        }
    }

    /// Returns whether a path is a file.
    pub(super) fn is_file(&self, path: &Path) -> bool {
        match &self.files {
            None => path.is_file(),
            Some(files) => files.contains_key(path),
        }
    }

    /// Returns the length of a file; 0 for a directory in memory.
    ///
    /// # Errors
    /// If there is nothing at the path.
    pub(super) fn len(&self, path: &Path) -> io::Result<u64> {
        match &self.files {
            None => std::fs::metadata(path).map(|metadata| metadata.len()),
            Some(_) if self.is_dir(path) => Ok(0),
            Some(files) => Ok(files.get(path).ok_or_else(missing)?.len() as u64),
        }
    }

    /// Returns the time when a file was written, if it is known.
    pub(super) fn modified(&self, path: &Path) -> Option<SystemTime> {
        let metadata = self.is_disk().then(|| std::fs::metadata(path));
        metadata?.and_then(|metadata| metadata.modified()).ok()
    }

    /// Returns the contents of a file.
    ///
    /// # Errors
    /// If it cannot be read.
    pub(super) fn read(&self, path: &Path) -> io::Result<Cow<'_, [u8]>> {
        match &self.files {
            None => read_open(self.bounds.open(path)?).map(Cow::Owned),
            Some(files) => Ok(Cow::Borrowed(files.get(path).ok_or_else(missing)?)),
        }
    }

    /// Returns the contents of a file below a directory, regardless of where links lead from there.
    ///
    /// # Errors
    /// If it cannot be read, or does not lie below the directory.
    pub(super) fn read_below(&self, directory: &Path, path: &Path) -> io::Result<Cow<'_, [u8]>> {
        if self.is_disk() {
            let bounds = Bounds::of(&[directory.to_owned()], false);
            return read_open(bounds.open(path)?).map(Cow::Owned);
        }
        self.read(path)
    }

    /// Returns at most this many bytes at the start of a file. Returns no bytes if the file cannot
    /// be read now: the error is reported when the whole file is read.
    pub(super) fn start(&self, path: &Path, most: u64) -> Vec<u8> {
        let mut start = Vec::new();
        match &self.files {
            None => {
                let file = self.bounds.open(path);
                let _ = file.and_then(|file| file.take(most).read_to_end(&mut start));
            }
            Some(files) => {
                let file = files.get(path).map_or(&[][..], Vec::as_slice);
                start.extend(file.iter().take(usize::try_from(most).unwrap_or(usize::MAX)));
            }
        }
        start
    }

    /// Returns the path without links, `.` and `..`.
    ///
    /// # Errors
    /// If there is nothing at the path.
    pub(super) fn canonicalize(&self, path: &Path) -> io::Result<PathBuf> {
        if self.files.is_none() {
            return path.canonicalize();
        }
        let mut found = PathBuf::new();
        for part in path.components() {
            match part {
                Component::Normal(name) => found.push(name),
                Component::CurDir => {}
                Component::ParentDir if found.pop() => {}
                _ => return Err(missing()),
            }
        }
        if self.is_file(&found) || self.is_dir(&found) { Ok(found) } else { Err(missing()) }
    }

    /// Calls `each` with the files below a directory, in the order of their names. Files and
    /// directories for which `is_passed_over` returns true are skipped. Links are followed within
    /// the bounds.
    pub(super) fn walk(
        &self,
        directory: &Path,
        is_passed_over: &dyn Fn(&Path, bool) -> bool,
        each: &mut dyn FnMut(Result<PathBuf, (PathBuf, Fault)>),
    ) {
        if self.files.is_none() {
            return self.walk_disk(directory, is_passed_over, each);
        }
        for path in self.below(directory) {
            let parents = path.ancestors().skip(1).take_while(|parent| *parent != directory);
            if !is_passed_over(path, false)
                && !parents.into_iter().any(|at| is_passed_over(at, true))
            {
                each(Ok(path.clone()));
            }
        }
    }

    fn walk_disk(
        &self,
        directory: &Path,
        is_passed_over: &dyn Fn(&Path, bool) -> bool,
        each: &mut dyn FnMut(Result<PathBuf, (PathBuf, Fault)>),
    ) {
        let out = RefCell::new(Vec::new());
        let is_entered =
            |entry: &DirEntry| !is_passed_over(entry.path(), entry.file_type().is_dir());
        let on_link = |path: &Path| out.borrow_mut().push(path.to_owned());
        for entry in self.bounds.walk(directory, is_entered, on_link) {
            for path in out.take() {
                let fault = left_link(&path);
                each(Err((path, fault)));
            }
            match entry {
                Ok(entry) if entry.file_type().is_file() => each(Ok(entry.into_path())),
                Ok(_) => {}
                Err(error) => {
                    let path = error.path().unwrap_or(directory).to_owned();
                    let fault = match error.loop_ancestor() {
                        Some(above) => Fault::LinksBackTo(above.to_owned()),
                        None if is_dangling(&path) => Fault::Dangling,
                        None => Fault::Unreadable(error.to_string()),
                    };
                    each(Err((path, fault)));
                }
            }
        }
        for path in out.take() {
            let fault = left_link(&path);
            each(Err((path, fault)));
        }
    }

    /// Returns whether the files are on a disk.
    pub fn is_disk(&self) -> bool {
        self.files.is_none()
    }

    /// Returns the files in memory below a directory. Paths are ordered by their names, so these
    /// files follow one another.
    fn below<'a>(&'a self, directory: &'a Path) -> impl Iterator<Item = &'a PathBuf> {
        let files = self.files.iter().flat_map(move |files| files.range(directory.to_owned()..));
        let paths = files.map(|(path, _)| path).skip_while(move |path| *path == directory);
        paths.take_while(move |path| path.starts_with(directory))
    }
}

fn missing() -> io::Error {
    io::ErrorKind::NotFound.into()
}

/// Returns the names in a path, without its root and without `.` and `..`.
fn names_of(path: &Path) -> PathBuf {
    path.components().filter(|part| matches!(part, Component::Normal(_))).collect()
}

/// Returns the contents of a file, up to the length that it had when it was opened.
fn read_open(file: std::fs::File) -> io::Result<Vec<u8>> {
    let metadata = file.metadata()?;
    let len = if metadata.is_file() { metadata.len() } else { 0 };
    let mut bytes = Vec::new();
    bytes.reserve_exact(usize::try_from(len).unwrap_or(0));
    file.take(if len > 0 { len } else { MAX_UNTOLD_BYTES }).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Returns the fault of a link that is not followed.
fn left_link(path: &Path) -> Fault {
    if is_dangling(path) { Fault::Dangling } else { Fault::LeadsOut }
}

/// Returns whether a path is a link to something that is not there.
fn is_dangling(path: &Path) -> bool {
    std::fs::symlink_metadata(path).is_ok_and(|data| data.is_symlink())
        && std::fs::metadata(path).is_err_and(|error| error.kind() == std::io::ErrorKind::NotFound)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILES: [&str; 9] = [
        "a.md",
        "a/z.md",
        "a/b/c.md",
        "a-b.md",
        ".hidden/x.md",
        "node_modules/x.md",
        "b/.x.md",
        "b/findling.idx",
        "c.md",
    ];

    fn walked(tree: &Tree, directory: &Path) -> Vec<PathBuf> {
        let is_passed_over = |path: &Path, is_dir: bool| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            name.starts_with('.') || (is_dir && tree.is_file(&path.join("findling.idx")))
        };
        let mut found = Vec::new();
        tree.walk(directory, &is_passed_over, &mut |path| {
            let path = path.unwrap_or_else(|(path, _)| panic!("{}", path.display()));
            found.push(path.strip_prefix(directory).unwrap().to_owned());
        });
        found
    }

    #[test]
    fn files_in_memory_are_found_as_those_on_a_disk() {
        let dir = tempfile::tempdir().unwrap();
        for file in FILES {
            let path = dir.path().join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, file).unwrap();
        }
        let memory = Tree::of_files(FILES.map(|file| (file.to_owned(), file.into())));
        let disk = Tree::default();
        let expected = walked(&disk, dir.path());
        assert_eq!(expected.len(), 6);
        assert_eq!(walked(&memory, Path::new("")), expected);
        for path in ["a", "a.md", "a/b", "a/b/c.md", "absent", "a/z", "b/..", "./a/../c.md"] {
            let (here, there) = (Path::new(path), dir.path().join(path));
            let root = dir.path().canonicalize().unwrap();
            let on_disk = disk.canonicalize(&there).ok();
            let on_disk = on_disk.map(|path| path.strip_prefix(&root).unwrap().to_owned());
            assert_eq!(memory.canonicalize(here).ok(), on_disk, "{path}");
            let Some(here) = on_disk else { continue };
            let there = dir.path().join(&here);
            assert_eq!(memory.is_dir(&here), disk.is_dir(&there), "{path}");
            assert_eq!(memory.is_file(&here), disk.is_file(&there), "{path}");
            if memory.is_file(&here) {
                assert_eq!(memory.read(&here).unwrap(), disk.read(&there).unwrap());
                assert_eq!(memory.start(&here, 2), disk.start(&there, 2));
                assert_eq!(memory.len(&here).unwrap(), disk.len(&there).unwrap());
            }
        }
    }

    #[test]
    fn no_path_in_memory_leads_out_of_it() {
        let tree = Tree::of_files([("../../etc/x.md".to_owned(), b"x".to_vec())]);
        assert!(tree.is_file(Path::new("etc/x.md")));
        assert!(tree.canonicalize(Path::new("../x.md")).is_err());
        assert!(tree.canonicalize(Path::new("/etc/x.md")).is_err());
    }
}

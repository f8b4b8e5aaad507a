//! The places where files may be read: below the inputs, wherever links lead.
//!
//! A site may come from other people, who can put a link to any file into it. A link is followed if
//! its target also lies below an input, or if the user allows more. The real target of a path is
//! checked again when the file is open, so an attacker gains nothing by adding a link in between.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use walkdir::{DirEntry, WalkDir};

use findling_base::regular_file;

/// Directories of the system whose entries are not normal files, such as environments of processes
/// and devices.
const SYSTEM: [&str; 3] = ["/proc", "/sys", "/dev"];

/// The places where files may be read. By default, this is everywhere.
#[derive(Clone, Debug, Default)]
pub struct Bounds(Option<Arc<Limits>>);

#[derive(Debug, Default)]
struct Limits {
    /// The inputs as they were given. If a user names a link or a pipe, it is intended.
    named: Vec<PathBuf>,
    /// The real paths of the inputs.
    roots: Vec<PathBuf>,
    /// Whether links are followed out of the roots.
    follows: bool,
}

impl Bounds {
    /// Creates the bounds for inputs. With `follows`, links may lead anywhere except into the
    /// directories of the system.
    pub fn of(inputs: &[PathBuf], follows: bool) -> Self {
        let roots = inputs.iter().filter_map(|input| input.canonicalize().ok()).collect();
        Self(Some(Arc::new(Limits { named: inputs.to_vec(), roots, follows })))
    }

    /// Returns whether links are followed out of the inputs.
    pub(super) fn follows(&self) -> bool {
        self.0.as_ref().is_none_or(|limits| limits.follows)
    }

    /// Returns whether there are any bounds.
    pub(super) fn is_set(&self) -> bool {
        self.0.is_some()
    }

    /// Returns whether the file or directory at a path without links may be read.
    pub fn allows(&self, real: &Path) -> bool {
        let Some(limits) = &self.0 else { return true };
        let is_of_system = |path: &Path| SYSTEM.iter().any(|system| path.starts_with(system));
        let mut roots = limits.roots.iter().filter(|root| real.starts_with(root));
        if is_of_system(real) {
            return roots.any(|root| is_of_system(root));
        }
        limits.follows || roots.next().is_some()
    }

    /// Opens a file. An input may be a pipe.
    ///
    /// # Errors
    /// If it cannot be opened, is not a regular file, or its real place is out of bounds.
    pub fn open(&self, path: &Path) -> io::Result<File> {
        let Some(limits) = &self.0 else { return regular_file::open(path) };
        if limits.named.iter().any(|named| named == path) {
            return File::open(path);
        }
        let file = regular_file::open(path)?;
        if self.allows(&regular_file::real_path(&file, path)?) {
            return Ok(file);
        }
        let reason = "it leads out of the input; --follow-links follows links";
        Err(io::Error::new(io::ErrorKind::PermissionDenied, reason))
    }

    /// Lists the entries of a directory and below it, in the order of their names. Links within the
    /// bounds are followed; other links are given to `on_link`. Entries for which `is_entered`
    /// returns false are left out.
    pub fn walk<'a>(
        &'a self,
        directory: &Path,
        mut is_entered: impl FnMut(&DirEntry) -> bool + 'a,
        mut on_link: impl FnMut(&Path) + 'a,
    ) -> impl Iterator<Item = walkdir::Result<DirEntry>> + 'a {
        let entries = WalkDir::new(directory).follow_links(true).sort_by_file_name().into_iter();
        entries.filter_entry(move |entry| {
            if entry.depth() == 0 {
                return true;
            }
            if !is_entered(entry) {
                return false;
            }
            // A path below a followed link is not a link itself, and its real place is below the
            // link's target.
            let is_checked = entry.path_is_symlink()
                || entry.file_type().is_dir() && (self.follows() || may_be_of_system(entry));
            let is_inside =
                !is_checked || entry.path().canonicalize().is_ok_and(|real| self.allows(&real));
            if !is_inside {
                on_link(entry.path());
            }
            is_inside
        })
    }
}

/// Returns whether a directory has the name of one of the system directories.
fn may_be_of_system(entry: &DirEntry) -> bool {
    SYSTEM.iter().any(|path| Path::new(path).file_name() == Some(entry.file_name()))
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;
    use std::io::Read;
    use std::os::unix::fs::symlink;

    use super::*;

    /// Returns a site with links of all kinds, beside a directory that does not belong to it.
    fn site() -> (tempfile::TempDir, PathBuf) {
        let dir = tempfile::tempdir().unwrap();
        let site = dir.path().join("site");
        fs::create_dir_all(site.join("a/deep")).unwrap();
        fs::create_dir_all(dir.path().join("other")).unwrap();
        for file in ["site/a/page.md", "site/a/deep/page.md", "other/secret.md"] {
            fs::write(dir.path().join(file), file).unwrap();
        }
        symlink("a/page.md", site.join("inside.md")).unwrap();
        symlink("../site/a/deep", site.join("around")).unwrap();
        symlink("inside.md", site.join("twice.md")).unwrap();
        symlink("../other/secret.md", site.join("out.md")).unwrap();
        symlink("out.md", site.join("out-twice.md")).unwrap();
        symlink(dir.path().join("other"), site.join("out-directory")).unwrap();
        symlink("/proc/self/environ", site.join("environ.md")).unwrap();
        symlink("/proc/self/cwd", site.join("cwd")).unwrap();
        symlink("/dev/zero", site.join("zero.md")).unwrap();
        symlink("..", site.join("a/up")).unwrap();
        (dir, site)
    }

    fn walked(bounds: &Bounds, site: &Path) -> (Vec<String>, Vec<String>) {
        let name = |path: &Path| path.strip_prefix(site).unwrap().to_str().unwrap().to_owned();
        let mut out = Vec::new();
        let found = bounds
            .walk(site, |_| true, |path| out.push(name(path)))
            .flatten()
            .filter(|entry| entry.file_type().is_file())
            .map(|entry| name(entry.path()))
            .collect();
        (found, out)
    }

    #[test]
    fn links_are_followed_within_the_input_only() {
        let (_dir, site) = site();
        let (found, out) = walked(&Bounds::of(std::slice::from_ref(&site), false), &site);
        assert_eq!(
            found,
            ["a/deep/page.md", "a/page.md", "around/page.md", "inside.md", "twice.md"]
        );
        let outside = ["cwd", "environ.md", "out-directory", "out-twice.md", "out.md", "zero.md"];
        assert_eq!(out, outside);
    }

    #[test]
    fn who_asks_for_it_gets_links_out_of_the_input_but_not_into_the_system() {
        let (_dir, site) = site();
        let (found, out) = walked(&Bounds::of(std::slice::from_ref(&site), true), &site);
        for name in ["out.md", "out-twice.md", "out-directory/secret.md"] {
            assert!(found.contains(&name.to_owned()), "{name} of {found:?}");
        }
        // The target of `/proc/self/cwd` is not in a directory of the system.
        assert!(out.contains(&"environ.md".to_owned()) && out.contains(&"zero.md".to_owned()));
    }

    #[test]
    fn what_is_opened_is_checked_again() {
        let (dir, site) = site();
        let bounds = Bounds::of(std::slice::from_ref(&site), false);
        let text = |path: &Path| {
            let mut text = String::new();
            bounds.open(path)?.read_to_string(&mut text).map(|_| text)
        };
        assert_eq!(text(&site.join("around/page.md")).unwrap(), "site/a/deep/page.md");
        for name in ["out.md", "out-twice.md", "out-directory/secret.md", "environ.md"] {
            let kind = text(&site.join(name)).unwrap_err().kind();
            assert_eq!(kind, io::ErrorKind::PermissionDenied, "{name}");
        }
        // A page, and a directory, that became links after the walk.
        fs::remove_file(site.join("a/page.md")).unwrap();
        symlink(dir.path().join("other/secret.md"), site.join("a/page.md")).unwrap();
        assert!(text(&site.join("a/page.md")).is_err());
        fs::remove_dir_all(site.join("a")).unwrap();
        symlink(dir.path().join("other"), site.join("a")).unwrap();
        assert!(text(&site.join("a/secret.md")).is_err());
    }

    #[test]
    fn an_input_may_itself_be_a_link() {
        let (dir, site) = site();
        let (directory, file) = (dir.path().join("link"), site.join("out.md"));
        symlink("site", &directory).unwrap();
        let bounds = Bounds::of(&[directory.clone(), file.clone()], false);
        assert!(walked(&bounds, &directory).0.contains(&"a/page.md".to_owned()));
        assert!(bounds.open(&directory.join("a/page.md")).is_ok());
        assert!(bounds.open(&file).is_ok());
    }
}

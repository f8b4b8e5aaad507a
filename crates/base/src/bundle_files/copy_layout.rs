//! The directory of the copy of a site's bundle.
//!
//! | path | contents |
//! |---|---|
//! | `files/` | files of the bundle, whose names are hashes, and `findling.idx` |
//! | `parts/` | the files of a deployed encoder, each named by its hash |
//! | `origin.txt` | at which of the addresses that the user's may mean the bundle is |
//! | `checked.txt` | the entity tag of the entry file; its date says when the site was last asked |
//! | `lock` | a file that is locked |
//!
//! A site chooses only the paths of its encoder's files, and none of these becomes a path on this
//! machine.

use std::collections::HashSet;
use std::fs::{self, File, OpenOptions};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use findling_bundle::{FilePart, entry, hex};

use super::BundleFiles;
use super::address::Address;
use super::web::{Error, write};
use crate::small_file;

const ORIGIN: &str = "origin.txt";
const CHECKED: &str = "checked.txt";
const LOCK: &str = "lock";

/// The paths of the files and records of a copy.
#[derive(Clone, Debug)]
pub(super) struct CopyLayout {
    root: PathBuf,
}

impl CopyLayout {
    /// Places the copy of the bundle at an address that a person gave, in the directory of all
    /// copies.
    pub fn new(copies: &Path, given: &Address) -> Self {
        Self { root: copies.join(given.directory_name()) }
    }

    /// Returns the directory of the bundle's files.
    pub fn files(&self) -> PathBuf {
        self.root.join("files")
    }

    /// Returns the path of a file of an encoder.
    pub fn part(&self, part: &FilePart) -> PathBuf {
        self.root.join(part_path(part))
    }

    /// Makes the directory. Other users cannot read it, because its files show what the user
    /// searched for.
    pub fn make(&self) -> Result<(), Error> {
        let mut builder = fs::DirBuilder::new();
        builder.recursive(true);
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        let made = builder.create(&self.root);
        made.map_err(|source| Error::Copy { path: self.root.clone(), source })
    }

    /// Returns the address of the bundle, if it is known. The record only selects one of the
    /// addresses that the given address may mean, so requests never go to another one.
    pub fn origin(&self, given: &Address) -> Option<Address> {
        let recorded = small_file::text(&self.root.join(ORIGIN))?;
        given.candidates().into_iter().find(|url| url.to_string() == recorded.trim())
    }

    /// Returns whether there is an entry file.
    pub fn has_entry(&self) -> bool {
        self.files().join(entry::FILE_NAME).is_file()
    }

    /// Records the address of the bundle.
    pub fn keep_origin(&self, url: &Address) -> Result<(), Error> {
        write(&self.root.join(ORIGIN), format!("{url}\n"))
    }

    /// Returns the entity tag of the entry file.
    pub fn tag(&self) -> Option<String> {
        small_file::text(&self.root.join(CHECKED)).filter(|tag| !tag.is_empty())
    }

    /// Records that a request was sent to the site now, and the entity tag of its entry file.
    pub fn keep_tag(&self, tag: &str) -> Result<(), Error> {
        write(&self.root.join(CHECKED), tag)
    }

    /// Returns the last time at which the site was asked whether its bundle has changed.
    pub fn asked(&self) -> Option<SystemTime> {
        fs::metadata(self.root.join(CHECKED)).ok()?.modified().ok()
    }

    /// Takes the lock, shared. If it cannot be opened (another user's copy), the files are read
    /// without a lock.
    pub fn share(&self) -> Option<File> {
        self.lock_file().filter(|lock| lock.lock_shared().is_ok())
    }

    fn lock_file(&self) -> Option<File> {
        let path = self.root.join(LOCK);
        OpenOptions::new().write(true).create(true).truncate(false).open(path).ok()
    }

    /// Removes the files of earlier states of the site's bundle, unless somebody else uses the
    /// copy.
    pub fn sweep(&self) {
        let Some(_lock) = self.lock_file().filter(|lock| lock.try_lock().is_ok()) else { return };
        let Ok(bundle) = BundleFiles::open(self.files()) else { return };
        let mut named: HashSet<PathBuf> = [ORIGIN, CHECKED, LOCK].map(PathBuf::from).into();
        named.extend(bundle.paths().map(|path| Path::new("files").join(path)));
        named.extend(bundle.encoder_parts().map(part_path));
        let entries = walkdir::WalkDir::new(&self.root).min_depth(1).contents_first(true);
        for entry in entries.into_iter().flatten() {
            let path = entry.path();
            let is_named = path.strip_prefix(&self.root).is_ok_and(|path| named.contains(path));
            // Files that cannot be removed now are removed after the next request to the site.
            let _ = match entry.file_type().is_dir() {
                // Only an empty directory is removed.
                true => fs::remove_dir(path),
                false if is_named => Ok(()),
                false => fs::remove_file(path),
            };
        }
    }
}

/// Returns the path of a file of an encoder in a copy.
fn part_path(part: &FilePart) -> PathBuf {
    PathBuf::from(format!("parts/{}.bin", hex(&part.hash)))
}

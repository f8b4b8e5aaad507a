//! Bundles of deployed sites. A site's bundle is copied to disk piece by piece: the entry file and
//! the file of the manifest when it is opened, every other file when it is first read.
//!
//! A copy is a directory like any bundle's, and `origin.txt` in it holds the address of the
//! original. Whatever comes from the network is checked before it is written. The entry file is
//! written last, so that a copy is never half of one state and half of another.
//!
//! Whoever reads or writes a copy shares its lock. Files of earlier states are removed by a process
//! that holds the lock alone, so that no reader loses a file of the state that it opened.

use std::collections::{HashMap, HashSet};
use std::fs::{self, File, OpenOptions};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use findling_bundle::opening::Opening;
use findling_bundle::{
    EntryFile, ShardEntry, ShardId, decode_manifest, decode_shard, entry, opening, single_file,
};

use super::BundleFiles;
use super::address::Address;
use super::web::{Answer, Client, Error, Fetched, ORIGIN, Origin, write};

/// The file of a copy that holds the entity tag of the entry file. Its date says when the site was
/// last asked.
const CHECKED: &str = "checked.txt";

/// The file of a copy that is locked.
const LOCK: &str = "lock";

/// For this long a site is not asked again whether it has changed.
const CHECKED_FOR: Duration = Duration::from_secs(60);

/// A copy of a site's bundle. None of its files is removed as long as this value lives.
#[derive(Debug)]
pub struct WebCopy {
    /// Its directory, which opens as a bundle does.
    pub directory: PathBuf,
    /// Why it may be older than the original: the site could not be asked.
    pub stale: Option<String>,
    _lock: Option<File>,
}

impl WebCopy {
    /// When the site of the copy in a directory was last asked whether it has changed.
    pub fn asked(directory: &Path) -> Option<SystemTime> {
        fs::metadata(directory.join(CHECKED)).ok()?.modified().ok()
    }
}

/// Copies the entry file and the manifest of the bundle at an address, below `root`. If the site
/// was asked a short time ago, or cannot be reached, an existing copy is used as it is.
///
/// # Errors
/// [`Error`]; if the site cannot be reached, only where there is no copy.
pub fn copy(address: &str, root: &Path) -> Result<WebCopy, Error> {
    let address = Address::parse(address)?;
    let directory = root.join(address.directory_name());
    let mut lock = share(&directory);
    let is_whole = directory.join(entry::FILE_NAME).is_file() && directory.join(ORIGIN).is_file();
    let age = WebCopy::asked(&directory).and_then(|date| date.elapsed().ok());
    let is_recent = age.is_some_and(|age| age < CHECKED_FOR);
    let mut stale = None;
    if !is_whole || !is_recent {
        match refresh(&address, &directory) {
            Ok(()) => {
                drop(lock);
                sweep(&directory);
                lock = share(&directory);
            }
            Err(error @ (Error::Unreachable { .. } | Error::Private { .. })) if is_whole => {
                stale = Some(error.to_string());
            }
            Err(error) => return Err(error),
        }
    }
    Ok(WebCopy { directory, stale, _lock: lock })
}

/// Asks the site for its entry file and, if it is new, for its manifest.
fn refresh(address: &Address, directory: &Path) -> Result<(), Error> {
    let client = Client::for_bundle_at(address);
    let has_entry = directory.join(entry::FILE_NAME).is_file();
    let tag = fs::read_to_string(directory.join(CHECKED)).ok();
    let tag = tag.as_deref().filter(|tag| has_entry && !tag.is_empty());
    let candidates = match Origin::address(directory) {
        Some(known) => vec![known],
        None => address.candidates(),
    };
    let mut refused = None;
    for url in &candidates {
        let origin = Origin::new(url.clone(), client.clone());
        let kept = match origin.entry(tag) {
            Ok(Answer::Missing) => continue,
            Ok(Answer::NotModified) => write(&directory.join(CHECKED), tag.unwrap_or_default()),
            Ok(Answer::File(found)) => keep_entry(&origin, &found, directory),
            Err(error) => Err(error),
        };
        match kept {
            // Many sites send a page for an address where there is nothing.
            Err(error @ Error::Contents { .. }) => refused = refused.or(Some(error)),
            Err(_) if refused.is_some() => break,
            kept => return kept,
        }
    }
    if let Some(error) = refused {
        return Err(error);
    }
    let names: Vec<String> = candidates.iter().map(ToString::to_string).collect();
    Err(Error::NoBundle { address: address.to_string(), tried: names.join(", ") })
}

/// Writes the entry file of a copy, once the manifest is there.
fn keep_entry(origin: &Origin, found: &Fetched, directory: &Path) -> Result<(), Error> {
    let url = origin.url().to_string();
    let contents = |error: findling_bundle::Error| Error::Contents {
        url: url.clone(),
        reason: error.to_string(),
    };
    let entry = match origin.is_single_file() {
        true => {
            single_file::read_header(&found.bytes).map(|entry| EntryFile { entry, opening: None })
        }
        false => EntryFile::from_bytes(&found.bytes),
    };
    let file = entry.map_err(contents)?;
    let entry = &file.entry;
    fs::create_dir_all(directory)
        .map_err(|source| Error::Copy { path: directory.to_owned(), source })?;
    let _lock = share(directory);
    let manifest = directory.join(file.opening_path());
    let read = |bytes: &[u8]| {
        file.opening.map_or(Ok(()), |whole| whole.check(bytes))?;
        opening::read(entry, bytes).map(drop)
    };
    if !fs::read(&manifest).is_ok_and(|bytes| read(&bytes).is_ok()) {
        let (start, len) = (single_file::HEADER_LEN as u64, u64::from(entry.manifest_len));
        let (part, len) = match origin.is_single_file() {
            true => (Some(start..start + len), len),
            false => (None, file.max_opening_len()),
        };
        let bytes = origin.file(&file.opening_path(), part, len)?;
        read(&bytes).map_err(contents)?;
        keep_shards(&opening::read(entry, &bytes).map_err(contents)?, directory)?;
        write(&manifest, &bytes)?;
    }
    write(&directory.join(ORIGIN), format!("{url}\n"))?;
    write(&directory.join(entry::FILE_NAME), file.to_bytes())?;
    write(&directory.join(CHECKED), found.tag.as_deref().unwrap_or_default())
}

/// Writes the shards that come with a manifest to files of their own, so that they are not fetched
/// again. A damaged one is left out.
fn keep_shards(opening: &Opening<'_>, directory: &Path) -> Result<(), Error> {
    // Opening the bundle tells what is the matter with a manifest that cannot be read.
    let Ok(manifest) = decode_manifest(opening.stored_manifest) else { return Ok(()) };
    let listed = (0..).map(ShardId).zip(&manifest.shards);
    let listed: HashMap<String, &ShardEntry> =
        listed.map(|(id, entry)| (manifest.path(id, entry), entry)).collect();
    for (path, stored) in &opening.shards {
        if listed.get(path).is_some_and(|entry| decode_shard(entry, stored).is_ok()) {
            write(&directory.join(path), stored)?;
        }
    }
    Ok(())
}

/// The lock of a copy, shared. Where it cannot be opened (another user's copy), reading goes on
/// without.
fn share(directory: &Path) -> Option<File> {
    lock_file(directory).filter(|lock| lock.lock_shared().is_ok())
}

fn lock_file(directory: &Path) -> Option<File> {
    let path = directory.join(LOCK);
    OpenOptions::new().write(true).create(true).truncate(false).open(path).ok()
}

/// Removes the files of earlier states of the site's bundle, unless somebody else uses the copy.
fn sweep(directory: &Path) {
    let Some(_lock) = lock_file(directory).filter(|lock| lock.try_lock().is_ok()) else { return };
    let Ok(files) = BundleFiles::open_kept(directory) else { return };
    let mut named: HashSet<PathBuf> = files.paths().map(PathBuf::from).collect();
    named.extend([ORIGIN, CHECKED, LOCK].map(PathBuf::from));
    let entries = walkdir::WalkDir::new(directory).into_iter().flatten();
    for file in entries.filter(|entry| entry.file_type().is_file()) {
        if file.path().strip_prefix(directory).is_ok_and(|path| !named.contains(path)) {
            // What cannot be removed now is removed after the next look at the site.
            let _ = fs::remove_file(file.path());
        }
    }
}

//! Bundles of deployed sites. A site's bundle is copied to disk piece by piece: the entry file and
//! the file of the manifest when it is opened, every other file when it is first read.
//!
//! [`CopyLayout`] defines the places of a copy's files. All data from the network is checked before
//! it is written. The entry file is written last, so that a copy is never half of one state and
//! half of another.
//!
//! Processes that read or write a copy share its lock. Files of earlier states are removed by a
//! process that holds the lock alone, so that no reader loses a file of the state that it opened.

use std::collections::HashMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use findling_bundle::opening::Opening;
use findling_bundle::{
    EntryFile, ShardEntry, ShardId, decode_manifest, decode_shard, entry, opening, single_file,
};

use super::address::Address;
use super::copy_layout::CopyLayout;
use super::location::{Copied, Location};
use super::web::{Answer, Client, Error, Fetched, Origin, write};

/// The time after which a site is asked again whether it has changed.
const CHECKED_FOR: Duration = Duration::from_secs(60);

/// A copy of a site's bundle. None of its files is removed as long as this value lives.
#[derive(Debug)]
pub struct WebCopy {
    /// The files, as one directory of a bundle.
    pub directory: PathBuf,
    /// The reason why the copy may be older than the original: the site could not be reached.
    /// `None` if a request to the site succeeded.
    pub stale: Option<String>,
    copied: Copied,
    _lock: Option<File>,
}

impl WebCopy {
    /// Returns the path or address at which the bundle is opened. Files that the copy lacks are
    /// fetched.
    pub fn location(&self) -> Location {
        Location { path: self.directory.clone(), copy: Some(self.copied.clone()) }
    }

    /// Returns when the site was last asked whether its bundle has changed.
    pub fn asked(&self) -> Option<SystemTime> {
        self.copied.layout.asked()
    }
}

/// Copies the entry file and the manifest of the bundle at an address, below `root`. If the last
/// request to the site was a short time ago, or the site cannot be reached, an existing copy is
/// used as it is.
///
/// # Errors
/// [`Error`]. An unreachable site is an error only if there is no copy.
pub fn copy(address: &str, root: &Path) -> Result<WebCopy, Error> {
    let given = Address::parse(address)?;
    let layout = CopyLayout::new(root, &given);
    let mut lock = layout.share();
    let known = layout.origin(&given).filter(|_| layout.has_entry());
    let age = layout.asked().and_then(|date| date.elapsed().ok());
    let is_recent = age.is_some_and(|age| age < CHECKED_FOR);
    let mut stale = None;
    let url = match known {
        Some(known) if is_recent => known,
        known => match (renew(&given, &layout), known) {
            (Ok(url), _) => {
                drop(lock);
                layout.sweep();
                lock = layout.share();
                url
            }
            (
                Err(
                    error @ (Error::Unreachable { .. }
                    | Error::Private { .. }
                    | Error::Contents { .. }),
                ),
                Some(known),
            ) => {
                stale = Some(error.to_string());
                known
            }
            (Err(error), _) => return Err(error),
        },
    };
    let directory = layout.files();
    Ok(WebCopy { directory, stale, copied: Copied { given, url, layout }, _lock: lock })
}

/// Calls [`refresh`]. Calls it once more if a known site sent another file than its bundle lists,
/// because files change while a site is being deployed.
pub(super) fn renew(given: &Address, layout: &CopyLayout) -> Result<Address, Error> {
    match refresh(given, layout) {
        Err(Error::Contents { .. }) if layout.origin(given).is_some() => refresh(given, layout),
        refreshed => refreshed,
    }
}

/// Asks the site for its entry file and, if it is new, for its manifest. Returns the address of the
/// bundle.
fn refresh(given: &Address, layout: &CopyLayout) -> Result<Address, Error> {
    let client = Client::for_bundle_at(given);
    let known = layout.origin(given);
    let tag = known.as_ref().filter(|_| layout.has_entry()).and_then(|_| layout.tag());
    let tag = tag.as_deref();
    let candidates = known.map_or_else(|| given.candidates(), |known| vec![known]);
    let mut refused = None;
    for url in &candidates {
        let origin = Origin::new(url.clone(), client.clone());
        let kept = match origin.entry(tag) {
            Ok(Answer::Missing) => continue,
            Ok(Answer::NotModified) => layout.keep_tag(tag.unwrap_or_default()),
            Ok(Answer::File(found)) => keep_entry(&origin, &found, layout),
            Err(error) => Err(error),
        };
        match kept {
            // Many sites send a page for an address that does not exist.
            Err(error @ Error::Contents { .. }) => refused = refused.or(Some(error)),
            Err(_) if refused.is_some() => break,
            kept => return kept.map(|()| url.clone()),
        }
    }
    if let Some(error) = refused {
        return Err(error);
    }
    let names: Vec<String> = candidates.iter().map(ToString::to_string).collect();
    Err(Error::NoBundle { address: given.to_string(), tried: names.join(", ") })
}

/// Writes the entry file of a copy, once the manifest is there.
fn keep_entry(origin: &Origin, found: &Fetched, layout: &CopyLayout) -> Result<(), Error> {
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
    layout.make()?;
    let _lock = layout.share();
    let directory = layout.files();
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
        keep_shards(&opening::read(entry, &bytes).map_err(contents)?, &directory)?;
        write(&manifest, &bytes)?;
    }
    layout.keep_origin(origin.url())?;
    write(&directory.join(entry::FILE_NAME), file.to_bytes())?;
    layout.keep_tag(found.tag.as_deref().unwrap_or_default())
}

/// Writes the shards that come with a manifest to files of their own, so that they are not fetched
/// again. Damaged shards are left out.
fn keep_shards(opening: &Opening<'_>, directory: &Path) -> Result<(), Error> {
    // If the manifest cannot be read, opening the bundle returns the error.
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

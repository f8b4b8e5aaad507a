//! Reads a bundle on disk, a directory or a single file, and the copy of a site's bundle.

mod address;
mod copy_layout;
mod encoder_parts;
mod local_file;
mod location;
mod meter;
mod packed;
mod site_files;
mod web;
mod web_copy;

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context, Result, bail};
use findling_bundle::packs::{Pack, Slot, UNIT, take_slot};
use findling_bundle::texts::PageText;
use findling_bundle::{
    Centroids, Entry, EntryFile, Manifest, PositionsDirectory, ShardEntry, ShardId, SingleFile,
    TextsShard, decode_manifest, decode_shard, entry, opening, single_file,
};

pub use address::is_address;
pub use encoder_parts::MAX_ENCODER_LEN;
pub use location::Location;
pub use packed::{PackedShards, Packs};
pub use web::Error as WebError;
pub use web_copy::{WebCopy, copy};

use crate::http::MAX_CONNECTIONS;
use crate::regular_file;
use site_files::SiteFiles;

/// Maximum number of bytes of a shard whose length the shard directory does not list.
const MAX_UNLISTED_LEN: u64 = 64 << 20;

/// The name of a single-file bundle in its directory.
pub const SINGLE_FILE: &str = "bundle.findling";

/// The error that there is no bundle in the expected place.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct NoBundle(String);

impl NoBundle {
    /// Returns the error for a place that does not hold a bundle.
    pub fn found(given: &str, found: &str) -> Self {
        Self(format!(
            "{given}: expected a bundle, found {found}; give the directory or file that `findling \
             build` wrote"
        ))
    }
}

/// Returns the error of a shard that the manifest does not list.
fn unlisted(shard: ShardId) -> String {
    format!("expected a shard that the manifest lists, found {}: build the bundle again", shard.0)
}

/// Calls `work` for each item, as many at a time as a host has connections.
fn on_all_connections<T: Sync>(items: &[T], work: impl Fn(&T) + Sync) {
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..MAX_CONNECTIONS.min(items.len()) {
            scope.spawn(|| {
                while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
                    work(item);
                }
            });
        }
    });
}

/// Returns the largest number of bytes of a shard as stored. The directory of shards does not list
/// every length.
fn most_stored(entry: &ShardEntry) -> u64 {
    match entry.stored_len {
        0 => MAX_UNLISTED_LEN,
        len => u64::from(len),
    }
}

/// Returns the bytes of a slot out of the bytes of a range, if the slot is inside the range.
fn part_of(bytes: &[u8], range: Slot, slot: Slot) -> Option<&[u8]> {
    let start = slot.start.checked_sub(range.start).filter(|_| slot.pack == range.pack)?;
    bytes.get(start as usize * UNIT..(start + slot.units) as usize * UNIT)
}

/// Returns the file with the entry of a bundle: in a directory the entry file or `bundle.findling`,
/// otherwise the path itself.
pub fn entry_file(path: &Path) -> PathBuf {
    let files = [entry::FILE_NAME, SINGLE_FILE].map(|name| path.join(name));
    files.into_iter().find(|file| file.is_file()).unwrap_or_else(|| path.to_owned())
}

/// Returns the entry that a bundle's path has now. `None` while there is none that can be read.
pub fn entry_at(path: &Path) -> Option<EntryFile> {
    let file = entry_file(path);
    let most = EntryFile::MAX_LEN.max(single_file::HEADER_LEN) as u64;
    let mut bytes = Vec::new();
    regular_file::open(&file).ok()?.take(most).read_to_end(&mut bytes).ok()?;
    if file.ends_with(entry::FILE_NAME) {
        return EntryFile::from_bytes(&bytes).ok();
    }
    let entry = single_file::read_header(bytes.get(..single_file::HEADER_LEN)?).ok()?;
    Some(EntryFile { entry, opening: None })
}

/// A bundle on disk. Shards are read when needed. They are checked when they are decoded, not here.
#[derive(Debug)]
pub struct BundleFiles {
    path: PathBuf,
    entry: EntryFile,
    manifest: Manifest,
    stored_manifest: Vec<u8>,
    with_manifest: Vec<(String, u64)>,
    /// The places of shards, if they are in packs.
    packs: Option<Packs>,
    place: Place,
}

#[derive(Debug)]
enum Place {
    Directory,
    /// A directory with those files of a site's bundle that have been read so far.
    Copy(Box<SiteFiles>),
    SingleFile(Box<SingleFile<Vec<u8>>>),
}

impl BundleFiles {
    /// Opens a bundle: a directory with `findling.idx` or `bundle.findling`, one of these files,
    /// another single file, or the copy of a site's bundle.
    ///
    /// # Errors
    /// If there is no bundle, or its entry file or manifest is damaged or of another version.
    pub fn open(location: impl Into<Location>) -> Result<Self> {
        let Location { path, copy } = location.into();
        let Some(copied) = copy else { return Self::open_path(&path) };
        let place = Place::Copy(Box::new(SiteFiles::new(copied)));
        Ok(Self { place, ..Self::open_directory(&path)? })
    }

    fn open_path(path: &Path) -> Result<Self> {
        let metadata = fs::metadata(path).map_err(|error| {
            anyhow::Error::new(error).context(NoBundle(format!(
                "{}: expected a bundle, found nothing; `findling build INPUT -o {}` builds one",
                path.display(),
                path.display()
            )))
        })?;
        if metadata.is_dir() {
            if path.join(entry::FILE_NAME).is_file() {
                return Self::open_directory(path);
            }
            if path.join(SINGLE_FILE).is_file() {
                return Self::open_file(&path.join(SINGLE_FILE));
            }
            bail!(NoBundle(format!(
                "{}: expected {} or {SINGLE_FILE}, found neither; give the directory that \
                 `findling build` wrote",
                path.display(),
                entry::FILE_NAME
            )));
        }
        if path.file_name().is_some_and(|name| name == entry::FILE_NAME) {
            return Self::open_directory(path.parent().unwrap_or(Path::new(".")));
        }
        Self::open_file(path)
    }

    fn open_directory(path: &Path) -> Result<Self> {
        let file = path.join(entry::FILE_NAME);
        let bytes = regular_file::read(&file, EntryFile::MAX_LEN as u64)
            .with_context(|| format!("{} cannot be read", file.display()))?;
        let entry = EntryFile::from_bytes(&bytes).with_context(|| file.display().to_string())?;
        let file = path.join(entry.opening_path());
        let bytes = regular_file::read(&file, entry.max_opening_len())
            .with_context(|| packed::unreadable(&file))?;
        let damaged = || file.display().to_string();
        if let Some(whole) = &entry.opening {
            whole.check(&bytes).with_context(damaged)?;
        }
        let opening = opening::read(&entry.entry, &bytes).with_context(damaged)?;
        let packs = opening.packs.map(Packs::from_bytes).transpose().with_context(damaged)?;
        let stored_manifest = opening.stored_manifest.to_vec();
        let manifest = decode_manifest(&stored_manifest).with_context(damaged)?;
        let with_manifest = opening.shards.into_iter();
        let with_manifest = with_manifest.map(|(path, stored)| (path, stored.len() as u64));
        Ok(Self {
            path: path.to_owned(),
            entry,
            manifest,
            stored_manifest,
            with_manifest: with_manifest.collect(),
            packs,
            place: Place::Directory,
        })
    }

    fn open_file(path: &Path) -> Result<Self> {
        let bytes = local_file::read_single(path)?;
        let file = SingleFile::open(bytes).with_context(|| path.display().to_string())?;
        Ok(Self {
            path: path.to_owned(),
            entry: EntryFile { entry: *file.entry(), opening: None },
            manifest: file.manifest().clone(),
            stored_manifest: file.stored_manifest().to_vec(),
            with_manifest: Vec::new(),
            packs: None,
            place: Place::SingleFile(Box::new(file)),
        })
    }

    /// Returns the place where the bundle was opened, to open it again.
    pub fn location(&self) -> Location {
        let copy = match &self.place {
            Place::Copy(site) => Some(site.copied.clone()),
            _ => None,
        };
        Location { path: self.path.clone(), copy }
    }

    /// Returns the directory, or the single file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the directory that paths in the manifest are relative to.
    pub fn directory(&self) -> &Path {
        match self.place {
            Place::Directory | Place::Copy(_) => &self.path,
            Place::SingleFile(_) => self.path.parent().unwrap_or(Path::new("")),
        }
    }

    /// Returns whether the bundle is one file.
    pub fn is_single_file(&self) -> bool {
        matches!(self.place, Place::SingleFile(_))
    }

    /// Returns whether files that are read for the first time come from a site.
    pub fn is_copy(&self) -> bool {
        matches!(self.place, Place::Copy(_))
    }

    /// Returns whether the entry file is still the one that was read.
    pub fn is_current(&self) -> bool {
        entry_at(&self.path) == Some(self.entry)
    }

    /// Returns the entry. Its hash identifies the bundle.
    pub fn entry(&self) -> &Entry {
        &self.entry.entry
    }

    /// Returns the entry file.
    pub fn entry_file(&self) -> &EntryFile {
        &self.entry
    }

    /// Returns the packs that contain the shards; `None` if each shard has a file of its own.
    pub fn packs(&self) -> Option<&Packs> {
        self.packs.as_ref()
    }

    /// Returns the validated manifest.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Returns the manifest's bytes as stored.
    pub fn stored_manifest(&self) -> &[u8] {
        &self.stored_manifest
    }

    /// Returns the shards that come with the manifest in a directory: their paths and bytes.
    pub fn with_manifest(&self) -> &[(String, u64)] {
        &self.with_manifest
    }

    /// Returns the paths of the bundle's files in a directory, without the files of encoders. Files
    /// that are listed only in a missing shard are left out.
    fn paths(&self) -> impl Iterator<Item = String> {
        let shards = self.listed_shards().into_iter();
        let shards = shards.map(|(id, entry)| self.manifest.path(id, &entry));
        let opening = [entry::FILE_NAME.to_owned(), self.entry.opening_path()];
        let packs = self.packs.iter().flat_map(|packs| &packs.directory().packs);
        let packs = packs.map(Pack::path);
        let slots = self.entry.opening.map(|file| Packs::positions_file(&file.hash));
        let slots = slots.map(|path| path.to_string_lossy().into_owned());
        opening.into_iter().chain(shards).chain(packs).chain(slots)
    }

    /// Returns a shard's bytes as stored.
    ///
    /// # Errors
    /// If its file cannot be read.
    pub fn shard(&self, id: ShardId) -> Result<Vec<u8>> {
        let Some(entry) = self.manifest.shard(id) else { bail!(unlisted(id)) };
        self.stored(id, entry)
    }

    /// Calls `each` for the text of every page, in order.
    ///
    /// # Errors
    /// If a shard of texts cannot be read or is damaged.
    pub fn each_page(&self, mut each: impl FnMut(&PageText<'_>)) -> Result<()> {
        for range in &self.manifest.texts {
            let Some(entry) = self.manifest.shard(range.shard) else { continue };
            let damaged = || {
                format!(
                    "{}: {} is damaged",
                    self.path.display(),
                    self.manifest.path(range.shard, entry)
                )
            };
            let raw = decode_shard(entry, &self.shard(range.shard)?).with_context(damaged)?;
            let texts = TextsShard::from_bytes(raw).with_context(damaged)?;
            for page in 0..texts.n_pages() {
                each(&texts.page(page).with_context(damaged)?);
            }
        }
        Ok(())
    }

    /// Returns the bytes as stored of a shard that the manifest, the centroids or the directory of
    /// positions lists.
    ///
    /// # Errors
    /// If its file cannot be read.
    pub fn stored(&self, id: ShardId, entry: &ShardEntry) -> Result<Vec<u8>> {
        match &self.place {
            Place::Copy(site) => self.copied(&site.origin, id, entry),
            Place::Directory if self.packs.is_some() => self.unpacked(id),
            Place::Directory => {
                let file = self.path.join(self.manifest.path(id, entry));
                let read = regular_file::read(&file, most_stored(entry));
                read.with_context(|| packed::unreadable(&file))
            }
            Place::SingleFile(file) => Ok(file
                .shard(id)
                .context(
                    "the file ends inside a shard; deploy or build the \
                     bundle again",
                )?
                .to_vec()),
        }
    }

    /// Returns a shard from the packs in the directory.
    fn unpacked(&self, id: ShardId) -> Result<Vec<u8>> {
        let slot = self.slot(id)?.with_context(|| unlisted(id))?;
        Ok(take_slot(&self.slot_bytes(slot)?)?.to_vec())
    }

    /// Returns the place of a shard in packs; `None` if no pack has it.
    ///
    /// # Errors
    /// If the slots of positions cannot be read.
    pub fn slot(&self, id: ShardId) -> Result<Option<Slot>> {
        let Some(packs) = &self.packs else { return Ok(None) };
        packs.slot(id, |slot| match &self.place {
            Place::Copy(site) => self.positions_slots(&site.origin, packs, slot),
            _ => self.slot_bytes(slot),
        })
    }

    /// Returns the bytes of a slot, from a pack in the directory.
    fn slot_bytes(&self, slot: Slot) -> Result<Vec<u8>> {
        let packs = self.packs.as_ref().context("the bundle is not in packs")?;
        packs.read(&self.path, slot)?.with_context(|| {
            let pack = packs.pack(slot).map(Pack::path).unwrap_or_default();
            packed::unreadable(&self.path.join(pack))
        })
    }

    /// Returns the centroids, which list the cells; `None` if the bundle has no cells.
    ///
    /// # Errors
    /// If they cannot be read or are damaged.
    pub fn centroids(&self) -> Result<Option<Centroids>> {
        let Some(dense) = &self.manifest.dense else { return Ok(None) };
        let Some(id) = dense.centroids else { return Ok(None) };
        let Some(entry) = self.manifest.shard(id) else { return Ok(None) };
        let raw = decode_shard(entry, &self.stored(id, entry)?)?;
        Ok(Some(Centroids::from_bytes(&raw, dense.encoder.dim, &self.manifest.stats)?))
    }

    /// Returns the directory of positions; `None` if the bundle has none.
    ///
    /// # Errors
    /// If it cannot be read or is damaged.
    pub fn positions(&self) -> Result<Option<PositionsDirectory>> {
        let manifest = &self.manifest;
        let Some(id) = manifest.positions() else { return Ok(None) };
        let Some(entry) = manifest.shard(id) else { return Ok(None) };
        let raw = decode_shard(entry, &self.stored(id, entry)?)?;
        Ok(Some(PositionsDirectory::from_bytes(
            &raw,
            manifest.stats.n_pages,
            manifest.lexicon.len(),
        )?))
    }

    /// Returns every shard that the manifest, the centroids or the directory of positions lists. If
    /// these are damaged, the shards that they list are missing.
    pub fn listed_shards(&self) -> Vec<(ShardId, ShardEntry)> {
        let centroids = self.centroids().ok().flatten();
        let cells = centroids.iter().flat_map(Centroids::cells).map(|cell| cell.shard);
        let listed = (0..).map(ShardId).zip(self.manifest.shards.iter().copied().chain(cells));
        let positions = self.positions().ok().flatten();
        let positions = positions.iter().flat_map(PositionsDirectory::shards);
        listed.chain(positions.map(|(id, shard)| (id, *shard))).collect()
    }
}

//! Reads a bundle on disk, a directory or a single file, and the copy of a site's bundle.

mod address;
mod local_file;
mod packed;
mod web;
mod web_copy;

use std::fs;
use std::io::Read;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use anyhow::{Context, Result, bail};
use findling_bundle::packs::{Fetch, GAP, Pack, Slot, UNIT, coalesce, take_slot};
use findling_bundle::texts::PageText;
use findling_bundle::{
    Centroids, Entry, EntryFile, FilePart, Manifest, PositionsDirectory, ShardEntry, ShardId,
    SingleFile, TextsShard, decode_manifest, decode_shard, entry, hash128, opening, single_file,
};

pub use address::is_address;
pub use packed::{PackedShards, Packs};
pub use web::Error as WebError;
pub use web_copy::{WebCopy, copy};

use crate::http::MAX_CONNECTIONS;
use crate::regular_file;
use web::{Origin, Part};

/// Most bytes of a shard whose length the shard directory does not list.
const MAX_UNLISTED_LEN: u64 = 64 << 20;

/// Most bytes of a file of an encoder that is fetched.
const MAX_PART_LEN: u64 = 1 << 30;

/// The name of a single-file bundle in its directory.
pub const SINGLE_FILE: &str = "bundle.findling";

/// Where a bundle was expected there is none.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct NoBundle(String);

impl NoBundle {
    /// The error of a place where something else was found.
    pub fn found(given: &str, found: &str) -> Self {
        Self(format!(
            "{given}: expected a bundle, found {found}; give the directory or file that `findling \
             build` wrote"
        ))
    }
}

/// The error of a shard that the manifest does not list.
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

/// Most bytes of a shard as stored. The directory of shards does not list every length.
fn most_stored(entry: &ShardEntry) -> u64 {
    match entry.stored_len {
        0 => MAX_UNLISTED_LEN,
        len => u64::from(len),
    }
}

/// The bytes of a slot in those of a range, if it is inside.
fn part_of(bytes: &[u8], range: Slot, slot: Slot) -> Option<&[u8]> {
    let start = slot.start.checked_sub(range.start).filter(|_| slot.pack == range.pack)?;
    bytes.get(start as usize * UNIT..(start + slot.units) as usize * UNIT)
}

/// The file with the entry of a bundle: in a directory the entry file or `bundle.findling`,
/// otherwise the path itself.
pub fn entry_file(path: &Path) -> PathBuf {
    let files = [entry::FILE_NAME, SINGLE_FILE].map(|name| path.join(name));
    files.into_iter().find(|file| file.is_file()).unwrap_or_else(|| path.to_owned())
}

/// The entry that a bundle's path has now. `None` while there is none that can be read.
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
    /// Where shards are, if they are in packs.
    packs: Option<Packs>,
    place: Place,
}

#[derive(Debug)]
enum Place {
    Directory,
    /// A directory with those files of a site's bundle that have been read so far.
    Copy(Origin),
    SingleFile(Box<SingleFile<Vec<u8>>>),
}

impl BundleFiles {
    /// Opens a directory with `findling.idx` or `bundle.findling`, such a file itself, or another
    /// single file.
    ///
    /// # Errors
    /// If there is no bundle, or its entry file or manifest is damaged or of another version.
    pub fn open(path: &Path) -> Result<Self> {
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
        let place = Origin::of(path).map_or(Place::Directory, Place::Copy);
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
            place,
        })
    }

    /// Opens the copy of a site's bundle without its site: files that it lacks are missing.
    fn open_kept(path: &Path) -> Result<Self> {
        Ok(Self { place: Place::Directory, ..Self::open_directory(path)? })
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

    /// The directory, or the single file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The directory that paths in the manifest are relative to.
    pub fn directory(&self) -> &Path {
        match self.place {
            Place::Directory | Place::Copy(_) => &self.path,
            Place::SingleFile(_) => self.path.parent().unwrap_or(Path::new("")),
        }
    }

    /// Whether it is one file.
    pub fn is_single_file(&self) -> bool {
        matches!(self.place, Place::SingleFile(_))
    }

    /// Whether files that are read for the first time come from a site.
    pub fn is_copy(&self) -> bool {
        matches!(self.place, Place::Copy(_))
    }

    /// Whether the entry file is still the one that was read.
    pub fn is_current(&self) -> bool {
        entry_at(&self.path) == Some(self.entry)
    }

    /// The entry. Its hash identifies the bundle.
    pub fn entry(&self) -> &Entry {
        &self.entry.entry
    }

    /// The entry file.
    pub fn entry_file(&self) -> &EntryFile {
        &self.entry
    }

    /// The packs that shards are in; `None` if each has a file of its own.
    pub fn packs(&self) -> Option<&Packs> {
        self.packs.as_ref()
    }

    /// The validated manifest.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// The manifest's bytes as stored.
    pub fn stored_manifest(&self) -> &[u8] {
        &self.stored_manifest
    }

    /// The shards that come with the manifest in a directory: their paths and bytes.
    pub fn with_manifest(&self) -> &[(String, u64)] {
        &self.with_manifest
    }

    /// The paths of its files in a directory. Those that only a missing shard lists are left out.
    fn paths(&self) -> impl Iterator<Item = String> {
        let shards = self.listed_shards().into_iter();
        let shards = shards.map(|(id, entry)| self.manifest.path(id, &entry));
        let encoders = self.manifest.dense.iter().flat_map(|dense| &dense.query_encoders);
        let parts = encoders.flat_map(|encoder| &encoder.files).map(|part| part.path.clone());
        let opening = [entry::FILE_NAME.to_owned(), self.entry.opening_path()];
        let packs = self.packs.iter().flat_map(|packs| &packs.directory().packs);
        let packs = packs.map(Pack::path);
        let slots = self.entry.opening.map(|file| Packs::positions_file(&file.hash));
        let slots = slots.map(|path| path.to_string_lossy().into_owned());
        opening.into_iter().chain(shards).chain(parts).chain(packs).chain(slots)
    }

    /// A shard's bytes as stored.
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

    /// The bytes as stored of a shard that the manifest, the centroids or the directory of
    /// positions lists.
    ///
    /// # Errors
    /// Where its file cannot be read.
    pub fn stored(&self, id: ShardId, entry: &ShardEntry) -> Result<Vec<u8>> {
        match &self.place {
            Place::Copy(origin) => self.copied(origin, id, entry),
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

    /// A shard from the packs in the directory.
    fn unpacked(&self, id: ShardId) -> Result<Vec<u8>> {
        let slot = self.slot(id)?.with_context(|| unlisted(id))?;
        Ok(take_slot(&self.slot_bytes(slot)?)?.to_vec())
    }

    /// Where a shard is in packs; `None` if it is in none.
    ///
    /// # Errors
    /// If the slots of positions cannot be read.
    pub fn slot(&self, id: ShardId) -> Result<Option<Slot>> {
        let Some(packs) = &self.packs else { return Ok(None) };
        packs.slot(id, |slot| match &self.place {
            Place::Copy(origin) => self.positions_slots(origin, packs, slot),
            _ => self.slot_bytes(slot),
        })
    }

    /// The bytes of a slot, from a pack in the directory.
    fn slot_bytes(&self, slot: Slot) -> Result<Vec<u8>> {
        let packs = self.packs.as_ref().context("the bundle is not in packs")?;
        packs.read(&self.path, slot)?.with_context(|| {
            let pack = packs.pack(slot).map(Pack::path).unwrap_or_default();
            packed::unreadable(&self.path.join(pack))
        })
    }

    /// Fetches the shards of a site's bundle that the copy lacks, several at a time. One that
    /// cannot be fetched is an error when it is read.
    pub fn fetch(&self, wanted: &[(ShardId, ShardEntry)]) {
        let Place::Copy(origin) = &self.place else { return };
        let is_missing =
            |(id, entry): &&_| !self.path.join(self.manifest.path(*id, entry)).is_file();
        let missing: Vec<(ShardId, ShardEntry)> =
            wanted.iter().filter(is_missing).copied().collect();
        match &self.packs {
            Some(packs) => self.fetch_ranges(origin, packs, &missing),
            None => on_all_connections(&missing, |(id, entry)| {
                let _ = self.copied(origin, *id, entry);
            }),
        }
    }

    /// Fetches shards that are in packs: neighbours by one request.
    fn fetch_ranges(&self, origin: &Origin, packs: &Packs, missing: &[(ShardId, ShardEntry)]) {
        let place =
            |&(id, entry): &(ShardId, ShardEntry)| Some((self.slot(id).ok().flatten()?, id, entry));
        let placed: Vec<(Slot, ShardId, ShardEntry)> = missing.iter().filter_map(place).collect();
        let slots: Vec<Slot> = placed.iter().map(|(slot, ..)| *slot).collect();
        let take = |&Fetch { range, .. }: &Fetch| {
            let Ok(bytes) = self.range(origin, packs, range) else { return };
            for (slot, id, entry) in &placed {
                let Some(own) = part_of(&bytes, range, *slot) else { continue };
                let path = self.manifest.path(*id, entry);
                let stored = take_slot(own).ok().filter(|own| decode_shard(entry, own).is_ok());
                // What is wrong with a damaged one is told when it is read.
                let _ = stored.map(|stored| web::write(&self.path.join(path), stored));
            }
        };
        let fetches = coalesce(&slots, GAP);
        let mut left = &fetches[..];
        if packs.sends_ranges.get().is_none()
            && let Some((first, rest)) = left.split_first()
        {
            take(first);
            left = rest;
        }
        if packs.sends_ranges.get() == Some(&false) {
            // The first range of a pack copies all of it, and the others read the copy.
            let by_pack = left.chunk_by(|one, next| one.range.pack == next.range.pack);
            on_all_connections(&by_pack.collect::<Vec<_>>(), |same| same.iter().for_each(take));
        } else {
            on_all_connections(left, take);
        }
    }

    /// The slots of positions of a site's bundle, from the copy, otherwise fetched and copied.
    fn positions_slots(&self, origin: &Origin, packs: &Packs, slot: Slot) -> Result<Vec<u8>> {
        let file = self.entry.opening.map(|file| self.path.join(Packs::positions_file(&file.hash)));
        let read = |bytes: &[u8]| packs.directory().positions_from_bytes(take_slot(bytes)?);
        if let Some(file) = &file
            && let Some(kept) = web::kept(file)?.filter(|bytes| read(bytes).is_ok())
        {
            return Ok(kept);
        }
        let bytes = self.checked_range(origin, packs, slot, |bytes| Ok(read(bytes).map(drop)?))?;
        file.map_or(Ok(()), |file| web::write(&file, &bytes))?;
        Ok(bytes)
    }

    /// As [`Self::range`], of a slot that `check` accepts. A pack that was copied and that a disk
    /// spoilt is removed, and fetched again.
    fn checked_range(
        &self,
        origin: &Origin,
        packs: &Packs,
        slot: Slot,
        check: impl Fn(&[u8]) -> Result<()>,
    ) -> Result<Vec<u8>> {
        let bytes = self.range(origin, packs, slot)?;
        let Err(error) = check(&bytes) else { return Ok(bytes) };
        fs::remove_file(self.path.join(packs.pack(slot)?.path())).map_err(|_| error)?;
        let bytes = self.range(origin, packs, slot)?;
        check(&bytes)?;
        Ok(bytes)
    }

    /// A range of a pack of a site's bundle. If the site does not send ranges, the whole pack is
    /// copied.
    fn range(&self, origin: &Origin, packs: &Packs, range: Slot) -> Result<Vec<u8>> {
        // A copied pack that is too short is replaced.
        if let Ok(Some(bytes)) = packs.read(&self.path, range) {
            return Ok(bytes);
        }
        let pack = packs.pack(range)?;
        let part = origin.range(&pack.path(), range.bytes(), pack.n_bytes())?;
        let _ = packs.sends_ranges.set(matches!(part, Part::Range(_)));
        match part {
            Part::Range(bytes) => Ok(bytes),
            Part::Whole(bytes) => {
                pack.check(&bytes).map_err(|error| WebError::Contents {
                    url: pack.path(),
                    reason: error.to_string(),
                })?;
                web::write(&self.path.join(pack.path()), &bytes)?;
                let Range { start, end } = range.bytes();
                Ok(bytes[usize::try_from(start)?..usize::try_from(end)?].to_vec())
            }
        }
    }

    /// A shard of a site's bundle: from the copy, otherwise fetched, checked and copied.
    fn copied(&self, origin: &Origin, id: ShardId, entry: &ShardEntry) -> Result<Vec<u8>> {
        let path = self.manifest.path(id, entry);
        let file = self.path.join(&path);
        // A copy that a disk spoilt is fetched again.
        let kept = web::kept(&file)?.filter(|stored| decode_shard(entry, stored).is_ok());
        if let Some(stored) = kept {
            return Ok(stored);
        }
        if let Some(packs) = &self.packs {
            let slot = self.slot(id)?.with_context(|| unlisted(id))?;
            let check = |bytes: &[u8]| self.check_fetched(entry, &path, take_slot(bytes)?);
            let bytes = self.checked_range(origin, packs, slot, check)?;
            let stored = take_slot(&bytes)?;
            web::write(&file, stored)?;
            return Ok(stored.to_vec());
        }
        let part = match origin.is_single_file() {
            true => Some(self.part(id)?),
            false => None,
        };
        let stored = origin.file(&path, part, most_stored(entry))?;
        self.check_fetched(entry, &path, &stored)?;
        web::write(&file, &stored)?;
        Ok(stored)
    }

    fn check_fetched(&self, entry: &ShardEntry, path: &str, stored: &[u8]) -> Result<()> {
        let checked = decode_shard(entry, stored);
        checked.map(drop).map_err(|error| {
            WebError::Contents { url: path.to_owned(), reason: error.to_string() }.into()
        })
    }

    /// Where a shard is in the single file that this is a copy of.
    fn part(&self, id: ShardId) -> Result<Range<u64>> {
        let listed = single_file::shard_ranges(self.entry(), &self.manifest);
        let positions = match id.place_of_positions() {
            Some(_) => self.positions()?,
            None => None,
        };
        single_file::shard_range(id, self.entry(), &listed, positions.as_ref())
            .with_context(|| unlisted(id))
    }

    /// The centroids, which list the cells; `None` if the bundle has no cells.
    ///
    /// # Errors
    /// Where they cannot be read or are damaged.
    pub fn centroids(&self) -> Result<Option<Centroids>> {
        let Some(dense) = &self.manifest.dense else { return Ok(None) };
        let Some(id) = dense.centroids else { return Ok(None) };
        let Some(entry) = self.manifest.shard(id) else { return Ok(None) };
        let raw = decode_shard(entry, &self.stored(id, entry)?)?;
        Ok(Some(Centroids::from_bytes(&raw, dense.encoder.dim, &self.manifest.stats)?))
    }

    /// The directory of positions; `None` if the bundle has none.
    ///
    /// # Errors
    /// Where it cannot be read or is damaged.
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

    /// Every shard that the manifest, the centroids or the directory of positions lists. Where
    /// these are damaged, the shards that they list are missing.
    pub fn listed_shards(&self) -> Vec<(ShardId, ShardEntry)> {
        let centroids = self.centroids().ok().flatten();
        let cells = centroids.iter().flat_map(Centroids::cells).map(|cell| cell.shard);
        let listed = (0..).map(ShardId).zip(self.manifest.shards.iter().copied().chain(cells));
        let positions = self.positions().ok().flatten();
        let positions = positions.iter().flat_map(PositionsDirectory::shards);
        listed.chain(positions.map(|(id, shard)| (id, *shard))).collect()
    }

    /// A file that the manifest lists in parts: each part is checked, then joined.
    ///
    /// # Errors
    /// If a part is missing or has other contents.
    pub fn parts(&self, files: &[FilePart]) -> Result<Vec<u8>> {
        let mut whole = Vec::new();
        for part in files {
            whole.extend(self.file_part(part)?);
        }
        Ok(whole)
    }

    /// One part. That of a site's bundle comes from the copy, otherwise it is fetched and copied.
    fn file_part(&self, part: &FilePart) -> Result<Vec<u8>> {
        let path = self.directory().join(&part.path);
        let is_whole = |bytes: &[u8]| bytes.len() as u64 == part.len && hash128(bytes) == part.hash;
        let check = |bytes: Vec<u8>| match is_whole(&bytes) {
            true => Ok(bytes),
            false => bail!(
                "{}: expected the file that the manifest lists, found other contents; deploy or \
                 build the bundle again",
                path.display()
            ),
        };
        let Place::Copy(origin) = &self.place else {
            let bytes = regular_file::read(&path, part.len.min(MAX_PART_LEN));
            return check(bytes.with_context(|| format!("{} cannot be read", path.display()))?);
        };
        // The path comes from the site, which may name files of its bundle only.
        origin.url().beside(&part.path)?;
        if let Some(bytes) = web::kept(&path).ok().flatten().filter(|bytes| is_whole(bytes)) {
            return Ok(bytes);
        }
        if part.len > MAX_PART_LEN {
            bail!(
                "{}: expected a file of at most {MAX_PART_LEN} bytes, the manifest lists {}",
                path.display(),
                part.len
            );
        }
        let bytes = check(origin.file(&part.path, None, part.len)?)?;
        web::write(&path, &bytes)?;
        Ok(bytes)
    }
}

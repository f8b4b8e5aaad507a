//! The files of a site's bundle: from the copy, otherwise fetched, checked and copied.

use std::fs;
use std::ops::Range;

use anyhow::{Context, Result};
use findling_bundle::packs::{Fetch, GAP, Slot, coalesce, take_slot};
use findling_bundle::{ShardEntry, ShardId, decode_shard, single_file};

use super::location::Copied;
use super::web::{self, Client, Origin, Part};
use super::web_copy::renew;
use super::{BundleFiles, Packs, Place, WebError};
use super::{most_stored, on_all_connections, part_of, unlisted};

/// A copy of a site's bundle, and the site.
#[derive(Debug)]
pub(super) struct SiteFiles {
    pub origin: Origin,
    pub copied: Copied,
}

impl SiteFiles {
    pub fn new(copied: Copied) -> Self {
        let client = Client::for_bundle_at(&copied.given);
        Self { origin: Origin::new(copied.url.clone(), client), copied }
    }
}

impl BundleFiles {
    /// Opens the bundle that the site has now; `None` if it is still this one. The site's entry
    /// file is requested at once.
    ///
    /// # Errors
    /// [`WebError`], and as [`Self::open`].
    pub fn renewed(&self) -> Result<Option<Self>> {
        let Place::Copy(site) = &self.place else { return Ok(None) };
        // Another process may have sent a request meanwhile.
        if self.is_current() {
            renew(&site.copied.given, &site.copied.layout)?;
        }
        if self.is_current() { Ok(None) } else { Self::open(self.location()).map(Some) }
    }

    /// Begins a question. From now on, the bytes that are fetched for it and the time for fetching
    /// them are limited.
    pub fn begin_question(&self) {
        if let Place::Copy(site) = &self.place {
            site.origin.begin_question();
        }
    }

    /// Fetches the shards of a site's bundle that the copy lacks, several at a time. A shard that
    /// cannot be fetched causes an error when it is read.
    pub fn fetch(&self, wanted: &[(ShardId, ShardEntry)]) {
        let Place::Copy(site) = &self.place else { return };
        let origin = &site.origin;
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

    /// Fetches shards that are in packs. One request fetches neighbouring shards.
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
                // If a shard is damaged, reading it returns the error.
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

    /// Returns the slots of positions of a site's bundle. Reads them from the copy, or else fetches
    /// and copies them.
    pub(super) fn positions_slots(
        &self,
        origin: &Origin,
        packs: &Packs,
        slot: Slot,
    ) -> Result<Vec<u8>> {
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

    /// Returns a range like [`Self::range`], and checks the bytes with `check`. If the check fails,
    /// the copied pack may be damaged on the disk. The pack is then removed and fetched again.
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

    /// Returns a range of a pack of a site's bundle. If the site does not send ranges, the whole
    /// pack is copied.
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

    /// Returns a shard of a site's bundle: from the copy, otherwise fetched, checked and copied.
    pub(super) fn copied(
        &self,
        origin: &Origin,
        id: ShardId,
        entry: &ShardEntry,
    ) -> Result<Vec<u8>> {
        let path = self.manifest.path(id, entry);
        let file = self.path.join(&path);
        // A copy that was damaged on the disk is fetched again.
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

    /// Returns the place of a shard in the site's single file.
    fn part(&self, id: ShardId) -> Result<Range<u64>> {
        let listed = single_file::shard_ranges(self.entry(), &self.manifest);
        let positions = match id.place_of_positions() {
            Some(_) => self.positions()?,
            None => None,
        };
        single_file::shard_range(id, self.entry(), &listed, positions.as_ref())
            .with_context(|| unlisted(id))
    }
}

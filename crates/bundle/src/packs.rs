//! Packs: files that hold many shards, of which readers fetch ranges. A bundle in packs has few
//! files, and shards that lie close together come with one request.
//!
//! A pack is a sequence of *slots*. A slot is a whole number of units of [`UNIT`] bytes: a stored
//! shard, bytes of 0, and a last byte with the number of bytes after the shard, from 1 to [`UNIT`].
//! So places are counted in units, which takes fewer bytes than counting in bytes.
//!
//! The *directory of packs* lists the place of each shard. It comes with the manifest
//! ([`crate::opening`]), deflated:
//!
//! | field | encoding |
//! |---|---|
//! | version | u8: 1 |
//! | number of packs | varint |
//! | name of each pack | 12 bytes: the first bytes of the hash of the pack |
//! | units of each pack | varints |
//! | slots of the manifest's shards and of cells, by id | see below |
//! | whether positions are in packs | u8: 0 or 1 |
//! | if so: id of the directory of positions | varint |
//! | and of the slot of positions: pack, first unit, units | varints |
//!
//! The slot contains the slots of positions, by their index in the directory of positions,
//! deflated. Only phrases need them.
//!
//! Slots are coded in *runs*: shards with ascending ids that follow each other in a pack. All runs
//! are in the order of their places. A run belongs to a *lane*, so that the ids of several kinds of
//! shards can alternate in a pack.
//!
//! | field | encoding |
//! |---|---|
//! | number of shards, number of runs | varints |
//! | for each run: packs since the run before | varints |
//! | for each run: its lane | varints below [`MAX_LANES`] |
//! | for each run: first id, less the id after the last run of its lane | zigzag varints |
//! | for each run: number of shards, less 1 | varints |
//! | for each run: first unit, less the unit after the run before; 0 in another pack | the same |
//! | for each shard: units of its slot; 0 if there is no such shard | varints |
//!
//! Bytes that no run covers are unused: a build keeps the packs of the bundle that it replaces, and
//! puts new shards into new packs.

use core::ops::Range;

use miniz_oxide::deflate::compress_to_vec;
use miniz_oxide::inflate::decompress_to_vec_with_limit;

use crate::codec::{Reader, hash128, put_varint, unzigzag, zigzag};
use crate::names::shard_path;
use crate::{Error, ShardId};

const WHAT: &str = "directory of packs";
const SLOT: &str = "slot of a pack";
const VERSION: u8 = 1;
const LEVEL: u8 = 9;

/// Bytes of a unit.
pub const UNIT: usize = 64;
/// Units between two shards that are fetched together: 8 KiB. A separate request would cost a
/// reader more.
pub const GAP: u32 = 128;
/// Maximum number of units of a range that is fetched for several shards: 1 MiB.
pub const MAX_RANGE: u32 = 1 << 14;
/// Maximum number of packs of a bundle.
pub const MAX_PACKS: usize = 20_000;
/// Maximum number of shards that a directory of packs lists.
pub const MAX_SHARDS: usize = 4 << 20;
/// Maximum number of bytes of a directory of packs, inflated.
pub const MAX_LEN: usize = 32 << 20;
/// Maximum number of lanes of a pack directory.
pub const MAX_LANES: usize = 32;
/// Maximum number of units of a pack: 1 GiB.
pub const MAX_UNITS: u32 = 1 << 24;

/// The name of a pack.
pub type PackName = [u8; 12];

/// A pack, as the directory lists it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pack {
    /// First bytes of its hash.
    pub name: PackName,
    /// The length in units.
    pub units: u32,
}

impl Pack {
    /// Returns the line of a pack with these contents.
    ///
    /// # Errors
    /// If it is too long, or not a whole number of units.
    pub fn of(contents: &[u8]) -> Result<Self, Error> {
        let units = contents.len() / UNIT;
        if !contents.len().is_multiple_of(UNIT) {
            return Err(Error::malformed("pack", "its length is no multiple of 64 bytes"));
        }
        if units as u64 > u64::from(MAX_UNITS) {
            let (what, limit) = ("units of a pack", MAX_UNITS.into());
            return Err(Error::Limit { what, limit, got: units as u64 });
        }
        Ok(Self { name: name_of(contents), units: units as u32 })
    }

    /// Returns the path, relative to the bundle and with `/`.
    pub fn path(&self) -> String {
        shard_path(&self.name)
    }

    /// Returns the length in bytes.
    pub fn n_bytes(&self) -> u64 {
        u64::from(self.units) * UNIT as u64
    }

    /// Checks that these bytes are the pack.
    ///
    /// # Errors
    /// If length or name differ.
    pub fn check(&self, contents: &[u8]) -> Result<(), Error> {
        let got = contents.len() as u64;
        if got != self.n_bytes() {
            return Err(Error::Length { what: "pack", expected: self.n_bytes(), got });
        }
        if name_of(contents) != self.name {
            return Err(Error::Checksum { what: "pack" });
        }
        Ok(())
    }
}

fn name_of(contents: &[u8]) -> PackName {
    let mut name = PackName::default();
    name.copy_from_slice(&hash128(contents)[..12]);
    name
}

/// The place of a shard.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Slot {
    /// Index of the pack.
    pub pack: u32,
    /// First unit.
    pub start: u32,
    /// Number of units, at least 1.
    pub units: u32,
}

impl Slot {
    /// Returns the unit after it.
    pub fn end(&self) -> u32 {
        self.start.saturating_add(self.units)
    }

    /// Returns the bytes of the pack.
    pub fn bytes(&self) -> Range<u64> {
        let at = |unit: u32| u64::from(unit) * UNIT as u64;
        at(self.start)..at(self.end())
    }
}

/// Returns the number of units that the slot of a stored shard takes.
pub fn units_of(stored_len: usize) -> usize {
    stored_len / UNIT + 1
}

/// Appends the slot of a stored shard to a pack.
pub fn put_slot(pack: &mut Vec<u8>, stored: &[u8]) {
    let padding = UNIT - stored.len() % UNIT;
    pack.extend_from_slice(stored);
    pack.resize(pack.len() + padding, 0);
    if let Some(last) = pack.last_mut() {
        *last = padding as u8;
    }
}

/// Returns the stored shard in the bytes of a slot.
///
/// # Errors
/// If there are no whole units, or they do not end as slots do.
pub fn take_slot(bytes: &[u8]) -> Result<&[u8], Error> {
    let Some((&padding, _)) = bytes.split_last().filter(|_| bytes.len().is_multiple_of(UNIT))
    else {
        let expected = bytes.len().next_multiple_of(UNIT).max(UNIT) as u64;
        return Err(Error::Length { what: SLOT, expected, got: bytes.len() as u64 });
    };
    let padding = usize::from(padding);
    if padding == 0 || padding > UNIT {
        return Err(Error::malformed(SLOT, "its last byte is not from 1 to 64"));
    }
    let (stored, rest) = bytes.split_at(bytes.len() - padding);
    if rest[..padding - 1].iter().any(|&byte| byte != 0) {
        return Err(Error::malformed(SLOT, "bytes behind the shard are not 0"));
    }
    Ok(stored)
}

/// The slots of positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PositionsSlots {
    /// The directory of positions. A reader that fetches it needs the slots too.
    pub with: ShardId,
    /// The slot that contains these slots.
    pub slot: Slot,
}

/// The directory of packs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PackDirectory {
    /// The packs.
    pub packs: Vec<Pack>,
    /// The places of the manifest's shards and of cells, by id.
    pub slots: Vec<Option<Slot>>,
    /// The slots of positions.
    pub positions: Option<PositionsSlots>,
}

impl PackDirectory {
    /// Writes the directory. `lane_of` gives the lane of a shard by its id.
    ///
    /// # Errors
    /// If a limit is exceeded, or slots are not inside of packs.
    pub fn to_bytes(&self, lane_of: impl Fn(u32) -> usize) -> Result<Vec<u8>, Error> {
        let mut raw = vec![VERSION];
        limit("packs", MAX_PACKS, self.packs.len())?;
        put_varint(&mut raw, self.packs.len() as u32);
        self.packs.iter().for_each(|pack| raw.extend_from_slice(&pack.name));
        self.packs.iter().for_each(|pack| put_varint(&mut raw, pack.units));
        put_slots(&mut raw, &self.packs, &self.slots, lane_of)?;
        raw.push(u8::from(self.positions.is_some()));
        if let Some(PositionsSlots { with, slot }) = self.positions {
            check_slot(&self.packs, slot)?;
            let numbers = [with.0, slot.pack, slot.start, slot.units];
            numbers.iter().for_each(|&number| put_varint(&mut raw, number));
        }
        Ok(compress_to_vec(&raw, LEVEL))
    }

    /// Reads a directory.
    ///
    /// # Errors
    /// If the bytes are not a directory, or a place is outside of its pack.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        let raw = inflate(bytes)?;
        let mut reader = Reader::new(&raw, WHAT);
        let version = reader.u8()?;
        if version != VERSION {
            let (expected, got) = (VERSION.into(), version.into());
            return Err(Error::Version { what: WHAT, expected, got });
        }
        let n = reader.count(13)?;
        limit("packs", MAX_PACKS, n)?;
        let names = (0..n).map(|_| reader.array::<12>()).collect::<Result<Vec<_>, _>>()?;
        let mut packs = Vec::with_capacity(n);
        for name in names {
            let units = reader.varint()?;
            limit("units of a pack", MAX_UNITS as usize, units as usize)?;
            packs.push(Pack { name, units });
        }
        let slots = take_slots(&mut reader, &packs)?;
        let positions = match reader.u8()? {
            0 => None,
            1 => {
                let with = ShardId(reader.varint()?);
                let (pack, start, units) = (reader.varint()?, reader.varint()?, reader.varint()?);
                let slot = Slot { pack, start, units };
                check_slot(&packs, slot)?;
                Some(PositionsSlots { with, slot })
            }
            _ => return Err(reader.malformed("expected 0 or 1 for positions, found another")),
        };
        reader.finish()?;
        Ok(Self { packs, slots, positions })
    }

    /// Returns the place of a shard that the manifest or the centroids list.
    pub fn slot(&self, id: ShardId) -> Option<Slot> {
        self.slots.get(id.index()).copied().flatten()
    }

    /// Returns the pack of a slot.
    pub fn pack(&self, slot: Slot) -> Option<&Pack> {
        self.packs.get(slot.pack as usize)
    }

    /// Writes the slots of positions, which are stored in a slot themselves.
    ///
    /// # Errors
    /// The errors of [`PackDirectory::to_bytes`].
    pub fn positions_to_bytes(&self, slots: &[Option<Slot>]) -> Result<Vec<u8>, Error> {
        let mut raw = Vec::new();
        put_slots(&mut raw, &self.packs, slots, |_| 0)?;
        Ok(compress_to_vec(&raw, LEVEL))
    }

    /// Reads the slots of positions, by index.
    ///
    /// # Errors
    /// The errors of [`PackDirectory::from_bytes`].
    pub fn positions_from_bytes(&self, bytes: &[u8]) -> Result<Vec<Option<Slot>>, Error> {
        let raw = inflate(bytes)?;
        let mut reader = Reader::new(&raw, WHAT);
        let slots = take_slots(&mut reader, &self.packs)?;
        reader.finish()?;
        Ok(slots)
    }
}

/// A run of shards.
struct Run {
    id: u32,
    n: u32,
    slot: Slot,
}

fn put_slots(
    out: &mut Vec<u8>,
    packs: &[Pack],
    slots: &[Option<Slot>],
    lane_of: impl Fn(u32) -> usize,
) -> Result<(), Error> {
    limit("shards in packs", MAX_SHARDS, slots.len())?;
    let mut placed: Vec<(Slot, u32)> =
        (0..).zip(slots).filter_map(|(id, slot)| Some(((*slot)?, id))).collect();
    placed.sort_unstable();
    let mut runs: Vec<Run> = Vec::new();
    for (slot, id) in placed {
        check_slot(packs, slot)?;
        let follows = |run: &&mut Run| {
            let last = run.slot;
            run.id + run.n == id
                && (last.pack, last.end()) == (slot.pack, slot.start)
                && lane_of(run.id) == lane_of(id)
        };
        match runs.last_mut().filter(follows) {
            Some(run) => {
                run.n += 1;
                run.slot.units += slot.units;
            }
            None => runs.push(Run { id, n: 1, slot }),
        }
    }
    put_varint(out, slots.len() as u32);
    put_varint(out, runs.len() as u32);
    let mut last = 0;
    for run in &runs {
        put_varint(out, run.slot.pack - last);
        last = run.slot.pack;
    }
    let lane = |run: &Run| lane_of(run.id).min(MAX_LANES - 1);
    runs.iter().for_each(|run| put_varint(out, lane(run) as u32));
    let mut lanes = [0u32; MAX_LANES];
    for run in &runs {
        let next = &mut lanes[lane(run)];
        put_varint(out, zigzag(run.id.wrapping_sub(*next) as i32));
        *next = run.id + run.n;
    }
    runs.iter().for_each(|run| put_varint(out, run.n - 1));
    let (mut pack, mut at) = (0, 0u32);
    for Run { slot, .. } in &runs {
        if slot.pack != pack {
            (pack, at) = (slot.pack, 0);
        }
        put_varint(out, zigzag(slot.start.wrapping_sub(at) as i32));
        at = slot.end();
    }
    slots.iter().for_each(|slot| put_varint(out, slot.map_or(0, |slot| slot.units)));
    Ok(())
}

fn take_slots(reader: &mut Reader<'_>, packs: &[Pack]) -> Result<Vec<Option<Slot>>, Error> {
    let n = reader.count(1)?;
    limit("shards in packs", MAX_SHARDS, n)?;
    let n_runs = reader.count(5)?;
    let mut column = |n: usize| -> Result<Vec<u32>, Error> {
        (0..n).map(|_| reader.varint()).collect::<Result<Vec<_>, _>>()
    };
    let (steps, own_lanes, ids) = (column(n_runs)?, column(n_runs)?, column(n_runs)?);
    let (counts, gaps, units) = (column(n_runs)?, column(n_runs)?, column(n)?);
    let wrong = |why| Error::malformed(WHAT, why);
    let mut slots: Vec<Option<Slot>> = vec![None; n];
    let mut lanes = [0u32; MAX_LANES];
    let (mut pack, mut at) = (0u32, 0u32);
    for run in 0..n_runs {
        if steps[run] > 0 {
            pack = pack.checked_add(steps[run]).ok_or_else(|| wrong("a pack does not exist"))?;
            at = 0;
        }
        let lane = lanes.get_mut(own_lanes[run] as usize);
        let lane = lane.ok_or_else(|| wrong("a run is in a lane that does not exist"))?;
        let mut id = lane.wrapping_add(unzigzag(ids[run]) as u32);
        at = at.wrapping_add(unzigzag(gaps[run]) as u32);
        for _ in 0..=counts[run] {
            let place = slots.get_mut(id as usize);
            let place = place.ok_or_else(|| wrong("a run has more shards than there are"))?;
            let slot = Slot { pack, start: at, units: units[id as usize] };
            check_slot(packs, slot)?;
            if place.replace(slot).is_some() {
                return Err(wrong("a shard is in two runs"));
            }
            (id, at) = (id + 1, slot.end());
        }
        *lane = id;
    }
    if slots.iter().zip(&units).any(|(slot, &units)| slot.is_none() && units > 0) {
        return Err(wrong("a shard is in no run"));
    }
    Ok(slots)
}

fn check_slot(packs: &[Pack], slot: Slot) -> Result<(), Error> {
    let Some(pack) = packs.get(slot.pack as usize) else {
        return Err(Error::malformed(WHAT, "a pack does not exist"));
    };
    if slot.units == 0 {
        return Err(Error::malformed(WHAT, "the slot of a shard is empty"));
    }
    match slot.start.checked_add(slot.units) {
        Some(end) if end <= pack.units => Ok(()),
        _ => Err(Error::malformed(WHAT, "a shard ends beyond its pack")),
    }
}

fn inflate(bytes: &[u8]) -> Result<Vec<u8>, Error> {
    decompress_to_vec_with_limit(bytes, MAX_LEN)
        .map_err(|_| Error::malformed(WHAT, "it does not inflate within its limit"))
}

fn limit(what: &'static str, limit: usize, got: usize) -> Result<(), Error> {
    if got > limit {
        return Err(Error::Limit { what, limit: limit as u64, got: got as u64 });
    }
    Ok(())
}

/// A range of a pack that is fetched at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fetch {
    /// The range, as a slot.
    pub range: Slot,
    /// Number of requested shards in the range.
    pub n_wanted: usize,
}

/// Returns the ranges to fetch for slots: neighbours are joined if at most `gap` units lie between
/// them.
pub fn coalesce(wanted: &[Slot], gap: u32) -> Vec<Fetch> {
    coalesce_along(wanted, &[], gap)
}

/// Joins slots as [`coalesce`] does, and adds slots of `along`, which the next search will need, if
/// they are as near to a requested slot as requested slots may be to each other.
pub fn coalesce_along(wanted: &[Slot], along: &[Slot], gap: u32) -> Vec<Fetch> {
    let wanted = wanted.iter().map(|slot| (*slot, 1));
    let mut all: Vec<(Slot, usize)> = wanted.chain(along.iter().map(|slot| (*slot, 0))).collect();
    all.sort_unstable();
    let mut fetches: Vec<Fetch> = Vec::new();
    for (slot, n) in all {
        match fetches.last_mut() {
            Some(Fetch { range, n_wanted })
                if range.pack == slot.pack
                    && slot.start <= range.end().saturating_add(gap)
                    && slot.end() - range.start <= MAX_RANGE =>
            {
                range.units = range.end().max(slot.end()) - range.start;
                *n_wanted += n;
            }
            _ => fetches.push(Fetch { range: slot, n_wanted: n }),
        }
    }
    fetches.retain(|fetch| fetch.n_wanted > 0);
    fetches
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Returns shards, of which some are missing, in packs in the order of `keys`.
    fn packed(
        shards: &[Option<Vec<u8>>],
        keys: &[u8],
        len: usize,
    ) -> (PackDirectory, Vec<Vec<u8>>) {
        let mut order: Vec<usize> = (0..shards.len()).filter(|&id| shards[id].is_some()).collect();
        order.sort_by_key(|&id| (keys[id % keys.len().max(1)], id));
        let mut contents = vec![Vec::new()];
        let mut slots = vec![None; shards.len()];
        for id in order {
            let stored = shards[id].as_deref().unwrap();
            if contents.last().unwrap().len() > len {
                contents.push(Vec::new());
            }
            let pack = contents.len() as u32 - 1;
            let own = contents.last_mut().unwrap();
            let start = (own.len() / UNIT) as u32;
            put_slot(own, stored);
            slots[id] = Some(Slot { pack, start, units: units_of(stored.len()) as u32 });
        }
        let packs = contents.iter().map(|pack| Pack::of(pack).unwrap()).collect();
        (PackDirectory { packs, slots, positions: None }, contents)
    }

    fn range_of(contents: &[Vec<u8>], slot: Slot) -> &[u8] {
        let Range { start, end } = slot.bytes();
        &contents[slot.pack as usize][start as usize..end as usize]
    }

    proptest! {
        #[test]
        fn any_set_of_shards_comes_back(
            shards in prop::collection::vec(
                prop::option::of(prop::collection::vec(any::<u8>(), 0..200)), 0..80),
            keys in prop::collection::vec(0u8..4, 1..80),
            len in 0usize..3000,
            gap in 0u32..9,
        ) {
            let (directory, contents) = packed(&shards, &keys, len);
            let lane = |id: u32| usize::from(keys[id as usize % keys.len()]);
            let bytes = directory.to_bytes(lane).unwrap();
            let read = PackDirectory::from_bytes(&bytes).unwrap();
            prop_assert_eq!(&read, &directory);
            for (pack, own) in read.packs.iter().zip(&contents) {
                pack.check(own).unwrap();
                prop_assert!(own.is_empty() || pack.check(&own[1..]).is_err());
            }
            for (id, stored) in (0..).map(ShardId).zip(&shards) {
                let read = read.slot(id).map(|slot| take_slot(range_of(&contents, slot)).unwrap());
                prop_assert_eq!(read, stored.as_deref());
            }
            // The joined ranges contain every requested shard.
            let wanted: Vec<Slot> = read.slots.iter().flatten().copied().collect();
            let fetches = coalesce(&wanted, gap);
            let n_wanted: usize = fetches.iter().map(|fetch| fetch.n_wanted).sum();
            prop_assert_eq!(n_wanted, wanted.len());
            for slot in wanted {
                let holds = |fetch: &&Fetch| {
                    let Fetch { range, .. } = fetch;
                    let ends = slot.end() <= range.end();
                    range.pack == slot.pack && range.start <= slot.start && ends
                };
                let fetch = fetches.iter().find(holds).unwrap();
                let from = (slot.start - fetch.range.start) as usize * UNIT;
                let fetched = &range_of(&contents, fetch.range)[from..];
                prop_assert_eq!(
                    take_slot(&fetched[..slot.units as usize * UNIT]).unwrap(),
                    take_slot(range_of(&contents, slot)).unwrap()
                );
            }
            // The slots of positions are read in the same way.
            let bytes = directory.positions_to_bytes(&directory.slots).unwrap();
            prop_assert_eq!(directory.positions_from_bytes(&bytes).unwrap(), directory.slots);
        }

        #[test]
        fn damaged_directories_are_refused_or_stay_inside_of_packs(
            at in 0usize..400,
            byte: u8,
        ) {
            let shards: Vec<Option<Vec<u8>>> =
                (0..40).map(|i| (i % 7 != 3).then(|| vec![i; 40 + 9 * usize::from(i)])).collect();
            let (directory, _) = packed(&shards, &[1, 0, 2, 1], 4000);
            let mut raw = inflate(&directory.to_bytes(|id| id as usize % 3).unwrap()).unwrap();
            let len = raw.len();
            raw[at % len] = byte;
            if let Ok(read) = PackDirectory::from_bytes(&compress_to_vec(&raw, 1)) {
                for slot in read.slots.iter().flatten() {
                    prop_assert!(slot.bytes().end <= read.pack(*slot).unwrap().n_bytes());
                }
            }
            prop_assert!(PackDirectory::from_bytes(&compress_to_vec(&raw[..at % len], 1)).is_err());
        }
    }

    #[test]
    fn hostile_directories_are_refused() {
        let raw = |bytes: &[u8]| PackDirectory::from_bytes(&compress_to_vec(bytes, 1));
        let pack = |rest: &[u8]| [&[1, 1][..], &[7; 12], &[2], rest].concat();
        // One shard in one run: of one unit, in the first unit.
        assert!(raw(&pack(&[1, 1, 0, 0, 0, 0, 0, 1, 0])).is_ok());
        for (why, bytes) in [
            ("another version", vec![2, 0, 0, 0, 0]),
            ("more packs than bytes", vec![1, 200, 1, 0]),
            ("a pack too far", pack(&[1, 1, 1, 0, 0, 0, 0, 1, 0])),
            ("a lane too far", pack(&[1, 1, 0, 32, 0, 0, 0, 1, 0])),
            ("an id too far", pack(&[1, 1, 0, 0, 2, 0, 0, 1, 0])),
            ("an id below 0", pack(&[1, 1, 0, 0, 1, 0, 0, 1, 0])),
            ("more shards than there are", pack(&[1, 1, 0, 0, 0, 1, 0, 1, 0])),
            ("before the pack", pack(&[1, 1, 0, 0, 0, 0, 1, 1, 0])),
            ("beyond the pack", pack(&[1, 1, 0, 0, 0, 0, 4, 1, 0])),
            ("an empty slot", pack(&[1, 1, 0, 0, 0, 0, 0, 0, 0])),
            ("a shard in no run", pack(&[2, 1, 0, 0, 0, 0, 0, 1, 1, 0])),
            ("a shard in two runs", pack(&[1, 2, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0])),
            ("a slot of positions beyond the pack", pack(&[0, 0, 1, 0, 0, 2, 1])),
            ("bytes behind the end", pack(&[1, 1, 0, 0, 0, 0, 0, 1, 0, 0])),
        ] {
            assert!(raw(&bytes).is_err(), "{why}");
        }
        assert!(PackDirectory::from_bytes(b"<!doctype html>").is_err());
        let bomb = compress_to_vec(&vec![0; MAX_LEN + 1], 1);
        assert!(PackDirectory::from_bytes(&bomb).is_err());
    }

    #[test]
    fn slots_end_with_the_number_of_bytes_behind_the_shard() {
        for len in [0, 1, 62, 63, 64, 128] {
            let stored = vec![9; len];
            let mut pack = Vec::new();
            put_slot(&mut pack, &stored);
            assert_eq!(pack.len(), units_of(len) * UNIT);
            assert_eq!(take_slot(&pack).unwrap(), stored);
            assert!(take_slot(&pack[..pack.len() - 1]).is_err());
        }
        let mut slot = vec![0; 64];
        assert!(take_slot(&slot).is_err(), "0 bytes behind");
        slot[63] = 65;
        assert!(take_slot(&slot).is_err(), "more bytes than a unit");
        (slot[63], slot[62]) = (3, 1);
        assert!(take_slot(&slot).is_err(), "bytes that are not 0");
        assert!(take_slot(&[]).is_err());
    }
}

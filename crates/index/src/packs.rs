//! Puts the shards of a bundle into packs ([`findling_bundle::packs`]).
//!
//! Shards that one query reads lie close together: ranges of terms and of rows alternate by their
//! keys, cells are in an order in which neighbours have similar vectors, texts in the order of
//! pages. Shards that searches in a browser do not read (all vectors, the graph) come last.
//!
//! A build keeps the packs of the bundle that it replaces. New shards go into new packs, so that an
//! edit uploads a small pack. A pack is dropped if less than half of it is in use, and small packs
//! are joined when there are [`MAX_SMALL`] of them; shards in use then move to new packs.

use std::collections::{HashMap, HashSet};

use anyhow::{Context, Result, bail};
use findling_bundle::packs::{Pack, PackDirectory, PositionsSlots, Slot, UNIT, put_slot, units_of};
use findling_bundle::{CellShard, Centroids, PositionsDirectory, ShardId, ShardKind, decode_shard};

use super::bundle::Bundle;
use super::stored::{ShardBytes, Stored};
use findling_base::bundle_files::PackedShards;

/// Number of packs of less than an eighth of the largest length at which they are joined.
const MAX_SMALL: usize = 8;

/// Maximum number of cells that are ordered by their vectors, which takes quadratic time.
const MAX_ORDERED_CELLS: usize = 4096;

/// Smallest length of packs that depends on the number of pages.
const MIN_PACK_BYTES: usize = 16 << 10;

/// Maximum number of packs of a bundle whose packs' length follows from the number of pages.
const MAX_PACKS: usize = 5_000;

/// Largest ratio of the length of an earlier bundle's packs to the length of new packs.
const MAX_GROWTH: usize = 4;

/// The limits for packing shards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes that a pack should have at most. A pack with a single shard can be longer.
    pub pack_bytes: usize,
    /// Bytes that no file may exceed.
    pub file_bytes: usize,
    /// Whether packs are as short as possible, with fewer packs than the site has pages. A host
    /// that sends whole files instead of ranges then sends little.
    pub by_pages: bool,
}

impl Limits {
    /// Returns the limits for a bundle: the length of new packs, and the length of kept packs.
    fn lengths(&self, bundle: &Bundle) -> (usize, usize) {
        if !self.by_pages {
            return (self.pack_bytes, self.pack_bytes);
        }
        let total: usize = bundle.stored().map(|(_, stored)| units_of(stored.len()) * UNIT).sum();
        // Packs end before they are full, each part of a bundle begins a new pack, and the client
        // has sixteen files.
        let n_packs = (bundle.manifest.stats.n_pages as usize).saturating_sub(24) / 2;
        let bytes = (total + total / 16) / n_packs.clamp(1, MAX_PACKS) + MIN_PACK_BYTES / 4;
        let bytes = bytes.max(MIN_PACK_BYTES).min(self.pack_bytes);
        (bytes, (bytes * MAX_GROWTH).min(self.pack_bytes))
    }
}

/// Writes a pack with this path.
type Put<'a> = dyn FnMut(&str, &[u8]) -> Result<()> + 'a;

/// A shard.
struct Item<'a> {
    path: String,
    stored: &'a ShardBytes,
    /// The place in the packs that are kept from the earlier bundle.
    kept: Option<Slot>,
}

/// The kept packs and the places of shards in all packs.
struct Plan<'a> {
    limits: Limits,
    items: Vec<Item<'a>>,
    packs: Vec<Pack>,
    slots: Vec<Option<Slot>>,
    /// The index of the first item with the same path, for each item. Equal shards of positions
    /// share a path.
    first: Vec<usize>,
    /// The pack that is being filled.
    filling: Vec<u8>,
}

/// Packs a bundle. Hands each pack to `put` with its path, and returns the directory of packs.
///
/// # Errors
/// If a shard exceeds a limit, and the errors of `put`.
pub fn pack(
    bundle: &Bundle,
    earlier: Option<&PackedShards>,
    limits: Limits,
    put: &mut Put<'_>,
) -> Result<Vec<u8>> {
    let (pack_bytes, kept_bytes) = limits.lengths(bundle);
    let limits = Limits { pack_bytes, ..limits };
    let stored = bundle.stored();
    let mut items: Vec<Item<'_>> =
        stored.map(|(path, stored)| Item { path, stored, kept: None }).collect();
    let packs = match earlier {
        Some(earlier) => keep(earlier, &mut items, (kept_bytes, limits), put)?,
        None => Vec::new(),
    };
    let slots = items.iter().map(|item| item.kept).collect();
    let first = first_of_paths(&items);
    let mut plan = Plan { limits, items, packs, slots, first, filling: Vec::new() };
    let Order { parts, positions_directory } = order(bundle);
    let n_bytes = plan.new_bytes();
    for part in parts {
        // Each part begins a new pack, unless there is little to pack.
        if n_bytes > limits.pack_bytes {
            plan.end_pack(put)?;
        }
        for item in part {
            plan.place(item, put)?;
        }
    }
    let n_listed = bundle.manifest.shards.len() + bundle.cells.len();
    let positions = match positions_directory {
        Some(with) => {
            let slot = place_positions(&mut plan, with, n_listed, bundle, earlier, put)?;
            Some(PositionsSlots { with: ShardId(with as u32), slot })
        }
        None => None,
    };
    plan.end_pack(put)?;
    if let Some(left) = plan.slots.iter().position(Option::is_none) {
        bail!("{} was to be packed, and was not", plan.items[left].path);
    }
    plan.slots.truncate(n_listed);
    let directory = PackDirectory { packs: plan.packs, slots: plan.slots, positions };
    let lane = |id: u32| lane_of(bundle, id as usize);
    Ok(directory.to_bytes(lane)?)
}

/// Returns, for each item, the index of the first item with the same path.
fn first_of_paths(items: &[Item<'_>]) -> Vec<usize> {
    let mut by_path: HashMap<&str, usize> = HashMap::new();
    let mut first = Vec::with_capacity(items.len());
    for (at, item) in items.iter().enumerate() {
        first.push(*by_path.entry(&item.path).or_insert(at));
    }
    first
}

/// Returns the kind of a shard by its id. Shards of one kind ascend in the packs.
fn lane_of(bundle: &Bundle, id: usize) -> usize {
    bundle.manifest.shards.get(id).map_or(ShardKind::Cell, |shard| shard.kind) as usize
}

/// Finds the shards of an earlier bundle that are in the new one. Keeps the earlier packs of which
/// at least half is in use, if the limits allow them. The limits may have changed with the host.
fn keep(
    earlier: &PackedShards,
    items: &mut [Item<'_>],
    (kept_bytes, limits): (usize, Limits),
    put: &mut Put<'_>,
) -> Result<Vec<Pack>> {
    let Some(directory) = earlier.directory() else { return Ok(Vec::new()) };
    let packs = &directory.packs;
    let mut live = vec![0u64; packs.len()];
    let mut seen = HashSet::new();
    // Packs with a single shard, which may be longer than others.
    let mut single = HashSet::new();
    for item in items.iter_mut() {
        let is_same = match earlier.stored(&item.path) {
            Some(stored) => stored == *item.stored.read()?,
            None => false,
        };
        item.kept = earlier.slot(&item.path).filter(|_| is_same);
        if let Some(slot) = item.kept.filter(|slot| seen.insert(*slot)) {
            live[slot.pack as usize] += u64::from(slot.units);
            if slot.units == packs[slot.pack as usize].units {
                single.insert(slot.pack as usize);
            }
        }
    }
    // The slots of positions do not count: they may move, and a pack that was kept only for them
    // would move with the next build, although that build changes nothing.
    let is_small = |pack: &Pack| pack.n_bytes() * 8 < limits.pack_bytes as u64;
    let is_allowed = |at: usize| {
        let most = if single.contains(&at) { limits.file_bytes } else { kept_bytes };
        packs[at].n_bytes() <= most as u64
    };
    let in_use =
        |at: usize| live[at] > 0 && 2 * live[at] >= u64::from(packs[at].units) && is_allowed(at);
    let n_small = (0..packs.len()).filter(|&at| in_use(at) && is_small(&packs[at])).count();
    let mut kept = Vec::new();
    let mut places: HashMap<u32, u32> = HashMap::new();
    for (at, pack) in packs.iter().enumerate() {
        if !in_use(at) || (n_small >= MAX_SMALL && is_small(pack)) {
            continue;
        }
        let Some(contents) = earlier.pack(pack) else { continue };
        put(&pack.path(), &contents)?;
        places.insert(at as u32, kept.len() as u32);
        kept.push(*pack);
    }
    for item in items {
        item.kept = item.kept.and_then(|slot| {
            let pack = *places.get(&slot.pack)?;
            Some(Slot { pack, ..slot })
        });
    }
    Ok(kept)
}

impl Plan<'_> {
    fn new_bytes(&self) -> usize {
        let new = self.items.iter().filter(|item| item.kept.is_none());
        new.map(|item| item.stored.len()).sum()
    }

    /// Assigns a place to a shard, unless it has one.
    fn place(&mut self, item: usize, put: &mut Put<'_>) -> Result<()> {
        let first = self.first[item];
        if self.slots[first].is_none() {
            let stored = self.items[first].stored;
            self.slots[first] = Some(self.append(&stored.read()?, put)?);
        }
        self.slots[item] = self.slots[first];
        Ok(())
    }

    /// Appends a slot to the pack that is being filled.
    fn append(&mut self, stored: &[u8], put: &mut Put<'_>) -> Result<Slot> {
        let units = units_of(stored.len());
        let len = units * UNIT;
        if len > self.limits.file_bytes {
            bail!(
                "expected shards of at most {} bytes, as much as a file may have on this host, \
                 found one of {len}; choose another --host, or leave out the graph with a larger \
                 --graph-from",
                self.limits.file_bytes
            );
        }
        if !self.filling.is_empty() && self.filling.len() + len > self.limits.pack_bytes {
            self.end_pack(put)?;
        }
        let start = (self.filling.len() / UNIT) as u32;
        put_slot(&mut self.filling, stored);
        Ok(Slot { pack: self.packs.len() as u32, start, units: units as u32 })
    }

    fn end_pack(&mut self, put: &mut Put<'_>) -> Result<()> {
        if self.filling.is_empty() {
            return Ok(());
        }
        let contents = std::mem::take(&mut self.filling);
        let pack = Pack::of(&contents)?;
        put(&pack.path(), &contents)?;
        self.packs.push(pack);
        Ok(())
    }

    /// Returns the packs so far, with the one that is being filled.
    fn lens(&self) -> Vec<Pack> {
        let units = (self.filling.len() / UNIT) as u32;
        let filling = Pack { name: Default::default(), units };
        self.packs.iter().copied().chain([filling]).collect()
    }
}

/// Places the directory of positions, and the slots of positions after it, so that one request
/// fetches both. If neither has changed, both stay in place.
fn place_positions(
    plan: &mut Plan<'_>,
    with: usize,
    n_listed: usize,
    bundle: &Bundle,
    earlier: Option<&PackedShards>,
    put: &mut Put<'_>,
) -> Result<Slot> {
    let stored = plan.items[with].stored.read()?;
    let raw = decode_shard(&bundle.manifest.shards[with], &stored)?;
    let stats = &bundle.manifest.stats;
    let n_ranges = bundle.manifest.lexicon.len();
    let grid = PositionsDirectory::from_bytes(&raw, stats.n_pages, n_ranges)?;
    let slots = slots_of_positions(plan, &grid, n_listed, bundle)?;
    let directory = PackDirectory {
        // New packs are not named yet; only their lengths matter here.
        packs: plan.lens(),
        ..PackDirectory::default()
    };
    let bytes = directory.positions_to_bytes(&slots)?;
    if let Some(slot) = earlier.and_then(|earlier| kept_slots(plan, with, &bytes, earlier)) {
        return Ok(slot);
    }
    let len = |stored: &[u8]| units_of(stored.len()) * UNIT;
    if plan.filling.len() + len(&stored) + len(&bytes) > plan.limits.pack_bytes {
        plan.end_pack(put)?;
    }
    plan.slots[with] = Some(plan.append(&stored, put)?);
    plan.append(&bytes, put)
}

/// Returns the present place of the slots of positions, if these bytes follow the directory of
/// positions (`with`) in a kept pack.
fn kept_slots(plan: &Plan<'_>, with: usize, bytes: &[u8], earlier: &PackedShards) -> Option<Slot> {
    let kept = plan.slots[with]?;
    let was = earlier.directory()?.positions?.slot;
    let before = earlier.slot(&plan.items[with].path)?;
    let mut slot = Vec::new();
    put_slot(&mut slot, bytes);
    let is_behind = (was.pack, was.start) == (before.pack, before.end());
    (is_behind && earlier.read(was)? == slot).then_some(Slot { pack: kept.pack, ..was })
}

/// Returns the slots of positions by their places.
fn slots_of_positions(
    plan: &Plan<'_>,
    grid: &PositionsDirectory,
    n_listed: usize,
    bundle: &Bundle,
) -> Result<Vec<Option<Slot>>> {
    let positions = plan.items.iter().enumerate().skip(n_listed);
    let paths: HashMap<&str, usize> =
        positions.map(|(at, item)| (item.path.as_str(), at)).collect();
    let mut slots: Vec<Option<Slot>> = Vec::new();
    for (id, entry) in grid.shards() {
        let place = id.place_of_positions().context("a shard of positions has no place")?;
        let path = bundle.manifest.path(id, entry);
        let slot = paths.get(path.as_str()).and_then(|&item| plan.slots[item]);
        slots.resize(place, None);
        slots.push(slot);
    }
    Ok(slots)
}

/// The order of shards in packs, by their place in [`Bundle::stored`].
struct Order {
    parts: Vec<Vec<usize>>,
    /// The directory of positions, which does not belong to any part.
    positions_directory: Option<usize>,
}

fn order(bundle: &Bundle) -> Order {
    let manifest = &bundle.manifest;
    let n_listed = manifest.shards.len() + bundle.cells.len();
    let n = n_listed + bundle.positions.len();
    let mut words: Vec<(&str, u8, usize)> = Vec::new();
    for range in &manifest.lexicon {
        words.push((&range.first_term, 0, range.terms.index()));
        words.extend(range.second.map(|second| (&*range.first_term, 1, second.index())));
    }
    if let Some(rows) = manifest.dense.as_ref().and_then(|dense| dense.rows.as_ref()) {
        let ranges = rows.ranges.iter();
        words.extend(ranges.map(|range| (&*range.first_key, 2, range.shard.index())));
    }
    words.sort_unstable();
    let words: Vec<usize> = words.into_iter().map(|(.., id)| id).collect();
    let is_cell = |id: usize| (manifest.shards.len()..n_listed).contains(&id);
    let kind = |id: usize| manifest.shards.get(id).map(|shard| shard.kind);
    let of = |kinds: &[ShardKind]| -> Vec<usize> {
        let listed = 0..manifest.shards.len();
        listed.filter(|&id| kind(id).is_some_and(|kind| kinds.contains(&kind))).collect()
    };
    let texts = of(&[ShardKind::Texts]);
    let cells: Vec<usize> = cells_in_order(bundle)
        .unwrap_or_else(|| (0..bundle.cells.len()).collect())
        .into_iter()
        .map(|cell| manifest.shards.len() + cell)
        .collect();
    let sections = of(&[ShardKind::SectionVectors]);
    let last = of(&[ShardKind::Vectors, ShardKind::Graph]);
    let positions: Vec<usize> = (n_listed..n).collect();
    let positions_directory = of(&[ShardKind::PositionsDirectory]).first().copied();
    let known: HashSet<usize> = words
        .iter()
        .chain(&texts)
        .chain(&sections)
        .chain(&last)
        .chain(&positions_directory)
        .copied()
        .collect();
    let others = (0..n_listed).filter(|id| !known.contains(id) && !is_cell(*id)).collect();
    Order {
        parts: vec![words, texts, cells, sections, others, last, positions],
        positions_directory,
    }
}

/// Returns the numbers of the cells in an order in which neighbours have similar centroids: after
/// each cell comes the nearest remaining one. `None` if there are too many, or they cannot be read.
fn cells_in_order(bundle: &Bundle) -> Option<Vec<usize>> {
    let n = bundle.cells.len();
    if !(3..=MAX_ORDERED_CELLS).contains(&n) {
        return None;
    }
    let manifest = &bundle.manifest;
    let dense = manifest.dense.as_ref()?;
    let id = dense.centroids?;
    let stored = bundle.shards.get(id.index())?.read().ok()?;
    let raw = decode_shard(manifest.shard(id)?, &stored).ok()?;
    let centroids = Centroids::from_bytes(&raw, dense.encoder.dim, &manifest.stats).ok()?;
    let vector = |(entry, stored): &Stored| {
        let raw = decode_shard(entry, &stored.read().ok()?).ok()?;
        CellShard::centroid(&raw, centroids.coder()).ok()
    };
    let vectors: Vec<Vec<f32>> = bundle.cells.iter().map(vector).collect::<Option<_>>()?;
    let near = |a: usize, b: usize| -> f32 {
        vectors[a].iter().zip(&vectors[b]).map(|(a, b)| a * b).sum()
    };
    let mut left: Vec<usize> = (1..n).collect();
    let mut order = vec![0];
    while let Some(&last) = order.last() {
        let best = (0..left.len()).max_by(|&a, &b| {
            near(last, left[a]).total_cmp(&near(last, left[b])).then(left[b].cmp(&left[a]))
        });
        let Some(best) = best else { break };
        order.push(left.swap_remove(best));
    }
    Some(order)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use findling_encoder::hash::HashEncoder;

    use super::*;
    use crate::write::{BundleWriter, Shape};
    use crate::{Job, Options, build};
    use findling_base::bundle_files::BundleFiles;
    use findling_base::progress::Silent;
    use findling_encoder::BoxedEncoder;
    use findling_page::page::{Block, Page, Section};

    const LIMITS: Limits = Limits { pack_bytes: 32 << 10, file_bytes: 1 << 20, by_pages: false };

    /// Returns a bundle of pages with these words.
    fn bundle(words: &[String]) -> Bundle {
        let page = |(i, text): (usize, &String)| {
            let block =
                Block { text: text.clone(), code: vec![], is_code_block: false, weight: 1.0 };
            Page {
                id: format!("{i:03}"),
                url: format!("/{i}"),
                title: format!("Page {i}"),
                sections: vec![Section { blocks: vec![block], ..Section::default() }],
                ..Page::default()
            }
        };
        let pages = words.iter().enumerate().map(page).collect();
        let encoder: BoxedEncoder = Box::new(HashEncoder::new(16));
        let options = Options { graph_from: 1, cells: true, ..Options::default() };
        let job = Job { pages, encoder: Some(&encoder), options, ..Job::default() };
        build(job, &Silent).unwrap().bundle
    }

    /// Checks that every shard is where the directory says, and that packs are mostly in use.
    fn check(out: &Path, bundle: &Bundle) -> usize {
        let files = BundleFiles::open(out).unwrap();
        let directory = files.packs().unwrap().directory();
        let expected: HashMap<String, &ShardBytes> = bundle.stored().collect();
        let mut used = vec![0; directory.packs.len()];
        let mut seen = HashSet::new();
        let mut count = |slot: Slot| {
            if seen.insert(slot) {
                used[slot.pack as usize] += slot.units;
            }
        };
        let listed = files.listed_shards();
        assert_eq!(listed.len(), bundle.stored().count());
        for (id, entry) in listed {
            let path = bundle.manifest.path(id, &entry);
            let stored = expected[&path].read().unwrap();
            assert_eq!(files.stored(id, &entry).unwrap(), *stored, "{path}");
            count(files.slot(id).unwrap().unwrap());
        }
        count(directory.positions.unwrap().slot);
        for (pack, used) in directory.packs.iter().zip(used) {
            assert!(2 * used >= pack.units, "{used} of {} units", pack.units);
            assert!(pack.n_bytes() <= LIMITS.pack_bytes as u64 || used == pack.units);
        }
        let is_small = |pack: &&Pack| pack.n_bytes() * 8 < LIMITS.pack_bytes as u64;
        directory.packs.iter().filter(is_small).count()
    }

    #[test]
    fn after_every_edit_all_shards_are_there_and_packs_are_mostly_in_use() {
        let dir = tempfile::tempdir().unwrap();
        let out = dir.path().join("out");
        let page =
            |i: usize| format!("locks and threads {} zebra{i} {}", i % 7, "mutex ".repeat(i));
        let mut words: Vec<String> = (0..60).map(page).collect();
        let mut most_small = 0;
        for edit in 0..24 {
            match edit % 4 {
                0 => words[edit].push_str(" another word"),
                1 => words.push(format!("a new page about ovens {edit}")),
                2 => drop(words.pop()),
                _ => words[60 - 2 * edit] = format!("rewritten by edit {edit}"),
            }
            let bundle = bundle(&words);
            let write = || BundleWriter::new(&out, Shape::Packs(LIMITS), &bundle).write().unwrap();
            write();
            most_small = most_small.max(check(&out, &bundle));
            assert_eq!(write().new_bytes, 0, "the same bundle again");
            check(&out, &bundle);
        }
        // The packs of an edit are added before they are joined.
        assert!((1..=MAX_SMALL + 6).contains(&most_small), "{most_small} small packs");
    }

    #[test]
    fn packs_that_another_host_does_not_take_are_not_kept() {
        let dir = tempfile::tempdir().unwrap();
        let [out, other] = ["out", "other"].map(|name| dir.path().join(name));
        let page = |i: usize| format!("locks and threads {} zebra{i}", "mutex ".repeat(i));
        let bundle = bundle(&(0..60).map(page).collect::<Vec<_>>());
        let write = |out: &Path, limits: Limits| -> Vec<String> {
            BundleWriter::new(out, Shape::Packs(limits), &bundle).write().unwrap();
            let files = BundleFiles::open(out).unwrap();
            files.packs().unwrap().directory().packs.iter().map(Pack::path).collect()
        };
        let before = write(&out, LIMITS);
        let small = Limits { pack_bytes: 1 << 10, ..LIMITS };
        let after = write(&out, small);
        assert_eq!(after, write(&other, small), "as if nothing had been there");
        assert!(after.len() > before.len(), "{before:?}, {after:?}");
        check(&out, &bundle);
    }

    #[test]
    fn by_pages_there_are_no_more_files_than_pages_and_packs_are_short() {
        let limits = Limits { pack_bytes: 4 << 20, file_bytes: 1 << 30, by_pages: true };
        for n_pages in [1, 3, 8, 21, 30, 60, 150] {
            let dir = tempfile::tempdir().unwrap();
            let out = dir.path().join("out");
            let page = |i: usize| {
                let words: Vec<String> =
                    (0..400).map(|k| format!("w{}", (i * 31 + k) % 999)).collect();
                words.join(" ")
            };
            let mut words: Vec<String> = (0..n_pages).map(page).collect();
            let mut before: Option<Vec<Pack>> = None;
            for edit in ["", " a further word"] {
                words[0].push_str(edit);
                let bundle = bundle(&words);
                let written =
                    BundleWriter::new(&out, Shape::Packs(limits), &bundle).write().unwrap();
                let files = BundleFiles::open(&out).unwrap();
                let packs = files.packs().unwrap().directory().packs.clone();
                if let Some(before) = before {
                    // A small change of the length of packs moves no shard that stays.
                    let kept = before.iter().filter(|pack| packs.contains(pack)).count();
                    assert!(2 * kept >= before.len() || before.len() < 3, "{kept} of {before:?}");
                } else {
                    // The entry file and the manifest are counted in addition.
                    assert!(written.n_files <= n_pages.max(3) as u64, "{n_pages}: {written:?}");
                    assert!(n_pages > 20 || packs.len() == 1, "{n_pages}: {packs:?}");
                    let longest = packs.iter().map(Pack::n_bytes).max().unwrap_or(0);
                    let total: u64 = packs.iter().map(Pack::n_bytes).sum();
                    let even = total / packs.len() as u64;
                    assert!(longest <= (3 * even).max(24 << 10), "{n_pages}: {packs:?}");
                }
                before = Some(packs);
            }
        }
    }

    #[test]
    fn a_fresh_bundle_is_packed_as_if_there_were_none_before() {
        let dir = tempfile::tempdir().unwrap();
        let [out, other] = ["out", "other"].map(|name| dir.path().join(name));
        let page = |i: usize| format!("locks and threads {} zebra{i}", "mutex ".repeat(i));
        let mut words: Vec<String> = (0..60).map(page).collect();
        BundleWriter::new(&out, Shape::Packs(LIMITS), &bundle(&words)).write().unwrap();
        words[0].push_str(" another word");
        let bundle = bundle(&words);
        let write = |out: &Path, fresh: bool| {
            let writer = BundleWriter::new(out, Shape::Packs(LIMITS), &bundle);
            BundleWriter { fresh, ..writer }.write().unwrap();
            let files = BundleFiles::open(out).unwrap();
            files.packs().unwrap().directory().packs.iter().map(Pack::path).collect::<Vec<_>>()
        };
        assert_ne!(write(&out, false), write(&other, false));
        assert_eq!(write(&out, true), write(&other, true));
    }

    #[test]
    fn a_shard_that_no_file_may_hold_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let bundle = bundle(&["words".to_owned()]);
        let limits = Limits { file_bytes: UNIT - 1, ..LIMITS };
        let writer = BundleWriter::new(dir.path(), Shape::Packs(limits), &bundle);
        assert!(writer.write().is_err());
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
    }
}

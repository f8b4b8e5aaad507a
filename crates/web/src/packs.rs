//! Fetches shards from packs ([`findling_bundle::packs`]) by ranges of bytes. One request fetches
//! shards that are needed at the same time and are close together. The other bytes of the response
//! are kept for a while, because they often contain the next shards. A server that ignores ranges
//! sends whole packs, which are kept, too. If a shard is damaged, the whole pack is fetched.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use findling_bundle::ShardId;
use findling_bundle::packs::{Fetch, GAP, PackDirectory, Slot, UNIT, coalesce, take_slot};
use js_sys::futures::JsFuture;
use js_sys::{Function, Promise, Uint8Array};
use wasm_bindgen::JsValue;

use crate::Error;
use crate::browser::{Side, join_all, with_side};
use crate::store::{Part, Store};

/// Size in units from which a pack that was sent whole is reported: 2 MiB.
const LONG: u32 = 32_768;
/// Number of whole packs sent in place of a range after which no more ranges are requested.
const MAX_FAILED_RANGES: u32 = 1;
/// Maximum number of bytes of ranges that are kept.
const MAX_RANGES: u32 = 2 << 20;
/// Maximum number of bytes of whole packs that are kept.
const MAX_WHOLE: u32 = 16 << 20;

/// The packs of one build.
pub struct Packs {
    directory: PackDirectory,
    /// The name in the cache of the slots of positions.
    slots_name: String,
    positions: RefCell<Option<Positions>>,
    /// Shards that the next requests are for.
    wanted: RefCell<Vec<Wanted>>,
    /// The fetched ranges, the oldest first.
    held: RefCell<Vec<Held>>,
    /// Whether the server has sent a whole pack in place of a range.
    ignores_ranges: Cell<bool>,
    /// Ranges that failed although the whole pack could be fetched.
    n_failed_ranges: Cell<u32>,
}

/// The slots of positions.
#[derive(Clone)]
struct Positions {
    slots: Rc<[Option<Slot>]>,
    /// Whether they were fetched past all caches.
    is_fresh: bool,
}

/// The bytes of a shard, once they have been fetched.
type Answer = Rc<RefCell<Option<Result<Vec<u8>, Error>>>>;

struct Wanted {
    path: String,
    slot: Slot,
    is_fresh: bool,
    /// Whether the pack is put into the cache.
    keeps: bool,
    answer: Answer,
    resolve: Option<Function>,
}

impl Wanted {
    fn resolve(&self, result: Result<Vec<u8>, Error>) {
        *self.answer.borrow_mut() = Some(result);
        if let Some(resolve) = &self.resolve {
            let _ = resolve.call0(&JsValue::UNDEFINED);
        }
    }
}

/// A request for a range of a pack or the whole pack, and the shards in it that are wanted.
struct Asked {
    range: Slot,
    how: How,
    shards: Vec<Wanted>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum How {
    Range,
    Whole,
    /// The whole pack, past all caches.
    Fresh,
}

struct Held {
    range: Slot,
    is_whole: bool,
    bytes: Uint8Array,
}

impl Packs {
    /// Reads the directory that came with the manifest, in the file `opening`.
    pub fn new(directory: &[u8], opening: &str) -> Result<Self, Error> {
        Ok(Self {
            directory: PackDirectory::from_bytes(directory)?,
            slots_name: slots_name(opening),
            positions: RefCell::default(),
            wanted: RefCell::default(),
            held: RefCell::default(),
            ignores_ranges: Cell::default(),
            n_failed_ranges: Cell::default(),
        })
    }

    /// Returns a shard as stored. `path` is its name in the cache.
    pub async fn shard(
        &self,
        store: &Store,
        id: ShardId,
        path: &str,
        is_fresh: bool,
    ) -> Result<Vec<u8>, Error> {
        let slot = match id.place_of_positions() {
            Some(place) => {
                let slots = self.positions(store, is_fresh).await?;
                slots.get(place).copied().flatten()
            }
            None => self.directory.slot(id),
        };
        let slot = slot.ok_or_else(|| {
            let what = format!("Expected {path} in a pack, found none.");
            Error::new("bundle", format!("{what} Deploy all files of the bundle again."))
        })?;
        let read = self.read(store, path, slot, is_fresh, true);
        if self.directory.positions.is_none_or(|positions| positions.with != id) {
            return read.await;
        }
        // After the directory of positions, a search reads positions, and these requests report
        // errors.
        let slots: Side<'_> = Box::pin(async move {
            let _ = self.positions(store, false).await;
        });
        let mut side = Some(slots);
        let shard = with_side(&mut side, read).await;
        // It may be fetching for others.
        if let Some(side) = side {
            side.await;
        }
        shard
    }

    /// Returns the slots of positions. If they are damaged, a shard is not in the stated place.
    /// Then the slots and the shard are fetched again, once.
    async fn positions(&self, store: &Store, is_fresh: bool) -> Result<Rc<[Option<Slot>]>, Error> {
        let known = self.positions.borrow().clone();
        if let Some(known) = known.filter(|known| known.is_fresh || !is_fresh) {
            return Ok(known.slots);
        }
        let slots: Rc<[_]> = match self.directory.positions {
            Some(positions) => {
                let name = &self.slots_name;
                let bytes = self.read(store, name, positions.slot, is_fresh, false).await?;
                let slots = self.directory.positions_from_bytes(&bytes)?.into();
                store.remember(name, &Uint8Array::from(&bytes[..]));
                slots
            }
            None => [].into(),
        };
        *self.positions.borrow_mut() = Some(Positions { slots: slots.clone(), is_fresh });
        Ok(slots)
    }

    /// Returns the stored shard in a slot. The first caller fetches for all simultaneous callers.
    async fn read(
        &self,
        store: &Store,
        path: &str,
        slot: Slot,
        is_fresh: bool,
        keeps: bool,
    ) -> Result<Vec<u8>, Error> {
        let answer = Answer::default();
        let mut resolve = None;
        let done = Promise::new(&mut |given, _| resolve = Some(given));
        let n_wanted = {
            let mut wanted = self.wanted.borrow_mut();
            let (path, answer) = (path.to_owned(), answer.clone());
            wanted.push(Wanted { path, slot, is_fresh, keeps, answer, resolve });
            wanted.len()
        };
        if n_wanted == 1 {
            // By then all shards of the round have been requested.
            let _ = JsFuture::from(Promise::resolve(&JsValue::UNDEFINED)).await;
            let wanted = self.wanted.take();
            self.fetch(store, wanted).await;
        }
        let _ = JsFuture::from(done).await;
        let result = answer.borrow_mut().take();
        result.unwrap_or_else(|| Err(Error::new("internal", "A shard was not fetched.")))
    }

    async fn fetch(&self, store: &Store, wanted: Vec<Wanted>) {
        let cached = wanted
            .iter()
            .map(async |shard| if shard.is_fresh { None } else { store.cached(&shard.path).await });
        let cached = join_all(cached).await;
        let mut missing = Vec::new();
        for (shard, cached) in wanted.into_iter().zip(cached) {
            let held = || if shard.is_fresh { None } else { self.held(shard.slot) };
            if let Some(stored) = cached {
                shard.resolve(Ok(stored.to_vec()));
            } else if let Some((range, bytes)) = held() {
                if !deliver(store, &shard, range, &bytes) {
                    self.forget(range);
                }
            } else {
                missing.push(shard);
            }
        }
        let asked = requests(missing, self.ignores_ranges.get());
        join_all(asked.into_iter().map(|asked| self.ask(store, asked))).await;
    }

    async fn ask(&self, store: &Store, Asked { range, how, shards }: Asked) {
        match self.bytes(store, range, how).await {
            Ok((range, is_whole, bytes)) => {
                let n_good =
                    shards.iter().filter(|shard| deliver(store, shard, range, &bytes)).count();
                // Bytes with a damaged shard are not kept for other shards.
                if n_good == shards.len() {
                    self.hold(Held { range, is_whole, bytes });
                }
            }
            Err(error) => shards.iter().for_each(|shard| shard.resolve(Err(error.clone()))),
        }
    }

    /// Returns the bytes of a range, or of the whole pack.
    async fn bytes(
        &self,
        store: &Store,
        range: Slot,
        how: How,
    ) -> Result<(Slot, bool, Uint8Array), Error> {
        let Some(pack) = self.directory.pack(range) else {
            return Err(Error::new("bundle", "A pack of the bundle does not exist."));
        };
        let (file, whole) = (pack.path(), Slot { start: 0, units: pack.units, ..range });
        if how != How::Range {
            return Ok((whole, true, store.pack(&file, how == How::Fresh).await?));
        }
        match store.part(&file, range.bytes()).await {
            Ok(Part::Range(bytes)) => Ok((range, false, bytes)),
            Ok(Part::Whole(bytes)) => {
                self.note_whole(&file, pack.units);
                Ok((whole, true, bytes))
            }
            // Browsers refuse parts of a compressed file as if the server could not be reached.
            Err(error) if error.code() != "not-found" => {
                let is_wrong = error.code() == "bundle";
                let bytes = store.pack(&file, false).await.map_err(|_| error)?;
                // A broken connection says nothing about the server, but a wrong range does.
                let n_failed = self.n_failed_ranges.get() + u32::from(!is_wrong);
                self.n_failed_ranges.set(n_failed);
                if is_wrong || n_failed > MAX_FAILED_RANGES {
                    self.note_whole(&file, pack.units);
                }
                Ok((whole, true, bytes))
            }
            Err(error) => Err(error),
        }
    }

    /// Reports that the server does not send ranges, so that its operator can read why a search
    /// takes long, if it does.
    fn note_whole(&self, file: &str, units: u32) {
        if !self.ignores_ranges.replace(true) && units > LONG {
            let advice = "build with --host auto";
            web_sys::console::warn_1(
                &format!("{file} came whole in place of a range: {advice}.").into(),
            );
        }
    }

    /// Returns the bytes that contain a slot, and their place.
    fn held(&self, slot: Slot) -> Option<(Slot, Uint8Array)> {
        let held = self.held.borrow();
        let found = held.iter().find(|held| holds(held.range, slot))?;
        Some((found.range, found.bytes.clone()))
    }

    /// Forgets the bytes that contain a damaged shard.
    fn forget(&self, range: Slot) {
        self.held.borrow_mut().retain(|held| held.range != range);
    }

    /// Keeps bytes, and forgets the oldest. A whole pack replaces earlier ranges of it, which may
    /// be damaged.
    fn hold(&self, held: Held) {
        let mut all = self.held.borrow_mut();
        if held.is_whole {
            all.retain(|older| older.range.pack != held.range.pack);
        }
        all.push(held);
        let mut left = [MAX_RANGES, MAX_WHOLE].map(Some);
        for at in (0..all.len()).rev() {
            let left = &mut left[usize::from(all[at].is_whole)];
            *left = left.and_then(|left| left.checked_sub(all[at].bytes.length()));
            if left.is_none() {
                all.remove(at);
            }
        }
    }
}

/// Returns the name in the cache of the slots of positions.
pub fn slots_name(opening: &str) -> String {
    format!("{opening}.slots")
}

fn holds(range: Slot, slot: Slot) -> bool {
    range.pack == slot.pack && range.start <= slot.start && slot.end() <= range.end()
}

/// Returns the requests for shards: one for neighbours, or one for each pack.
fn requests(wanted: Vec<Wanted>, ignores_ranges: bool) -> Vec<Asked> {
    let (fresh, others): (Vec<_>, Vec<_>) =
        wanted.into_iter().partition(|shard: &Wanted| shard.is_fresh);
    let mut asked = Vec::new();
    for (mut shards, how) in [(fresh, How::Fresh), (others, How::Range)] {
        let how = if how == How::Range && ignores_ranges { How::Whole } else { how };
        let gap = if how == How::Range { GAP } else { u32::MAX };
        shards.sort_by_key(|shard| shard.slot);
        let slots: Vec<Slot> = shards.iter().map(|shard| shard.slot).collect();
        for Fetch { range, n_wanted } in coalesce(&slots, gap) {
            let own: Vec<Wanted> = shards.drain(..n_wanted).collect();
            let last = asked.last_mut();
            match last.filter(|last: &&mut Asked| {
                how != How::Range && last.how == how && last.range.pack == range.pack
            }) {
                Some(last) => last.shards.extend(own),
                None => asked.push(Asked { range, how, shards: own }),
            }
        }
    }
    asked
}

/// Gives a shard its part of the bytes of a range. Returns whether the shard is there and
/// undamaged.
fn deliver(store: &Store, shard: &Wanted, range: Slot, bytes: &Uint8Array) -> bool {
    let start = (shard.slot.start - range.start) as usize * UNIT;
    let end = start + shard.slot.units as usize * UNIT;
    if (bytes.length() as usize) < end {
        let what = format!("expected {end} bytes or more, found {}", bytes.length());
        let message = format!("A pack is too short: {what}. Deploy all files of the bundle again.");
        shard.resolve(Err(Error::new("bundle", message)));
        return false;
    }
    let slot = bytes.subarray(start as u32, end as u32).to_vec();
    let stored = take_slot(&slot).map(<[u8]>::to_vec);
    let is_good = stored.is_ok();
    if let Ok(stored) = &stored
        && shard.keeps
    {
        store.remember(&shard.path, &Uint8Array::from(&stored[..]));
    }
    shard.resolve(stored.map_err(Error::from));
    is_good
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted(slots: &[(u32, u32, bool)]) -> Vec<Wanted> {
        let wanted = |&(pack, start, is_fresh)| Wanted {
            path: String::new(),
            slot: Slot { pack, start, units: 2 },
            is_fresh,
            keeps: true,
            answer: Answer::default(),
            resolve: None,
        };
        slots.iter().map(wanted).collect()
    }

    fn asked(slots: &[(u32, u32, bool)], ignores_ranges: bool) -> Vec<(u32, How, usize)> {
        let asked = requests(wanted(slots), ignores_ranges);
        asked.iter().map(|asked| (asked.range.pack, asked.how, asked.shards.len())).collect()
    }

    #[test]
    fn neighbours_come_with_one_request_and_damaged_ones_with_the_whole_pack() {
        let slots =
            [(1, 0, false), (0, 900_000, false), (0, 5, false), (0, 0, false), (0, 2, true)];
        assert_eq!(
            asked(&slots, false),
            [(0, How::Fresh, 1), (0, How::Range, 2), (0, How::Range, 1), (1, How::Range, 1)]
        );
        assert_eq!(
            asked(&slots, true),
            [(0, How::Fresh, 1), (0, How::Whole, 3), (1, How::Whole, 1)]
        );
        assert!(asked(&[], true).is_empty());
    }

    #[test]
    fn a_range_holds_what_is_inside_of_it() {
        let slot = |start, units| Slot { pack: 1, start, units };
        assert!(holds(slot(3, 4), slot(3, 4)) && holds(slot(3, 4), slot(4, 2)));
        assert!(!holds(slot(3, 4), slot(2, 2)) && !holds(slot(3, 4), slot(6, 2)));
        assert!(!holds(Slot { pack: 0, ..slot(3, 4) }, slot(3, 4)));
    }
}

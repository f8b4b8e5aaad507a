//! Phrases and exclusions: finds the sections that have these words in a row.
//!
//! A phrase occurs in a title (then all sections of the page have it), in a heading, or in a
//! passage. A passage ends where the next one begins, so no phrase is found across the two.

#![doc(alias = "deferred")]

use findling_bundle::{
    Level, PageId, PassageId, PositionsDirectory, SectionId, ShardId, Structure, order,
};

use super::{Dictionary, Lookup};
use crate::bitset::Bitset;
use crate::query::{Phrase, Slot};

/// Finds phrases.
pub(crate) struct Phrases<'a> {
    pub dictionary: Dictionary<'a>,
    pub structure: &'a Structure,
}

/// An id and a position, ordered by id, then by position.
type Place = u64;

fn place(id: u32, position: u32) -> Place {
    u64::from(id) << 32 | u64::from(position)
}

fn id(place: Place) -> u32 {
    (place >> 32) as u32
}

impl Phrases<'_> {
    /// Returns the sections that have a phrase. A phrase of one word may be in any field.
    pub fn sections(&self, phrase: &Phrase) -> Bitset {
        let mut sections = Bitset::none(self.structure.n_sections());
        for level in Level::ALL {
            let ids = match phrase.slots.as_slice() {
                [] => Vec::new(),
                [slot] => self.ids_of(slot, level),
                slots => self.in_a_row(slots, level),
            };
            for id in ids {
                let range = match level {
                    Level::Page => self.structure.sections(PageId(id)),
                    Level::Section => id..id + 1,
                    Level::Passage => {
                        let SectionId(section) = self.structure.section_of(PassageId(id));
                        section..section + 1
                    }
                };
                sections.insert_range(range.start, range.end);
            }
        }
        sections
    }

    /// Returns the shards of positions that are needed to find a phrase: the positions of its
    /// terms, in the blocks where all of its words occur together. The directory of positions must
    /// be in memory, if the bundle has one.
    pub fn shards(&self, phrase: &Phrase) -> Vec<ShardId> {
        let Some(directory) = self.dictionary.index().positions_directory() else {
            return Vec::new();
        };
        let mut shards = Vec::new();
        if let slots @ [_, _, ..] = phrase.slots.as_slice() {
            let mut blocks: Vec<u32> = Vec::new();
            for level in Level::ALL {
                let ids = self.with_all(slots, level);
                blocks
                    .extend(ids.into_iter().map(|id| directory.block_of(self.page_of(id, level))));
                order::sort(&mut blocks);
                blocks.dedup();
            }
            for lookup in slots.iter().flat_map(|slot| self.lookups(slot)) {
                let found = blocks.iter().filter_map(|&block| directory.find(lookup.range, block));
                shards.extend(found.map(|(shard, _)| shard));
            }
        }
        shards
    }

    fn page_of(&self, id: u32, level: Level) -> PageId {
        match level {
            Level::Page => PageId(id),
            Level::Section => self.structure.page_of(SectionId(id)),
            Level::Passage => self.structure.page_of(self.structure.section_of(PassageId(id))),
        }
    }

    fn lookups(&self, slot: &Slot) -> Vec<Lookup> {
        slot.terms.iter().filter_map(|term| self.dictionary.find_here(term)).collect()
    }

    /// Returns the ids, ascending, that have one of the slot's terms.
    fn ids_of(&self, slot: &Slot, level: Level) -> Vec<u32> {
        let mut ids = Vec::new();
        let lookups = self.lookups(slot);
        for lookup in &lookups {
            ids.extend(self.dictionary.ascending(lookup, level).map(|posting| posting.id));
        }
        if lookups.len() > 1 {
            order::sort(&mut ids);
            ids.dedup();
        }
        ids
    }

    /// Returns the slots, the rarest first, so that few positions are compared.
    fn rarest_first<'s>(&self, slots: &'s [Slot]) -> impl Iterator<Item = &'s Slot> + use<'s> {
        let rarity =
            |slot: &Slot| self.lookups(slot).iter().map(|lookup| lookup.entry.df).sum::<u32>();
        let rarest = (0..slots.len()).min_by_key(|&i| rarity(&slots[i])).unwrap_or_default();
        slots[rarest..].iter().chain(&slots[..rarest])
    }

    /// Returns the ids, ascending, that have all slots, at any positions.
    fn with_all(&self, slots: &[Slot], level: Level) -> Vec<u32> {
        let mut ids: Option<Vec<u32>> = None;
        for slot in self.rarest_first(slots) {
            let of_slot = self.ids_of(slot, level);
            let left = match ids {
                None => of_slot,
                Some(mut ids) => {
                    ids.retain(|id| of_slot.binary_search(id).is_ok());
                    ids
                }
            };
            if left.is_empty() {
                return left;
            }
            ids = Some(left);
        }
        ids.unwrap_or_default()
    }

    /// Returns the ids, ascending, that have all slots at their offsets.
    fn in_a_row(&self, slots: &[Slot], level: Level) -> Vec<u32> {
        // First by ids alone, which is cheap; positions are then read for the few that are left.
        let ids = self.with_all(slots, level);
        let Some(directory) =
            self.dictionary.index().positions_directory().filter(|_| !ids.is_empty())
        else {
            return Vec::new();
        };
        let mut starts: Option<Vec<Place>> = None;
        for slot in self.rarest_first(slots) {
            let places = self.places(directory, slot, level, &ids);
            // The position at which the phrase would begin if this slot were here.
            let of_slot = || {
                places
                    .iter()
                    .filter_map(|&at| Some(place(id(at), (at as u32).checked_sub(slot.offset)?)))
            };
            let left: Vec<Place> = match starts {
                None => of_slot().collect(),
                Some(starts) => intersect(&starts, of_slot()),
            };
            if left.is_empty() {
                return Vec::new();
            }
            starts = Some(left);
        }
        let mut found: Vec<u32> = starts.unwrap_or_default().into_iter().map(id).collect();
        found.dedup();
        found
    }

    /// Returns the positions, ascending, at which one of the slot's terms occurs, only in `ids`.
    fn places(
        &self,
        directory: &PositionsDirectory,
        slot: &Slot,
        level: Level,
        ids: &[u32],
    ) -> Vec<Place> {
        let mut places = Vec::new();
        let lookups = self.lookups(slot);
        for lookup in &lookups {
            self.places_of(directory, lookup, level, ids, &mut places);
        }
        if lookups.len() > 1 {
            order::sort(&mut places);
            places.dedup();
        }
        places
    }

    /// Goes through the postings of a range up to the postings of the term, and in parallel through
    /// the lists of each block. A block whose positions are not here has none of the ids.
    fn places_of(
        &self,
        directory: &PositionsDirectory,
        lookup: &Lookup,
        level: Level,
        ids: &[u32],
        places: &mut Vec<Place>,
    ) {
        let index = self.dictionary.index();
        let Some(terms) = self.dictionary.terms_shard(lookup.range) else { return };
        let mut blocks = Vec::with_capacity(directory.n_blocks() as usize);
        for block in 0..directory.n_blocks() {
            let found = directory.find(lookup.range, block);
            let lists = found.and_then(|(shard, range)| Some(index.positions(shard)?.lists(range)));
            blocks.push((directory.pages(block).end, lists));
        }
        let mut positions = Vec::new();
        let mut walk = terms.terms();
        while let Some((term, entry)) = walk.advance() {
            let found = self.dictionary.lookup(lookup.range, term, entry);
            for of in Level::ALL {
                let is_it = entry.ordinal == lookup.entry.ordinal && of == level;
                let mut wanted = ids.iter().peekable();
                let mut at = blocks.iter_mut().peekable();
                for posting in self.dictionary.ascending(&found, of) {
                    let page = self.page_of(posting.id, of).0;
                    while at.next_if(|(end, _)| *end <= page).is_some() {}
                    let Some((_, Some(lists))) = at.peek_mut() else { continue };
                    while is_it && wanted.next_if(|&&id| id < posting.id).is_some() {}
                    if is_it && wanted.peek() == Some(&&posting.id) {
                        lists.next_list(of, posting.tf, &mut positions);
                        places
                            .extend(positions.iter().map(|&position| place(posting.id, position)));
                    } else {
                        lists.skip_list(of, posting.tf);
                    }
                }
                if is_it {
                    return;
                }
            }
        }
    }
}

/// Returns the numbers that are in both lists; both ascend.
fn intersect(a: &[Place], b: impl Iterator<Item = Place>) -> Vec<Place> {
    let mut rest = a.iter().peekable();
    let mut both = Vec::new();
    for place in b {
        while rest.next_if(|&&other| other < place).is_some() {}
        if rest.next_if_eq(&&place).is_some() {
            both.push(place);
        }
    }
    both
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intersections() {
        assert_eq!(intersect(&[1, 3, 5, 9], [0, 3, 4, 9, 12].into_iter()), [3, 9]);
        assert_eq!(intersect(&[], [0].into_iter()), [0u64; 0]);
    }
}

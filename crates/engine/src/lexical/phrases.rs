//! Phrases and exclusions: which sections have these words in a row?
//!
//! A phrase stands in a title (then all sections of the page have it), in a heading, or in a passage. A passage ends where
//! the next one begins, and so does what phrases can be found in.

use findling_bundle::{Level, PageId, PassageId, SectionId, Structure, order};

use super::{Dictionary, Lookup};
use crate::filter::Bitset;
use crate::query::{Phrase, Slot};

/// Finds phrases.
pub(crate) struct Phrases<'a> {
    pub dictionary: Dictionary<'a>,
    pub structure: &'a Structure,
}

/// An id and a position, ordered by the one and then the other.
type Place = u64;

fn place(id: u32, position: u32) -> Place {
    u64::from(id) << 32 | u64::from(position)
}

fn id(place: Place) -> u32 {
    (place >> 32) as u32
}

impl Phrases<'_> {
    /// The sections that have a phrase. Of a single word, those that have it in any field.
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

    fn lookups(&self, slot: &Slot) -> Vec<Lookup> {
        slot.terms.iter().filter_map(|term| self.dictionary.find(term)).collect()
    }

    /// The ids, ascending, that have one of the slot's terms.
    fn ids_of(&self, slot: &Slot, level: Level) -> Vec<u32> {
        let mut ids = Vec::new();
        let lookups = self.lookups(slot);
        for lookup in &lookups {
            ids.extend(self.dictionary.postings(lookup, level).map(|posting| posting.id));
        }
        if lookups.len() > 1 {
            order::sort(&mut ids);
            ids.dedup();
        }
        ids
    }

    /// The ids, ascending, that have all slots at their offsets.
    fn in_a_row(&self, slots: &[Slot], level: Level) -> Vec<u32> {
        // First by ids alone, which is cheap; positions are then read for the few that are left.
        let mut ids: Option<Vec<u32>> = None;
        let rarity = |slot: &Slot| self.lookups(slot).iter().map(|lookup| lookup.entry.df).sum::<u32>();
        // From the rarest on there are few to compare.
        let rarest = (0..slots.len()).min_by_key(|&i| rarity(&slots[i])).unwrap_or_default();
        let slots = || slots[rarest..].iter().chain(&slots[..rarest]);
        for slot in slots() {
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
        let ids = ids.unwrap_or_default();
        let mut starts: Option<Vec<Place>> = None;
        for slot in slots() {
            let places = self.places(slot, level, &ids);
            // Where the phrase would begin if this slot stood here.
            let of_slot =
                || places.iter().filter_map(|&at| Some(place(id(at), (at as u32).checked_sub(slot.offset)?)));
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

    /// The places, ascending, where one of the slot's terms stands, in `ids` alone.
    fn places(&self, slot: &Slot, level: Level, ids: &[u32]) -> Vec<Place> {
        let mut places = Vec::new();
        let mut positions = Vec::new();
        let lookups = self.lookups(slot);
        for lookup in &lookups {
            let Some(shard) = self.dictionary.positions(lookup.range) else { continue };
            let mut lists = shard.lists(lookup.entry.ordinal, level);
            let mut wanted = ids.iter().peekable();
            for posting in self.dictionary.postings(lookup, level) {
                while wanted.next_if(|&&id| id < posting.id).is_some() {}
                match wanted.peek() {
                    None => break,
                    Some(&&id) if id == posting.id => {
                        if !lists.next_list(&mut positions) {
                            break;
                        }
                        places.extend(positions.iter().map(|&position| place(id, position)));
                    }
                    Some(_) => {
                        if !lists.skip_list() {
                            break;
                        }
                    }
                }
            }
        }
        if lookups.len() > 1 {
            order::sort(&mut places);
            places.dedup();
        }
        places
    }
}

/// What is in both; both ascend.
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

//! Scores of passages, a block of pages at a time.
//!
//! A posting of a page or a section counts for each passage below it. Term by term, the weighted
//! frequencies of the three levels are summed for each passage, saturated, and added to the
//! passage's score; a section then scores by its best passage. All sums run in a fixed order, so
//! that every host computes the same bits.
//!
//! All lists ascend, so they are walked side by side: every term's postings in one block, then the
//! postings in the next block. The accumulators have one entry for each passage of a block, so they
//! stay in a core's cache, and a million pages take no more memory than a thousand.

use std::ops::Range;

use findling_bundle::lexicon::Postings;
use findling_bundle::{Level, PageId, PassageId, Posting, SectionId, Structure};

use super::bm25f::{Names, ScoredGroup, ScoredTerm, Scorer};
use crate::bitset::Bitset;
use crate::scratch::{Places, Scratch};

/// Maximum number of passages of a block, unless one page has more.
const BLOCK: u32 = 1 << 14;

/// All bits: the title is known to equal the query. With eight words, all bits are only set if it
/// does.
const NAMED: u8 = u8::MAX;

/// The page's title consists of the query's words.
pub(crate) const TITLE: u8 = 1;
/// The section's heading consists of the query's words.
pub(crate) const HEADING: u8 = 2;
/// The section is about the symbol that equals the query as written.
pub(crate) const SYMBOL: u8 = 4;

/// A symbol that equals the query as written gets twice the score. Other symbols have the same
/// words in another spelling (`subScalar`, `sub_scalar`), or a leading underscore.
pub(crate) const SYMBOL_BOOST: f32 = 1.0;

/// A section that words found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct LexicalHit {
    pub section: u32,
    /// The best passage; ties go to the first.
    pub passage: u32,
    pub score: f32,
    /// A combination of [`TITLE`], [`HEADING`], [`SYMBOL`].
    pub boosts: u8,
}

/// A block of neighbouring pages.
struct Block {
    /// First id after the block, by level.
    ends: [u32; 3],
    passages: Range<u32>,
}

impl Block {
    /// Returns the block that begins with a page. O(1).
    fn at(structure: &Structure, page: u32) -> Self {
        let first = structure.passages_of_page(PageId(page)).start;
        let behind = first.saturating_add(BLOCK);
        let pages = if behind < structure.n_passages() {
            structure.page_of(structure.section_of(PassageId(behind))).0.max(page + 1)
        } else {
            structure.n_pages()
        };
        let last = PageId(pages - 1);
        let passages = first..structure.passages_of_page(last).end;
        Self { ends: [pages, structure.sections(last).end, passages.end], passages }
    }

    /// Returns a passage's place in the block.
    fn place(&self, passage: u32) -> u32 {
        passage.wrapping_sub(self.passages.start)
    }
}

/// A term of a group.
#[derive(Clone, Copy)]
struct Term<'a> {
    term: &'a ScoredTerm,
    /// Whether the term is the only one of its group. Then no maximum over terms is needed.
    alone: bool,
    /// The group's bit in the masks of titles and headings that have `n_tokens` words; 0 if the
    /// group has no bit.
    bit: u8,
    n_tokens: u32,
}

/// A list of a term's postings, from the position reached so far.
struct List<'a> {
    level: Level,
    next: Option<Posting>,
    rest: Postings<'a>,
}

impl List<'_> {
    /// Returns the next posting, if its id is below `end`.
    #[inline]
    fn below(&mut self, end: u32) -> Option<Posting> {
        let posting = self.next.filter(|posting| posting.id < end)?;
        self.next = self.rest.next();
        Some(posting)
    }
}

impl Scorer<'_> {
    /// Returns all sections that have a word of the query and are allowed, in no particular order.
    /// O(postings, and passages below them).
    pub fn score(
        &self,
        groups: &[ScoredGroup],
        n_tokens: u32,
        all_bits: u8,
        names: &Names,
        allowed: Option<&Bitset>,
        scratch: &mut Scratch,
    ) -> Vec<LexicalHit> {
        let mut hits = Vec::new();
        let terms = groups.iter().flat_map(|group| &group.terms);
        let mut lists: Vec<Vec<List<'_>>> = terms.map(|term| self.lists(term)).collect();
        let mut page = 0;
        while page < self.structure.n_pages() {
            let block = Block::at(self.structure, page);
            scratch.fit_block(block.passages.len());
            let mut lists = lists.iter_mut();
            for group in groups {
                let alone = group.terms.len() == 1;
                for (term, lists) in group.terms.iter().zip(&mut lists) {
                    let bit = if term.typed { group.bit } else { 0 };
                    self.add_term(Term { term, alone, bit, n_tokens }, &block, lists, scratch);
                }
                let Scratch { best, score, .. } = scratch;
                while let Some((place, best)) = best.take() {
                    score.change(place, |score| *score += best);
                }
            }
            self.collect(&block, allowed, scratch, &mut hits);
            [page, ..] = block.ends;
        }
        self.mark_names(all_bits, names, scratch);
        self.boost_names(all_bits, &names.symbols, scratch, &mut hits);
        hits
    }

    /// Returns a term's lists: of pages, then sections, then passages.
    fn lists(&self, term: &ScoredTerm) -> Vec<List<'_>> {
        let mut lists = Vec::new();
        for level in Level::ALL {
            for mut rest in self.dictionary.postings(&term.lookup, level).apart() {
                lists.push(List { level, next: rest.next(), rest });
            }
        }
        lists
    }

    /// Adds the contribution of a term to the passages of a block.
    fn add_term(
        &self,
        term: Term<'_>,
        block: &Block,
        lists: &mut [List<'_>],
        scratch: &mut Scratch,
    ) {
        let Scratch { tf, best, score, titles, headings, .. } = scratch;
        let contributions = if term.alone { score } else { best };
        // The frequencies from pages and sections are kept until the frequency in the passage is
        // known.
        for list in lists {
            let level = list.level;
            while let Some(posting) = list.below(block.ends[level as usize]) {
                let frequency = self.frequency(level, &posting);
                let (below, names) = match level {
                    Level::Page => {
                        (self.structure.passages_of_page(PageId(posting.id)), &mut *titles)
                    }
                    Level::Section => {
                        (self.structure.passages(SectionId(posting.id)), &mut *headings)
                    }
                    Level::Passage => {
                        let place = block.place(posting.id);
                        let frequency = tf.take_at(place) + frequency;
                        self.contribute(term, place, frequency, contributions);
                        continue;
                    }
                };
                if frequency > 0.0 {
                    for passage in below {
                        tf.change(block.place(passage), |tf| *tf += frequency);
                    }
                }
                if term.bit != 0 && posting.len[0] == term.n_tokens && posting.tf[0] > 0 {
                    names.mark(posting.id, term.bit);
                }
            }
        }
        while let Some((place, frequency)) = tf.take() {
            self.contribute(term, place, frequency, contributions);
        }
    }

    /// Adds the contribution of a term to a passage. The frequency is 0 if it was counted already.
    fn contribute(&self, term: Term<'_>, place: u32, frequency: f32, to: &mut Places<f32>) {
        if frequency <= 0.0 {
            return;
        }
        let contribution = self.contribution(term.term, frequency);
        if term.alone {
            to.change(place, |score| *score += contribution);
        } else if contribution > to.get(place) {
            to.change(place, |best| *best = contribution);
        }
    }

    /// Collects the sections of a block, by their best passages.
    fn collect(
        &self,
        block: &Block,
        allowed: Option<&Bitset>,
        scratch: &mut Scratch,
        hits: &mut Vec<LexicalHit>,
    ) {
        let before = hits.len();
        let Scratch { score, slots, .. } = scratch;
        while let Some((place, score)) = score.take() {
            let passage = block.passages.start + place;
            let section = self.structure.section_of(PassageId(passage)).0;
            if allowed.is_some_and(|allowed| !allowed.contains(section)) {
                continue;
            }
            let slot = &mut slots[section as usize];
            if *slot == 0 {
                hits.push(LexicalHit { section, passage, score, boosts: 0 });
                *slot = hits.len() as u32;
                continue;
            }
            let hit = &mut hits[*slot as usize - 1];
            if score > hit.score || score == hit.score && passage < hit.passage {
                (hit.score, hit.passage) = (score, passage);
            }
        }
        for hit in &hits[before..] {
            slots[hit.section as usize] = 0;
        }
    }

    /// Marks the titles and headings that equal the whole query.
    fn mark_names(&self, all_bits: u8, names: &Names, scratch: &mut Scratch) {
        let Scratch { titles, headings, .. } = scratch;
        for lookup in &names.titles {
            for (level, marks) in [(Level::Page, &mut *titles), (Level::Section, &mut *headings)] {
                for Posting { id, .. } in self.dictionary.postings(lookup, level) {
                    // Titles and headings that equal the query word by word are already marked.
                    if all_bits == 0 || marks.get(id) != all_bits {
                        marks.mark(id, NAMED);
                    }
                }
            }
        }
    }

    /// Raises the scores of sections whose title, heading or symbol equals the query.
    fn boost_names(
        &self,
        all_bits: u8,
        symbols: &[u32],
        scratch: &mut Scratch,
        hits: &mut [LexicalHit],
    ) {
        let Scratch { titles, headings, .. } = scratch;
        if symbols.is_empty() && titles.values().chain(headings.values()).next().is_none() {
            return;
        }
        // The title "The queue" equals the query `queue` too, unless another page has exactly this
        // title.
        let is_title = |bits: u8| bits == all_bits && all_bits != 0;
        let has_title = titles.values().any(is_title);
        let is_query = |bits: u8| bits == NAMED || is_title(bits);
        for hit in hits {
            let title = titles.get(self.structure.page_of(SectionId(hit.section)).0);
            if is_title(title) || title == NAMED && !has_title {
                hit.boosts |= TITLE;
            }
            if is_query(headings.get(hit.section)) {
                hit.boosts |= HEADING;
            }
            if symbols.binary_search(&hit.section).is_ok() {
                hit.boosts |= SYMBOL;
            }
            hit.score *= self.boost(hit.boosts);
        }
        titles.clear();
        headings.clear();
    }

    /// Returns the factor of boosts.
    fn boost(&self, boosts: u8) -> f32 {
        let mut factor = 1.0;
        if boosts & TITLE != 0 {
            factor += self.params.title_boost;
        }
        if boosts & HEADING != 0 {
            factor += self.params.heading_boost;
        }
        if boosts & SYMBOL != 0 {
            factor += SYMBOL_BOOST;
        }
        factor
    }
}

//! The analysis of a batch of pages in its compact form. Batches are joined in this form, and kept
//! for the next build.
//!
//! Nothing in it depends on other batches: postings name a page by its place in the batch, a
//! section by its place in the page, and a passage by its place in the section. So the bytes of a
//! term's lists tell whether anything about the term has changed.
//!
//! All values are coded by bincode:
//!
//! | what | how many |
//! |---|---|
//! | pages, sections, passages, words as they are spelt | 1 |
//! | the number of terms | 1 |
//! | a term, whether it is searched for, numbers of postings and positions, its lists | each term |
//!
//! The lists of a term are numbers. For each posting of each level:
//!
//! | number | of |
//! |---|---|
//! | `gap * 2 + plain`: pages behind the posting before; whether frequencies are `[1, 0]` | all |
//! | passages of the page or section, which the document frequency counts | pages, sections |
//! | the place of the section in its page | sections, passages |
//! | the place of the passage in its section | passages |
//! | both frequencies | those not plain |
//! | the length of each field with a frequency | all |
//! | the number of positions, and each position less the previous one | all |

use bincode::{BorrowDecode, Decode, Encode};
use findling_bundle::lexicon::Posting;
use findling_bundle::structure::Structure;
use findling_bundle::{Level, PageId};

use super::compounds::join;
use super::page_batch::{LevelPostings, Node, PageBatch, TermPostings};
use findling_base::record_log::CODING;

/// A batch of analysed pages, or some of the terms of one.
#[derive(Clone, Debug, Default)]
pub struct BatchIndex {
    head: Head,
    n_words: u64,
    /// The offset at which the words begin.
    words: usize,
    bytes: Vec<u8>,
    /// The offset at which each term begins.
    starts: Vec<usize>,
}

/// The part of a batch that is decoded at once.
#[derive(Clone, Debug, Default, Encode, Decode)]
pub struct Head {
    /// The pages.
    pub pages: Vec<Node>,
    /// The sections of all pages.
    pub sections: Vec<Node>,
    /// The lengths of the two fields of each passage.
    pub passages: Vec<[u32; 2]>,
}

/// The lists of a term in a batch.
#[derive(Clone, Copy, Debug)]
pub struct TermPart<'a> {
    /// The number of the batch.
    pub batch: u32,
    /// Whether a query can ask for the term, if the term is a key.
    pub is_searched_for: bool,
    /// Postings on each level.
    pub n_postings: [u32; 3],
    /// Positions on all levels.
    pub n_positions: u32,
    /// The lists as they are stored.
    pub lists: &'a [u8],
}

/// A term and its stored data.
type Stored<'a> = (&'a str, bool, [u32; 3], u32, &'a [u8]);

impl BatchIndex {
    /// Encodes an analysed batch.
    pub fn encode(batch: PageBatch) -> Self {
        let places = Places::of(&batch);
        let PageBatch { terms, mut lists, pages, sections, passages, words, .. } = batch;
        let mut terms: Vec<(Box<str>, u32)> = terms.into_iter().collect();
        // A word has no postings if every occurrence has weight 0.
        terms.retain(|(_, at)| {
            lists[*at as usize].levels.iter().any(|level| !level.postings.is_empty())
        });
        terms.sort_unstable();
        join(&mut terms, &mut lists);
        let n_terms = terms.len() as u32;
        let head = Head { pages, sections, passages };
        let counted = words.into_sorted();
        let n_words = counted.len() as u64;
        let mut bytes = Vec::new();
        put(&mut bytes, &head);
        put(&mut bytes, n_words);
        let words = bytes.len();
        counted.iter().for_each(|word| put(&mut bytes, word));
        put(&mut bytes, n_terms);
        let (mut stored, mut starts) = (Vec::new(), Vec::with_capacity(terms.len()));
        for (term, at) in terms {
            let TermPostings { levels, is_searched_for } = &lists[at as usize];
            stored.clear();
            for (level, lists) in Level::ALL.into_iter().zip(levels) {
                places.put(level, lists, &mut stored);
            }
            let n_postings = levels.each_ref().map(|level| level.postings.len() as u32);
            let n_positions = levels.iter().map(|level| level.positions.len() as u32).sum::<u32>();
            starts.push(bytes.len());
            put(&mut bytes, (&*term, *is_searched_for, n_postings, n_positions, &stored[..]));
        }
        bytes.shrink_to_fit();
        Self { head, n_words, words, bytes, starts }
    }

    /// Reads a batch from its [bytes](BatchIndex::bytes); `None` if the bytes are not a batch.
    pub fn read(bytes: Vec<u8>) -> Option<Self> {
        let mut end = 0;
        let head: Head = take(&bytes, &mut end)?;
        let n_words: u64 = take(&bytes, &mut end)?;
        let words = end;
        for _ in 0..n_words {
            let _: (&str, u32) = take(&bytes, &mut end)?;
        }
        let n_terms: u32 = take(&bytes, &mut end)?;
        let mut starts = Vec::new();
        let mut before = "";
        for _ in 0..n_terms {
            let start = end;
            let (term, ..): Stored<'_> = take(&bytes, &mut end)?;
            if !starts.is_empty() && term <= before {
                return None;
            }
            before = term;
            starts.push(start);
        }
        (end == bytes.len()).then_some(Self { head, n_words, words, bytes, starts })
    }

    /// Returns the number of terms.
    pub fn n_terms(&self) -> usize {
        self.starts.len()
    }

    /// Returns a term by its place among the terms of the batch, which are sorted.
    pub fn term(&self, place: usize) -> Option<&str> {
        let mut at = *self.starts.get(place)?;
        take(&self.bytes, &mut at)
    }

    /// Returns the bytes of a term by its place; none beyond the last.
    pub fn term_bytes(&self, place: usize) -> &[u8] {
        let at = self.starts.get(place).copied();
        at.and_then(|mut at| take(&self.bytes, &mut at)).unwrap_or_default()
    }

    /// Returns a term with its lists. `number` is the number of the batch.
    pub fn part(&self, place: usize, number: u32) -> Option<(&str, TermPart<'_>)> {
        let mut at = *self.starts.get(place)?;
        let stored: Stored<'_> = take(&self.bytes, &mut at)?;
        let (term, is_searched_for, n_postings, n_positions, lists) = stored;
        let part = TermPart { batch: number, is_searched_for, n_postings, n_positions, lists };
        Some((term, part))
    }

    /// Returns the place of the first term that does not sort before `term`.
    pub fn place_of(&self, term: &str) -> usize {
        let (mut from, mut to) = (0, self.n_terms());
        while from < to {
            let middle = (from + to) / 2;
            if self.term(middle).is_some_and(|at| at < term) {
                from = middle + 1;
            } else {
                to = middle;
            }
        }
        from
    }

    /// Returns the batch in its compact form.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the pages, sections and passages.
    pub fn head(&self) -> &Head {
        &self.head
    }

    /// Returns the pages, sections and passages of a batch that is not needed any more.
    pub fn into_head(self) -> Head {
        self.head
    }

    /// Returns the place in the bytes where a term begins, or the end of the last term.
    pub fn start_of(&self, place: usize) -> usize {
        self.starts.get(place).copied().unwrap_or(self.bytes.len())
    }

    /// Returns at most `n` terms with about the same number of bytes between them.
    pub fn samples(&self, n: usize) -> impl Iterator<Item = &str> {
        let first = self.start_of(0);
        let step = ((self.bytes.len() - first) / n.max(1)).max(1);
        let at = (0..n).map(move |i| first + i * step);
        at.filter_map(|at| self.term(self.starts.partition_point(|start| *start < at)))
    }

    /// Reads some terms of a batch from their bytes; `None` if the bytes are not `n_terms` terms.
    pub fn of_terms(bytes: Vec<u8>, n_terms: u32) -> Option<Self> {
        let (mut starts, mut end) = (Vec::with_capacity(n_terms as usize), 0);
        for _ in 0..n_terms {
            starts.push(end);
            let _: Stored<'_> = take(&bytes, &mut end)?;
        }
        (end == bytes.len()).then_some(Self { bytes, starts, ..Self::default() })
    }

    /// Returns words as they are spelt, with how often they occur.
    pub fn words(&self) -> impl Iterator<Item = (&str, u32)> {
        let mut at = self.words;
        (0..self.n_words).map_while(move |_| take(&self.bytes, &mut at))
    }
}

impl TermPart<'_> {
    /// Adds the postings to the postings of earlier batches. `first` is the first page of the
    /// batch. Reading a list ends at the first number that is not valid in it.
    pub fn read(&self, first: PageId, structure: &Structure, all: &mut [LevelPostings; 3]) {
        let mut numbers = Numbers(self.lists);
        for (level, all) in Level::ALL.into_iter().zip(all) {
            let mut page = first.0;
            for _ in 0..self.n_postings[level as usize] {
                if numbers.posting(level, &mut page, structure, all).is_none() {
                    return;
                }
            }
        }
    }
}

/// The places of a batch's sections and passages.
struct Places {
    /// The page, the place in the page, and the number of passages of each section.
    sections: Vec<[u32; 3]>,
    /// Section and place in it of each passage.
    passages: Vec<[u32; 2]>,
    /// Passages of each page.
    of_page: Vec<u32>,
}

impl Places {
    fn of(batch: &PageBatch) -> Self {
        let mut places = Self { sections: Vec::new(), passages: Vec::new(), of_page: Vec::new() };
        let mut sections = batch.sections.iter();
        for (number, page) in (0..).zip(&batch.pages) {
            let before = places.passages.len();
            for (place, section) in (0..).zip(sections.by_ref().take(page.n_children as usize)) {
                let at = places.sections.len() as u32;
                places.sections.push([number, place, section.n_children]);
                places.passages.extend((0..section.n_children).map(|place| [at, place]));
            }
            places.of_page.push((places.passages.len() - before) as u32);
        }
        places
    }

    /// Writes the lists of one level.
    fn put(&self, level: Level, lists: &LevelPostings, out: &mut Vec<u8>) {
        let (mut before, mut positions) = (0, &lists.positions[..]);
        for (posting, &n) in lists.postings.iter().zip(&lists.counts) {
            let id = posting.id as usize;
            let plain = posting.tf == [1, 0];
            let mut gap = |page: u32| {
                let gap = page - std::mem::replace(&mut before, page);
                gap * 2 + u32::from(plain)
            };
            match level {
                Level::Page => put(out, [gap(posting.id), self.of_page[id]]),
                Level::Section => {
                    let [page, place, n_passages] = self.sections[id];
                    put(out, [gap(page), n_passages, place]);
                }
                Level::Passage => {
                    let [section, at] = self.passages[id];
                    let [page, place, _] = self.sections[section as usize];
                    put(out, [gap(page), place, at]);
                }
            }
            if !plain {
                put(out, posting.tf);
            }
            for (&len, _) in posting.len.iter().zip(posting.tf).filter(|(_, tf)| *tf > 0) {
                put(out, len);
            }
            put(out, n);
            let (own, rest) = positions.split_at(n as usize);
            let mut last = 0;
            for &position in own {
                put(out, position - std::mem::replace(&mut last, position));
            }
            positions = rest;
        }
    }
}

/// Reads numbers from the front of bytes.
struct Numbers<'a>(&'a [u8]);

impl Numbers<'_> {
    fn next(&mut self) -> Option<u32> {
        let (number, read) = bincode::decode_from_slice(self.0, CODING).ok()?;
        self.0 = &self.0[read..];
        Some(number)
    }

    /// Reads one posting that [`Places::put`] wrote. `page` is the page of the posting before.
    fn posting(
        &mut self,
        level: Level,
        page: &mut u32,
        structure: &Structure,
        all: &mut LevelPostings,
    ) -> Option<()> {
        let first = self.next()?;
        *page = page.checked_add(first / 2)?;
        if level != Level::Passage {
            self.next()?;
        }
        let id = match level {
            Level::Page => *page,
            Level::Section => structure.section_at(PageId(*page), self.next()?)?.0,
            Level::Passage => structure.passage_in(PageId(*page), self.next()?, self.next()?)?.0,
        };
        let tf = if first % 2 == 1 { [1, 0] } else { [self.next()?, self.next()?] };
        let mut len = [0; 2];
        for (len, _) in len.iter_mut().zip(tf).filter(|(_, tf)| *tf > 0) {
            *len = self.next()?;
        }
        let n = self.next()?;
        let mut last = 0u32;
        for _ in 0..n {
            last = last.checked_add(self.next()?)?;
            all.positions.push(last);
        }
        all.postings.push(Posting { id, tf, len });
        all.counts.push(n);
        Some(())
    }
}

/// Reads the value at `at`, and sets `at` to its end.
fn take<'a, T: BorrowDecode<'a, ()>>(bytes: &'a [u8], at: &mut usize) -> Option<T> {
    let rest = bytes.get(*at..)?;
    let (value, read) = bincode::borrow_decode_from_slice(rest, CODING).ok()?;
    *at += read;
    Some(value)
}

/// Codes a value.
pub fn put(out: &mut Vec<u8>, value: impl Encode) {
    // Writing to a vector cannot fail, and all of these values can be encoded.
    let _ = bincode::encode_into_std_write(value, out, CODING);
}

//! The lexical index: every page analysed on all cores, postings on three levels, cut into ranges
//! of terms.
//!
//! Deterministic whatever the number of cores: pages are analysed in batches of fixed boundaries,
//! each with numbers of its own for terms, and joined in page order, so that ids ascend by
//! themselves; terms are sorted at the end. Positions are cut by pages as well, so that an edit
//! changes those of the pages around it alone.

use std::collections::HashMap;
use std::iter;

use findling_bundle::lexicon::{Posting, TermsBuilder};
use findling_bundle::limits::MAX_TERM_LEN;
use findling_bundle::positions::PositionsBuilder;
use findling_bundle::structure::{Structure, StructureBuilder};
use findling_bundle::{Level, PageId, PassageId, SectionId, Synonym};
use findling_text::keys::{Name, form_key, is_key, pin_key, split_form, split_name};
use findling_text::{Analyzer, TokenKind};
use indicatif::ProgressBar;
use rayon::prelude::*;

use super::languages::Languages;
use super::names;
use super::spelling::{Place, Words};
use super::synonyms::Rows;
use super::tiers::{self, Tiers};
use crate::chunk::{ChunkedPage, ChunkedSection};
use crate::cutter::{Cutter, parting};
use crate::page::Page;

const _: () = assert!(findling_text::MAX_TERM_BYTES <= MAX_TERM_LEN);

/// Pages analysed together. Fixed, since it decides nothing that shows but the memory taken.
const BATCH: usize = 64;

/// The bytes that a range of terms takes in the manifest, and the ranges a query fetches: what the
/// size of ranges is chosen by.
const BYTES_PER_RANGE: usize = 5;
const RANGES_PER_QUERY: usize = 6;
const LEAST_RANGE: usize = 1200;
/// Of a range's size, the part up to which a term's keys stay in its range.
const KEYS_OF_A_TERM: usize = 4;

/// Blocks of pages that positions are cut into: an edit changes one.
const BLOCKS: usize = 16;
/// Bytes of a line in the directory of positions, and the shards that a phrase fetches, of two
/// words in four blocks: what the size of these is chosen by, down to the least.
const BYTES_PER_LINE: usize = 7;
const SHARDS_PER_PHRASE: usize = 8;
const LEAST_POSITIONS: usize = 1 << 10;

/// What analysis gives.
#[derive(Debug)]
pub struct Lexical {
    /// The tree of pages, sections, passages and vectors.
    pub structure: Structure,
    /// Mean length of each field over passages, in the order of [`findling_bundle::Field`].
    pub mean_len: [f32; 6],
    /// Ranges of terms, ascending.
    pub ranges: Vec<TermRange>,
    /// Where terms stand.
    pub positions: Positions,
    /// The words as they are spelt.
    pub words: Words,
    /// Distinct terms.
    pub n_terms: u32,
    /// Postings on all levels.
    pub n_postings: u64,
}

/// A range of terms.
#[derive(Debug)]
pub struct TermRange {
    /// The beginning of the first term that tells it from those before.
    pub first_term: String,
    /// Dictionary and postings, uncompressed.
    pub terms: Vec<u8>,
    /// The second tier of postings, uncompressed; empty where there is none.
    pub second: Vec<u8>,
}

/// The grid of positions ([`findling_bundle::positions`]).
#[derive(Debug, Default)]
pub struct Positions {
    /// Pages of each block.
    pub pages: Vec<u32>,
    /// Ranges of terms of each column.
    pub ranges: Vec<u32>,
    /// The shards column by column, uncompressed; empty where there is none.
    pub shards: Vec<Vec<u8>>,
}

/// Analyses all pages. Sections count their embedding units as vectors only with `vectors`.
pub fn analyse(
    pages: &[Page],
    chunks: &[ChunkedPage],
    languages: &Languages,
    synonyms: &[Synonym],
    vectors: bool,
    bar: &ProgressBar,
) -> Result<Lexical, findling_bundle::Error> {
    let bases = bases(chunks);
    let starts: Vec<usize> = (0..pages.len()).step_by(BATCH).collect();
    let mut batches: Vec<Batch> = starts
        .par_iter()
        .map(|&start| {
            let end = (start + BATCH).min(pages.len());
            let mut batch = Batch::default();
            let mut analyzers = HashMap::new();
            for page in start..end {
                let language = languages.of_page(page);
                let (analyzer, rows) = analyzers.entry(language).or_insert_with(|| {
                    let mut analyzer = Analyzer::for_language(language);
                    let rows = Rows::new(synonyms, &mut analyzer);
                    (analyzer, rows)
                });
                let reader = &mut Reader { analyzer, rows };
                batch.page(page as u32, &pages[page], &chunks[page], bases[page], vectors, reader);
            }
            bar.inc((end - start) as u64);
            batch
        })
        .collect();

    let mut words = Words::default();
    for batch in &mut batches {
        words.merge(std::mem::take(&mut batch.words));
    }
    let structure = structure(&batches);
    let mut terms: HashMap<&str, Vec<&TermLists>> = HashMap::new();
    for batch in &batches {
        for (term, &at) in &batch.terms {
            // A word whose every occurrence weighs nothing leaves no posting.
            let lists = &batch.lists[at as usize];
            if lists.levels.iter().any(|level| !level.postings.is_empty()) {
                terms.entry(term).or_default().push(lists);
            }
        }
    }
    let mut terms: Vec<Term<'_>> = terms.into_iter().collect();
    terms.sort_unstable_by_key(|(term, _)| *term);
    drop_lone_forms(&mut terms);
    drop_plain_names(&mut terms);

    let cuts = cuts(&terms);
    let cuts: Vec<&[Term<'_>]> = cuts
        .windows(2)
        .map(|cut| &terms[cut[0]..cut[1]])
        .filter(|range| !range.is_empty())
        .collect();
    let blocks = blocks(pages, &batches);
    let columns = columns(&cuts, blocks.len());
    let mean_len = mean_len(&batches);
    let tiers = Tiers::new(pages, &structure, &mean_len);
    let made: Vec<Column> = columns
        .par_iter()
        .map(|column| self::column(column, &tiers, &blocks))
        .collect::<Result<_, _>>()?;
    let mut positions = Positions { pages: blocks, ..Positions::default() };
    let mut packed = Vec::with_capacity(cuts.len());
    for column in made {
        positions.ranges.push(column.terms.len() as u32);
        positions.shards.extend(column.positions);
        packed.extend(column.terms);
    }
    let befores = iter::once("").chain(cuts.iter().map(|range| range[range.len() - 1].0));
    let firsts = befores.zip(&cuts).map(|(before, range)| parting(before, range[0].0).to_owned());
    let ranges = firsts.zip(packed);
    let ranges = ranges
        .map(|(first_term, [terms, second])| TermRange { first_term, terms, second })
        .collect();
    let n_postings = terms
        .iter()
        .flat_map(|(_, parts)| parts.iter())
        .flat_map(|lists| &lists.levels)
        .map(|level| level.postings.len() as u64)
        .sum();
    let n_terms = terms.len() as u32;
    Ok(Lexical { structure, mean_len, ranges, positions, words, n_terms, n_postings })
}

/// Leaves out the forms of words that have one form alone: they say what the term says. Terms
/// ascend.
fn drop_lone_forms<T>(terms: &mut Vec<(&str, T)>) {
    let term_of = |key: &str| split_form(key).map(|(term, _)| term.len());
    let same = |a: &str, b: &str| {
        term_of(a).is_some_and(|len| term_of(b) == Some(len) && a[..len] == b[..len])
    };
    let keeps: Vec<bool> = (0..terms.len())
        .map(|i| {
            let key = terms[i].0;
            term_of(key).is_none()
                || i > 0 && same(key, terms[i - 1].0)
                || terms.get(i + 1).is_some_and(|next| same(key, next.0))
        })
        .collect();
    let mut keeps = keeps.into_iter();
    terms.retain(|_| keeps.next().unwrap_or(true));
}

/// Leaves out the names of titles and headings that are known by their words: those whose first
/// word has no second tier, in which it would be looked for in vain. Terms ascend.
fn drop_plain_names(terms: &mut Vec<Term<'_>>) {
    let is_cut = |term: &str| {
        let Ok(at) = terms.binary_search_by_key(&term, |(term, _)| term) else { return false };
        [Level::Page, Level::Section].into_iter().any(|level| {
            let n = n_postings(&terms[at].1, level);
            tiers::n_first(level, n) < n
        })
    };
    let keeps: Vec<bool> = terms
        .iter()
        .map(|(key, parts)| {
            split_name(key)
                .is_none_or(|(first, _)| parts.iter().any(|lists| lists.is_wanted) || is_cut(first))
        })
        .collect();
    let mut keeps = keeps.into_iter();
    terms.retain(|_| keeps.next().unwrap_or(true));
}

/// The first section and passage of each page.
fn bases(chunks: &[ChunkedPage]) -> Vec<(u32, u32)> {
    let mut base = (0, 0);
    chunks
        .iter()
        .map(|page| {
            let here = base;
            base.0 += page.sections.len() as u32;
            base.1 +=
                page.sections.iter().map(|section| section.passages.len() as u32).sum::<u32>();
            here
        })
        .collect()
}

fn structure(batches: &[Batch]) -> Structure {
    let mut builder = StructureBuilder::default();
    for batch in batches {
        let mut section = 0;
        for page in &batch.pages {
            builder.page();
            for _ in 0..page.n_children {
                let at = &batch.sections[section];
                section += 1;
                builder.section(at.n_vectors);
                if at.continues {
                    builder.continues();
                }
                for _ in 0..at.n_children {
                    builder.passage();
                }
            }
        }
    }
    builder.finish()
}

/// Means over the passages that have anything in the field: a page's title counts for each of its
/// passages. Were passages without code counted, a single word of code would be a long text of it.
fn mean_len(batches: &[Batch]) -> [f32; 6] {
    let (mut sums, mut counts) = ([0u64; 6], [0u64; 6]);
    for batch in batches {
        let (mut sections, mut passages) = (batch.sections.iter(), batch.passages.iter());
        for page in &batch.pages {
            for section in sections.by_ref().take(page.n_children as usize) {
                for passage in passages.by_ref().take(section.n_children as usize) {
                    let lens = [page.len, section.len, *passage].into_iter().flatten();
                    for ((sum, n), len) in sums.iter_mut().zip(&mut counts).zip(lens) {
                        *sum += u64::from(len);
                        *n += u64::from(len > 0);
                    }
                }
            }
        }
    }
    std::array::from_fn(|field| (sums[field] as f64 / counts[field].max(1) as f64) as f32)
}

/// About the bytes that a term takes in the terms shard.
fn size(term: &str, parts: &[&TermLists]) -> usize {
    let n_first = Level::ALL.map(|level| tiers::n_first(level, n_postings(parts, level)));
    term.len() + 6 + 2 * n_first.iter().sum::<usize>()
}

/// A term's postings on a level.
fn n_postings(parts: &[&TermLists], level: Level) -> usize {
    parts.iter().map(|lists| lists.levels[level as usize].postings.len()).sum()
}

/// A term with its lists in each batch that has it.
type Term<'a> = (&'a str, Vec<&'a TermLists>);

/// Where ranges begin, and where the last one ends. A term's keys, which whoever asks for the term
/// may ask for as well, stay with it as far as they are short, or else a large term would be alone
/// in its range and its keys in another.
fn cuts(terms: &[Term<'_>]) -> Vec<usize> {
    let total: usize = terms.iter().map(|(term, lists)| size(term, lists)).sum();
    let target = Cutter::best_target(total, BYTES_PER_RANGE, RANGES_PER_QUERY, LEAST_RANGE);
    let mut cutter = Cutter::new(target);
    let (mut cuts, mut at) = (vec![0], 0);
    while let Some((term, _)) = terms.get(at) {
        let mut keys = 0;
        let stays = |(key, lists): &&Term<'_>| {
            keys += size(key, lists);
            is_key(key) && key.starts_with(term) && keys <= target / KEYS_OF_A_TERM
        };
        let own = &terms[at..at + 1 + terms[at + 1..].iter().take_while(stays).count()];
        let before = at.checked_sub(1).map_or("", |at| terms[at].0);
        if cutter.cut_between(before, term, own.iter().map(|(term, lists)| size(term, lists)).sum())
        {
            cuts.push(at);
        }
        at += own.len();
    }
    cuts.push(terms.len());
    cuts
}

/// Pages of each block of positions, cut where addresses choose.
fn blocks(pages: &[Page], batches: &[Batch]) -> Vec<u32> {
    let mut sizes = Vec::with_capacity(pages.len());
    for batch in batches {
        let (mut sections, mut passages) = (batch.sections.iter(), batch.passages.iter());
        for page in &batch.pages {
            let mut size = page.len[0];
            for section in sections.by_ref().take(page.n_children as usize) {
                size += section.len[0];
                let own = passages.by_ref().take(section.n_children as usize);
                size += own.map(|len| len[0] + len[1]).sum::<u32>();
            }
            sizes.push(size as usize);
        }
    }
    let total: usize = sizes.iter().sum();
    let mut cutter = Cutter::new(Cutter::steady((total / BLOCKS) as f64));
    let mut blocks = Vec::new();
    for (page, size) in pages.iter().zip(sizes) {
        match blocks.last_mut() {
            Some(last) if !cutter.cut_before(&page.url, size) => *last += 1,
            Some(_) => blocks.push(1),
            None => {
                cutter.cut_before(&page.url, size);
                blocks.push(1);
            }
        }
    }
    blocks
}

/// Runs of ranges whose positions make a column.
fn columns<'r, 'a>(ranges: &'r [&'a [Term<'a>]], n_blocks: usize) -> Vec<&'r [&'a [Term<'a>]]> {
    let size = |range: &[Term<'_>]| -> usize {
        let lists = range.iter().flat_map(|(_, parts)| parts).flat_map(|lists| &lists.levels);
        lists.map(|level| level.positions.len()).sum()
    };
    let sizes: Vec<usize> = ranges.iter().map(|range| size(range)).collect();
    let total: usize = sizes.iter().sum();
    let best = ((BYTES_PER_LINE * total) as f64 / SHARDS_PER_PHRASE as f64).sqrt();
    let shard = Cutter::steady(best).max(LEAST_POSITIONS);
    let mut cutter = Cutter::new(shard * n_blocks);
    let mut cuts = vec![0];
    for (i, (range, size)) in ranges.iter().zip(sizes).enumerate() {
        if cutter.cut_before(range[0].0, size) {
            cuts.push(i);
        }
    }
    cuts.push(ranges.len());
    cuts.windows(2).map(|cut| &ranges[cut[0]..cut[1]]).filter(|column| !column.is_empty()).collect()
}

/// Ranges whose positions share shards, and these, uncompressed.
struct Column {
    /// By range, each tier; the second empty where there is none.
    terms: Vec<[Vec<u8>; 2]>,
    /// By block.
    positions: Vec<Vec<u8>>,
}

fn column(
    ranges: &[&[Term<'_>]],
    tiers: &Tiers<'_>,
    blocks: &[u32],
) -> Result<Column, findling_bundle::Error> {
    let structure = tiers.structure;
    let mut builders = vec![PositionsBuilder::new(); blocks.len()];
    let mut made = Vec::with_capacity(ranges.len());
    for terms in ranges {
        let (mut builder, mut second) = (TermsBuilder::new(), TermsBuilder::new());
        for (term, parts) in *terms {
            let joined: [LevelLists; 3] = [0, 1, 2].map(|level| {
                let mut all = LevelLists::default();
                for part in parts {
                    let part = &part.levels[level];
                    all.postings.extend_from_slice(&part.postings);
                    all.counts.extend_from_slice(&part.counts);
                    all.positions.extend_from_slice(&part.positions);
                }
                all
            });
            let df = document_frequency(&joined, structure);
            let split =
                Level::ALL.map(|level| tiers.split(level, &joined[level as usize].postings));
            let [firsts, others] =
                [0, 1].map(|tier| split.each_ref().map(|tiers| &tiers[tier][..]));
            let n_second = others.map(|others| others.len() as u32);
            builder.push_first_tier(term, df, firsts, n_second, structure)?;
            if n_second != [0; 3] {
                second.push(term, df, others, structure)?;
            }
            for (lists, level) in joined.iter().zip(Level::ALL) {
                push_positions(&mut builders, blocks, lists, level, structure)?;
            }
        }
        builders.iter_mut().for_each(PositionsBuilder::end_range);
        let second = if second.is_empty() { Vec::new() } else { second.finish() };
        made.push([builder.finish(), second]);
    }
    let positions = builders
        .into_iter()
        .map(|builder| if builder.is_empty() { Vec::new() } else { builder.finish() })
        .collect();
    Ok(Column { terms: made, positions })
}

/// Adds one term's lists on one level, each to the block of its page.
fn push_positions(
    builders: &mut [PositionsBuilder],
    blocks: &[u32],
    lists: &LevelLists,
    level: Level,
    structure: &Structure,
) -> Result<(), findling_bundle::Error> {
    let (mut block, mut end) = (0, blocks.first().copied().unwrap_or(0));
    let mut rest = &lists.positions[..];
    for (posting, &count) in lists.postings.iter().zip(&lists.counts) {
        let page = match level {
            Level::Page => PageId(posting.id),
            Level::Section => structure.page_of(SectionId(posting.id)),
            Level::Passage => structure.page_of(structure.section_of(PassageId(posting.id))),
        };
        while page.0 >= end && block + 1 < blocks.len() {
            block += 1;
            end += blocks[block];
        }
        let (own, after) = rest.split_at(count as usize);
        builders[block].push(level, posting.tf, own)?;
        rest = after;
    }
    Ok(())
}

/// Passages that contain the term in any field: a title or heading counts for every passage below
/// it.
fn document_frequency([pages, sections, passages]: &[LevelLists; 3], structure: &Structure) -> u32 {
    let of_pages =
        pages.postings.iter().map(|posting| structure.passages_of_page(PageId(posting.id)));
    let of_sections =
        sections.postings.iter().map(|posting| structure.passages(SectionId(posting.id)));
    let own = passages.postings.iter().map(|posting| posting.id..posting.id + 1);
    let mut spans: Vec<_> = of_pages.chain(of_sections).chain(own).collect();
    spans.sort_unstable_by_key(|span| span.start);
    let (mut df, mut covered) = (0, 0);
    for span in spans {
        df += span.end.saturating_sub(span.start.max(covered));
        covered = covered.max(span.end);
    }
    df
}

/// One term's postings and positions on one level.
#[derive(Clone, Debug, Default)]
struct LevelLists {
    postings: Vec<Posting>,
    /// Positions of each posting.
    counts: Vec<u32>,
    positions: Vec<u32>,
}

#[derive(Clone, Debug, Default)]
struct TermLists {
    levels: [LevelLists; 3],
    /// Of a key: whether it is more than the name of what is known by its words.
    is_wanted: bool,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    len: [u32; 2],
    n_children: u32,
    n_vectors: u32,
    /// Of a section, whether it continues the one before.
    continues: bool,
}

/// One occurrence of a term in the unit being analysed.
#[derive(Clone, Copy, Debug)]
struct Occurrence {
    term: u32,
    /// `None` in fields whose positions nobody asks for.
    position: Option<u32>,
    field: u8,
    weight: f32,
}

impl Occurrence {
    /// Of what is no term (see [`findling_text::keys`]): it is there, and has no place.
    fn of_key(term: u32, field: u8) -> Self {
        Self { term, position: None, field, weight: 1.0 }
    }
}

/// What reads texts of one language.
struct Reader<'a> {
    analyzer: &'a mut Analyzer,
    rows: &'a mut Rows,
}

/// A batch of pages, analysed.
#[derive(Debug, Default)]
struct Batch {
    terms: HashMap<Box<str>, u32>,
    lists: Vec<TermLists>,
    pages: Vec<Node>,
    sections: Vec<Node>,
    passages: Vec<[u32; 2]>,
    occurrences: Vec<Occurrence>,
    words: Words,
}

impl Batch {
    fn page(
        &mut self,
        id: u32,
        page: &Page,
        chunked: &ChunkedPage,
        (mut section_id, mut passage_id): (u32, u32),
        vectors: bool,
        reader: &mut Reader<'_>,
    ) {
        let title = self.field(reader, &page.title, 0, true);
        // Other names of a page count as often as its path; that one of them is the query is known
        // by its key.
        let path = self.field(reader, &other_names(page), 1, false);
        for name in page.aliases.iter().chain(&file_name(&page.url)) {
            self.name(reader, name);
        }
        for query in &page.pins {
            if let Some(key) = Name::of(reader.analyzer, query).key() {
                self.key(&pin_key(&key));
            }
        }
        self.flush(Level::Page, id, [title, path]);
        let n_children = chunked.sections.len() as u32;
        self.pages.push(Node { len: [title, path], n_children, n_vectors: 0, continues: false });
        for section in &chunked.sections {
            let heading = self.field(reader, &section.heading, 0, true);
            let ancestors = self.field(reader, &ancestors(chunked, section), 1, false);
            self.flush(Level::Section, section_id, [heading, ancestors]);
            section_id += 1;
            let n_vectors = if vectors { section.units.len() as u32 } else { 0 };
            let n_children = section.passages.len() as u32;
            let continues = section.continues;
            self.sections.push(Node {
                len: [heading, ancestors],
                n_children,
                n_vectors,
                continues,
            });
            for &(start, end) in &section.passages {
                let len = self.passage(reader, section, start, end);
                self.flush(Level::Passage, passage_id, len);
                passage_id += 1;
                self.passages.push(len);
            }
        }
    }

    /// A field in which every word counts once. Returns its length.
    fn field(&mut self, reader: &mut Reader<'_>, text: &str, field: u8, positions: bool) -> u32 {
        let mut len = 0;
        let Self { terms, lists, occurrences, words, .. } = self;
        let mut keys = Vec::new();
        let (mut name, mut question) = (Name::default(), Name::default());
        let Reader { analyzer, rows } = reader;
        analyzer.analyze_with_marks(text, |token| {
            // What is said of titles and headings; paths and the headings above repeat them.
            if positions {
                words.count(text, &token, Place::Title);
                name.push(&token);
                question.push_behind_stops(&token);
                rows.push(&token, field);
                if matches!(token.kind, TokenKind::Word | TokenKind::Part) {
                    let spelt = text.get(token.start as usize..token.end as usize);
                    keys.extend(spelt.and_then(|spelt| form_key(token.term, spelt)));
                }
            }
            len += u32::from(token.kind.is_counted());
            let has_position = positions && token.kind != TokenKind::Mark;
            let position = has_position.then_some(token.position);
            occurrences.push(Occurrence {
                term: intern(terms, lists, token.term),
                position,
                field,
                weight: 1.0,
            });
        });
        if positions {
            // Titles without stop words are recognised by their terms, but where these are everyday
            // words, which is known when all are read (`drop_plain_names`).
            if let Some(key) = name.key().filter(|_| !name.has_stop() && name.n_words() > 1) {
                occurrences.push(Occurrence::of_key(intern(terms, lists, &key), field));
            }
            keys.extend(name.key().filter(|_| name.has_stop()));
            // "How do I change my password?" is asked for as `change my password`.
            keys.extend(question.key().filter(|key| question.has_stop() && !keys.contains(key)));
            for other in names::others(text) {
                keys.extend(Name::of(analyzer, other).key());
            }
        }
        keys.extend(rows.take().into_iter().map(|(key, _)| key));
        occurrences.extend(
            keys.iter().map(|key| Occurrence::of_key(intern_key(terms, lists, key), field)),
        );
        len
    }

    /// A name of the page at hand.
    fn name(&mut self, reader: &mut Reader<'_>, text: &str) {
        if let Some(key) = Name::of(reader.analyzer, text).key() {
            self.key(&key);
        }
    }

    /// A key of the page or section at hand.
    fn key(&mut self, key: &str) {
        let term = intern_key(&mut self.terms, &mut self.lists, key);
        self.occurrences.push(Occurrence::of_key(term, 1));
    }

    /// A passage, its words weighted as the site says, those in code apart. Returns the lengths of
    /// both fields.
    fn passage(
        &mut self,
        reader: &mut Reader<'_>,
        section: &ChunkedSection,
        start: u32,
        end: u32,
    ) -> [u32; 2] {
        let Some(text) = section.text.get(start as usize..end as usize) else { return [0, 0] };
        let mut len = [0.0f32; 2];
        let (mut code, mut weights) = (&section.code[..], &section.weights[..]);
        let Self { terms, lists, occurrences, words, .. } = self;
        let Reader { analyzer, rows } = reader;
        analyzer.analyze_with_marks(text, |token| {
            // Tokens come by position, not quite by start: an identifier's whole comes before its
            // parts. It is the ranges that are passed once for good.
            let at = start + token.start;
            while let [(_, end), rest @ ..] = code
                && *end <= at
            {
                code = rest;
            }
            while let [(_, end, _), rest @ ..] = weights
                && *end <= at
            {
                weights = rest;
            }
            let field = u8::from(code.first().is_some_and(|range| range.0 <= at));
            let weight = weights.first().filter(|range| range.0 <= at).map_or(1.0, |range| range.2);
            if weight <= 0.0 {
                return;
            }
            words.count(text, &token, if field == 1 { Place::Code } else { Place::Text });
            rows.push(&token, field);
            if token.kind.is_counted() {
                len[usize::from(field)] += weight;
            }
            occurrences.push(Occurrence {
                term: intern(terms, lists, token.term),
                position: (token.kind != TokenKind::Mark).then_some(token.position),
                field,
                weight,
            });
        });
        for (key, field) in rows.take() {
            occurrences.push(Occurrence::of_key(intern_key(terms, lists, &key), field));
        }
        len.map(|len| len.round() as u32)
    }

    /// Makes postings of the occurrences gathered for one page, section or passage, whose fields
    /// have these lengths.
    fn flush(&mut self, level: Level, id: u32, len: [u32; 2]) {
        self.occurrences.sort_by_key(|occurrence| (occurrence.term, occurrence.position));
        for same in self.occurrences.chunk_by(|a, b| a.term == b.term) {
            let mut tf = [0.0f32; 2];
            let lists = &mut self.lists[same[0].term as usize].levels[level as usize];
            let before = lists.positions.len();
            let mut last = None;
            for occurrence in same {
                tf[usize::from(occurrence.field)] += occurrence.weight;
                if let Some(position) = occurrence.position
                    && last != Some(position)
                {
                    lists.positions.push(position);
                    last = Some(position);
                }
            }
            // A word that is there at all counts at least once.
            let tf = tf.map(|tf| if tf > 0.0 { (tf.round() as u32).max(1) } else { 0 });
            lists.postings.push(Posting::new(level, id, tf, len));
            lists.counts.push((lists.positions.len() - before) as u32);
        }
        self.occurrences.clear();
    }
}

/// The number of a key that is wanted, however everyday its words.
fn intern_key(terms: &mut HashMap<Box<str>, u32>, lists: &mut Vec<TermLists>, key: &str) -> u32 {
    let id = intern(terms, lists, key);
    lists[id as usize].is_wanted = true;
    id
}

fn intern(terms: &mut HashMap<Box<str>, u32>, lists: &mut Vec<TermLists>, term: &str) -> u32 {
    if let Some(&id) = terms.get(term) {
        return id;
    }
    let id = lists.len() as u32;
    terms.insert(term.into(), id);
    lists.push(TermLists::default());
    id
}

/// The headings above a section's own, outermost first.
fn ancestors(page: &ChunkedPage, section: &ChunkedSection) -> String {
    let mut path = Vec::new();
    let mut at = section.parent;
    while let Some(parent) = at.and_then(|parent| page.sections.get(parent as usize)) {
        path.push(parent.heading.as_str());
        // Parents stand before their children, so this ends.
        at = parent.parent.filter(|grandparent| Some(*grandparent) < at);
    }
    path.reverse();
    path.join(" ")
}

/// The words of a page's path, and twice those of what it is called besides.
fn other_names(page: &Page) -> String {
    let mut words = path_words(&page.url);
    for _ in 0..2 {
        for alias in &page.aliases {
            words.push(' ');
            words.push_str(alias);
        }
    }
    words
}

/// The last name of a URL's path, as words.
fn file_name(url: &str) -> Option<String> {
    let path = url.split(['?', '#']).next().unwrap_or_default().trim_end_matches('/');
    let path = path.strip_suffix("/index.html").unwrap_or(path);
    let name = path_words(path.rsplit('/').next().unwrap_or_default());
    Some(name).filter(|name| name.contains(char::is_alphabetic))
}

/// The words of a URL's path: no scheme, host, query or extension, `index` left out, separators
/// made spaces.
pub(super) fn path_words(url: &str) -> String {
    let path = match url.split_once("://") {
        Some((_, rest)) => rest.split_once('/').map_or("", |(_, path)| path),
        None => url,
    };
    let path = path.split(['?', '#']).next().unwrap_or_default();
    let mut words = String::with_capacity(path.len());
    let mut parts = path.split('/').filter(|part| !part.is_empty()).peekable();
    while let Some(part) = parts.next() {
        let last = parts.peek().is_none();
        let stem = match part.rsplit_once('.') {
            Some((stem, extension)) if last && !stem.is_empty() && extension.len() <= 5 => stem,
            _ => part,
        };
        if last && stem.eq_ignore_ascii_case("index") {
            continue;
        }
        if !words.is_empty() {
            words.push(' ');
        }
        // Not `_` or capitals: the analyzer splits identifiers itself, and keeps them whole too.
        words.extend(stem.chars().map(|c| if c == '-' || c == '+' { ' ' } else { c }));
    }
    words
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use findling_bundle::{Level, PositionsShard, Stats, TermsShard};

    use super::*;
    use crate::chunk::EmbeddingUnit;

    fn section(
        heading: &str,
        parent: Option<u32>,
        text: &str,
        passages: &[(u32, u32)],
    ) -> ChunkedSection {
        ChunkedSection {
            level: 1,
            heading: heading.to_owned(),
            parent,
            text: text.to_owned(),
            passages: passages.to_vec(),
            units: vec![EmbeddingUnit { span: (0, 0), text: text.to_owned() }],
            ..ChunkedSection::default()
        }
    }

    /// Of each term: its document frequency, and its postings on each level.
    type Postings = BTreeMap<String, (u32, [Vec<Posting>; 3])>;

    fn index(pages: &[Page], chunks: &[ChunkedPage]) -> (Lexical, Postings) {
        let languages = Languages::of(pages, Some("x-none"));
        let lexical =
            analyse(pages, chunks, &languages, &[], true, &ProgressBar::hidden()).unwrap();
        let stats = Stats {
            n_pages: lexical.structure.n_pages(),
            n_sections: lexical.structure.n_sections(),
            n_passages: lexical.structure.n_passages(),
            n_vectors: lexical.structure.n_vectors(),
            n_terms: lexical.n_terms,
            mean_len: [0.0; 6],
        };
        let mut all = BTreeMap::new();
        for range in &lexical.ranges {
            let shard = TermsShard::from_bytes(range.terms.clone(), &stats).unwrap();
            let mut terms = shard.terms();
            while let Some((term, entry)) = terms.advance() {
                all.insert(term.to_owned(), (entry.df, shard.lists(&entry, &lexical.structure)));
            }
        }
        assert_eq!(all.len(), lexical.n_terms as usize);
        (lexical, all)
    }

    fn sample() -> (Vec<Page>, Vec<ChunkedPage>) {
        let page = |title: &str, url: &str| Page {
            title: title.into(),
            url: url.into(),
            ..Page::default()
        };
        let pages = vec![page("Alpha guide", "/guide/alpha-start.html"), page("Beta", "/beta/")];
        let mut coded =
            section("Deep", Some(0), "plain words vec push plain", &[(0, 11), (12, 26)]);
        coded.code = vec![(12, 20)];
        coded.weights = vec![(21, 26, 3.0)];
        let mut hidden = section("", None, "seen unseen", &[(0, 11)]);
        hidden.weights = vec![(5, 11, 0.0)];
        let chunks = vec![
            ChunkedPage { sections: vec![section("Top", None, "alpha text", &[(0, 10)]), coded] },
            ChunkedPage { sections: vec![hidden] },
        ];
        (pages, chunks)
    }

    #[test]
    fn words_are_found_on_their_level_and_field() {
        let (pages, chunks) = sample();
        let (lexical, terms) = index(&pages, &chunks);
        let posting = |id, tf, len| Posting { id, tf, len };
        // In title and path of page 0, and in passage 0; the page has three passages.
        let alpha = [vec![posting(0, [1, 1], [2, 0])], vec![], vec![posting(0, [1, 0], [2, 0])]];
        assert_eq!(terms["alpha"], (3, alpha));
        // The heading of section 0 stands above section 1: one passage of its own, two below.
        let top = vec![posting(0, [1, 0], [1, 0]), posting(1, [0, 1], [0, 0])];
        assert_eq!(terms["top"], (3, [vec![], top, vec![]]));
        // Code has a field of its own; a weight of 3 counts thrice.
        assert_eq!(terms["push"], (1, [vec![], vec![], vec![posting(2, [0, 1], [0, 2])]]));
        assert_eq!(terms["plain"].1[2], [posting(1, [1, 0], [2, 0]), posting(2, [3, 0], [3, 0])]);
        assert_eq!(terms["beta"].1[0], [posting(1, [1, 1], [1, 0])]);
        // A weight of 0 hides.
        assert!(terms.contains_key("seen") && !terms.contains_key("unseen"));
        let structure = &lexical.structure;
        assert_eq!((structure.n_passages(), structure.n_vectors()), (4, 3));
        // Titles and paths over passages: three times [2, 3] and once [1, 1]; three passages lie
        // under a heading.
        assert_eq!(lexical.mean_len, [1.75, 2.5, 1.0, 1.0, 2.0, 2.0]);
    }

    #[test]
    fn positions_are_those_of_the_field() {
        let (pages, chunks) = sample();
        let (lexical, _) = index(&pages, &chunks);
        let stats = Stats {
            n_pages: 2,
            n_sections: 3,
            n_passages: 4,
            n_terms: lexical.n_terms,
            ..Stats::default()
        };
        let range = &lexical.ranges[0];
        let terms = TermsShard::from_bytes(range.terms.clone(), &stats).unwrap();
        let Positions { pages, ranges, shards } = &lexical.positions;
        assert_eq!((&pages[..], &ranges[..]), (&[1, 1][..], &[1][..]), "each page is a block");
        let first = PositionsShard::from_bytes(shards[0].clone()).unwrap();
        let (mut lists, mut list) = (first.lists(0), Vec::new());
        let mut found = Vec::new();
        let mut walk = terms.terms();
        while let Some((term, entry)) = walk.advance() {
            for level in Level::ALL {
                for posting in terms.postings(&entry, level, &lexical.structure) {
                    if level == Level::Page && posting.id == 0
                        || level != Level::Page && posting.id < 3
                    {
                        lists.next_list(level, posting.tf, &mut list);
                        found.push((term.to_owned(), level, list.clone()));
                    }
                }
            }
        }
        let of = |term: &str, level: Level| -> Vec<_> {
            found.iter().filter(|at| at.0 == term && at.1 == level).map(|at| at.2.clone()).collect()
        };
        assert_eq!(
            of("guide", Level::Page),
            [vec![1]],
            "second word of the title; the path has no positions"
        );
        assert_eq!(of("plain", Level::Passage), [vec![0], vec![2]]);
        // A title of page 1, and what it says.
        assert!(!shards[1].is_empty());
    }

    #[test]
    fn titles_of_everyday_words_have_a_name() {
        let names = |n: usize| {
            let page = |i| Page { title: format!("common{} Rare{i}", i / n), ..Page::default() };
            let pages: Vec<Page> = (0..n + 1).map(page).collect();
            let (_, terms) = index(&pages, &vec![ChunkedPage::default(); n + 1]);
            let of = |first: &str| {
                terms
                    .keys()
                    .filter(|key| split_name(key).is_some_and(|(of, _)| of == first))
                    .count()
            };
            ["common0", "common1"].map(of)
        };
        // Their own words tell them, but beyond the first tier.
        let most = tiers::n_first(Level::Page, usize::MAX);
        assert_eq!(names(most), [0, 0]);
        assert_eq!(names(most + 1), [most + 1, 0]);
    }

    #[test]
    fn keys_stay_with_their_term() {
        let lists = |n: u32| {
            let mut lists = TermLists::default();
            lists.levels[2].postings =
                (0..n).map(|id| Posting { id, tf: [1, 0], len: [1, 0] }).collect();
            lists
        };
        let [large, short] = [lists(5000), lists(3)];
        let term = |term: &'static str, lists| (term, vec![lists]);
        let terms = [
            term("func", &short),
            term("function", &large),
            term("function\u{1}function", &short),
            term("function\u{1}functions", &short),
            term("function\u{2}0", &large),
            term("functional", &short),
        ];
        assert_eq!(
            cuts(&terms),
            [0, 1, 4, 5, 6],
            "with a large term its keys, but not one that is large"
        );
        let keys: Vec<String> = (0..200).map(|i| format!("function\u{2}{i:08}")).collect();
        let mut many = vec![term("function", &large)];
        many.extend(keys.iter().map(|key| (key.as_str(), vec![&short])));
        let cuts = cuts(&many);
        assert!(cuts[1] > 1 && cuts[1] < 40, "nor more than a part of a range: {cuts:?}");
    }

    #[test]
    fn the_number_of_threads_changes_nothing() {
        let (mut pages, mut chunks) = (Vec::new(), Vec::new());
        for i in 0..300 {
            pages.push(Page {
                title: format!("Page {i}"),
                url: format!("/p{}/{i}", i % 7),
                ..Page::default()
            });
            let text = format!("word{} common text number {i}", i % 50);
            let end = text.len() as u32;
            chunks
                .push(ChunkedPage { sections: vec![section("Heading", None, &text, &[(0, end)])] });
        }
        let bytes = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let (lexical, _) = pool.install(|| index(&pages, &chunks));
            let shards: Vec<_> = lexical
                .ranges
                .into_iter()
                .map(|r| r.terms)
                .chain(lexical.positions.shards)
                .collect();
            (lexical.structure.to_bytes(), shards)
        };
        assert_eq!(bytes(1), bytes(3));
    }

    #[test]
    fn the_words_of_a_path() {
        for (url, expect) in [
            ("/guide/getting-started.html", "guide getting started"),
            ("https://example.org/a/b/index.html?x=1#y", "a b"),
            ("/", ""),
            ("", ""),
            ("std/vec/struct.Vec.html", "std vec struct.Vec"),
            ("/v1.2/", "v1"),
            ("/v1.2/page", "v1.2 page"),
        ] {
            assert_eq!(path_words(url), expect, "{url}");
        }
    }
}

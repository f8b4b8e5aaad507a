//! The query of a search for similar pages.
//!
//! By meaning, the query is the mean of the page's own vectors. This needs no encoder, and only one
//! point is compared with vectors or cells. If vectors are streamed, the page's own vectors are in
//! cells as well, and the bundle says in which
//! ([`Centroids::cell_of`](findling_bundle::Centroids::cell_of)). The cells with most of these
//! vectors are fetched, for half of a query's budget of bytes. They also contain the page's nearest
//! neighbours. Large bundles do not say in which cells vectors lie, and some bundles have no
//! vectors. Then the page's most distinctive words by tf-idf are the query, and the bundle's static
//! encoder embeds them if it has one.

#![doc(alias = "deferred")]

use findling_bundle::{Level, PageId, SectionId, ShardId, Structure, VectorId, order};
use findling_text::{Analyzer, TokenKind};

use crate::api::{Error, Mode, QueryVector, Request};
use crate::index::Index;
use crate::lexical::{Dictionary, Scorer};
use crate::locate::{Located, locate};
use crate::query::{Clause, ClauseKind, Query};
use crate::resolve::{ParsedRequest, Purpose, ResolvedQuery, SeedPage};
use crate::vector::VectorView;

/// Maximum number of words that are looked up as candidates.
const MAX_CANDIDATES: usize = 32;
/// Words that make the query.
const MAX_WORDS: usize = 12;
/// Weights of an occurrence in the title and in a heading; an occurrence in the text has 1.
const TITLE_WEIGHT: f32 = 4.0;
const HEADING_WEIGHT: f32 = 2.0;
/// Bytes of a page's text that are read for its words.
const MAX_TEXT_BYTES: usize = 60_000;

/// The name of the mean of a page's vectors in responses.
const PAGE: &str = "page";

/// The query of a search for similar pages.
pub(crate) enum Seed {
    /// The mean of the page's vectors.
    Vector { page: PageId, middle: Vec<f32>, vectors: Vec<u32> },
    /// The page's most distinctive words, best first.
    Words { page: PageId, query: Query },
}

/// The query, or the shards that are missing for it.
pub(crate) type Seeded = Result<Seed, Vec<ShardId>>;

impl Seed {
    /// Resolves a request with this query.
    pub fn resolve(self, index: &Index, mut parsed: ParsedRequest) -> Result<ResolvedQuery, Error> {
        let like = match self {
            Self::Vector { page, middle: values, vectors } => {
                parsed.request.mode = Mode::Semantic;
                parsed.request.vector =
                    Some(QueryVector { values, encoder: PAGE.into(), truncated: false });
                SeedPage { page, vectors }
            }
            Self::Words { page, query } => {
                parsed.query = query;
                SeedPage { page, vectors: Vec::new() }
            }
        };
        ResolvedQuery::new(index, parsed, Purpose::Alone, Some(like))
    }
}

/// Makes the query from the page at `address`. Cheap to call again.
///
/// # Errors
/// The errors of [`locate`]; also if shards contradict each other.
#[inline(never)]
pub(crate) fn seed(index: &Index, address: &str, request: &Request) -> Result<Seeded, Error> {
    let page = match locate(index, address, false)? {
        Located::Need(mut shards) => {
            // Needed next, so fetched in the same round.
            shards.extend(index.streams().filter(|_| request.mode != Mode::Lexical));
            return Ok(Err(shards));
        }
        Located::Found(place) => place.page,
    };
    let structure =
        index.structure().ok_or_else(|| Error::inconsistent("the structure is missing"))?;
    if request.mode != Mode::Lexical
        && let Some(seed) = by_vectors(index, structure, page)?
    {
        return Ok(seed);
    }
    by_words(index, structure, page)
}

/// Seeds a search from the page's vectors; `None` if the page has no vectors, or the bundle does
/// not list their places.
fn by_vectors(index: &Index, structure: &Structure, page: PageId) -> Result<Option<Seeded>, Error> {
    let Some(dense) = &index.manifest().dense else { return Ok(None) };
    let sections = structure.sections(page).map(SectionId);
    let own: Vec<u32> = sections.flat_map(|section| structure.vectors(section)).collect();
    let mut sum = vec![0.0f64; dense.encoder.dim as usize];
    let mut add = |row: &[i8], scale: f32| {
        for (sum, &q) in sum.iter_mut().zip(row) {
            *sum += f64::from(q) * f64::from(scale);
        }
    };
    let mut vectors = Vec::new();
    if let Some(shard) = index.streams() {
        let Some(centroids) = index.centroids() else { return Ok(Some(Err(vec![shard]))) };
        let mut told: Vec<u32> =
            own.iter().filter_map(|&vector| centroids.cell_of(vector)).collect();
        order::sort(&mut told);
        // Cells with most of the page's vectors first, ties by number.
        let mut cells: Vec<(u32, u32)> = told
            .chunk_by(|a, b| a == b)
            .map(|same| (u32::MAX - same.len() as u32, same[0]))
            .collect();
        order::sort(&mut cells);
        let mut budget = u64::from(index.rank_params().probe_bytes / 2);
        let mut chosen: Vec<u32> = Vec::new();
        for (_, cell) in cells {
            let stored =
                centroids.cells().get(cell as usize).map_or(0, |cell| cell.shard.stored_len.into());
            if !chosen.is_empty() && stored > budget {
                break;
            }
            budget = budget.saturating_sub(stored);
            chosen.push(cell);
        }
        let chosen: Vec<ShardId> = chosen.into_iter().map(|cell| index.cell_shard(cell)).collect();
        let missing = index.missing(&chosen);
        if !missing.is_empty() {
            return Ok(Some(Err(missing)));
        }
        let chosen = chosen.iter().filter_map(|&cell| index.cell(cell));
        for (&id, (row, scale)) in chosen.flat_map(|cell| cell.ids().iter().zip(cell.rows())) {
            if own.binary_search(&id).is_ok() {
                add(row, scale);
                vectors.push(id);
            }
        }
    } else {
        // All of these cells are compared afterwards.
        let counts = index.manifest().vector_counts();
        let all: Vec<ShardId> =
            dense.vectors.iter().map(|range| range.shard).chain(counts).collect();
        if all.iter().any(|&shard| !index.has(shard)) {
            return Ok(Some(Err(all)));
        }
        let here = dense
            .vectors
            .iter()
            .filter_map(|range| Some((range.first_vector, index.vectors(range.shard)?)));
        let view = VectorView::new(structure, here)?;
        for &vector in &own {
            if let Some((row, scale)) = view.vector(VectorId(vector)) {
                add(row, scale);
                vectors.push(vector);
            }
        }
    }
    let middle: Vec<f32> = sum.into_iter().map(|sum| sum as f32).collect();
    // Vectors that are 0, or that cancel each other, point nowhere.
    if middle.iter().all(|&value| value == 0.0) {
        return Ok(None);
    }
    Ok(Some(Ok(Seed::Vector { page, middle, vectors })))
}

/// Seeds a search from the page's text.
fn by_words(index: &Index, structure: &Structure, page: PageId) -> Result<Seeded, Error> {
    let parts = match index.page_texts(page)? {
        Ok(parts) => parts,
        Err(missing) => return Ok(Err(missing)),
    };
    let Some(text) = parts.first() else { return Err(Error::inconsistent("a page has no texts")) };
    let mut candidates: Vec<Word> = Vec::new();
    let mut analyzer = Analyzer::for_language(text.language);
    let mut read = |text: &str, weight: f32| {
        analyzer.analyze(text, |token| {
            if matches!(token.kind, TokenKind::Word | TokenKind::Whole) {
                let spelt = text.get(token.start as usize..token.end as usize).unwrap_or_default();
                candidates.push(Word { weight, term: token.term.into(), spelt: spelt.into() });
            }
        });
    };
    read(text.title, TITLE_WEIGHT);
    let mut left = MAX_TEXT_BYTES;
    for section in parts.iter().flat_map(|part| &part.sections) {
        read(section.heading, HEADING_WEIGHT);
        let end = section.text.floor_char_boundary(left);
        read(&section.text[..end], 1.0);
        left -= end;
    }
    // Each term once, with the sum over its occurrences.
    order::sort_by(&mut candidates, |a, b| (&a.term, &a.spelt) < (&b.term, &b.spelt));
    candidates.dedup_by(|again, word| {
        let same = again.term == word.term;
        word.weight += if same { again.weight } else { 0.0 };
        same
    });
    best(&mut candidates, MAX_CANDIDATES);
    let dictionary = Dictionary::new(index);
    let shards: Vec<ShardId> =
        candidates.iter().filter_map(|word| dictionary.shard_of(&word.term)).collect();
    if shards.iter().any(|&shard| !index.has(shard)) {
        return Ok(Err(shards));
    }
    // A term that no other page has finds no page.
    let own = [page.0..page.0 + 1, structure.sections(page), structure.passages_of_page(page)];
    candidates.retain_mut(|word| {
        let Some(found) = dictionary.find(&word.term) else { return false };
        let idf = Scorer::idf_of(&index.manifest().stats, found.entry.df);
        word.weight = (1.0 + libm::log2f(word.weight)) * idf;
        Level::ALL.into_iter().zip(&own).any(|(level, own)| {
            dictionary.postings(&found, level).any(|posting| !own.contains(&posting.id))
        })
    });
    best(&mut candidates, MAX_WORDS);
    let clauses = candidates
        .into_iter()
        .map(|word| Clause { kind: ClauseKind::Word, text: word.spelt, excluded: false })
        .collect();
    Ok(Ok(Seed::Words { page, query: Query { clauses, ..Query::default() } }))
}

/// A word of the page.
struct Word {
    /// The tf-idf.
    weight: f32,
    term: String,
    spelt: String,
}

/// Keeps the `n` terms with the largest weights, ties in the order of terms.
fn best(words: &mut Vec<Word>, n: usize) {
    order::sort_first(words, n, |a, b| {
        b.weight.total_cmp(&a.weight).then_with(|| a.term.cmp(&b.term)).is_lt()
    });
    words.truncate(n);
}

//! Puts all shards into a fixed order and writes the manifest.

use anyhow::{Context, Result};
use findling_bundle::cells::VectorPlace;
use findling_bundle::limits::MAX_TOLD;
use findling_bundle::positions::write_directory;
use findling_bundle::projection::Projection;
use findling_bundle::vectors::{VectorsBuilder, quantise};
use findling_bundle::{
    Attribute, Dense, EncoderCard, Error, Graph, LexiconRange, Manifest, QueryEncoder, RangeStart,
    SectionId, SectionsRange, SentencesRange, ShardKind, SpellingRange, Stats, Structure, Synonym,
    TextRange, VectorId, VectorRange, upper_half,
};
use rayon::prelude::*;

use super::bundle::Bundle;
use super::cells::{self, SectionVectors};
use super::columns::Built;
use super::lexical::{Lexical, Positions, TermRange};
use super::rows::Rows;
use super::sentences::Sentences;
use super::shards::{ReplacedFiles, ShardSet};
use super::stored::Stored;
use super::{spelling, texts};
use crate::embedding::Embedded;
use findling_page::shard_cutter::ShardCutter;

/// Target number of shards of vectors, each within [`VECTORS_LEN`] bytes. A reader fetches all of
/// them in parallel, which is faster than one large shard; an edited page changes only one.
const VECTORS_SHARDS: usize = 96;
/// The same target if browsers fetch single vectors to compare close pages (docs/design).
const SINGLE_VECTORS_SHARDS: usize = 384;
/// Bytes of a shard of vectors.
const VECTORS_LEN: (usize, usize) = (4 << 10, 512 << 10);

/// The input of the dense leg.
#[derive(Clone, Debug)]
pub struct DenseParts {
    /// The documents' encoder.
    pub encoder: EncoderCard,
    /// The embeddings of the documents, in section order.
    pub embedded: Embedded,
    /// The graph of the embeddings.
    pub graph: Option<Graph>,
    /// The embeddings in cells.
    pub cells: Option<cells::Cells>,
    /// The query encoders deployed with the bundle.
    pub query_encoders: Vec<QueryEncoder>,
    /// The projection from the encoder's dimensions onto the dimensions of `embedded`.
    pub projection: Option<Projection>,
    /// The static query encoder's rows.
    pub rows: Option<Rows>,
    /// Codes of sentences.
    pub sentences: Sentences,
}

/// The input of [`assemble`].
#[derive(Debug)]
pub struct Parts {
    /// Languages in which queries are analysed.
    pub languages: Vec<String>,
    /// Analysed pages.
    pub lexical: Lexical,
    /// The site's synonyms.
    pub synonyms: Vec<Synonym>,
    /// Ranking parameters; empty for the defaults.
    pub ranking: Vec<f32>,
    /// Columns by name, with their shards.
    pub columns: Vec<(Built, Stored)>,
    /// The text shards, each with its beginning.
    pub texts: Vec<texts::Shard>,
    /// The pages' addresses, uncompressed.
    pub addresses: Vec<u8>,
    /// The dense leg; `None` for a bundle without vectors.
    pub dense: Option<DenseParts>,
    /// The files that the bundle replaces.
    pub replaced: ReplacedFiles,
}

/// Compresses all shards on all cores and writes the manifest. The same parts give the same bytes.
///
/// # Errors
/// If a part exceeds a limit of its format, or the temporary file cannot be read.
pub fn assemble(parts: Parts) -> Result<Bundle> {
    let Parts { languages, lexical, synonyms, ranking, columns, .. } = parts;
    let Parts { texts, addresses, dense, replaced, .. } = parts;
    let structure = &lexical.structure;
    let stats = Stats {
        n_pages: structure.n_pages(),
        n_sections: structure.n_sections(),
        n_passages: structure.n_passages(),
        n_vectors: structure.n_vectors(),
        n_terms: lexical.n_terms,
        mean_len: lexical.mean_len,
    };
    let mut shards = ShardSet::new(replaced);
    add_structure(structure, dense.as_ref(), &mut shards)?;

    let lexicon = add_terms(lexical.ranges, &mut shards)?;
    let (directory, positions) = add_positions(lexical.positions, &mut shards)?;
    shards.add(ShardKind::PositionsDirectory, &directory)?;

    let (firsts, words): (Vec<_>, Vec<_>) = spelling::shards(&lexical.words)?.into_iter().unzip();
    let spelling = firsts
        .into_iter()
        .zip(shards.add_all(ShardKind::Spelling, &words)?)
        .map(|(first_word, shard)| SpellingRange { first_word, shard })
        .collect();

    let (columns, encoded): (Vec<Built>, Vec<Stored>) = columns.into_iter().unzip();
    let attributes = shards
        .add_encoded(encoded)?
        .into_iter()
        .zip(columns)
        .map(|(column, Built { name, kind, level, facet, .. })| Attribute {
            name,
            kind,
            level,
            column,
            facet,
        })
        .collect();

    let (firsts, texts): (Vec<texts::First>, Vec<Stored>) = texts.into_iter().unzip();
    let starts = firsts.iter().map(|&(page, section)| RangeStart::Page(page, section));
    let texts = shards
        .add_encoded_groups(starts.zip(texts).collect())?
        .into_iter()
        .zip(firsts)
        .map(|(shard, (first_page, first_section))| TextRange { first_page, first_section, shard })
        .collect();
    shards.add(ShardKind::Addresses, &addresses)?;

    let dense = dense.map(|dense| add_dense(dense, structure, &mut shards)).transpose()?;
    let (dense, cells) = dense.unzip();
    let (shards, stored) = shards.finish();
    let manifest = Manifest {
        generator: concat!("findling ", env!("CARGO_PKG_VERSION")).to_owned(),
        analysis: findling_text::conformance(&languages),
        languages,
        stats,
        attributes,
        dense,
        lexicon,
        spelling,
        synonyms,
        ranking,
        texts,
        shards,
    };
    manifest.validate()?;
    Ok(Bundle { manifest, shards: stored, cells: cells.unwrap_or_default(), positions })
}

/// Adds the structure. A reader of all vectors needs the number of vectors of each section, which
/// is in the structure. A reader of cells does not; then the numbers are in a shard of their own.
fn add_structure(
    structure: &Structure,
    dense: Option<&DenseParts>,
    shards: &mut ShardSet,
) -> Result<()> {
    let cells = dense.and_then(|dense| dense.cells.as_ref());
    let counts_apart = cells.is_some_and(|cells| !cells.sections.is_empty());
    if counts_apart {
        shards.add(ShardKind::Structure, &structure.without_vectors().to_bytes())?;
        shards.add(ShardKind::VectorCounts, &structure.vector_counts())?;
    } else {
        shards.add(ShardKind::Structure, &structure.to_bytes())?;
    }
    Ok(())
}

/// Adds the ranges of terms: their first tiers, then their second.
fn add_terms(ranges: Vec<TermRange>, shards: &mut ShardSet) -> Result<Vec<LexiconRange>> {
    let (mut firsts, mut seconds, mut has_second) = (Vec::new(), Vec::new(), Vec::new());
    let mut starts = Vec::with_capacity(ranges.len());
    for TermRange { first_term, terms, second } in ranges {
        firsts.push(terms);
        has_second.push(second.is_some());
        seconds.push(second);
        starts.push(first_term);
    }
    let keyed = |tier: Vec<Option<Stored>>| -> Vec<(RangeStart<'_>, Stored)> {
        let keyed = starts.iter().zip(tier);
        keyed.filter_map(|(start, shard)| Some((RangeStart::Key(start), shard?))).collect()
    };
    let firsts = shards.add_encoded_ranges(keyed(firsts.into_iter().map(Some).collect()))?;
    let mut seconds = shards.add_encoded_ranges(keyed(seconds))?.into_iter();
    let ranges = starts.into_iter().zip(firsts).zip(has_second);
    let ranges = ranges.map(|((first_term, terms), has_second)| {
        let second = if has_second { seconds.next() } else { None };
        LexiconRange { first_term, terms, second }
    });
    Ok(ranges.collect())
}

/// Adds the directory of positions and returns the shards that it lists. Later shards get other
/// names than these.
fn add_positions(positions: Positions, shards: &mut ShardSet) -> Result<(Vec<u8>, Vec<Stored>)> {
    let Positions { pages, ranges, shards: positions } = positions;
    let (entries, stored) = shards.add_apart(positions)?;
    Ok((write_directory(&pages, &ranges, &entries)?, stored))
}

/// Adds the shards of the dense leg. The shards of the cells are returned separately, because they
/// are listed by the centroids and not by the manifest.
fn add_dense(
    parts: DenseParts,
    structure: &Structure,
    shards: &mut ShardSet,
) -> Result<(Dense, Vec<Stored>)> {
    let n = parts.embedded.rows().len();
    if n != structure.n_vectors() as usize {
        let (expected, got) = (structure.n_vectors().into(), n as u64);
        return Err(Error::Length { what: "vectors", expected, got }.into());
    }
    let dim = parts.embedded.dim;
    let quantised: Vec<(Vec<i8>, f32)> =
        parts.embedded.values.par_chunks_exact(dim.max(1)).map(quantise).collect();
    let mean = mean(&quantised, dim);
    let single = match &parts.cells {
        Some(cells) => cells.sections.is_empty(),
        None => n <= MAX_TOLD as usize,
    };
    let n_shards = if single { SINGLE_VECTORS_SHARDS } else { VECTORS_SHARDS };
    let vectors = add_vectors(&quantised, parts.encoder.dim, n_shards, shards)?;
    let graph =
        parts.graph.map(|graph| shards.add(ShardKind::Graph, &graph.to_bytes())).transpose()?;
    let (centroids, cells) =
        parts.cells.map(|cells| (cells.centroids, (cells.shards, cells.sections))).unzip();
    let (cells, sections) = cells.unwrap_or_default();
    let sections = add_section_vectors(sections, structure, shards)?;
    let centroids = centroids.map(|raw| shards.add(ShardKind::Centroids, &raw)).transpose()?;
    let projection = parts
        .projection
        .map(|projection| shards.add(ShardKind::Projection, &projection.to_bytes()))
        .transpose()?;
    let rows = parts.rows.map(|rows| rows.add_to(shards)).transpose()?;
    let sentences = add_sentences(&parts.sentences, shards)?;
    let dense = Dense {
        encoder: parts.encoder,
        mean,
        vectors,
        graph,
        centroids,
        query_encoders: parts.query_encoders,
        projection,
        rows,
        sentences,
        sections,
    };
    Ok((dense, cells))
}

/// Adds the quantised vectors in shards whose boundaries depend on their contents.
fn add_vectors(
    quantised: &[(Vec<i8>, f32)],
    dim: u32,
    n_shards: usize,
    shards: &mut ShardSet,
) -> Result<Vec<VectorRange>> {
    let vector_len = dim as usize + 4;
    let shard_len = quantised.len() * vector_len / n_shards;
    let mut cutter =
        ShardCutter::new(shard_len.next_power_of_two().clamp(VECTORS_LEN.0, VECTORS_LEN.1));
    let (mut firsts, mut raw) = (Vec::new(), Vec::new());
    let mut builder = VectorsBuilder::new(dim);
    for (vector, (row, scale)) in (0..).zip(quantised) {
        let key: Vec<u8> = row.iter().map(|&q| q as u8).collect();
        if cutter.cut_before(key, vector_len) {
            raw.push(std::mem::replace(&mut builder, VectorsBuilder::new(dim)).finish());
        }
        if firsts.len() == raw.len() {
            firsts.push(VectorId(vector));
        }
        builder.push(row, *scale)?;
    }
    if firsts.len() > raw.len() {
        raw.push(builder.finish());
    }
    let ids = shards.add_all(ShardKind::Vectors, &raw)?;
    Ok(ids
        .into_iter()
        .zip(firsts)
        .map(|(shard, first_vector)| VectorRange { first_vector, shard })
        .collect())
}

/// Adds the vectors of sections.
fn add_section_vectors(
    sections: Vec<SectionVectors>,
    structure: &Structure,
    shards: &mut ShardSet,
) -> Result<Vec<SectionsRange>> {
    let (firsts, raw): (Vec<_>, Vec<_>) = sections.into_iter().unzip();
    let ids = shards.add_all(ShardKind::SectionVectors, &raw)?;
    let first_of = |(at, first): (usize, VectorPlace)| match at {
        0 => Some(SectionId(0)),
        _ => structure.section_at(first.page, first.section),
    };
    let range = |(first, shard)| {
        let first = first_of(first).context("a vector is of a section that does not exist")?;
        Ok(SectionsRange { first_section: first, shard })
    };
    firsts.into_iter().enumerate().zip(ids).map(range).collect()
}

/// Adds the codes of sentences.
fn add_sentences(sentences: &Sentences, shards: &mut ShardSet) -> Result<Vec<SentencesRange>> {
    let codes =
        sentences.par_iter().map(|(first, codes)| (RangeStart::Page(*first, 0), &codes[..]));
    let ids = shards.add_ranges(ShardKind::Sentences, codes)?;
    Ok(sentences
        .iter()
        .zip(ids)
        .map(|(&(first_page, _), shard)| SentencesRange { first_page, shard })
        .collect())
}

/// Returns the mean of the quantised vectors.
fn mean(quantised: &[(Vec<i8>, f32)], dim: usize) -> Vec<f32> {
    let mut sums = vec![0.0f64; dim];
    for (row, scale) in quantised {
        for (sum, &q) in sums.iter_mut().zip(row) {
            *sum += f64::from(q) * f64::from(*scale);
        }
    }
    let n = quantised.len().max(1) as f64;
    sums.into_iter().map(|sum| upper_half((sum / n) as f32)).collect()
}

/// Sums up the lengths of shards, stored and uncompressed, by kind: (kind, number of shards,
/// stored, uncompressed), in the order of the kinds.
pub fn sizes(
    shards: impl Iterator<Item = (ShardKind, (u64, u64))>,
) -> Vec<(ShardKind, usize, u64, u64)> {
    let mut sizes = std::collections::BTreeMap::new();
    for (kind, (stored_len, raw_len)) in shards {
        let (n, stored, raw) = sizes.entry(kind).or_insert((0usize, 0u64, 0u64));
        *n += 1;
        *stored += stored_len;
        *raw += raw_len;
    }
    sizes.into_iter().map(|(kind, (n, stored, raw))| (kind, n, stored, raw)).collect()
}

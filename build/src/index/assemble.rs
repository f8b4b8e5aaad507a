//! Everything together: shards in a fixed order, and the manifest over them.

use findling_bundle::positions::write_directory;
use findling_bundle::projection::Projection;
use findling_bundle::vectors::{VectorsBuilder, quantise};
use findling_bundle::{
    Attribute, Dense, EncoderCard, Error, Graph, LexiconRange, Manifest, PageId, QueryEncoder,
    RangeStart, SentencesRange, ShardId, ShardKind, SpellingRange, Stats, Synonym, TextRange,
    VectorId, VectorRange, upper_half,
};
use rayon::prelude::*;

use super::cells::{self, Cells};
use super::columns::Built;
use super::lexical::{Lexical, Positions, TermRange};
use super::rows::Rows;
use super::sentences::Sentences;
use super::shards::{Deployed, ShardSet, Stored};
use crate::embedding::Embedded;
use crate::shard_cutter::ShardCutter;

/// Shards of vectors to aim at, within [`VECTORS_LEN`] bytes for each. Whoever reads them reads
/// all, and several at once come sooner; an edited page changes one.
const VECTORS_SHARDS: usize = 96;
/// Bytes of a shard of vectors.
const VECTORS_LEN: (usize, usize) = (32 << 10, 512 << 10);

/// A bundle in memory.
#[derive(Clone, Debug, PartialEq)]
pub struct Bundle {
    /// What names everything else.
    pub manifest: Manifest,
    /// The shards as stored, in the order of the manifest's directory.
    pub shards: Vec<Vec<u8>>,
    /// The shards that the centroids list.
    pub cells: Vec<Stored>,
    /// The shards that the directory of positions lists.
    pub positions: Vec<Stored>,
}

impl Bundle {
    /// Every shard with its path: those of the manifest, then the cells, then positions.
    pub fn stored(&self) -> impl Iterator<Item = (String, &Vec<u8>)> {
        let listed = self.manifest.shards.iter().zip(&self.shards);
        let others =
            self.cells.iter().chain(&self.positions).map(|(entry, stored)| (entry, stored));
        // Cells are counted on from the manifest's last shard; positions are named by their hashes
        // alone.
        let ids = (0..).map(ShardId);
        ids.zip(listed.chain(others))
            .map(|(id, (entry, stored))| (self.manifest.path(id, entry), stored))
    }

    /// Bytes of all shards.
    pub fn n_bytes(&self) -> u64 {
        let others = self.cells.iter().chain(&self.positions).map(|(_, stored)| stored);
        self.shards.iter().chain(others).map(|stored| stored.len() as u64).sum()
    }
}

/// What the dense side is made of.
#[derive(Clone, Debug)]
pub struct DenseParts {
    /// The documents' encoder.
    pub encoder: EncoderCard,
    /// Their embeddings, in section order.
    pub embedded: Embedded,
    /// Their graph.
    pub graph: Option<Graph>,
    /// The same vectors in cells.
    pub cells: Option<Cells>,
    /// What embeds queries beside the bundle.
    pub query_encoders: Vec<QueryEncoder>,
    /// From the encoder's own dimensions onto those of `embedded`.
    pub projection: Option<Projection>,
    /// The static query encoder's rows.
    pub rows: Option<Rows>,
    /// Codes of sentences.
    pub sentences: Sentences,
}

/// What a bundle is made of.
#[derive(Debug)]
pub struct Parts {
    /// Languages queries are analysed in.
    pub languages: Vec<String>,
    /// Analysed pages.
    pub lexical: Lexical,
    /// The site's synonyms.
    pub synonyms: Vec<Synonym>,
    /// How results are ranked; empty for the defaults.
    pub ranking: Vec<f32>,
    /// Columns by name.
    pub columns: Vec<Built>,
    /// What each text shard begins with: a page, and the place of a section in it.
    pub text_firsts: Vec<(PageId, u32)>,
    /// The text shards, uncompressed.
    pub texts: Vec<Vec<u8>>,
    /// The pages' addresses, uncompressed.
    pub addresses: Vec<u8>,
    /// Meaning; `None` for words alone.
    pub dense: Option<DenseParts>,
    /// What the bundle replaces.
    pub deployed: Deployed,
}

/// Compresses all shards on all cores and writes the manifest. The same parts give the same bytes.
///
/// # Errors
/// Where a part is beyond the formats' limits.
pub fn assemble(parts: Parts) -> Result<Bundle, Error> {
    let Parts {
        languages,
        lexical,
        synonyms,
        ranking,
        columns,
        text_firsts,
        texts,
        addresses,
        dense,
        deployed,
    } = parts;
    let structure = &lexical.structure;
    let stats = Stats {
        n_pages: structure.n_pages(),
        n_sections: structure.n_sections(),
        n_passages: structure.n_passages(),
        n_vectors: structure.n_vectors(),
        n_terms: lexical.n_terms,
        mean_len: lexical.mean_len,
    };
    let mut shards = ShardSet::new(deployed);
    // Who reads all vectors needs to know how many each section has; who looks into cells does not.
    let counts_apart = dense.as_ref().is_some_and(|dense| dense.cells.is_some())
        && !cells::centroids_list_members(stats.n_vectors as usize);
    if counts_apart {
        shards.add(ShardKind::Structure, &structure.without_vectors().to_bytes())?;
        shards.add(ShardKind::VectorCounts, &structure.vector_counts())?;
    } else {
        shards.add(ShardKind::Structure, &structure.to_bytes())?;
    }

    let terms = lexical
        .ranges
        .par_iter()
        .map(|range| (RangeStart::Key(&range.first_term), &range.terms[..]));
    let terms = shards.add_ranges(ShardKind::Terms, terms)?;
    let second = lexical.ranges.par_iter().filter(|range| !range.second.is_empty());
    let second = second.map(|range| (RangeStart::Key(&range.first_term), &range.second[..]));
    let mut second =
        shards.add_ranges(ShardKind::SecondTier, second.collect::<Vec<_>>())?.into_iter();
    let mut lexicon = Vec::with_capacity(terms.len());
    for (TermRange { first_term, second: tier, .. }, terms) in lexical.ranges.into_iter().zip(terms)
    {
        let second = if tier.is_empty() { None } else { second.next() };
        lexicon.push(LexiconRange { first_term, terms, second });
    }
    let (directory, positions) = add_positions(lexical.positions, &mut shards)?;
    shards.add(ShardKind::PositionsDirectory, &directory)?;

    let (firsts, words): (Vec<_>, Vec<_>) = lexical.words.shards()?.into_iter().unzip();
    let spelling = firsts
        .into_iter()
        .zip(shards.add_all(ShardKind::Spelling, &words)?)
        .map(|(first_word, shard)| SpellingRange { first_word, shard })
        .collect();

    let raw: Vec<Vec<u8>> = columns.iter().map(|built| built.column.to_bytes()).collect();
    let attributes = shards
        .add_all(ShardKind::Column, &raw)?
        .into_iter()
        .zip(columns)
        .map(|(column, Built { name, kind, facet, .. })| Attribute { name, kind, column, facet })
        .collect();

    let starts = text_firsts.par_iter().map(|&(page, section)| RangeStart::Page(page, section));
    let texts = shards
        .add_ranges(ShardKind::Texts, starts.zip(texts.par_iter().map(Vec::as_slice)))?
        .into_iter()
        .zip(text_firsts)
        .map(|(shard, (first_page, first_section))| TextRange { first_page, first_section, shard })
        .collect();
    shards.add(ShardKind::Addresses, &addresses)?;

    let dense = dense.map(|dense| add_dense(dense, stats.n_vectors, &mut shards)).transpose()?;
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

/// The directory of positions, and the shards that it lists, whose names the others keep clear of.
fn add_positions(
    positions: Positions,
    shards: &mut ShardSet,
) -> Result<(Vec<u8>, Vec<Stored>), Error> {
    let Positions { pages, ranges, shards: raws } = positions;
    let (entries, stored) = shards.add_apart(ShardKind::Positions, &raws)?;
    Ok((write_directory(&pages, &ranges, &entries)?, stored))
}

/// Adds the dense side's shards; gives those of the cells, which the centroids list, apart.
fn add_dense(
    dense: DenseParts,
    n_vectors: u32,
    shards: &mut ShardSet,
) -> Result<(Dense, Vec<Stored>), Error> {
    let DenseParts { encoder, embedded, graph, cells, query_encoders, projection, rows, sentences } =
        dense;
    let n = embedded.rows().len();
    if n != n_vectors as usize {
        return Err(Error::Length { what: "vectors", expected: n_vectors.into(), got: n as u64 });
    }
    let dim = embedded.dim;
    let quantised: Vec<(Vec<i8>, f32)> =
        embedded.values.par_chunks_exact(dim.max(1)).map(quantise).collect();
    let mean = mean(&quantised, dim);
    let total = n * (dim + 4);
    let mut cutter = ShardCutter::new(
        (total / VECTORS_SHARDS).next_power_of_two().clamp(VECTORS_LEN.0, VECTORS_LEN.1),
    );
    let (mut firsts, mut raw) = (Vec::new(), Vec::new());
    let mut builder = VectorsBuilder::new(encoder.dim);
    for (vector, (row, scale)) in (0..).zip(&quantised) {
        let key: Vec<u8> = row.iter().map(|&q| q as u8).collect();
        if cutter.cut_before(key, dim + 4) {
            raw.push(std::mem::replace(&mut builder, VectorsBuilder::new(encoder.dim)).finish());
        }
        if firsts.len() == raw.len() {
            firsts.push(VectorId(vector));
        }
        builder.push(row, *scale)?;
    }
    if firsts.len() > raw.len() {
        raw.push(builder.finish());
    }
    let vectors = shards
        .add_all(ShardKind::Vectors, &raw)?
        .into_iter()
        .zip(firsts)
        .map(|(shard, first_vector)| VectorRange { first_vector, shard })
        .collect();
    let graph = graph.map(|graph| shards.add(ShardKind::Graph, &graph.to_bytes())).transpose()?;
    let (centroids, cells) = cells.map(|Cells { centroids, shards }| (centroids, shards)).unzip();
    let centroids = centroids.map(|raw| shards.add(ShardKind::Centroids, &raw)).transpose()?;
    let projection = projection
        .map(|projection| shards.add(ShardKind::Projection, &projection.to_bytes()))
        .transpose()?;
    let rows = rows.map(|rows| rows.add_to(shards)).transpose()?;
    let codes =
        sentences.par_iter().map(|(first, codes)| (RangeStart::Page(*first, 0), &codes[..]));
    let ids = shards.add_ranges(ShardKind::Sentences, codes)?;
    let sentences = sentences
        .iter()
        .zip(ids)
        .map(|(&(first_page, _), shard)| SentencesRange { first_page, shard })
        .collect();
    let dense = Dense {
        encoder,
        mean,
        vectors,
        graph,
        centroids,
        query_encoders,
        projection,
        rows,
        sentences,
    };
    Ok((dense, cells.unwrap_or_default()))
}

/// The mean of the vectors as a reader sees them.
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

/// Bytes of a bundle by kind of shard: (kind, shards, stored, uncompressed), in the order of the
/// kinds. Of each shard its lengths, as stored and uncompressed.
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

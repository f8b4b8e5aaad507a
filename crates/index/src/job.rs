//! The input and the output of a build.

use std::collections::HashSet;
use std::path::Path;

use findling_bundle::limits::MAX_TOLD;
use findling_bundle::{QueryEncoder, Synonym};
use findling_encoder::static_table::StaticTable;

use super::bundle::Bundle;
use super::previous_build::PreviousBuild;
use super::rows;
use super::shards::ReplacedFiles;
use super::stage::Stage;
use crate::embedding::Cache;
use findling_base::scratch;
use findling_encoder::BoxedEncoder;
use findling_page::chunk::ChunkOptions;
use findling_page::page::Page;

/// Smallest number of vectors for which a bundle gets an HNSW graph. The engine estimates that a
/// search of the graph costs as much as comparing the query with 6,000 to 11,000 vectors. Up to
/// about twice that number, the graph saves one millisecond and costs its download.
pub const GRAPH_FROM: usize = 20_000;

/// Largest number of vectors for which a bundle gets a graph by default. The graph of a million
/// vectors takes longer than the rest of the build. Readers search cells, and a program needs only
/// some milliseconds more to compare this many vectors.
pub const GRAPH_UP_TO: usize = 400_000;

/// Options for indexing.
#[derive(Clone, Debug)]
pub struct Options {
    /// Sizes of passages and embedding units. The token limit is lowered to the encoder's limit.
    pub chunk: ChunkOptions,
    /// Language of pages that declare none.
    pub language: Option<String>,
    /// The site's synonyms.
    pub synonyms: Vec<Synonym>,
    /// Ranking parameters in the manifest's order; empty for the defaults.
    pub ranking: Vec<f32>,
    /// Smallest number of vectors for which a graph is built.
    pub graph_from: usize,
    /// Largest number of vectors for which a graph is built.
    pub graph_up_to: usize,
    /// Largest number of bytes for the rows of the static query encoder.
    pub rows_budget: usize,
    /// Whether the rows of the static query encoder are fitted to the site. Only possible if the
    /// table's teacher embeds the documents.
    pub fit: bool,
    /// Whether copies of pages are detected.
    pub copies: bool,
    /// Whether vectors are also stored in cells, so that a browser can fetch only some of them.
    pub cells: bool,
    /// Maximum number of vectors whose cells the centroids list. For more, the vectors are stored
    /// once more in the order of their sections.
    pub most_listed: u32,
    /// Bytes of sections, and bytes of analysed pages, that stay in memory.
    pub memory: u64,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            chunk: ChunkOptions::default(),
            language: None,
            synonyms: Vec::new(),
            ranking: Vec::new(),
            graph_from: GRAPH_FROM,
            graph_up_to: GRAPH_UP_TO,
            rows_budget: rows::BUDGET,
            fit: true,
            copies: true,
            cells: false,
            most_listed: MAX_TOLD,
            memory: scratch::BUDGET,
        }
    }
}

/// The logs of results that earlier builds computed. Each log can be deleted at any time.
#[derive(Clone, Copy, Debug)]
pub struct Logs<'a> {
    /// The log of analysed pages.
    pub analyses: &'a Path,
    /// The log of the inputs from which the bundle's shards were made.
    pub shards: &'a Path,
}

/// The input of [`build`](super::build()).
#[derive(Default)]
pub struct Job<'a> {
    /// All pages, in the order of the site.
    pub pages: Vec<Page>,
    /// Encoder of the documents; `None` for a bundle without vectors.
    pub encoder: Option<&'a BoxedEncoder>,
    /// Embeddings of earlier builds.
    pub cache: Option<Cache>,
    /// Query encoders that are deployed beside the bundle.
    pub query_encoders: Vec<QueryEncoder>,
    /// Table of the static query encoder. Its rows become part of the bundle, and vectors are
    /// projected onto its dimensions.
    pub table: Option<&'a StaticTable>,
    /// The bundle of the previous build. Its page order, cells and fitted rows are kept as long as
    /// they still fit the site.
    pub earlier: Option<PreviousBuild>,
    /// The files that the bundle replaces.
    pub replaced: ReplacedFiles,
    /// The logs of results that earlier builds computed.
    pub logs: Option<Logs<'a>>,
    /// The options for indexing.
    pub options: Options,
}

/// The input of the part of a build that depends on vectors.
#[cfg(feature = "vectors")]
pub(super) struct DenseInput<'a> {
    pub encoder: &'a BoxedEncoder,
    pub cache: Option<Cache>,
    pub query_encoders: Vec<QueryEncoder>,
    pub table: Option<&'a StaticTable>,
    pub earlier: Option<PreviousBuild>,
    pub replaced: &'a ReplacedFiles,
}

/// The output of [`build`](super::build()).
#[derive(Debug)]
pub struct Outcome {
    /// The bundle, in memory.
    pub bundle: Bundle,
    /// The stages, in the order in which they ran.
    pub stages: Vec<Stage>,
    /// Number of embedding units that the encoder cut off.
    pub n_truncated: usize,
    /// Paths of shards that the replaced bundle has with the same bytes, as far as they were read.
    pub unchanged: HashSet<String>,
}

//! The downloads of queries, and statistics of them.

use std::ops::Add;

use findling_bundle::ShardKind;
use serde::Serialize;

use super::bytes::Bytes;
use crate::eval::metrics::nearest_rank;

/// The purpose of the shards that a query reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Part {
    /// Terms with their postings, positions, and the structure of pages, sections and passages.
    Words,
    /// The static encoder's rows, from which the query's vector is made.
    Rows,
    /// The vectors that the query is compared with: centroids and cells, or all vectors with their
    /// graph; and the projection.
    Vectors,
    /// Texts that are shown and attributes that are counted.
    Texts,
}

impl Part {
    /// All parts.
    pub const ALL: [Part; 4] = [Part::Words, Part::Rows, Part::Vectors, Part::Texts];

    /// Returns the name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Part::Words => "words",
            Part::Rows => "encoder rows",
            Part::Vectors => "vectors",
            Part::Texts => "texts and columns",
        }
    }
}

impl From<ShardKind> for Part {
    fn from(kind: ShardKind) -> Part {
        match kind {
            ShardKind::Structure
            | ShardKind::Terms
            | ShardKind::SecondTier
            | ShardKind::Positions
            | ShardKind::PositionsDirectory
            | ShardKind::Spelling => Part::Words,
            ShardKind::Rows => Part::Rows,
            ShardKind::Vectors
            | ShardKind::VectorCounts
            | ShardKind::Graph
            | ShardKind::Projection
            | ShardKind::Centroids
            | ShardKind::Cell
            | ShardKind::SectionVectors => Part::Vectors,
            ShardKind::Texts | ShardKind::Column | ShardKind::Addresses | ShardKind::Sentences => {
                Part::Texts
            }
        }
    }
}

/// The downloads of one query.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    pub(super) parts: [Bytes; Part::ALL.len()],
    /// Number of rounds. The shards of a round are fetched in parallel.
    pub n_rounds: u32,
    /// Number of requests: for shards, or for ranges of packs.
    pub n_requests: u32,
}

impl Traffic {
    /// Returns the bytes of a part.
    pub fn part(&self, part: Part) -> Bytes {
        self.parts[part as usize]
    }

    /// Returns the bytes of all parts.
    pub fn total(&self) -> Bytes {
        self.parts.iter().copied().sum()
    }
}

impl Add for Traffic {
    type Output = Traffic;

    fn add(self, other: Traffic) -> Traffic {
        Traffic {
            parts: std::array::from_fn(|part| self.parts[part] + other.parts[part]),
            n_rounds: self.n_rounds + other.n_rounds,
            n_requests: self.n_requests + other.n_requests,
        }
    }
}

/// Median, 95th percentile (by nearest rank) and maximum.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Spread {
    /// Median.
    pub median: u64,
    /// 95th percentile.
    pub p95: u64,
    /// Maximum.
    pub worst: u64,
}

impl Spread {
    fn of(values: impl Iterator<Item = u64>) -> Spread {
        let mut sorted: Vec<u64> = values.collect();
        sorted.sort_unstable();
        let at = |percent| nearest_rank(&sorted, percent).unwrap_or_default();
        Spread { median: at(50), p95: at(95), worst: at(100) }
    }
}

/// Statistics of bytes over the queries, by kind of host.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct BytesSpread {
    /// If the host sends files as they are.
    pub stored: Spread,
    /// If the host compresses files with brotli.
    pub brotli: Spread,
}

impl BytesSpread {
    fn of(values: impl Iterator<Item = Bytes> + Clone) -> BytesSpread {
        BytesSpread {
            stored: Spread::of(values.clone().map(|bytes| bytes.stored)),
            brotli: Spread::of(values.map(|bytes| bytes.brotli)),
        }
    }
}

/// Statistics over queries. Medians of the parts do not add up to the median of the total.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Queries {
    /// Number of queries.
    pub n_queries: usize,
    /// Rounds per query.
    pub rounds: Spread,
    /// Requests per query.
    pub requests: Spread,
    /// Terms, positions, structure.
    pub words: BytesSpread,
    /// The static encoder's rows.
    pub rows: BytesSpread,
    /// Vectors, graph, projection.
    pub vectors: BytesSpread,
    /// Texts and attributes.
    pub texts: BytesSpread,
    /// All parts.
    pub total: BytesSpread,
    /// The query with the largest download, without compression by the host.
    pub worst_query: Option<String>,
}

impl Queries {
    /// Summarises `traffic`, the downloads of each of `queries`.
    pub(super) fn of(queries: &[String], traffic: &[Traffic]) -> Queries {
        let part = |part| BytesSpread::of(traffic.iter().map(move |one| one.part(part)));
        let pairs = queries.iter().zip(traffic);
        Queries {
            n_queries: traffic.len(),
            rounds: Spread::of(traffic.iter().map(|one| one.n_rounds.into())),
            requests: Spread::of(traffic.iter().map(|one| one.n_requests.into())),
            words: part(Part::Words),
            rows: part(Part::Rows),
            vectors: part(Part::Vectors),
            texts: part(Part::Texts),
            total: BytesSpread::of(traffic.iter().map(Traffic::total)),
            worst_query: pairs
                .max_by_key(|(_, one)| one.total().stored)
                .map(|(query, _)| query.clone()),
        }
    }

    /// Returns the statistics of a part.
    pub fn part(&self, part: Part) -> BytesSpread {
        match part {
            Part::Words => self.words,
            Part::Rows => self.rows,
            Part::Vectors => self.vectors,
            Part::Texts => self.texts,
        }
    }
}

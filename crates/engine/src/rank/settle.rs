//! Compares the first pages by their vectors, if they score about the same and vectors are
//! streamed.
//!
//! Cells have coarser codes than the vectors of a resident bundle, and the similarity of a section
//! must be guessed if its cell was not fetched. If this may decide which page comes first, the full
//! vectors of these pages are fetched.

use findling_bundle::{SectionId, ShardId, Structure, VectorId};

use super::fuse::share_by_meaning;
use super::{Bests, Matches, group};
use crate::api::{Fusion, Mode};
use crate::index::Index;
use crate::resolve::ResolvedQuery;
use crate::vector::DensePoint;

/// Number of the first pages that are compared (docs/design/streamed-vectors.md).
const MAX_PAGES: usize = 3;

impl Matches {
    /// Returns the shards of the vectors that decide which page comes first. Empty if the scores
    /// are clear, or all vectors were compared.
    pub fn contended(&self, index: &Index, asked: &ResolvedQuery) -> Vec<ShardId> {
        let (Some(dense), Some(structure)) = (&index.manifest().dense, index.structure()) else {
            return Vec::new();
        };
        let is_convex = matches!(asked.fusion, Fusion::Convex { .. });
        if self.trace.cells.is_none() || asked.mode != Mode::Hybrid || !is_convex {
            return Vec::new();
        }
        // Best first, ties by id.
        let mut pages: Vec<(f32, u32)> = Vec::with_capacity(MAX_PAGES + 1);
        for page in &self.pages {
            let place = pages.iter().position(|(score, _)| page.score > *score);
            pages.insert(place.unwrap_or(pages.len()), (page.score, page.page));
            pages.truncate(MAX_PAGES);
        }
        let least = pages.first().map_or(0.0, |(best, _)| best - index.rank_params().close);
        pages.retain(|(score, _)| *score > least);
        if pages.len() < 2 {
            return Vec::new();
        }
        // The section of each page with the highest score, and the section with the largest share
        // of meaning.
        let mut best = [[(f32::NEG_INFINITY, 0); 2]; MAX_PAGES];
        for candidate in &self.candidates {
            let page = structure.page_of(SectionId(candidate.section)).0;
            let Some(place) = pages.iter().position(|(_, of)| *of == page) else { continue };
            for (best, value) in
                best[place].iter_mut().zip([candidate.score(), candidate.semantic_share])
            {
                if value > best.0 {
                    *best = (value, candidate.section);
                }
            }
        }
        let mut shards = Vec::new();
        for (_, section) in best.into_iter().flatten().filter(|(value, _)| value.is_finite()) {
            for vector in structure.vectors(SectionId(section)) {
                if let Some((shard, _)) = dense.vector_of(VectorId(vector))
                    && !shards.contains(&shard)
                {
                    shards.push(shard);
                }
            }
        }
        shards
    }

    /// Computes similarities again from the vectors of these shards, which must be in memory, and
    /// updates the scores of the pages.
    pub fn settle(&mut self, index: &Index, asked: &ResolvedQuery, shards: &[ShardId]) {
        let (Some(structure), Some(point)) = (index.structure(), &self.trace.point) else { return };
        let Fusion::Convex { alpha } = self.trace.fusion else { return };
        for candidate in &mut self.candidates {
            let similarity = cosine(index, structure, point, candidate.section, shards);
            if similarity.is_some() {
                (candidate.similarity, candidate.guess) = (similarity, None);
            }
        }
        let params = asked.rank_params(index);
        let elsewhere = Bests::elsewhere(index, asked).similarity;
        let alpha = alpha.unwrap_or(params.alpha);
        share_by_meaning(&mut self.candidates, point.zero, elsewhere, alpha);
        self.pages = group(&self.candidates, &params, self.top, structure).pages;
    }
}

/// Returns the cosine of a section, if all of its vectors are in these shards.
fn cosine(
    index: &Index,
    structure: &Structure,
    point: &DensePoint,
    section: u32,
    shards: &[ShardId],
) -> Option<f32> {
    let dense = index.manifest().dense.as_ref()?;
    let mut best = None;
    for vector in structure.vectors(SectionId(section)) {
        let (shard, at) = dense.vector_of(VectorId(vector))?;
        let vectors = index.vectors(shard).filter(|_| shards.contains(&shard))?;
        let at = at as usize;
        if at >= vectors.len() {
            return None;
        }
        let cosine = point.query.similarity(vectors.row(at), vectors.scale(at));
        best = Some(best.map_or(cosine, |best: f32| best.max(cosine)));
    }
    best
}

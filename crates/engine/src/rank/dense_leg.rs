//! The dense leg: the sections nearest to the query's vector, and the similarity of any other.

use findling_bundle::cells::part_of;
use findling_bundle::{Centroids, SectionId, ShardId, Structure, VectorId};

use super::{AllowedSections, Similarity};
use crate::api::{Error, Mode};
use crate::index::Index;
use crate::resolve::ResolvedQuery;
use crate::vector::{DensePoint, Neighbours, Probe, Seen, VectorView, nearest};

/// The matches by meaning.
pub(crate) struct DenseLeg<'a> {
    /// The query's vector.
    pub point: DensePoint,
    pub neighbours: Neighbours,
    structure: &'a Structure,
    vectors: Vectors<'a>,
}

/// The vectors that the query was compared with.
enum Vectors<'a> {
    /// All vectors of the bundle.
    Resident(VectorView<'a>),
    /// The vectors of the cells that were fetched.
    Streamed {
        seen: Seen,
        /// The similarity assumed for a section whose cell was not fetched.
        unseen: Option<f32>,
        /// Whether the bundle lists the sections without vectors.
        tells: bool,
    },
}

impl<'a> DenseLeg<'a> {
    /// Searches by the query's vector; `None` if it has none. The shards of the query must be in
    /// memory, and the cells of `probe` if vectors are streamed.
    pub fn new(
        index: &'a Index,
        structure: &'a Structure,
        asked: &ResolvedQuery,
        allowed: &AllowedSections,
        probe: Option<&Probe>,
    ) -> Result<Option<Self>, Error> {
        let (Some(query), Some(dense)) = (&asked.dense, &index.manifest().dense) else {
            return Ok(None);
        };
        let mut point = query.point(index)?;
        if let Some(shared) = index.shared() {
            point.zero = shared.zero(&asked.request.query, point.zero);
        }
        let params = index.rank_params();
        let mut k = params.depth;
        if asked.mode == Mode::Semantic {
            // Only this leg answers, so its list must reach as far as the reader's pages of
            // results.
            k = k.max(asked.reach());
        }
        let k = k.min(structure.n_sections());
        let allowed = allowed.sections.as_ref();
        let Some(probe) = probe else {
            let shards = dense
                .vectors
                .iter()
                .filter_map(|range| Some((range.first_vector, index.vectors(range.shard)?)));
            let view = VectorView::new(structure, shards)?;
            let neighbours = nearest(&point.query, &view, index.graph(), allowed, k, k);
            return Ok(Some(Self {
                point,
                neighbours,
                structure,
                vectors: Vectors::Resident(view),
            }));
        };
        let shards = probe.shards(index);
        let cells = shards.iter().filter_map(|&shard| index.cell(shard));
        let seen = Seen::new(&point.query, structure, cells);
        let neighbours = seen.nearest(allowed, k);
        // The fewer sections were ranked, the lower is the assumed similarity.
        let full = neighbours.sections.len() as f32 / k.max(1) as f32;
        let zero = point.zero;
        let unseen = neighbours
            .sections
            .last()
            .map(|(_, least)| zero + params.unseen * full * (least - zero));
        // If many vectors are streamed, the bundle does not list the sections without vectors.
        let tells = index.centroids().is_some_and(Centroids::tells);
        let vectors = Vectors::Streamed { seen, unseen, tells };
        Ok(Some(Self { point, neighbours, structure, vectors }))
    }

    /// Returns a section's cosine with the query, as far as it is known.
    pub fn similarity(&self, section: SectionId) -> Similarity {
        match &self.vectors {
            Vectors::Resident(view) => view
                .similarity(&self.point.query, section)
                .map_or(Similarity::None, Similarity::Known),
            Vectors::Streamed { seen, unseen, tells } => match seen.similarity(section) {
                Some(cosine) => Similarity::Known(cosine),
                None if *tells && self.structure.vectors(section).is_empty() => Similarity::None,
                None => unseen.map_or(Similarity::None, Similarity::Guessed),
            },
        }
    }
}

/// Returns where in a section its nearest vector lies, in 256ths. The parts of a section that have
/// vectors are about equally long. `cells`: the shards that were fetched, if vectors are streamed.
pub(super) fn part(
    index: &Index,
    structure: &Structure,
    point: &DensePoint,
    cells: Option<&[ShardId]>,
    section: SectionId,
) -> u8 {
    let mut best = (f32::NEG_INFINITY, 0);
    let mut look_at = |row: &[i8], scale: f32, part: u8| {
        let cosine = point.query.similarity(row, scale);
        if cosine > best.0 {
            best = (cosine, part);
        }
    };
    if let Some(cells) = cells {
        let vectors =
            cells.iter().filter_map(|&cell| index.cell(cell)).flat_map(|c| c.vectors(structure));
        vectors
            .filter(|vector| vector.section == section)
            .for_each(|v| look_at(v.row, v.scale, v.part));
        return best.1;
    }
    let own = structure.vectors(section);
    let n = own.len() as u32;
    for (place, vector) in (0..n).zip(own).filter(|_| n > 1) {
        let at =
            index.manifest().dense.as_ref().and_then(|dense| dense.vector_of(VectorId(vector)));
        let shard = at.and_then(|(shard, at)| Some((index.vectors(shard)?, at as usize)));
        if let Some((vectors, at)) = shard.filter(|(vectors, at)| *at < vectors.len()) {
            look_at(vectors.row(at), vectors.scale(at), part_of(place, n));
        }
    }
    best.1
}

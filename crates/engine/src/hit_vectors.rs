//! The vectors of the query and of the sections that a response shows, for programs that rank
//! again. A response itself has no vectors, since a browser has no use for them.

use findling_bundle::{Dense, SectionId, ShardId, Structure, VectorId};

use crate::api::Error;
use crate::index::Index;
use crate::rank::{RankedPage, RankedSection};
use crate::results::Answer;
use crate::vector::DensePoint;

/// Vectors in the space of the bundle, of length 1 up to rounding: a stored number has eight bits.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HitVectors {
    /// The vectors of the query and of its other phrasings; `None` if one was not embedded.
    pub query: Vec<Option<Vec<f32>>>,
    /// Vectors of each page's sections, in the response's order; `None` for a section without
    /// vectors. Of several vectors of a section, this is the one nearest to the query, or the first
    /// one if the query was not embedded.
    pub pages: Vec<Vec<Option<Vec<f32>>>>,
}

/// The vectors, or the shards that are missing to read them.
pub(crate) type Vectors = Result<HitVectors, Vec<ShardId>>;

/// Reads the vectors of an answer. The answer needs no texts yet.
///
/// # Errors
/// [`Error::Vector`] if the bundle has no vectors; [`Error::Inconsistent`].
pub(crate) fn hit_vectors(index: &Index, answer: &Answer) -> Result<Vectors, Error> {
    let manifest = index.manifest();
    let Some(dense) = &manifest.dense else {
        let message = "expected a bundle with vectors, found one without: build it with an encoder";
        return Err(Error::Vector { message: message.into() });
    };
    // Some structures hold the vectors of a section only with their counts.
    let tree: Vec<ShardId> =
        manifest.structure().into_iter().chain(manifest.vector_counts()).collect();
    let missing = index.missing(&tree);
    if !missing.is_empty() {
        return Ok(Err(missing));
    }
    let structure =
        index.structure().ok_or_else(|| Error::inconsistent("the structure is missing"))?;
    let shown = || answer.ranked.pages.iter().flat_map(|page| &page.sections);
    let shards: Vec<ShardId> = shown()
        .flat_map(|section| structure.vectors(SectionId(section.candidate.section)))
        .filter_map(|vector| Some(dense.vector_of(VectorId(vector))?.0))
        .collect();
    let missing = index.missing(&shards);
    if !missing.is_empty() {
        return Ok(Err(missing));
    }
    let mut points = Vec::with_capacity(answer.asked.len());
    for asked in &answer.asked {
        points.push(asked.dense.as_ref().map(|dense| dense.point(index)).transpose()?);
    }
    let space = Space { index, dense, structure };
    let of_page = |page: &RankedPage| {
        let of_section = |section: &RankedSection| {
            let point =
                points.get(usize::from(section.candidate.phrasing)).and_then(Option::as_ref);
            space.nearest(SectionId(section.candidate.section), point)
        };
        page.sections.iter().map(of_section).collect()
    };
    Ok(Ok(HitVectors {
        query: points.iter().map(|point| Some(point.as_ref()?.query.values())).collect(),
        pages: answer.ranked.pages.iter().map(of_page).collect(),
    }))
}

/// The stored vectors that are in memory.
struct Space<'a> {
    index: &'a Index,
    dense: &'a Dense,
    structure: &'a Structure,
}

impl Space<'_> {
    /// Returns the vector of a section nearest to a point, or the first one without a point.
    fn nearest(&self, section: SectionId, point: Option<&DensePoint>) -> Option<Vec<f32>> {
        let mut best: Option<(f32, (&[i8], f32))> = None;
        for vector in self.structure.vectors(section) {
            let Some((row, scale)) = self.row(VectorId(vector)) else { continue };
            let nearness = point.map_or(0.0, |point| point.query.similarity(row, scale));
            if best.is_none_or(|(most, _)| nearness > most) {
                best = Some((nearness, (row, scale)));
            }
        }
        let (_, (row, scale)) = best?;
        Some(row.iter().map(|&q| f32::from(q) * scale).collect())
    }

    fn row(&self, vector: VectorId) -> Option<(&[i8], f32)> {
        let (shard, at) = self.dense.vector_of(vector)?;
        let vectors = self.index.vectors(shard)?;
        let at = at as usize;
        (at < vectors.len()).then(|| (vectors.row(at), vectors.scale(at)))
    }
}

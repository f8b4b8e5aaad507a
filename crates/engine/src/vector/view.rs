//! The vectors of a bundle, shard by shard, by number and by section.

use findling_bundle::{SectionId, Structure, VectorId, VectorsShard};

use super::QuantisedQuery;
use crate::api::Error;

/// All vectors whose shards are in memory, read in place.
#[derive(Clone, Debug)]
pub struct VectorView<'a> {
    structure: &'a Structure,
    /// Ascending, without overlap; gaps are shards that have not been fetched.
    shards: Vec<Shard<'a>>,
    /// Number of vectors in every shard except the last, if it is the same for all and there are no
    /// gaps. A division then finds the shard. Otherwise 0.
    stride: u32,
    n_vectors: u32,
}

#[derive(Clone, Copy, Debug)]
struct Shard<'a> {
    first: u32,
    vectors: &'a VectorsShard,
}

impl<'a> VectorView<'a> {
    /// Returns a view over shards given with their first vectors. Shards may be missing; their
    /// vectors are skipped.
    ///
    /// # Errors
    /// [`Error::Inconsistent`] if the shards are not in order, overlap, hold more vectors than the
    /// structure has, or differ in dimension.
    pub fn new(
        structure: &'a Structure,
        shards: impl IntoIterator<Item = (VectorId, &'a VectorsShard)>,
    ) -> Result<Self, Error> {
        let shards: Vec<_> =
            shards.into_iter().map(|(first, vectors)| Shard { first: first.0, vectors }).collect();
        let mut next = 0u64;
        for shard in &shards {
            if u64::from(shard.first) < next {
                return Err(Error::inconsistent(format!(
                    "vector shards overlap at vector {}",
                    shard.first
                )));
            }
            if shard.vectors.dim() != shards[0].vectors.dim() {
                return Err(Error::inconsistent("vector shards differ in dimension"));
            }
            next = u64::from(shard.first) + shard.vectors.len() as u64;
        }
        if next > u64::from(structure.n_vectors()) {
            return Err(Error::inconsistent(format!(
                "there are vectors up to {next}, but sections for {}",
                structure.n_vectors()
            )));
        }
        let stride = shards.first().map_or(0, |shard| shard.vectors.len() as u32);
        let even = shards.iter().enumerate().all(|(i, shard)| {
            let full = shard.vectors.len() as u32 == stride
                || i + 1 == shards.len() && shard.vectors.len() as u32 <= stride;
            full && u64::from(shard.first) == i as u64 * u64::from(stride)
        });
        let n_vectors = shards.iter().map(|shard| shard.vectors.len() as u32).sum();
        Ok(Self { structure, shards, stride: if even { stride } else { 0 }, n_vectors })
    }

    /// Returns the number of vectors that are in memory.
    pub fn n_vectors(&self) -> u32 {
        self.n_vectors
    }

    /// Returns whether every vector of the structure is in memory.
    pub fn is_complete(&self) -> bool {
        self.n_vectors == self.structure.n_vectors()
    }

    /// Returns the sections and their vectors.
    pub fn structure(&self) -> &'a Structure {
        self.structure
    }

    /// Returns the cosine of a query with one vector; `None` if the vector is not in memory.
    /// O(dim).
    #[inline]
    pub fn similarity_of_vector(&self, query: &QuantisedQuery, vector: VectorId) -> Option<f32> {
        let (row, scale) = self.vector(vector)?;
        Some(query.similarity(row, scale))
    }

    /// Returns a vector's row and scale; `None` if it is not here.
    #[inline]
    pub fn vector(&self, vector: VectorId) -> Option<(&'a [i8], f32)> {
        let shard = match vector.0.checked_div(self.stride) {
            Some(i) => self.shards.get(i as usize)?,
            None => self.shards[..self.shards.partition_point(|shard| shard.first <= vector.0)]
                .last()?,
        };
        let i = (vector.0 - shard.first) as usize;
        (i < shard.vectors.len()).then(|| (shard.vectors.row(i), shard.vectors.scale(i)))
    }

    /// Returns the highest cosine of a query with a section's vectors; `None` if the section has no
    /// vectors or they are not in memory.
    pub fn similarity(&self, query: &QuantisedQuery, section: SectionId) -> Option<f32> {
        let vectors = self.structure.vectors(section);
        vectors
            .filter_map(|vector| self.similarity_of_vector(query, VectorId(vector)))
            .max_by(f32::total_cmp)
    }

    /// Returns every vector that is in memory with its cosine, ascending.
    pub(super) fn scan(&self, query: &QuantisedQuery) -> impl Iterator<Item = (VectorId, f32)> {
        self.shards.iter().flat_map(move |shard| {
            let rows = shard.vectors.rows().chunks_exact(shard.vectors.dim() as usize);
            let scored = rows
                .zip(shard.vectors.scales())
                .map(move |(row, &scale)| query.similarity(row, scale));
            (shard.first..).map(VectorId).zip(scored)
        })
    }
}

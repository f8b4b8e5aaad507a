//! The vectors in the order in which they are inserted, and how far apart they are.

use std::cmp::{Ordering, Reverse};

use findling_bundle::VectorId;
use findling_encoder::dot;

/// Seed of the order and of the layers. It is fixed, so that the same vectors give the same graph.
const SEED: u64 = 0x000f_19d1_1463;

/// A vector by its place in the order of insertion. The vectors of upper layers come first, so that
/// every layer is a beginning of this order.
pub type Place = u32;

/// A place and its distance from some vector. The nearer place sorts first. If two are equally
/// near, the one that was inserted first sorts first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Near {
    /// The distance: 1 minus the cosine.
    pub distance: f32,
    pub place: Place,
}

impl Eq for Near {}

impl Ord for Near {
    fn cmp(&self, other: &Self) -> Ordering {
        self.distance.total_cmp(&other.distance).then(self.place.cmp(&other.place))
    }
}

impl PartialOrd for Near {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// The vectors.
pub struct Points<'a> {
    values: &'a [f32],
    dim: usize,
    /// The vector at each place.
    order: Vec<VectorId>,
    /// Places of each layer, base layer first.
    n_of_layer: Vec<usize>,
}

impl<'a> Points<'a> {
    /// Gives each vector a layer and a place. A layer has about one of every `factor` vectors of
    /// the layer below.
    pub fn new(values: &'a [f32], dim: usize, factor: usize) -> Self {
        let n = values.len() / dim.max(1);
        let height_of = |vector: VectorId| {
            // Between 0 and 1, both excluded.
            let uniform = ((random(vector, 0) >> 11) as f64 + 0.5) / (1u64 << 53) as f64;
            (-uniform.ln() / (factor as f64).ln()) as usize
        };
        let mut order: Vec<VectorId> = (0..n as u32).map(VectorId).collect();
        order.sort_by_cached_key(|&vector| (Reverse(height_of(vector)), random(vector, 1)));
        let n_layers = order.first().map_or(0, |&vector| height_of(vector) + 1);
        let n_of_layer = (0..n_layers)
            .map(|layer| order.partition_point(|&vector| height_of(vector) >= layer))
            .collect();
        Self { values, dim, order, n_of_layer }
    }

    /// Returns the number of vectors.
    pub fn len(&self) -> usize {
        self.order.len()
    }

    /// Returns the number of layers.
    pub fn n_layers(&self) -> usize {
        self.n_of_layer.len()
    }

    /// Returns the number of vectors on a layer.
    pub fn n_of_layer(&self, layer: usize) -> usize {
        self.n_of_layer[layer]
    }

    /// Returns the vector at a place.
    pub fn vector(&self, place: Place) -> VectorId {
        self.order[place as usize]
    }

    /// Returns the numbers of the vector at a place.
    pub fn row(&self, place: Place) -> &'a [f32] {
        &self.values[self.vector(place).index() * self.dim..][..self.dim]
    }

    /// Returns a place with its distance from `row`.
    #[inline]
    pub fn near(&self, place: Place, row: &[f32]) -> Near {
        Near { distance: 1.0 - dot(self.row(place), row), place }
    }
}

/// Returns bits that are nearly random: SplitMix64 of the vector's number.
fn random(vector: VectorId, stream: u64) -> u64 {
    let mut bits = (u64::from(vector.0) << 1 | stream).wrapping_add(SEED);
    bits = bits.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

//! The vector of a query: as it came, or as a point in the space of the stored vectors.

use findling_bundle::Dense;
use findling_bundle::projection::Projection;

use super::{QuantisedQuery, StaticQuery};
use crate::api::Error;
use crate::index::Index;

/// The query's vector, checked.
#[derive(Clone)]
pub(crate) enum DenseQuery {
    /// A vector in the space of the stored vectors.
    Stored(DensePoint),
    /// A vector in the encoder's own space, which has to be projected.
    Unprojected(Vec<f32>),
    /// Words, which the bundle's rows embed.
    Static(StaticQuery),
}

/// A query as a point in the space of the stored vectors.
#[derive(Clone)]
pub(crate) struct DensePoint {
    pub query: QuantisedQuery,
    /// The similarity of the query with the mean of all vectors.
    pub zero: f32,
}

impl DenseQuery {
    /// Returns the query's point, projected if needed; the projection's shard must then be in
    /// memory.
    pub fn point(&self, index: &Index) -> Result<DensePoint, Error> {
        match (self, &index.manifest().dense, index.projection()) {
            (Self::Stored(point), ..) => Ok(point.clone()),
            (Self::Unprojected(values), Some(dense), Some(projection)) => {
                Self::projected(values, projection, dense)
            }
            _ => Err(Error::inconsistent("the query was not embedded")),
        }
    }

    #[doc(alias = "deferred")]
    #[inline(never)]
    fn projected(
        values: &[f32],
        projection: &Projection,
        dense: &Dense,
    ) -> Result<DensePoint, Error> {
        let wrong = |error: findling_bundle::Error| Error::Vector { message: error.to_string() };
        DensePoint::new(&projection.apply(values).map_err(wrong)?, dense)
    }
}

impl DensePoint {
    pub fn new(values: &[f32], dense: &Dense) -> Result<Self, Error> {
        let query = QuantisedQuery::new(values, dense.encoder.dim)?;
        Ok(Self { query, zero: cosine_with_mean(values, &dense.mean) })
    }
}

/// Returns the dot product of a query with the mean vector, on the same scale as a document's
/// similarity: the mean keeps its own length, which is shorter than 1. Computed in f64 and in
/// order, so that hosts agree; they also agree on square roots (IEEE 754, 5.4.1).
fn cosine_with_mean(query: &[f32], mean: &[f32]) -> f32 {
    let norm = query.iter().map(|&value| f64::from(value) * f64::from(value)).sum::<f64>();
    let dot = query.iter().zip(mean).map(|(&a, &b)| f64::from(a) * f64::from(b)).sum::<f64>();
    (dot / norm.sqrt()) as f32
}

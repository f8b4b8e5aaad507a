//! The dense leg: sections by the cosine of their best vector with the query's.
//!
//! Stored vectors are int8 rows with a scale each; the query is quantised to i16
//! ([`QuantisedQuery`]), so that every comparison is an integer dot product, exact and the same to
//! the bit on every host. [`nearest`] searches a [`VectorView`] and, if the bundle has one, the
//! HNSW graph: [`plan()`] chooses between the exact scan and the graph by estimated cost. If
//! vectors are streamed, the cells nearest to the query replace both ([`cells`]). A filter is a
//! [`Bitset`](crate::Bitset) over sections and is obeyed during the search, never applied
//! afterwards. All results are sections, each with the score of its best vector; ties are broken by
//! id.

mod cells;
mod dense_query;
mod dot;
mod exact;
mod hnsw;
mod plan;
mod static_query;
mod view;

#[cfg(test)]
mod tests;

pub(crate) use cells::{Probe, Seen};
pub(crate) use dense_query::{DensePoint, DenseQuery};
pub use dot::QuantisedQuery;
pub use plan::{Method, Neighbours, Situation, default_ef, follow, nearest, plan, scan};
pub(crate) use static_query::{Embedded, StaticQuery};
pub use view::VectorView;

//! Sections and vectors in tables (Parquet), for data engines that divide the reading and the
//! embedding of a site over machines. `docs/tables.md` describes them.
//!
//! Like a [part](crate::parts), a table saves time and does not change the bundle's bytes:
//! everything that needs all pages is computed when the bundle is built, and a vector is only used
//! for exactly the text and the model that it was made from.

#[cfg(feature = "parquet")]
mod columns;
mod error;
mod inputs;
#[cfg(feature = "parquet")]
mod parquet_file;
#[cfg(feature = "parquet")]
mod sections;
mod units;
#[cfg(feature = "parquet")]
mod vectors;
#[cfg(not(feature = "parquet"))]
mod without_parquet;

pub use error::Error;
pub use inputs::{find, is_table};
#[cfg(feature = "parquet")]
pub use sections::{read_sections, write_sections};
pub use units::{Unit, units};
#[cfg(feature = "parquet")]
pub use vectors::write_vectors;
#[cfg(not(feature = "parquet"))]
pub use without_parquet::{Tables, Vectors, read_sections, write_sections, write_vectors};
#[cfg(feature = "parquet")]
pub use {parquet_file::Tables, vectors::Vectors};

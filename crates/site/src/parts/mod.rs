//! Parts of a build. Each of several machines reads and embeds a share of a site's files and writes
//! a part. [`take`] joins all parts of a site. The result is the pages that one machine would have
//! read, and the vectors that the parts already contain. `docs/scale.md` is the guide.
//!
//! Parts save time and do not change the bundle's bytes: everything that needs all pages (titles,
//! languages, statistics, copies, cells, fitted rows) is computed when the parts are joined, and a
//! vector is only used for exactly the text that it was made from. If rules for the whole site
//! change a text, the text is embedded again.

mod error;
mod file;
mod take;

pub use error::Error;
pub use file::{Head, Part, Records, Settings, write};
pub use take::{Embeddings, Joined, open, take};

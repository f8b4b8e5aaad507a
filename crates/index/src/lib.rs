//! Builds a bundle from pages.
//!
//! ```text
//! pages -> chunk -> analyse (lexical) ---------------> assemble -> write
//!               \-> embed (cache, encoder) -> graph --/
//! ```
//!
//! [`build()`] does everything except the last step, in memory.
//! [`BundleWriter`](write::BundleWriter) writes the result to disk. Equal pages, options and
//! encoders give equal bytes, on any number of cores and with any contents of the cache.
//!
//! It does not read files, models on a disk or a network: pages and encoders come from the caller.
//! With feature `vectors` a bundle can be searched by meaning.
//!
//! ```
//! use findling_base::progress::Silent;
//! use findling_index::{Job, build, write};
//! use findling_page::page::{Block, Page, Section};
//!
//! let block = Block { text: "A kiln is fired for a day.".into(), ..Block::default() };
//! let section = Section { level: 1, blocks: vec![block], ..Section::default() };
//! let (title, sections) = ("Kilns".to_owned(), vec![section]);
//! let page = Page { url: "/kilns/".into(), title, sections, ..Page::default() };
//! let bundle = build(Job { pages: vec![page], ..Job::default() }, &Silent)?.bundle;
//! assert_eq!(bundle.manifest.stats.n_pages, 1);
//! let file = write::single_file(&bundle)?;
//! assert!(!file.is_empty());
//! # Ok::<(), anyhow::Error>(())
//! ```

pub mod assemble;
mod build;
pub mod bundle;
pub mod cells;
pub mod chunks;
mod columns;
pub mod copies;
#[cfg(feature = "vectors")]
mod dense;
mod earlier_shards;
pub mod embedding;
pub mod fidelity;
pub mod fit;
pub mod graph;
mod job;
mod languages;
pub mod lexical;
pub mod packs;
mod page_order;
pub mod previous_build;
pub mod random;
pub mod retired_shards;
pub mod rows;
pub mod sample;
pub mod sentences;
mod shards;
mod spelling;
mod stage;
mod stored;
pub mod synonyms;
mod texts;
mod tiers;
mod title_variants;
pub mod training;
pub mod vocabulary;
pub mod write;

pub use build::{build, units};
#[cfg(feature = "vectors")]
pub use dense::embed_units;
pub use job::{GRAPH_FROM, GRAPH_UP_TO, Job, Logs, Options, Outcome};
pub use shards::ReplacedFiles;
pub use stage::Stage;

//! A page as it is indexed, and the passages and units into which its sections are cut.
//!
//! Readers of files make [`Page`](page::Page)s; [`chunk`](chunk::chunk) cuts each section into
//! passages, which are searched by words, and into units, which are embedded. A program with texts
//! in memory makes pages without a reader.
//!
//! The crate depends on no file format, no encoder and no bundle.
//!
//! ```
//! use findling_page::chunk::{ChunkOptions, chunk};
//! use findling_page::page::{Block, Page, Section};
//!
//! let block = Block { text: "A kiln is fired for a day.".into(), ..Block::default() };
//! let section = Section { level: 1, blocks: vec![block], ..Section::default() };
//! let page = Page { title: "Pottery".into(), sections: vec![section], ..Page::default() };
//! let chunked = chunk(&page, &ChunkOptions::default(), |text| text.len().div_ceil(4));
//! assert_eq!(chunked.sections.len(), 1);
//! ```

pub mod chunk;
pub mod page;
pub mod shard_cutter;

//! What results show: pages' texts, in shards of whole pages.

use findling_bundle::texts::{PageText, SectionText, TextsBuilder};
use findling_bundle::{Error, PageId};
use rayon::prelude::*;

use crate::chunk::ChunkedPage;
use crate::cutter::Cutter;
use crate::page::Page;

/// The bytes that a text shard takes in the manifest, and the shards that the pages of a result list are in: what their size
/// is chosen by.
const BYTES_PER_SHARD: usize = 9;
const SHARDS_PER_QUERY: usize = 8;

/// The shards, uncompressed, each with its first page.
pub fn build(pages: &[Page], chunks: &[ChunkedPage]) -> Result<(Vec<PageId>, Vec<Vec<u8>>), Error> {
    let encoded: Vec<Vec<u8>> = pages
        .par_iter()
        .zip(chunks)
        .map(|(page, chunked)| page_text(page, chunked).to_bytes())
        .collect::<Result<_, _>>()?;
    let total = encoded.iter().map(Vec::len).sum();
    let mut cutter = Cutter::new(Cutter::best_target(total, BYTES_PER_SHARD, SHARDS_PER_QUERY));
    let mut firsts = Vec::new();
    let mut shards = Vec::new();
    let mut builder = TextsBuilder::new();
    for (id, (page, bytes)) in pages.iter().zip(&encoded).enumerate() {
        if cutter.cut_before(&page.id, bytes.len()) {
            shards.push(std::mem::take(&mut builder).finish());
        }
        if builder.is_empty() {
            firsts.push(PageId(id as u32));
        }
        builder.push_bytes(bytes);
    }
    if !builder.is_empty() {
        shards.push(builder.finish());
    }
    Ok((firsts, shards))
}

fn page_text<'a>(page: &'a Page, chunked: &'a ChunkedPage) -> PageText<'a> {
    PageText {
        id: &page.id,
        url: &page.url,
        title: &page.title,
        language: &page.language,
        meta: page.meta.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect(),
        sections: chunked
            .sections
            .iter()
            .map(|section| SectionText {
                level: section.level,
                heading: &section.heading,
                anchor: section.anchor.as_deref(),
                parent: section.parent,
                text: &section.text,
                code: section.code.iter().map(|&(start, end)| start..end).collect(),
                passages: section.passages.iter().map(|&(start, end)| start..end).collect(),
            })
            .collect(),
    }
}

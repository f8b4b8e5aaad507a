//! The texts of pages, which results show, in shards of several pages or of a part of a long page.

use std::borrow::Cow;
use std::collections::BTreeMap;

use findling_bundle::texts::{PageText, SectionText, TextsBuilder};
use findling_bundle::{AttributeValue, Error, PageId};
use rayon::prelude::*;

use super::columns::Built;
use crate::chunk::ChunkedPage;
use crate::page::Page;
use crate::shard_cutter::ShardCutter;

/// The bytes of a text shard in the manifest, and the number of text shards that the pages of a
/// result list need. The size of shards is chosen by them.
const BYTES_PER_SHARD: usize = 5;
const LEAST_SHARD: usize = 4 << 10;
const SHARDS_PER_QUERY: usize = 5;

/// The first page of a shard, and its first section's index in that page.
pub type First = (PageId, u32);

/// Builds the shards, uncompressed, each with its beginning.
pub fn build(
    pages: &[Page],
    chunks: &[ChunkedPage],
    columns: &[Built],
) -> Result<Vec<(First, Vec<u8>)>, Error> {
    let whole: Vec<PageText<'_>> = pages
        .par_iter()
        .zip(chunks)
        .map(|(page, chunked)| page_text(page, chunked, columns))
        .collect();
    let encoded: Vec<Vec<u8>> =
        whole.par_iter().map(PageText::to_bytes).collect::<Result<_, _>>()?;
    let total = encoded.iter().map(Vec::len).sum();
    let target = ShardCutter::best_target(total, BYTES_PER_SHARD, SHARDS_PER_QUERY, LEAST_SHARD);
    let parts: Vec<Vec<(u32, Vec<u8>)>> = whole
        .par_iter()
        .zip(encoded)
        .map(
            |(page, bytes)| {
                if bytes.len() > target { parts(page, target) } else { Ok(vec![(0, bytes)]) }
            },
        )
        .collect::<Result<_, _>>()?;
    let mut cutter = ShardCutter::new(target);
    let mut shards: Vec<(First, Vec<&[u8]>)> = Vec::new();
    for (id, (page, parts)) in pages.iter().zip(&parts).enumerate() {
        for (place, bytes) in parts {
            if *place > 0 {
                cutter.cut();
            }
            if cutter.cut_before(&page.id, bytes.len()) || shards.is_empty() {
                shards.push(((PageId(id as u32), *place), Vec::new()));
            }
            if let Some((_, own)) = shards.last_mut() {
                own.push(bytes);
            }
        }
    }
    let finish = |(first, pages): (First, Vec<&[u8]>)| {
        let mut builder = TextsBuilder::new();
        pages.into_iter().for_each(|page| builder.push_bytes(page));
        (first, builder.finish())
    };
    Ok(shards.into_par_iter().map(finish).collect())
}

/// Divides a long page into parts of about `target` bytes, each with the index of its first
/// section. Hashes of headings decide where parts end, so that an edit moves few of the ends.
fn parts(page: &PageText<'_>, target: usize) -> Result<Vec<(u32, Vec<u8>)>, Error> {
    let mut cutter = ShardCutter::new(target);
    let n = page.sections.len() as u32;
    let ends = (0..n).zip(&page.sections).filter_map(|(place, section)| {
        let key = [page.id, section.anchor.as_deref().unwrap_or(section.heading)].concat();
        cutter.cut_before(key, section.text.len()).then_some(place)
    });
    let starts: Vec<u32> = std::iter::once(0).chain(ends).collect();
    let ends = starts.iter().skip(1).copied().chain([n]);
    starts
        .iter()
        .zip(ends)
        .map(|(&start, end)| Ok((start, page.part(start..end).to_bytes()?)))
        .collect()
}

/// The own attributes of a page or section, each by its index among all.
fn attributes(
    own: &BTreeMap<String, AttributeValue>,
    columns: &[Built],
) -> Vec<(u32, AttributeValue)> {
    let places = own
        .keys()
        .filter_map(|name| columns.binary_search_by(|built| built.name.as_str().cmp(name)).ok());
    places.filter_map(|at| Some((at as u32, columns.get(at)?.own_value(own)?))).collect()
}

fn page_text<'a>(page: &'a Page, chunked: &'a ChunkedPage, columns: &[Built]) -> PageText<'a> {
    PageText {
        attributes: attributes(&page.attributes, columns),
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
                anchor: section.anchor.as_deref().map(Cow::Borrowed),
                parent: section.parent,
                attributes: attributes(&section.attributes, columns),
                text: Cow::Borrowed(&section.text),
                code: section.code.iter().map(|&(start, end)| start..end).collect(),
                passages: section.passages.iter().map(|&(start, end)| start..end).collect(),
            })
            .collect(),
        ..PageText::default()
    }
}

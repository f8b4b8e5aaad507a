//! The texts of pages, which results show, in shards of several pages or of a part of a long page.

use std::borrow::Cow;
use std::collections::BTreeMap;

use findling_bundle::texts::{PageText, SectionText, TextsBuilder};
use findling_bundle::{AttributeValue, Error, PageId, ShardKind};
use rayon::prelude::*;

use super::columns::Built;
use super::shards::{Deployed, Stored};
use crate::chunk::ChunkedPage;
use crate::page::Page;
use crate::shard_cutter::ShardCutter;

/// The bytes of a text shard in the manifest, and the number of text shards that the pages of a
/// result list need. The size of shards is chosen by them.
const BYTES_PER_SHARD: usize = 5;
const MIN_SHARD: usize = 4 << 10;
const SHARDS_PER_QUERY: usize = 5;

/// The first page of a shard, and its first section's index in that page.
pub type First = (PageId, u32);

/// A shard with its first entry.
pub type Shard = (First, Stored);

/// A page or a part of one, in a shard of texts.
struct Part {
    /// Its first section.
    first: u32,
    bytes: Vec<u8>,
}

/// Builds and compresses the shards, each with its beginning. Each page is encoded once, and a long
/// one again in parts, since the size of parts depends on the bytes of all pages.
pub fn build(
    pages: &[Page],
    chunks: &[ChunkedPage],
    columns: &[Built],
    deployed: &Deployed,
) -> Result<Vec<Shard>, Error> {
    let both = pages.par_iter().zip(chunks);
    let whole = both.clone().map(|(page, chunked)| page_text(page, chunked, columns).to_bytes());
    let whole: Vec<Vec<u8>> = whole.collect::<Result<_, _>>()?;
    let total = whole.iter().map(Vec::len).sum();
    let target = ShardCutter::best_target(total, BYTES_PER_SHARD, SHARDS_PER_QUERY, MIN_SHARD);
    let parts = both.zip(whole).map(|((page, chunked), bytes)| match bytes.len() > target {
        true => parts(&page_text(page, chunked, columns), target),
        false => Ok(vec![Part { first: 0, bytes }]),
    });
    let parts: Vec<Vec<Part>> = parts.collect::<Result<_, _>>()?;
    let mut cutter = ShardCutter::new(target);
    let mut shards: Vec<(First, Vec<Part>)> = Vec::new();
    for (id, (page, parts)) in (0..).zip(pages.iter().zip(parts)) {
        for part in parts {
            if part.first > 0 {
                cutter.cut();
            }
            if cutter.cut_before(&page.id, part.bytes.len()) || shards.is_empty() {
                shards.push(((PageId(id), part.first), Vec::new()));
            }
            if let Some((_, own)) = shards.last_mut() {
                own.push(part);
            }
        }
    }
    let encode = |(first, parts): (First, Vec<Part>)| {
        let mut builder = TextsBuilder::new();
        parts.iter().for_each(|part| builder.push_bytes(&part.bytes));
        Ok((first, deployed.encode(ShardKind::Texts, &builder.finish())?))
    };
    shards.into_par_iter().map(encode).collect()
}

/// Divides a long page into parts of about `target` bytes. Hashes of headings decide where parts
/// end, so that an edit moves few of the ends.
fn parts(page: &PageText<'_>, target: usize) -> Result<Vec<Part>, Error> {
    let mut cutter = ShardCutter::new(target);
    let n = page.sections.len() as u32;
    let ends = (0..n).zip(&page.sections).filter_map(|(place, section)| {
        let key = [page.id, section.anchor.as_deref().unwrap_or(section.heading)].concat();
        cutter.cut_before(key, section.text.len()).then_some(place)
    });
    let starts: Vec<u32> = std::iter::once(0).chain(ends).collect();
    let ends = starts.iter().skip(1).copied().chain([n]);
    let part = |(&first, end)| Ok(Part { first, bytes: page.part(first..end).to_bytes()? });
    starts.iter().zip(ends).map(part).collect()
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

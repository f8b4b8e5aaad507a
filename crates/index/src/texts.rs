//! The texts of pages, which results show, in shards of several pages or of a part of a long page.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use findling_bundle::texts::{PageText, SectionText, TextsBuilder};
use findling_bundle::{AttributeValue, PageId, ShardKind, hash128};
use rayon::prelude::*;

use super::chunks::Chunks;
use super::columns::Built;
use super::earlier_shards::EarlierShards;
use super::shards::ReplacedFiles;
use super::stored::Stored;
use findling_base::record_log::{Key, key_of};
use findling_page::chunk::ChunkedPage;
use findling_page::page::Page;
use findling_page::shard_cutter::ShardCutter;

/// The bytes of a text shard in the manifest, and the number of text shards that the pages of a
/// result list need. They determine the size of shards.
const BYTES_PER_SHARD: usize = 5;
const MIN_SHARD: usize = 4 << 10;
const SHARDS_PER_QUERY: usize = 5;

/// The first page of a shard, and its first section's index in that page.
pub type First = (PageId, u32);

/// A shard with its first entry.
pub type Shard = (First, Stored);

/// A page or a part of one, in a shard of texts.
struct Part {
    /// The index of its page.
    page: usize,
    /// The sections; `None` for all of them.
    sections: Option<Range<u32>>,
    encoded: Encoded,
}

/// The facts about an encoded text.
struct Encoded {
    len: usize,
    /// The hash, if shards are found by the hash of their inputs.
    hash: Option<Key>,
    /// The encoded text. `None` if its shard most likely need not be made, or if there is no room.
    bytes: Option<Vec<u8>>,
}

impl Encoded {
    /// Notes the facts about an encoded text. `keeps` says whether the bytes will be needed again.
    fn of(bytes: Vec<u8>, keeps: bool, earlier: &EarlierShards) -> Self {
        let len = bytes.len();
        let hash = earlier.has_log().then(|| hash128(&bytes));
        Self { len, hash, bytes: keeps.then_some(bytes) }
    }
}

/// Builds and compresses the shards, each with its beginning. Each page is encoded once. A long
/// page is encoded a second time in parts, because the size of parts depends on the bytes of all
/// pages. The bytes of known shards are not kept: clearing the memory for them would take longer
/// than encoding the changed pages once more.
pub fn build(
    pages: &[Page],
    chunks: &Chunks,
    columns: &[Built],
    replaced: &ReplacedFiles,
) -> anyhow::Result<Vec<Shard>> {
    let earlier = replaced.earlier();
    let chunked = |page: usize| chunks.page(page);
    let bytes = |page: usize, sections: Option<&Range<u32>>| -> anyhow::Result<Vec<u8>> {
        let chunked = chunked(page)?;
        let text = page_text(&pages[page], &chunked, columns);
        Ok(match sections {
            Some(sections) => text.part(sections.clone()).to_bytes()?,
            None => text.to_bytes()?,
        })
    };
    let encoded = |page: usize, sections: Option<&Range<u32>>| -> anyhow::Result<Encoded> {
        let keeps = !earlier.knows_shards() && chunks.is_held(page);
        Ok(Encoded::of(bytes(page, sections)?, keeps, earlier))
    };
    let whole = (0..pages.len())
        .into_par_iter()
        .map(|page| encoded(page, None))
        .collect::<anyhow::Result<Vec<Encoded>>>()?;
    let total = whole.iter().map(|encoded| encoded.len).sum();
    let target = ShardCutter::best_target(total, BYTES_PER_SHARD, SHARDS_PER_QUERY, MIN_SHARD);
    let whole = whole.into_par_iter().enumerate();
    let parts = whole.map(|(page, of_page)| match of_page.len > target {
        true => {
            let chunked = chunked(page)?;
            let text = page_text(&pages[page], &chunked, columns);
            let part = |sections: Range<u32>| {
                let keeps = of_page.bytes.is_some();
                let encoded = text.part(sections.clone()).to_bytes()?;
                let encoded = Encoded::of(encoded, keeps, earlier);
                Ok(Part { page, sections: Some(sections), encoded })
            };
            parts(&text, target).into_iter().map(part).collect()
        }
        false => Ok(vec![Part { page, sections: None, encoded: of_page }]),
    });
    let parts: Vec<Vec<Part>> = parts.collect::<anyhow::Result<_>>()?;
    let mut cutter = ShardCutter::new(target);
    let mut shards: Vec<(First, Vec<Part>)> = Vec::new();
    for (id, (page, parts)) in (0..).zip(pages.iter().zip(parts)) {
        for part in parts {
            let first = part.sections.as_ref().map_or(0, |sections| sections.start);
            if first > 0 {
                cutter.cut();
            }
            if cutter.cut_before(&page.id, part.encoded.len) || shards.is_empty() {
                shards.push(((PageId(id), first), Vec::new()));
            }
            if let Some((_, own)) = shards.last_mut() {
                own.push(part);
            }
        }
    }
    let encode = |(first, parts): (First, Vec<Part>)| -> anyhow::Result<Shard> {
        let key = key(&parts);
        if let Some(known) = key.and_then(|key| earlier.find(&key, ShardKind::Texts)).flatten() {
            return Ok((first, known));
        }
        let mut builder = TextsBuilder::new();
        for Part { page, sections, encoded } in parts {
            match encoded.bytes {
                Some(bytes) => builder.push_bytes(&bytes),
                None => builder.push_bytes(&bytes(page, sections.as_ref())?),
            }
        }
        let stored = replaced.encode(ShardKind::Texts, &builder.finish())?;
        if let Some(key) = key {
            earlier.note(key, Some(&stored));
        }
        Ok((first, stored))
    };
    shards.into_par_iter().map(encode).collect()
}

/// Returns the key of a shard that is made of parts; `None` if shards are not found by keys.
fn key(parts: &[Part]) -> Option<Key> {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&[ShardKind::Texts as u8]).update(b"parts");
    for Part { encoded, .. } in parts {
        hasher.update(&encoded.hash?);
    }
    Some(key_of(&hasher))
}

/// Divides the sections of a long page into parts of about `target` bytes. Hashes of headings
/// decide where parts end, so that an edit moves few boundaries.
fn parts(page: &PageText<'_>, target: usize) -> Vec<Range<u32>> {
    let mut cutter = ShardCutter::new(target);
    let n = page.sections.len() as u32;
    let ends = (0..n).zip(&page.sections).filter_map(|(place, section)| {
        let key = [page.id, section.anchor.as_deref().unwrap_or(section.heading)].concat();
        cutter.cut_before(key, section.text.len()).then_some(place)
    });
    let starts: Vec<u32> = std::iter::once(0).chain(ends).collect();
    let ends = starts.iter().skip(1).copied().chain([n]);
    starts.iter().zip(ends).map(|(&first, end)| first..end).collect()
}

/// Returns the own attributes of a page or section, each by its index among all.
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

//! The analyses of all batches of pages. The analyses of unchanged pages come from the log of the
//! previous build.

use std::io;
use std::ops::Range;

use rayon::prelude::*;

use super::batch_index::{BatchIndex, put};
use super::batches::Batch;
use super::page_batch::{PageBatch, Readers};
use super::{BATCH, Input};
use findling_base::progress::Counter;
use findling_base::record_log::{Key, Kind, RecordLog, Used, key_of, program};
use findling_base::scratch::Scratch;

/// The kind of the log.
pub const KIND: Kind = Kind { magic: *b"FNDLANAL", version: 4 };

/// Analyses all pages in batches with fixed boundaries. Batches that are in the log are not
/// analysed again. Without a log, batches that do not fit in memory are put into a temporary file.
pub fn analyses(
    input: &Input<'_>,
    log: Option<RecordLog>,
    bar: &Counter,
) -> io::Result<Vec<Batch>> {
    let scratch = Scratch::new(if log.is_some() { u64::MAX } else { input.memory });
    let n_pages = input.pages.len();
    let starts: Vec<usize> = (0..n_pages).step_by(BATCH).collect();
    let log = log.map(|log| (log, base(input)));
    let analysed = starts.par_iter().map(|&start| {
        let pages = start..(start + BATCH).min(n_pages);
        let n = pages.len() as u64;
        let known = log.as_ref().map(|(log, base)| {
            let key = key(base.clone(), input, pages.clone())?;
            Ok::<_, io::Error>((key, log.get(&key).and_then(BatchIndex::read)))
        });
        let (batch, used) = match known.transpose()? {
            Some((key, Some(batch))) => (batch, Some((key, false))),
            Some((key, None)) => (analyse(input, pages)?, Some((key, true))),
            None => (analyse(input, pages)?, None),
        };
        bar.add(n);
        Ok((Batch::new(batch, &scratch), used))
    });
    let analysed: Vec<(Batch, Option<(Key, bool)>)> = analysed.collect::<io::Result<_>>()?;
    let (batches, keys): (Vec<Batch>, Vec<_>) = analysed.into_iter().unzip();
    if let Some((log, _)) = log {
        let used = keys.into_iter().zip(&batches).filter_map(|(key, batch)| {
            let ((key, is_new), Batch::Held(batch)) = (key?, batch) else { return None };
            Some(Used { key, new: is_new.then(|| batch.bytes()) })
        });
        // Without the log, the next build only takes longer.
        let _ = log.store(used.collect());
    }
    Ok(batches)
}

/// Hashes the inputs on which the analysis of every page depends.
fn base(input: &Input<'_>) -> blake3::Hasher {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&program());
    let mut coded = Vec::new();
    put(&mut coded, input.synonyms.len() as u64);
    input.synonyms.iter().for_each(|synonym| put(&mut coded, (&synonym.from, &synonym.to)));
    hasher.update(&coded);
    hasher
}

/// Returns the key of the analysis of these pages: a hash of the inputs that all pages share
/// (already in `hasher`) and of the pages' own inputs.
fn key(mut hasher: blake3::Hasher, input: &Input<'_>, pages: Range<usize>) -> io::Result<Key> {
    let mut coded = Vec::new();
    for at in pages {
        let page = &input.pages[at];
        put(&mut coded, (input.languages.of_page(at), &page.title, &page.url, &page.aliases));
        let chunked = input.chunks.page(at)?;
        put(&mut coded, (&page.pins, &*chunked));
        for section in &chunked.sections {
            // If the list has no room for a section's language, the page's language is used.
            put(&mut coded, input.languages.of_section(at, &section.language));
        }
        hasher.update(&coded);
        coded.clear();
    }
    Ok(key_of(&hasher))
}

fn analyse(input: &Input<'_>, pages: Range<usize>) -> io::Result<BatchIndex> {
    let mut batch = PageBatch::default();
    let mut readers = Readers::new(input.languages, input.synonyms);
    for page in pages {
        batch.page(&input.pages[page], &*input.chunks.page(page)?, page, &mut readers);
    }
    Ok(BatchIndex::encode(batch))
}

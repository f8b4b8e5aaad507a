//! The analyses of all batches of pages. Those of unchanged pages come from the log of the previous
//! build.

use std::collections::HashMap;

use findling_text::Analyzer;
use indicatif::ProgressBar;
use rayon::prelude::*;

use super::batch_index::{BatchIndex, put};
use super::page_batch::{PageBatch, Reader};
use super::{BATCH, Input};
use crate::index::synonyms::Rows;
use crate::record_log::{Key, Kind, RecordLog, Used, key_of, program};

/// The kind of the log.
pub const KIND: Kind = Kind { magic: *b"FNDLANAL", version: 1 };

/// Analyses all pages in batches with fixed boundaries. What the log has is not analysed again.
pub fn analyses(input: &Input<'_>, log: Option<RecordLog>, bar: &ProgressBar) -> Vec<BatchIndex> {
    let n_pages = input.pages.len();
    let starts: Vec<usize> = (0..n_pages).step_by(BATCH).collect();
    let analysed = starts.par_iter().map(|&start| {
        let pages = start..(start + BATCH).min(n_pages);
        bar.inc(pages.len() as u64);
        let Some(log) = &log else { return (analyse(input, pages), None) };
        let key = key(input, pages.clone());
        match log.get(&key).and_then(BatchIndex::read) {
            Some(batch) => (batch, Some((key, false))),
            None => (analyse(input, pages), Some((key, true))),
        }
    });
    let (batches, keys): (Vec<BatchIndex>, Vec<Option<(Key, bool)>>) = analysed.unzip();
    if let Some(log) = log {
        let used = keys.into_iter().zip(&batches).filter_map(|(key, batch)| {
            let (key, is_new) = key?;
            Some(Used { key, new: is_new.then(|| batch.bytes()) })
        });
        // Without the log the next build takes longer, and nothing else.
        let _ = log.store(used.collect());
    }
    batches
}

/// What decides the analysis of pages.
fn key(input: &Input<'_>, pages: std::ops::Range<usize>) -> Key {
    let Input { languages, synonyms, vectors, .. } = *input;
    let mut hasher = blake3::Hasher::new();
    hasher.update(&program());
    let mut coded = Vec::new();
    put(&mut coded, (vectors, synonyms.len() as u64));
    synonyms.iter().for_each(|synonym| put(&mut coded, (&synonym.from, &synonym.to)));
    for at in pages {
        let page = &input.pages[at];
        put(&mut coded, (languages.of_page(at), &page.title, &page.url, &page.aliases));
        put(&mut coded, (&page.pins, &input.chunks[at]));
        hasher.update(&coded);
        coded.clear();
    }
    key_of(&hasher)
}

fn analyse(input: &Input<'_>, pages: std::ops::Range<usize>) -> BatchIndex {
    let mut batch = PageBatch::default();
    let mut analyzers = HashMap::new();
    for page in pages {
        let language = input.languages.of_page(page);
        let (analyzer, rows) = analyzers.entry(language).or_insert_with(|| {
            let mut analyzer = Analyzer::for_language(language);
            let rows = Rows::new(input.synonyms, &mut analyzer);
            (analyzer, rows)
        });
        let reader = &mut Reader { analyzer, synonyms: rows };
        batch.page(&input.pages[page], &input.chunks[page], input.vectors, reader);
    }
    BatchIndex::read(BatchIndex::encode(batch)).expect("a batch is read as it was written")
}

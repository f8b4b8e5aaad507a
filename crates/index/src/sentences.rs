//! Codes of the sentences of long sections. With them the engine chooses the snippet of a section
//! that was found by meaning alone. They are made with the rows of the static encoder, which takes
//! almost no time and is close enough to the documents' encoder.

use std::io;

use findling_bundle::PageId;
use findling_bundle::sentences::{SentencesBuilder, code};
use findling_text::sentences::stretches;
use rayon::prelude::*;

use super::chunks::Chunks;
use super::rows::{Reader, Rows};
use findling_page::chunk::ChunkedSection;
use findling_page::shard_cutter::ShardCutter;

/// The bytes of a shard in the manifest, which every reader fetches, and the number of shards that
/// a query fetches. Most queries fetch none; a semantic query fetches about one for each page
/// shown.
const BYTES_PER_SHARD: usize = 4;
const MIN_SHARD: usize = 4 << 10;
const SHARDS_PER_QUERY: usize = 1;

/// Shards, uncompressed, each with its first page.
pub type Sentences = Vec<(PageId, Vec<u8>)>;

/// Builds the shards; also returns the number of codes.
///
/// # Errors
/// If a limit of the format is exceeded, or a temporary file cannot be read.
pub fn build(rows: &Rows, chunks: &Chunks) -> anyhow::Result<(Sentences, u64)> {
    let reader = rows.reader();
    let of_page = |page: usize| {
        let page = chunks.page(page)?;
        Ok(page.sections.iter().map(|section| codes(&reader, section)).collect())
    };
    let pages: Vec<Vec<Vec<u64>>> =
        (0..chunks.n_pages()).into_par_iter().map(of_page).collect::<io::Result<_>>()?;
    let n_codes: usize = pages.iter().flatten().map(Vec::len).sum();
    if n_codes == 0 {
        return Ok(<_>::default());
    }
    let len = |page: &[Vec<u64>]| page.iter().map(|codes| 1 + 8 * codes.len()).sum::<usize>() + 1;
    let total = pages.iter().map(|page| len(page)).sum();
    let mut cutter = ShardCutter::new(ShardCutter::best_target(
        total,
        BYTES_PER_SHARD,
        SHARDS_PER_QUERY,
        MIN_SHARD,
    ));
    let mut shards = Vec::new();
    let (mut first, mut builder) = (PageId(0), SentencesBuilder::new());
    for (id, page) in (0..).zip(&pages) {
        let key: Vec<u8> =
            page.iter().flatten().take(4).flat_map(|code| code.to_le_bytes()).collect();
        if cutter.cut_before(&key, len(page)) {
            shards.push((first, std::mem::take(&mut builder).finish()));
            first = PageId(id);
        }
        builder.push(page)?;
    }
    shards.push((first, builder.finish()));
    Ok((shards, n_codes as u64))
}

/// Returns the codes of a section; empty if there is only one possible snippet. Only the first part
/// of a very long section has codes, because a reader fetches the codes of the whole page.
fn codes(reader: &Reader<'_>, section: &ChunkedSection) -> Vec<u64> {
    let text = &section.text;
    let stretches = stretches(text);
    if section.continues || stretches.len() < 2 {
        return Vec::new();
    }
    stretches
        .into_iter()
        .map(|range| code(&reader.embed(&text[range]).unwrap_or_default()))
        .collect()
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use findling_bundle::SentencesShard;

    use super::*;
    use crate::rows;
    use findling_models::static_table;
    use findling_page::chunk::ChunkedPage;

    #[test]
    fn only_what_is_longer_than_a_snippet_has_codes() {
        let table = static_table::general().unwrap();
        let section =
            |text: &str| ChunkedSection { text: text.into(), ..ChunkedSection::default() };
        let lock = "A lock guards data that is shared between threads, so that only one of them at \
             a time can change what it holds. ";
        let kiln = "Pots are glazed and fired in the kiln at a thousand degrees until the glaze \
             has melted and covers all the clay. ";
        let page = |sections| ChunkedPage { sections };
        let next_part = ChunkedSection { continues: true, ..section(&[kiln, lock].concat()) };
        let mut chunks = vec![
            page(vec![section(lock), section(&[lock, kiln].concat()), next_part]),
            page(vec![]),
            page(vec![section("")]),
        ];
        let rows = rows::select(&table, &[lock, kiln, "mutex for threads"], rows::BUDGET);
        let without = Chunks::from(chunks.split_off(1));
        chunks.extend(without.pages(0..2).unwrap().into_iter().map(Cow::into_owned));
        let (shards, n_codes) = build(&rows, &Chunks::from(chunks)).unwrap();
        assert_eq!((shards.len(), shards[0].0, n_codes), (1, PageId(0), 2));
        let shard = SentencesShard::from_bytes(&shards[0].1).unwrap();
        assert_eq!([shard.codes(0, 0).len(), shard.codes(2, 0).len()], [0, 0]);
        let [of_lock, of_kiln] = *shard.codes(0, 1) else { panic!("two codes") };
        let query = code(&rows.reader().embed("mutex for threads").unwrap());
        assert!((query ^ of_lock).count_ones() < (query ^ of_kiln).count_ones());
        assert!(build(&rows, &without).unwrap().0.is_empty());
    }
}

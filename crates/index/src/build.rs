//! Builds a bundle in memory from pages.

use std::io;
use std::path::Path;
use web_time::Instant;

use anyhow::Context;
use findling_bundle::{ShardKind, addresses};
use findling_encoder::Side;
use rayon::prelude::*;

use super::assemble::{self, Parts};
use super::chunks::Chunks;
#[cfg(feature = "vectors")]
use super::dense::build_dense;
use super::earlier_shards::{self, EarlierShards};
#[cfg(feature = "vectors")]
use super::job::DenseInput;
use super::job::{Job, Outcome};
use super::languages::Languages;
use super::previous_build::PreviousBuild;
use super::shards::ReplacedFiles;
use super::stage::Stage;
use super::stored::Stored;
use super::{chunks, columns, copies, lexical, page_order, texts};
use findling_base::progress::{Progress, thousands};
use findling_base::record_log::RecordLog;
use findling_base::scratch::Scratch;
use findling_encoder::BoxedEncoder;
use findling_page::chunk::{ChunkOptions, chunk};
use findling_page::page::Page;

/// Builds a bundle in memory.
///
/// # Errors
/// If the encoder fails, or the corpus exceeds a limit of the bundle format.
pub fn build(job: Job<'_>, progress: &dyn Progress) -> anyhow::Result<Outcome> {
    let Job { mut pages, encoder, cache, query_encoders, table, earlier, replaced, logs, options } =
        job;
    let mut stages = Vec::new();

    let started = Instant::now();
    page_order::by_sections(&mut pages);
    if let Some(addresses) = earlier.as_ref().and_then(PreviousBuild::addresses) {
        pages = page_order::keep(pages, &addresses);
    }
    if options.copies {
        let n_copies = copies::mark(&mut pages).context("cannot look for copies")?;
        if n_copies > 0 {
            progress.status(
                "Copies",
                format!(
                    "{} copies of pages found; each page is shown once",
                    thousands(n_copies as u64)
                ),
            );
        }
    }
    // Chunking takes the pages' sections.
    let languages = Languages::of(&pages, options.language.as_deref());
    let scratch = Scratch::new(options.memory);
    let chunks = chunk_all(&mut pages, encoder, &options.chunk, &scratch, progress)
        .context("cannot cut the pages into sections")?;
    let n_sections = (0..chunks.n_pages()).map(|page| chunks.n_sections(page) as u64).sum();
    stages.push(Stage::ended("chunk", started, n_sections, "sections", progress));

    let started = Instant::now();
    let bar = progress.count("Analysing", Some(pages.len() as u64), "pages");
    let log = |path: &Path, kind| RecordLog::open(path, kind);
    let shards = logs.map(|logs| log(logs.shards, earlier_shards::KIND));
    let shards = EarlierShards::of(earlier.as_ref().map(PreviousBuild::files), shards)
        .with_memory(options.memory / 2);
    let analyses = logs.map(|logs| log(logs.analyses, lexical::ANALYSES));
    let replaced = replaced.with_shards(shards);
    let input = lexical::Input {
        pages: &pages,
        chunks: &chunks,
        languages: &languages,
        synonyms: &options.synonyms,
        memory: options.memory,
    };
    // The two are independent, and each has parts that only one core can do.
    let (lexical, stored) = rayon::join(
        || lexical::analyse(&input, analyses, replaced.earlier(), &bar),
        || columns_and_texts(&pages, &chunks, &replaced, progress),
    );
    bar.finish();
    let lexical = lexical.context("cannot build the lexical index")?;
    let (columns, texts) = stored?;
    let addresses =
        addresses::write(pages.iter().map(|page| (page.id.as_str(), page.url.as_str())));
    stages.push(Stage::ended("analyse", started, pages.len() as u64, "pages", progress));
    progress.detail(format!(
        "{} terms, {} postings, languages {}",
        thousands(lexical.n_terms.into()),
        thousands(lexical.n_postings),
        languages.list.join(", ")
    ));

    let dense: Option<assemble::DenseParts> = match encoder {
        None => None,
        #[cfg(feature = "vectors")]
        Some(encoder) => {
            let replaced = &replaced;
            let input = DenseInput { encoder, cache, query_encoders, table, earlier, replaced };
            Some(build_dense(input, &chunks, &options, &mut stages, progress)?)
        }
        #[cfg(not(feature = "vectors"))]
        Some(_) => {
            let _ = (cache, query_encoders, table);
            anyhow::bail!(
                "expected a build without an encoder, found one: this program indexes words only"
            )
        }
    };
    let n_truncated = dense.as_ref().map_or(0, |dense| dense.embedded.n_truncated);

    let started = Instant::now();
    let parts = Parts {
        languages: languages.list,
        lexical,
        synonyms: options.synonyms,
        ranking: options.ranking,
        columns,
        texts,
        addresses,
        dense,
        replaced: replaced.clone(),
    };
    // Freeing the texts of a large site is slow, so it overlaps with assembling.
    let (bundle, ()) = rayon::join(|| assemble::assemble(parts), || drop((pages, chunks)));
    let bundle = bundle.context("cannot assemble the bundle")?;
    let unchanged = replaced.earlier().store(&bundle);
    stages.push(Stage::ended("assemble", started, bundle.n_bytes(), "bytes", progress));
    Ok(Outcome { bundle, stages, n_truncated, unchanged })
}

/// A column and its stored bytes.
type StoredColumn = (columns::Built, Stored);

/// Returns the columns of attributes with their shards, and the shards of texts, each with its
/// beginning.
fn columns_and_texts(
    pages: &[Page],
    chunks: &Chunks,
    replaced: &ReplacedFiles,
    progress: &dyn Progress,
) -> anyhow::Result<(Vec<StoredColumn>, Vec<texts::Shard>)> {
    let mut columns = columns::build(pages, chunks, &mut |warning| progress.warn(warning))
        .context("cannot index the attributes")?;
    // A column changes with each section, and a large one takes long to compress.
    let encode =
        |built: &columns::Built| replaced.encode(ShardKind::Column, &built.column.to_bytes());
    let (encoded, texts) = rayon::join(
        || columns.par_iter().map(encode).collect::<Result<Vec<Stored>, _>>(),
        || texts::build(pages, chunks, &columns, replaced),
    );
    let encoded = encoded.context("cannot store the attributes")?;
    let lens: Vec<usize> = encoded.iter().map(|(_, stored)| stored.len()).collect();
    columns::limit_facets(&mut columns, &lens, &mut |warning| progress.warn(warning));
    let texts = texts.context("cannot store the texts")?;
    Ok((columns.into_iter().zip(encoded).collect(), texts))
}

/// Returns the texts of pages that are embedded, in order.
///
/// # Errors
/// If texts that are not in memory cannot be read.
pub fn units(
    mut pages: Vec<Page>,
    encoder: &BoxedEncoder,
    options: &ChunkOptions,
    progress: &dyn Progress,
) -> anyhow::Result<Vec<String>> {
    let scratch = Scratch::new(u64::MAX);
    let chunks = chunk_all(&mut pages, Some(encoder), options, &scratch, progress)?;
    let pages = chunks.pages(0..chunks.n_pages())?;
    let sections = pages.iter().flat_map(|page| &page.sections);
    Ok(sections.flat_map(|section| &section.units).map(|unit| unit.text.clone()).collect())
}

/// Chunks all pages. From here on the chunks hold the text: the sections of each page are freed,
/// because the next stages need the most memory.
fn chunk_all(
    pages: &mut [Page],
    encoder: Option<&BoxedEncoder>,
    options: &ChunkOptions,
    scratch: &Scratch,
    progress: &dyn Progress,
) -> io::Result<Chunks> {
    let bar = progress.count("Chunking", Some(pages.len() as u64), "pages");
    let mut options = options.clone();
    options.units = encoder.is_some();
    // The tokens of an empty text are the special tokens that the model adds.
    let special = encoder.map_or(0, |encoder| encoder.count_tokens("", Side::Document));
    if let Some(encoder) = encoder {
        options.special_tokens = special as usize;
        options.max_tokens = options.max_tokens.min(encoder.card().max_tokens as usize);
    }
    let tokens = |text: &str| {
        let tokens = encoder.map_or(0, |encoder| encoder.count_tokens(text, Side::Document));
        tokens.saturating_sub(special) as usize
    };
    let chunks = pages
        .par_iter_mut()
        .map(|page| {
            page.restore()?;
            let chunked = chunk(page, &options, tokens);
            page.sections = Vec::new();
            bar.add(1);
            Ok(chunks::Kept::new(chunked, scratch))
        })
        .collect::<io::Result<Vec<chunks::Kept>>>()?;
    bar.finish();
    Ok(chunks.into_iter().collect())
}

#[cfg(test)]
mod tests {
    use findling_bundle::{AttributeValue, encode_manifest};
    use findling_encoder::hash::HashEncoder;

    use super::*;
    use crate::Options;
    use crate::embedding::Cache;
    use findling_base::progress::Silent;
    use findling_page::page::{Block, Section};

    fn pages(n: usize) -> Vec<Page> {
        (0..n)
            .map(|i| {
                let sections = (0..1 + i % 4)
                    .map(|s| Section {
                        level: 1 + (s % 3) as u8,
                        heading: format!("Heading {s} of {i}"),
                        anchor: Some(format!("h{s}")),
                        blocks: (0..1 + s % 3)
                            .map(|b| Block {
                                text: format!(
                                    "Paragraph {b} says word{} and word{} about topic{}.",
                                    i % 11,
                                    s * b,
                                    i % 5
                                ),
                                code: vec![],
                                is_code_block: false,
                                weight: 1.0,
                            })
                            .collect(),
                        ..Section::default()
                    })
                    .collect();
                let mut page = Page {
                    id: format!("page{i:04}.html"),
                    url: format!("/part{}/page{i}", i % 3),
                    title: format!("Page {i}"),
                    language: if i % 10 == 0 { "de".into() } else { "en".into() },
                    sections,
                    ..Page::default()
                };
                page.attributes
                    .insert("part".into(), AttributeValue::String(format!("part{}", i % 3)));
                page.attributes.insert("n".into(), AttributeValue::Number(i as f64));
                page
            })
            .collect()
    }

    fn bytes(pages: Vec<Page>, cache: Option<Cache>, threads: usize) -> (Vec<u8>, Vec<Vec<u8>>) {
        let encoder: BoxedEncoder = Box::new(HashEncoder::new(32));
        let options = Options { graph_from: 50, ..Options::default() };
        let job = Job { pages, encoder: Some(&encoder), cache, options, ..Job::default() };
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let outcome = pool.install(|| build(job, &Silent)).unwrap();
        assert!(outcome.bundle.manifest.dense.as_ref().unwrap().graph.is_some());
        let shards = outcome.bundle.shards.iter().map(|stored| stored.read().unwrap().into_owned());
        (encode_manifest(&outcome.bundle.manifest).unwrap().1, shards.collect())
    }

    #[test]
    fn few_or_very_many_vectors_get_no_graph() {
        let has_graph = |graph_from, graph_up_to| {
            let encoder: BoxedEncoder = Box::new(HashEncoder::new(32));
            let options = Options { graph_from, graph_up_to, ..Options::default() };
            let job = Job { pages: pages(40), encoder: Some(&encoder), options, ..Job::default() };
            let bundle = build(job, &Silent).unwrap().bundle;
            bundle.manifest.dense.as_ref().unwrap().graph.is_some()
        };
        assert!(has_graph(50, 10_000));
        assert!(!has_graph(10_000, 20_000), "too few");
        assert!(!has_graph(10, 50), "too many");
    }

    #[test]
    fn equal_pages_give_equal_bytes() {
        let dir = tempfile::tempdir().unwrap();
        let cache = || Cache::open(dir.path(), HashEncoder::new(32).card_of()).ok();
        let once = bytes(pages(40), None, 1);
        assert!(once == bytes(pages(40), None, 3), "the bytes depend on the number of threads");
        assert!(once == bytes(pages(40), cache(), 2), "the bytes depend on an empty cache");
        assert!(once == bytes(pages(40), cache(), 2), "the bytes depend on a full cache");
    }

    #[test]
    fn what_has_no_room_in_memory_changes_no_byte() {
        let built = |memory: u64, documents: Option<&BoxedEncoder>| {
            let scratch = Scratch::new(memory);
            let mut pages = pages(700);
            // Copies are found by texts, and sections may have attributes of their own.
            pages.extend(pages[..20].to_vec());
            pages[3].sections[0].attributes.insert("n".into(), AttributeValue::Number(7.0));
            pages.iter_mut().for_each(|page| page.stow(&scratch));
            let table = crate::fit::tests::table(4);
            let chunk = ChunkOptions { longest_section: 300, part_bytes: 80, ..<_>::default() };
            let options = Options { memory, chunk, cells: true, ..Options::default() };
            let table = documents.is_some().then_some(&table);
            let job = Job { pages, encoder: documents, table, options, ..Job::default() };
            let Outcome { bundle, .. } = build(job, &Silent).unwrap();
            let shards: Vec<_> =
                bundle.stored().map(|(path, stored)| (path, stored.clone())).collect();
            (encode_manifest(&bundle.manifest).unwrap().1, shards)
        };
        // The first of the encoders has taught the table, the second has not.
        let encoders: [BoxedEncoder; 2] =
            [Box::new(HashEncoder::new(8)), Box::new(crate::fit::tests::table(4))];
        for documents in [None, Some(&encoders[0]), Some(&encoders[1])] {
            let expected = built(u64::MAX, documents);
            assert!(expected.1.len() > 20);
            for memory in [0, 100_000] {
                assert!(built(memory, documents) == expected, "{memory} bytes of memory");
            }
        }
    }

    trait CardOf {
        fn card_of(&self) -> &findling_bundle::EncoderCard;
    }

    impl CardOf for HashEncoder {
        fn card_of(&self) -> &findling_bundle::EncoderCard {
            findling_encoder::Encoder::card(self)
        }
    }

    #[test]
    fn adding_a_page_keeps_most_text_shards_unchanged() {
        let all = pages(2000);
        let mut fewer = all.clone();
        fewer.remove(1000);
        let texts = |pages| {
            let bundle = build(Job { pages, ..Job::default() }, &Silent).unwrap().bundle;
            let shards = bundle
                .manifest
                .texts
                .iter()
                .map(|range| bundle.shards[range.shard.index()].clone());
            shards.collect::<Vec<_>>()
        };
        let (before, after) = (texts(fewer), texts(all));
        let kept = after.iter().filter(|shard| before.contains(shard)).count();
        assert!(after.len() > 10 && kept + 4 >= after.len(), "{kept} of {} kept", after.len());
    }

    #[test]
    fn a_bundle_can_have_no_pages_or_no_vectors() {
        let empty = build(Job::default(), &Silent).unwrap().bundle;
        assert_eq!(empty.manifest.stats.n_pages, 0);
        assert!(empty.manifest.dense.is_none());
        let words = build(Job { pages: pages(3), ..Job::default() }, &Silent).unwrap().bundle;
        assert_eq!((words.manifest.stats.n_pages, words.manifest.stats.n_vectors), (3, 0));
        assert_eq!(words.manifest.languages, ["en", "de"]);
    }
}

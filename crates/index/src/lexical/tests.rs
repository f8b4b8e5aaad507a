use std::collections::BTreeMap;

use findling_bundle::lexicon::Posting;
use findling_bundle::{Level, PositionsShard, Stats, TermsShard, decode_shard};

use findling_text::keys::split_name;

use super::*;
use crate::tiers;
use findling_base::progress::Counter;
use findling_page::chunk::{ChunkedPage, ChunkedSection, EmbeddingUnit};

fn section(
    heading: &str,
    parent: Option<u32>,
    text: &str,
    passages: &[(u32, u32)],
) -> ChunkedSection {
    ChunkedSection {
        level: 1,
        heading: heading.to_owned(),
        parent,
        text: text.to_owned(),
        passages: passages.to_vec(),
        units: vec![EmbeddingUnit { span: (0, 0), text: text.to_owned() }],
        ..ChunkedSection::default()
    }
}

/// The document frequency of each term, and its postings on each level.
type Postings = BTreeMap<String, (u32, [Vec<Posting>; 3])>;

fn index(pages: &[Page], chunks: &[ChunkedPage]) -> (Lexical, Postings) {
    index_in("x-none", pages, chunks, u64::MAX)
}

fn index_in(
    language: &str,
    pages: &[Page],
    chunks: &[ChunkedPage],
    memory: u64,
) -> (Lexical, Postings) {
    let languages = Languages::of(pages, Some(language));
    let languages = &languages;
    let chunks = &Chunks::from(chunks.to_vec());
    let input = Input { pages, chunks, languages, synonyms: &[], memory };
    let earlier = EarlierShards::default();
    let lexical = analyse(&input, None, &earlier, &Counter::default()).unwrap();
    let stats = Stats {
        n_pages: lexical.structure.n_pages(),
        n_sections: lexical.structure.n_sections(),
        n_passages: lexical.structure.n_passages(),
        n_vectors: lexical.structure.n_vectors(),
        n_terms: lexical.n_terms,
        mean_len: [0.0; 6],
    };
    let mut all = BTreeMap::new();
    for range in &lexical.ranges {
        let shard = TermsShard::from_bytes(raw(&range.terms), &stats).unwrap();
        let mut terms = shard.terms();
        while let Some((term, entry)) = terms.advance() {
            all.insert(term.to_owned(), (entry.df, shard.lists(&entry, &lexical.structure)));
        }
    }
    assert_eq!(all.len(), lexical.n_terms as usize);
    (lexical, all)
}

/// Returns the contents of a shard.
fn raw((entry, stored): &Stored) -> Vec<u8> {
    decode_shard(entry, &stored.read().unwrap()).unwrap()
}

fn sample() -> (Vec<Page>, Vec<ChunkedPage>) {
    let page =
        |title: &str, url: &str| Page { title: title.into(), url: url.into(), ..Page::default() };
    let pages = vec![page("Alpha guide", "/guide/alpha-start.html"), page("Beta", "/beta/")];
    let mut coded = section("Deep", Some(0), "plain words vec push plain", &[(0, 11), (12, 26)]);
    coded.code = vec![(12, 20)];
    coded.weights = vec![(21, 26, 3.0)];
    let mut hidden = section("", None, "seen unseen", &[(0, 11)]);
    hidden.weights = vec![(5, 11, 0.0)];
    let chunks = vec![
        ChunkedPage { sections: vec![section("Top", None, "alpha text", &[(0, 10)]), coded] },
        ChunkedPage { sections: vec![hidden] },
    ];
    (pages, chunks)
}

#[test]
fn postings_are_on_the_right_level_and_field() {
    let (pages, chunks) = sample();
    let (lexical, terms) = index(&pages, &chunks);
    let posting = |id, tf, len| Posting { id, tf, len };
    // In title and path of page 0, and in passage 0; the page has three passages.
    let alpha = [vec![posting(0, [1, 1], [2, 0])], vec![], vec![posting(0, [1, 0], [2, 0])]];
    assert_eq!(terms["alpha"], (3, alpha));
    // The heading of section 0 is an ancestor of section 1: one passage is its own, two are below
    // it.
    let top = vec![posting(0, [1, 0], [1, 0]), posting(1, [0, 1], [0, 0])];
    assert_eq!(terms["top"], (3, [vec![], top, vec![]]));
    // Code has its own field. A weight of 3 counts three times, but does not make a text longer.
    assert_eq!(terms["push"], (1, [vec![], vec![], vec![posting(2, [0, 1], [0, 2])]]));
    assert_eq!(terms["plain"].1[2], [posting(1, [1, 0], [2, 0]), posting(2, [3, 0], [1, 0])]);
    assert_eq!(terms["beta"].1[0], [posting(1, [1, 1], [1, 0])]);
    // A weight of 0 hides a word.
    assert!(terms.contains_key("seen") && !terms.contains_key("unseen"));
    let structure = &lexical.structure;
    assert_eq!((structure.n_passages(), structure.n_vectors()), (4, 3));
    // Titles and paths over passages: three times [2, 3] and once [1, 1]; three passages lie
    // under a heading.
    assert_eq!(lexical.mean_len, [1.75, 2.5, 1.0, 1.0, 1.5, 2.0]);
}

#[test]
fn positions_count_words_within_a_field() {
    let (pages, chunks) = sample();
    let (lexical, _) = index(&pages, &chunks);
    let stats = Stats {
        n_pages: 2,
        n_sections: 3,
        n_passages: 4,
        n_terms: lexical.n_terms,
        ..Stats::default()
    };
    let range = &lexical.ranges[0];
    let terms = TermsShard::from_bytes(raw(&range.terms), &stats).unwrap();
    let Positions { pages, ranges, shards } = &lexical.positions;
    assert_eq!((&pages[..], &ranges[..]), (&[1, 1][..], &[1][..]), "each page is a block");
    let first = PositionsShard::from_bytes(raw(shards[0].as_ref().unwrap())).unwrap();
    let (mut lists, mut list) = (first.lists(0), Vec::new());
    let mut found = Vec::new();
    let mut walk = terms.terms();
    while let Some((term, entry)) = walk.advance() {
        for level in Level::ALL {
            for posting in terms.postings(&entry, level, &lexical.structure) {
                if level == Level::Page && posting.id == 0 || level != Level::Page && posting.id < 3
                {
                    lists.next_list(level, posting.tf, &mut list);
                    found.push((term.to_owned(), level, list.clone()));
                }
            }
        }
    }
    let of = |term: &str, level: Level| -> Vec<_> {
        found.iter().filter(|at| at.0 == term && at.1 == level).map(|at| at.2.clone()).collect()
    };
    assert_eq!(
        of("guide", Level::Page),
        [vec![1]],
        "second word of the title; the path has no positions"
    );
    assert_eq!(of("plain", Level::Passage), [vec![0], vec![2]]);
    // The title and the text of page 1.
    assert!(shards[1].is_some());
}

#[test]
fn titles_of_common_words_get_a_name_key() {
    let names = |n: usize| {
        let page = |i| Page { title: format!("common{} Rare{i}", i / n), ..Page::default() };
        let pages: Vec<Page> = (0..n + 1).map(page).collect();
        let (_, terms) = index(&pages, &vec![ChunkedPage::default(); n + 1]);
        let of = |first: &str| {
            terms.keys().filter(|key| split_name(key).is_some_and(|(of, _)| of == first)).count()
        };
        ["common0", "common1"].map(of)
    };
    // Titles are found by their words, unless these have more postings than the first tier.
    let most = tiers::n_first(Level::Page, usize::MAX);
    assert_eq!(names(most), [0, 0]);
    assert_eq!(names(most + 1), [most + 1, 0]);
}

#[test]
fn the_index_does_not_depend_on_the_number_of_threads() {
    let (mut pages, mut chunks) = (Vec::new(), Vec::new());
    for i in 0..300 {
        pages.push(Page {
            title: format!("Page {i}"),
            url: format!("/p{}/{i}", i % 7),
            ..Page::default()
        });
        let text = format!("word{} common text number {i}", i % 50);
        let end = text.len() as u32;
        chunks.push(ChunkedPage { sections: vec![section("Heading", None, &text, &[(0, end)])] });
    }
    let bytes = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let (lexical, _) = pool.install(|| index(&pages, &chunks));
        let terms = lexical.ranges.into_iter().map(|range| Some(range.terms));
        let shards: Vec<_> = terms.chain(lexical.positions.shards).collect();
        (lexical.structure.to_bytes(), shards)
    };
    assert_eq!(bytes(1), bytes(3));
}

/// Compares the parts of compounds with the result of a twin that scans every title for each term.
/// The titles come from a German site.
#[test]
fn titles_are_found_by_parts_that_any_page_has_as_words() {
    const WORDS: [&str; 12] = [
        "rand",
        "seitenrand",
        "tabelle",
        "tabellendokument",
        "dokument",
        "zeilenumbruch",
        "umbruch",
        "kopf",
        "zeile",
        "kopfzeile",
        "druckbereich",
        "bereichsname",
    ];
    // The pages of one batch lack words that other batches have.
    let pages: Vec<Page> = (0..3 * BATCH)
        .map(|i| Page { title: WORDS[(i / 16) % WORDS.len()].into(), ..Page::default() })
        .collect();
    let chunks = vec![ChunkedPage { sections: vec![section("", None, "", &[])] }; pages.len()];
    let mut analyzer = findling_text::Analyzer::for_language("de");
    let mut terms = Vec::new();
    for word in WORDS {
        analyzer.analyze(word, |token| terms.push(token.term.to_owned()));
    }
    let has = |title: &str, term: &str| {
        let long = |rest: &str| rest.chars().count() >= 4;
        let is_part = title.strip_suffix(term).or_else(|| title.strip_prefix(term));
        is_part.is_some_and(|rest| rest.is_empty() || long(rest) && long(term))
    };
    let expect = |term: &str| -> Vec<u32> {
        let of =
            (0..).zip(&pages).filter(|(i, _)| has(&terms[(*i as usize / 16) % WORDS.len()], term));
        of.map(|(i, _)| i).collect()
    };
    for memory in [u64::MAX, 0] {
        let (_, all) = index_in("de", &pages, &chunks, memory);
        assert!(all.keys().all(|term| !term.contains('\0')), "no candidate is left");
        for term in &terms {
            let found: Vec<u32> = all[term].1[Level::Page as usize].iter().map(|p| p.id).collect();
            assert_eq!(found, expect(term), "{term}");
        }
        assert!(!all.contains_key("druck"), "no page has it as a word");
    }
    assert!(expect("dokument").len() == 32 && expect("rand").len() == 32, "compounds count");
}

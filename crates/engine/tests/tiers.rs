//! Everyday words in two tiers of postings: which requests fetch both, and that earlier requests
//! make no difference.

mod support;

use findling_bundle::{AttributeKind, AttributeValue, ShardId, ShardKind};
use findling_engine::{Index, Limit, Mode, Order, Request, Response, Sort};
use support::{Bundle, Cut, Page, Section, build};

const PAGES: usize = 40;
const FIRST_TIER: usize = 5;

/// Builds a site on which every page contains `the river`, and every fourth page `the river bank`.
/// From page 20 on, the word `bank` is beyond the first tier.
fn bundle() -> Bundle {
    let page = |i: usize| Page {
        title: format!("page {i}"),
        url: format!("/{i}/"),
        language: "en".into(),
        sections: vec![Section {
            text: if i.is_multiple_of(4) { "river bank".into() } else { "river bed".into() },
            ..Section::default()
        }],
        attributes: vec![("group", AttributeValue::Number((i % 10) as f64))],
    };
    let pages: Vec<Page> = (0..PAGES).map(page).collect();
    build(
        &pages,
        &[("group", AttributeKind::Number)],
        Cut { first_tier: [usize::MAX, usize::MAX, FIRST_TIER], ..Cut::default() },
    )
}

fn streamed(bundle: &Bundle) -> Index {
    let mut index = bundle.open();
    index.set_streamed(true);
    index
}

fn river() -> Request {
    Request { query: "river".into(), mode: Mode::Lexical, limit: Limit(100), ..Request::default() }
}

/// Builds a site on which every title contains `stone`, every heading `bridge`, and every text
/// `water`. One page in eight also has `arch` in its title and heading.
fn levels(first_tier: [usize; 3]) -> Bundle {
    let page = |i: usize| {
        let arch = if i.is_multiple_of(8) { format!(" arch{i}") } else { String::new() };
        let section = Section {
            heading: format!("bridge{arch}"),
            text: "cold water".into(),
            ..Section::default()
        };
        Page {
            title: format!("stone{arch}"),
            url: format!("/{i}/"),
            language: "en".into(),
            sections: vec![section],
            attributes: vec![("group", AttributeValue::Number((i % 10) as f64))],
        }
    };
    let pages: Vec<Page> = (0..PAGES).map(page).collect();
    build(&pages, &[("group", AttributeKind::Number)], Cut { first_tier, ..Cut::default() })
}

/// Returns the answer, and the number of shards of the second tier that were fetched.
fn answer(bundle: &Bundle, index: &mut Index, request: Request) -> (Response, usize) {
    let (response, rounds) = bundle.answer(index, request).unwrap();
    let kind = |shard: &ShardId| Some(bundle.manifest.shard(*shard)?.kind);
    let is_second = |shard: &&ShardId| kind(shard) == Some(ShardKind::SecondTier);
    (response, rounds.iter().flatten().filter(is_second).count())
}

#[test]
fn a_streamed_bundle_ranks_by_the_first_tier_and_says_so() {
    let bundle = bundle();
    let (response, n_second) = answer(&bundle, &mut streamed(&bundle), river());
    assert_eq!(
        (response.total.pages, response.total.at_least, n_second),
        (FIRST_TIER as u32, true, 0)
    );
    assert_eq!(response.to_json().matches("\"atLeast\":true").count(), 1);
    // The rarity of every word is known, so results have the same score as with all postings.
    let resident = bundle.search(river());
    assert_eq!((resident.total.pages, resident.total.at_least), (PAGES as u32, false));
    assert!(!resident.to_json().contains("atLeast"));
    for page in &response.results {
        assert!(
            resident
                .results
                .iter()
                .any(|other| (&other.url, other.score) == (&page.url, page.score))
        );
    }
    let rare = Request { query: "page 7".into(), ..river() };
    assert!(answer(&bundle, &mut streamed(&bundle), rare).0.results[0].url == "/7/");
}

#[test]
fn where_every_match_counts_both_tiers_are_looked_into() {
    let bundle = bundle();
    let sort = Sort { by: "group".into(), descending: true };
    let requests = [
        Request { filter: Some("group=3".into()), ..river() },
        Request { query: "\"river bank\"".into(), ..river() },
        Request { query: "page -bank".into(), ..river() },
        Request { sort: Some(sort), ..river() },
    ];
    for request in requests {
        let (response, n_second) = answer(&bundle, &mut streamed(&bundle), request.clone());
        assert!(n_second > 0, "{}", request.query);
        assert!(!response.total.at_least);
        assert_eq!(response, bundle.search(request));
    }
    let phrase = Request { query: "\"river bank\"".into(), ..river() };
    assert_eq!(answer(&bundle, &mut streamed(&bundle), phrase).0.total.pages, PAGES as u32 / 4);
}

#[test]
fn titles_headings_and_texts_are_cut_alike() {
    let request = |query: &str| Request { query: query.into(), ..river() };
    for (level, word) in ["stone", "bridge", "water"].into_iter().enumerate() {
        let mut first_tier = [usize::MAX; 3];
        first_tier[level] = FIRST_TIER;
        let bundle = levels(first_tier);
        let (response, n_second) = answer(&bundle, &mut streamed(&bundle), request(word));
        let total = &response.total;
        assert_eq!((total.pages, total.at_least, n_second), (FIRST_TIER as u32, true, 0), "{word}");
        // The other terms are complete.
        for other in ["stone", "bridge", "water"].into_iter().filter(|other| *other != word) {
            let (response, _) = answer(&bundle, &mut streamed(&bundle), request(other));
            assert_eq!(
                (response.total.pages, response.total.at_least),
                (PAGES as u32, false),
                "{other}"
            );
        }
        for query in [format!("group:3 {word}"), format!("{word} -arch8")] {
            let (response, n_second) = answer(&bundle, &mut streamed(&bundle), request(&query));
            assert!(n_second > 0 && !response.total.at_least, "{query}");
            assert_eq!(response, bundle.search(request(&query)), "{query}");
        }
    }
}

#[test]
fn who_has_both_tiers_finds_what_one_tier_would() {
    let [whole, cut] = [[usize::MAX; 3], [3, 4, 5]].map(levels);
    for query in [
        "stone",
        "bridge water",
        "stone arch16",
        "\"stone arch24\"",
        "\"bridge arch32\"",
        "cold -arch8",
        "ston",
    ] {
        let request = Request { query: query.into(), explain: true, prefix: true, ..river() };
        let expect = whole.search(request.clone());
        assert!(expect.total.pages > 0, "{query}");
        assert_eq!(cut.search(request.clone()).results, expect.results, "{query}");
        // Phrases and exclusions determine what may be found, and positions are in the order of
        // both tiers.
        if query.contains(['"', '-']) {
            assert_eq!(
                answer(&cut, &mut streamed(&cut), request).0.results,
                expect.results,
                "{query}"
            );
        }
    }
}

#[test]
fn a_title_or_heading_that_is_the_query_leads() {
    let bundle = levels([FIRST_TIER; 3]);
    // The page is beyond the first tier on each level; the rare word finds it.
    for query in ["stone arch32", "bridge arch32"] {
        let request = Request { query: query.into(), ..river() };
        let (response, _) = answer(&bundle, &mut streamed(&bundle), request);
        assert_eq!(response.results[0].url, "/32/", "{query}");
        assert!(response.total.at_least);
    }
}

#[test]
fn what_another_value_would_give_is_counted_whole() {
    let bundle = bundle();
    let filtered = Request {
        filter: Some("group=3".into()),
        facets: vec!["group".into()],
        facets_instead: true,
        ..river()
    };
    let (response, _) = answer(&bundle, &mut streamed(&bundle), filtered.clone());
    let counts: Vec<u32> = response.facets[0].values.iter().map(|(_, count)| *count).collect();
    assert_eq!(counts, [PAGES as u32 / 10; 10]);
    assert_eq!(response, bundle.search(filtered));
    // Without a filter, the total is the number in the first tier, marked as a lower bound.
    let all = Request { facets: vec!["group".into()], ..river() };
    let (response, _) = answer(&bundle, &mut streamed(&bundle), all);
    assert!(response.total.at_least);
    assert_eq!(
        response.facets[0].values.iter().map(|(_, count)| count).sum::<u32>(),
        FIRST_TIER as u32
    );
}

#[test]
fn what_is_asked_of_one_page_is_answered_from_both() {
    let bundle = bundle();
    let why = Request { why: Some("/39/".into()), ..river() };
    let (response, n_second) = answer(&bundle, &mut streamed(&bundle), why);
    assert!(n_second > 0);
    let why = response.why.unwrap();
    assert!(why.words.iter().all(|word| word.on_page), "{:?}", why.words);
    assert!(why.hit.is_none());
    assert_eq!(why.reason, "So many pages say `river` that those are found which say most of it.");
}

#[test]
fn what_suggestions_would_find_is_counted_whole() {
    let bundle = bundle();
    let nothing = Request { filter: Some("group=99".into()), ..river() };
    let (response, _) = answer(&bundle, &mut streamed(&bundle), nothing.clone());
    assert_eq!(response.suggestions, bundle.search(nothing).suggestions);
    assert!(response.suggestions.iter().any(|suggestion| suggestion.pages == PAGES as u32));
}

#[test]
fn what_was_fetched_before_changes_nothing() {
    let bundle = bundle();
    let fresh = answer(&bundle, &mut streamed(&bundle), river()).0;
    let mut worn = streamed(&bundle);
    let phrase = Request { query: "\"river bank\"".into(), order: Order::Relevance, ..river() };
    assert!(answer(&bundle, &mut worn, phrase).1 > 0);
    assert_eq!(answer(&bundle, &mut worn, river()), (fresh, 0));
}

//! Search by words: what is found, in which order, and why that order is right.

mod support;

use findling_bundle::{AttributeKind, AttributeValue, ShardId, ShardKind};
use findling_engine::{Error, Limit, Mode, QueryVector, Request, Sort};
use findling_text::keys::split_form;
use serde_json::json;
use support::{Bundle, Cut, build, page, titles};

fn books() -> Bundle {
    let mut pages = vec![
        page(
            "Closures",
            &[
                ("", "Closures are anonymous functions that capture their environment."),
                ("Moving", "A closure can move what it captures.\nThreads often need that."),
            ],
        ),
        page(
            "Threads",
            &[
                ("Spawn", "To spawn a thread, pass a closure to the spawn function."),
                ("Shared State", "A mutex guards shared data. Use HashMap behind a mutex."),
            ],
        ),
        page(
            "The Slice Type",
            &[(
                "",
                "A slice is a reference to a contiguous sequence. The slice type has no ownership.",
            )],
        ),
        page(
            "Slices of pies",
            &[("", "Pies come in slices of all types: the apple slice, the cherry slice type.")],
        ),
    ];
    for (page, (book, year)) in pages.iter_mut().zip([
        ("book", 2018.0),
        ("book", 2021.0),
        ("reference", 2018.0),
        ("pies", 1999.0),
    ]) {
        page.attributes = vec![
            ("book", AttributeValue::String(book.into())),
            ("year", AttributeValue::Number(year)),
        ];
    }
    build(
        &pages,
        &[("book", AttributeKind::String), ("year", AttributeKind::Number)],
        Cut::default(),
    )
}

fn request(query: &str) -> Request {
    Request { query: query.into(), ..Request::default() }
}

#[test]
fn a_title_outranks_a_mention() {
    // Both pages have the word, but only one is about it.
    assert_eq!(books().find("closures"), ["Closures", "Threads"]);
    assert_eq!(books().find("threads"), ["Threads", "Closures"]);
}

#[test]
fn the_page_that_is_called_so_comes_first() {
    // "Slices of pies" has both words more often; the other page's title is the query.
    let response = books().search(Request { explain: true, ..request("the slice type") });
    assert_eq!(titles(&response), ["The Slice Type", "Slices of pies"]);
    let boosts = &response.results[0].sections[0].explain.as_ref().unwrap().boosts;
    assert_eq!(boosts[0].reason, "title");
}

#[test]
fn the_section_that_answers_leads_its_page() {
    let response = books().search(request("mutex"));
    let section = &response.results[0].sections[0];
    assert_eq!(section.url, "/threads/#shared-state");
    assert_eq!(section.heading_path, ["Shared State"]);
    let snippet = &section.snippet;
    assert_eq!(snippet.text, "A mutex guards shared data. Use HashMap behind a mutex.");
    assert_eq!(snippet.ranges, [(2, 7), (49, 54)]);
}

#[test]
fn the_passage_that_answers_is_shown_and_of_the_first_result_its_whole_section() {
    let response = books().search(request("threads"));
    assert_eq!(titles(&response), ["Threads", "Closures"]);
    let snippet = &response.results[1].sections[0].snippet;
    assert_eq!(snippet.text, "Threads often need that.");
    assert!(snippet.cut_start && !snippet.cut_end);
    let response = books().search(request("often"));
    let snippet = &response.results[0].sections[0].snippet;
    assert_eq!(snippet.text, "A closure can move what it captures.\nThreads often need that.");
    assert!(!snippet.cut_start && !snippet.cut_end);
}

#[test]
fn stop_words_alone_still_find() {
    assert!(books().find("of the").contains(&"Slices of pies".to_string()));
    // They are not looked up in queries with other words.
    assert_eq!(books().find("the mutex"), ["Threads"]);
}

#[test]
fn phrases_want_their_words_in_a_row() {
    assert_eq!(books().find("\"slice type\""), ["The Slice Type", "Slices of pies"]);
    assert_eq!(books().find("\"type slice\""), [""; 0]);
    // A phrase matches in a title, in a heading and across stop words, but not across passages.
    assert_eq!(books().find("\"the slice type\""), ["The Slice Type"]);
    assert_eq!(books().find("\"shared state\""), ["Threads"]);
    assert_eq!(books().find("\"captures threads\""), [""; 0]);
    // Stems are as good as words.
    assert_eq!(books().find("\"guard share data\""), ["Threads"]);
}

#[test]
fn exclusions_take_out_sections() {
    assert_eq!(books().find("closure -spawn"), ["Closures"]);
    assert_eq!(books().find("slice -\"cherry slice\""), ["The Slice Type"]);
    // The word is in the title, so no section of the page remains.
    assert_eq!(books().find("closure -threads"), ["Closures"]);
    let response = books().search(request("closure -threads"));
    assert_eq!(response.results[0].n_sections, 1);
}

#[test]
fn every_word_can_be_asked_for() {
    let found = |query: &str| {
        let request = Request { every_word: true, prefix: true, ..request(query) };
        titles(&books().search(request))
    };
    // Some pages have only one of the words.
    assert!(books().find("closure mutex").contains(&"Closures".to_owned()));
    assert_eq!(found("closure mutex"), ["Threads"]);
    // One word is in the title, the other in a section.
    assert_eq!(found("threads spawn"), ["Threads"]);
    // The words are in different sections; the last one is unfinished.
    assert_eq!(found("spawn mut"), ["Threads"]);
    assert_eq!(found("pies mut"), [""; 0]);
    // A word that no page has, and stop words, are not required.
    assert_eq!(found("the mutex of xylophones"), ["Threads"]);
    assert_eq!(found("xylophones"), [""; 0]);
    // All parts of a name are required.
    assert_eq!(found("hash-map mutex"), ["Threads"]);
    assert_eq!(found("of the"), ["Slices of pies"]);
    let why = Request { every_word: true, why: Some("/threads/".into()), ..request("mutex") };
    let error = books().answer(&mut books().open(), why).unwrap_err();
    assert!(matches!(error, Error::Request { .. }), "{error}");
}

#[test]
fn a_single_letter_is_completed_if_that_is_asked_for() {
    let found = |single_letter| {
        let request = Request { single_letter, prefix: true, ..request("m") };
        let mut found = titles(&books().search(request));
        found.sort();
        found
    };
    assert_eq!(found(false), [""; 0]);
    assert_eq!(found(true), ["Closures", "Threads"]);
}

#[test]
fn identifiers_are_found_whole_and_by_part() {
    assert_eq!(books().find("HashMap"), ["Threads"]);
    assert_eq!(books().find("hashmap"), ["Threads"]);
    assert_eq!(books().find("map"), ["Threads"]);
}

#[test]
fn the_last_word_may_be_unfinished() {
    let prefix = |query: &str| titles(&books().search(Request { prefix: true, ..request(query) }));
    assert_eq!(prefix("clos"), ["Closures", "Threads"]);
    assert_eq!(prefix("clos "), [""; 0]);
    assert_eq!(prefix("anonymous clos"), ["Closures", "Threads"]);
    // The stem is shorter than what was typed, and begins it: "refer".
    assert_eq!(prefix("referenc"), ["The Slice Type"]);
    assert_eq!(books().find("clos"), [""; 0]);
}

#[test]
fn filters_and_conditions_narrow() {
    let filtered = |query: &str, filter| {
        titles(&books().search(Request { filter: Some(filter), ..request(query) }))
    };
    assert_eq!(filtered("slice", json!("book=reference")), ["The Slice Type"]);
    assert_eq!(filtered("slice", json!({"year": {"lt": 2000}})), ["Slices of pies"]);
    assert_eq!(books().find("slice book:pies"), ["Slices of pies"]);
    assert_eq!(books().find("slice -book:pies"), ["The Slice Type"]);
    // There is no number, so these are ordinary words.
    assert_eq!(books().find("year:soon mutex"), ["Threads"]);
    let index = books().open();
    let unknown = index.search(Request { filter: Some(json!("nope=1")), ..request("slice") });
    assert!(matches!(unknown.err(), Some(Error::UnknownAttribute { .. })));
}

#[test]
fn no_query_shows_what_the_filter_leaves() {
    let response = books().search(Request {
        filter: Some(json!("book=book")),
        facets: vec!["*".into()],
        ..request(" ")
    });
    assert_eq!(titles(&response), ["Closures", "Threads"]);
    assert_eq!(response.facets[0].values, [("book".to_string(), 2)]);
    // A query that consists of signs does not request everything.
    assert_eq!(books().find("??"), [""; 0]);
}

#[test]
fn facets_count_all_matching_pages_whatever_is_shown() {
    let response = books().search(Request {
        limit: Limit(1),
        facets: vec!["book".into()],
        ..request("slice")
    });
    assert_eq!(response.results.len(), 1);
    assert_eq!(response.total.pages, 2);
    assert_eq!(response.facets[0].values, [("pies".to_string(), 1), ("reference".to_string(), 1)]);
}

#[test]
fn pages_are_ordered_by_an_attribute_on_request() {
    let sorted = |descending| {
        let sort = Some(Sort { by: "year".into(), descending });
        titles(&books().search(Request { sort, ..request("closure slice") }))
    };
    let up = sorted(false);
    assert_eq!(up[0], "Slices of pies");
    assert_eq!(up[3], "Threads");
    assert_eq!(sorted(true)[0], "Threads");
}

#[test]
fn attributes_come_with_the_hit() {
    let response = books().search(request("mutex"));
    assert_eq!(
        serde_json::to_value(&response.results[0].attributes).unwrap(),
        json!({"book": "book", "year": 2021})
    );
    assert_eq!(response.results[0].id, "doc-1");
}

#[test]
fn columns_are_fetched_for_what_asks_for_them_alone() {
    let books = books();
    let columns = |request: Request| {
        let (_, rounds) = books.answer(&mut books.open(), request).unwrap();
        let kind = |shard: &ShardId| books.manifest.shard(*shard).unwrap().kind;
        rounds.iter().flatten().filter(|shard| kind(shard) == ShardKind::Column).count()
    };
    assert_eq!(columns(request("mutex")), 0, "what is shown of a page comes with its texts");
    assert_eq!(columns(Request { facets: vec!["book".into()], ..request("mutex") }), 1);
    assert_eq!(columns(Request { facets: vec!["*".into()], ..request("mutex") }), 2);
}

#[test]
fn paging_cuts_one_list() {
    let all = books().find("slice closure threads");
    for offset in 0..=all.len() {
        for limit in 0..=all.len() {
            let response = books().search(Request {
                offset: offset as u32,
                limit: Limit(limit as u32),
                ..request("slice closure threads")
            });
            assert_eq!(titles(&response), all[offset..(offset + limit).min(all.len())]);
            assert_eq!(response.total.pages as usize, all.len());
        }
    }
}

#[test]
fn explanations_add_up() {
    let response = books()
        .search(Request { explain: true, ..request("spawn HashMap closure \"shared data\"") });
    let plan = response.plan.as_ref().unwrap();
    assert_eq!(plan.phrases, ["shared data"]);
    for section in response.results.iter().flat_map(|page| &page.sections) {
        let explain = section.explain.as_ref().unwrap();
        let factor = 1.0 + explain.boosts.iter().map(|boost| boost.share).sum::<f32>();
        let sum = explain.terms.iter().map(|term| term.score).sum::<f32>() * factor;
        let score = section.legs.lexical_score.unwrap();
        assert!((sum - score).abs() < 1e-5, "{sum} {score}");
    }
}

#[test]
fn hybrid_without_an_encoder_says_so() {
    let response = books().search(request("closure"));
    assert_eq!(response.mode, Mode::Lexical);
    assert_eq!(response.notices[0].code, "vectors-missing");
}

#[test]
fn words_lead_as_far_as_they_say_the_query() {
    let mut pages = vec![
        page("Locks", &[("", "A mutex guards what several threads change.")]),
        page("Server", &[("", "Stop the server, then start it again.")]),
        page("Pies", &[("", "Apples and cherries.")]),
    ];
    for (page, vector) in pages.iter_mut().zip([[9.0, 1.0, 0.0], [0.0, 9.0, 1.0], [1.0, 0.0, 9.0]])
    {
        page.sections[0].vectors = vec![vector.to_vec()];
    }
    let bundle = build(&pages, &[], Cut::default());
    let find = |query: &str| {
        let vector = QueryVector {
            values: vec![1.0, 0.0, 0.0],
            encoder: "supplied".into(),
            truncated: false,
        };
        titles(&bundle.search(Request { vector: Some(vector), ..request(query) }))
    };
    // A page with all words of the query comes first, regardless of other meanings.
    assert_eq!(find("stop server")[0], "Server");
    // If only one of many words occurs, meaning is the better guide.
    assert_eq!(find("stop writers overwriting memory")[0], "Locks");
    // An identifier that occurs nowhere as a whole costs no more than its parts.
    assert_eq!(find("stopServer")[0], "Server");
}

#[test]
fn the_first_round_asks_for_all_that_ranking_needs_and_the_second_for_texts() {
    let bundle = books();
    let (_, rounds) =
        bundle.answer(&mut bundle.open(), request("\"shared data\" closure book:book")).unwrap();
    // Positions are fetched only for phrases, and only if all words of the phrase exist, in a
    // separate round.
    assert_eq!(rounds.len(), 3);
    let positions = |rounds: &[Vec<findling_bundle::ShardId>]| {
        let kinds = rounds.iter().flatten().map(|shard| bundle.kind(*shard));
        kinds.filter(|kind| *kind == findling_bundle::ShardKind::Positions).count()
    };
    assert!(positions(&rounds) > 0);
    let (_, rounds) = bundle.answer(&mut bundle.open(), request("shared data")).unwrap();
    assert_eq!(positions(&rounds), 0);
}

#[test]
fn forms_are_fetched_for_names_alone() {
    // Each term and each key has its own shard: the terms of the words, and their forms if there
    // are several.
    let pages = [
        page("Closure", &[("Threads", "Closures sent to threads.")]),
        page("Closures", &[("Thread", "A mutex guards shared data.")]),
    ];
    let bundle = build(&pages, &[], Cut { terms_per_range: 1, ..Cut::default() });
    let terms = |query: &str| -> Vec<String> {
        let (_, rounds) = bundle.answer(&mut bundle.open(), request(query)).unwrap();
        let lexicon = bundle.manifest.lexicon.iter();
        let fetched =
            lexicon.filter(|range| rounds.iter().flatten().any(|shard| *shard == range.terms));
        fetched.map(|range| range.first_term.clone()).collect()
    };
    // Keys of titles that may equal the query come after the query's first word.
    let is_form = |term: &String| split_form(term).is_some_and(|(term, _)| term == "thread");
    assert!(terms("closure threads").iter().any(is_form));
    let sentence = terms("closure threads mutex shared data");
    assert!(sentence.len() >= 5 && !sentence.iter().any(is_form), "{sentence:?}");
}

#[test]
fn a_request_out_of_bounds_is_refused() {
    let index = books().open();
    let refused = index.search(Request { limit: Limit(1_000_000), ..request("a") });
    assert!(refused.is_err_and(|error| error.is_request()));
    assert!(Request::from_json("{\"query\": \"a\", \"limits\": 3}").is_err());
    let fusion = Request::from_json(
        "{\"query\": \"a\", \"fusion\": {\"method\": \"convex\", \"alpha\": 2}}",
    )
    .unwrap();
    assert!(index.search(fusion).is_err());
    for json in [
        r#"{"by": "year", "share": 1.5}"#,
        r#"{"by": "year", "half": 0}"#,
        r#"{"by": "none"}"#,
        r#"{"by": "book"}"#,
    ] {
        let prefer =
            Request::from_json(&format!("{{\"query\": \"a\", \"prefer\": {json}}}")).unwrap();
        assert!(index.search(prefer).is_err_and(|error| error.is_request()), "{json}");
    }
}

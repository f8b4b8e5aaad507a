//! Tests of explanations of a page's rank: the page that is meant, the page that it is compared
//! with, and the message about a page that is not found.

mod support;

use findling_bundle::{AttributeKind, AttributeValue};
use findling_engine::{Error, Limit, Request, Response, Why};
use support::{Bundle, Cut, build, page};

fn site() -> Bundle {
    let mut pages = vec![
        page(
            "Mutex",
            &[("", "A mutex guards data."), ("Locking", "Lock the mutex, then use the data.")],
        ),
        page(
            "Channels",
            &[("Sending", "Send data over a channel."), ("Beside", "A mutex is another way.")],
        ),
        page("Atomics", &[("Counters", "An atomic counter needs no lock.")]),
        page("Kilns", &[("Firing", "Fire pots slowly.")]),
    ];
    for (page, shelf) in pages.iter_mut().zip(["sync", "sync", "sync", "pots"]) {
        page.attributes.push(("shelf", AttributeValue::String(shelf.into())));
    }
    build(
        &pages,
        &[("shelf", AttributeKind::String)],
        Cut { words_per_spelling: 4, ..Cut::default() },
    )
}

fn ask(query: &str, page: &str) -> Response {
    let request = Request { query: query.into(), why: Some(page.into()), ..Request::default() };
    site().answer(&mut site().open(), request).unwrap().0
}

fn why(query: &str, page: &str) -> Why {
    ask(query, page).why.unwrap()
}

#[test]
fn a_page_is_meant_by_url_path_anchor_or_id() {
    for address in ["/channels/", "channels", "https://example.org/channels/index.html", "doc-1"] {
        assert_eq!(why("mutex", address).page.title, "Channels", "{address}");
    }
    let beside = why("mutex", "/channels/#beside");
    assert_eq!(beside.section.unwrap().anchor.as_deref(), Some("beside"));
    let unknown = ask("mutex", "/channels/#nothing");
    assert_eq!(unknown.notices.last().unwrap().code, "unknown-anchor");
    let request = Request { why: Some("/chanels/".into()), ..Request::default() };
    let error = site().answer(&mut site().open(), request).unwrap_err();
    assert_eq!(error, Error::NoSuchPage { address: "/chanels/".into() });
    assert!(error.is_request());
}

#[test]
fn why_compares_with_the_first_page_and_the_one_above() {
    let first = why("mutex", "/mutex/");
    assert_eq!((first.rank, first.first, first.above), (Some(1), None, None));
    assert_eq!(first.reason, "It is the first page.");
    let second = why("mutex", "/channels/");
    assert_eq!((second.rank, &second.above), (Some(2), &None));
    let (own, best) = (second.hit.unwrap(), second.first.unwrap());
    assert_eq!(best.title, "Mutex");
    assert!(own.score < best.score);
    for hit in [&own, &best] {
        assert_eq!(hit.sections[0].explain.as_ref().unwrap().terms[0].term, "mutex");
    }
    assert_eq!(second.reason, "The first page's title consists of the query's words.");
    // If no page has the word, no title has it.
    let partly = why("mutex zzzz", "/channels/").reason;
    assert_eq!(
        partly,
        "The first page says `mutex` in its title; this page only once in running text."
    );
    let third = why("data lock counter", "/channels/");
    assert_eq!(third.rank, Some(3));
    assert!(third.first.is_some() && third.above.is_some());
    assert_ne!(third.first, third.above);
}

#[test]
fn why_does_not_change_the_results() {
    let query = || Request {
        query: "data lock".into(),
        explain: true,
        limit: Limit(2),
        ..Request::default()
    };
    let plain = site().search(query());
    let mut asked = site().search(Request { why: Some("/atomics/".into()), ..query() });
    let why = asked.why.take().unwrap();
    assert_eq!(asked, plain);
    let all = site().search(Request { limit: Limit(10), ..query() });
    assert_eq!(
        all.results.iter().position(|page| page.id == "doc-2"),
        why.rank.map(|rank| rank as usize - 1)
    );
    assert_eq!(all.results[why.rank.unwrap() as usize - 1], why.hit.unwrap());
}

#[test]
fn why_names_missing_words_and_filters_of_a_page_not_found() {
    let check = |query: &str, page: &str, removal: Option<(&str, u32)>, reason: &str| {
        let why = why(query, page);
        assert_eq!((why.rank, &why.hit), (None, &None), "{query}");
        let removed =
            why.removed_by.first().map(|removal| (removal.kind.as_str(), removal.sections));
        assert_eq!(removed, removal, "{query}");
        assert_eq!(why.reason, reason, "{query}");
    };
    check("mutex", "/kilns/", None, "This page has none of the query's words (`mutex`).");
    check(
        "mutex shelf:pots",
        "/mutex/",
        Some(("filter", 2)),
        "The filter shelf=pots leaves this page out.",
    );
    check(
        "\"another way\"",
        "/mutex/",
        Some(("phrase", 2)),
        "No section of this page has the phrase “another way”.",
    );
    check(
        "lock -counter",
        "/atomics/",
        Some(("exclusion", 1)),
        "Every section of this page has `counter`, which the query excludes.",
    );
    check(
        "\"send data\" \"another way\"",
        "/channels/",
        Some(("phrase", 1)),
        "No section of this page meets `send data` and `another way` at once.",
    );
}

#[test]
fn words_are_told_as_the_query_spells_them_and_corrected() {
    let response = ask("locking chanels", "/mutex/");
    assert_eq!(response.corrections[0].replacement, "channels");
    let words: Vec<_> =
        response.why.unwrap().words.into_iter().map(|word| (word.word, word.on_page)).collect();
    assert_eq!(words, [("locking".to_owned(), true), ("channels".to_owned(), false)]);
}

#[test]
fn with_nothing_to_look_up_it_says_so() {
    let order = Request {
        query: "mutex".into(),
        why: Some("/channels/".into()),
        sort: Some(findling_engine::Sort { by: "shelf".into(), descending: false }),
        ..Request::default()
    };
    let sorted = site().search(order).why.unwrap();
    assert_eq!(sorted.rank, Some(2));
    assert!(sorted.reason.contains("attribute"), "{}", sorted.reason);
    let all = why("", "/kilns/");
    assert_eq!((all.rank, all.words.len()), (Some(4), 0));
}

//! Pages similar to a given page: by vectors, by words, without the page itself, with a filter.

mod support;

use findling_bundle::{AttributeKind, AttributeValue};
use findling_engine::{Error, Limit, Mode, Request, Response};
use support::{Bundle, Cut, build, page, titles};

/// Returns pages about locks, and pages about pots; `meaning`: whether they have vectors, in which
/// channels are near locks.
fn site(meaning: bool) -> Bundle {
    let mut pages = vec![
        page(
            "Mutex",
            &[
                ("Locking", "A mutex guards shared data between threads."),
                ("Poison", "A panic poisons the mutex."),
            ],
        ),
        page("Read and write locks", &[("Sharing", "Threads read shared data, one mutex writes.")]),
        page("Channels", &[("Sending", "Values move from one end to the other.")]),
        page("Kilns", &[("Firing", "Fire pots slowly.")]),
        page("Glazes", &[("Dipping", "Dip pots into glaze before you fire them.")]),
    ];
    let vectors = [
        vec![vec![1.0, 0.1, 0.0], vec![1.0, 0.0, 0.2]],
        vec![vec![0.9, 0.2, 0.1]],
        vec![vec![0.8, 0.0, 0.4]],
        vec![vec![0.0, 1.0, 0.1]],
        vec![vec![0.1, 1.0, 0.0]],
    ];
    for (page, (vectors, shelf)) in
        pages.iter_mut().zip(vectors.into_iter().zip(["sync", "sync", "talk", "pots", "pots"]))
    {
        page.attributes.push(("shelf", AttributeValue::String(shelf.into())));
        for (section, vector) in page.sections.iter_mut().zip(vectors) {
            section.vectors.extend(meaning.then_some(vector));
        }
    }
    build(&pages, &[("shelf", AttributeKind::String)], Cut::default())
}

fn like(page: &str) -> Request {
    Request { similar_to: Some(page.into()), ..Request::default() }
}

fn ask(meaning: bool, request: Request) -> Response {
    site(meaning).search(request)
}

#[test]
fn similar_pages_are_ordered_by_meaning_without_the_page_itself() {
    let response = ask(true, Request { limit: Limit(2), ..like("/mutex/") });
    assert_eq!(titles(&response), ["Read and write locks", "Channels"]);
    assert_eq!(
        (response.mode, response.encoder.as_deref(), response.query.as_str()),
        (Mode::Semantic, Some("page"), "")
    );
    let best = &response.results[0].sections[0];
    assert!(
        best.legs.similarity.unwrap() > 0.9 && best.snippet.text.starts_with("Threads read"),
        "{best:?}"
    );
    let all = ask(true, like("https://example.org/mutex/index.html"));
    assert_eq!(all.results.len(), 4, "every page but itself");
    assert_eq!(all.results[..2], response.results[..]);
    assert_eq!(titles(&ask(true, Request { limit: Limit(1), ..like("doc-4") })), ["Kilns"]);
}

#[test]
fn without_vectors_similar_pages_are_found_by_distinctive_words() {
    for (meaning, mode) in [(false, Mode::Hybrid), (false, Mode::Semantic), (true, Mode::Lexical)] {
        let response = ask(meaning, Request { mode, explain: true, ..like("mutex") });
        assert_eq!(titles(&response), ["Read and write locks"], "{mode:?}");
        assert_eq!(response.mode, Mode::Lexical);
        assert!(response.plan.unwrap().terms.contains(&"mutex".to_owned()));
        assert!(
            !response.results[0].sections[0].snippet.ranges.is_empty(),
            "what they share is marked"
        );
    }
}

#[test]
fn a_filter_is_obeyed_and_pages_can_be_paged_through() {
    let pots = Request { filter: Some("shelf=pots".into()), ..like("/mutex/") };
    assert_eq!(titles(&ask(true, pots)), ["Glazes", "Kilns"]);
    let second = Request { offset: 1, limit: Limit(1), ..like("/mutex/") };
    assert_eq!(titles(&ask(true, second)), ["Channels"]);
    let none = Request { filter: Some("shelf=sync".into()), ..like("/read-and-write-locks/") };
    assert_eq!(titles(&ask(true, none)), ["Mutex"]);
}

#[test]
fn what_is_no_page_and_what_is_also_a_query_is_refused() {
    let refused =
        |request: Request| site(true).answer(&mut site(true).open(), request).unwrap_err();
    assert_eq!(refused(like("/mutexes/")), Error::NoSuchPage { address: "/mutexes/".into() });
    let both = refused(Request { query: "lock".into(), ..like("/mutex/") });
    assert!(matches!(both, Error::Request { .. }), "{both:?}");
    assert!(matches!(
        refused(Request { filter: Some("colour=red".into()), ..like("/mutex/") }),
        Error::UnknownAttribute { .. }
    ));
}

#[test]
fn what_was_fetched_before_changes_nothing() {
    let bundle = site(true);
    let cold = bundle.search(like("/mutex/"));
    let mut warm = bundle.open();
    bundle.answer(&mut warm, Request { query: "pots".into(), ..Request::default() }).unwrap();
    assert_eq!(bundle.answer(&mut warm, like("/mutex/")).unwrap().0, cold);
    let (again, rounds) = bundle.answer(&mut warm, like("/mutex/")).unwrap();
    assert_eq!((again, rounds.len()), (cold, 0));
}

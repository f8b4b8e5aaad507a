//! Words that the bundle does not have: their corrections, and the words that are not corrected.

mod support;

use findling_engine::{Correction, Request, Response};
use support::{Bundle, Cut, build, page, titles};

fn books() -> Bundle {
    let pages = [
        page(
            "Threads",
            &[(
                "Shared State",
                "A mutex guards shared data between threads. Use HashMap behind it.",
            )],
        ),
        page("Receiving", &[("", "Messages are received from channels. Concurrency is fearless.")]),
        page(
            "Timeouts",
            &[("", "The option checkpoint_timeout limits the checkpoint, as E0382 does not.")],
        ),
    ];
    build(&pages, &[], Cut { words_per_spelling: 4, ..Cut::default() })
}

fn request(query: &str) -> Request {
    Request { query: query.into(), ..Request::default() }
}

fn corrected(response: &Response) -> Vec<String> {
    response.corrections.iter().map(|c| format!("{} -> {}", c.word, c.replacement)).collect()
}

#[test]
fn a_slip_is_corrected_and_said() {
    let response = books().search(request("mutx"));
    assert_eq!(titles(&response), ["Threads"]);
    assert_eq!(
        response.corrections,
        [Correction { word: "mutx".into(), replacement: "mutex".into() }]
    );
    assert_eq!(response.query, "mutx");
    // The word that was found is marked.
    assert_eq!(response.results[0].sections[0].snippet.ranges.first(), Some(&(2, 7)));
}

#[test]
fn every_kind_of_slip() {
    for (query, expect) in [
        ("recieved", "received"),
        ("hreads", "threads"),
        ("htreads", "threads"),
        ("concurency", "concurrency"),
        ("conkurrensy", "concurrency"),
        ("Mutxe", "mutex"),
    ] {
        let response = books().search(request(query));
        assert_eq!(corrected(&response), [format!("{query} -> {expect}")]);
        assert_eq!(response.results.len(), 1, "{query}");
    }
}

#[test]
fn what_is_known_is_left() {
    for query in ["mutex", "checkpoint_timeout", "checkpointtimeout", "thread", "sharing", "the"] {
        assert_eq!(corrected(&books().search(request(query))), [""; 0], "{query}");
    }
}

#[test]
fn what_is_no_slip_is_left() {
    // Numbers, short words, phrases, exclusions, and words that resemble nothing.
    for query in
        ["E0383", "mtx", "\"mutx\"", "threads -mutx", "xylophone", "checkpoint2", "--mutx3"]
    {
        assert_eq!(corrected(&books().search(request(query))), [""; 0], "{query}");
    }
    assert_eq!(corrected(&books().search(Request { verbatim: true, ..request("mutx") })), [""; 0]);
}

#[test]
fn a_name_is_corrected_by_its_parts() {
    let response = books().search(request("checkpont_timeout"));
    assert_eq!(corrected(&response), ["checkpont -> checkpoint"]);
    assert_eq!(titles(&response), ["Timeouts"]);
}

#[test]
fn several_words_are_corrected_in_their_order() {
    let response = books().search(request("mutx guards chanels"));
    assert_eq!(corrected(&response), ["mutx -> mutex", "chanels -> channels"]);
}

#[test]
fn while_typing_a_beginning_is_corrected() {
    let typed = |query: &str| books().search(Request { prefix: true, ..request(query) });
    assert_eq!(corrected(&typed("mut")), [""; 0]);
    assert_eq!(corrected(&typed("mtue")), ["mtue -> mutex"]);
    assert_eq!(titles(&typed("mtue")), ["Threads"]);
    assert_eq!(titles(&typed("chekcpoi")), ["Timeouts"]);
    // A reader who types the next word has finished this one.
    assert_eq!(corrected(&typed("chekcpoi ")), [""; 0]);
}

#[test]
fn if_a_verbatim_query_finds_nothing_a_notice_names_its_correction() {
    let said = |query: &str| {
        let response = books().search(Request { verbatim: true, ..request(query) });
        assert_eq!(titles(&response), [""; 0]);
        let said = response.notices.into_iter().filter(|notice| notice.code == "removed-all");
        said.count()
    };
    assert_eq!((said("mutx"), said("xylophone")), (1, 0));
}

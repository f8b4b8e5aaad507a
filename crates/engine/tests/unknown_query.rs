//! Queries whose vector cannot answer. The vector is 0 if the encoder knows none of the words, or
//! if the query consists of marks. It is not requested if the query consists of conditions. If
//! exclusions remove every page with the words, the vector does not hide this.

mod support;

use findling_bundle::{AttributeKind, AttributeValue};
use findling_engine::{Mode, QueryVector, Request, Response};
use support::{Bundle, Cut, build, page, titles};

fn site() -> Bundle {
    let mut pages = vec![
        page("Short functions", &[("", "Write fn between the name and the body.")]),
        page("Spread", &[("", "A list is spread into another.")]),
    ];
    for (page, vector) in pages.iter_mut().zip([[1.0, 0.2], [0.2, 1.0]]) {
        page.sections[0].vectors.push(vector.to_vec());
        page.attributes = vec![("kind", AttributeValue::String("guide".into()))];
    }
    build(&pages, &[("kind", AttributeKind::String)], Cut::default())
}

fn asked(query: &str, mode: Mode, values: &[f32]) -> Response {
    let vector = QueryVector { values: values.to_vec(), encoder: "test".into(), truncated: false };
    site().search(Request { query: query.into(), mode, vector: Some(vector), ..Request::default() })
}

fn codes(response: &Response) -> Vec<&str> {
    response.notices.iter().map(|notice| notice.code.as_str()).collect()
}

#[test]
fn a_query_whose_vector_is_zero_is_searched_by_words() {
    let words = asked("spread", Mode::Lexical, &[0.0; 2]);
    assert_eq!(titles(&words), ["Spread"]);
    assert_eq!(codes(&words), [""; 0]);
    for mode in [Mode::Hybrid, Mode::Semantic] {
        let response = asked("spread", mode, &[0.0; 2]);
        assert_eq!(response.results, words.results, "{mode:?}");
        assert_eq!((response.mode, response.encoder.as_deref()), (Mode::Lexical, None));
        assert_eq!(codes(&response), ["query-unknown"]);
    }
    let hybrid = asked("spread", Mode::Hybrid, &[0.2, 1.0]);
    assert_eq!((hybrid.mode, hybrid.encoder.as_deref()), (Mode::Hybrid, Some("test")));
    assert_eq!(codes(&hybrid), [""; 0]);
}

#[test]
fn marks_alone_that_no_page_has_find_nothing_without_an_error() {
    for mode in [Mode::Hybrid, Mode::Semantic] {
        let response = asked("::", mode, &[0.0; 2]);
        assert_eq!(titles(&response), [""; 0], "{mode:?}");
        assert_eq!(codes(&response), ["query-unknown", "no-words"]);
    }
}

#[test]
fn conditions_alone_find_every_page_that_they_let_through() {
    for mode in [Mode::Lexical, Mode::Hybrid, Mode::Semantic] {
        let response = asked("kind:guide", mode, &[1.0, 0.2]);
        assert_eq!(titles(&response), ["Short functions", "Spread"], "{mode:?}");
        assert_eq!((response.mode, codes(&response)), (Mode::Lexical, vec![]));
    }
}

#[test]
fn exclusions_that_leave_out_every_page_with_the_words_are_words_beside_meaning_too() {
    let query = "write fn name -body";
    for mode in [Mode::Lexical, Mode::Hybrid] {
        let response = asked(query, mode, &[1.0, 0.2]);
        assert_eq!(titles(&response)[0], "Short functions", "{mode:?}");
        assert_eq!((response.mode, codes(&response)), (mode, vec!["relaxed"]));
    }
    // Other words are on no page, so nothing says that the exclusion is not meant.
    let response = asked("quick brown fox -body", Mode::Hybrid, &[0.2, 1.0]);
    assert_eq!(codes(&response), [""; 0]);
}

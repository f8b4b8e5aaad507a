//! A query whose vector is 0: the encoder knows none of its words, or it is made of marks alone.
//! Words answer, and a notice says so.

mod support;

use findling_engine::{Mode, QueryVector, Request, Response};
use support::{Bundle, Cut, build, page, titles};

fn site() -> Bundle {
    let mut pages = vec![
        page("Short functions", &[("", "Write fn between the name and the body.")]),
        page("Spread", &[("", "A list is spread into another.")]),
    ];
    for (page, vector) in pages.iter_mut().zip([[1.0, 0.2], [0.2, 1.0]]) {
        page.sections[0].vectors.push(vector.to_vec());
    }
    build(&pages, &[], Cut::default())
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

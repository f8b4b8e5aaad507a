//! Tests of the estimated probability that the site answers a query.

mod support;

use findling_engine::{Mode, QueryVector, Request};
use support::{Bundle, Cut, Page, Section, build};

fn kiln() -> Bundle {
    let page = |title: &str, text: &str, vector: Vec<f32>| Page {
        title: title.into(),
        url: format!("/{title}/"),
        language: "en".into(),
        sections: vec![Section { text: text.into(), vectors: vec![vector], ..Section::default() }],
        ..Page::default()
    };
    let pages = [
        page("Firing", "Fire the kiln slowly while water leaves the clay.", vec![1.0, 0.0, 0.2]),
        page("Glazing", "Dip the pot into the glaze for three seconds.", vec![0.0, 1.0, 0.2]),
        page("Cones", "A cone bends when it has seen enough heat.", vec![0.2, 0.1, 1.0]),
    ];
    build(&pages, &[], Cut::default())
}

fn asked(query: &str) -> Request {
    Request { query: query.into(), ..Request::default() }
}

fn with_vector(query: &str, mode: Mode, values: &[f32]) -> Request {
    let vector = QueryVector { values: values.to_vec(), encoder: "test".into(), truncated: false };
    Request { mode, vector: Some(vector), ..asked(query) }
}

fn answerable(request: Request) -> Option<f32> {
    kiln().search(request).answerable
}

#[test]
fn what_the_site_says_word_for_word_is_likely_answered() {
    let all = answerable(asked("water leaves the clay")).unwrap();
    let one = answerable(asked("water dividends portfolio shareholders")).unwrap();
    assert!(all > 0.9 && one < 0.1, "{all} {one}");
}

#[test]
fn nearness_of_meaning_counts_beside_words_and_alone() {
    for mode in [Mode::Hybrid, Mode::Semantic] {
        let ask = |values: &[f32]| answerable(with_vector("clay", mode, values)).unwrap();
        let (near, far) = (ask(&[1.0, 0.0, 0.2]), ask(&[-0.6, -0.5, -0.6]));
        assert!(near > far, "{mode:?}: {near} {far}");
        assert!((0.0..=1.0).contains(&near) && (0.0..=1.0).contains(&far));
    }
}

#[test]
fn the_estimate_is_that_of_the_most_likely_phrasing() {
    let poor = asked("dividends portfolio");
    let alone = answerable(poor.clone()).unwrap_or(0.0);
    let also = Request { also: vec!["water leaves the clay".into()], ..poor };
    assert!(answerable(also).unwrap() > alone.max(0.9));
}

#[test]
fn without_a_question_there_is_no_estimate() {
    assert_eq!(answerable(asked("")), None);
    let like = Request { similar_to: Some("/Firing/".into()), ..Request::default() };
    assert_eq!(answerable(like.clone()), None);
    assert_eq!(answerable(Request { mode: Mode::Lexical, ..like }), None);
}

#[test]
fn an_explanation_has_what_it_is_computed_from() {
    let request = Request { explain: true, ..with_vector("clay", Mode::Hybrid, &[1.0, 0.0, 0.2]) };
    let evidence = kiln().search(request).plan.unwrap().evidence;
    assert!(evidence.words.is_some_and(|words| words > 0.5));
    assert!(evidence.meaning.is_some_and(|meaning| meaning > 0.2));
}

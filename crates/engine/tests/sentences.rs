//! Tests of the text that is shown for a section found only by meaning.

mod support;

use findling_bundle::ShardKind;
use findling_bundle::sentences::code;
use findling_engine::{Mode, QueryVector, Request, Step};
use support::{Bundle, Cut, Page, Section, build};

const ABOUT: [(&str, [f32; 2]); 4] = [
    (
        "The kiln is filled with pots that stand on three stilts each, and nothing touches the \
         coils in the brick walls.",
        [1.0, -1.0],
    ),
    (
        "Smoke in the first hour is water and binder that leave the clay, and a window stands open \
         all the while for it.",
        [-1.0, 1.0],
    ),
    (
        "Money is saved where the lid stays closed until morning, since what was paid for once \
         keeps warming the room then.",
        [1.0, 1.0],
    ),
    (
        "Shelves are turned over after every tenth time, as they bend under their load when they \
         are red with heat.",
        [-1.0, -1.0],
    ),
];

fn kiln() -> Bundle {
    let text = ABOUT.map(|(sentence, _)| sentence).join(" ");
    let section = Section {
        text,
        vectors: vec![vec![0.6, 0.8]],
        codes: ABOUT.iter().map(|(_, vector)| code(vector)).collect(),
        ..Section::default()
    };
    let page = Page {
        title: "Firing".into(),
        language: "en".into(),
        sections: vec![section],
        ..Page::default()
    };
    build(&[page], &[], Cut::default())
}

fn request(query: &str, vector: &[f32]) -> Request {
    let vector = QueryVector { values: vector.to_vec(), encoder: "test".into(), truncated: false };
    Request {
        query: query.into(),
        mode: Mode::Semantic,
        vector: Some(vector),
        ..Request::default()
    }
}

/// Returns the sentence that the snippet was chosen for.
fn chosen(query: &str, vector: &[f32]) -> String {
    let response = kiln().search(request(query, vector));
    let snippet = &response.results[0].sections[0].snippet;
    let (start, end) = snippet.sentence;
    snippet.text[start as usize..end as usize].to_string()
}

#[test]
fn the_sentence_most_like_the_query_is_chosen() {
    assert!(chosen("energy cost", &[0.7, 0.7]).starts_with("Money is saved"));
    assert!(chosen("energy cost", &[0.9, -0.2]).starts_with("The kiln is filled"));
    assert!(chosen("energy cost", &[-0.5, 0.9]).starts_with("Smoke in the first"));
    // Words of the query also count.
    assert!(chosen("window", &[0.6, 0.7]).contains("a window stands open"));
}

#[test]
fn where_the_codes_are_not_to_be_had_the_beginning_is() {
    let bundle = kiln();
    let mut index = bundle.open();
    let mut search = index.search(request("energy cost", &[0.7, 0.7])).unwrap();
    let mut optional = 0;
    let response = loop {
        match search.step(&index).unwrap() {
            Step::Done(response) => break response,
            Step::Need(shards) => {
                for shard in shards {
                    if index.is_optional(shard) {
                        optional += 1;
                    } else {
                        index.provide(shard, bundle.shard(shard)).unwrap();
                    }
                }
            }
        }
    };
    assert_eq!(optional, 1);
    assert!(response.results[0].sections[0].snippet.text.starts_with("The kiln is filled"));
}

#[test]
fn what_words_find_asks_for_no_codes() {
    let bundle = kiln();
    let request = Request { mode: Mode::Hybrid, ..request("shelves", &[0.7, 0.7]) };
    let (response, rounds) = bundle.answer(&mut bundle.open(), request).unwrap();
    let kinds = rounds.iter().flatten().map(|shard| bundle.kind(*shard));
    assert!(!kinds.into_iter().any(|kind| kind == ShardKind::Sentences));
    assert_eq!(response.results[0].sections[0].snippet.ranges.len(), 1);
}

//! The second filter, which readers set by facets. The count of a value is the number of pages that
//! remain if the value is chosen.

mod support;

use findling_bundle::{AttributeKind, AttributeValue};
use findling_engine::{COPY, Error, Limit, Mode, QueryVector, Request, Response};
use serde_json::{Map, Value, json};
use support::{Bundle, Cut, Page, Section, build};

const PAGES: usize = 120;
const KINDS: [&str; 3] = ["guide", "reference", "faq"];

/// Returns pages of one section with a vector; every eighth has the word, every sixth is one of two
/// copies.
fn bundle() -> Bundle {
    let pages: Vec<Page> = (0..PAGES)
        .map(|i| {
            let mut attributes = vec![
                ("kind", AttributeValue::String(KINDS[i % 3].into())),
                ("level", AttributeValue::Number((i % 4) as f64)),
                ("tags", AttributeValue::Strings(vec![format!("t{}", i % 5), "all".into()])),
            ];
            if i % 6 == 0 {
                attributes.push((COPY, AttributeValue::Number((i / 12) as f64)));
            }
            Page {
                title: format!("page {i}"),
                url: format!("/{i}/"),
                language: "en".into(),
                sections: vec![Section {
                    text: if i % 8 == 0 { "harbour master".into() } else { "tide table".into() },
                    vectors: vec![vec![1.0, i as f32 / 40.0, (i % 7) as f32 / 7.0, 0.1]],
                    ..Section::default()
                }],
                attributes,
            }
        })
        .collect();
    let attributes = [
        ("kind", AttributeKind::String),
        ("level", AttributeKind::Number),
        ("tags", AttributeKind::Strings),
        (COPY, AttributeKind::Number),
    ];
    build(&pages, &attributes, Cut::default())
}

fn request(mode: Mode, copies: bool) -> Request {
    Request {
        query: "harbour".into(),
        mode,
        copies,
        limit: Limit(1_000),
        facets: vec!["kind".into(), "level".into(), "tags".into()],
        vector: Some(QueryVector {
            values: vec![1.0, 1.0, 0.2, 0.0],
            encoder: "supplied".into(),
            truncated: false,
        }),
        ..Request::default()
    }
}

/// Returns the values of all facets with their counts.
fn counts(response: &Response) -> Vec<(String, String, u32)> {
    let of = |facet: &findling_engine::Facet| {
        let name = facet.name.clone();
        facet.values.iter().map(move |(value, n)| (name.clone(), value.clone(), *n)).collect()
    };
    response.facets.iter().flat_map(|facet| -> Vec<_> { of(facet) }).collect()
}

#[test]
fn a_count_is_the_number_of_pages_that_a_choice_leaves() {
    let bundle = bundle();
    for mode in [Mode::Hybrid, Mode::Lexical, Mode::Semantic] {
        for copies in [false, true] {
            let all = bundle.search(request(mode, copies));
            for (name, value, n) in counts(&all) {
                let chosen = Map::from_iter([(name.clone(), json!([value]))]);
                let choose = |post: &Map<String, Value>| Request {
                    post_filter: Some(Value::Object(post.clone())),
                    ..request(mode, copies)
                };
                let first = bundle.search(choose(&chosen));
                let what = format!("{mode:?}, copies {copies}, {name}={value}");
                assert_eq!(first.total.pages, n, "{what}");
                assert_eq!(first.results.len(), n as usize, "{what}");
                // Values of another attribute, with the first chosen.
                for (other, more, n) in counts(&first) {
                    if other == name {
                        continue;
                    }
                    let mut both = chosen.clone();
                    both.insert(other.clone(), json!([more]));
                    let second = bundle.search(choose(&both));
                    assert_eq!(second.total.pages, n, "{what}, {other}={more}");
                }
            }
        }
    }
}

#[test]
fn other_values_of_the_chosen_attribute_keep_their_counts() {
    let bundle = bundle();
    let of = |response: &Response, name: &str| -> Vec<_> {
        counts(response).into_iter().filter(|(of, ..)| of == name).collect()
    };
    let all = bundle.search(request(Mode::Hybrid, false));
    let post_filter = Some(json!("kind=guide"));
    let chosen = bundle.search(Request { post_filter, ..request(Mode::Hybrid, false) });
    assert_eq!(of(&chosen, "kind"), of(&all, "kind"));
    assert_ne!(of(&chosen, "level"), of(&all, "level"));
    // The estimate for the whole site does not apply to the remaining pages.
    assert_eq!(chosen.answerable, None);
}

#[test]
fn both_filters_hold() {
    let bundle = bundle();
    let search = |filter: Value, post: Value| {
        let (filter, post_filter) = (Some(filter), Some(post));
        bundle.search(Request { filter, post_filter, ..request(Mode::Hybrid, true) })
    };
    let both = search(json!("kind=guide"), json!({"level": {"gte": 2}}));
    assert!(both.total.pages > 0);
    for page in &both.results {
        assert_eq!(page.attributes["kind"], json!("guide"));
        assert!(page.attributes["level"].as_f64().unwrap() >= 2.0);
    }
    // Nothing is chosen, so everything passes.
    let none = search(json!("kind=guide"), json!({}));
    assert!(none.total.pages > both.total.pages);
}

#[test]
fn a_second_filter_that_cannot_be_meant_is_an_error() {
    let bundle = bundle();
    let refused = |post: Value| {
        let request = Request { post_filter: Some(post), ..request(Mode::Hybrid, false) };
        bundle.open().search(request).err()
    };
    assert!(matches!(refused(json!("colour=red")), Some(Error::UnknownAttribute { .. })));
    assert!(matches!(refused(json!({"level": ["high"]})), Some(Error::Filter { .. })));
    assert!(matches!(refused(json!("level=")), None | Some(Error::Filter { .. })));
}

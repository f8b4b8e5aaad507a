//! A bundle that has a shard of every kind, requests that between them read all of them, and a host
//! that takes errors for answers. The fuzz targets in `tests/fuzz` use it too.

use std::sync::LazyLock;

use findling_bundle::{AttributeKind, AttributeValue};
use findling_engine::{Error, Index, Mode, QueryVector, Request, Sort, Step};
use serde_json::json;

use super::{Bundle, Cut, Page, build, page};

/// Two stretches of sentences, between which codes choose where only meaning finds them.
const LONG: &str = "Nothing is said here of what is looked for, and that goes on for a while until there is an end of the sentence at last. \
    After it comes another one of about as many little things, none of which is in any question, so that it must be told by its code.";

/// Three pages with attributes of three kinds and vectors of four dimensions.
pub fn pages() -> Vec<Page> {
    let mut pages = vec![
        page(
            "Closures",
            &[
                ("", "Closures capture their environment."),
                ("Moving", "A closure can move.\nThreads need it."),
            ],
        ),
        page(
            "Threads",
            &[
                ("Spawn", "Pass a closure to spawn a thread."),
                ("Shared State", "A mutex guards shared data."),
            ],
        ),
        page(
            "Slices",
            &[("Strings", "A string slice is a reference. HashMap::new is not."), ("Long", LONG)],
        ),
    ];
    for (i, page) in pages.iter_mut().enumerate() {
        page.attributes = vec![
            ("book", AttributeValue::String(format!("b{i}"))),
            ("tags", AttributeValue::Strings(vec!["x".into(), "y".into()])),
            ("year", AttributeValue::Number(2000.0 + i as f64)),
        ];
        for (j, section) in page.sections.iter_mut().enumerate() {
            section.parent = (j > 0).then_some(0);
            section.vectors = vec![vec![1.0, i as f32, j as f32, -1.0]; j + 1];
            if section.text == LONG {
                section.codes = vec![0b0111, 0b1001];
            }
        }
    }
    pages
}

/// These pages' bundle.
pub fn bundle() -> Bundle {
    use AttributeKind::{Number, String, Strings};
    static BUNDLE: LazyLock<Bundle> = LazyLock::new(|| {
        build(&pages(), &[("book", String), ("tags", Strings), ("year", Number)], Cut::default())
    });
    BUNDLE.clone()
}

/// Requests that between them read every kind of shard.
pub fn requests() -> Vec<Request> {
    let vector = Some(QueryVector {
        values: vec![1.0, 0.5, 0.0, -1.0],
        encoder: "supplied".into(),
        truncated: false,
    });
    let plain = Request { vector, explain: true, facets: vec!["*".into()], ..Request::default() };
    vec![
        Request { query: "closures \"shared data\" -\"string slice\"".into(), ..plain.clone() },
        Request {
            query: "clo".into(),
            prefix: true,
            filter: Some(json!("year:gte:2000,tags=x")),
            ..plain.clone()
        },
        Request { query: "HashMap thread".into(), mode: Mode::Semantic, ..plain.clone() },
        Request {
            query: "a slice".into(),
            why: Some("/threads/".into()),
            sort: Some(Sort { by: "book".into(), descending: true }),
            ..plain
        },
    ]
}

/// Runs everything; errors are as good as answers.
pub fn run(bundle: &Bundle) -> Result<usize, Error> {
    let mut index = Index::open(&bundle.stored_manifest)?;
    let mut answers = 0;
    for request in requests() {
        let Ok(mut search) = index.search(request) else { continue };
        for round in 0.. {
            assert!(round < 5, "a search ends");
            match search.step(&index) {
                Ok(Step::Need(shards)) => {
                    let mut given = true;
                    for shard in shards {
                        given &= index.provide(shard, bundle.shard(shard)).is_ok();
                    }
                    if !given {
                        break;
                    }
                }
                Ok(Step::Done(response)) => {
                    answers += 1;
                    assert!(!response.to_json().is_empty());
                    break;
                }
                Err(_) => break,
            }
        }
    }
    Ok(answers)
}

//! A bundle with shards of every kind, requests that together read all of them, and a host that
//! checks every answer. The fuzz targets in `tests/fuzz` use it too.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use findling_bundle::{AttributeKind, AttributeValue, ShardId};
use findling_engine::{
    Error, FacetsOf, Index, Mode, Prefer, QueryVector, Request, Response, Sort, Step,
};
use serde_json::json;

use super::{Bundle, Cut, Page, build, page};

/// Two stretches of sentences. If a query matches this text by meaning alone, codes decide which of
/// them the snippet shows.
const LONG: &str = "Nothing is said here of what is looked for, and that goes on for a while until \
     there is an end of the sentence at last. After it comes another one of about as many little \
     things, none of which is in any question, so that it must be told by its code.";

/// The attributes of the pages, and `kind`, which sections have.
pub const ATTRIBUTES: [(&str, AttributeKind); 4] = [
    ("book", AttributeKind::String),
    ("kind", AttributeKind::String),
    ("tags", AttributeKind::Strings),
    ("year", AttributeKind::Number),
];

/// Returns three pages with attributes of three kinds and vectors of four dimensions.
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
            if j > 0 {
                section.attributes = vec![("kind", AttributeValue::String(format!("k{i}")))];
            }
            section.vectors = vec![vec![1.0, i as f32, j as f32, -1.0]; j + 1];
            if section.text == LONG {
                section.codes = vec![0b0111, 0b1001];
            }
        }
    }
    pages
}

/// Returns the bundle of these pages.
pub fn bundle() -> Bundle {
    static BUNDLE: LazyLock<Bundle> =
        LazyLock::new(|| build(&pages(), &ATTRIBUTES, Cut::default()));
    BUNDLE.clone()
}

/// Returns requests that together read every kind of shard.
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
            query: "closure thread".into(),
            filter: Some(json!({
                "must": [{"match": {"tags": "x"}}],
                "must_not": [{"match": {"kind": "k2"}}],
            })),
            facets_of: FacetsOf::Sections,
            prefer: Some(Prefer { by: "year".into(), share: 0.3, half: None, ascending: false }),
            spread: Some("kind".into()),
            ..plain.clone()
        },
        Request {
            query: "a slice".into(),
            why: Some("/threads/".into()),
            sort: Some(Sort { by: "book".into(), descending: true }),
            ..plain
        },
    ]
}

/// Outcome of a request: its answer or the error, and the shards that it was given.
pub struct Outcome {
    pub answer: Result<Response, Error>,
    pub read: BTreeSet<ShardId>,
}

/// Runs every request over a bundle that may be damaged. A request is refused with an error, or its
/// answer is well-formed.
///
/// # Errors
/// If the manifest is refused.
///
/// # Panics
/// If a search does not end, requests a shard that the bundle does not have, or returns an answer
/// that is not well-formed.
pub fn run(bundle: &Bundle) -> Result<Vec<Outcome>, Error> {
    let outcome = |request: Request| {
        // Each request gets a new index, so that each reads its shards itself.
        let mut index = Index::open(&bundle.stored_manifest)?;
        let mut read = BTreeSet::new();
        let answer = answer(bundle, &mut index, request.clone(), &mut read);
        match &answer {
            Ok(response) => check_response(&request, response),
            Err(error) => assert_ne!(error.code(), "no-such-shard", "{error}"),
        }
        Ok(Outcome { answer, read })
    };
    requests().into_iter().map(outcome).collect()
}

fn answer(
    bundle: &Bundle,
    index: &mut Index,
    request: Request,
    read: &mut BTreeSet<ShardId>,
) -> Result<Response, Error> {
    let mut search = index.search(request)?;
    for _ in 0..5 {
        match search.step(index)? {
            Step::Done(response) => return Ok(*response),
            Step::Need(shards) => {
                for shard in shards {
                    read.insert(shard);
                    index.provide(shard, bundle.shard(shard))?;
                }
            }
        }
    }
    panic!("a search takes more than 5 rounds");
}

/// Checks what holds for every answer, whatever the shards contain: numbers are finite, counts
/// agree with the lists, ranges lie within their texts.
fn check_response(request: &Request, response: &Response) {
    let results = &response.results;
    assert_eq!(response.query, request.query);
    assert!(results.len() <= request.limit.0 as usize);
    assert!(results.len() <= response.total.pages as usize, "{:?}", response.total);
    assert!(response.total.pages <= response.total.sections, "{:?}", response.total);
    for page in results {
        assert!(page.score.is_finite(), "{page:?}");
        assert!(!page.sections.is_empty() && page.sections.len() <= page.n_sections as usize);
        for section in &page.sections {
            assert!(section.score.is_finite(), "{section:?}");
            let n_units = section.snippet.text.encode_utf16().count() as u32;
            for ranges in [&section.snippet.ranges, &section.snippet.code] {
                let ends: Vec<u32> = ranges.iter().flat_map(|&(a, b)| [a, b]).collect();
                assert!(ends.is_sorted() && ends.last().is_none_or(|&end| end <= n_units));
            }
        }
    }
    let json: serde_json::Value = serde_json::from_str(&response.to_json()).expect("JSON");
    assert_eq!(json["results"].as_array().map(Vec::len), Some(results.len()));
}

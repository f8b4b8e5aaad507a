//! The vectors of the sections that a response shows: which vector, in which order, or none.

mod support;

use findling_engine::{Error, HitVectors, Mode, QueryVector, Request, SectionsPerPage, Step};
use support::{Bundle, Cut, build, page};

/// Returns a page of two sections, of which the first has two vectors, and a page of one without
/// any.
fn site() -> Bundle {
    let mut pages = vec![
        page("Mutex", &[("Locking", "A mutex guards data."), ("Poison", "A mutex is poisoned.")]),
        page("Kilns", &[("Firing", "No mutex fires pots.")]),
    ];
    pages[0].sections[0].vectors = vec![vec![1.0, 0.0, 0.0], vec![0.0, 1.0, 0.0]];
    pages[0].sections[1].vectors = vec![vec![0.6, 0.0, 0.8]];
    build(&pages, &[], Cut::default())
}

/// Returns the vectors, and the headings in the order of the response.
fn ask(bundle: &Bundle, request: Request) -> Result<(HitVectors, Vec<Vec<String>>), Error> {
    let mut index = bundle.open();
    let mut search = index.search(request.clone())?;
    let vectors = loop {
        match search.vectors(&index)? {
            Ok(vectors) => break vectors,
            Err(shards) => {
                assert!(!shards.is_empty(), "a search that waits says for what");
                for shard in shards {
                    index.provide(shard, bundle.shard(shard)).unwrap();
                }
            }
        }
    };
    assert_eq!(search.vectors(&index)?, Ok(vectors.clone()));
    // Further steps give the same response as a search without `vectors`.
    let response = loop {
        match search.step(&index)? {
            Step::Done(response) => break *response,
            Step::Need(shards) => {
                for shard in shards {
                    index.provide(shard, bundle.shard(shard)).unwrap();
                }
            }
        }
    };
    assert_eq!(response, bundle.search(request));
    let pages = response
        .results
        .iter()
        .map(|page| page.sections.iter().map(|section| section.heading_path.join(" ")).collect());
    Ok((vectors, pages.collect()))
}

fn request(vector: Option<Vec<f32>>) -> Request {
    let vector =
        vector.map(|values| QueryVector { values, encoder: "test".into(), truncated: false });
    let sections_per_page = SectionsPerPage(3);
    Request { query: "mutex".into(), vector, sections_per_page, ..Request::default() }
}

fn near(found: Option<&Vec<f32>>, expect: &[f32]) {
    let found = found.expect("a vector");
    assert_eq!(found.len(), expect.len());
    let off = found.iter().zip(expect).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    assert!(off < 0.01, "{found:?} is not {expect:?}");
}

#[test]
fn a_section_shows_its_vector_nearest_to_the_query() {
    for (query, expect) in [([3.0, 0.1, 0.0], [1.0, 0.0, 0.0]), ([0.0, 2.0, 0.1], [0.0, 1.0, 0.0])]
    {
        let (vectors, headings) = ask(&site(), request(Some(query.to_vec()))).unwrap();
        assert_eq!(vectors.pages.len(), headings.len());
        for (page, headings) in vectors.pages.iter().zip(&headings) {
            assert_eq!(page.len(), headings.len());
            for (vector, heading) in page.iter().zip(headings) {
                match heading.as_str() {
                    "Locking" => near(vector.as_ref(), &expect),
                    "Poison" => near(vector.as_ref(), &[0.6, 0.0, 0.8]),
                    _ => assert_eq!(*vector, None, "{heading} has no vector"),
                }
            }
        }
        assert!(headings.concat().contains(&"Locking".to_owned()), "{headings:?}");
        let length = query.iter().map(|v| v * v).sum::<f32>().sqrt();
        near(vectors.query[0].as_ref(), &query.map(|value| value / length));
    }
}

#[test]
fn without_a_query_vector_a_section_shows_its_first_one() {
    let request = Request { mode: Mode::Lexical, ..request(None) };
    let (vectors, headings) = ask(&site(), request).unwrap();
    assert_eq!(vectors.query, [None]);
    let at = headings.iter().position(|page| page.contains(&"Locking".to_owned())).unwrap();
    let place = headings[at].iter().position(|heading| heading == "Locking").unwrap();
    near(vectors.pages[at][place].as_ref(), &[1.0, 0.0, 0.0]);
}

#[test]
fn each_phrasing_has_its_own_vector() {
    let vector = |values: [f32; 3]| QueryVector {
        values: values.to_vec(),
        encoder: "test".into(),
        truncated: false,
    };
    let request = Request {
        also: vec!["data".into()],
        also_vectors: vec![Some(vector([0.0, 1.0, 0.0]))],
        ..request(Some(vec![1.0, 0.0, 0.0]))
    };
    let (vectors, _) = ask(&site(), request).unwrap();
    assert_eq!(vectors.query.len(), 2);
    near(vectors.query[0].as_ref(), &[1.0, 0.0, 0.0]);
    near(vectors.query[1].as_ref(), &[0.0, 1.0, 0.0]);
}

#[test]
fn a_bundle_without_vectors_is_refused() {
    let bundle = build(&[page("Mutex", &[("Locking", "A mutex.")])], &[], Cut::default());
    let error = ask(&bundle, request(None)).unwrap_err();
    assert!(matches!(error, Error::Vector { .. }), "{error:?}");
}

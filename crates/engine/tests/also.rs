//! Several phrasings of one query: each page counts by its best phrasing, in one response.

mod support;

use findling_engine::{Limit, MAX_PHRASINGS, Mode, QueryVector, Request, Response};
use support::{Bundle, Cut, build, page, titles};

fn site() -> Bundle {
    let mut pages = vec![
        page(
            "Mutex",
            &[("Locking", "A mutex guards shared data."), ("Poison", "A panic poisons the mutex.")],
        ),
        page("Channels", &[("Sending", "Values move from one thread to another.")]),
        page("Kilns", &[("Firing", "Fire pots slowly.")]),
        page("Glazes", &[("Dipping", "Dip pots into glaze before you fire them.")]),
    ];
    let vectors = [
        vec![vec![1.0, 0.1], vec![1.0, 0.2]],
        vec![vec![0.8, 0.4]],
        vec![vec![0.0, 1.0]],
        vec![vec![0.2, 1.0]],
    ];
    for (page, vectors) in pages.iter_mut().zip(vectors) {
        for (section, vector) in page.sections.iter_mut().zip(vectors) {
            section.vectors.push(vector);
        }
    }
    build(&pages, &[], Cut { words_per_spelling: 4, ..Cut::default() })
}

fn words(query: &str, also: &[&str]) -> Request {
    let also = also.iter().map(|text| text.to_string()).collect();
    Request { query: query.into(), also, mode: Mode::Lexical, ..Request::default() }
}

fn scores(response: &Response) -> Vec<(String, f32)> {
    response.results.iter().map(|page| (page.id.clone(), page.score)).collect()
}

#[test]
fn pages_and_sections_keep_the_best_score_of_all_phrasings() {
    let (one, other) = ("mutex data", "pots fire");
    let alone = [one, other].map(|query| site().search(words(query, &[])));
    let both = site().search(words(one, &[other]));
    let mut expect: Vec<(String, f32)> = alone.iter().flat_map(scores).collect();
    expect.sort_by(|a, b| b.1.total_cmp(&a.1));
    assert_eq!(scores(&both), expect, "they have no page in common");
    assert_eq!(both.query, one);
    assert_eq!(both.total.pages, alone.iter().map(|response| response.total.pages).sum::<u32>());
    assert_eq!(
        both.total.sections,
        alone.iter().map(|response| response.total.sections).sum::<u32>()
    );
    // Where they have pages in common, each counts once, with the better score.
    let overlapping = site().search(words("mutex", &["mutex data"]));
    let better = site().search(words("mutex data", &[]));
    assert_eq!(scores(&overlapping), scores(&better));
    assert_eq!(overlapping.total, better.total);
    let hit =
        |response: &Response| (response.results[0].n_sections, response.results[0].sections.len());
    assert_eq!(hit(&overlapping), hit(&better));
}

#[test]
fn what_is_the_same_or_empty_changes_nothing() {
    let plain = site().search(words("mutex data", &[]));
    for also in [&["mutex data"][..], &["", "  "], &["mutex data", "", "mutex data"]] {
        let mut response = site().search(words("mutex data", also));
        response.query.clone_from(&plain.query);
        assert_eq!(response, plain, "{also:?}");
    }
}

#[test]
fn snippets_corrections_and_the_plan_are_those_of_all_phrasings() {
    let request = Request { explain: true, ..words("mutexx", &["chanels", "fire pots"]) };
    let response = site().search(request);
    let corrected: Vec<_> = response.corrections.iter().map(|c| c.replacement.as_str()).collect();
    assert_eq!(corrected, ["mutex", "channels"]);
    let mut found = titles(&response);
    found.sort();
    assert_eq!(found, ["Channels", "Glazes", "Kilns", "Mutex"]);
    let kilns = response.results.iter().find(|page| page.title == "Kilns").unwrap();
    assert_eq!(kilns.sections[0].snippet.ranges.len(), 2);
    let terms: Vec<_> =
        kilns.sections[0].explain.as_ref().unwrap().terms.iter().map(|t| t.term.as_str()).collect();
    assert_eq!(terms, ["fire", "pot"]);
    assert_eq!(response.plan.unwrap().terms, ["mutex", "channel", "fire", "pot"]);
}

#[test]
fn each_phrasing_has_its_own_vector() {
    let vector = |values: [f32; 2]| QueryVector {
        values: values.into(),
        encoder: "test".into(),
        truncated: false,
    };
    let request = Request {
        query: "locks".into(),
        vector: Some(vector([1.0, 0.1])),
        also: vec!["ovens".into()],
        also_vectors: vec![Some(vector([0.0, 1.0]))],
        mode: Mode::Semantic,
        limit: Limit(2),
        ..Request::default()
    };
    let response = site().search(request.clone());
    let mut both = titles(&response);
    both.sort();
    assert_eq!(both, ["Kilns", "Mutex"]);
    // A phrasing without a vector is searched by words alone.
    let hybrid =
        Request { mode: Mode::Hybrid, also_vectors: vec![], also: vec!["pots".into()], ..request };
    let response = site().search(Request { limit: Limit(9), ..hybrid });
    assert_eq!((response.mode, response.encoder.as_deref()), (Mode::Hybrid, Some("test")));
    assert_eq!(response.notices.len(), 1);
    assert!(titles(&response).contains(&"Kilns".to_owned()));
}

#[test]
fn too_many_phrasings_and_phrasings_with_similar_pages_are_refused() {
    let refused = |request: Request| {
        let error = site().open().search(request).err().unwrap();
        assert!(error.is_request());
        error.to_string()
    };
    let many = refused(words("a", &["b"; MAX_PHRASINGS + 1]));
    assert!(many.contains(&MAX_PHRASINGS.to_string()), "{many}");
    for both in [
        Request { similar_to: Some("/mutex/".into()), ..words("", &["b"]) },
        Request { why: Some("/mutex/".into()), ..words("a", &["b"]) },
    ] {
        let message = refused(both);
        assert!(message.contains("also"), "{message}");
    }
}

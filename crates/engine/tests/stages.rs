//! A search goes from stage to stage. The response does not depend on the shards that a host hands
//! over at a time, or on the shards that it releases in between.

mod support;

use findling_engine::{Error, Index, Request, Response, Search, Step};
use serde_json::json;
use support::hostile::{ATTRIBUTES, pages, requests};
use support::{Bundle, Cut, build};

/// More rounds than any search takes.
const MAX_ROUNDS: usize = 200;

fn bundle() -> Bundle {
    build(&pages(), &ATTRIBUTES, Cut { words_per_spelling: 3, ..Cut::default() })
}

/// Returns requests that together go through every stage.
fn all_requests() -> Vec<Request> {
    let typed = |query: &str| Request { query: query.into(), ..Request::default() };
    let filtered = Request {
        filter: Some(json!("book=b1")),
        facets: vec!["*".into()],
        facets_instead: true,
        ..typed("closure")
    };
    let similar = Request { similar_to: Some("/threads/".into()), ..Request::default() };
    let read = Request { read: Some("/threads/".into()), ..Request::default() };
    let mut all = requests();
    all.extend([
        typed("clossures -slice"),
        typed("\"mutex thread\" closures environment slices"),
        typed("\"nothing quoted so\""),
        Request { filter: Some(json!("book=b7")), ..typed("closure") },
        Request { also: vec!["thraeds".into(), "\"string slice\"".into()], ..typed("closure") },
        Request { why: Some("/threads/#nowhere".into()), ..typed("mutex") },
        filtered,
        similar,
        read,
    ]);
    all
}

/// Steps a search, and lets `host` do something with the shards that it needs.
fn drive(
    index: &mut Index,
    mut search: Search,
    mut host: impl FnMut(&mut Index, Vec<findling_bundle::ShardId>),
) -> Response {
    for _ in 0..MAX_ROUNDS {
        match search.step(index).unwrap() {
            Step::Done(response) => return *response,
            Step::Need(shards) => {
                assert!(!shards.is_empty(), "a search that waits says for what");
                host(index, shards);
            }
        }
    }
    panic!("expected an answer after at most {MAX_ROUNDS} rounds");
}

#[test]
fn shards_that_come_one_by_one_give_the_same_response() {
    let bundle = bundle();
    for request in all_requests() {
        let expect = bundle.search(request.clone());
        // The last requested shard comes first.
        let mut index = bundle.open();
        let search = index.search(request.clone()).unwrap();
        let response = drive(&mut index, search, |index, shards| {
            let shard = *shards.last().unwrap();
            index.provide(shard, bundle.shard(shard)).unwrap();
        });
        assert_eq!(response, expect, "{request:?}");
    }
}

#[test]
fn shards_let_go_of_while_others_are_fetched_are_asked_for_again() {
    let bundle = bundle();
    for request in all_requests() {
        let expect = bundle.search(request.clone());
        for emptied in 0..4 {
            let mut index = bundle.open();
            let search = index.search(request.clone()).unwrap();
            let mut round = 0;
            let response = drive(&mut index, search, |index, shards| {
                if round == emptied {
                    index.shrink(0);
                }
                round += 1;
                for shard in shards {
                    index.provide(shard, bundle.shard(shard)).unwrap();
                }
            });
            assert_eq!(response, expect, "emptied in round {emptied}: {request:?}");
        }
    }
}

#[test]
fn a_search_that_has_answered_is_over() {
    let bundle = bundle();
    let mut index = bundle.open();
    let mut search =
        index.search(Request { query: "closures".into(), ..Request::default() }).unwrap();
    while let Step::Need(shards) = search.step(&index).unwrap() {
        for shard in shards {
            index.provide(shard, bundle.shard(shard)).unwrap();
        }
    }
    assert!(matches!(search.step(&index), Err(Error::Request { .. })));
}

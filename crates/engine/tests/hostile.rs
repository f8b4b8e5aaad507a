//! Bytes that nobody vouches for: an error or an answer, never a panic, whatever the shards hold.

mod support;

use std::sync::LazyLock;

use findling_bundle::{AttributeKind, AttributeValue, ShardId, decode_shard, encode_manifest, encode_shard};
use findling_engine::{Error, Index, Mode, QueryVector, Request, Step};
use proptest::prelude::*;
use serde_json::json;
use support::{Bundle, Cut, Page, build, page};

fn pages() -> Vec<Page> {
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
        page("Slices", &[("Strings", "A string slice is a reference. HashMap::new is not.")]),
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
        }
    }
    pages
}

fn bundle() -> Bundle {
    use AttributeKind::{Number, String, Strings};
    static BUNDLE: LazyLock<Bundle> = LazyLock::new(|| {
        build(&pages(), &[("book", String), ("tags", Strings), ("year", Number)], Cut::default())
    });
    BUNDLE.clone()
}

/// Requests that between them read every kind of shard.
fn requests() -> Vec<Request> {
    let vector =
        Some(QueryVector { values: vec![1.0, 0.5, 0.0, -1.0], encoder: "supplied".into(), truncated: false });
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
            sort: Some(findling_engine::Sort { by: "book".into(), descending: true }),
            ..plain
        },
    ]
}

/// Runs everything; errors are as good as answers.
fn run(bundle: &Bundle) -> Result<usize, Error> {
    let mut index = Index::open(&bundle.stored_manifest)?;
    let mut answers = 0;
    for request in requests() {
        let Ok(mut search) = index.search(request) else { continue };
        for round in 0.. {
            assert!(round < 4, "a search ends");
            match search.step(&index) {
                Ok(Step::Need(shards)) => {
                    let mut given = true;
                    for shard in shards {
                        given &= index.provide(shard, &bundle.shards[shard.index()]).is_ok();
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

#[test]
fn an_honest_bundle_answers() {
    assert_eq!(run(&bundle()), Ok(requests().len()));
}

#[test]
fn every_byte_flipped_in_a_shard_is_refused() {
    let bundle = bundle();
    let mut index = bundle.open();
    for (i, stored) in bundle.shards.iter().enumerate() {
        for at in 0..stored.len() {
            let mut damaged = stored.clone();
            damaged[at] ^= 1 << (at % 8);
            let error = index.provide(ShardId(i as u32), &damaged).unwrap_err();
            assert_eq!(error.code(), "bundle");
            assert!(index.provide(ShardId(i as u32), &stored[..at]).is_err());
        }
    }
    for at in 0..bundle.stored_manifest.len() {
        let mut damaged = bundle.stored_manifest.clone();
        damaged[at] ^= 1 << (at % 8);
        assert!(Index::open(&damaged).is_err());
        assert!(Index::open(&bundle.stored_manifest[..at]).is_err());
    }
}

#[test]
fn shards_that_do_not_exist_are_refused() {
    let bundle = bundle();
    let mut index = bundle.open();
    let n = bundle.shards.len() as u32;
    assert_eq!(index.provide(ShardId(n), &[]), Err(Error::NoSuchShard { shard: n, n_shards: n }));
    assert!(!index.has(ShardId(n)));
}

#[test]
fn other_text_rules_are_refused() {
    let mut bundle = bundle();
    bundle.manifest.analysis ^= 1;
    let (_, stored) = encode_manifest(&bundle.manifest).unwrap();
    assert!(matches!(Index::open(&stored), Err(Error::Analysis { .. })));
}

/// Ways to spoil bytes.
#[derive(Clone, Debug)]
enum Spoil {
    Set(prop::sample::Index, u8),
    Cut(prop::sample::Index),
    Insert(prop::sample::Index, u8),
}

fn spoil() -> impl Strategy<Value = Spoil> {
    let byte = prop_oneof![any::<u8>(), Just(0), Just(1), Just(0x7f), Just(0xff)];
    prop_oneof![
        4 => (any::<prop::sample::Index>(), byte.clone()).prop_map(|(at, byte)| Spoil::Set(at, byte)),
        1 => any::<prop::sample::Index>().prop_map(Spoil::Cut),
        1 => (any::<prop::sample::Index>(), byte).prop_map(|(at, byte)| Spoil::Insert(at, byte)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// Damage that a hostile writer has covered with fresh checksums.
    #[test]
    fn spoilt_shards_with_good_checksums_do_no_harm(
        spoils in prop::collection::vec((any::<prop::sample::Index>(), spoil()), 1..6)
    ) {
        let mut bundle = bundle();
        for (shard, spoil) in spoils {
            let i = shard.index(bundle.shards.len());
            let entry = bundle.manifest.shards[i];
            let mut raw = decode_shard(&entry, &bundle.shards[i]).unwrap();
            match spoil {
                Spoil::Set(at, byte) if !raw.is_empty() => {
                    let at = at.index(raw.len());
                    raw[at] = byte;
                }
                Spoil::Cut(at) => raw.truncate(at.index(raw.len() + 1)),
                Spoil::Insert(at, byte) => raw.insert(at.index(raw.len() + 1), byte),
                Spoil::Set(..) => {}
            }
            let (entry, stored) = encode_shard(entry.kind, &raw).unwrap();
            bundle.manifest.shards[i] = entry;
            bundle.shards[i] = stored;
        }
        if let Ok((_, stored)) = encode_manifest(&bundle.manifest) {
            bundle.stored_manifest = stored;
            let _ = run(&bundle);
        }
    }

    /// Shards of the right kind in each other's places.
    #[test]
    fn swapped_shards_do_no_harm(a: prop::sample::Index, b: prop::sample::Index) {
        let mut bundle = bundle();
        let (a, b) = (a.index(bundle.shards.len()), b.index(bundle.shards.len()));
        bundle.shards.swap(a, b);
        bundle.manifest.shards.swap(a, b);
        if let Ok((_, stored)) = encode_manifest(&bundle.manifest) {
            bundle.stored_manifest = stored;
            let _ = run(&bundle);
        }
    }

    #[test]
    fn any_request_is_answered_or_refused(query in "\\PC{0,80}|[-\":a-z東 ]{0,80}", filter in "\\PC{0,40}", prefix: bool) {
        let bundle = bundle();
        let mut index = bundle.open();
        let request = Request { query, prefix, ..Request::default() };
        prop_assert!(bundle.answer(&mut index, request.clone()).is_ok());
        if let Err(error) = index.search(Request { filter: Some(filter.into()), ..request }) {
            prop_assert!(error.is_request(), "{}", error);
        }
    }

    #[test]
    fn any_json_is_a_request_or_refused(json in "\\PC{0,80}|\\{\"query\":\"a\",\"[a-zA-Z]{1,8}\":[0-9\"a-z{}\\[\\]]{0,9}\\}") {
        let _ = Request::from_json(&json);
    }
}

#[test]
fn sections_without_texts_are_a_contradiction() {
    let mut bundle = bundle();
    // The texts of one page fewer sections than the structure says.
    let at = bundle.manifest.texts[0].shard.index();
    let mut fewer = pages();
    fewer.truncate(2);
    fewer[1].sections.truncate(1);
    let other = build(&fewer, &[], Cut::default());
    let other_at = other.manifest.texts[0].shard.index();
    bundle.manifest.shards[at] = other.manifest.shards[other_at];
    bundle.shards[at] = other.shards[other_at].clone();
    bundle.stored_manifest = encode_manifest(&bundle.manifest).unwrap().1;
    let mut index = bundle.open();
    let error =
        bundle.answer(&mut index, Request { query: "mutex".into(), ..Request::default() }).unwrap_err();
    assert!(matches!(error, Error::Inconsistent { .. }), "{error}");
}

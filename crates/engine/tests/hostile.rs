//! Bytes that nobody vouches for: an error or an answer, never a panic, whatever the shards hold.

mod support;

use std::collections::BTreeSet;

use findling_bundle::{ShardId, ShardKind, encode_manifest};
use findling_engine::{Error, Index, Request, Step};
use proptest::prelude::*;
use support::hostile::{bundle, pages, requests, run};
use support::{Cut, build};

#[test]
fn an_honest_bundle_answers() {
    assert_eq!(run(&bundle()), Ok(requests().len()));
}

#[test]
fn its_requests_read_every_kind_of_shard() {
    let bundle = bundle();
    let mut read = BTreeSet::new();
    for request in requests() {
        let mut index = bundle.open();
        let mut search = index.search(request).unwrap();
        while let Step::Need(shards) = search.step(&index).unwrap() {
            for shard in shards {
                read.insert(shard);
                index.provide(shard, bundle.shard(shard)).unwrap();
            }
        }
    }
    // Of terms and positions those that are asked for.
    let is_read = |kind| {
        bundle
            .manifest
            .shards
            .iter()
            .zip(0..)
            .any(|(shard, i)| shard.kind == kind && read.contains(&ShardId(i)))
    };
    let unread: Vec<_> = bundle
        .manifest
        .shards
        .iter()
        .map(|shard| shard.kind)
        .filter(|kind| !is_read(*kind))
        .collect();
    assert_eq!(unread, []);
    assert!(is_read(ShardKind::Sentences) && is_read(ShardKind::Addresses));
}

#[test]
fn every_byte_flipped_in_a_shard_is_refused() {
    let bundle = bundle();
    let mut index = bundle.open();
    for (i, stored) in bundle.shards.iter().enumerate() {
        for at in 0..stored.len() {
            // Which of its names a shard of a group has is nothing of its contents, and nobody can
            // compare the group's hash with one shard.
            if at == 7 && bundle.manifest.shards[i].kind.is_grouped() {
                continue;
            }
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
            let i = shard.index(bundle.n_raw());
            let mut raw = bundle.raw(i);
            match spoil {
                Spoil::Set(at, byte) if !raw.is_empty() => {
                    let at = at.index(raw.len());
                    raw[at] = byte;
                }
                Spoil::Cut(at) => raw.truncate(at.index(raw.len() + 1)),
                Spoil::Insert(at, byte) => raw.insert(at.index(raw.len() + 1), byte),
                Spoil::Set(..) => {}
            }
            bundle.replace(i, &raw).unwrap();
        }
        let _ = run(&bundle);
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
    let error = bundle
        .answer(&mut index, Request { query: "mutex".into(), ..Request::default() })
        .unwrap_err();
    assert!(matches!(error, Error::Inconsistent { .. }), "{error}");
}

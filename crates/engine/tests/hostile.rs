//! Untrusted bytes: whatever the shards contain, a search ends with an error or with a well-formed
//! answer. Damage that no answer reads changes no answer.

mod support;

use std::collections::BTreeSet;
use std::sync::LazyLock;

use findling_bundle::{ShardId, ShardKind, encode_manifest};
use findling_engine::{Error, Index, Request};
use proptest::prelude::*;
use support::hostile::{Outcome, bundle, pages, requests, run};
use support::{Cut, build};

#[test]
fn an_undamaged_bundle_answers_every_request() {
    let outcomes = run(&bundle()).unwrap();
    assert_eq!(outcomes.len(), requests().len());
    for outcome in outcomes {
        assert!(!outcome.answer.unwrap().results.is_empty());
    }
}

#[test]
fn its_requests_read_every_kind_of_shard() {
    let bundle = bundle();
    let read: BTreeSet<ShardId> =
        undamaged().iter().flat_map(|outcome| outcome.read.iter().copied()).collect();
    // Not every shard of a kind is read, because a search reads only some ranges of terms and
    // positions.
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
            // Byte 7 selects one of the possible names of a shard and is not a part of its
            // contents. A group's hash covers all its shards, so one shard cannot be compared.
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

/// Returns how many bundles each property damages: 400, or as many as `FINDLING_CASES` says.
fn cases() -> u32 {
    let given = std::env::var("FINDLING_CASES").ok().and_then(|cases| cases.parse().ok());
    given.unwrap_or(400)
}

/// A change of some bytes.
#[derive(Clone, Debug)]
enum Damage {
    Set(prop::sample::Index, u8),
    Cut(prop::sample::Index),
    Insert(prop::sample::Index, u8),
}

impl Damage {
    fn apply(&self, bytes: &mut Vec<u8>) {
        match self {
            Self::Set(at, byte) if !bytes.is_empty() => {
                let at = at.index(bytes.len());
                bytes[at] = *byte;
            }
            Self::Set(..) => {}
            Self::Cut(at) => bytes.truncate(at.index(bytes.len() + 1)),
            Self::Insert(at, byte) => bytes.insert(at.index(bytes.len() + 1), *byte),
        }
    }
}

fn damage() -> impl Strategy<Value = Damage> {
    let byte = prop_oneof![any::<u8>(), Just(0), Just(1), Just(0x7f), Just(0xff)];
    prop_oneof![
        4 => (any::<prop::sample::Index>(), byte.clone())
            .prop_map(|(at, byte)| Damage::Set(at, byte)),
        1 => any::<prop::sample::Index>().prop_map(Damage::Cut),
        1 => (any::<prop::sample::Index>(), byte).prop_map(|(at, byte)| Damage::Insert(at, byte)),
    ]
}

/// Returns the answers of the undamaged bundle.
fn undamaged() -> &'static [Outcome] {
    static OUTCOMES: LazyLock<Vec<Outcome>> = LazyLock::new(|| run(&bundle()).unwrap());
    &OUTCOMES
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases()))]

    /// Damage that the checksums detect.
    #[test]
    fn damaged_shards_give_an_error_or_the_answers_of_the_undamaged_bundle(
        damages in prop::collection::vec((any::<prop::sample::Index>(), damage()), 1..6)
    ) {
        let mut bundle = bundle();
        for (shard, damage) in damages {
            let i = shard.index(bundle.shards.len());
            damage.apply(&mut bundle.shards[i]);
        }
        for (outcome, expect) in run(&bundle).unwrap().iter().zip(undamaged()) {
            match &outcome.answer {
                Err(error) => prop_assert_eq!(error.code(), "bundle"),
                answer => prop_assert_eq!(answer, &expect.answer),
            }
        }
    }

    /// Damage that a hostile writer has covered with fresh checksums. `run` checks the conditions
    /// that hold for any bytes. Answers for which no damaged shard was read must not change.
    #[test]
    fn damage_behind_good_checksums_changes_only_answers_that_read_it(
        damages in prop::collection::vec((any::<prop::sample::Index>(), damage()), 1..6)
    ) {
        let mut bundle = bundle();
        let mut damaged = BTreeSet::new();
        for (shard, damage) in damages {
            let i = shard.index(bundle.n_raw());
            let mut raw = bundle.raw(i);
            let before = raw.clone();
            damage.apply(&mut raw);
            bundle.replace(i, &raw).unwrap();
            if raw != before {
                damaged.insert(bundle.id(i));
            }
        }
        for (outcome, expect) in run(&bundle).unwrap().iter().zip(undamaged()) {
            if outcome.read.is_disjoint(&damaged) {
                prop_assert_eq!(&outcome.answer, &expect.answer);
            }
        }
    }

    /// Two shards are exchanged. If their kinds differ, the manifest is refused, or the answer for
    /// which one of them is read.
    #[test]
    fn swapped_shards_give_an_error_or_change_nothing(
        a: prop::sample::Index,
        b: prop::sample::Index,
    ) {
        let mut bundle = bundle();
        let (a, b) = (a.index(bundle.shards.len()), b.index(bundle.shards.len()));
        let same_kind = bundle.manifest.shards[a].kind == bundle.manifest.shards[b].kind;
        bundle.shards.swap(a, b);
        bundle.manifest.shards.swap(a, b);
        let Ok((_, stored)) = encode_manifest(&bundle.manifest) else { return Ok(()) };
        bundle.stored_manifest = stored;
        let Ok(outcomes) = run(&bundle) else {
            prop_assert!(!same_kind, "the manifest does not know what shards of one kind contain");
            return Ok(());
        };
        for (outcome, expect) in outcomes.iter().zip(undamaged()) {
            match &outcome.answer {
                Ok(answer) if !same_kind => prop_assert_eq!(Ok(answer), expect.answer.as_ref()),
                Ok(_) => {}
                Err(error) => prop_assert!(a != b, "{}", error),
            }
        }
    }

    #[test]
    fn any_query_is_answered_and_any_filter_is_applied_or_refused(
        query in "\\PC{0,80}|[-\":a-z東 ]{0,80}",
        filter in "\\PC{0,40}",
        prefix: bool,
    ) {
        let bundle = bundle();
        let request = Request { query, prefix, ..Request::default() };
        let (all, _) = bundle.answer(&mut bundle.open(), request.clone()).unwrap();
        let request = Request { filter: Some(filter.into()), ..request };
        match bundle.answer(&mut bundle.open(), request) {
            // A filter beside a query without words finds pages by itself.
            Ok((filtered, _)) => prop_assert!(
                filtered.total.pages <= all.total.pages || all.total.pages == 0
            ),
            Err(error) => prop_assert!(error.is_request(), "{}", error),
        }
    }
}

#[test]
fn sections_without_texts_are_a_contradiction() {
    let mut bundle = bundle();
    // The texts of one page have fewer sections than the structure says.
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

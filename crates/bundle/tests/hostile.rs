//! Untrusted bytes: every truncation and every changed byte of every format, with wrong checksums
//! and with right ones.
//!
//! A reader must refuse such bytes with the right kind of error, or read contents within their
//! bounds. The walks in `common` check the bounds: ids below the counts of the bundle, ascending
//! lists, ranges inside texts. Where a format can be written again, what was read must have
//! canonical bytes.

mod common;

use common::*;
use findling_bundle::cells::Members;
use findling_bundle::single_file::{self, SingleFile};
use findling_bundle::*;
use proptest::prelude::*;

/// A format's name, a valid shard, and a walk through the contents of a shard.
type Format<'a> = (&'static str, &'a [u8], Box<dyn Fn(&[u8]) -> Result<(), Error> + 'a>);

fn formats(sample: &Sample) -> Vec<Format<'_>> {
    let stats = &sample.stats;
    let structure = Structure::from_bytes(&sample.structure, stats).unwrap();
    let mut formats: Vec<Format<'_>> = vec![
        ("structure", &sample.structure, Box::new(|raw| walk_structure(raw, stats))),
        (
            "vectors of sections",
            &sample.vector_counts,
            Box::new(|raw| walk_vector_counts(raw, stats)),
        ),
        ("terms", &sample.terms, Box::new(move |raw| walk_terms(raw, &structure, stats))),
        ("positions", &sample.positions, Box::new(walk_positions)),
        (
            "directory of positions",
            &sample.directory,
            Box::new(|raw| walk_directory(raw, stats.n_pages, 1)),
        ),
        ("vectors", &sample.vectors, Box::new(walk_vectors)),
        ("graph", &sample.graph, Box::new(|raw| walk_graph(raw, stats))),
        ("texts", &sample.texts, Box::new(walk_texts)),
        ("spelling", &sample.spelling, Box::new(walk_spelling)),
        ("sentences", &sample.sentences, Box::new(walk_sentences)),
        ("addresses", &sample.addresses, Box::new(|raw| walk_addresses(raw, stats))),
        ("rows", &sample.rows, Box::new(walk_rows)),
        ("projection", &sample.projection, Box::new(walk_projection)),
        ("centroids", &sample.centroids, Box::new(|raw| walk_centroids(raw, stats))),
        (
            "cell",
            &sample.cells[1],
            Box::new(|raw| walk_cell(raw, &sample.coder, Members::Counted(4), stats)),
        ),
        (
            "section vectors",
            &sample.cells[1],
            Box::new(|raw| walk_cell(raw, &sample.coder, Members::Unknown, stats)),
        ),
    ];
    for (kind, raw) in KINDS.into_iter().zip(&sample.columns) {
        formats.push(("column", raw, Box::new(move |raw| walk_column(raw, kind, stats.n_pages))));
    }
    let (raw, n) = (&sample.section_column, stats.n_sections);
    let walk = move |raw: &[u8]| walk_column(raw, AttributeKind::Strings, n);
    formats.push(("column of sections", raw, Box::new(walk)));
    formats
}

/// Returns other values of a byte: with each bit flipped, and values with a special meaning.
fn changed(byte: u8) -> impl Iterator<Item = u8> {
    (0..8).map(move |bit| byte ^ 1 << bit).chain([0, 1, 0x7f, 0x80, 0xff, byte.wrapping_add(1)])
}

/// Checks that an error blames the contents: contents have no header that could be wrong.
fn check_refusal(name: &str, result: Result<(), Error>) {
    if let Err(error) = result {
        let expected = matches!(
            error,
            Error::Truncated { .. }
                | Error::Length { .. }
                | Error::Limit { .. }
                | Error::Malformed { .. }
        );
        assert!(expected, "{name}: {error:?}");
    }
}

#[test]
fn the_sample_is_valid() {
    let sample = sample();
    for (name, raw, walk) in formats(&sample) {
        walk(raw).unwrap_or_else(|error| panic!("{name}: {error}"));
    }
    let (manifest, stored) = bundle(&sample);
    manifest.validate().unwrap();
    walk_bundle(&manifest, |id| Some(common::stored(&sample, &stored, id)?.into_owned())).unwrap();
}

#[test]
fn every_truncation_of_every_format_is_refused() {
    let sample = sample();
    for (name, raw, walk) in formats(&sample) {
        for len in 0..raw.len() {
            assert!(walk(&raw[..len]).is_err(), "{name} of {len} bytes");
        }
        let mut longer = raw.to_vec();
        longer.push(0);
        assert!(walk(&longer).is_err(), "{name} with a byte after the end");
    }
}

#[test]
fn every_changed_byte_is_refused_or_read_within_bounds() {
    let sample = sample();
    for (name, raw, walk) in formats(&sample) {
        let mut bytes = raw.to_vec();
        for at in 0..bytes.len() {
            for byte in changed(raw[at]) {
                bytes[at] = byte;
                check_refusal(name, walk(&bytes));
            }
            bytes[at] = raw[at];
        }
    }
}

#[test]
fn a_changed_or_missing_byte_never_passes_the_checksums() {
    let sample = sample();
    let (manifest, stored) = bundle(&sample);
    let (entry, stored_manifest) = encode_manifest(&manifest).unwrap();
    let mut file = single_file::head(&entry, &stored_manifest);
    // The salt of a shard of a group is not checked: the group's hash is over several shards.
    let mut names = Vec::new();
    for (entry, shard) in manifest.shards.iter().zip(&stored) {
        names.extend(entry.kind.is_grouped().then_some(file.len() + 7));
        file.extend_from_slice(shard);
    }
    assert_eq!(names.len(), 2, "texts and rows");
    file.extend_from_slice(&encode_shard(ShardKind::Positions, &sample.positions).unwrap().1);
    let open = |bytes: &[u8]| -> Result<(), Error> {
        let file = SingleFile::open(bytes)?;
        walk_bundle(file.manifest(), |id| file.shard(id).map(<[u8]>::to_vec))
    };
    open(&file).unwrap();
    for len in 0..file.len() {
        assert!(open(&file[..len]).is_err(), "{len} bytes");
    }
    let mut bytes = file.clone();
    for at in 0..file.len() {
        for flip in [1 << (at % 8), 0xff] {
            bytes[at] = file[at] ^ flip;
            assert_eq!(open(&bytes).is_ok(), names.contains(&at), "byte {at}, {flip:#x}");
        }
        bytes[at] = file[at];
    }
}

#[test]
fn ranking_parameters_out_of_range_are_refused() {
    let (manifest, _) = bundle(&sample());
    let max = findling_bundle::RANKING_MAX;
    for (ranking, fits) in [
        (vec![], true),
        (max.to_vec(), true),
        (vec![0.0; max.len()], true),
        (vec![0.5; max.len() - 1], false),
        (vec![1.0; max.len()], false),
        (vec![-0.1; max.len()], false),
        (vec![f32::NAN; max.len()], false),
    ] {
        let manifest = Manifest { ranking, ..manifest.clone() };
        assert_eq!(manifest.validate().is_ok(), fits, "{:?}", manifest.ranking);
    }
}

#[test]
fn every_changed_byte_of_a_manifest_is_refused_or_read_within_bounds() {
    let (manifest, stored) = bundle(&sample());
    let raw = manifest.to_bytes().unwrap();
    let mut bytes = raw.clone();
    for at in 0..raw.len() {
        for byte in changed(raw[at]) {
            bytes[at] = byte;
            if let Ok(manifest) = Manifest::from_bytes(&bytes)
                && manifest.validate().is_ok()
            {
                let again = Manifest::from_bytes(&manifest.to_bytes().unwrap()).unwrap();
                assert_eq!(again, manifest, "byte {at}");
                // The shards belong to another manifest, so any error is right.
                drop(walk_bundle(&manifest, |id| stored.get(id.index()).cloned()));
                for term in ["", "a", "terma", "zz"] {
                    manifest.lexicon_of(term);
                    assert!(manifest.lexicon_with_prefix(term).end <= manifest.lexicon.len());
                }
            }
        }
        bytes[at] = raw[at];
    }
    for len in 0..raw.len() {
        assert!(Manifest::from_bytes(&raw[..len]).is_err());
    }
}

#[test]
fn a_file_served_in_place_of_another_is_refused() {
    let (manifest, stored) = bundle(&sample());
    let page = b"<!doctype html><title>Not found</title>";
    let error = decode_shard(&manifest.shards[0], page).unwrap_err();
    assert!(matches!(error, Error::Magic { .. }), "{error}");
    assert!(matches!(Entry::from_bytes(page), Err(Error::Magic { .. })));
    let error = decode_shard(&manifest.shards[0], &stored[1]).unwrap_err();
    assert!(matches!(error, Error::Length { .. } | Error::Checksum { .. }), "{error}");
    // The kind is checked even if length and hash match the other file.
    let hash = shard_hash(ShardKind::Structure, &stored[1]);
    let lying = ShardEntry { kind: ShardKind::Structure, hash, ..manifest.shards[1] };
    assert!(matches!(decode_shard(&lying, &stored[1]), Err(Error::Kind { .. })));
    // Without a stated length, a truncated file has another checksum.
    let files = manifest.of_files();
    assert!(files.shards[1].kind.is_range() && files.shards[1].stored_len == 0);
    assert_eq!(
        decode_shard(&files.shards[1], &stored[1]),
        decode_shard(&manifest.shards[1], &stored[1])
    );
    let cut = &stored[1][..stored[1].len() - 1];
    assert!(matches!(decode_shard(&files.shards[1], cut), Err(Error::Checksum { .. })));
    let error = decode_shard(&files.shards[1], page).unwrap_err();
    assert!(matches!(error, Error::Magic { .. }), "{error}");
    let (_, stored_manifest) = encode_manifest(&manifest).unwrap();
    assert!(decode_manifest(&stored[0]).is_err());
    assert!(decode_manifest(&stored_manifest).is_ok());
}

#[test]
fn the_error_for_another_version_has_both_versions() {
    let entry = Entry { manifest_hash: [1; 16], manifest_len: 9 };
    let mut bytes = entry.to_bytes();
    assert_eq!(Entry::from_bytes(&bytes), Ok(entry));
    bytes[8] = 2;
    let version = |got| Err(Error::Version { what: "findling.idx", expected: 1, got });
    assert_eq!(Entry::from_bytes(&bytes), version(2));
    bytes[8] = 0;
    assert_eq!(Entry::from_bytes(&bytes), version(0));
}

#[test]
fn a_shard_with_a_wrong_length_in_its_header_is_refused() {
    let (mut entry, mut stored) = encode_shard(ShardKind::Texts, &vec![0; 100_000]).unwrap();
    for announced in [0u32, 1, 99_999, 100_001, u32::MAX] {
        stored[8..12].copy_from_slice(&announced.to_le_bytes());
        entry.hash = shard_hash(entry.kind, &stored);
        assert!(decode_shard(&entry, &stored).is_err(), "{announced}");
    }
}

/// Returns a stored shard of terms, and its contents.
fn packed_terms() -> (Vec<u8>, Vec<u8>) {
    let sample = sample();
    let (_, stored) = encode_shard(ShardKind::Terms, &sample.terms).unwrap();
    assert_eq!(stored[6], 2, "terms are packed");
    (stored, sample.terms)
}

#[test]
fn packed_terms_that_are_truncated_or_state_another_length_are_refused() {
    let (stored, raw) = packed_terms();
    let decode = |stored: &[u8]| {
        let hash = shard_hash(ShardKind::Terms, stored);
        decode_shard(
            &ShardEntry { kind: ShardKind::Terms, hash, stored_len: stored.len() as u32 },
            stored,
        )
    };
    assert_eq!(decode(&stored).unwrap(), raw);
    for len in 12..stored.len() - 8 {
        assert_ne!(decode(&stored[..len]).ok(), Some(raw.clone()), "{len}");
    }
    for announced in [0, 1, raw.len() as u32 - 1, raw.len() as u32 + 1, u32::MAX] {
        let mut stored = stored.clone();
        stored[8..12].copy_from_slice(&announced.to_le_bytes());
        assert!(decode(&stored).is_err(), "{announced}");
    }
    let mut ordered = stored.clone();
    ordered[6] = 3;
    assert!(decode(&ordered).is_err(), "terms are not packed in order");
    let mut texts = stored;
    texts[4] = ShardKind::Texts as u8;
    let entry = ShardEntry {
        kind: ShardKind::Texts,
        hash: shard_hash(ShardKind::Texts, &texts),
        stored_len: texts.len() as u32,
    };
    assert!(decode_shard(&entry, &texts).is_err(), "texts have no packed form");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn changed_packed_terms_are_refused_or_read_within_bounds(
        edits in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..20),
        announced in 0u32..5000,
    ) {
        let (mut stored, _) = packed_terms();
        for (at, byte) in edits {
            let at = 12 + at.index(stored.len() - 12);
            stored[at] = byte;
        }
        if announced % 2 == 1 {
            stored[8..12].copy_from_slice(&announced.to_le_bytes());
        }
        let hash = shard_hash(ShardKind::Terms, &stored);
        let entry = ShardEntry { kind: ShardKind::Terms, hash, stored_len: stored.len() as u32 };
        match decode_shard(&entry, &stored) {
            Ok(raw) => {
                prop_assert_eq!(raw.len() as u32, announced_len(&stored).unwrap());
                let sample = sample();
                let structure = Structure::from_bytes(&sample.structure, &sample.stats).unwrap();
                check_refusal("terms", walk_terms(&raw, &structure, &sample.stats));
            }
            refused => check_refusal("packed terms", refused.map(drop)),
        }
    }

    #[test]
    fn generated_bytes_are_refused_or_read_within_bounds(
        mut bytes in proptest::collection::vec(any::<u8>(), 0..200),
        small: bool,
    ) {
        if small {
            // Small numbers pass more checks than random ones.
            bytes.iter_mut().for_each(|byte| *byte &= 7);
        }
        let sample = sample();
        for (name, _, walk) in formats(&sample) {
            check_refusal(name, walk(&bytes));
        }
        check_refusal(
            "manifest",
            Manifest::from_bytes(&bytes).and_then(|manifest| manifest.validate()),
        );
        // These have a magic and a checksum.
        prop_assert!(Entry::from_bytes(&bytes).is_err());
        prop_assert!(decode_manifest(&bytes).is_err());
        prop_assert!(SingleFile::open(&bytes).is_err());
    }

    #[test]
    fn spliced_shards_are_refused_or_read_within_bounds(
        cuts in proptest::collection::vec((0usize..400, 0usize..40, 0usize..400), 1..5),
    ) {
        let sample = sample();
        for (name, raw, walk) in formats(&sample) {
            let mut bytes = raw.to_vec();
            for &(from, len, to) in &cuts {
                let from = from.min(raw.len());
                let piece = raw[from..(from + len).min(raw.len())].to_vec();
                let to = to.min(bytes.len());
                let end = (to + len).min(bytes.len());
                bytes.splice(to..end, piece);
            }
            check_refusal(name, walk(&bytes));
        }
    }
}

#[test]
fn a_shard_is_not_inflated_beyond_what_the_bundle_can_need() {
    let stats = Stats { n_pages: 5, n_sections: 65, n_passages: 70, ..Stats::default() };
    for kind in [ShardKind::Structure, ShardKind::VectorCounts] {
        let (entry, stored) = encode_shard(kind, &vec![0; 8 << 20]).unwrap();
        assert!(decode_shard(&entry, &stored).is_ok());
        let refused = decode_shard_of(&stats, &entry, &stored).unwrap_err();
        assert!(matches!(refused, Error::Limit { .. }), "{refused:?}");
        let (entry, stored) = encode_shard(kind, &[0; 200]).unwrap();
        assert!(decode_shard_of(&stats, &entry, &stored).is_ok());
    }
}

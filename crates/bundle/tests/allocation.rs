//! Tests that readers allocate memory in proportion to the length of their input, regardless of the
//! sizes that the input claims.
//!
//! This is a single test in its own binary, because the allocator's counters are global.

mod common;

use common::*;
use findling_bundle::cells::Members;
use findling_bundle::*;
use peak_alloc::PeakAlloc;

#[global_allocator]
static ALLOCATOR: PeakAlloc = PeakAlloc;

fn peak(run: impl FnOnce()) -> usize {
    ALLOCATOR.reset_peak_usage();
    let before = ALLOCATOR.current_usage();
    run();
    ALLOCATOR.peak_usage().saturating_sub(before)
}

/// Returns the largest claim a varint of each length makes, in front of honest bytes and in their
/// middle.
fn claims(raw: &[u8]) -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    for at in 0..raw.len().min(64) {
        for claim in [&[0xff, 0x7f][..], &[0xff, 0xff, 0xff, 0x7f], &[0xff, 0xff, 0xff, 0xff, 0x0f]]
        {
            let mut bytes = raw.to_vec();
            bytes.splice(at..at + 1, claim.iter().copied());
            all.push(bytes);
        }
        let mut bytes = raw.to_vec();
        let end = (at + 4).min(bytes.len());
        bytes[at..end].fill(0xff);
        all.push(bytes);
    }
    all
}

#[test]
fn allocation_is_bounded_by_the_input() {
    const PER_BYTE: usize = 64;
    // Most of this memory is for models of packed numbers.
    const FIXED: usize = 28 << 10;
    let sample = sample();
    // The counts in the manifest are as large as possible: even so, the claims of shards must not
    // be believed.
    let huge = Stats {
        n_pages: limits::MAX_IDS,
        n_sections: limits::MAX_IDS,
        n_passages: limits::MAX_IDS,
        n_vectors: limits::MAX_IDS,
        n_terms: limits::MAX_IDS,
        mean_len: [0.0; 6],
    };
    let check = |name: &str, bytes: &[u8], walk: &dyn Fn(&[u8])| {
        let peak = peak(|| walk(bytes));
        assert!(
            peak <= FIXED + PER_BYTE * bytes.len(),
            "{name}: {peak} bytes for {} of input",
            bytes.len()
        );
    };
    for stats in [sample.stats, huge] {
        for bytes in claims(&sample.structure) {
            check("structure", &bytes, &|raw| drop(Structure::from_bytes(raw, &stats)));
        }
        for bytes in claims(&sample.terms) {
            check("terms", &bytes, &|raw| drop(TermsShard::from_bytes(raw.to_vec(), &stats)));
        }
        for bytes in claims(&sample.graph) {
            check("graph", &bytes, &|raw| drop(Graph::from_bytes(raw, &stats)));
        }
        for (kind, raw) in KINDS.into_iter().zip(&sample.columns) {
            for bytes in claims(raw) {
                check("column", &bytes, &|raw| drop(Column::from_bytes(raw, kind, stats.n_pages)));
            }
        }
    }
    for bytes in claims(&sample.positions) {
        check("positions", &bytes, &|raw| drop(walk_positions(raw)));
    }
    for bytes in claims(&sample.directory) {
        for n_pages in [sample.stats.n_pages, huge.n_pages] {
            check("directory", &bytes, &|raw| {
                drop(PositionsDirectory::from_bytes(raw, n_pages, 1))
            });
        }
    }
    for bytes in claims(&sample.vectors) {
        check("vectors", &bytes, &|raw| drop(VectorsShard::from_bytes(raw.to_vec(), DIM)));
    }
    for bytes in claims(&sample.texts) {
        check("texts", &bytes, &|raw| drop(walk_texts(raw)));
    }
    for bytes in claims(&sample.addresses) {
        for stats in [sample.stats, huge] {
            check("addresses", &bytes, &|raw| drop(Addresses::from_bytes(raw, &stats)));
        }
    }
    for bytes in claims(&sample.sentences) {
        check("sentences", &bytes, &|raw| drop(walk_sentences(raw)));
    }
    for bytes in claims(&sample.spelling) {
        check("spelling", &bytes, &|raw| drop(walk_spelling(raw)));
    }
    for bytes in claims(&sample.rows) {
        check("rows", &bytes, &|raw| drop(walk_rows(raw)));
    }
    for bytes in claims(&sample.projection) {
        check("projection", &bytes, &|raw| drop(walk_projection(raw)));
    }

    for stats in [sample.stats, huge] {
        for bytes in claims(&sample.centroids) {
            check("centroids", &bytes, &|raw| drop(walk_centroids(raw, &stats)));
        }
        for bytes in claims(&sample.cells[1]) {
            check("cell", &bytes, &|raw| {
                drop(CellShard::from_bytes(raw, &sample.coder, Members::Counted(4), &stats))
            });
        }
    }

    // Lines may take less than a bit; their number is limited.
    let raw = bundle(&sample).0.to_bytes().unwrap();
    for bytes in claims(&raw) {
        let peak = peak(|| drop(Manifest::from_bytes(&bytes)));
        assert!(peak <= 2 * limits::MAX_MANIFEST_LEN, "manifest: {peak}");
    }

    // A shard of a few bytes that announces the largest length of its kind.
    let (mut entry, mut stored) = encode_shard(ShardKind::Structure, &[0; 64]).unwrap();
    let announced = limits::max_raw_len(ShardKind::Structure);
    stored[8..12].copy_from_slice(&announced.to_le_bytes());
    entry.hash = shard_hash(entry.kind, &stored);
    let peak = peak(|| drop(decode_shard(&entry, &stored)));
    assert!(peak < 64 << 10, "frame: {peak}");
}

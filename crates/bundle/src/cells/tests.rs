//! Tests of centroids and cells.

use proptest::prelude::*;

use super::centroids::Recent;
use super::coder::{Count, Models, class, put_coded, put_symbols, take_coded};
use super::prediction::expected_of;
use super::steps::{FINE, ROUNDING, SAME};
use super::*;
use crate::codec::{Reader, put_varint};
use crate::limits::MAX_TOLD;
use crate::range_coder::{Decoder, Encoder};
use crate::structure::StructureBuilder;
use crate::{PageId, SectionId, ShardEntry, ShardHash, ShardKind, Stats};

/// Returns rows of approximately normal numbers, with the given deviation of each dimension.
fn rows(n: usize, deviations: &[f32], seed: u64) -> Vec<Vec<f32>> {
    let mut state = seed;
    let mut uniform = move || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 40) as f32 / (1u64 << 24) as f32 - 0.5
    };
    // Twelve uniform numbers have a variance of 1.
    let mut normal = move || (0..12).map(|_| uniform()).sum::<f32>();
    (0..n).map(|_| deviations.iter().map(|deviation| deviation * normal()).collect()).collect()
}

/// Returns the coder of rows with the same step in all dimensions.
fn even(rows: &[Vec<f32>], step: f32) -> Coder {
    Coder::of(rows.iter(), Steps::even(step, rows[0].len()).unwrap()).unwrap()
}

/// Returns the relative squared error of coded rows, and the bits for each number.
fn lost(coder: &Coder, rows: &[Vec<f32>]) -> (f64, f64) {
    let (mut encoder, mut models) = (Encoder::new(), Models::new());
    rows.iter().for_each(|row| coder.put(0, &mut encoder, &mut models, row));
    let coded = encoder.finish();
    let (mut decoder, mut models) = (Decoder::new(&coded), Models::new());
    let (mut error, mut energy) = (0.0, 0.0);
    for row in rows {
        let mut back = vec![0.0; row.len()];
        coder.add(0, &mut decoder, &mut models, &mut back).unwrap();
        for (a, b) in row.iter().zip(&back) {
            error += f64::from((a - b) * (a - b));
            energy += f64::from(a * a);
        }
    }
    (error / energy, coded.len() as f64 * 8.0 / (rows.len() * coder.dim()) as f64)
}

#[test]
fn lossy_coding_is_close_to_the_rate_distortion_bound() {
    let deviations: Vec<f32> = (0..64).map(|i| 1.0 / (1.0 + i as f32 / 4.0)).collect();
    let rows = rows(500, &deviations, 1);
    for (step, above) in [(0.05f32, 0.4), (0.1, 0.35), (0.2, 0.33), (0.4, 0.3)] {
        let (lost, bits) = lost(&even(&rows, step), &rows);
        // The bound for normal distributions (reverse water-filling): each dimension loses the
        // water level, or all of its variance.
        let variances = || deviations.iter().map(|deviation| f64::from(deviation * deviation));
        let most: f64 = lost * variances().sum::<f64>();
        let mut level = 1.0;
        while variances().map(|variance| variance.min(level)).sum::<f64>() > most {
            level *= 0.999;
        }
        let least: f64 =
            variances().map(|variance| (variance / level).log2().max(0.0) / 2.0).sum::<f64>()
                / 64.0;
        assert!(bits < least + above && bits > least, "{step}: {bits} bits, the bound is {least}");
    }
}

proptest! {
    #[test]
    fn written_places_are_read_back(
        places in prop::collection::btree_set((0u32..300, 0u32..9, 0u8..=255), 1..60),
    ) {
        let places: Vec<VectorPlace> = places
            .into_iter()
            .map(|(page, section, part)| VectorPlace { page: PageId(page), section, part })
            .collect();
        let coder = even(&[vec![0.5, 0.25]], 0.1);
        let vectors = vec![&[0.5f32, 0.25][..]; places.len()];
        let raw = write_cell(&coder, &[0.5, 0.25], Some(&places), &vectors).unwrap();
        let n = places.len() as u32;
        let stats = Stats { n_pages: 300, n_sections: 2700, n_vectors: n, ..Stats::default() };
        let cell = CellShard::from_bytes(&raw, &coder, Members::Counted(n), &stats).unwrap();
        prop_assert_eq!(cell.places(), &places[..]);
    }

    #[test]
    fn the_error_of_a_number_is_little_more_than_half_a_step(
        dimensions in prop::collection::vec((0f32..4.0, 0u8..32), 1..40),
        step in 0.01f32..3.0,
        seed: u64,
    ) {
        let (deviations, sizes): (Vec<f32>, Vec<u8>) = dimensions.into_iter().unzip();
        let row = &rows(1, &deviations, seed)[0];
        let coder = Coder::of([row].into_iter(), Steps::new(step, sizes).unwrap()).unwrap();
        let steps = coder.steps().clone();
        let (mut encoder, mut models) = (Encoder::new(), Models::new());
        coder.put(0, &mut encoder, &mut models, row);
        coder.put_fine(&mut encoder, &mut models, row);
        let coded = encoder.finish();
        let (mut decoder, mut models) = (Decoder::new(&coded), Models::new());
        let mut back = vec![0.0; row.len()];
        coder.add(0, &mut decoder, &mut models, &mut back).unwrap();
        let fine = coder.fine(&mut decoder, &mut models).unwrap();
        prop_assert_eq!(&fine, &steps.as_stored(row));
        for (((&value, back), fine), step) in row.iter().zip(back).zip(fine).zip(steps.of) {
            prop_assert!((value - back).abs() <= step * (1.0 - ROUNDING) * 1.001 + 1e-6);
            prop_assert!((value - fine).abs() <= step / FINE * 0.501 + 1e-6);
        }
    }

    #[test]
    fn move_to_front_can_be_reversed(
        cells in prop::collection::vec(0u32..9, 0..60),
    ) {
        let (mut writer, mut reader) = (Recent::new(9), Recent::new(9));
        for cell in cells {
            prop_assert_eq!(reader.cell(writer.place(cell)), Some(cell));
        }
        prop_assert_eq!(reader.cell(9), None);
    }
}

#[test]
fn a_class_is_half_an_octave_of_deviation() {
    let classes = [0.0, 0.125, 0.126, 0.176, 0.18, 0.24, 0.99, 1.01, 45.0, 1e9, f32::INFINITY];
    assert_eq!(classes.map(class), [0, 0, 1, 1, 2, 2, 6, 7, 17, 17, 17]);
    assert_eq!(class(f32::NAN), 0);
    let one = || Steps::even(1.0, 1).unwrap();
    for (spread, class, fits) in
        [(1.0, 1, true), (f32::INFINITY, 1, false), (-1.0, 1, false), (1.0, 18, false)]
    {
        assert_eq!(Coder::new(one(), spread, vec![class]).is_ok(), fits);
    }
    for (mean, size, fits) in [
        (1.0, 31, true),
        (0.0, 16, false),
        (-1.0, 16, false),
        (f32::NAN, 16, false),
        (3e38, 31, false),
    ] {
        assert_eq!(Steps::new(mean, vec![size]).is_ok(), fits, "{mean} {size}");
    }
}

#[test]
fn steps_are_inversely_proportional_to_deviations() {
    // The deviations are doubled, and the means are not 0.
    let mut twice = rows(4000, &[0.1, 0.2, 0.4, 0.8], 2);
    twice.iter_mut().for_each(|row| row[1] += 5.0);
    let steps = Steps::of(twice.iter(), 4, 0.1).unwrap();
    assert!(steps.of.windows(2).all(|pair| (pair[0] / pair[1] - 2.0).abs() < 0.02), "{steps:?}");
    let beyond = Steps::of(rows(40, &[1e-3, 1e3], 2).iter(), 2, 0.1).unwrap();
    assert!((beyond.of[0] / 0.1 - 4.0).abs() < 0.01 && (0.1 / beyond.of[1] - 4.0).abs() < 0.01);
    assert_eq!(steps.with_mean(0.2).unwrap().of[2], 2.0 * steps.of[2]);
    assert_eq!(Steps::of([[0.5f32, 0.5]].iter(), 2, 0.1).unwrap(), Steps::even(0.1, 2).unwrap());
}

/// Compares products with queries, because searches use vectors only for this. The queries have the
/// same deviations as the vectors.
#[test]
fn such_steps_give_better_products_at_equal_bits() {
    let deviations: Vec<f32> = (0..64).map(|i| 0.3 / (1.0 + i as f32 / 8.0)).collect();
    let (rows, queries) = (rows(600, &deviations, 3), rows(50, &deviations, 4));
    let of = |steps: Steps| {
        let coder = Coder::of(rows.iter(), steps).unwrap();
        let (mut encoder, mut models) = (Encoder::new(), Models::new());
        rows.iter().for_each(|row| coder.put(0, &mut encoder, &mut models, row));
        let coded = encoder.finish();
        let (mut decoder, mut models) = (Decoder::new(&coded), Models::new());
        let mut error = 0.0;
        for row in &rows {
            let mut off: Vec<f32> = row.iter().map(|value| -value).collect();
            coder.add(0, &mut decoder, &mut models, &mut off).unwrap();
            for query in &queries {
                error += query.iter().zip(&off).map(|(a, b)| a * b).sum::<f32>().powi(2);
            }
        }
        (error, coded.len())
    };
    let (even, even_len) = of(Steps::even(0.09, 64).unwrap());
    let (error, len) = of(Steps::of(rows.iter(), 64, 0.1).unwrap());
    assert!(error < 0.9 * even && len <= even_len * 101 / 100, "{error} {even} {len} {even_len}");
}

#[test]
fn a_cell_of_equal_vectors_has_enough_bytes_for_the_reader_s_bound() {
    let centroid = [0.5f32; 64];
    let coder = even(&[centroid.to_vec()], 0.05);
    let vectors = vec![&centroid[..]; 5000];
    let raw = write_cell(&coder, &centroid, None, &vectors).unwrap();
    let stats = Stats { n_vectors: 5000, ..Stats::default() };
    let read =
        |raw: &[u8]| CellShard::from_bytes(raw, &coder, Members::Told((0..5000).collect()), &stats);
    assert_eq!(read(&raw).unwrap().rows().count(), 5000);
    let few = [&raw[..2], &[100], &raw[4..104]].concat();
    assert!(read(&few).is_err(), "fewer bytes than 5,000 vectors can take");
}

#[test]
fn written_cells_and_centroids_are_read_back() {
    let dim = 16;
    let rows = rows(40, &vec![0.3; dim], 3);
    let centroid = vec![0.25f32; dim];
    let coder = even(&rows, 0.1);
    let vectors: Vec<Vec<f32>> =
        rows.iter().map(|row| row.iter().map(|value| value + 0.25).collect()).collect();
    // Twenty pages with two sections each and three vectors a section; every third vector is in the
    // cell.
    let ids: Vec<u32> = (0..40).map(|i| i * 3 + 1).collect();
    let mut structure = StructureBuilder::default();
    for section in 0..40 {
        if section % 2 == 0 {
            structure.page();
        }
        structure.section(3);
        structure.passage();
    }
    let structure = structure.finish();
    let places: Vec<VectorPlace> =
        (0..40).map(|i| VectorPlace::new(PageId(i / 2), i % 2, 1, 3)).collect();
    let slices: Vec<&[f32]> = vectors.iter().map(Vec::as_slice).collect();
    let raw = write_cell(&coder, &centroid, Some(&places), &slices).unwrap();
    let stats =
        Stats { n_pages: 20, n_sections: 40, n_passages: 40, n_vectors: 120, ..Stats::default() };
    let read = |raw: &[u8], members, stats| CellShard::from_bytes(raw, &coder, members, stats);
    let cell = read(&raw, Members::Counted(40), &stats).unwrap();
    assert_eq!((cell.places(), cell.ids()), (&places[..], &[][..]));
    let told = write_cell(&coder, &centroid, None, &slices).unwrap();
    assert!(told.len() + 10 <= raw.len());
    let by_ids = read(&told, Members::Told(ids.clone()), &stats).unwrap();
    assert_eq!((by_ids.ids(), by_ids.places()), (&ids[..], &[][..]));
    assert!(
        by_ids.vectors(&structure).eq(cell.vectors(&structure)),
        "whichever way they are named"
    );
    assert!(cell.vectors(&structure.without_vectors()).eq(cell.vectors(&structure)));
    let all = cell.vectors(&structure).map(|vector| (vector.section, vector.part));
    assert!(all.eq((0..40).map(|section| (SectionId(section), 85))));
    assert!(read(&told, Members::Told(ids[1..].to_vec()), &stats).is_err());
    for raw in [&raw, &told] {
        let read = CellShard::centroid(raw, &coder).unwrap();
        assert!(read.iter().zip(&centroid).all(|(a, b)| (a - b).abs() < 0.013));
    }
    for ((row, scale), vector) in cell.rows().zip(&vectors) {
        let error: f32 =
            row.iter().zip(vector).map(|(&q, v)| (f32::from(q) * scale - v).powi(2)).sum();
        assert!(error < 0.03 * vector.iter().map(|v| v * v).sum::<f32>(), "{error}");
    }
    assert!(read(&raw, Members::Counted(39), &stats).is_err());
    let few = Stats { n_pages: 19, ..stats };
    assert!(read(&raw, Members::Counted(40), &few).is_err(), "a page beyond the bundle's");
    let descending = [places[2], places[1]];
    assert!(write_cell(&coder, &centroid, Some(&descending), &slices[..2]).is_err());
    let few = Stats { n_vectors: 118, ..stats };

    let shard = ShardEntry { kind: ShardKind::Cell, hash: [7, 7, 112, 0], stored_len: 99 };
    let cells = vec![Cell { shard, n_vectors: 40 }, Cell { shard, n_vectors: 80 }];
    let centroids = [centroid, vec![-0.5; dim]].concat();
    let raw = write_centroids(
        &coder,
        &cells,
        &centroids,
        0.1,
        &(0..120).map(|i| u32::from(i % 3 > 0)).collect::<Vec<_>>(),
    )
    .unwrap();
    let read = Centroids::from_bytes(&raw, dim as u32, &stats).unwrap();
    assert_eq!((read.cells(), read.coder()), (&cells[..], &coder));
    for ((row, scale), centroid) in read.directions().zip(centroids.chunks(dim)) {
        let length = centroid.iter().map(|value| value * value).sum::<f32>().sqrt();
        assert!(
            row.iter()
                .zip(centroid)
                .all(|(&q, c)| (f32::from(q) * scale - c / length).abs() < 0.07 / length)
        );
    }
    assert!(Centroids::from_bytes(&raw, 15, &stats).is_err());
    assert!(Centroids::from_bytes(&raw, dim as u32, &few).is_err());
    assert!((0..120).all(|vector| read.cell_of(vector) == Some(u32::from(vector % 3 > 0))));
    assert_eq!(read.cell_of(120), None);
    assert_eq!(read.members(0), Some(Members::Told((0..40).map(|i| i * 3).collect())));
    assert_eq!(read.members(2), None);
    let others: Vec<u32> = (0..120).map(|i| i % 2).collect();
    let raw_others = write_centroids(&coder, &cells, &centroids, 0.1, &others).unwrap();
    assert!(
        Centroids::from_bytes(&raw_others, dim as u32, &stats).is_err(),
        "60 in each, not 40 and 80"
    );
    let without = write_centroids(&coder, &cells, &centroids, 0.1, &[]).unwrap();
    assert!(without.len() + 10 < raw.len(), "{} {}", without.len(), raw.len());
    let without = Centroids::from_bytes(&without, dim as u32, &stats).unwrap();
    assert_eq!((without.cell_of(0), without.members(1)), (None, Some(Members::Counted(80))));
    assert!(write_centroids(&coder, &cells, &centroids, 0.1, &[2]).is_err(), "there are two cells");
    assert!(write_centroids(&coder, &cells, &centroids[1..], 0.1, &[]).is_err());
}

#[test]
fn similar_centroids_take_fewer_bytes() {
    let dim = 64;
    let groups = rows(8, &vec![0.3; dim], 5);
    let own = rows(80, &vec![0.1; dim], 6);
    let of = |i: usize, group: usize| -> Vec<f32> {
        groups[group].iter().zip(&own[i]).map(|(group, own)| group + own).collect()
    };
    let coder = even(&own, 0.05);
    let shard = ShardEntry { kind: ShardKind::Cell, hash: [7, 7, 112, 0], stored_len: 99 };
    let cells = vec![Cell { shard, n_vectors: 1 }; 80];
    let write = |centroids: &[Vec<f32>]| {
        write_centroids(&coder, &cells, &centroids.concat(), 0.08, &[]).unwrap()
    };
    let alike: Vec<Vec<f32>> = (0..80).map(|i| of(i, i / 10)).collect();
    let raw = write(&alike);
    let stats = Stats { n_vectors: 80, ..Stats::default() };
    let read = Centroids::from_bytes(&raw, dim as u32, &stats).unwrap();
    for ((row, scale), centroid) in read.directions().zip(&alike) {
        // The vector has the length of the centroid in this direction.
        let length: f32 = row.iter().zip(centroid).map(|(&q, c)| f32::from(q) * scale * c).sum();
        let off = row.iter().zip(centroid).map(|(&q, c)| (f32::from(q) * scale * length - c).abs());
        assert!(off.fold(0.0, f32::max) < 0.08 * 0.6 + 0.01);
        let square: f32 = row.iter().map(|&q| (f32::from(q) * scale).powi(2)).sum();
        assert!((square - 1.0).abs() < 1e-5, "{square}");
    }
    // The same deviations without anything in common.
    let apart = rows(80, &vec![0.316; dim], 7);
    assert!(raw.len() * 10 < write(&apart).len() * 8, "{} {}", raw.len(), write(&apart).len());
}

#[test]
fn similar_vectors_take_fewer_bytes() {
    let dim = 32;
    let moulds = rows(4, &vec![0.3; dim], 5);
    let noise = rows(80, &vec![0.05; dim], 6);
    let near = |i: usize| -> Vec<f32> {
        noise[i].iter().zip(&moulds[i % 4]).map(|(a, b)| a + b).collect()
    };
    let alike: Vec<Vec<f32>> = (0..80).map(near).collect();
    let apart = rows(80, &vec![0.304; dim], 8);
    let centroid = vec![0.0; dim];
    let write = |vectors: &[Vec<f32>]| {
        let coder = even(vectors, 0.05);
        let vectors: Vec<&[f32]> = vectors.iter().map(Vec::as_slice).collect();
        (write_cell(&coder, &centroid, None, &vectors).unwrap(), coder)
    };
    let ((alike_raw, coder), (apart_raw, _)) = (write(&alike), write(&apart));
    assert!(alike_raw.len() * 10 < apart_raw.len() * 7, "{} {}", alike_raw.len(), apart_raw.len());
    let stats = Stats { n_vectors: 80, ..Stats::default() };
    let read =
        |raw: &[u8]| CellShard::from_bytes(raw, &coder, Members::Told((0..80).collect()), &stats);
    let cell = read(&alike_raw).unwrap();
    for ((row, scale), vector) in cell.rows().zip(&alike) {
        assert!(row.iter().zip(vector).all(|(&q, v)| (f32::from(q) * scale - v).abs() < 0.04));
    }

    // The first vector refers to one before it.
    let (mut encoder, mut models) = (Encoder::new(), Models::new());
    coder.put_fine(&mut encoder, &mut models, &centroid);
    encoder.number(models.count(Count::Back), 1);
    let mut wrong = vec![80];
    put_coded(&mut wrong, encoder, 80 * dim);
    assert!(read(&wrong).is_err());
}

#[test]
fn a_reference_before_the_first_centroid_is_refused() {
    let mean = [0.25f32, -0.5];
    assert_eq!(expected_of(&mean, None, 1.0), mean);
    assert_eq!(expected_of(&mean, Some((&[125, -50], 0.01)), ALIKE), [0.25 + 0.7, -0.5]);
    let classes = vec![0u8; 2];
    let mut raw = Vec::new();
    [2, 1, 1].into_iter().for_each(|n| put_varint(&mut raw, n));
    (0..4).for_each(|_| raw.extend_from_slice(&0.1f32.to_le_bytes()));
    raw.extend_from_slice(&[0; 3]);
    let mut refused = Vec::new();
    for like in [0, 1] {
        let (mut encoder, mut models) = (Encoder::new(), Models::new());
        for symbols in [&[SAME; 2][..], &classes, &classes] {
            put_symbols(&mut encoder, symbols);
        }
        let coder = Coder::new(Steps::even(0.1, 2).unwrap(), 0.1, classes.clone()).unwrap();
        coder.put_fine(&mut encoder, &mut models, &mean);
        encoder.number(models.count(Count::Vectors), 1);
        (0..2).for_each(|_| encoder.number(models.count(Count::Bytes), 16));
        encoder.number(models.count(Count::Back), like);
        coder.put(0, &mut encoder, &mut models, &[0.1, 0.2]);
        encoder.number(models.count(Count::Tells), 0);
        let mut raw = raw.clone();
        put_coded(&mut raw, encoder, 2);
        let stats = Stats { n_vectors: 1, ..Stats::default() };
        refused.push(Centroids::from_bytes(&raw, 2, &stats).is_err());
    }
    assert_eq!(refused, [false, true]);
}

#[test]
fn the_number_of_rows_is_bounded_by_bytes_and_by_the_limit_of_a_shard() {
    let mut raw = Vec::new();
    put_varint(&mut raw, 200_000);
    raw.resize(raw.len() + 200_000, 0);
    for (n, dim, fits) in [
        (30_000, 4096, true),
        (50_000, 4096, false),
        (200_001, 1000, false),
        (usize::MAX >> 12, 4096, false),
    ] {
        assert_eq!(
            take_coded(&mut Reader::new(&raw, WHAT), n, dim).is_ok(),
            fits,
            "{n} rows of {dim}"
        );
    }
}

#[test]
fn empty_cells_and_too_long_lists_of_cells_are_refused() {
    let coder = even(&[vec![0.5f32, -0.5], vec![0.1, 0.2]], 0.1);
    let shard = ShardEntry { kind: ShardKind::Cell, hash: ShardHash::default(), stored_len: 9 };
    let stats = |n_vectors| Stats { n_vectors, ..Stats::default() };
    for (n_vectors, fits) in [([1, 2], true), ([3, 0], false)] {
        let cells = n_vectors.map(|n_vectors| Cell { shard, n_vectors });
        let raw = write_centroids(&coder, &cells, &[0.5, 0.1, -0.2, 0.3], 0.1, &[]).unwrap();
        assert_eq!(Centroids::from_bytes(&raw, 2, &stats(3)).is_ok(), fits, "{n_vectors:?}");
    }
    let cells = [Cell { shard, n_vectors: MAX_TOLD + 1 }];
    let told = vec![0; MAX_TOLD as usize + 1];
    assert!(write_centroids(&coder, &cells, &[0.5, 0.1], 0.1, &told).is_err());
}

use findling_bundle::cells::Members;
use findling_bundle::limits::MAX_TOLD;
use findling_bundle::{CellShard, Centroids, Stats, decode_shard};

use super::cell_size::{MAX_CELL_VECTORS, MAX_TIMES};
use super::*;

fn group(values: &[f32], dim: usize, earlier: Option<&Grouping>) -> anyhow::Result<Cells> {
    let n = (values.len() / dim) as u32;
    let listed = n <= MAX_TOLD;
    build(values, dim, &places_of(n), earlier, listed, &ReplacedFiles::default())
}

/// Returns places of vectors in pages of two sections, one with one vector and one with two.
fn places_of(n: u32) -> Vec<VectorPlace> {
    let of = |vector: u32| match (vector / 3, vector % 3) {
        (page, 0) => VectorPlace::new(PageId(page), 0, 0, 1),
        (page, at) => VectorPlace::new(PageId(page), 1, at - 1, 2),
    };
    (0..n).map(of).collect()
}

const DIM: usize = 16;

/// Returns vectors of length 1 around a few centres.
fn vectors(n: usize) -> Vec<f32> {
    let mut random = crate::random::SplitMix64(3);
    let mut uniform = move || random.below(2001) as f32 / 1000.0 - 1.0;
    let centres: Vec<Vec<f32>> = (0..12).map(|_| (0..DIM).map(|_| uniform()).collect()).collect();
    let mut values = Vec::new();
    for i in 0..n {
        let row: Vec<f32> = centres[i % 12].iter().map(|centre| centre + 0.3 * uniform()).collect();
        let norm = row.iter().map(|v| v * v).sum::<f32>().sqrt();
        values.extend(row.iter().map(|v| v / norm));
    }
    values
}

fn read(cells: &Cells, n: usize) -> (Centroids, Vec<CellShard>) {
    let stats = Stats { n_vectors: n as u32, ..Stats::default() };
    let centroids = Centroids::from_bytes(&cells.centroids, DIM as u32, &stats).unwrap();
    let shards = cells
        .shards
        .iter()
        .zip(centroids.cells())
        .zip(0..)
        .map(|(((entry, stored), cell), number)| {
            assert_eq!(*entry, cell.shard);
            let raw = decode_shard(entry, &stored.read().unwrap()).unwrap();
            let members = centroids.members(number).unwrap();
            CellShard::from_bytes(&raw, centroids.coder(), members, &stats).unwrap()
        })
        .collect();
    (centroids, shards)
}

#[test]
fn every_vector_is_in_one_cell_and_close_to_its_original() {
    for n in [1, 23, 700] {
        let values = vectors(n);
        let (_, shards) = read(&group(&values, DIM, None).unwrap(), n);
        let mut found: Vec<u32> = shards.iter().flat_map(|cell| cell.ids().to_vec()).collect();
        found.sort_unstable();
        assert!(found.into_iter().eq(0..n as u32));
        let rows = |cell: &'_ CellShard| -> Vec<(u32, Vec<i8>, f32)> {
            cell.ids()
                .iter()
                .zip(cell.rows())
                .map(|(&id, (row, scale))| (id, row.to_vec(), scale))
                .collect()
        };
        for (id, row, scale) in shards.iter().flat_map(rows) {
            let vector = &values[id as usize * DIM..][..DIM];
            let cosine: f32 = row.iter().zip(vector).map(|(&q, v)| f32::from(q) * scale * v).sum();
            assert!(cosine > 0.9, "{cosine}");
        }
        assert!(shards.iter().all(|cell| cell.ids().len() <= 3 * CellSize::usual(n).vectors));
    }
}

#[test]
fn cells_of_large_sites_list_the_sections_of_their_vectors() {
    let n = MAX_TOLD as usize + 1000;
    let cells = group(&vectors(n), DIM, None).unwrap();
    let stats = Stats {
        n_pages: n as u32 / 3 + 1,
        n_sections: n as u32,
        n_vectors: n as u32,
        ..Stats::default()
    };
    let centroids = Centroids::from_bytes(&cells.centroids, DIM as u32, &stats).unwrap();
    assert!(!centroids.tells());
    let mut found: Vec<VectorPlace> = Vec::new();
    for (number, (entry, stored)) in (0..).zip(&cells.shards) {
        let raw = decode_shard(entry, &stored.read().unwrap()).unwrap();
        let members = centroids.members(number).unwrap();
        let cell = CellShard::from_bytes(&raw, centroids.coder(), members, &stats).unwrap();
        assert!(cell.places().is_sorted());
        found.extend(cell.places());
    }
    found.sort_unstable();
    assert_eq!(found, places_of(n as u32));
}

#[test]
fn vectors_of_large_sites_are_stored_by_section_too() {
    let n = 900;
    let (values, places) = (vectors(n), places_of(n as u32));
    let cells = build(&values, DIM, &places, None, false, &ReplacedFiles::default()).unwrap();
    let stats =
        Stats { n_pages: n as u32, n_sections: n as u32, n_vectors: n as u32, ..Stats::default() };
    let centroids = Centroids::from_bytes(&cells.centroids, DIM as u32, &stats).unwrap();
    let mut found = Vec::new();
    for (first, raw) in &cells.sections {
        let cell = CellShard::from_bytes(raw, centroids.coder(), Members::Unknown, &stats).unwrap();
        assert_eq!(cell.places()[0], *first);
        assert_eq!(first.part, 0, "the vectors of a section share a shard");
        for (place, (row, scale)) in cell.places().iter().zip(cell.rows()) {
            let original = &values[found.len() * DIM..][..DIM];
            let product: f32 =
                row.iter().zip(original).map(|(&q, v)| f32::from(q) * scale * v).sum();
            assert!(product > 0.9, "{place:?}: {product}");
            found.push(*place);
        }
    }
    assert_eq!(found, places);
    assert!((2..n / 5).contains(&cells.sections.len()), "{}", cells.sections.len());
    assert!(group(&values, DIM, None).unwrap().sections.is_empty());
}

#[test]
fn equal_vectors_are_divided_by_number() {
    // Equal vectors take almost no bytes, so only their number divides them.
    let values = [1.0f32, 0.0, 0.0, 0.0].repeat(20_000);
    let cells = group(&values, 4, None).unwrap();
    assert!(cells.shards.len() > 20_000 / (MAX_TIMES * MAX_CELL_VECTORS));
    assert!(group(&[0.0; 400], 4, None).is_ok());
    assert!(group(&[], 4, None).unwrap().shards.is_empty());
}

#[test]
fn cells_do_not_depend_on_the_number_of_threads() {
    let values = vectors(900);
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| group(&values, DIM, None)).unwrap()
    };
    let (one, three) = (on(1), on(3));
    assert!(one.centroids == three.centroids && one.shards == three.shards);
}

/// Returns the grouping as a rebuild reads it from a bundle.
fn grouping(cells: &Cells, n: usize) -> Grouping {
    let (centroids, _) = read(cells, n);
    let of = |(entry, stored): &Stored| {
        let raw = decode_shard(entry, &stored.read().unwrap()).unwrap();
        CellShard::centroid(&raw, centroids.coder()).unwrap()
    };
    let all = cells.shards.iter().flat_map(of).collect();
    Grouping { centroids: all, coder: centroids.coder().clone() }
}

#[test]
fn a_rebuild_changes_only_the_cells_of_changed_vectors() {
    let values = vectors(2000);
    let first = group(&values, DIM, None).unwrap();
    let again = group(&values, DIM, Some(&grouping(&first, 2000))).unwrap();
    assert!(
        again.centroids == first.centroids && again.shards == first.shards,
        "nothing has changed"
    );
    // Three vectors in the middle change. One is inserted before them, which shifts the ids
    // after it.
    let mut edited = values.clone();
    edited[900 * DIM..903 * DIM].copy_from_slice(&values[100 * DIM..103 * DIM]);
    edited.splice(500 * DIM..500 * DIM, values[..DIM].iter().copied());
    let changed = |cells: &Cells| {
        let hashes: Vec<_> = first.shards.iter().map(|(entry, _)| entry.hash).collect();
        cells.shards.iter().filter(|(entry, _)| !hashes.contains(&entry.hash)).count()
    };
    let rebuilt = group(&edited, DIM, Some(&grouping(&first, 2000))).unwrap();
    assert!((1..=7).contains(&changed(&rebuilt)), "{}", changed(&rebuilt));
    let fresh = group(&edited, DIM, None).unwrap();
    assert!(
        2 * changed(&fresh) > fresh.shards.len(),
        "{} of {}",
        changed(&fresh),
        fresh.shards.len()
    );
}

#[test]
fn an_outgrown_grouping_is_learned_anew() {
    let few = grouping(&group(&vectors(300), DIM, None).unwrap(), 300);
    let values = vectors(4000);
    let fresh = group(&values, DIM, None).unwrap();
    assert!(group(&values, DIM, Some(&few)).unwrap().shards == fresh.shards, "ten times the size");
    // The same number of vectors, but in other places.
    let far: Vec<f32> = values.iter().map(|value| -value).collect();
    let there = group(&far, DIM, None).unwrap();
    let rebuilt = group(&far, DIM, Some(&grouping(&fresh, 4000))).unwrap();
    assert!(rebuilt.shards == there.shards);
}

#[test]
fn vectors_of_a_cell_are_similar() {
    let values = vectors(700);
    let (_, shards) = read(&group(&values, DIM, None).unwrap(), 700);
    // The vectors were made around twelve centres in turn: a cell should contain few of these.
    let mixed = shards
        .iter()
        .filter(|cell| cell.ids().iter().any(|id| id % 12 != cell.ids()[0] % 12))
        .count();
    assert!(mixed * 5 < shards.len(), "{mixed} of {}", shards.len());
}

#[test]
fn cell_order_does_not_depend_on_the_order_of_the_input() {
    let centroids: Vec<f32> = vectors(60);
    let members: Vec<Vec<u32>> = (0..60).map(|i| vec![i]).collect();
    let (ordered, of) = order_by_similarity(centroids.clone(), members.clone(), DIM);
    for (row, of) in ordered.chunks(DIM).zip(&of) {
        assert_eq!(row, &centroids[of[0] as usize * DIM..][..DIM]);
    }
    // The vectors were made around twelve centres in turn.
    let apart = of.windows(2).filter(|pair| pair[0][0] % 12 != pair[1][0] % 12).count();
    assert!(apart < 30, "{apart}");
    let turned: Vec<f32> = centroids.chunks(DIM).rev().flatten().copied().collect();
    let (again, _) = order_by_similarity(turned, members, DIM);
    assert_eq!(again, ordered);
}

//! Comparison of the dense leg with a scan of every vector.

use findling_bundle::structure::StructureBuilder;
use findling_bundle::vectors::{VectorsBuilder, quantise};
use findling_bundle::{Graph, SectionId, Structure, VectorId, VectorsShard};
use proptest::prelude::*;

use super::*;
use crate::bitset::Bitset;

const DIM: usize = 12;

/// A corpus, and the sizes of its shards.
#[derive(Clone, Debug)]
struct Corpus {
    structure: Structure,
    shards: Vec<(VectorId, VectorsShard)>,
}

impl Corpus {
    /// Builds sections with these vectors. `counts`: the number of vectors of each section.
    fn new(counts: &[u32], vectors: &[Vec<f32>], shard_len: usize) -> Self {
        let mut builder = StructureBuilder::default();
        for (section, &count) in counts.iter().enumerate() {
            if section % 3 == 0 {
                builder.page();
            }
            builder.section(count);
        }
        let shards = vectors.chunks(shard_len).map(|chunk| {
            let mut builder = VectorsBuilder::new(DIM as u32);
            for vector in chunk {
                let (row, scale) = quantise(vector);
                builder.push(&row, scale).unwrap();
            }
            VectorsShard::from_bytes(builder.finish(), DIM as u32).unwrap()
        });
        let firsts = (0..).step_by(shard_len).map(VectorId);
        Self { structure: builder.finish(), shards: firsts.zip(shards).collect() }
    }

    fn view(&self) -> VectorView<'_> {
        VectorView::new(&self.structure, self.shards.iter().map(|(first, shard)| (*first, shard)))
            .unwrap()
    }

    /// Returns every section that passes and has vectors, best first.
    fn naive(&self, query: &QuantisedQuery, filter: Option<&Bitset>) -> Vec<(SectionId, f32)> {
        let mut all = Vec::new();
        for section in 0..self.structure.n_sections() {
            let mut best = None;
            for vector in self.structure.vectors(SectionId(section)) {
                let (first, shard) =
                    self.shards.iter().rev().find(|(first, _)| first.0 <= vector).unwrap();
                let i = (vector - first.0) as usize;
                let score = query.similarity(shard.row(i), shard.scale(i));
                best = Some(best.map_or(score, |best: f32| best.max(score)));
            }
            if let Some(score) =
                best.filter(|_| filter.is_none_or(|filter| filter.contains(section)))
            {
                all.push((SectionId(section), score));
            }
        }
        all.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        all
    }
}

/// Generates vectors of coarse numbers, so that some scores are equal.
fn vector() -> impl Strategy<Value = Vec<f32>> {
    prop::collection::vec((-2i8..=2).prop_map(f32::from), DIM)
}

fn corpus() -> impl Strategy<Value = Corpus> {
    (prop::collection::vec(0u32..4, 0..60), 1usize..40).prop_flat_map(|(counts, shard_len)| {
        let n = counts.iter().sum::<u32>() as usize;
        prop::collection::vec(vector(), n)
            .prop_map(move |vectors| Corpus::new(&counts, &vectors, shard_len))
    })
}

fn query() -> impl Strategy<Value = QuantisedQuery> {
    vector().prop_filter_map("not 0", |values| QuantisedQuery::new(&values, DIM as u32).ok())
}

fn filter(mask: &[bool], n_sections: u32) -> Bitset {
    let mut filter = Bitset::none(n_sections);
    for section in (0..n_sections).filter(|&section| mask[section as usize % mask.len()]) {
        filter.insert(section);
    }
    filter
}

/// Returns a graph. The base layer is a ring with chords, so everything is connected. The layers
/// above it have every fourth and every sixteenth vector.
fn ring(n: u32) -> Graph {
    let layer = |step: u32| {
        let nodes: Vec<u32> = (0..n).step_by(step as usize).collect();
        let at = |i: usize| VectorId(nodes[i % nodes.len()]);
        (0..nodes.len())
            .map(|i| {
                (
                    VectorId(nodes[i]),
                    vec![at(i + 1), at(i + nodes.len() - 1), at(i * 7 + 3), at(i * 5 + 1)],
                )
            })
            .collect()
    };
    Graph::new(VectorId(0), vec![layer(1), layer(4), layer(16)]).unwrap()
}

/// Generates arbitrary valid graphs, with cycles, islands and dead ends.
fn hostile(n: u32) -> impl Strategy<Value = Graph> {
    let base = prop::collection::vec(prop::collection::vec(0..n, 0..6), n as usize);
    let upper = prop::collection::btree_set(0..n, 1..=n as usize).prop_flat_map(|nodes| {
        let nodes: Vec<u32> = nodes.into_iter().collect();
        let lists = prop::collection::vec(
            prop::collection::vec(prop::sample::select(nodes.clone()), 0..6),
            nodes.len(),
        );
        (Just(nodes), lists)
    });
    (base, upper, any::<prop::sample::Index>()).prop_map(|(base, (nodes, lists), entry)| {
        let ids = |list: Vec<u32>| list.into_iter().map(VectorId).collect::<Vec<_>>();
        let base = (0..).map(VectorId).zip(base.into_iter().map(ids)).collect();
        let entry = VectorId(nodes[entry.index(nodes.len())]);
        let upper = nodes.into_iter().map(VectorId).zip(lists.into_iter().map(ids)).collect();
        Graph::new(entry, vec![base, upper]).unwrap()
    })
}

proptest! {
    #[test]
    fn the_scan_finds_what_sorting_everything_finds(
        corpus in corpus(),
        query in query(),
        mask in prop::collection::vec(any::<bool>(), 1..9),
        k in 0u32..70,
    ) {
        let view = corpus.view();
        prop_assert!(view.is_complete());
        let filter = filter(&mask, corpus.structure.n_sections());
        for filter in [None, Some(&filter)] {
            let mut expect = corpus.naive(&query, filter);
            expect.truncate(k as usize);
            let found = scan(&query, &view, filter, k);
            prop_assert_eq!(&found.sections, &expect);
            prop_assert!(found.compared <= corpus.structure.n_vectors());
            prop_assert_eq!(nearest(&query, &view, None, filter, k, 10).sections, expect);
        }
    }

    #[test]
    fn following_a_connected_graph_with_ef_of_everything_is_the_scan(
        corpus in corpus(),
        query in query(),
        k in 0u32..70,
    ) {
        let n = corpus.structure.n_vectors();
        prop_assume!(n > 0);
        let found = follow(&query, &corpus.view(), &ring(n), None, k, n);
        let mut expect = corpus.naive(&query, None);
        expect.truncate(k as usize);
        prop_assert_eq!(found.sections, expect);
    }

    #[test]
    fn a_hostile_graph_costs_recall_and_nothing_else(
        (corpus, graph) in corpus()
            .prop_filter("vectors", |corpus| corpus.structure.n_vectors() > 0)
            .prop_flat_map(|corpus| {
                let n = corpus.structure.n_vectors();
                (Just(corpus), hostile(n))
            }),
        query in query(),
        mask in prop::collection::vec(any::<bool>(), 1..9),
        k in 0u32..20,
        ef in 1u32..40,
    ) {
        let view = corpus.view();
        let filter = filter(&mask, corpus.structure.n_sections());
        for filter in [None, Some(&filter)] {
            let found = follow(&query, &view, &graph, filter, k, ef.max(k));
            let all = corpus.naive(&query, filter);
            prop_assert_eq!(found.sections.len(), all.len().min(k as usize));
            let known = found.sections.iter().all(|hit| all.contains(hit));
            prop_assert!(known, "a hit that the filter excludes, or with another's score");
            prop_assert!(found.sections.is_sorted_by(|a, b| a.1 > b.1 || a.1 == b.1 && a.0 < b.0));
        }
    }
}

#[test]
fn a_view_over_some_of_the_shards_passes_over_the_rest() {
    let vectors: Vec<Vec<f32>> =
        (0..6).map(|i| (0..DIM).map(|d| if d == i { 1.0 } else { 0.1 }).collect()).collect();
    let corpus = Corpus::new(&[1, 2, 0, 1, 2], &vectors, 2);
    let some = VectorView::new(
        &corpus.structure,
        corpus.shards[1..].iter().map(|(first, shard)| (*first, shard)),
    )
    .unwrap();
    assert!(!some.is_complete());
    let query = QuantisedQuery::new(&vectors[0], DIM as u32).unwrap();
    assert_eq!(some.similarity(&query, SectionId(0)), None, "its vector has not been fetched");
    assert!(some.similarity(&query, SectionId(1)).is_some(), "one of its two vectors has");
    assert_eq!(some.similarity(&query, SectionId(2)), None, "it has none");
    let sections: Vec<u32> =
        scan(&query, &some, None, 10).sections.iter().map(|hit| hit.0.0).collect();
    assert_eq!(sections, [1, 3, 4]);
    let full = corpus.view();
    assert!(full.similarity(&query, SectionId(0)).unwrap() > 0.99);
}

#[test]
fn shards_that_contradict_the_structure_are_refused() {
    let vectors = vec![vec![1.0; DIM]; 4];
    let corpus = Corpus::new(&[1, 1, 1], &vectors, 2);
    let shards = || corpus.shards.iter().map(|(first, shard)| (*first, shard));
    assert!(
        VectorView::new(&corpus.structure, shards()).is_err(),
        "four vectors, three in sections"
    );
    assert!(VectorView::new(&corpus.structure, shards().rev()).is_err(), "out of order");
    assert!(
        VectorView::new(
            &corpus.structure,
            [(VectorId(0), &corpus.shards[0].1), (VectorId(1), &corpus.shards[1].1)]
        )
        .is_err()
    );
    assert!(VectorView::new(&corpus.structure, []).is_ok());
}

#[test]
fn the_planner_follows_the_graph_only_where_that_pays() {
    fn check(n_vectors: u32, n_passing: u32, k: u32, expect: Method) {
        let situation = Situation { n_vectors, n_passing, ef: default_ef(k) };
        assert_eq!(situation.method(), expect, "{situation:?}");
    }
    check(50_000, 50_000, 10, Method::Hnsw);
    check(1_000, 1_000, 10, Method::Exact);
    check(50_000, 500, 10, Method::Exact);
    check(50_000, 0, 10, Method::None);
    check(0, 0, 10, Method::None);
    check(1_000_000, 500_000, 100, Method::Hnsw);
    check(10_000, 10_000, 5_000, Method::Exact);
}

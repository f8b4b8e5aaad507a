//! Vectors in cells: what is fetched and what is found. Neither depends on earlier requests.

mod support;

use findling_bundle::cells::{Cell, Coder, Steps, VectorPlace, write_cell, write_centroids};
use findling_bundle::{
    AttributeKind, AttributeValue, PageId, SectionId, SectionsRange, ShardEntry, ShardKind,
    Structure, decode_shard, encode_manifest, encode_shard,
};
use findling_engine::{Index, Limit, Mode, QueryVector, RankParams, Request, Response};
use proptest::prelude::*;
use support::{Bundle, Cut, Page, Section, build};

const DIM: usize = 8;
const PAGES: usize = 120;

/// Returns a direction for each of eight topics, with a small deviation for each page.
fn vector(topic: usize, page: usize) -> Vec<f32> {
    (0..DIM)
        .map(|i| f32::from(u8::from(i == topic)) + 0.05 * ((page * 7 + i * 3) % 5) as f32)
        .collect()
}

fn pages() -> Vec<Page> {
    (0..PAGES)
        .map(|i| Page {
            title: format!("page {i}"),
            url: format!("/{i}/"),
            language: "en".into(),
            sections: vec![Section {
                text: if i % 10 == 3 { "harbour master".into() } else { "tide table".into() },
                vectors: vec![vector(i % 8, i)],
                ..Section::default()
            }],
            attributes: vec![("parity", AttributeValue::Number((i % 40) as f64))],
        })
        .collect()
}

/// Returns a bundle with a cell for each topic and half.
fn streamed() -> Bundle {
    streamed_telling(true)
}

/// Returns a streamed bundle. `tells`: whether the bundle lists which vector is in which cell.
fn streamed_telling(tells: bool) -> Bundle {
    let bundle = build(&pages(), &[("parity", AttributeKind::Number)], Cut::default());
    let vectors = (0..PAGES).map(|i| vector(i % 8, i)).collect();
    with_cells(bundle, vectors, 16, |i| i % 8 + i / 8 % 2 * 8, tells, 0.02)
}

/// Adds cells to a bundle with a vector for each page. `cell_of`: the cell of a page's vector.
/// `step`: the distance between the values of a coded vector.
fn with_cells(
    mut bundle: Bundle,
    vectors: Vec<Vec<f32>>,
    n_cells: u32,
    cell_of: impl Fn(u32) -> u32,
    tells: bool,
    step: f32,
) -> Bundle {
    let unit = |vector: Vec<f32>| {
        let norm = vector.iter().map(|v| v * v).sum::<f32>().sqrt();
        vector.into_iter().map(|v| v / norm).collect::<Vec<f32>>()
    };
    let vectors: Vec<Vec<f32>> = vectors.into_iter().map(unit).collect();
    let all = 0..vectors.len() as u32;
    let middle = |ids: &[u32]| -> Vec<f32> {
        (0..DIM)
            .map(|d| ids.iter().map(|&i| vectors[i as usize][d]).sum::<f32>() / ids.len() as f32)
            .collect()
    };
    let coder = Coder::of(vectors.iter(), Steps::of(vectors.iter(), DIM, step).unwrap()).unwrap();
    let (mut cells, mut stored, mut centroids) = (Vec::new(), Vec::new(), Vec::new());
    for cell in 0..n_cells {
        let ids: Vec<u32> = all.clone().filter(|&i| cell_of(i) == cell).collect();
        let centroid = middle(&ids);
        let rows: Vec<&[f32]> = ids.iter().map(|&i| &vectors[i as usize][..]).collect();
        let places: Vec<VectorPlace> =
            ids.iter().map(|&page| VectorPlace::new(PageId(page), 0, 0, 1)).collect();
        let raw = write_cell(&coder, &centroid, (!tells).then_some(&places[..]), &rows).unwrap();
        let (shard, bytes) = encode_shard(ShardKind::Cell, &raw).unwrap();
        cells.push(Cell { shard, n_vectors: ids.len() as u32 });
        stored.push(bytes);
        centroids.extend(centroid);
    }
    let cell_of: Vec<u32> = all.map(cell_of).filter(|_| tells).collect();
    let raw = write_centroids(&coder, &cells, &centroids, 0.02, &cell_of).unwrap();
    let (entry, bytes) = encode_shard(ShardKind::Centroids, &raw).unwrap();
    bundle.manifest.shards.push(entry);
    let id = findling_bundle::ShardId(bundle.manifest.shards.len() as u32 - 1);
    bundle.manifest.dense.as_mut().unwrap().centroids = Some(id);
    bundle.shards.push(bytes);
    if !tells {
        count_apart(&mut bundle);
        add_section_vectors(&mut bundle, &vectors, &coder);
    }
    bundle.stored_manifest = encode_manifest(&bundle.manifest).unwrap().1;
    // The numbers of cells continue after the manifest's last shard.
    bundle.shards.extend(stored);
    bundle
}

/// Adds the vectors of the pages in the order of their sections, ten to a shard.
fn add_section_vectors(bundle: &mut Bundle, vectors: &[Vec<f32>], coder: &Coder) {
    let mut sections = Vec::new();
    for first in (0..vectors.len() as u32).step_by(10) {
        let pages = first..(first + 10).min(vectors.len() as u32);
        let rows: Vec<&[f32]> = pages.clone().map(|page| &vectors[page as usize][..]).collect();
        let places: Vec<VectorPlace> =
            pages.map(|page| VectorPlace::new(PageId(page), 0, 0, 1)).collect();
        let raw = write_cell(coder, rows[0], Some(&places), &rows).unwrap();
        let (entry, stored) = encode_shard(ShardKind::SectionVectors, &raw).unwrap();
        let shard = findling_bundle::ShardId(bundle.manifest.shards.len() as u32);
        sections.push(SectionsRange { first_section: SectionId(first), shard });
        bundle.manifest.shards.push(entry);
        bundle.shards.push(stored);
    }
    bundle.manifest.dense.as_mut().unwrap().sections = sections;
}

/// Takes the vectors of sections out of the structure, into a shard of their own.
fn count_apart(bundle: &mut Bundle) {
    let at = bundle.manifest.structure().unwrap().index();
    let raw = decode_shard(&bundle.manifest.shards[at], &bundle.shards[at]).unwrap();
    let structure = Structure::from_bytes(&raw, &bundle.manifest.stats).unwrap();
    let without =
        encode_shard(ShardKind::Structure, &structure.without_vectors().to_bytes()).unwrap();
    (bundle.manifest.shards[at], bundle.shards[at]) = without;
    let (entry, stored) =
        encode_shard(ShardKind::VectorCounts, &structure.vector_counts()).unwrap();
    bundle.manifest.shards.push(entry);
    bundle.shards.push(stored);
}

fn open(bundle: &Bundle, probe_bytes: u32) -> Index {
    let mut index = bundle.open();
    index.set_streamed(true);
    index.set_rank_params(RankParams {
        probe_bytes,
        sentence_probe_bytes: probe_bytes,
        max_probe_bytes: 4 * probe_bytes.min(u32::MAX / 4),
        probe_enough: 5,
        ..RankParams::default()
    });
    index
}

fn about(topic: usize, mode: Mode) -> Request {
    let vector = QueryVector { values: vector(topic, 0), encoder: "test".into(), truncated: false };
    Request {
        query: "tide".into(),
        vector: Some(vector),
        mode,
        limit: Limit(2),
        ..Request::default()
    }
}

fn urls(response: &Response) -> Vec<&str> {
    response.results.iter().map(|page| page.url.as_str()).collect()
}

/// Returns the bytes of the cells among the shards of each round.
fn cell_bytes(bundle: &Bundle, rounds: &[Vec<findling_bundle::ShardId>]) -> Vec<usize> {
    // Positions have a separate range of numbers, far above.
    let cells = bundle.manifest.shards.len()..bundle.shards.len();
    let is_cell = |shard: &&findling_bundle::ShardId| cells.contains(&shard.index());
    let bytes = |shard: &findling_bundle::ShardId| bundle.shards[shard.index()].len();
    rounds.iter().map(|round| round.iter().filter(is_cell).map(bytes).sum()).collect()
}

#[test]
fn with_all_cells_it_finds_what_all_vectors_find() {
    for (tells, mode) in [
        (true, Mode::Hybrid),
        (true, Mode::Semantic),
        (false, Mode::Hybrid),
        (false, Mode::Semantic),
    ] {
        let bundle = streamed_telling(tells);
        for topic in 0..8 {
            let resident = bundle.search(about(topic, mode));
            let all =
                bundle.answer(&mut open(&bundle, u32::MAX / 4), about(topic, mode)).unwrap().0;
            // Codes of six bits may exchange sections that are equally near.
            let near = |response: &Response| -> Vec<usize> {
                urls(response)
                    .iter()
                    .map(|url| url.trim_matches('/').parse::<usize>().unwrap() % 8)
                    .collect()
            };
            assert_eq!(near(&resident), near(&all), "{mode:?} {topic}");
        }
    }
}

#[test]
fn what_words_find_first_has_its_own_similarity_whether_cells_are_listed_or_not() {
    for tells in [true, false] {
        let bundle = streamed_telling(tells);
        for topic in 0..8 {
            let mut request = about(topic, Mode::Hybrid);
            request.query = "harbour".into();
            request.limit = Limit(10);
            let resident = bundle.search(request.clone());
            let cells = bundle.manifest.shards.len()..bundle.shards.len();
            let budget = bundle.shards[cells].iter().map(Vec::len).sum::<usize>() as u32;
            let budget = if tells { 2 * budget } else { 1 };
            let (streamed, rounds) = bundle.answer(&mut open(&bundle, budget), request).unwrap();
            let similarity = |response: &Response| -> Vec<(String, f32)> {
                let page = |page: &findling_engine::PageHit| {
                    (page.url.clone(), page.sections[0].legs.similarity.unwrap())
                };
                let mut all: Vec<_> = response.results.iter().map(page).collect();
                all.sort_by(|a, b| a.0.cmp(&b.0));
                all
            };
            let (resident, streamed) = (similarity(&resident), similarity(&streamed));
            for ((url, all), (streamed_url, few)) in resident.iter().zip(&streamed) {
                assert_eq!(url, streamed_url);
                assert!((all - few).abs() < 0.02, "{tells} {topic} {url}: {all} {few}");
            }
            let kinds = rounds.iter().flatten().filter(|shard| {
                bundle.manifest.shard(**shard).is_some_and(|s| s.kind == ShardKind::SectionVectors)
            });
            assert_eq!(kinds.count() > 0, !tells);
        }
    }
}

#[test]
fn a_streamed_search_does_not_fetch_vector_counts() {
    let (told, apart) = (streamed_telling(true), streamed_telling(false));
    let counts = apart.manifest.vector_counts().unwrap();
    assert_eq!(told.manifest.vector_counts(), None);
    for topic in 0..8 {
        let ask = |bundle: &Bundle| {
            bundle.answer(&mut open(bundle, u32::MAX / 4), about(topic, Mode::Semantic)).unwrap()
        };
        let ((of_told, _), (of_apart, rounds)) = (ask(&told), ask(&apart));
        assert_eq!(of_told.results, of_apart.results);
        assert!(!rounds.concat().contains(&counts));
    }
}

#[test]
fn structure_and_vector_counts_can_come_in_either_order() {
    let (told, apart) = (streamed_telling(true), streamed_telling(false));
    let counts = apart.manifest.vector_counts().unwrap();
    let (structure, request) = (apart.manifest.structure().unwrap(), about(3, Mode::Semantic));
    for first in [[structure, counts], [counts, structure]] {
        let mut index = apart.open();
        first
            .into_iter()
            .for_each(|shard| index.provide(shard, &apart.shards[shard.index()]).unwrap());
        let (response, _) = apart.answer(&mut index, request.clone()).unwrap();
        assert_eq!(response.results, told.search(request.clone()).results);
    }
    let (_, rounds) = apart.answer(&mut apart.open(), request.clone()).unwrap();
    assert!(rounds[0].contains(&counts));
    // Similar pages as well, by the page's own vectors.
    let like = Request { similar_to: Some("/3/".into()), ..Request::default() };
    let (alike, _) = apart.answer(&mut apart.open(), like.clone()).unwrap();
    assert_eq!(alike.results, told.search(like).results);

    // They are refused for sections that the bundle does not have.
    let mut other = streamed_telling(false);
    let (entry, stored) = encode_shard(ShardKind::VectorCounts, &[1; 7]).unwrap();
    other.manifest.shards[counts.index()] = entry;
    other.shards[counts.index()] = stored;
    other.stored_manifest = encode_manifest(&other.manifest).unwrap().1;
    assert!(other.answer(&mut other.open(), request).is_err());
}

/// Returns the same, without scores so close that exact vectors are needed.
fn open_without_comparing(bundle: &Bundle, probe_bytes: u32) -> Index {
    let mut index = open(bundle, probe_bytes);
    let params = RankParams { close: 0.0, ..*index.rank_params() };
    index.set_rank_params(params);
    index
}

/// Returns a vector that is tilted from the first axis.
fn tilt(by: f32) -> Vec<f32> {
    [1.0, by].into_iter().chain([0.0; DIM - 2]).collect()
}

/// Returns pages with the same words and tilted vectors; the `first` of them are in the first of
/// two cells.
fn tilted(tilts: &[f32], first: u32) -> Bundle {
    let vectors: Vec<Vec<f32>> = tilts.iter().map(|&by| tilt(by)).collect();
    let page = |(i, vector): (usize, &Vec<f32>)| Page {
        title: "tide".into(),
        url: format!("/{i}/"),
        language: "en".into(),
        sections: vec![Section {
            text: "tide table".into(),
            vectors: vec![vector.clone()],
            ..Section::default()
        }],
        ..Page::default()
    };
    let pages: Vec<Page> = vectors.iter().enumerate().map(page).collect();
    let bundle = build(&pages, &[], Cut::default());
    with_cells(bundle, vectors, 2, |i| u32::from(i >= first), true, 0.2)
}

/// Searches for a word that all pages have, with a tilted vector.
fn toward(by: f32) -> Request {
    let mut request = about(0, Mode::Hybrid);
    request.vector.as_mut().unwrap().values = tilt(by);
    request
}

#[test]
fn pages_are_compared_by_the_share_of_meaning_that_the_query_has() {
    let bundle = tilted(&[0.6, 1.0, 1.1, 1.2], 1);
    let one_cell = bundle.shards.last().unwrap().len() as u32;
    // The section that words find first is in a cell that is not searched. It is assumed to be
    // nearer than the nearest section, so that its share of meaning differs from the query's.
    let mut index = open(&bundle, one_cell);
    index.set_rank_params(RankParams {
        depth: 1,
        probe_best: 0,
        probe_enough: 1,
        probe_bytes: one_cell,
        max_probe_bytes: one_cell,
        close: 1.0,
        ..RankParams::default()
    });
    let (found, _) = bundle.answer(&mut index, toward(1.1)).unwrap();
    // The first page is the best by words and by meaning, so its shares equal those of the query.
    assert!((found.results[0].score - 1.0).abs() < 1e-4, "{}", found.results[0].score);
}

#[test]
fn pages_that_score_about_the_same_are_compared_by_their_vectors() {
    // The first two differ by less than a step of their codes.
    let bundle = tilted(&[0.10, 0.13, 0.7, 0.9, 1.1, 1.3, 1.5, 1.7, 1.9, 2.1], 2);
    let request = toward(0.13);
    let resident = bundle.search(request.clone());
    assert_eq!(urls(&resident), ["/1/", "/0/"]);
    let all = u32::MAX / 4;
    let (as_coded, _) =
        bundle.answer(&mut open_without_comparing(&bundle, all), request.clone()).unwrap();
    assert_eq!(urls(&as_coded), ["/0/", "/1/"]);

    let mut index = open(&bundle, all);
    let (compared, rounds) = bundle.answer(&mut index, request.clone()).unwrap();
    assert_eq!(urls(&compared), ["/1/", "/0/"]);
    let scores = |response: &Response| response.results.iter().map(|page| page.score).collect();
    let (resident, compared): (Vec<f32>, Vec<f32>) = (scores(&resident), scores(&compared));
    assert!(resident.iter().zip(&compared).all(|(a, b)| (a - b).abs() < 1e-5));
    let fetched = rounds.iter().flatten().filter(|shard| {
        bundle.manifest.shard(**shard).is_some_and(|entry| entry.kind == ShardKind::Vectors)
    });
    assert_eq!(fetched.count(), 1, "a shard has the vectors of three pages");
    // A search that finds them in memory requests nothing.
    let (_, rounds) = bundle.answer(&mut index, request).unwrap();
    assert!(rounds.is_empty());
}

#[test]
fn a_query_fetches_the_cells_around_it_and_no_vectors() {
    let bundle = streamed();
    let budget = 2 * bundle.shards.last().unwrap().len() as u32 + 20;
    let (response, rounds) = bundle
        .answer(&mut open_without_comparing(&bundle, budget), about(5, Mode::Hybrid))
        .unwrap();
    let bytes = cell_bytes(&bundle, &rounds);
    assert_eq!(bytes.len(), 3, "what the query says, cells, texts");
    assert!(
        bytes[0] == 0 && bytes[1] > 0 && bytes[1] <= budget as usize && bytes[2] == 0,
        "{bytes:?}"
    );
    let kinds: Vec<ShardKind> = rounds
        .iter()
        .flatten()
        .filter_map(|&shard| Some(bundle.manifest.shard(shard)?.kind))
        .collect();
    assert!(!kinds.contains(&ShardKind::Vectors) && kinds.contains(&ShardKind::Centroids));
    assert!(urls(&response)[0].trim_matches('/').parse::<usize>().unwrap() % 8 == 5);
}

#[test]
fn cells_far_off_are_fetched_where_meaning_answers_alone() {
    let bundle = streamed();
    let everything: usize =
        bundle.shards[bundle.manifest.shards.len()..].iter().map(Vec::len).sum();
    let fetched = |mode| {
        let request = Request { query: "harbour".into(), ..about(5, mode) };
        let (_, rounds) = bundle.answer(&mut open(&bundle, u32::MAX / 4), request).unwrap();
        cell_bytes(&bundle, &rounds).iter().sum::<usize>()
    };
    assert_eq!(fetched(Mode::Semantic), everything);
    // This holds even if all of them are far from the query.
    let mut unlike = about(5, Mode::Semantic);
    unlike
        .vector
        .iter_mut()
        .flat_map(|vector| &mut vector.values)
        .for_each(|value| *value = -*value);
    let (_, rounds) = bundle.answer(&mut open(&bundle, u32::MAX / 4), unlike).unwrap();
    assert_eq!(cell_bytes(&bundle, &rounds).iter().sum::<usize>(), everything);
    // The cells of the topic, and the cells of the ten best pages by words.
    let hybrid = fetched(Mode::Hybrid);
    assert!(0 < hybrid && hybrid < everything, "{hybrid} of {everything}");
}

#[test]
fn cells_that_are_too_few_for_any_filter_are_not_waited_for() {
    let bundle = streamed();
    let one_cell = bundle.shards.last().unwrap().len() as u32 + 10;
    // Twenty sections are wanted, which is more than a cell has.
    let request = Request { limit: Limit(5), ..about(5, Mode::Semantic) };
    let (_, rounds) = bundle.answer(&mut open(&bundle, one_cell), request).unwrap();
    let of_cells = cell_bytes(&bundle, &rounds).into_iter().filter(|&bytes| bytes > 0);
    let bytes: Vec<usize> = of_cells.collect();
    assert!(bytes.len() == 1 && bytes[0] > one_cell as usize, "{bytes:?}");
}

#[test]
fn where_a_filter_lets_little_through_more_cells_follow() {
    let bundle = streamed();
    let budget = bundle.shards.last().unwrap().len() as u32 + 10;
    // Only page 5 of topic 5.
    let request =
        Request { limit: Limit(5), filter: Some("parity=5".into()), ..about(5, Mode::Semantic) };
    let mut index = open(&bundle, budget);
    let mut search = index.search(request).unwrap();
    let (mut rounds, mut cells) = (0, 0);
    let response = loop {
        match search.step(&index).unwrap() {
            findling_engine::Step::Done(response) => break *response,
            findling_engine::Step::Need(shards) => {
                rounds += 1;
                for shard in shards {
                    cells += usize::from(shard.index() >= bundle.manifest.shards.len());
                    index.provide(shard, bundle.shard(shard)).unwrap();
                }
            }
        }
    };
    assert!(rounds > 3 && cells > 1, "{rounds} rounds, {cells} cells");
    assert!(cells < 16, "within the larger budget");
    let found: Vec<usize> =
        urls(&response).iter().map(|u| u.trim_matches('/').parse().unwrap()).collect();
    assert!(!found.is_empty() && found.iter().all(|page| page % 40 == 5), "{found:?}");
}

#[test]
fn a_phrase_fetches_no_further_cells_where_words_answer_as_well() {
    let bundle = streamed();
    let budget = bundle.shards.last().unwrap().len() as u32 + 10;
    let fetched = |query: &str, mode| {
        let request = Request { query: query.into(), limit: Limit(20), ..about(5, mode) };
        let (response, rounds) =
            bundle.answer(&mut open_without_comparing(&bundle, budget), request).unwrap();
        let cells: usize = cell_bytes(&bundle, &rounds).iter().sum();
        (cells, response.results.len())
    };
    // One page in ten has the phrase, so that one cell has too few of them.
    let phrase = "\"harbour master\"";
    assert_eq!(fetched(phrase, Mode::Hybrid), (fetched("harbour", Mode::Hybrid).0, PAGES / 10));
    // By meaning alone, sections come only from cells.
    let (by_meaning, _) = fetched(phrase, Mode::Semantic);
    assert!(by_meaning > budget as usize, "{by_meaning} of {budget}");
}

#[test]
fn what_was_fetched_before_changes_nothing() {
    let bundle = streamed();
    let budget = 2 * bundle.shards.last().unwrap().len() as u32 + 20;
    let mut worn = open(&bundle, budget);
    for topic in 0..8 {
        let fresh =
            bundle.answer(&mut open(&bundle, budget), about(topic, Mode::Hybrid)).unwrap().0;
        let again = bundle.answer(&mut worn, about(topic, Mode::Hybrid)).unwrap().0;
        assert_eq!(fresh, again);
    }
    let resident = worn.resident_bytes();
    worn.shrink(resident - 1);
    assert!(worn.resident_bytes() < resident);
    for topic in 0..8 {
        let fresh =
            bundle.answer(&mut open(&bundle, budget), about(topic, Mode::Hybrid)).unwrap().0;
        assert_eq!(fresh, bundle.answer(&mut worn, about(topic, Mode::Hybrid)).unwrap().0);
        worn.shrink(0);
    }
}

#[test]
fn what_was_used_last_goes_last() {
    let bundle = streamed();
    let mut index = open(&bundle, 1);
    bundle.answer(&mut index, about(1, Mode::Hybrid)).unwrap();
    bundle.answer(&mut index, about(2, Mode::Hybrid)).unwrap();
    index.shrink(index.resident_bytes() - 1);
    let (_, rounds) = bundle.answer(&mut index, about(2, Mode::Hybrid)).unwrap();
    assert!(rounds.is_empty(), "{rounds:?}");
}

#[test]
fn a_cell_before_the_centroids_or_beyond_them_is_refused() {
    let bundle = streamed();
    let first = findling_bundle::ShardId(bundle.manifest.shards.len() as u32);
    let mut index = open(&bundle, 1000);
    assert!(bundle.open().knows_all_shards(), "all vectors are the manifest's");
    assert!(index.entry(first).is_none() && !index.knows_all_shards());
    assert!(index.provide(first, &bundle.shards[first.index()]).is_err());
    bundle.answer(&mut index, about(0, Mode::Hybrid)).unwrap();
    assert!(index.entry(first).is_some() && index.knows_all_shards());
    let beyond = findling_bundle::ShardId(bundle.shards.len() as u32);
    assert_eq!(index.provide(beyond, &[]).unwrap_err().code(), "no-such-shard");
    let other = findling_bundle::ShardId(first.0 + 1);
    if !index.has(first) {
        assert!(
            index.provide(first, &bundle.shards[other.index()]).is_err(),
            "another cell's bytes"
        );
    }
}

#[test]
fn the_cells_of_what_words_found_are_looked_into_first() {
    let bundle = streamed();
    let cell = bundle.shards.last().unwrap().len() as u32;
    // "harbour" is said by pages 3, 13, 23, …; the vector is of topic 0, far from most of them.
    let request = Request { query: "harbour".into(), limit: Limit(10), ..about(0, Mode::Hybrid) };
    let known = |probe_best: u32| {
        let mut index = open(&bundle, 6 * cell);
        let params = RankParams { probe_best, max_probe_bytes: 6 * cell, ..*index.rank_params() };
        index.set_rank_params(params);
        let (response, rounds) = bundle.answer(&mut index, request.clone()).unwrap();
        let bytes: usize = cell_bytes(&bundle, &rounds).into_iter().sum();
        assert!(bytes <= 6 * cell as usize, "{bytes}");
        let sections = response.results.iter().flat_map(|page| &page.sections);
        sections
            .filter(|section| {
                section.legs.lexical_rank.is_some() && section.legs.similarity.is_some()
            })
            .count()
    };
    assert!(known(10) > known(0), "{} {}", known(10), known(0));
}

/// Runs some requests; errors are allowed as well as answers.
fn run(bundle: &Bundle) {
    let Ok(mut index) = Index::open(&bundle.stored_manifest) else { return };
    index.set_streamed(true);
    for topic in 0..3 {
        let filter = (topic == 1).then(|| "parity=5".into());
        let request = Request { filter, explain: true, ..about(topic, Mode::Hybrid) };
        let Ok(mut search) = index.search(request) else { continue };
        for round in 0.. {
            assert!(round < 40, "a search ends");
            match search.step(&index) {
                Ok(findling_engine::Step::Need(shards)) => {
                    let stored =
                        |shard: &findling_bundle::ShardId| bundle.shards.get(shard.index());
                    let given = |shard| {
                        index.provide(shard, stored(&shard).map_or(&[], Vec::as_slice)).is_ok()
                    };
                    if !shards.into_iter().all(given) {
                        break;
                    }
                }
                Ok(findling_engine::Step::Done(response)) => {
                    assert!(!response.to_json().is_empty());
                    break;
                }
                Err(_) => break,
            }
        }
    }
}

/// Returns the hashes of cells in the form of the centroids: five half bytes each, for an even
/// number of cells.
fn hashes(cells: &[ShardEntry]) -> Vec<u8> {
    let digits: Vec<u8> = cells
        .iter()
        .flat_map(|cell| cell.hash.into_iter().flat_map(|byte| [byte >> 4, byte & 15]).take(5))
        .collect();
    digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Damage that a hostile writer has covered with fresh checksums.
    #[test]
    fn spoilt_centroids_and_cells_do_no_harm(
        edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..5),
        cell in 0usize..16,
        cell_edits in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..5),
        cut in prop::option::of(any::<prop::sample::Index>()),
    ) {
        let mut bundle = streamed();
        let at = bundle.manifest.dense.as_ref().unwrap().centroids.unwrap().index();
        let mut centroids = decode_shard(&bundle.manifest.shards[at], &bundle.shards[at]).unwrap();
        // A cell with the same lengths can be listed in place of the correct one.
        let stats = &bundle.manifest.stats;
        let read = findling_bundle::cells::Centroids::from_bytes(&centroids, DIM as u32, stats);
        let mut cells: Vec<ShardEntry> =
            read.unwrap().cells().iter().map(|cell| cell.shard).collect();
        let entry = cells[cell];
        let place = bundle.manifest.shards.len() + cell;
        let mut raw = decode_shard(&entry, &bundle.shards[place]).unwrap();
        for (at, byte) in cell_edits {
            let at = at.index(raw.len());
            raw[at] = byte;
        }
        let (spoilt, stored) = encode_shard(ShardKind::Cell, &raw).unwrap();
        if spoilt.stored_len == entry.stored_len {
            let honest = hashes(&cells);
            cells[cell].hash = spoilt.hash;
            let at = centroids.windows(honest.len()).position(|window| window == honest).unwrap();
            centroids[at..at + honest.len()].copy_from_slice(&hashes(&cells));
            bundle.shards[place] = stored;
        }
        for (at, byte) in edits {
            let at = at.index(centroids.len());
            centroids[at] = byte;
        }
        if let Some(cut) = cut {
            centroids.truncate(cut.index(centroids.len() + 1));
        }
        let (entry, stored) = encode_shard(ShardKind::Centroids, &centroids).unwrap();
        bundle.manifest.shards[at] = entry;
        bundle.shards[at] = stored;
        bundle.stored_manifest = encode_manifest(&bundle.manifest).unwrap().1;
        run(&bundle);
    }
}

#[test]
fn similar_pages_are_found_in_the_cells_of_the_pages_own_vectors() {
    let bundle = streamed();
    let like = |page: usize| Request {
        similar_to: Some(format!("/{page}/")),
        limit: Limit(5),
        ..Request::default()
    };
    for page in [0, 5, 11] {
        let resident = bundle.search(like(page));
        let (response, rounds) = bundle.answer(&mut open(&bundle, 400), like(page)).unwrap();
        for found in [&resident, &response] {
            assert_eq!((found.mode, found.encoder.as_deref()), (Mode::Semantic, Some("page")));
            let urls = urls(found);
            assert_eq!(urls.len(), 5);
            let own = format!("/{page}/");
            assert!(urls.iter().all(|url| *url != own
                && url.trim_matches('/').parse::<usize>().unwrap() % 8 == page % 8));
        }
        let bytes: usize = cell_bytes(&bundle, &rounds).iter().sum();
        assert!(bytes <= 4 * 400, "{bytes} bytes of cells");
        let no_vectors = rounds.iter().flatten().all(|shard| {
            bundle
                .manifest
                .shards
                .get(shard.index())
                .is_none_or(|entry| entry.kind != ShardKind::Vectors)
        });
        assert!(no_vectors);
    }
}

#[test]
fn without_cells_of_vectors_similar_pages_are_found_by_words() {
    let bundle = streamed_telling(false);
    let like = Request { similar_to: Some("/3/".into()), limit: Limit(20), ..Request::default() };
    let (response, rounds) = bundle.answer(&mut open(&bundle, 400), like).unwrap();
    assert_eq!(response.mode, Mode::Lexical);
    let pages: Vec<usize> =
        urls(&response).iter().map(|url| url.trim_matches('/').parse().unwrap()).collect();
    assert!(pages[..5].iter().all(|page| page % 10 == 3 && *page != 3), "{pages:?}");
    assert_eq!(cell_bytes(&bundle, &rounds).iter().sum::<usize>(), 0);
}

//! A small corpus in every format, and walks that call every accessor of a reader and check the
//! bounds of what it returns.

#![allow(clippy::single_range_in_vec_init)]
#![allow(dead_code)] // Each test binary uses its own part.
use findling_bundle::cells::{
    self, Cell, CellShard, Centroids, Coder, Members, Steps, VectorPlace,
};
use findling_bundle::column::Column;
use findling_bundle::graph::Graph;
use findling_bundle::lexicon::{Level, Posting, TermsBuilder, TermsShard};
use findling_bundle::positions::{PositionsBuilder, PositionsShard, write_directory};
use findling_bundle::projection::Projection;
use findling_bundle::rows::{Bits, RowsBuilder, RowsShard};
use findling_bundle::sentences::{SentencesBuilder, SentencesShard};
use findling_bundle::spelling::SpellingBuilder;
use findling_bundle::structure::{Structure, StructureBuilder};
use findling_bundle::texts::{Above, PageText, SectionText, TextsBuilder, TextsShard};
use findling_bundle::vectors::{VectorsBuilder, VectorsShard, quantise};
use findling_bundle::*;

pub const DIM: u32 = 6;
pub const KINDS: [AttributeKind; 5] = [
    AttributeKind::String,
    AttributeKind::Strings,
    AttributeKind::Number,
    AttributeKind::Date,
    AttributeKind::Bool,
];

/// Bytes in each format, uncompressed.
pub struct Sample {
    pub stats: Stats,
    pub structure: Vec<u8>,
    pub vector_counts: Vec<u8>,
    pub terms: Vec<u8>,
    pub second: Vec<u8>,
    pub positions: Vec<u8>,
    pub directory: Vec<u8>,
    pub vectors: Vec<u8>,
    pub graph: Vec<u8>,
    pub columns: Vec<Vec<u8>>,
    pub section_column: Vec<u8>,
    pub texts: Vec<u8>,
    pub spelling: Vec<u8>,
    pub addresses: Vec<u8>,
    pub sentences: Vec<u8>,
    pub rows: Vec<u8>,
    pub projection: Vec<u8>,
    pub coder: Coder,
    /// One around the first two vectors, one around the others.
    pub cells: [Vec<u8>; 2],
    pub centroids: Vec<u8>,
}

/// Returns a bundle's parts: three pages, five sections, seven passages, six vectors.
pub fn sample() -> Sample {
    let structure = sample_structure();
    let stats = Stats {
        n_pages: 3,
        n_sections: 5,
        n_passages: 7,
        n_vectors: 6,
        n_terms: 20,
        mean_len: [2.0, 2.0, 1.0, 300.0, 110.0, 5.0],
    };
    let [terms, second, positions] = sample_words(&structure);
    let line = encode_shard(ShardKind::Positions, &positions).unwrap().0;
    let projection = Projection::new(DIM + 1, &[0.25; (DIM * (DIM + 1)) as usize]).unwrap();
    let (coder, cells, centroids) = sample_cells(&structure);
    let mut spelling = SpellingBuilder::new();
    for (word, common) in [("alpha", 0), ("alphabet", 12), ("ältest", 255)] {
        spelling.push(word, common).unwrap();
    }
    Sample {
        stats,
        structure: structure.to_bytes(),
        vector_counts: structure.vector_counts(),
        terms,
        second,
        positions,
        // The last page has none.
        directory: write_directory(&[2, 1], &[1], &[Some(line), None]).unwrap(),
        vectors: sample_vectors(),
        graph: sample_graph(),
        columns: sample_columns(),
        section_column: sample_section_column(),
        texts: sample_texts(),
        spelling: spelling.finish(),
        addresses: addresses::write(
            [("page/0.html", "/page/0.html"), ("one", "/1"), ("2", "/2")].into_iter(),
        ),
        sentences: {
            let mut sentences = SentencesBuilder::new();
            sentences.push(&[vec![1, u64::MAX], vec![]]).unwrap();
            sentences.push(&[vec![5, 6, 7]]).unwrap();
            sentences.push(&[]).unwrap();
            sentences.finish()
        },
        rows: sample_rows(),
        projection: projection.to_bytes(),
        coder,
        cells,
        centroids,
    }
}

fn sample_structure() -> Structure {
    let mut structure = StructureBuilder::default();
    for page in 0..3u32 {
        structure.page();
        for section in 0..[2, 1, 2][page as usize] {
            structure.section([1, 2][(section == 0 && page == 0) as usize]);
            for _ in 0..=u32::from(section == 0 && page < 2) {
                structure.passage();
            }
        }
    }
    structure.finish()
}

/// Returns terms, their second tier, and positions.
fn sample_words(structure: &Structure) -> [Vec<u8>; 3] {
    let (mut terms, mut second) = (TermsBuilder::new(), TermsBuilder::new());
    let mut positions = PositionsBuilder::new();
    for i in 0..20u32 {
        let term = format!(
            "term{}{}",
            ["a", "b", "é", "ü"][i as usize / 5],
            ["", "a", "b", "c", "d"][i as usize % 5]
        );
        let pages: Vec<Posting> =
            (0..i % 3).map(|id| Posting::new(Level::Page, id, [1, id], [3, 2])).collect();
        let sections: Vec<Posting> =
            (0..i % 4).map(|id| Posting::new(Level::Section, id + 1, [id, 2], [4, 300])).collect();
        let passages: Vec<Posting> = (0..=i % 3)
            .map(|id| Posting::new(Level::Passage, id * 3, [1, u32::from(id == 2)], [110, 5]))
            .collect();
        // On each level, if a term has enough postings, those after the first or the first two are
        // in the second tier.
        let tiers = [(&pages, 1), (&sections, 2), (&passages, 2)]
            .map(|(all, most)| all.split_at(all.len().min(most)));
        let n_second = tiers.map(|(_, others)| others.len() as u32);
        terms
            .push_first_tier(&term, 7, tiers.map(|(first, _)| first), n_second, structure)
            .unwrap();
        if n_second != [0; 3] {
            second.push(&term, 7, tiers.map(|(_, others)| others), structure).unwrap();
        }
        for (postings, level) in [pages, sections, passages].into_iter().zip(Level::ALL) {
            for (j, posting) in (0..).zip(postings) {
                positions.push(level, posting.tf, &[j, j + 200]).unwrap();
            }
        }
    }
    positions.end_range();
    [terms.finish(), second.finish(), positions.finish()]
}

fn sample_vectors() -> Vec<u8> {
    let mut vectors = VectorsBuilder::new(DIM);
    for i in 0..6 {
        let (row, scale) = quantise(&[0.1, 0.2, -0.5, i as f32, 0.0, 0.7][..DIM as usize]);
        vectors.push(&row, scale).unwrap();
    }
    vectors.finish()
}

fn sample_graph() -> Vec<u8> {
    let ids = |ids: &[u32]| ids.iter().map(|&id| VectorId(id)).collect::<Vec<_>>();
    let graph = Graph::new(
        VectorId(4),
        vec![
            (0..6).map(|i| (VectorId(i), ids(&[(i + 1) % 6, (i + 5) % 6, 4]))).collect(),
            vec![(VectorId(1), ids(&[4])), (VectorId(4), ids(&[1]))],
            vec![(VectorId(4), vec![])],
        ],
    )
    .unwrap();
    graph.to_bytes()
}

fn sample_columns() -> Vec<Vec<u8>> {
    let values: [[Option<AttributeValue>; 3]; 5] = [
        [
            Some(AttributeValue::String("book".into())),
            None,
            Some(AttributeValue::String("bar".into())),
        ],
        [
            Some(AttributeValue::Strings(vec!["a".into(), "é".into()])),
            Some(AttributeValue::Strings(vec!["a".into()])),
            None,
        ],
        [Some(AttributeValue::Number(1.5)), None, Some(AttributeValue::Number(f64::NEG_INFINITY))],
        [None, Some(AttributeValue::Date(-1)), Some(AttributeValue::Date(1 << 53))],
        [Some(AttributeValue::Bool(true)), None, Some(AttributeValue::Bool(false))],
    ];
    KINDS
        .iter()
        .zip(&values)
        .map(|(&kind, values)| {
            Column::build(kind, values.iter().map(Option::as_ref)).unwrap().to_bytes()
        })
        .collect()
}

/// Returns a value for some of the five sections.
fn sample_section_column() -> Vec<u8> {
    let set = |values: &[&str]| {
        Some(AttributeValue::Strings(values.iter().map(|&value| value.into()).collect()))
    };
    let values = [set(&["a", "c"]), None, set(&["é"]), set(&["a"]), None];
    Column::build(AttributeKind::Strings, values.iter().map(Option::as_ref)).unwrap().to_bytes()
}

fn sample_texts() -> Vec<u8> {
    let mut texts = TextsBuilder::new();
    for page in 0..3 {
        let sections = (0..[2, 1, 2][page])
            .map(|section| SectionText {
                level: section as u8,
                heading: ["", "Überschrift"][section],
                anchor: (section > 0).then_some("anchor".into()),
                parent: (section > 0).then_some(0),
                attributes: (section > 0)
                    .then_some((2, AttributeValue::Number(0.5)))
                    .into_iter()
                    .collect(),
                text: "A text mit Ümlaut and `code` in it.".into(),
                code: vec![26..30, 33..35],
                passages: if section == 0 && page < 2 { vec![0..20, 10..35] } else { vec![0..35] },
            })
            .collect();
        let id = format!("page/{page}.html");
        texts
            .push(&PageText {
                id: &id,
                url: &id,
                title: "Title",
                language: "en",
                meta: vec![("image", "x.png")],
                attributes: vec![
                    (0, AttributeValue::Number(1.5)),
                    (2, AttributeValue::String("x".into())),
                    (3, AttributeValue::Strings(vec!["y".into(), "z".into()])),
                    (5, AttributeValue::Date(-1)),
                    (6, AttributeValue::Bool(true)),
                ],
                sections,
                ..PageText::default()
            })
            .unwrap();
    }
    let above = |place, parent| Above { place, parent, heading: "Above" };
    let below =
        SectionText { level: 3, heading: "Below", parent: Some(2), ..SectionText::default() };
    texts
        .push(&PageText {
            first: 4,
            above: vec![above(0, None), above(2, Some(0))],
            sections: vec![below],
            ..PageText::default()
        })
        .unwrap();
    texts.finish()
}

fn sample_rows() -> Vec<u8> {
    let mut rows = RowsBuilder::new(DIM, Bits::Four);
    for (i, key) in ["##ing", "a", "borrow", "borrower", "mutex", "über"].into_iter().enumerate() {
        let (scale, packed) =
            findling_bundle::rows::quantise(&[0.3, -0.1, i as f32, 0.0, 1.0, -0.7], Bits::Four);
        rows.push(key, scale, &packed).unwrap();
    }
    rows.finish()
}

/// Returns the coder, the cells and the centroids.
fn sample_cells(structure: &Structure) -> (Coder, [Vec<u8>; 2], Vec<u8>) {
    let values: Vec<[f32; 6]> = (0..6).map(|i| [0.1, 0.2, -0.5, i as f32, 0.0, 0.7]).collect();
    let coder = Coder::of(values.iter(), Steps::of(values.iter(), 6, 0.1).unwrap()).unwrap();
    let place = |&id: &u32| {
        let section = structure.section_of_vector(VectorId(id));
        let own = structure.vectors(section);
        let (page, place) = structure.place_of_section(section);
        VectorPlace::new(page, place, id - own.start, own.len() as u32)
    };
    let cell = |ids: &[u32]| {
        let rows: Vec<&[f32]> = ids.iter().map(|&id| &values[id as usize][..]).collect();
        let places: Vec<VectorPlace> = ids.iter().map(place).collect();
        cells::write_cell(&coder, &[0.1; 6], Some(&places), &rows).unwrap()
    };
    let cells = [cell(&[0, 1]), cell(&[2, 3, 4, 5])];
    let listed: Vec<Cell> = cells
        .iter()
        .zip([2, 4])
        .map(|(raw, n_vectors)| Cell {
            shard: encode_shard(ShardKind::Cell, raw).unwrap().0,
            n_vectors,
        })
        .collect();
    let centroids =
        cells::write_centroids(&coder, &listed, &[0.25; 12], 0.1, &[0, 0, 1, 1, 1, 1]).unwrap();
    (coder, cells, centroids)
}

/// Returns the sample as a manifest with its stored shards.
pub fn bundle(sample: &Sample) -> (Manifest, Vec<Vec<u8>>) {
    let mut shards = Vec::new();
    let mut stored = Vec::new();
    let mut add = |kind, raw: &[u8]| {
        let (entry, bytes) = encode_shard(kind, raw).unwrap();
        shards.push(entry);
        stored.push(bytes);
        ShardId(shards.len() as u32 - 1)
    };
    add(ShardKind::Structure, &sample.structure);
    let terms = add(ShardKind::Terms, &sample.terms);
    add(ShardKind::PositionsDirectory, &sample.directory);
    let second = add(ShardKind::SecondTier, &sample.second);
    let vectors = add(ShardKind::Vectors, &sample.vectors);
    let graph = add(ShardKind::Graph, &sample.graph);
    let texts = add(ShardKind::Texts, &sample.texts);
    let rows = add(ShardKind::Rows, &sample.rows);
    let projection = add(ShardKind::Projection, &sample.projection);
    let centroids = add(ShardKind::Centroids, &sample.centroids);
    let spelling = add(ShardKind::Spelling, &sample.spelling);
    add(ShardKind::Addresses, &sample.addresses);
    let sentences = add(ShardKind::Sentences, &sample.sentences);
    let sections = add(ShardKind::SectionVectors, &sample.cells[0]);
    let mut attributes: Vec<Attribute> = KINDS
        .iter()
        .zip(&sample.columns)
        .enumerate()
        .map(|(i, (&kind, raw))| Attribute {
            name: format!("attribute{i}"),
            kind,
            level: AttributeLevel::Page,
            column: add(ShardKind::Column, raw),
            facet: i % 2 == 0,
        })
        .collect();
    attributes.push(Attribute {
        name: "of sections".into(),
        kind: AttributeKind::Strings,
        level: AttributeLevel::Section,
        column: add(ShardKind::Column, &sample.section_column),
        facet: true,
    });
    let manifest = Manifest {
        generator: "findling test".into(),
        languages: vec!["en".into()],
        ranking: vec![0.5; 23],
        analysis: 42,
        stats: sample.stats,
        attributes,
        dense: Some(Dense {
            encoder: EncoderCard {
                name: "hash".into(),
                dim: DIM,
                fingerprint: "00".repeat(16),
                max_tokens: 256,
                query_prefix: String::new(),
                document_prefix: String::new(),
                semantic: false,
            },
            mean: vec![0.25; DIM as usize],
            vectors: vec![VectorRange { first_vector: VectorId(0), shard: vectors }],
            graph: Some(graph),
            centroids: Some(centroids),
            query_encoders: vec![QueryEncoder {
                kind: "transformer".into(),
                files: vec![FilePart { path: "encoder/model.bin".into(), len: 3, hash: [7; 16] }],
            }],
            projection: Some(projection),
            rows: Some(StaticRows {
                bits: Bits::Four,
                lowercase: true,
                fitted: Some(0.75),
                origin: [3; 4],
                common_keys: vec!["a".into(), "mutex".into()],
                common: rows,
                ranges: vec![RowRange { first_key: "##ing".into(), shard: rows }],
            }),
            sentences: vec![SentencesRange { first_page: PageId(0), shard: sentences }],
            sections: vec![SectionsRange { first_section: SectionId(0), shard: sections }],
        }),
        lexicon: vec![LexiconRange { first_term: "terma".into(), terms, second: Some(second) }],
        spelling: vec![SpellingRange { first_word: "alpha".into(), shard: spelling }],
        synonyms: vec![Synonym { from: "k8s".into(), to: vec!["kubernetes".into()] }],
        texts: vec![TextRange { first_page: PageId(0), first_section: 0, shard: texts }],
        shards,
    };
    (manifest, stored)
}

/// Returns a shard of [`bundle`], including the shards of positions.
pub fn stored<'a>(
    sample: &Sample,
    shards: &'a [Vec<u8>],
    id: ShardId,
) -> Option<std::borrow::Cow<'a, [u8]>> {
    match id.place_of_positions() {
        Some(0) => Some(encode_shard(ShardKind::Positions, &sample.positions).unwrap().1.into()),
        Some(_) => None,
        None => shards.get(id.index()).map(|shard| shard[..].into()),
    }
}

pub fn walk_structure(raw: &[u8], stats: &Stats) -> Result<(), Error> {
    let structure = Structure::from_bytes(raw, stats)?;
    for page in 0..stats.n_pages + 2 {
        assert!(structure.passages_of_page(PageId(page)).end <= stats.n_passages);
        for section in structure.sections(PageId(page)) {
            let section = SectionId(section);
            assert_eq!(structure.page_of(section), PageId(page));
            for passage in structure.passages(section) {
                assert_eq!(structure.section_of(PassageId(passage)), section);
            }
            for vector in structure.vectors(section) {
                assert_eq!(structure.section_of_vector(VectorId(vector)), section);
            }
        }
    }
    structure.page_of(SectionId(u32::MAX));
    structure.section_of(PassageId(u32::MAX));
    check_canonical(&structure, Structure::to_bytes, |raw| Structure::from_bytes(raw, stats));
    Ok(())
}

/// Checks that a value that was read gives the same bytes when it is written, read and written
/// again.
fn check_canonical<T>(
    value: &T,
    write: impl Fn(&T) -> Vec<u8>,
    read: impl Fn(&[u8]) -> Result<T, Error>,
) {
    let bytes = write(value);
    assert_eq!(write(&read(&bytes).unwrap()), bytes);
}

pub fn walk_terms(raw: &[u8], structure: &Structure, stats: &Stats) -> Result<(), Error> {
    let shard = TermsShard::from_bytes(raw.to_vec(), stats)?;
    let mut terms = shard.terms();
    let mut n = 0;
    while let Some((term, entry)) = terms.advance() {
        n += 1;
        assert_eq!(shard.find(term), Some(entry));
        assert!(entry.df <= stats.n_passages);
        let lists = shard.lists(&entry, structure);
        for (level, limit) in
            Level::ALL.into_iter().zip([stats.n_pages, stats.n_sections, stats.n_passages])
        {
            let list: Vec<Posting> = shard.postings(&entry, level, structure).collect();
            assert_eq!(list, lists[level as usize]);
            assert!(list.len() <= entry.n[level as usize] as usize);
            assert!(list.iter().all(|posting| posting.id < limit && posting.tf != [0, 0]));
            assert!(list.is_sorted_by(|a, b| a.id < b.id));
        }
    }
    assert_eq!(n, shard.n_terms());
    for prefix in ["", "t", "termab", "termé", "zzz", "\u{0}"] {
        let mut terms = shard.prefix(prefix);
        while let Some((term, _)) = terms.advance() {
            assert!(term.starts_with(prefix));
        }
        shard.find(prefix);
    }
    Ok(())
}

pub fn walk_positions(raw: &[u8]) -> Result<(), Error> {
    let shard = PositionsShard::from_bytes(raw.to_vec())?;
    let mut list = Vec::new();
    for range in 0..3 {
        let mut lists = shard.lists(range);
        for i in 0..50 {
            let (level, tf) = (Level::ALL[i % 3], [i as u32 % 4, 1]);
            if i % 5 == 4 {
                lists.skip_list(level, tf);
                continue;
            }
            lists.next_list(level, tf, &mut list);
            assert!(list.is_sorted());
            assert!(list.len() <= raw.len());
        }
    }
    shard.resident_bytes();
    Ok(())
}

pub fn walk_directory(raw: &[u8], n_pages: u32, n_ranges: usize) -> Result<(), Error> {
    let directory = PositionsDirectory::from_bytes(raw, n_pages, n_ranges)?;
    for (id, shard) in directory.shards() {
        assert_eq!(directory.shard(id), Some(shard));
        assert!(directory.offset(id) + u64::from(shard.stored_len) <= directory.stored_len());
    }
    for page in 0..n_pages + 2 {
        let block = directory.block_of(PageId(page));
        assert!(page >= n_pages || directory.pages(block).contains(&page));
        for range in 0..n_ranges + 2 {
            assert!(
                directory.find(range, block).is_none_or(|(id, _)| directory.shard(id).is_some())
            );
            assert!(directory.find(range, directory.n_blocks()).is_none());
        }
    }
    directory.resident_bytes();
    Ok(())
}

pub fn walk_vectors(raw: &[u8]) -> Result<(), Error> {
    let shard = VectorsShard::from_bytes(raw.to_vec(), DIM)?;
    for i in 0..shard.len() {
        assert_eq!(shard.row(i).len(), DIM as usize);
        assert!(shard.scale(i) >= 0.0);
    }
    assert!(shard.row(shard.len()).is_empty() && shard.row(usize::MAX).is_empty());
    assert_eq!(shard.scale(usize::MAX), 0.0);
    Ok(())
}

pub fn walk_graph(raw: &[u8], stats: &Stats) -> Result<(), Error> {
    let graph = Graph::from_bytes(raw, stats)?;
    check_canonical(&graph, Graph::to_bytes, |raw| Graph::from_bytes(raw, stats));
    assert!(graph.entry().0 < stats.n_vectors);
    for layer in 0..graph.n_layers() + 1 {
        for node in 0..stats.n_vectors + 2 {
            for &neighbour in graph.neighbours(layer, VectorId(node)) {
                assert!(neighbour < stats.n_vectors);
            }
        }
    }
    Ok(())
}

pub fn walk_column(raw: &[u8], kind: AttributeKind, n_items: u32) -> Result<(), Error> {
    let column = Column::from_bytes(raw, kind, n_items)?;
    check_canonical(&column, Column::to_bytes, |raw| Column::from_bytes(raw, kind, n_items));
    assert_eq!(column.kind(), kind);
    assert_eq!(column.n_items(), n_items);
    for item in 0..n_items + 2 {
        assert!(item < n_items || column.value(item).is_none());
        assert!(column.number(item).is_none_or(|number| !number.is_nan()));
    }
    if let Column::Strings(strings) = &column {
        for id in 0..strings.n_values() {
            assert_eq!(strings.find(strings.value(id)), Some(id));
        }
        strings.value(u32::MAX);
        strings.find("nothing");
    }
    Ok(())
}

pub fn walk_rows(raw: &[u8]) -> Result<(), Error> {
    let shard = RowsShard::from_bytes(raw, DIM, Bits::Four)?;
    let mut sum = vec![0.0; DIM as usize];
    for (row, key) in shard.keys().enumerate() {
        assert_eq!(shard.get(key), Some(row));
        assert_eq!(shard.standing_for(key), Some((row, key.len())));
        shard.add(row, &mut sum);
    }
    assert!(sum.iter().all(|v| !v.is_nan()));
    shard.add(usize::MAX, &mut sum);
    shard.standing_for("borrowers");
    Ok(())
}

pub fn walk_projection(raw: &[u8]) -> Result<(), Error> {
    let projection = Projection::from_bytes(raw)?;
    assert_eq!(projection.to_bytes(), raw);
    let projected = projection.apply(&vec![1.0; projection.from_dim() as usize])?;
    assert_eq!(projected.len(), projection.to_dim() as usize);
    assert!(projected.iter().map(|v| v * v).sum::<f32>() < 1.0001);
    Ok(())
}

pub fn walk_texts(raw: &[u8]) -> Result<(), Error> {
    let shard = TextsShard::from_bytes(raw.to_vec())?;
    assert!(shard.page(shard.n_pages()).is_err());
    for i in 0..shard.n_pages() {
        let page = shard.page(i)?;
        let mut again = TextsBuilder::new();
        again.push(&page).unwrap();
        let again = TextsShard::from_bytes(again.finish()).unwrap();
        assert_eq!(again.page(0).as_ref(), Ok(&page));
        for (place, section) in (page.first..).zip(&page.sections) {
            page.heading_path(place);
            assert!(section.parent.is_none_or(|parent| parent < place));
            for range in section.code.iter().chain(&section.passages) {
                let _ = &section.text[range.start as usize..range.end as usize];
            }
        }
    }
    Ok(())
}

pub fn walk_spelling(raw: &[u8]) -> Result<(), Error> {
    let shard = SpellingShard::from_bytes(raw.to_vec())?;
    let (mut words, mut last, mut n) = (shard.words(), String::new(), 0);
    while let Some(word) = words.advance() {
        assert!(word.text > last.as_str() && word.text.starts_with(&last[..word.shared]));
        last = word.text.to_string();
        n += 1;
    }
    assert_eq!(n, shard.n_words());
    shard.resident_bytes();
    Ok(())
}

pub fn walk_addresses(raw: &[u8], stats: &Stats) -> Result<(), Error> {
    let addresses = Addresses::from_bytes(raw, stats)?;
    for address in ["", "/", "page/0.html", "one", "/1#a", "%%", "https://"] {
        assert!(addresses.find(address).iter().all(|page| page.0 < stats.n_pages));
    }
    addresses.resident_bytes();
    Ok(())
}

pub fn walk_sentences(raw: &[u8]) -> Result<(), Error> {
    let shard = SentencesShard::from_bytes(raw)?;
    for (page, section) in (0..20).flat_map(|page| (0..20).map(move |section| (page, section))) {
        assert!(shard.codes(page, section).len() <= 255);
    }
    assert!(shard.codes(u32::MAX, u32::MAX).is_empty());
    shard.resident_bytes();
    Ok(())
}

pub fn walk_vector_counts(raw: &[u8], stats: &Stats) -> Result<(), Error> {
    let mut structure = Structure::from_bytes(&sample().structure, stats)?.without_vectors();
    assert_eq!(structure.n_vectors(), 0);
    structure.set_vector_counts(raw, stats)?;
    assert_eq!(structure.n_vectors(), stats.n_vectors);
    let mut owners =
        (0..stats.n_vectors).map(|vector| structure.section_of_vector(VectorId(vector)).0);
    assert!(owners.all(|section| section < stats.n_sections));
    Ok(())
}

pub fn walk_centroids(raw: &[u8], stats: &Stats) -> Result<(), Error> {
    let centroids = Centroids::from_bytes(raw, DIM, stats)?;
    assert_eq!(centroids.directions().count(), centroids.cells().len());
    assert!(centroids.directions().all(|(row, scale)| row.len() == DIM as usize && scale >= 0.0));
    let known = |vector| {
        centroids.cell_of(vector).is_none_or(|cell| (cell as usize) < centroids.cells().len())
    };
    assert!((0..stats.n_vectors.min(100) + 2).all(known));
    centroids.resident_bytes();
    Ok(())
}

pub fn walk_cell(raw: &[u8], coder: &Coder, members: Members, stats: &Stats) -> Result<(), Error> {
    let n_vectors = match &members {
        Members::Counted(n) => *n as usize,
        Members::Told(ids) => ids.len(),
        Members::Unknown => usize::MAX,
    };
    let cell = CellShard::from_bytes(raw, coder, members, stats)?;
    let n_vectors = n_vectors.min(cell.n_vectors());
    assert!(cell.rows().all(|(row, _)| row.len() == DIM as usize));
    assert_eq!(
        (cell.rows().count(), cell.ids().len() + cell.places().len()),
        (n_vectors, n_vectors)
    );
    assert!(cell.places().iter().all(|place| place.page.0 < stats.n_pages));
    let structure = Structure::from_bytes(&sample().structure, stats)?;
    assert!(cell.vectors(&structure).all(|vector| vector.section.0 < stats.n_sections));
    cell.resident_bytes();
    Ok(())
}

/// Reads and walks a whole bundle as an engine would.
pub fn walk_bundle(
    manifest: &Manifest,
    shard: impl Fn(ShardId) -> Option<Vec<u8>>,
) -> Result<(), Error> {
    let read = |id: ShardId| {
        let entry = manifest.shard(id).expect("validated");
        decode_shard(entry, &shard(id).unwrap_or_default())
    };
    let structure = read(manifest.structure().expect("validated"))?;
    walk_structure(&structure, &manifest.stats)?;
    let structure = Structure::from_bytes(&structure, &manifest.stats)?;
    for range in &manifest.lexicon {
        assert!(manifest.lexicon_of(&range.first_term).is_some());
        walk_terms(&read(range.terms)?, &structure, &manifest.stats)?;
        if let Some(second) = range.second {
            walk_terms(&read(second)?, &structure, &manifest.stats)?;
        }
    }
    if let Some(directory) = manifest.positions() {
        let (raw, n_pages) = (read(directory)?, manifest.stats.n_pages);
        walk_directory(&raw, n_pages, manifest.lexicon.len())?;
        for (id, entry) in
            PositionsDirectory::from_bytes(&raw, n_pages, manifest.lexicon.len())?.shards()
        {
            walk_positions(&decode_shard(entry, &shard(id).unwrap_or_default())?)?;
        }
    }
    for range in &manifest.spelling {
        walk_spelling(&read(range.shard)?)?;
    }
    if let Some(shard) = manifest.addresses() {
        walk_addresses(&read(shard)?, &manifest.stats)?;
    }
    for attribute in &manifest.attributes {
        let n_items = attribute.level.count(&manifest.stats);
        walk_column(&read(attribute.column)?, attribute.kind, n_items)?;
    }
    for range in &manifest.texts {
        walk_texts(&read(range.shard)?)?;
    }
    for page in 0..manifest.stats.n_pages.min(100) {
        assert!(manifest.text_of(PageId(page), 0).is_some());
    }
    if let Some(dense) = &manifest.dense {
        for range in &dense.vectors {
            walk_vectors(&read(range.shard)?)?;
        }
        for range in &dense.sentences {
            walk_sentences(&read(range.shard)?)?;
        }
        for range in &dense.sections {
            assert_eq!(manifest.vectors_of(range.first_section), Some(range.shard));
            let (raw, coder) = (read(range.shard)?, sample().coder);
            walk_cell(&raw, &coder, Members::Unknown, &manifest.stats)?;
        }
        if let Some(graph) = dense.graph {
            walk_graph(&read(graph)?, &manifest.stats)?;
        }
        if let Some(centroids) = dense.centroids {
            walk_centroids(&read(centroids)?, &manifest.stats)?;
        }
        if let Some(projection) = dense.projection {
            walk_projection(&read(projection)?)?;
        }
        if let Some(rows) = &dense.rows {
            walk_rows(&read(rows.common)?)?;
            for range in &rows.ranges {
                assert!(rows.shard_of(&range.first_key).is_some());
                walk_rows(&read(range.shard)?)?;
            }
        }
    }
    Ok(())
}

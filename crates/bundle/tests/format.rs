//! The worked examples of `docs/format.md`: the writer writes the bytes that the document shows,
//! and the reader reads them back.
//!
//! A block of the document that begins with "```hex NAME" is an example. Each of its lines is bytes
//! in hex, then `;` and a remark.

#![allow(clippy::single_range_in_vec_init)]

use std::collections::BTreeMap;
use std::path::Path;

use findling_bundle::cells::{
    CellShard, Centroids, Coder, Members, Steps, VectorPlace, write_cell, write_centroids,
};
use findling_bundle::graph::Graph;
use findling_bundle::lexicon::{Posting, TermsBuilder};
use findling_bundle::positions::{PositionsBuilder, write_directory};
use findling_bundle::projection::Projection;
use findling_bundle::rows::{Bits, RowsBuilder, RowsShard, quantise as quantise_row};
use findling_bundle::sentences::SentencesBuilder;
use findling_bundle::spelling::SpellingBuilder;
use findling_bundle::structure::StructureBuilder;
use findling_bundle::texts::{PageText, SectionText, TextsBuilder};
use findling_bundle::vectors::{VectorsBuilder, quantise};
use findling_bundle::*;

/// An example: the writer's bytes, and a check that the reader decodes the document's bytes to the
/// input that the document states.
struct Example {
    name: &'static str,
    written: Vec<u8>,
    check: Check,
}

type Check = Box<dyn Fn(&[u8])>;

fn example(name: &'static str, written: Vec<u8>, check: impl Fn(&[u8]) + 'static) -> Example {
    Example { name, written, check: Box::new(check) }
}

/// Returns the site of all examples: page 0 with sections 0 and 1, page 1 with section 2. Section 0
/// has passages 0 and 1 and vectors 0 and 1; sections 1 and 2 have one passage and one vector each.
fn site() -> Structure {
    let mut builder = StructureBuilder::default();
    for (page, sections) in [&[2, 1][..], &[1]].into_iter().enumerate() {
        builder.page();
        for &n in sections {
            builder.section(n);
            (0..n).for_each(|_| _ = builder.passage());
        }
        assert!(page < 2);
    }
    builder.finish()
}

fn stats() -> Stats {
    Stats {
        n_pages: 2,
        n_sections: 3,
        n_passages: 4,
        n_vectors: 4,
        n_terms: 3,
        mean_len: [2.0, 1.0, 1.5, 0.0, 100.0, 4.0],
    }
}

const DIM: u32 = 4;

/// The vectors of all examples.
const VECTORS: [[f32; 4]; 4] =
    [[0.5, -0.5, 0.5, 0.5], [0.5, -0.5, 0.5, 0.25], [-0.5, 0.5, 0.0, 0.5], [-1.0, 0.0, 0.0, 0.0]];

/// Returns a shard's file, and a check that it decodes to `raw`.
fn stored(name: &'static str, kind: ShardKind, raw: Vec<u8>, codec: u8) -> Example {
    let (entry, stored) = encode_shard(kind, &raw).unwrap();
    assert_eq!(stored[6], codec, "the codec of {name}");
    example(name, stored, move |bytes| assert_eq!(decode_shard(&entry, bytes).unwrap(), raw))
}

fn structure() -> [Example; 4] {
    let counts = site().vector_counts();
    let raw = site().to_bytes();
    // 40 pages like the site's first: enough for packing to save bytes.
    let mut builder = StructureBuilder::default();
    for _ in 0..40 {
        builder.page();
        for n in [2, 1] {
            builder.section(n);
            (0..n).for_each(|_| _ = builder.passage());
        }
    }
    let mut ordered = StructureBuilder::default();
    for page in 0..1 << 16 {
        ordered.page();
        for _ in 0..if page % 256 == 0 { 3 } else { 1 + page % 2 } {
            ordered.section(0);
            ordered.passage();
        }
    }
    let ordered = ordered.finish().to_bytes();
    [
        example("structure", raw, |bytes| {
            assert_eq!(Structure::from_bytes(bytes, &stats()).unwrap(), site());
        }),
        example("vector counts", counts, |bytes| {
            let mut structure = site().without_vectors();
            structure.set_vector_counts(bytes, &stats()).unwrap();
            assert_eq!(structure, site());
        }),
        stored("structure, packed", ShardKind::Structure, builder.finish().to_bytes(), 2),
        stored("structure, packed in order", ShardKind::Structure, ordered, 3),
    ]
}

/// The postings of a term, by level.
type Lists = [Vec<Posting>; 3];

fn terms_of_site() -> [(&'static str, u32, Lists, [u32; 3]); 3] {
    let page = |id, tf, len| Posting::new(Level::Page, id, tf, len);
    let section = |id, tf, len| Posting::new(Level::Section, id, tf, len);
    let passage = |id, tf, len| Posting::new(Level::Passage, id, tf, len);
    [
        (
            "glaze",
            4,
            [
                vec![page(1, [1, 1], [3, 0])],
                vec![section(1, [1, 0], [2, 0]), section(2, [0, 2], [0, 0])],
                vec![
                    passage(0, [1, 0], [110, 0]),
                    passage(1, [2, 1], [90, 7]),
                    passage(3, [0, 1], [0, 4]),
                ],
            ],
            [0; 3],
        ),
        ("glazed", 1, [vec![], vec![], vec![passage(2, [1, 0], [60, 0])]], [0; 3]),
        ("the", 4, [vec![], vec![], vec![passage(0, [9, 0], [110, 0])]], [0, 0, 2]),
    ]
}

/// Returns the second tier of `the`.
fn second_tier() -> Vec<Posting> {
    [(1, [3, 0], [90, 0]), (2, [1, 0], [60, 0])]
        .map(|(id, tf, len)| Posting::new(Level::Passage, id, tf, len))
        .to_vec()
}

fn check_terms(shard: &TermsShard, expected: &[(&str, u32, Lists, [u32; 3])]) {
    assert_eq!(shard.n_terms() as usize, expected.len());
    for (term, df, lists, n_second) in expected {
        let entry = shard.find(term).unwrap();
        assert_eq!((entry.df, entry.n_second), (*df, *n_second), "{term}");
        assert_eq!(&shard.lists(&entry, &site()), lists, "{term}");
    }
}

fn terms() -> [Example; 3] {
    let structure = site();
    let mut builder = TermsBuilder::new();
    for (term, df, lists, n_second) in terms_of_site() {
        let lists = lists.each_ref().map(|list| &list[..]);
        builder.push_first_tier(term, df, lists, n_second, &structure).unwrap();
    }
    let raw = builder.finish();
    let mut builder = TermsBuilder::new();
    builder.push("the", 4, [&[], &[], &second_tier()], &structure).unwrap();
    [
        example("terms", raw.clone(), |bytes| {
            let shard = TermsShard::from_bytes(bytes.to_vec(), &stats()).unwrap();
            check_terms(&shard, &terms_of_site());
        }),
        stored("terms, packed", ShardKind::Terms, raw, 2),
        example("second tier", builder.finish(), |bytes| {
            let shard = TermsShard::from_bytes(bytes.to_vec(), &stats()).unwrap();
            check_terms(&shard, &[("the", 4, [vec![], vec![], second_tier()], [0; 3])]);
        }),
    ]
}

/// Returns the position lists of `glaze`: level, frequencies, positions.
fn positions_of_glaze() -> [(Level, [u32; 2], Vec<u32>); 6] {
    [
        (Level::Page, [1, 1], vec![2]),
        (Level::Section, [1, 0], vec![0]),
        (Level::Section, [0, 2], vec![]),
        (Level::Passage, [1, 0], vec![4]),
        (Level::Passage, [2, 1], vec![3, 17, 300]),
        (Level::Passage, [0, 1], vec![9, 12]),
    ]
}

fn positions() -> [Example; 2] {
    let mut builder = PositionsBuilder::new();
    for (level, tf, list) in positions_of_glaze() {
        builder.push(level, tf, &list).unwrap();
    }
    builder.end_range();
    let (entry, _) = encode_shard(ShardKind::Positions, &builder.clone().finish()).unwrap();
    let directory = write_directory(&[1, 1], &[1], &[Some(entry), None]).unwrap();
    [
        example("positions", builder.finish(), |bytes| {
            let shard = PositionsShard::from_bytes(bytes.to_vec()).unwrap();
            let (mut lists, mut read) = (shard.lists(0), Vec::new());
            for (level, tf, expected) in positions_of_glaze() {
                lists.next_list(level, tf, &mut read);
                assert_eq!(read, expected);
            }
        }),
        example("directory of positions", directory, move |bytes| {
            let directory = PositionsDirectory::from_bytes(bytes, 2, 1).unwrap();
            assert_eq!((directory.n_blocks(), directory.n_places()), (2, 2));
            assert_eq!(directory.shard(ShardId(ShardId::POSITIONS)), Some(&entry));
            assert_eq!(directory.find(0, 1), None);
        }),
    ]
}

fn vectors_and_graph() -> [Example; 3] {
    let mut builder = VectorsBuilder::new(DIM);
    for vector in &VECTORS[2..] {
        let (row, scale) = quantise(vector);
        builder.push(&row, scale).unwrap();
    }
    let ids = |ids: &[u32]| ids.iter().map(|&id| VectorId(id)).collect::<Vec<_>>();
    let base = [&[1][..], &[0, 2], &[1, 3], &[2]].into_iter().enumerate();
    let base = base.map(|(i, near)| (VectorId(i as u32), ids(near))).collect();
    let graph = Graph::new(
        VectorId(3),
        vec![base, vec![(VectorId(1), ids(&[3])), (VectorId(3), ids(&[1]))]],
    );
    let graph = graph.unwrap();
    let rows = [0.25, -0.5, 1.0, 0.0, 0.125, 0.5];
    let projection = Projection::new(3, &rows).unwrap();
    [
        example("vectors", builder.finish(), |bytes| {
            let shard = VectorsShard::from_bytes(bytes.to_vec(), DIM).unwrap();
            assert_eq!(shard.row(0), [-127, 127, 0, 127]);
            assert_eq!(shard.scales(), [0.5 / 127.0, 1.0 / 127.0]);
        }),
        example("graph", graph.to_bytes(), move |bytes| {
            assert_eq!(Graph::from_bytes(bytes, &stats()).unwrap(), graph);
        }),
        example("projection", projection.to_bytes(), move |bytes| {
            assert_eq!(Projection::from_bytes(bytes).unwrap(), projection);
        }),
    ]
}

fn columns() -> Vec<Example> {
    let text = |text: &str| Some(AttributeValue::String(text.into()));
    let strings = |all: &[&str]| {
        Some(AttributeValue::Strings(all.iter().map(|&value| value.into()).collect()))
    };
    let number = |value| Some(AttributeValue::Number(value));
    let bool = |value| Some(AttributeValue::Bool(value));
    let date = Some(AttributeValue::Date(1_700_000_000_000));
    let of_pages = [
        ("column of a string", AttributeKind::String, [text("guide"), None]),
        (
            "column of strings",
            AttributeKind::Strings,
            [strings(&["clay", "kiln"]), strings(&["kiln"])],
        ),
        ("column of whole numbers", AttributeKind::Number, [number(2024.0), number(2023.0)]),
        ("column of numbers", AttributeKind::Number, [number(0.5), None]),
        ("column of a date", AttributeKind::Date, [None, date]),
        ("column of a bool", AttributeKind::Bool, [bool(true), None]),
    ];
    let of_sections =
        ("column of sections", AttributeKind::String, [text("user"), None, text("tool")]);
    let (name, kind, values) = of_sections;
    of_pages
        .into_iter()
        .map(|(name, kind, values)| column(name, kind, AttributeLevel::Page, values.into()))
        .chain([column(name, kind, AttributeLevel::Section, values.into())])
        .collect()
}

fn column(
    name: &'static str,
    kind: AttributeKind,
    level: AttributeLevel,
    values: Vec<Option<AttributeValue>>,
) -> Example {
    let column = Column::build(kind, values.iter().map(Option::as_ref)).unwrap();
    example(name, column.to_bytes(), move |bytes| {
        let attribute =
            Attribute { name: "a".into(), kind, level, column: ShardId(0), facet: true };
        let column = attribute.column(bytes, &stats()).unwrap();
        let read: Vec<_> = (0..column.n_items()).map(|item| column.value(item)).collect();
        assert_eq!(read, values);
    })
}

fn page() -> PageText<'static> {
    let intro = SectionText {
        text: "Use `cone 6`.".into(),
        code: vec![5..11],
        passages: vec![0..13],
        ..SectionText::default()
    };
    let dipping = SectionText {
        level: 2,
        heading: "Dip it",
        anchor: Some("dip-it".into()),
        parent: Some(0),
        attributes: vec![(0, AttributeValue::String("step".into()))],
        text: "Dip. Dry.".into(),
        code: vec![],
        passages: vec![0..4, 5..9],
    };
    PageText {
        id: "glaze.md",
        url: "/glaze",
        title: "Glaze",
        language: "en",
        meta: vec![("image", "g.png")],
        attributes: vec![(1, AttributeValue::Bool(true))],
        sections: vec![intro, dipping],
        ..PageText::default()
    }
}

fn texts() -> [Example; 2] {
    let mut builder = TextsBuilder::new();
    builder.push(&page()).unwrap();
    let raw = builder.finish();
    [
        example("texts", raw.clone(), |bytes| {
            let shard = TextsShard::from_bytes(bytes.to_vec()).unwrap();
            assert_eq!((shard.n_pages(), shard.page(0).unwrap()), (1, page()));
        }),
        stored("texts, deflated", ShardKind::Texts, raw, 1),
    ]
}

fn rows() -> [Example; 2] {
    let mut builder = RowsBuilder::new(DIM, Bits::Steps);
    let quantised: Vec<(u16, Vec<u8>)> =
        VECTORS[..3].iter().map(|row| quantise_row(row, Bits::Steps)).collect();
    for (key, (scale, packed)) in ["glaze", "glazed", "kiln"].into_iter().zip(&quantised) {
        builder.push(key, *scale, packed).unwrap();
    }
    let raw = builder.finish();
    [
        example("rows", raw.clone(), move |bytes| {
            let shard = RowsShard::from_bytes(bytes, DIM, Bits::Steps).unwrap();
            let keys = ["glaze", "glazed", "kiln"].into_iter().zip(&quantised);
            let expected = keys.map(|(key, (scale, packed))| (key, *scale, &packed[..]));
            assert!(shard.stored().eq(expected));
        }),
        stored("rows, packed", ShardKind::Rows, raw, 2),
    ]
}

fn coder() -> Coder {
    let steps = Steps::even(0.125, DIM as usize).unwrap();
    Coder::of(VECTORS.iter(), steps).unwrap()
}

/// Returns two cells: vectors 0 and 1 are in the first, the others in the second.
fn cells() -> Vec<Example> {
    let place = |page, section, part| VectorPlace { page: PageId(page), section, part };
    let places = [place(0, 0, 0), place(0, 0, 128)];
    let around = [0.5, -0.5, 0.5, 0.375];
    let vectors: Vec<&[f32]> = VECTORS.iter().map(|vector| &vector[..]).collect();
    let first = write_cell(&coder(), &around, Some(&places), &vectors[..2]).unwrap();
    let listed = write_cell(&coder(), &around, None, &vectors[..2]).unwrap();
    let second = write_cell(&coder(), &[-0.75, 0.25, 0.0, 0.25], None, &vectors[2..]).unwrap();
    let line = |raw: &[u8]| {
        let (shard, _) = encode_shard(ShardKind::Cell, raw).unwrap();
        cells::Cell { shard, n_vectors: 2 }
    };
    let lines = [line(&listed), line(&second)];
    let numbers = [around, [-0.75, 0.25, 0.0, 0.25]].concat();
    let centroids = write_centroids(&coder(), &lines, &numbers, 0.25, &[0, 0, 1, 1]).unwrap();
    let near = |cell: &CellShard| {
        for ((row, scale), vector) in cell.rows().zip(&VECTORS) {
            let off = row.iter().zip(vector).map(|(&q, v)| (f32::from(q) * scale - v).abs());
            assert!(off.fold(0.0, f32::max) < 0.08, "steps are .125");
        }
    };
    vec![
        example("section vectors", first.clone(), move |bytes| {
            let members = Members::Unknown;
            let cell = CellShard::from_bytes(bytes, &coder(), members, &stats()).unwrap();
            assert_eq!(cell.places(), places);
            near(&cell);
        }),
        example("cell", first, move |bytes| {
            let members = Members::Counted(2);
            let cell = CellShard::from_bytes(bytes, &coder(), members, &stats()).unwrap();
            assert_eq!(cell.places(), places);
            near(&cell);
        }),
        example("cell, listed", listed, move |bytes| {
            let members = Members::Told(vec![0, 1]);
            let cell = CellShard::from_bytes(bytes, &coder(), members, &stats()).unwrap();
            assert_eq!(cell.ids(), [0, 1]);
            near(&cell);
        }),
        example("centroids", centroids, move |bytes| {
            let read = Centroids::from_bytes(bytes, DIM, &stats()).unwrap();
            assert_eq!((read.cells(), read.coder()), (&lines[..], &coder()));
            assert!((0..4).all(|vector| read.cell_of(vector) == Some(vector / 2)));
        }),
    ]
}

fn words_and_addresses() -> [Example; 4] {
    let mut spelling = SpellingBuilder::new();
    spelling.push("glaze", 24).unwrap();
    spelling.push("glazes", 0).unwrap();
    let mut sentences = SentencesBuilder::new();
    let codes = [vec![vec![], vec![sentences::code(&VECTORS[0]), 1 << 63]], vec![vec![]]];
    codes.iter().for_each(|page| sentences.push(page).unwrap());
    let pages = [("glaze.md", "/glaze"), ("kiln", "/kiln.html#top")];
    let with_ids = addresses::write(pages.into_iter());
    let by_url = addresses::write(pages.into_iter().map(|(_, url)| (url, url)));
    [
        example("spelling", spelling.finish(), |bytes| {
            let shard = SpellingShard::from_bytes(bytes.to_vec()).unwrap();
            let mut words = shard.words();
            let mut next = || words.advance().map(|word| (word.text.to_owned(), word.common));
            assert_eq!(
                [next(), next()],
                [("glaze", 24), ("glazes", 0)].map(|(w, n)| Some((w.into(), n)))
            );
        }),
        example("sentences", sentences.finish(), move |bytes| {
            let shard = SentencesShard::from_bytes(bytes).unwrap();
            assert_eq!((shard.codes(0, 0), shard.codes(0, 1)), (&[][..], &[13, 1 << 63][..]));
        }),
        example("addresses", by_url, |bytes| {
            let addresses = Addresses::from_bytes(bytes, &stats()).unwrap();
            assert_eq!(addresses.find("kiln"), [PageId(1)]);
        }),
        example("addresses with ids", with_ids, |bytes| {
            let addresses = Addresses::from_bytes(bytes, &stats()).unwrap();
            assert_eq!(addresses.find("glaze.md"), [PageId(0)]);
        }),
    ]
}

/// Returns a manifest of the site with words, vectors, a static encoder and texts. Hashes and
/// lengths of the shards are made up.
fn manifest() -> Manifest {
    let kinds = [
        (ShardKind::Structure, 30),
        (ShardKind::Terms, 90),
        (ShardKind::Column, 20),
        (ShardKind::Vectors, 44),
        (ShardKind::Rows, 50),
        (ShardKind::Rows, 60),
        (ShardKind::Texts, 100),
        (ShardKind::SectionVectors, 40),
    ];
    let shards = (1u8..).zip(kinds).map(|(i, (kind, stored_len))| {
        let stored = [i; 4];
        ShardEntry { kind, hash: shard_hash(kind, &stored), stored_len }
    });
    let mut manifest = Manifest {
        generator: "findling".into(),
        languages: vec!["en".into()],
        analysis: 0x0123_4567_89ab_cdef,
        stats: stats(),
        attributes: vec![Attribute {
            name: "kind".into(),
            kind: AttributeKind::String,
            level: AttributeLevel::Section,
            column: ShardId(2),
            facet: true,
        }],
        dense: Some(dense()),
        lexicon: vec![LexiconRange { first_term: "glaze".into(), terms: ShardId(1), second: None }],
        spelling: vec![],
        synonyms: vec![Synonym { from: "cone".into(), to: vec!["kiln".into()] }],
        ranking: vec![],
        texts: vec![TextRange { first_page: PageId(0), first_section: 0, shard: ShardId(6) }],
        shards: shards.collect(),
    };
    manifest.share_hashes();
    manifest
}

fn dense() -> Dense {
    Dense {
        encoder: EncoderCard {
            name: "mini".into(),
            dim: DIM,
            fingerprint: "00ff".repeat(8),
            max_tokens: 256,
            query_prefix: String::new(),
            document_prefix: String::new(),
            semantic: true,
        },
        mean: vec![0.25, -0.125, 0.25, 0.3125],
        vectors: vec![VectorRange { first_vector: VectorId(0), shard: ShardId(3) }],
        graph: None,
        centroids: None,
        query_encoders: vec![QueryEncoder {
            kind: "transformer".into(),
            files: vec![FilePart { path: "encoders/m.bin".into(), len: 300, hash: [0xab; 16] }],
        }],
        projection: None,
        rows: Some(StaticRows {
            bits: Bits::Steps,
            lowercase: true,
            fitted: Some(0.5),
            origin: [1, 2, 3, 4],
            common_keys: vec!["how".into()],
            common: ShardId(4),
            ranges: vec![RowRange { first_key: "glaze".into(), shard: ShardId(5) }],
        }),
        sentences: vec![],
        sections: vec![SectionsRange { first_section: SectionId(0), shard: ShardId(7) }],
    }
}

fn manifest_and_entry() -> [Example; 5] {
    let (entry, stored) = encode_manifest(&manifest()).unwrap();
    let head = single_file::head(&entry, &stored)[..single_file::HEADER_LEN].to_vec();
    let path = manifest().path(ShardId(1), &manifest().shards[1]);
    let name = path.strip_prefix("shards/").and_then(|path| path.strip_suffix(".bin")).unwrap();
    let name = (0..8).map(|i| u8::from_str_radix(&name[2 * i..][..2], 16).unwrap()).collect();
    // Stored without compression, which a writer may do.
    let column = b"FNDS\x05\x10\0\0\x04\0\0\0\x04\x02\x01\x02".to_vec();
    let hash = shard_hash(ShardKind::Column, &column);
    let shard = ShardEntry { kind: ShardKind::Column, hash, stored_len: column.len() as u32 };
    assert_eq!(decode_shard(&shard, &column).unwrap(), [4, 2, 1, 2]);
    let column_path = "shards/0a1b2c3d.bin";
    let file = opening::write(&stored, None, [(column_path, &column[..])]).unwrap();
    let (manifest_len, manifest_of_file) = (stored.len(), stored.clone());
    [
        example("shard behind the manifest", file[manifest_len..].to_vec(), move |bytes| {
            let file = [&manifest_of_file[..], bytes].concat();
            let opening = opening::read(&entry, &file).unwrap();
            assert_eq!(opening.stored_manifest, manifest_of_file);
            assert_eq!(opening.shards, [(column_path.to_owned(), &column[..])]);
        }),
        example("manifest", manifest().to_bytes().unwrap(), |bytes| {
            let read = Manifest::from_bytes(bytes).unwrap();
            read.validate().unwrap();
            assert_eq!(read, manifest());
        }),
        example("entry file", entry.to_bytes().to_vec(), move |bytes| {
            assert_eq!(Entry::from_bytes(bytes).unwrap(), entry);
            entry.check_manifest(&stored).unwrap();
        }),
        example("name of terms", name, |bytes| {
            assert_eq!(bytes, &hash128(b"\x01\x0d\x95\xa0glaze")[..8]);
        }),
        example("single file", head, move |bytes| {
            assert_eq!(single_file::read_header(bytes).unwrap(), entry);
        }),
    ]
}

/// Returns the packs of the example: a column, and a shard of 100 bytes.
fn packed() -> (Vec<u8>, PackDirectory) {
    let column = b"FNDS\x05\x10\0\0\x04\0\0\0\x04\x02\x01\x02";
    let mut pack = Vec::new();
    packs::put_slot(&mut pack, column);
    packs::put_slot(&mut pack, &[0xab; 100]);
    let slot = |start, units| Some(packs::Slot { pack: 0, start, units });
    let directory = PackDirectory {
        packs: vec![packs::Pack::of(&pack).unwrap()],
        slots: vec![slot(0, 1), slot(1, 2)],
        positions: None,
    };
    (pack, directory)
}

fn in_packs() -> [Example; 3] {
    let (pack, directory) = packed();
    let deflated = directory.to_bytes(|_| 0).unwrap();
    let inflated = miniz_oxide::inflate::decompress_to_vec(&deflated).unwrap();
    let (entry, stored) = encode_manifest(&manifest()).unwrap();
    let column = pack[..16].to_vec();
    let shards = [("shards/0a1b2c3d.bin", &column[..])];
    let file = opening::write(&stored, Some(&deflated), shards).unwrap();
    let read = opening::read(&entry, &file).unwrap();
    assert_eq!(PackDirectory::from_bytes(read.packs.unwrap()).unwrap(), directory);
    let whole = EntryFile { entry, opening: Some(OpeningFile::of(&file).unwrap()) };
    let head = entry.to_bytes();
    let behind = whole.to_bytes()[Entry::LEN..].to_vec();
    [
        example("entry file of packs", behind, move |bytes| {
            let read = EntryFile::from_bytes(&[&head[..], bytes].concat()).unwrap();
            assert_eq!(read, whole);
            read.opening.unwrap().check(&file).unwrap();
        }),
        example("slot of a pack", pack[..64].to_vec(), move |bytes| {
            assert_eq!(packs::take_slot(bytes).unwrap(), column);
        }),
        example("directory of packs, inflated", inflated, move |bytes| {
            let deflated = miniz_oxide::deflate::compress_to_vec(bytes, 6);
            assert_eq!(PackDirectory::from_bytes(&deflated).unwrap(), directory);
        }),
    ]
}

fn framed() -> [Example; 2] {
    let counts: Vec<u8> = (0..48).map(|i| if i % 8 == 0 { 3 } else { 1 }).collect();
    let mut spelling = SpellingBuilder::new();
    for i in 0..30 {
        spelling.push(&format!("word{}", "s".repeat(i)), 8).unwrap();
    }
    [
        stored("vector counts, packed", ShardKind::VectorCounts, counts, 2),
        stored("spelling, deflated", ShardKind::Spelling, spelling.finish(), 1),
    ]
}

fn examples() -> Vec<Example> {
    let mut examples = Vec::new();
    examples.extend(structure());
    examples.extend(terms());
    examples.extend(positions());
    examples.extend(vectors_and_graph());
    examples.extend(columns());
    examples.extend(texts());
    examples.extend(rows());
    examples.extend(cells());
    examples.extend(words_and_addresses());
    examples.extend(manifest_and_entry());
    examples.extend(framed());
    examples.extend(in_packs());
    examples
}

/// Returns the bytes of the document's examples, by name.
fn documented() -> BTreeMap<String, Vec<u8>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/format.md");
    let text = std::fs::read_to_string(path).expect("docs/format.md is in the repository");
    let mut blocks = BTreeMap::new();
    let mut parts = text.split("\n```hex ");
    parts.next();
    for part in parts {
        let (name, rest) = part.split_once('\n').expect("a line behind the name");
        let (body, _) = rest.split_once("```").expect("an end of the block");
        let hex = body.lines().map(|line| line.split(';').next().unwrap_or_default());
        let bytes = hex.flat_map(str::split_whitespace).map(|byte| {
            assert_eq!(byte.len(), 2, "{name}: {byte}");
            u8::from_str_radix(byte, 16).expect("two hex digits")
        });
        let earlier = blocks.insert(name.to_owned(), bytes.collect());
        assert!(earlier.is_none(), "two examples are named {name}");
    }
    blocks
}

#[test]
fn the_examples_of_the_document_are_what_the_writer_writes_and_the_reader_reads() {
    let mut documented = documented();
    let mut wrong = Vec::new();
    for Example { name, written, check } in examples() {
        let bytes = documented.remove(name).unwrap_or_default();
        match bytes == written {
            true => check(&bytes),
            false => wrong.push(format!("{name}: {} is {}", hex(&bytes), hex(&written))),
        }
    }
    assert!(wrong.is_empty(), "other bytes than in docs/format.md:\n{}", wrong.join("\n"));
    assert!(documented.is_empty(), "examples that no test writes: {:?}", documented.keys());
}

#[test]
fn every_kind_of_shard_has_an_example() {
    let names: Vec<&str> = examples().iter().map(|example| example.name).collect();
    for kind in 0..=17u8 {
        let name = [
            "structure",
            "terms",
            "positions",
            "vectors",
            "graph",
            "column of a string",
            "texts",
            "rows",
            "projection",
            "centroids",
            "cell",
            "spelling",
            "addresses",
            "sentences",
            "directory of positions",
            "second tier",
            "vector counts",
            "section vectors",
        ][usize::from(kind)];
        assert!(names.contains(&name), "{name}");
    }
}

//! Over small bundles, made here.

use std::collections::BTreeMap;
use std::path::Path;

use findling_bundle::{AttributeValue, ShardKind};
use findling_encoder::hash::HashEncoder;
use findling_encoder::static_table::StaticTable;

use super::downloads::{CLIENT, SINGLE_FILE_FIRST};
use super::*;
use crate::client::{self, TRANSFORMER};
use crate::index::packs::Limits;
use crate::index::write::{BundleWriter, Extra, Shape};
use crate::index::{Job, Options, build};
use crate::page::{Block, Page, Section};
use crate::serve::BROTLI_QUALITY;
use findling_bundle::EncoderCard;
use findling_bundle::projection::Projection;
use findling_bundle::rows::Bits;
use findling_encoder::BoxedEncoder;

/// Returns a table of a few tokens whose rows have different directions.
fn table() -> StaticTable {
    let tokens = [
        "[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "share", "data", "mut", "##ex",
        "##es", "thread", "zebra",
    ];
    let teacher = EncoderCard {
        name: "teacher".into(),
        dim: 16,
        fingerprint: "0".repeat(32),
        max_tokens: 256,
        query_prefix: String::new(),
        document_prefix: String::new(),
        semantic: true,
    };
    let eye: Vec<f32> = (0..256).map(|i| f32::from(u8::from(i / 16 == i % 16))).collect();
    let rows: Vec<f32> = (0..tokens.len() * 16)
        .map(|i| if i / 16 == i % 16 { 1.0 } else { 0.1 * (i % 3) as f32 })
        .collect();
    let counts: Vec<u64> =
        (0..tokens.len() as u64).map(|i| if i < 5 { 0 } else { 1 << (14 - i.min(13)) }).collect();
    let vocabulary = tokens.iter().map(|&token| token.to_owned()).collect();
    StaticTable::new(
        teacher,
        Projection::new(16, &eye).unwrap(),
        vocabulary,
        true,
        &rows,
        &counts,
        Bits::Eight,
    )
    .unwrap()
}

const TEXT: &str = "Locks are explained here. A mutex guards the data that several threads \
                    share and each thread waits until the one before it has let go of the lock, so \
                    that none ever sees what another has half written.";

fn pages() -> Vec<Page> {
    (0..40)
        .map(|i| {
            let section = |n: usize| Section {
                level: 2,
                heading: format!("Part {n} of share {i}"),
                anchor: Some(format!("part-{n}")),
                blocks: vec![Block {
                    text: format!("{TEXT} {} zebra{i}x{n}", "filler ".repeat(i * n)),
                    code: vec![],
                    is_code_block: false,
                    weight: 1.0,
                }],
                ..Section::default()
            };
            Page {
                id: format!("{i:02}.html"),
                url: format!("/{i}"),
                title: format!("Page {i}"),
                language: "en".into(),
                attributes: BTreeMap::from([(
                    "part".into(),
                    AttributeValue::String(format!("p{}", i % 3)),
                )]),
                sections: (0..3).map(section).collect(),
                ..Page::default()
            }
        })
        .collect()
}

/// Returns a bundle of a given shape. It is embedded by feature hashing with 16 dimensions, and has
/// rows of the static encoder if there is a table.
fn bundle_at(out: &Path, shape: Shape, table: Option<&StaticTable>, extras: &[Extra]) -> Host {
    let mut encoder: BoxedEncoder = Box::new(HashEncoder::new(16));
    if let Some(table) = table {
        encoder = Box::new(Named(HashEncoder::new(16), table.teacher().clone()));
    }
    let options = Options { graph_from: 1, cells: shape.has_shards(), ..Options::default() };
    let job = Job { pages: pages(), encoder: Some(&encoder), table, options, ..Job::default() };
    let bundle = build(job, &Ui::silent()).unwrap().bundle;
    BundleWriter { extras, ..BundleWriter::new(out, shape, &bundle) }.write().unwrap();
    Host::open(out).unwrap()
}

/// The same encoder under another name. It embeds the documents of bundles whose queries the static
/// encoder embeds.
struct Named(HashEncoder, findling_bundle::EncoderCard);

impl findling_encoder::Encoder for Named {
    fn card(&self) -> &findling_bundle::EncoderCard {
        &self.1
    }

    fn encode(
        &self,
        texts: &[&str],
        side: findling_encoder::Side,
    ) -> Result<Vec<findling_encoder::Embedding>, findling_encoder::Error> {
        self.0.encode(texts, side)
    }

    fn count_tokens(&self, text: &str, side: findling_encoder::Side) -> u32 {
        self.0.count_tokens(text, side)
    }
}

fn queries(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|&text| text.to_owned()).collect()
}

/// Measures one query alone: every spread is its own number.
fn first_of(host: &mut Host, query: &str) -> Queries {
    measure(host, &queries(&[query]), &Ui::silent()).unwrap().first
}

#[test]
fn parts_add_up_and_are_what_the_engine_read() {
    let dir = tempfile::tempdir().unwrap();
    let mut host = bundle_at(&dir.path().join("out"), Shape::Directory, Some(&table()), &[]);
    let query = "how do threads share data";
    let first = first_of(&mut host, query);
    assert!(Part::ALL.iter().all(|&part| first.part(part).stored.worst > 0), "{first:?}");
    for by_host in [|bytes: BytesSpread| bytes.stored, |bytes: BytesSpread| bytes.brotli] {
        let sum: u64 = Part::ALL.iter().map(|&part| by_host(first.part(part)).worst).sum();
        assert_eq!(by_host(first.total), Spread { median: sum, p95: sum, worst: sum });
    }

    host.forget().unwrap();
    let (response, cost) = host.search(request(None, query).unwrap()).unwrap();
    assert_eq!(response.encoder.as_deref(), Some("static"));
    // Shards that came with the manifest count towards opening.
    let with_it = host.files().with_manifest();
    let comes = |shard: &&ShardId| {
        let path = host.index().path(**shard).unwrap();
        with_it.iter().any(|(known, _)| *known == path)
    };
    let bytes_with_it: u64 = with_it.iter().map(|(_, bytes)| bytes).sum();
    assert_eq!(first.total.stored.worst, cost.bytes - bytes_with_it);
    // Structure, a column, centroids and common words; the search needs all of them.
    assert_eq!((with_it.len(), cost.shards.iter().filter(comes).count()), (4, 4));
    assert_eq!(first.requests.worst, cost.shards.len() as u64 - 4);
    assert_eq!(first.rounds.worst, u64::from(cost.n_rounds));
    // By hand: the files' own lengths.
    let rows: u64 = cost
        .shards
        .iter()
        .filter(|&&shard| {
            host.index().entry(shard).is_some_and(|entry| entry.kind == ShardKind::Rows)
                && !comes(&&shard)
        })
        .map(|&shard| host.files().shard(shard).unwrap().len() as u64)
        .sum();
    assert_eq!(first.rows.stored.worst, rows);
}

#[test]
fn a_first_query_costs_the_same_wherever_it_stands_and_a_second_one_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let mut host = bundle_at(&dir.path().join("out"), Shape::Directory, Some(&table()), &[]);
    let alone = first_of(&mut host, "threads share data");
    let twice = queries(&["threads share data"; 2]);
    let budget = measure(&mut host, &twice, &Ui::silent()).unwrap();
    assert_eq!((budget.first.n_queries, budget.later.n_queries), (2, 1));
    assert_eq!(budget.first.total, alone.total);
    assert_eq!(budget.later.total, BytesSpread::default());
    assert_eq!((budget.later.requests.worst, budget.later.rounds.worst), (0, 0));

    // A second query downloads less than it would alone, but it still needs its own texts.
    let pair = queries(&["threads share data", "zebra39x2"]);
    let budget = measure(&mut host, &pair, &Ui::silent()).unwrap();
    let second = first_of(&mut host, "zebra39x2");
    assert!(budget.later.total.stored.worst < second.total.stored.worst);
    assert_eq!(
        budget.later.vectors,
        BytesSpread::default(),
        "the vectors have come with the first"
    );
    assert_eq!(
        budget.first.total.stored.worst,
        alone.total.stored.worst.max(second.total.stored.worst)
    );
}

#[test]
fn a_first_query_is_less_than_the_bundle() {
    let dir = tempfile::tempdir().unwrap();
    let mut host = bundle_at(&dir.path().join("out"), Shape::Directory, Some(&table()), &[]);
    let own = own_queries(host.files()).unwrap();
    assert!(own.len() > 20 && own.len() <= sample::MAX_QUERIES, "{}", own.len());
    assert_eq!(own, own_queries(host.files()).unwrap());
    let budget = measure(&mut host, &own, &Ui::silent()).unwrap();
    let n_shards = host.manifest().shards.len() as u32;
    let whole: u64 =
        (0..n_shards).map(|id| host.files().shard(ShardId(id)).unwrap().len() as u64).sum();
    assert!(budget.first.total.stored.worst <= whole, "{budget:?}");
    let Spread { median, p95, worst } = budget.first.total.stored;
    assert!(0 < median && median <= p95 && p95 <= worst);
    assert!(own.contains(budget.first.worst_query.as_ref().unwrap()));
}

#[test]
fn opening_counts_the_client_where_there_is_one() {
    let dir = tempfile::tempdir().unwrap();
    let extra =
        |path: &str, len: usize| Extra { path: path.into(), contents: vec![b'a'; len].into() };
    let client = [
        extra("findling.js", 1000),
        extra("findling-ui.js", 100),
        extra("findling_engine.wasm", 5000),
        extra("findling_encoder_bg.wasm", 9000),
        extra("findling_engine_rest.wasm", 700),
    ];
    let host = bundle_at(&dir.path().join("with"), Shape::Directory, None, &client);
    let (has_client, with) = opening(host.files()).unwrap();
    assert!(has_client);
    let mut measured = Host::open(dir.path().join("with")).unwrap();
    let budget = measure(&mut measured, &queries(&["threads share data"]), &Ui::silent()).unwrap();
    assert_eq!((budget.later_engine.total.stored, budget.opening.total), (700, with.total));
    let names: Vec<&str> = with.files.iter().map(|file| file.name.as_str()).collect();
    assert_eq!(
        names,
        [
            "findling-ui.js",
            "findling.js",
            "findling_engine.wasm",
            "findling.idx",
            "manifest",
            "shards with the manifest",
        ]
    );
    let sizes = |name: &str| with.files.iter().find(|file| file.name == name).unwrap().bytes;
    // One text is too short to be compressed; brotli compresses a thousand equal letters.
    assert_eq!(sizes("findling-ui.js"), Bytes { stored: 100, brotli: 100 });
    assert!(sizes("findling.js").stored == 1000 && sizes("findling.js").brotli < 50);
    let with_it: u64 = host.files().with_manifest().iter().map(|(_, bytes)| bytes).sum();
    assert!(with_it > 0);
    let manifest = host.files().stored_manifest().len() as u64 + with_it;
    assert_eq!(with.total.stored, 100 + 1000 + 5000 + entry_len() + manifest);

    let host = bundle_at(&dir.path().join("without"), Shape::Directory, None, &[]);
    let (has_client, without) = opening(host.files()).unwrap();
    assert!(!has_client);
    assert_eq!(without.total.stored, entry_len() + manifest);
}

fn entry_len() -> u64 {
    findling_bundle::Entry::LEN as u64
}

#[test]
fn one_file_is_asked_for_in_ranges() {
    let dir = tempfile::tempdir().unwrap();
    let mut directory = bundle_at(&dir.path().join("out"), Shape::Directory, None, &[]);
    let mut file = bundle_at(&dir.path().join("site.findling"), Shape::FileAlone, None, &[]);
    let len = std::fs::metadata(dir.path().join("site.findling")).unwrap().len();
    let (_, opening) = opening(file.files()).unwrap();
    assert_eq!(opening.total, Bytes::of_range(len.min(SINGLE_FILE_FIRST)));
    let (a, b) = (first_of(&mut directory, "threads"), first_of(&mut file, "threads"));
    let structure = directory.manifest().structure().unwrap();
    let structure = directory.files().shard(structure).unwrap().len() as u64;
    assert_eq!(a.words.stored.worst + structure, b.words.stored.worst, "with the manifest");
    assert_ne!(a.vectors.stored, b.vectors.stored, "a file has all vectors, a directory cells");
    assert_eq!(b.total.brotli, b.total.stored, "ranges are not compressed");
    // Neither bundle has rows: spellings are hashed by the engine's module itself.
    assert_eq!((a.rows, a.vectors.stored.worst > 0), (BytesSpread::default(), true));
}

#[test]
fn sentences_are_asked_as_words() {
    for (text, expect) in [
        ("the \"end\" of it", "the end of it"),
        ("run --release -q", "run release q"),
        ("– “a” - b-c", "– a b-c"),
    ] {
        assert_eq!(sample::words_alone(text), expect);
    }
}

#[test]
fn brotli_is_what_the_server_compresses_with() {
    // A text whose compressed size depends on the quality.
    let text = include_str!("mod.rs");
    let at = |quality| {
        let params = brotli::enc::BrotliEncoderParams { quality, ..Default::default() };
        let mut out = Vec::new();
        brotli::BrotliCompress(&mut text.as_bytes(), &mut out, &params).unwrap();
        out.len() as u64
    };
    let found = Bytes::of(text.as_bytes());
    assert_eq!(found, Bytes { stored: text.len() as u64, brotli: at(BROTLI_QUALITY) });
    assert!(at(11) < found.brotli && found.brotli < found.stored);
}

#[test]
fn the_budget_counts_every_file_of_the_client() {
    let Ok(mut files) = client::files(None) else {
        println!("skipped: this program was compiled without the web client");
        return;
    };
    let transformer =
        findling_bundle::QueryEncoder { kind: "transformer".into(), files: Vec::new() };
    client::keep_needed(&mut files, &[], &[transformer]).unwrap();
    // Bundles for Pagefind load Pagefind's scripts instead of the UI. The other files are not part
    // of a search in the dialog: other elements, files that a site or a browser has to request, and
    // texts in languages other than English.
    let others = [
        client::PAGEFIND,
        client::HIGHLIGHT,
        client::STANDALONE,
        "findling-results.js",
        "findling-related.js",
        "findling-several.js",
        "findling-log.js",
        "findling-assistant.js",
        // 200 bytes that a page may load.
        "findling.css",
    ];
    files.retain(|file| {
        !others.contains(&file.path.as_str()) && !file.path.starts_with("findling-locale-")
    });
    for name in CLIENT.iter().chain(&CLIENT_REST).chain(&TRANSFORMER) {
        // A client is complete without the transformer.
        let may_lack = TRANSFORMER.contains(name);
        assert!(may_lack || files.iter().any(|file| file.path == *name), "{name}");
    }
    let counted: Vec<&str> = CLIENT.into_iter().chain(CLIENT_REST).chain(TRANSFORMER).collect();
    for file in &files {
        assert!(counted.contains(&file.path.as_str()), "{} is deployed but not counted", file.path);
    }
}

#[test]
fn a_transformer_comes_after_an_answer_by_words() {
    let dir = tempfile::tempdir().unwrap();
    let model = vec![7; 3000];
    let part = findling_bundle::FilePart {
        path: "encoder/model.bin".into(),
        len: model.len() as u64,
        hash: findling_bundle::hash128(&model),
    };
    let deployed = findling_bundle::QueryEncoder { kind: "transformer".into(), files: vec![part] };
    let encoder: BoxedEncoder = Box::new(Named(HashEncoder::new(16), table().teacher().clone()));
    let options = Options { graph_from: 1, cells: true, ..Options::default() };
    let job = Job {
        pages: pages(),
        encoder: Some(&encoder),
        query_encoders: vec![deployed],
        options,
        ..Job::default()
    };
    let bundle = build(job, &Ui::silent()).unwrap().bundle;
    let extras = [Extra { path: "encoder/model.bin".into(), contents: model.into() }];
    let out = dir.path().join("out");
    let writer = BundleWriter::new(&out, Shape::Directory, &bundle);
    BundleWriter { extras: &extras, ..writer }.write().unwrap();
    let mut host = Host::open(&out).unwrap();
    let budget = measure(&mut host, &queries(&["threads share data"]), &Ui::silent()).unwrap();
    assert_eq!((budget.encoder, budget.first.vectors), (None, BytesSpread::default()));
    let centroids = host.manifest().dense.as_ref().unwrap().centroids.unwrap();
    let centroids = u64::from(host.manifest().shard(centroids).unwrap().stored_len);
    assert_eq!(budget.later_encoder.unwrap().total.stored, 3000 + centroids);
}

#[test]
fn a_bundle_of_words_alone_stays_streamed_when_it_is_read_anew() {
    let section = || Section {
        level: 1,
        blocks: vec![Block {
            text: "mutex".into(),
            code: vec![],
            is_code_block: false,
            weight: 1.0,
        }],
        ..Section::default()
    };
    // More postings than the first tier of a word has.
    let page = |i: usize| Page {
        id: format!("{i:04}.html"),
        url: format!("/{i}"),
        title: format!("Page {i}"),
        language: "en".into(),
        sections: vec![section()],
        ..Page::default()
    };
    let job = Job { pages: (0..3_100).map(page).collect(), ..Job::default() };
    let bundle = build(job, &Ui::silent()).unwrap().bundle;
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("bundle");
    BundleWriter::new(&out, Shape::Directory, &bundle).write().unwrap();
    let mut host = Host::open(&out).unwrap();
    let mut reads_second_tier = |streamed: bool| {
        host.set_streamed(streamed);
        host.forget().unwrap();
        let mutex = Request { mode: Mode::Lexical, ..request(None, "mutex").unwrap() };
        let (_, cost) = host.search(mutex).unwrap();
        let mut kinds = cost.shards.iter().filter_map(|&id| host.manifest().shard(id));
        kinds.any(|shard| shard.kind == ShardKind::SecondTier)
    };
    assert_eq!([false, true].map(&mut reads_second_tier), [true, false]);
}

#[test]
fn a_bundle_in_packs_takes_fewer_requests_for_the_same_shards() {
    let dir = tempfile::tempdir().unwrap();
    let limits = Limits { pack_bytes: 64 << 10, file_bytes: 1 << 20, by_pages: false };
    let [files, packs] = [Shape::Directory, Shape::Packs(limits)].map(|shape| {
        let out = dir.path().join(format!("{}", shape == Shape::Directory));
        let mut host = bundle_at(&out, shape, Some(&table()), &[]);
        let queries = own_queries(host.files()).unwrap();
        measure(&mut host, &queries, &Ui::silent()).unwrap()
    });
    assert_eq!(files.first.n_queries, packs.first.n_queries);
    assert_eq!(files.first.rounds, packs.first.rounds);
    assert!(packs.first.requests.median < files.first.requests.median);
    assert!(packs.first.requests.worst < files.first.requests.worst);
    // Rows are fetched with the terms, so they need no extra round after the results by words.
    let more = |budget: &Budget| {
        let (words, whole) = (&budget.box_words, &budget.box_whole);
        [whole.requests.median - words.requests.median, whole.rounds.worst - words.rounds.worst]
    };
    assert!(more(&packs)[0] < more(&files)[0], "{:?}, {:?}", more(&packs), more(&files));
    assert!(files.box_whole.requests.median >= files.first.requests.median);
    let [files, packs] = [files, packs].map(|budget| budget.first.total.stored.median);
    assert!(packs >= files, "{files} and {packs} bytes");
}

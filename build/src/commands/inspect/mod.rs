//! `findling inspect`: shows what is inside a bundle and verifies it, or shows a page as it is
//! indexed.

mod budget;
mod extraction;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use findling_bundle::projection::Projection;
use findling_bundle::rows::RowsShard;
use findling_bundle::{
    Addresses, AttributeKind, CellShard, Centroids, Column, Error, Graph, Manifest,
    PositionsDirectory, PositionsShard, SentencesShard, ShardEntry, ShardId, ShardKind,
    SpellingShard, Structure, TermsShard, TextsShard, VectorsShard, announced_len, decode_shard,
    hex,
};
use rayon::prelude::*;
use serde::Serialize;

use crate::bundle_files::BundleFiles;
use crate::index::assemble::sizes;
use crate::ranking::{self, Setting};
use crate::ui::{Paint, Ui, bytes, thousands};

/// Shows what is inside a bundle, and verifies it
///
/// Every shard is read, compared with its checksum and decoded. Exit status 1 where anything is
/// missing or damaged. With --budget, what a reader downloads is measured instead. With
/// --extraction, a page is shown as it is indexed: its sections, and what was left out by which rule.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// A bundle: its directory, or a single file; with --extraction a page, a file or an address
    bundle: PathBuf,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    budget: budget::BudgetArgs,
    #[command(flatten)]
    extraction: extraction::ExtractionArgs,
}

/// What is inside.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Contents {
    path: PathBuf,
    single_file: bool,
    /// Hash of the manifest: the bundle's state.
    hash: String,
    generator: String,
    languages: Vec<String>,
    /// Whether this program analyses text as the builder did.
    analysis_matches: bool,
    pages: u32,
    sections: u32,
    passages: u32,
    vectors: u32,
    terms: u32,
    /// Mean field lengths in tokens: title, path, heading, ancestors, body, code.
    mean_lengths: [f32; 6],
    /// Parameters of ranking that are not the engine's defaults.
    ranking: BTreeMap<&'static str, f32>,
    attributes: Vec<AttributeLine>,
    encoder: Option<EncoderLine>,
    graph: Option<GraphLine>,
    parts: Vec<Part>,
    total_bytes: u64,
    damage: Vec<String>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct AttributeLine {
    name: String,
    kind: &'static str,
    facet: bool,
    /// Pages that have a value.
    pages: u32,
    /// Distinct strings.
    #[serde(skip_serializing_if = "Option::is_none")]
    values: Option<u32>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct EncoderLine {
    name: String,
    dim: u32,
    fingerprint: String,
    max_tokens: u32,
    semantic: bool,
    /// Encoders of queries, with the bytes of their files.
    query_encoders: Vec<(String, u64)>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct GraphLine {
    layers: usize,
    edges: usize,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Part {
    kind: &'static str,
    files: usize,
    stored_bytes: u64,
    raw_bytes: u64,
}

/// Runs the command.
///
/// # Errors
/// Where there is no bundle, or its entry or manifest cannot be read; with `--budget`, where more
/// is downloaded than allowed.
pub fn run(args: Args, ui: &Ui) -> Result<ExitCode> {
    if args.extraction.extraction {
        return extraction::run(&args.bundle, &args.extraction, args.json, ui);
    }
    if args.budget.budget {
        return budget::run(&args.bundle, &args.budget, args.json, ui);
    }
    let files = BundleFiles::open(&args.bundle)?;
    let contents = inspect(&files, ui);
    if args.json {
        println!("{}", serde_json::to_string_pretty(&contents)?);
    } else {
        print(&contents, ui);
    }
    for damage in &contents.damage {
        ui.warn(damage);
    }
    Ok(if contents.damage.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// A shard, decoded by its kind as far as reports need it.
enum Decoded {
    Column(Column),
    Graph(GraphLine),
    Other,
}

fn inspect(files: &BundleFiles, ui: &Ui) -> Contents {
    let manifest = files.manifest();
    // Where the centroids are damaged, their own shard says so.
    let centroids = files.centroids().ok().flatten();
    let cells = centroids.iter().flat_map(Centroids::cells).map(|cell| cell.shard);
    let listed = (0..).map(ShardId).zip(manifest.shards.iter().copied().chain(cells));
    let positions = files.positions().ok().flatten();
    let of_positions =
        positions.iter().flat_map(PositionsDirectory::shards).map(|(id, shard)| (id, *shard));
    let (ids, shards): (Vec<ShardId>, Vec<ShardEntry>) = listed.chain(of_positions).unzip();
    let bar = ui.bar("Verifying", shards.len() as u64, "shards");
    let column_kinds = column_kinds(manifest);
    let (lens, decoded): (Vec<(u64, u64)>, Vec<Result<Decoded>>) = shards
        .par_iter()
        .enumerate()
        .map(|(id, shard)| {
            bar.inc(1);
            let column = column_kinds.get(id).copied().flatten();
            let id = ids[id];
            let stored = match files.stored(id, shard) {
                Ok(stored) => stored,
                Err(error) => return ((0, 0), Err(error)),
            };
            let decoded = decode(manifest, centroids.as_ref(), id, shard, column, &stored);
            let raw_len = announced_len(&stored).map_or(0, u64::from);
            ((stored.len() as u64, raw_len), decoded.map_err(Into::into))
        })
        .unzip();
    bar.finish_and_clear();

    let mut damage: Vec<String> = decoded
        .iter()
        .zip(ids.iter().zip(&shards))
        .filter_map(|(decoded, (&id, shard))| {
            let error = decoded.as_ref().err()?;
            Some(format!("{} ({}): {error:#}", manifest.path(id, shard), kind_name(shard.kind)))
        })
        .collect();
    let dense = manifest.dense.as_ref();
    for encoder in dense.into_iter().flat_map(|dense| &dense.query_encoders) {
        if let Err(error) = files.parts(&encoder.files) {
            damage.push(format!("query encoder `{}`: {error:#}", encoder.kind));
        }
    }
    let column = |id: ShardId| match decoded.get(id.index()) {
        Some(Ok(Decoded::Column(column))) => Some(column),
        _ => None,
    };
    let graph = decoded.iter().find_map(|decoded| match decoded {
        Ok(Decoded::Graph(line)) => Some(GraphLine { ..*line }),
        _ => None,
    });
    let parts: Vec<Part> = sizes(shards.iter().map(|shard| shard.kind).zip(lens))
        .into_iter()
        .map(|(kind, files, stored_bytes, raw_bytes)| Part {
            kind: kind_name(kind),
            files,
            stored_bytes,
            raw_bytes,
        })
        .chain([Part {
            kind: "manifest",
            files: 1,
            stored_bytes: files.stored_manifest().len() as u64,
            raw_bytes: manifest.to_bytes().map_or(0, |raw| raw.len() as u64),
        }])
        .collect();
    let stats = &manifest.stats;
    Contents {
        path: files.path().to_owned(),
        single_file: files.is_single_file(),
        hash: hex(&files.entry().manifest_hash),
        generator: manifest.generator.clone(),
        languages: manifest.languages.clone(),
        analysis_matches: manifest.analysis == findling_text::conformance(&manifest.languages),
        pages: stats.n_pages,
        sections: stats.n_sections,
        passages: stats.n_passages,
        vectors: stats.n_vectors,
        terms: stats.n_terms,
        mean_lengths: stats.mean_len,
        ranking: match Setting::try_from(manifest.ranking.as_slice()) {
            Ok(setting) => ranking::differences(&ranking::defaults(), &setting)
                .map(|(name, _, value)| (name, value))
                .collect(),
            Err(_) => BTreeMap::new(),
        },
        attributes: manifest
            .attributes
            .iter()
            .map(|attribute| {
                let column = column(attribute.column);
                let has_value = |column: &Column| {
                    (0..stats.n_pages)
                        .filter(|&page| column.value(findling_bundle::PageId(page)).is_some())
                        .count()
                };
                AttributeLine {
                    name: attribute.name.clone(),
                    kind: attribute_kind_name(attribute.kind),
                    facet: attribute.facet,
                    pages: column.map_or(0, |column| has_value(column) as u32),
                    values: match column {
                        Some(Column::Strings(strings)) => Some(strings.n_values()),
                        _ => None,
                    },
                }
            })
            .collect(),
        encoder: dense.map(|dense| EncoderLine {
            name: dense.encoder.name.clone(),
            dim: dense.encoder.dim,
            fingerprint: dense.encoder.fingerprint.clone(),
            max_tokens: dense.encoder.max_tokens,
            semantic: dense.encoder.semantic,
            query_encoders: dense
                .query_encoders
                .iter()
                .map(|encoder| {
                    (encoder.kind.clone(), encoder.files.iter().map(|file| file.len).sum())
                })
                .collect(),
        }),
        graph,
        total_bytes: parts.iter().map(|part| part.stored_bytes).sum(),
        parts,
        damage,
    }
}

/// The attribute's type for each shard that is a column.
fn column_kinds(manifest: &Manifest) -> Vec<Option<AttributeKind>> {
    let mut kinds = vec![None; manifest.shards.len()];
    for attribute in &manifest.attributes {
        if let Some(kind) = kinds.get_mut(attribute.column.index()) {
            *kind = Some(attribute.kind);
        }
    }
    kinds
}

fn decode(
    manifest: &Manifest,
    centroids: Option<&Centroids>,
    id: ShardId,
    shard: &ShardEntry,
    column: Option<AttributeKind>,
    stored: &[u8],
) -> Result<Decoded, Error> {
    let raw = decode_shard(shard, stored)?;
    let (stats, dense) = (&manifest.stats, manifest.dense.as_ref());
    match shard.kind {
        ShardKind::Structure => drop(Structure::from_bytes(&raw, stats)?),
        ShardKind::VectorCounts => Structure::check_vector_counts(&raw, stats)?,
        ShardKind::Terms | ShardKind::SecondTier => drop(TermsShard::from_bytes(raw, stats)?),
        ShardKind::Positions => drop(PositionsShard::from_bytes(raw)?),
        ShardKind::PositionsDirectory => {
            drop(PositionsDirectory::from_bytes(&raw, stats.n_pages, manifest.lexicon.len())?);
        }
        ShardKind::Spelling => drop(SpellingShard::from_bytes(raw)?),
        ShardKind::Addresses => drop(Addresses::from_bytes(&raw, stats)?),
        ShardKind::Sentences => drop(SentencesShard::from_bytes(&raw)?),
        ShardKind::Vectors => {
            drop(VectorsShard::from_bytes(raw, dense.map_or(0, |dense| dense.encoder.dim))?)
        }
        ShardKind::Graph => {
            let graph = Graph::from_bytes(&raw, stats)?;
            return Ok(Decoded::Graph(GraphLine {
                layers: graph.n_layers(),
                edges: graph.n_edges(),
            }));
        }
        ShardKind::Column => {
            if let Some(kind) = column {
                return Column::from_bytes(&raw, kind, stats).map(Decoded::Column);
            }
        }
        ShardKind::Texts => {
            let texts = TextsShard::from_bytes(raw)?;
            for page in 0..texts.n_pages() {
                texts.page(page)?;
            }
        }
        ShardKind::Rows => {
            if let Some(dense) = dense
                && let Some(rows) = &dense.rows
            {
                drop(RowsShard::from_bytes(&raw, dense.encoder.dim, rows.bits)?);
            }
        }
        ShardKind::Projection => drop(Projection::from_bytes(&raw)?),
        ShardKind::Centroids | ShardKind::Cell => {
            let dim = dense.map_or(0, |dense| dense.encoder.dim);
            match (shard.kind, centroids) {
                (ShardKind::Centroids, _) => drop(Centroids::from_bytes(&raw, dim, stats)?),
                (_, Some(centroids)) => {
                    let cell = id.index().saturating_sub(manifest.shards.len());
                    if let Some(members) = centroids.members(cell as u32) {
                        drop(CellShard::from_bytes(&raw, centroids.coder(), members, stats)?);
                    }
                }
                (_, None) => {}
            }
        }
    }
    Ok(Decoded::Other)
}

fn kind_name(kind: ShardKind) -> &'static str {
    match kind {
        ShardKind::Structure => "structure",
        ShardKind::VectorCounts => "vectors of sections",
        ShardKind::Terms => "terms",
        ShardKind::SecondTier => "second tier of terms",
        ShardKind::Positions => "positions",
        ShardKind::PositionsDirectory => "directory of positions",
        ShardKind::Spelling => "spelling",
        ShardKind::Addresses => "addresses",
        ShardKind::Sentences => "sentences",
        ShardKind::Vectors => "vectors",
        ShardKind::Graph => "graph",
        ShardKind::Column => "column",
        ShardKind::Texts => "texts",
        ShardKind::Rows => "rows",
        ShardKind::Projection => "projection",
        ShardKind::Centroids => "centroids",
        ShardKind::Cell => "cell",
    }
}

fn attribute_kind_name(kind: AttributeKind) -> &'static str {
    match kind {
        AttributeKind::String => "string",
        AttributeKind::Strings => "strings",
        AttributeKind::Number => "number",
        AttributeKind::Date => "date",
        AttributeKind::Bool => "bool",
    }
}

fn print(contents: &Contents, ui: &Ui) {
    let field = |name: &str, value: String| {
        println!("{}{value}", ui.paint(Paint::Bold, &format!("{name:<12}")))
    };
    let n = |n: u32| thousands(n.into());
    let shape = if contents.single_file { "one file" } else { "directory" };
    field(
        "bundle",
        format!("{} ({shape}), {}", contents.path.display(), bytes(contents.total_bytes)),
    );
    field("state", contents.hash.clone());
    let rules = if contents.analysis_matches {
        ""
    } else {
        ", whose analysis of text is another than this program's: build again to search it"
    };
    field("built by", format!("{}{rules}", contents.generator));
    field("languages", contents.languages.join(", "));
    field(
        "contents",
        format!(
            "{} pages, {} sections, {} passages, {} vectors, {} terms",
            n(contents.pages),
            n(contents.sections),
            n(contents.passages),
            n(contents.vectors),
            n(contents.terms)
        ),
    );
    match &contents.encoder {
        None => field("encoder", "none: words alone".to_owned()),
        Some(encoder) => {
            let meaning = if encoder.semantic { "" } else { ", not semantic" };
            field(
                "encoder",
                format!(
                    "{}, {} dimensions{meaning}, {}",
                    encoder.name, encoder.dim, encoder.fingerprint
                ),
            );
            let queries: Vec<String> = encoder
                .query_encoders
                .iter()
                .map(
                    |(kind, len)| {
                        if *len > 0 { format!("{kind} ({})", bytes(*len)) } else { kind.clone() }
                    },
                )
                .collect();
            field(
                "queries",
                if queries.is_empty() { "none deployed".to_owned() } else { queries.join(", ") },
            );
        }
    }
    if let Some(graph) = &contents.graph {
        field("graph", format!("{} layers, {} edges", graph.layers, thousands(graph.edges as u64)));
    }
    if !contents.ranking.is_empty() {
        let ranking: Vec<String> =
            contents.ranking.iter().map(|(name, value)| format!("{name} {value}")).collect();
        field("ranking", ranking.join(", "));
    }
    for attribute in &contents.attributes {
        let values =
            attribute.values.map_or_else(String::new, |values| format!(", {} values", n(values)));
        let facet = if attribute.facet { "" } else { ", counted where it is named" };
        field(
            "attribute",
            format!(
                "{}: {} on {} pages{values}{facet}",
                attribute.name,
                attribute.kind,
                n(attribute.pages)
            ),
        );
    }
    println!();
    println!(
        "{}",
        ui.paint(
            Paint::Bold,
            &format!("{:<12}{:>8}{:>12}{:>14}", "part", "files", "stored", "uncompressed")
        )
    );
    for part in &contents.parts {
        println!(
            "{:<12}{:>8}{:>12}{:>14}",
            part.kind,
            thousands(part.files as u64),
            bytes(part.stored_bytes),
            bytes(part.raw_bytes)
        );
    }
    println!();
    if contents.damage.is_empty() {
        println!("{}", ui.paint(Paint::Green, "every checksum agrees"));
    } else {
        println!(
            "{}",
            ui.paint(
                Paint::Red,
                &format!("{} damaged; build or deploy the bundle again", contents.damage.len())
            )
        );
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::index::write::{Shape, write};
    use crate::index::{Job, Options, build};
    use crate::models::BoxedEncoder;
    use crate::page::{Block, Page, Section};

    #[test]
    fn every_damaged_or_missing_file_is_named() {
        let block =
            Block { text: "some words".into(), code: vec![], is_code_block: false, weight: 1.0 };
        let section = Section { blocks: vec![block], ..Section::default() };
        let mut page = Page {
            id: "a".into(),
            url: "/a".into(),
            title: "A".into(),
            sections: vec![section],
            ..Page::default()
        };
        page.attributes.insert("kind".into(), findling_bundle::AttributeValue::String("x".into()));
        let encoder: BoxedEncoder = Box::new(findling_encoder::hash::HashEncoder::new(8));
        let options = Options { graph_from: 1, cells: true, ..Options::default() };
        let job = Job { pages: vec![page], encoder: Some(&encoder), options, ..Job::default() };
        let bundle = build(job, &Ui::silent()).unwrap().bundle;
        let dir = tempfile::tempdir().unwrap();
        let out = dir.path().join("out");
        write(&out, Shape::Directory, &bundle, &[], std::time::Duration::ZERO).unwrap();

        let look = || inspect(&BundleFiles::open(&out).unwrap(), &Ui::silent());
        let contents = look();
        assert_eq!(contents.damage, [""; 0]);
        assert_eq!((contents.pages, contents.vectors), (1, 1));
        assert_eq!((contents.attributes[0].pages, contents.attributes[0].values), (1, Some(1)));
        assert!(contents.graph.is_some());
        serde_json::to_string(&contents).unwrap();

        for (name, _) in bundle.stored() {
            let path = out.join(&name);
            let honest = fs::read(&path).unwrap();
            let mut spoilt = honest.clone();
            *spoilt.last_mut().unwrap() ^= 1;
            fs::write(&path, spoilt).unwrap();
            let damage = look().damage;
            assert!(damage.len() == 1 && damage[0].contains(&name), "{damage:?}");
            fs::remove_file(&path).unwrap();
            assert_eq!(look().damage.len(), 1);
            fs::write(&path, honest).unwrap();
        }
        assert!(look().damage.is_empty());
    }
}

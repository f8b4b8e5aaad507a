//! From texts to a table.

use std::path::PathBuf;

use anyhow::Context;
use findling_bundle::rows::Bits;
use findling_encoder::import;
use findling_encoder::static_table::{StaticTable, normaliser, tokens};
use findling_encoder::transformer::Transformer;
use findling_encoder::{Encoder, Side};
use findling_text::wordpiece::WordPiece;
use rayon::prelude::*;

use super::pca::principal_components;
use super::texts::{KnownItem, gather};
use crate::embedding::Cache;
use crate::embedding::embed;
use crate::models;
use crate::models::static_table;
use crate::numeric::dot;
use crate::training::{self, Examples, initial_rows, mean_cosine, predict_rows, train};
use crate::ui::{Ui, thousands};

/// What to distil and how.
#[derive(Clone, Debug)]
pub struct Options {
    /// An installed model.
    pub teacher: String,
    /// What to train on.
    pub inputs: Vec<PathBuf>,
    /// Most texts.
    pub max_texts: usize,
    /// Dimensions kept.
    pub dim: usize,
    /// Bits for each number of a row.
    pub bits: Bits,
    /// A table of the same teacher to go on from: its rows are the start, its projection stays.
    pub start: Option<PathBuf>,
    /// How to train; its seed also decides the sample of texts.
    pub training: training::Options,
    /// Where the teacher's embeddings are cached; `None`: nowhere.
    pub cache: Option<PathBuf>,
}

/// A table, and what it is worth.
pub struct Distilled {
    /// The table.
    pub table: StaticTable,
    /// Measured on what was held out.
    pub report: Report,
}

/// What was measured on texts held out of training.
#[derive(Clone, Debug, serde::Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// The teacher.
    pub teacher: String,
    /// Texts trained on.
    pub n_texts: usize,
    /// Texts held out.
    pub n_held_out: usize,
    /// Tokens with a row.
    pub n_rows: usize,
    /// Mean cosine with the teacher: at the start, then after each epoch.
    pub held_out_cosine: Vec<f32>,
    /// The same of the quantised table.
    pub quantised_cosine: f32,
    /// Mean cosine of the teacher's embeddings with what is left of them after the projection and
    /// back.
    pub projection_cosine: f32,
    /// Known items: how many headings were asked for.
    pub n_known_items: usize,
    /// Share of them whose text is among the ten nearest, asked by the teacher (f32, all
    /// dimensions).
    pub teacher_recall_at_10: f32,
    /// The same, asked by the table.
    pub table_recall_at_10: f32,
}

/// Known items that retrieval is measured on, at most.
const MAX_KNOWN_ITEMS: usize = 3000;
/// One of so many texts is held out.
const HELD_OUT: usize = 50;

/// Trains a table.
///
/// # Errors
/// Where the teacher is not installed or fails, or there is nothing to train on.
pub fn distill(options: &Options, ui: &Ui) -> anyhow::Result<Distilled> {
    let model = models::locate(&options.teacher)?;
    let artefact = import::import_dir(&model.path, &import::Options::default())?;
    let vocabulary = artefact.vocabulary().to_vec();
    let lowercase = artefact.normaliser().lowercase;
    let wordpiece =
        WordPiece::new(&vocabulary, normaliser(lowercase)).context("the teacher's vocabulary")?;
    let teacher = Transformer::new(artefact)?;
    let card = teacher.card().clone();
    let from = card.dim as usize;
    anyhow::ensure!(
        (1..=from).contains(&options.dim),
        "expected --dim between 1 and {from}, the teacher's dimensions, found {}",
        options.dim
    );

    let gathered = gather(&options.inputs, options.max_texts, options.training.seed, ui)?;
    let n_pages = gathered.n_pages as u64;
    ui.status(
        "Gathered",
        format!(
            "{} texts from {} pages",
            thousands(gathered.texts.len() as u64),
            thousands(n_pages)
        ),
    );

    let mut cache = match &options.cache {
        Some(dir) => Some(
            Cache::open(dir, &card)
                .with_context(|| format!("cannot open the cache in {}", dir.display()))?,
        ),
        None => None,
    };
    let mut embed_all = |what: &str, texts: &[&str]| -> anyhow::Result<Vec<f32>> {
        let bar = ui.bar(what, texts.len() as u64, "texts");
        let embedded = embed(&teacher, texts, cache.as_mut(), &bar, ui)?;
        bar.finish_and_clear();
        let encoded = thousands(embedded.n_encoded as u64);
        let cached = thousands(embedded.n_cached as u64);
        ui.status(
            what,
            format!(
                "{encoded} texts in {:.0} s, {cached} more from the cache",
                embedded.elapsed.as_secs_f32()
            ),
        );
        Ok(embedded.values)
    };
    let texts: Vec<&str> = gathered.texts.iter().map(String::as_str).collect();
    let embeddings = embed_all("Embedding", &texts)?;
    // A token that continues a word is embedded as if it were one.
    let alone: Vec<&str> =
        vocabulary.iter().map(|token| token.strip_prefix("##").unwrap_or(token)).collect();
    let token_embeddings = embed_all("Vocabulary", &alone)?;

    let earlier = options.start.as_deref().map(static_table::read).transpose()?;
    let projection = match &earlier {
        Some(earlier) => {
            anyhow::ensure!(
                static_table::is_taught_by(earlier, &card)
                    && earlier.projection().to_dim() as usize == options.dim,
                "--start: expected a table of {} with {} dimensions, found one of {} with {}",
                card.name,
                options.dim,
                earlier.teacher().name,
                earlier.projection().to_dim()
            );
            earlier.projection().clone()
        }
        None => principal_components(&embeddings, from, options.dim)?,
    };
    let project = |vectors: &[f32]| -> anyhow::Result<Vec<f32>> {
        let projected: Vec<Vec<f32>> = vectors
            .par_chunks_exact(from)
            .map(|v| projection.apply(v))
            .collect::<Result<_, _>>()?;
        Ok(projected.concat())
    };
    let targets = project(&embeddings)?;

    let (mut examples, mut held_out) = (Examples::new(options.dim), Examples::new(options.dim));
    let mut counts = vec![0u64; vocabulary.len()];
    let tokenised: Vec<Vec<u32>> =
        texts.par_iter().map(|text| tokens(&wordpiece, normaliser(lowercase), text)).collect();
    for (i, (tokens, target)) in tokenised.iter().zip(targets.chunks_exact(options.dim)).enumerate()
    {
        if i % HELD_OUT == 0 {
            held_out.push(tokens, target);
        } else {
            tokens.iter().for_each(|&t| counts[t as usize] += 1);
            examples.push(tokens, target);
        }
    }

    let bar = ui.bar("Training", options.training.epochs as u64, "epochs");
    let alone = project(&token_embeddings)?;
    let on_epoch = |epoch: usize, cosine: f32| {
        bar.set_position(epoch as u64);
        ui.detail(format!("epoch {epoch}: cosine {cosine:.4} on texts held out"));
    };
    let mut begin = initial_rows(&alone, &counts, options.dim);
    if let Some(earlier) = &earlier {
        let rows = earlier.dense_rows();
        let tokens = begin
            .chunks_exact_mut(options.dim)
            .zip(rows.chunks_exact(options.dim))
            .zip(&mut counts);
        for (id, ((begin, earlier_row), count)) in tokens.enumerate() {
            let frequency = earlier.frequency(id as u32);
            if frequency > 0 {
                begin.copy_from_slice(earlier_row);
                *count += 1 << (frequency - 1).min(40);
            }
        }
    }
    let first = train(begin, &examples, &held_out, options.training, on_epoch);
    let begin = predict_rows(&first.rows, &alone, &counts, options.dim);
    bar.reset();
    let mut trained = train(begin, &examples, &held_out, options.training, on_epoch);
    bar.finish_and_clear();
    ui.status(
        "Trained",
        format!(
            "cosine {:.4} -> {:.4}, from predicted rows {:.4} -> {:.4}, on {} texts held out",
            first.held_out[0],
            first.best(),
            trained.held_out[0],
            trained.best(),
            held_out.len()
        ),
    );
    if first.best() > trained.best() {
        trained = first;
    }
    // Words that no text had keep the row predicted for them.
    for (count, token) in counts.iter_mut().zip(&vocabulary) {
        if *count == 0 && is_of_words(token) {
            *count = 1;
        }
    }

    let table = StaticTable::new(
        card,
        projection,
        vocabulary,
        lowercase,
        &trained.rows,
        &counts,
        options.bits,
    )?;
    let known = &gathered.known_items[..gathered.known_items.len().min(MAX_KNOWN_ITEMS)];
    let (teacher_recall, table_recall) = known_items(&teacher, &table, known, &mut embed_all)?;
    let report = Report {
        teacher: options.teacher.clone(),
        n_texts: examples.len(),
        n_held_out: held_out.len(),
        n_rows: (0..table.vocabulary().len() as u32).filter(|&id| table.row(id).is_some()).count(),
        held_out_cosine: trained.held_out,
        quantised_cosine: mean_cosine(&table.dense_rows(), &held_out),
        projection_cosine: kept_by_projection(&table, &embeddings),
        n_known_items: known.len(),
        teacher_recall_at_10: teacher_recall,
        table_recall_at_10: table_recall,
    };
    Ok(Distilled { table, report })
}

/// Whether a token is (part of) a word in Latin letters: no mark of the tokenizer's, no character
/// of another script.
fn is_of_words(token: &str) -> bool {
    let token = token.strip_prefix("##").unwrap_or(token);
    !token.is_empty() && token.chars().all(|c| c.is_ascii_alphanumeric())
}

/// The cosine of a vector with its projection, mean over vectors: how much of the space the
/// dimensions kept hold.
fn kept_by_projection(table: &StaticTable, embeddings: &[f32]) -> f32 {
    let from = table.projection().from_dim() as usize;
    let rows = table.projection().rows();
    let kept: Vec<f32> = embeddings
        .par_chunks_exact(from)
        .map(|v| {
            let along: f32 =
                rows.chunks_exact(from).map(|row| dot(row, v)).map(|dot| dot * dot).sum();
            along.sqrt()
        })
        .collect();
    kept.iter().sum::<f32>() / kept.len().max(1) as f32
}

/// Recall at ten of the texts under headings, asked by the headings: by the teacher in its own
/// space, and by the table in the projected one.
fn known_items(
    teacher: &Transformer,
    table: &StaticTable,
    known: &[KnownItem],
    embed_all: &mut impl FnMut(&str, &[&str]) -> anyhow::Result<Vec<f32>>,
) -> anyhow::Result<(f32, f32)> {
    if known.is_empty() {
        return Ok((0.0, 0.0));
    }
    let texts: Vec<&str> = known.iter().map(|item| item.text.as_str()).collect();
    let documents = embed_all("Measuring", &texts)?;
    let queries: Vec<&str> = known.iter().map(|item| item.query.as_str()).collect();
    let by_teacher: Vec<f32> = teacher
        .encode(&queries, Side::Query)?
        .into_iter()
        .flat_map(|embedding| embedding.values)
        .collect();
    let from = teacher.card().dim as usize;
    let projected: Vec<Vec<f32>> = documents
        .par_chunks_exact(from)
        .map(|v| table.projection().apply(v))
        .collect::<Result<_, _>>()?;
    let by_table: Vec<f32> = queries.iter().flat_map(|query| table.embed(query).values).collect();
    let dim = table.card().dim as usize;
    Ok((
        recall_at_10(&by_teacher, &documents, from),
        recall_at_10(&by_table, &projected.concat(), dim),
    ))
}

/// Share of queries whose own document (of the same number) has fewer than ten nearer ones.
fn recall_at_10(queries: &[f32], documents: &[f32], dim: usize) -> f32 {
    let found = queries
        .par_chunks_exact(dim)
        .zip(documents.par_chunks_exact(dim))
        .filter(|(query, own)| {
            let score = dot(query, own);
            documents.chunks_exact(dim).filter(|document| dot(query, document) > score).count() < 10
        })
        .count();
    found as f32 / (queries.len() / dim).max(1) as f32
}

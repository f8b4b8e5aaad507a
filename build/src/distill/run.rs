//! Trains a static encoder's table.

use std::path::{Path, PathBuf};

use anyhow::Context;
use findling_bundle::projection::Projection;
use findling_bundle::rows::Bits;
use findling_encoder::dot;
use findling_encoder::import;
use findling_encoder::static_table::{StaticTable, normaliser, tokens};
use findling_encoder::{Encoder, Side};
use findling_text::wordpiece::WordPiece;
use rayon::prelude::*;

use super::pca::principal_components;
use super::pieces;
use super::texts::{KnownItem, Languages, gather};
use crate::embedding::{Cache, embed};
use crate::models::{self, static_table};
use crate::progress::{Progress, thousands};
use crate::training::{self, Examples, Trained, initial_rows, mean_cosine, predict_rows, train};
use findling_encoder::BoxedEncoder;

/// The texts, the teacher and the sizes of a training.
#[derive(Clone, Debug)]
pub struct Options {
    /// An installed model.
    pub teacher: String,
    /// Files and directories of texts.
    pub inputs: Vec<PathBuf>,
    /// Largest number of texts.
    pub max_texts: usize,
    /// Dimensions of the table.
    pub dim: usize,
    /// Bits for each number of a row.
    pub bits: Bits,
    /// A table of the same teacher. Training starts from its rows and keeps its projection.
    pub start: Option<PathBuf>,
    /// Options of training; the seed also decides the sample of texts.
    pub training: training::Options,
    /// The directory of the teacher's embeddings; `None` caches nothing.
    pub cache: Option<PathBuf>,
}

/// A table and its quality.
pub struct Distilled {
    /// The table.
    pub table: StaticTable,
    /// Measured on held-out texts.
    pub report: Report,
}

/// Measurements on held-out texts, which training did not use.
#[derive(Clone, Debug, serde::Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// The teacher.
    pub teacher: String,
    /// Texts trained on.
    pub n_texts: usize,
    /// Held-out texts.
    pub n_held_out: usize,
    /// Tokens with a row.
    pub n_rows: usize,
    /// Mean cosine with the teacher: at the start, then after each epoch.
    pub held_out_cosine: Vec<f32>,
    /// Mean cosine of the quantised table with the teacher.
    pub quantised_cosine: f32,
    /// Mean cosine of the teacher's embeddings with their projections.
    pub projection_cosine: f32,
    /// Number of known items: headings that were used as queries.
    pub n_known_items: usize,
    /// Share of the headings whose own text is among the ten nearest texts, if the teacher embeds
    /// both (f32, all dimensions).
    pub teacher_recall_at_10: f32,
    /// The same share if the table embeds the headings.
    pub table_recall_at_10: f32,
}

/// Largest number of known items that retrieval is measured on.
const MAX_KNOWN_ITEMS: usize = 3000;
/// One in this number of texts is held out.
const HELD_OUT: usize = 50;

/// Trains a table.
///
/// # Errors
/// If the teacher is not installed or fails, or there is nothing to train on.
pub fn distill(options: &Options, progress: &dyn Progress) -> anyhow::Result<Distilled> {
    let mut teacher = Teacher::load(&options.teacher)?;
    teacher.check_dim(options.dim)?;
    let (languages, seed) = (teacher.languages, options.training.seed);
    let gathered = gather(&options.inputs, options.max_texts, seed, languages, progress)?;
    progress.status(
        "Gathered",
        format!(
            "{} texts from {} pages",
            thousands(gathered.texts.len() as u64),
            thousands(gathered.n_pages as u64)
        ),
    );

    let texts: Vec<&str> = gathered.texts.iter().map(String::as_str).collect();
    let start = options.start.as_deref().map(static_table::read).transpose()?;
    teacher.choose_words(&texts, start.as_ref())?;
    let mut embedder = Embedder::new(&teacher, options.cache.as_deref(), progress)?;
    let embeddings = embedder.embed("Embedding", &texts)?;
    let token_embeddings = embedder.embed("Vocabulary", &teacher.token_texts())?;

    let projection = match &start {
        Some(start) => projection_of(start, &teacher, options.dim)?,
        None => principal_components(&embeddings, teacher.dim(), options.dim)?,
    };
    let targets = project(&projection, &embeddings)?;
    let token_rows = project(&projection, &token_embeddings)?;
    let split = Split::new(&teacher, &texts, &targets, options.dim);
    let (trained, counts) =
        train_rows(&teacher, &token_rows, &split, start.as_ref(), options, progress);
    let table = StaticTable::new(
        teacher.model.card().clone(),
        projection,
        teacher.vocabulary.clone(),
        teacher.lowercase,
        &trained.rows,
        &counts,
        options.bits,
    )?;

    let known = &gathered.known_items[..gathered.known_items.len().min(MAX_KNOWN_ITEMS)];
    let (teacher_recall, table_recall) = known_item_recall(&mut embedder, &table, known)?;
    let report = Report {
        teacher: options.teacher.clone(),
        n_texts: split.examples.len(),
        n_held_out: split.held_out.len(),
        n_rows: (0..table.vocabulary().len() as u32).filter(|&id| table.row(id).is_some()).count(),
        held_out_cosine: trained.held_out,
        quantised_cosine: mean_cosine(&table.dense_rows(), &split.held_out),
        projection_cosine: kept_by_projection(&table, &embeddings),
        n_known_items: known.len(),
        teacher_recall_at_10: teacher_recall,
        table_recall_at_10: table_recall,
    };
    Ok(Distilled { table, report })
}

/// The transformer whose vectors the table learns to approximate.
struct Teacher {
    model: BoxedEncoder,
    vocabulary: Vec<String>,
    lowercase: bool,
    wordpiece: WordPiece,
    /// The languages of its words.
    languages: Languages,
}

impl Teacher {
    /// Loads an installed model. The table has the words of the model if its tokenizer is BERT's or
    /// SentencePiece; for other models, it has the words of the table that is shipped with the
    /// tool.
    fn load(name: &str) -> anyhow::Result<Self> {
        let model = models::locate(name)?;
        let own_words = model.record.kind == models::Kind::BertSafetensors
            && import::has_wordpiece(&model.path);
        let (vocabulary, lowercase) = if own_words {
            let artefact = import::import_dir(&model.path, &import::Options::default())?;
            (artefact.vocabulary().to_vec(), artefact.normaliser().lowercase)
        } else {
            let general = static_table::general()?;
            let own = sentence_pieces(&model)?;
            (own.unwrap_or_else(|| general.vocabulary().to_vec()), general.lowercase())
        };
        let languages = if pieces::are_sentence_pieces(&vocabulary) {
            Languages::All
        } else {
            Languages::English
        };
        let model = models::load_from(&model)?;
        let wordpiece = WordPiece::new(Vec::from(pieces::SPECIAL), normaliser(lowercase))?;
        Ok(Self { model, vocabulary, lowercase, wordpiece, languages })
    }

    /// Chooses the tokens of a table for these texts, or takes the tokens of the table that
    /// training starts from.
    fn choose_words(&mut self, texts: &[&str], start: Option<&StaticTable>) -> anyhow::Result<()> {
        if self.languages == Languages::All {
            self.vocabulary = match start {
                Some(start) => start.vocabulary().to_vec(),
                None => pieces::word_pieces(&self.vocabulary, texts, self.lowercase)?,
            };
        }
        self.wordpiece = WordPiece::new(&self.vocabulary, normaliser(self.lowercase))
            .context("the teacher's vocabulary")?;
        Ok(())
    }

    /// Returns the number of dimensions of the teacher's vectors.
    fn dim(&self) -> usize {
        self.model.card().dim as usize
    }

    /// Checks the number of dimensions that a table is to have.
    fn check_dim(&self, dim: usize) -> anyhow::Result<()> {
        anyhow::ensure!(
            (1..=self.dim()).contains(&dim),
            "expected --dim between 1 and {}, the teacher's dimensions, found {dim}",
            self.dim()
        );
        Ok(())
    }

    /// Returns a text for each token. A token that continues a word is embedded as if it were a
    /// word.
    fn token_texts(&self) -> Vec<&str> {
        self.vocabulary.iter().map(|token| token.strip_prefix("##").unwrap_or(token)).collect()
    }

    fn tokens(&self, text: &str) -> Vec<u32> {
        tokens(&self.wordpiece, normaliser(self.lowercase), text)
    }
}

/// Returns the tokens of a model's tokenizer, if they have SentencePiece's marks.
#[cfg(feature = "onnx")]
fn sentence_pieces(model: &models::ModelDir) -> anyhow::Result<Option<Vec<String>>> {
    use findling_encoder::published_tokenizer::PublishedTokenizer;
    let tokens = PublishedTokenizer::read(&model.path)?.0.vocabulary();
    Ok(pieces::are_sentence_pieces(&tokens).then_some(tokens))
}

#[cfg(not(feature = "onnx"))]
fn sentence_pieces(_model: &models::ModelDir) -> anyhow::Result<Option<Vec<String>>> {
    Ok(None)
}

/// Embeds texts with the teacher through the embedding cache, and shows the progress.
struct Embedder<'a> {
    teacher: &'a BoxedEncoder,
    cache: Option<Cache>,
    progress: &'a dyn Progress,
}

impl<'a> Embedder<'a> {
    fn new(
        teacher: &'a Teacher,
        cache: Option<&Path>,
        progress: &'a dyn Progress,
    ) -> anyhow::Result<Self> {
        let teacher = &teacher.model;
        let open = |dir: &Path| {
            Cache::open(dir, teacher.card())
                .with_context(|| format!("cannot open the cache in {}", dir.display()))
        };
        Ok(Self { teacher, cache: cache.map(open).transpose()?, progress })
    }

    /// Returns the vectors of `texts`, concatenated. `what` names the step in the output.
    fn embed(&mut self, what: &str, texts: &[&str]) -> anyhow::Result<Vec<f32>> {
        let bar = self.progress.count(what, Some(texts.len() as u64), "texts");
        let embedded = embed(&**self.teacher, texts, self.cache.as_mut(), &bar, self.progress)?;
        bar.finish();
        self.progress.status(
            what,
            format!(
                "{} texts in {:.0} s, {} more from the cache",
                thousands(embedded.n_encoded as u64),
                embedded.elapsed.as_secs_f32(),
                thousands(embedded.n_cached as u64)
            ),
        );
        Ok(embedded.values)
    }
}

/// Returns the projection of the table that training starts from.
fn projection_of(start: &StaticTable, teacher: &Teacher, dim: usize) -> anyhow::Result<Projection> {
    let card = teacher.model.card();
    anyhow::ensure!(
        start.is_taught_by(card) && start.projection().to_dim() as usize == dim,
        "--start: expected a table of {} with {dim} dimensions, found one of {} with {}",
        card.name,
        start.teacher().name,
        start.projection().to_dim()
    );
    Ok(start.projection().clone())
}

/// Projects vectors of the teacher, concatenated.
fn project(projection: &Projection, vectors: &[f32]) -> anyhow::Result<Vec<f32>> {
    let projected: Vec<Vec<f32>> = vectors
        .par_chunks_exact(projection.from_dim() as usize)
        .map(|vector| projection.apply(vector))
        .collect::<Result<_, _>>()?;
    Ok(projected.concat())
}

/// The texts, divided into training texts and texts for measurements.
struct Split {
    examples: Examples,
    held_out: Examples,
    /// Number of occurrences of each token in `examples`.
    counts: Vec<u64>,
}

impl Split {
    fn new(teacher: &Teacher, texts: &[&str], targets: &[f32], dim: usize) -> Self {
        let mut split = Self {
            examples: Examples::new(dim),
            held_out: Examples::new(dim),
            counts: vec![0; teacher.vocabulary.len()],
        };
        let tokenised: Vec<Vec<u32>> = texts.par_iter().map(|text| teacher.tokens(text)).collect();
        for (i, (tokens, target)) in tokenised.iter().zip(targets.chunks_exact(dim)).enumerate() {
            if i % HELD_OUT == 0 {
                split.held_out.push(tokens, target);
            } else {
                tokens.iter().for_each(|&token| split.counts[token as usize] += 1);
                split.examples.push(tokens, target);
            }
        }
        split
    }
}

/// Trains the rows twice, because rare tokens learn little from few texts: first from the tokens'
/// own embeddings, then from rows predicted by the first result. Returns the better result and how
/// often each token counts.
fn train_rows(
    teacher: &Teacher,
    token_rows: &[f32],
    split: &Split,
    start: Option<&StaticTable>,
    options: &Options,
    progress: &dyn Progress,
) -> (Trained, Vec<u64>) {
    let dim = options.dim;
    let Split { examples, held_out, .. } = split;
    let mut counts = split.counts.clone();
    let mut rows = initial_rows(token_rows, &counts, dim);
    if let Some(start) = start {
        take_over(start, &mut rows, &mut counts, dim);
    }
    let bar = progress.count("Training", Some(options.training.epochs as u64), "epochs");
    let on_epoch = |epoch: usize, cosine: f32| {
        bar.set_done(epoch as u64);
        progress.detail(format!("epoch {epoch}: cosine {cosine:.4} on held-out texts"));
    };
    let first = train(rows, examples, held_out, options.training, on_epoch);
    let predicted = predict_rows(&first.rows, token_rows, &counts, dim);
    bar.restart();
    let second = train(predicted, examples, held_out, options.training, on_epoch);
    bar.finish();
    progress.status(
        "Trained",
        format!(
            "cosine {:.4} -> {:.4}, from predicted rows {:.4} -> {:.4}, on {} held-out texts",
            first.held_out[0],
            first.best(),
            second.held_out[0],
            second.best(),
            held_out.len()
        ),
    );
    // Words that occur in no text keep the row predicted for them.
    for (count, token) in counts.iter_mut().zip(&teacher.vocabulary) {
        if *count == 0 && is_of_words(token, teacher.languages) {
            *count = 1;
        }
    }
    (if first.best() > second.best() { first } else { second }, counts)
}

/// Copies the rows of the table that training starts from, and adds the frequencies of its tokens
/// to `counts`.
fn take_over(start: &StaticTable, rows: &mut [f32], counts: &mut [u64], dim: usize) {
    let start_rows = start.dense_rows();
    let tokens = rows.chunks_exact_mut(dim).zip(start_rows.chunks_exact(dim)).zip(counts);
    for (id, ((row, start_row), count)) in tokens.enumerate() {
        let frequency = start.frequency(id as u32);
        if frequency > 0 {
            row.copy_from_slice(start_row);
            *count += 1 << (frequency - 1).min(40);
        }
    }
}

/// Returns whether a token is a word or a part of a word, not a special token. In a table for
/// English, tokens of other scripts do not count either.
fn is_of_words(token: &str, languages: Languages) -> bool {
    let token = token.strip_prefix("##").unwrap_or(token);
    let is_letter = |c: char| match languages {
        Languages::English => c.is_ascii_alphanumeric(),
        Languages::All => c.is_alphanumeric(),
    };
    !token.is_empty() && token.chars().all(is_letter)
}

/// Returns the mean cosine of the teacher's vectors with their projections: how much the projection
/// keeps.
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

/// Returns recall at ten of the texts under headings, with the headings as queries: with the
/// teacher in its own space, and with the table in the projected space.
fn known_item_recall(
    embedder: &mut Embedder<'_>,
    table: &StaticTable,
    known: &[KnownItem],
) -> anyhow::Result<(f32, f32)> {
    if known.is_empty() {
        return Ok((0.0, 0.0));
    }
    let texts: Vec<&str> = known.iter().map(|item| item.text.as_str()).collect();
    let documents = embedder.embed("Measuring", &texts)?;
    let queries: Vec<&str> = known.iter().map(|item| item.query.as_str()).collect();
    let teacher = embedder.teacher;
    let by_teacher: Vec<f32> = teacher
        .encode(&queries, Side::Query)?
        .into_iter()
        .flat_map(|embedding| embedding.values)
        .collect();
    let projected = project(table.projection(), &documents)?;
    let by_table: Vec<f32> = queries.iter().flat_map(|query| table.embed(query).values).collect();
    Ok((
        recall_at_10(&by_teacher, &documents, teacher.card().dim as usize),
        recall_at_10(&by_table, &projected, table.card().dim as usize),
    ))
}

/// Returns the share of queries whose own document (of the same number) has fewer than ten nearer
/// ones.
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

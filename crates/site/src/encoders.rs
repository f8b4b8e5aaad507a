//! Choosing and loading the encoders of a build.

use std::path::Path;

use findling_base::progress::{Progress, bytes, thousands};
use findling_encoder::BoxedEncoder;
use findling_encoder::static_table::StaticTable;
use findling_index::embedding::Cache;
use findling_index::previous_build::PreviousBuild;
use findling_index::write::Shape;
use findling_models as models;
use findling_models::{known, static_table};

use crate::error::{Error, Result};
use crate::options::{Meaning, Options};
use crate::query_encoder::{self, Choice};

/// The encoders of a build.
pub struct Encoders {
    /// Encoder of the documents; `None` for a bundle without vectors.
    pub documents: Option<BoxedEncoder>,
    /// Encoder of queries on the deployed site.
    pub queries: Choice,
    /// Table of the static encoder, if the bundle gets its rows.
    pub table: Option<StaticTable>,
    /// Embeddings of earlier builds.
    pub cache: Option<Cache>,
}

impl Encoders {
    /// Loads the encoders that the arguments ask for.
    ///
    /// # Errors
    /// If a model is missing, or the arguments contradict each other.
    pub fn load(options: &Options, shape: Shape, progress: &dyn Progress) -> Result<Self> {
        let meaning = &options.meaning;
        let documents = load_encoder(meaning, options.install, progress)?;
        let (mut queries, mut table) = (Choice::None, None);
        if let Some(encoder) = &documents {
            let found = load_table(meaning, encoder)?;
            queries = choose_query_encoder(meaning, shape, found.is_some(), progress)?;
            query_encoder::check(queries, meaning.encoder())?;
            table = found.filter(|_| queries.wants_static());
        }
        if meaning.vocabulary_budget.is_some()
            && !query_encoder::has_files(queries, meaning.encoder())
        {
            return Err(Error::NoVocabulary);
        }
        let cache = match &documents {
            // Embedding with a table is faster than reading the cache.
            Some(encoder) if !meaning.no_cache && meaning.encoder() != models::STATIC => {
                open_cache(meaning, encoder, progress)
            }
            _ => None,
        };
        Ok(Self { documents, queries, table, cache })
    }

    /// Warns if fitting was requested but is impossible.
    pub fn check_fit(&self, fit: bool, progress: &dyn Progress) {
        if let (true, Some(encoder)) = (fit, &self.documents)
            && !self.table.as_ref().is_some_and(|t| t.is_taught_by(encoder.card()))
        {
            progress.warn(
                "--fit has no effect: it needs the static query encoder and documents embedded \
                 with the model that the table was trained for",
            );
        }
    }
}

/// Returns the encoder of queries: the requested one, as far as the bundle's shape and the
/// documents' encoder allow.
fn choose_query_encoder(
    meaning: &Meaning,
    shape: Shape,
    has_table: bool,
    progress: &dyn Progress,
) -> Result<Choice> {
    Ok(match (shape, meaning.query_encoder.decided(has_table)) {
        // A single file has no other files beside it.
        (Shape::FileAlone, Choice::Auto) if meaning.encoder() != models::HASH => Choice::None,
        (Shape::FileAlone, Choice::Transformer | Choice::Both) => {
            return Err(Error::TransformerBesideFile { standalone: false });
        }
        // A standalone file can fetch nothing, and the transformer has 15 MB.
        (Shape::Standalone, Choice::Transformer | Choice::Both) => {
            return Err(Error::TransformerBesideFile { standalone: true });
        }
        (_, Choice::Auto) if query_encoder::is_native_only(meaning.encoder()) => {
            progress.warn(format!(
                "browsers cannot run `{0}`, and it has no table: on the site, queries are answered \
                 by words, or by vectors that the host supplies; `findling models fit {0} --texts \
                 PATH` trains a table",
                meaning.encoder()
            ));
            Choice::None
        }
        (_, choice) => choice,
    })
}

/// The gain of a transformer over the static table, from `docs/design/static-encoder.md`.
const TRANSFORMER_GAIN: &str = "nDCG@10 0.646 instead of 0.611 on five judged sets";

/// The code of the notice that no encoder was chosen.
pub const DEFAULT_ENCODER: &str = "default-encoder";

/// Returns a notice on what a transformer would gain, if no encoder was chosen. If the replaced
/// bundle was embedded with the static table, its build has already given this notice.
pub fn default_notice(meaning: &Meaning, replaced: Option<&Path>) -> Option<String> {
    let is_by_table = || {
        let dense = PreviousBuild::open(replaced?)?.files().manifest().dense.clone()?;
        Some(dense.encoder.name == models::STATIC)
    };
    if meaning.encoder.is_some() || is_by_table() == Some(true) {
        return None;
    }
    Some(transformer_gain())
}

/// Returns what a transformer would gain over the static table, and how to choose it.
pub fn transformer_gain() -> String {
    let size = known::find(known::DEFAULT).map_or(0, |model| model.total_bytes());
    format!(
        "by the static table in this program; a transformer ranks better ({TRANSFORMER_GAIN}) and \
         is a download of {}: --encoder {} --yes",
        bytes(size),
        known::DEFAULT
    )
}

/// Loads the documents' encoder; `None` for the encoder `none`. Installs a missing model only if
/// `install` is set or a person has agreed.
///
/// # Errors
/// If the model is missing or cannot be read.
pub fn load_encoder(
    meaning: &Meaning,
    install: bool,
    progress: &dyn Progress,
) -> Result<Option<BoxedEncoder>> {
    let name = meaning.encoder();
    if name == "none" {
        return Ok(None);
    }
    if name == models::STATIC {
        return Ok(Some(Box::new(read_table(meaning)?)));
    }
    let encoder = match models::load_encoder(name) {
        Err(source @ models::Error::NotInstalled { .. }) => {
            let size = known::find(name).map_or_else(String::new, |m| {
                format!(" ({}, {})", bytes(m.total_bytes()), m.licence)
            });
            if !install
                && !progress
                    .confirm(&format!("The model `{name}`{size} is not installed. Install it now?"))
            {
                let (name, source) = (name.to_owned(), source.into());
                return Err(Error::NoModel { name, source });
            }
            models::install::install(
                &models::Store::default_location()?,
                name,
                &models::install::Options::default(),
                progress,
            )?;
            models::load_encoder(name)?
        }
        other => other?,
    };
    if !encoder.card().semantic {
        progress.warn(format!(
            "`{name}` compares spellings, not meanings: a search finds words that are spelled \
             similarly, not words with the same meaning"
        ));
    }
    Ok(Some(encoder))
}

/// Loads the static encoder's table. `None` if the table does not fit the documents' encoder; that
/// is an error only if the user asked for a table.
fn load_table(meaning: &Meaning, encoder: &BoxedEncoder) -> Result<Option<StaticTable>> {
    let asked = meaning.table.is_some() || meaning.query_encoder.wants_static();
    let table = read_table(meaning)?;
    if table.fits(encoder.card()) {
        return Ok(Some(table));
    }
    if asked {
        let (expected, found) = (table.teacher().name.clone(), encoder.card().name.clone());
        return Err(Error::OtherTable { expected, found });
    }
    Ok(None)
}

fn read_table(meaning: &Meaning) -> Result<StaticTable> {
    match &meaning.table {
        Some(path) => Ok(static_table::read(path)?),
        None => Ok(static_table::for_encoder(meaning.encoder())?),
    }
}

/// Opens the embedding cache. Without a cache the build is slower, so failing to open it is only a
/// warning.
pub fn open_cache(
    meaning: &Meaning,
    encoder: &BoxedEncoder,
    progress: &dyn Progress,
) -> Option<Cache> {
    let Some(dir) = meaning.cache.clone().or_else(Cache::default_dir) else {
        progress.detail(
            "no embedding cache: found no home directory; name a directory with --cache DIR",
        );
        return None;
    };
    match Cache::open(&dir, encoder.card()) {
        Ok(cache) => {
            progress.detail(format!(
                "{} with {} embeddings",
                cache.path().display(),
                thousands(cache.len() as u64)
            ));
            Some(cache)
        }
        Err(error) => {
            progress.warn(format!(
                "cannot use the embedding cache {}: {error}; name another directory with \
                 --cache DIR",
                dir.display()
            ));
            None
        }
    }
}

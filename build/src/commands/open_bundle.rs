//! The bundles that a command searches: those that are named, or all collections, or the current
//! directory.

use std::borrow::BorrowMut;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use findling_engine::{Mode, Request, Response};

use super::build::build_collection;
use super::learned;
use super::require_fresh::RequireFresh;
use super::search::{READ_AS, SearchOptions, forgive_filter, load_encoder};
use super::unknown_attribute::with_counts;
use super::vector_name::VectorName;
use crate::collections::{Home, Place, Registry, Settings, Target};
use crate::host::{EncoderChoice, Host, QueryEncoder};
use crate::output::{Failure, Sources, Timings, UsageError, Vectors, best, require_vectors};
use crate::sources;
use crate::ui::{Ui, bytes, count};

/// Most files, and most bytes of them, of a directory that is indexed for one search.
const MAX_FILES: usize = 2_000;
const MAX_BYTES: u64 = 20 << 20;

/// A bundle that is open.
pub(crate) struct OpenBundle {
    /// The name of a collection, or the path as given.
    pub name: String,
    pub host: Host,
    pub sources: Sources,
    /// `None` for a directory that was indexed for this search.
    pub target: Option<Target>,
    /// Where that directory's bundle is. Removed when dropped.
    _staged: Option<tempfile::TempDir>,
}

/// Finds a target, and tells what a reader of answers should know about it.
///
/// # Errors
/// The errors of [`Target::find`] and [`VectorName::of`].
pub(crate) fn find_target(given: &Path, vectors: &VectorName, ui: &Ui) -> Result<Target> {
    let target = vectors.of(Target::find(given)?)?;
    if let Some(notice) = target.notice() {
        ui.warn(notice);
    }
    Ok(target)
}

/// The encoders of queries, each loaded once for all bundles of its space.
pub(crate) struct Encoders {
    choice: EncoderChoice,
    /// By the fingerprint of the space.
    loaded: HashMap<String, Arc<QueryEncoder>>,
}

impl Encoders {
    pub fn new(choice: EncoderChoice) -> Self {
        Self { choice, loaded: HashMap::new() }
    }

    /// The encoder for a bundle, if there is one and the mode needs it.
    fn of(&mut self, host: &Host, mode: Mode, ui: &Ui) -> Result<Option<Arc<QueryEncoder>>> {
        let space = host.manifest().dense.as_ref().map(|dense| dense.encoder.fingerprint.clone());
        let known = space.as_ref().filter(|_| mode != Mode::Lexical);
        if let Some(encoder) = known.and_then(|space| self.loaded.get(space)) {
            return Ok(Some(encoder.clone()));
        }
        let encoder = load_encoder(host, &self.choice, mode, ui)?.map(Arc::new);
        if let (Some(space), Some(encoder)) = (space, &encoder) {
            // The rows of one bundle do not embed queries for another.
            if encoder.kind() != crate::models::STATIC {
                self.loaded.insert(space, encoder.clone());
            }
        }
        Ok(encoder)
    }
}

/// The answer of one bundle.
pub(crate) struct Group {
    pub asked: OpenBundle,
    pub response: Response,
    /// The vectors, if the command includes them.
    pub vectors: Option<Vectors>,
    pub timings: Timings,
}

/// The bundles that could be opened, and the errors of the others.
pub(crate) struct Opened {
    pub asked: Vec<OpenBundle>,
    pub failed: Failures,
}

/// Collections that cannot answer, by name, and why.
pub(crate) type Failures = Vec<(String, Failure)>;

/// Opens what is wanted. A bundle that was named must open; of all collections some may fail.
///
/// # Errors
/// If a named bundle cannot be opened or is not fresh, or there is nothing to ask.
pub(crate) fn open(
    targets: &[PathBuf],
    vectors: &VectorName,
    fresh: RequireFresh,
    ui: &Ui,
) -> Result<Opened> {
    let mut opened = Opened { asked: Vec::new(), failed: Vec::new() };
    if !targets.is_empty() {
        for path in targets {
            let target = find_target(path, vectors, ui)?;
            fresh.check(&target)?;
            opened.asked.push(OpenBundle::open(target)?);
        }
        return Ok(opened);
    }
    let home = Home::default_location()?;
    let registry = Registry::read(&home)?;
    for name in registry.collections().keys() {
        let open = || -> Result<OpenBundle> {
            let target = vectors.of(Target::of_collection(&home, name)?)?;
            fresh.check(&target)?;
            OpenBundle::open(target)
        };
        match open() {
            Ok(asked) => opened.asked.push(asked),
            Err(error) => {
                ui.warn(format!("the collection {name} cannot be searched: {error:#}"));
                opened.failed.push((name.to_string(), Failure::of(&error)));
            }
        }
    }
    if registry.collections().is_empty() {
        opened.asked.push(directory(Path::new("."), ui)?);
    }
    Ok(opened)
}

/// The answers of several bundles.
pub(crate) struct Replies<T> {
    /// The answers with the places of their bundles.
    pub answers: Vec<(usize, T)>,
    /// The errors of the bundles that cannot answer, with their names.
    pub refusals: Vec<(String, anyhow::Error)>,
}

/// Asks each bundle. If one cannot answer (it has no such attribute), the others still do.
pub(crate) fn ask_each<A: BorrowMut<OpenBundle>, T>(
    bundles: impl IntoIterator<Item = A>,
    mut ask: impl FnMut(A) -> Result<T>,
) -> Replies<T> {
    let mut replies = Replies { answers: Vec::new(), refusals: Vec::new() };
    for (place, asked) in bundles.into_iter().enumerate() {
        let name = asked.borrow().name.clone();
        match ask(asked) {
            Ok(answer) => replies.answers.push((place, answer)),
            Err(error) => replies.refusals.push((name, error)),
        }
    }
    replies
}

impl<T> Replies<T> {
    /// The answers, and the bundles that could not answer, each of which is a warning.
    ///
    /// # Errors
    /// The first refusal if no bundle has answered.
    pub fn some(self, ui: &Ui) -> Result<(Vec<(usize, T)>, Failures)> {
        let Self { answers, mut refusals } = self;
        if answers.is_empty() && !refusals.is_empty() {
            return Err(refusals.remove(0).1);
        }
        let failure = |(name, error): (String, anyhow::Error)| {
            ui.warn(format!("{name}: {error:#}"));
            (name, Failure::of(&error))
        };
        Ok((answers, refusals.into_iter().map(failure).collect()))
    }
}

/// Asks each bundle. The one with the best page comes first. A collection that cannot answer the
/// request is a failure if others can. `vectors`: whether those of what is shown are included.
pub(crate) fn ask(
    targets: &[PathBuf],
    options: &SearchOptions,
    request: &Request,
    vectors: bool,
    ui: &Ui,
) -> Result<(Vec<Group>, Failures)> {
    let Opened { asked, mut failed } = open(targets, &options.vectors, options.fresh, ui)?;
    let mut encoders = Encoders::new(options.ranking.query_encoder.clone());
    let replies = ask_each(asked, |mut asked| {
        asked.host.set_streamed(options.ranking.streamed);
        let mut request = request.clone();
        options.complete_for(&mut request, &asked.host)?;
        if vectors {
            require_vectors(&asked.host, &asked.name)?;
        }
        let (mut response, timings, vectors) =
            asked.answer_with(vectors, request, &mut encoders, ui)?;
        for notice in response.notices.iter().filter(|notice| notice.code == READ_AS) {
            ui.warn(format!("{}: {}", asked.name, notice.message));
        }
        options.arrange(&mut response);
        Ok(Group { asked, response, vectors, timings })
    });
    let (answers, refused) = replies.some(ui)?;
    failed.extend(refused);
    let mut groups: Vec<Group> = answers.into_iter().map(|(_, group)| group).collect();
    groups.sort_by(|a, b| best(&b.response).total_cmp(&best(&a.response)));
    Ok((groups, failed))
}

/// Indexes a directory that is small enough, by words.
fn directory(path: &Path, ui: &Ui) -> Result<OpenBundle> {
    let path = std::path::absolute(path)?;
    let files =
        sources::list(std::slice::from_ref(&path), &sources::Options::default(), &mut |_| {});
    let sizes = files.iter().filter_map(|file| Some(std::fs::metadata(file).ok()?.len()));
    let (n_files, size) = (files.len(), sizes.sum::<u64>());
    if n_files == 0 || n_files > MAX_FILES || size > MAX_BYTES {
        let found = match n_files {
            0 => "no files that can be indexed".to_owned(),
            _ => format!("{} with {}", count(n_files as u64, "files"), bytes(size)),
        };
        let message = format!(
            "expected a collection, or a directory with at most {} files and {}; found no \
             collection, and {found} in {}: add a collection with `findling collection add`",
            MAX_FILES,
            bytes(MAX_BYTES),
            path.display()
        );
        return Err(UsageError { code: "nothing-to-search", message }.into());
    }
    ui.status("Indexing", format!("{} in {}", count(n_files as u64, "files"), path.display()));
    let staged = tempfile::tempdir().context("a directory for the index cannot be made")?;
    let bundle = staged.path().join("bundle");
    let settings =
        Settings { paths: vec![path.clone()], encoder: "none".to_owned(), ..Settings::default() };
    let place = Place { bundle: bundle.clone(), kept: None };
    build_collection(&settings, &place, true, &ui.quiet())?;
    Ok(OpenBundle {
        name: path.display().to_string(),
        host: Host::open(&bundle)?,
        sources: Sources::new(&[path]),
        target: None,
        _staged: Some(staged),
    })
}

impl OpenBundle {
    /// Opens a bundle.
    ///
    /// # Errors
    /// As [`Host::open`].
    pub fn open(target: Target) -> Result<Self> {
        let (name, sources) = (target.given().to_owned(), Sources::of(&target));
        let host = learned::open(&target)?;
        Ok(Self { name, host, sources, target: Some(target), _staged: None })
    }

    /// Answers a request whose query is not embedded yet.
    ///
    /// # Errors
    /// The errors of the encoder and of the engine.
    pub fn answer(
        &mut self,
        request: Request,
        encoders: &mut Encoders,
        ui: &Ui,
    ) -> Result<(Response, Timings)> {
        let (response, timings, _) = self.answer_with(false, request, encoders, ui)?;
        Ok((response, timings))
    }

    /// As [`OpenBundle::answer`], and with the vectors of the sections shown, if `vectors` is set.
    fn answer_with(
        &mut self,
        vectors: bool,
        mut request: Request,
        encoders: &mut Encoders,
        ui: &Ui,
    ) -> Result<(Response, Timings, Option<Vectors>)> {
        let started = Instant::now();
        // Without vectors every search is by words; a notice would repeat it for every query.
        if self.host.manifest().dense.is_none() && request.mode == Mode::Hybrid {
            request.mode = Mode::Lexical;
        }
        let encoder = match request.similar_to {
            Some(_) => None,
            None => encoders.of(&self.host, request.mode, ui)?,
        };
        let loading = started.elapsed();
        let embedding = match &encoder {
            Some(encoder) => encoder.embed(&mut request)?,
            None => Duration::ZERO,
        };
        let read = forgive_filter(&mut self.host, &mut request)?;
        let answer = Vectors::search(vectors, &mut self.host, encoder.as_deref(), request);
        let (mut response, cost, vectors) =
            answer.map_err(|error| with_counts(&self.host, error))?;
        response.notices.splice(..0, read);
        let open = self.host.open_time();
        Ok((response, Timings::new(started, open, loading, embedding, &cost), vectors))
    }
}

//! The bundles that a command asks: those that are named, or all collections, or the directory that
//! one stands in.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use findling_engine::{Mode, Request, Response};

use super::build::build_collection;
use super::search::{SearchOptions, load_encoder};
use crate::collections::{Home, Place, Registry, Settings, Target};
use crate::host::{Cost, EncoderChoice, Host, QueryEncoder};
use crate::output::{Asked as Question, Failure, Sources, Timings, comparable};
use crate::sources;
use crate::ui::{Ui, bytes, count};

/// Most files, and most bytes of them, of a directory that is indexed for one search.
const MOST_FILES: usize = 2_000;
const MOST_BYTES: u64 = 20 << 20;

/// A bundle that is open.
pub(crate) struct Asked {
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
/// Those of [`Target::find`].
pub(crate) fn find_target(given: &Path, ui: &Ui) -> Result<Target> {
    let target = Target::find(given)?;
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
            // What the engine embeds by the rows of a bundle is no encoder of another bundle.
            if encoder.kind() != crate::models::STATIC {
                self.loaded.insert(space, encoder.clone());
            }
        }
        Ok(encoder)
    }
}

/// What one collection answers.
pub(crate) struct Group {
    pub asked: Asked,
    pub response: Response,
    pub timings: Timings,
}

/// The bundles that could be opened, and the errors of the others.
pub(crate) struct Opened {
    pub asked: Vec<Asked>,
    pub failed: Failures,
}

/// Collections that cannot answer, by name, and why.
pub(crate) type Failures = Vec<(String, Failure)>;

/// Opens what is wanted. A bundle that was named must open; of all collections some may fail.
///
/// # Errors
/// If a named bundle cannot be opened, or there is nothing to ask.
pub(crate) fn open(targets: &[PathBuf], ui: &Ui) -> Result<Opened> {
    let mut opened = Opened { asked: Vec::new(), failed: Vec::new() };
    if !targets.is_empty() {
        for path in targets {
            opened.asked.push(Asked::open(find_target(path, ui)?)?);
        }
        return Ok(opened);
    }
    let home = Home::default_location()?;
    let registry = Registry::read(&home)?;
    for name in registry.collections().keys() {
        let found = Target::of_collection(&home, name).map_err(anyhow::Error::from);
        match found.and_then(Asked::open) {
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

/// Asks each bundle. The one with the best page comes first. A collection that cannot answer the
/// request (it has no such attribute) is a failure if others can.
pub(crate) fn ask(
    targets: &[PathBuf],
    options: &SearchOptions,
    request: &Request,
    ui: &Ui,
) -> Result<(Vec<Group>, Failures)> {
    let Opened { asked, mut failed } = open(targets, ui)?;
    let mut encoders = Encoders::new(options.ranking.query_encoder.clone());
    let mut groups = Vec::new();
    let mut first = None;
    for mut asked in asked {
        let started = Instant::now();
        asked.host.set_streamed(options.ranking.streamed);
        let mut request = request.clone();
        let answered = options
            .conditions
            .add_to(&mut request, asked.host.manifest())
            .and_then(|()| asked.answer(request, &mut encoders, ui));
        match answered {
            Ok((response, cost)) => {
                let timings = timings(started, &asked, &cost);
                groups.push(Group { asked, response, timings });
            }
            Err(error) => {
                ui.warn(format!("{}: {error:#}", asked.name));
                failed.push((asked.name.clone(), Failure::of(&error)));
                first = first.or(Some(error));
            }
        }
    }
    if let (true, Some(error)) = (groups.is_empty(), first) {
        return Err(error);
    }
    let best = |Group { response, .. }: &Group| {
        response.results.first().map_or(0.0, |page| comparable(response, page))
    };
    groups.sort_by(|a, b| best(b).total_cmp(&best(a)));
    Ok((groups, failed))
}

fn timings(started: Instant, asked: &Asked, cost: &Cost) -> Timings {
    Timings::new(started, asked.host.open_time(), Duration::ZERO, Duration::ZERO, cost)
}

/// Indexes a directory that is small enough, by words.
fn directory(path: &Path, ui: &Ui) -> Result<Asked> {
    let path = std::path::absolute(path)?;
    let files =
        sources::list(std::slice::from_ref(&path), &sources::Options::default(), &mut |_| {});
    let sizes = files.iter().filter_map(|file| Some(std::fs::metadata(file).ok()?.len()));
    let (n_files, size) = (files.len(), sizes.sum::<u64>());
    if n_files == 0 || n_files > MOST_FILES || size > MOST_BYTES {
        let found = match n_files {
            0 => "no files that can be indexed".to_owned(),
            _ => format!("{} with {}", count(n_files as u64, "files"), bytes(size)),
        };
        let message = format!(
            "expected a collection, or a directory with at most {} files and {}; found no \
             collection, and {found} in {}: add a collection with `findling collection add`",
            MOST_FILES,
            bytes(MOST_BYTES),
            path.display()
        );
        return Err(Question { code: "nothing-to-search", message }.into());
    }
    ui.status("Indexing", format!("{} in {}", count(n_files as u64, "files"), path.display()));
    let staged = tempfile::tempdir().context("a directory for the index cannot be made")?;
    let bundle = staged.path().join("bundle");
    let settings =
        Settings { paths: vec![path.clone()], encoder: "none".to_owned(), ..Settings::default() };
    let place = Place { bundle: bundle.clone(), kept: None };
    build_collection(&settings, &place, true, &ui.quiet())?;
    Ok(Asked {
        name: path.display().to_string(),
        host: Host::open(&bundle)?,
        sources: Sources::new(&[path]),
        target: None,
        _staged: Some(staged),
    })
}

impl Asked {
    /// Opens a bundle.
    ///
    /// # Errors
    /// As [`Host::open`].
    pub fn open(target: Target) -> Result<Self> {
        let (name, sources) = (target.given().to_owned(), Sources::of(&target));
        let host = Host::open(target.path())?;
        Ok(Self { name, host, sources, target: Some(target), _staged: None })
    }

    /// Answers a request whose query is not embedded yet.
    ///
    /// # Errors
    /// Those of the encoder and of the engine.
    pub fn answer(
        &mut self,
        mut request: Request,
        encoders: &mut Encoders,
        ui: &Ui,
    ) -> Result<(Response, Cost)> {
        // Said of every collection without vectors, that words alone were searched tells nothing.
        if self.host.manifest().dense.is_none() && request.mode == Mode::Hybrid {
            request.mode = Mode::Lexical;
        }
        let encoder = match request.similar_to {
            Some(_) => None,
            None => encoders.of(&self.host, request.mode, ui)?,
        };
        if let Some(encoder) = &encoder {
            request.vector = encoder.encode(&request.query)?.0;
            for text in &request.also {
                request.also_vectors.push(encoder.encode(text)?.0);
            }
        }
        self.host.search_as_meant(encoder.as_deref(), request)
    }
}

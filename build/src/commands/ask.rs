//! Asks several bundles a question. They are searched as one: each uses the statistics of all
//! ([`together`]), so that their scores can be compared.

use std::borrow::BorrowMut;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use anyhow::Result;
use findling_engine::{Mode, Notice, QueryVector, Request, Response};
use rayon::prelude::*;

use super::dependencies::Searched;
use super::newest::{asks_for_all, newest_first, order_by_date};
use super::open_bundle::{Failures, OpenBundle, Opened, open};
use super::search::{READ_AS, SearchOptions, forgive, load_encoder};
use super::unknown_attribute::with_counts;
use crate::host::{EncoderChoice, Host, QueryEncoder, together};
use crate::output::{Failure, Timings, Vectors, best, require_vectors};
use crate::ui::Ui;

/// Locks. If another question panicked, the data that it left is still consistent.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The encoders of queries, each loaded once for all bundles of its space.
pub(crate) struct Encoders {
    choice: EncoderChoice,
    /// The encoders that are loaded, by the fingerprint of their space.
    loaded: Mutex<HashMap<String, Arc<QueryEncoder>>>,
    /// The last embedding.
    embedded: Mutex<Option<Embedded>>,
}

/// An encoder, the texts that it embedded, and their vectors.
type Embedded = (Arc<QueryEncoder>, Vec<String>, QueryVectors);

/// The vectors of a query and of its other phrasings.
type QueryVectors = (Option<QueryVector>, Vec<Option<QueryVector>>);

impl Encoders {
    pub fn new(choice: EncoderChoice) -> Self {
        Self { choice, loaded: Mutex::default(), embedded: Mutex::default() }
    }

    /// Embeds the query of a request and its other phrasings; returns the time taken. The same
    /// query is embedded once for all bundles of a space.
    fn embed(&self, encoder: &Arc<QueryEncoder>, request: &mut Request) -> Result<Duration> {
        let texts: Vec<String> =
            std::iter::once(&request.query).chain(&request.also).cloned().collect();
        if let Some((known, of, vectors)) = &*lock(&self.embedded)
            && Arc::ptr_eq(known, encoder)
            && *of == texts
        {
            (request.vector, request.also_vectors) = vectors.clone();
            return Ok(Duration::ZERO);
        }
        let time = encoder.embed(request)?;
        let vectors = (request.vector.clone(), request.also_vectors.clone());
        *lock(&self.embedded) = Some((encoder.clone(), texts, vectors));
        Ok(time)
    }

    /// Returns the encoder for a bundle, if there is one and the mode needs it. No lock is held
    /// while the encoder is loaded, which may fetch it from a site.
    fn of(&self, host: &Host, mode: Mode, ui: &Ui) -> Result<Option<Arc<QueryEncoder>>> {
        let space = host.manifest().dense.as_ref().map(|dense| dense.encoder.fingerprint.clone());
        let known = space.as_ref().filter(|_| mode != Mode::Lexical);
        let loaded = known.and_then(|space| lock(&self.loaded).get(space).cloned());
        if loaded.is_some() {
            return Ok(loaded);
        }
        let encoder = load_encoder(host, &self.choice, mode, ui)?.map(Arc::new);
        if let (Some(space), Some(encoder)) = (space, &encoder) {
            // The rows of one bundle do not embed queries for another.
            if encoder.kind() != crate::models::STATIC {
                lock(&self.loaded).insert(space, encoder.clone());
            }
        }
        Ok(encoder)
    }
}

/// A request to one bundle, ready to be searched: its query is embedded, and names of attributes
/// are the bundle's.
pub(crate) struct Question {
    request: Request,
    encoder: Option<Arc<QueryEncoder>>,
    read: Vec<Notice>,
    started: Instant,
    loading: Duration,
    embedding: Duration,
    /// Whether the vectors of the shown sections are included.
    vectors: bool,
}

impl Question {
    /// Prepares a request to a bundle: applies its settings and embeds the query.
    ///
    /// # Errors
    /// The errors of the encoder; if a name is ambiguous.
    pub fn new(
        asked: &mut OpenBundle,
        mut request: Request,
        encoders: &Encoders,
        ui: &Ui,
    ) -> Result<Self> {
        let started = Instant::now();
        // Without vectors every search is by words; a notice would repeat it for every query.
        if asked.host.manifest().dense.is_none() && request.mode == Mode::Hybrid {
            request.mode = Mode::Lexical;
        }
        order_by_date(&mut request, asked.host.manifest());
        let encoder = match request.similar_to {
            Some(_) => None,
            None => encoders.of(&asked.host, request.mode, ui)?,
        };
        let loading = started.elapsed();
        let embedding = match &encoder {
            Some(encoder) => encoders.embed(encoder, &mut request)?,
            None => Duration::ZERO,
        };
        let read = forgive(&mut asked.host, &mut request)?;
        Ok(Self { request, encoder, read, started, loading, embedding, vectors: false })
    }

    /// Returns whether other bundles affect the scores: the request has a query and searches by
    /// words.
    fn is_shared(&self) -> bool {
        !self.request.query.trim().is_empty() && self.request.similar_to.is_none()
    }

    /// Returns whether it has phrases or exclusions, which can exclude every page.
    fn is_strict(&self) -> bool {
        self.request.query.contains(['"', '-'])
    }

    fn answer(&self, asked: &mut OpenBundle, is_joined: bool) -> Result<Reply> {
        // A joint query has already been corrected and embedded for all bundles.
        let encoder = self.encoder.as_deref().filter(|_| !is_joined);
        let answer = Vectors::search(self.vectors, &mut asked.host, encoder, self.request.clone());
        let (mut response, cost, vectors) =
            answer.map_err(|error| with_counts(&asked.host, error))?;
        response.notices.splice(..0, self.read.iter().cloned());
        let Self { started, loading, embedding, .. } = *self;
        let timings = Timings::new(started, asked.host.open_time(), loading, embedding, &cost);
        Ok(Reply { response, timings, vectors })
    }
}

/// The answer of one bundle.
pub(crate) struct Reply {
    pub response: Response,
    pub timings: Timings,
    /// The vectors, if the question includes them.
    pub vectors: Option<Vectors>,
}

impl OpenBundle {
    /// Answers a request whose query is not embedded yet.
    ///
    /// # Errors
    /// The errors of the encoder and of the engine.
    pub fn answer(
        &mut self,
        request: Request,
        encoders: &Encoders,
        ui: &Ui,
    ) -> Result<(Response, Timings)> {
        let question = Question::new(self, request, encoders, ui)?;
        let Reply { response, timings, .. } = question.answer(self, false)?;
        Ok((response, timings))
    }
}

/// The answers of several bundles.
pub(crate) struct Replies<T> {
    /// The answers with the places of their bundles.
    pub answers: Vec<(usize, T)>,
    /// The errors of the bundles that cannot answer, with their names.
    pub refusals: Vec<(String, anyhow::Error)>,
}

impl<T> Replies<T> {
    /// Returns the answers, and prints a warning for each bundle that could not answer.
    ///
    /// # Errors
    /// The first error if no bundle has answered.
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

/// Searches several bundles as one. `question` makes the request to each, in order; then all are
/// searched on all cores. If one cannot answer (for example because it lacks an attribute), the
/// others still do.
pub(crate) fn ask_as_one<A: BorrowMut<OpenBundle> + Send>(
    bundles: impl IntoIterator<Item = A>,
    mut question: impl FnMut(&mut OpenBundle) -> Result<Question>,
) -> Replies<(A, Reply)> {
    let mut party = Vec::new();
    let mut refusals = Vec::new();
    for (place, mut asked) in bundles.into_iter().enumerate() {
        match question(asked.borrow_mut()) {
            Ok(question) => party.push(Guest { place, asked, question, reply: None }),
            Err(error) => refusals.push((place, asked.borrow().name.clone(), error)),
        }
    }
    let is_joined = party.len() > 1 && party.iter().all(|guest| guest.question.is_shared());
    if is_joined {
        join(&mut party, false);
    }
    search(&mut party, is_joined);
    let leaves_nothing = |guest: &Guest<A>| {
        let reply = guest.reply.as_ref().and_then(|reply| reply.as_ref().ok());
        reply.is_none_or(|reply| reply.response.total.pages == 0)
    };
    let strict = party.iter().any(|guest| guest.question.is_strict());
    if is_joined && strict && party.iter().all(leaves_nothing) {
        join(&mut party, true);
        search(&mut party, is_joined);
    }
    let mut answers = Vec::new();
    for Guest { place, mut asked, reply, .. } in party {
        together::part(&mut asked.borrow_mut().host);
        match reply {
            Some(Ok(reply)) => answers.push((place, (asked, reply))),
            Some(Err(error)) => refusals.push((place, asked.borrow().name.clone(), error)),
            None => {}
        }
    }
    refusals.sort_by_key(|(place, ..)| *place);
    let refusals = refusals.into_iter().map(|(_, name, error)| (name, error)).collect();
    Replies { answers, refusals }
}

/// A bundle that is searched together with others.
struct Guest<A> {
    /// The index among all searched bundles.
    place: usize,
    asked: A,
    question: Question,
    reply: Option<Result<Reply>>,
}

/// Makes bundles score with the statistics of all. If one cannot be read, its reply is the error.
fn join<A: BorrowMut<OpenBundle>>(party: &mut [Guest<A>], relaxes: bool) {
    let mut asked: Vec<together::Asked<'_>> = party
        .iter_mut()
        .map(|guest| together::Asked {
            host: &mut guest.asked.borrow_mut().host,
            request: &mut guest.question.request,
            encoder: guest.question.encoder.as_deref(),
        })
        .collect();
    let errors = together::join(&mut asked, relaxes);
    drop(asked);
    for (guest, error) in party.iter_mut().zip(errors) {
        let counted = |error| Err(with_counts(&guest.asked.borrow().host, error));
        guest.reply = error.map(counted);
    }
}

/// Searches the bundles that have not failed.
fn search<A: BorrowMut<OpenBundle> + Send>(party: &mut [Guest<A>], is_joined: bool) {
    party.par_iter_mut().for_each(|Guest { asked, question, reply, .. }| {
        if !matches!(reply, Some(Err(_))) {
            *reply = Some(question.answer(asked.borrow_mut(), is_joined));
        }
    });
}

/// The answer of one bundle.
pub(crate) struct Group {
    pub asked: OpenBundle,
    pub response: Response,
    /// The vectors, if the command includes them.
    pub vectors: Option<Vectors>,
    pub timings: Timings,
}

/// Searches each bundle. The bundle of the working directory comes first, then the one with the
/// best page. A collection that cannot answer the request is reported if others can answer.
/// `vectors`: whether the vectors of the sections shown are included.
pub(crate) fn ask(
    wanted: Searched<'_>,
    options: &SearchOptions,
    request: &Request,
    vectors: bool,
    ui: &Ui,
) -> Result<(Vec<Group>, Failures)> {
    let Opened { mut asked, mut failed } = open(wanted, &options.vectors, options.fresh, ui)?;
    let may_fit = |asked: &OpenBundle| options.conditions.may_fit(asked.host.manifest());
    if asked.iter().any(may_fit) {
        asked.retain(may_fit);
    }
    let encoders = Encoders::new(options.ranking.query_encoder.clone());
    let replies = ask_as_one(asked, |asked| {
        asked.host.set_streamed(options.ranking.streamed);
        let mut request = request.clone();
        options.complete_for(&mut request, &asked.host)?;
        if vectors {
            require_vectors(&asked.host, &asked.name)?;
        }
        Ok(Question { vectors, ..Question::new(asked, request, &encoders, ui)? })
    });
    let (answers, refused) = replies.some(ui)?;
    failed.extend(refused);
    let mut groups = Vec::new();
    for (_, (asked, Reply { mut response, timings, vectors })) in answers {
        options.arrange(&mut response, asked.host.manifest());
        for notice in response.notices.iter().filter(|notice| notice.code == READ_AS) {
            ui.warn(format!("{}: {}", asked.name, notice.message));
        }
        groups.push(Group { asked, response, vectors, timings });
    }
    let first = |group: &Group| group.response.results.first().cloned();
    groups.sort_by(|a, b| {
        let of_here = b.asked.is_here.cmp(&a.asked.is_here);
        of_here.then_with(|| match (asks_for_all(request), first(a), first(b)) {
            (false, ..) => best(&b.response).total_cmp(&best(&a.response)),
            (true, Some(a), Some(b)) => newest_first(&a, &b),
            (true, a, b) => b.is_some().cmp(&a.is_some()),
        })
    });
    Ok((groups, failed))
}

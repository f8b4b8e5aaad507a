//! The thread that searches. The screen sends it questions and never waits for the answers.

use std::path::PathBuf;
use std::sync::mpsc::{Receiver, Sender, TryRecvError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use anyhow::Result;
use findling_bundle::EntryFile;
use findling_engine::filter::{Bound, Condition, Predicate};
use findling_engine::{Facet, Limit, Mode as EngineMode, Request, Response};
use serde_json::Value;

use super::modes::{Mode, Stage, StageEncoders};
use super::rows::{Row, rows};
use crate::bundle_files::Location;
use crate::collections::Target;
use crate::commands::ask::{Question as Asked, Replies, Reply, ask_as_one};
use crate::commands::dependencies::Searched;
use crate::commands::merged_facets::merge;
use crate::commands::newest::{date_of_pages, newest_first};
use crate::commands::open_bundle::{OpenBundle, Opened, open};
use crate::commands::require_fresh::RequireFresh;
use crate::commands::search::with_conditions;
use crate::commands::vector_name::VectorName;
use crate::host::Host;
use crate::models;
use crate::output::{Sources, UsageError};
use crate::safe_text::line;
use crate::ui::Ui;

/// Maximum number of pages of an answer.
const MAX_ROWS: usize = 50;

/// Pause in typing after which a model embeds the query.
const PAUSE: Duration = Duration::from_millis(120);

/// A job of the thread.
#[derive(Clone, Debug)]
pub enum Job {
    Ask(Question),
    /// Open the bundles again, since one was replaced.
    Reopen,
}

/// A query and how it is searched.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    /// A number that distinguishes its answers from answers to earlier questions.
    pub id: u64,
    pub query: String,
    pub mode: Mode,
    /// The first day of the pages shown, if the time is limited.
    pub since: Option<String>,
    /// The page to which similar pages are searched instead of the query: its bundle and id.
    pub like: Option<(usize, String)>,
    pub filter: Option<Value>,
    /// Whether values of attributes are counted.
    pub facets: bool,
}

/// A bundle that is open.
#[derive(Clone, Debug)]
pub struct Bundle {
    /// The bundle's name for people, without control characters.
    pub name: String,
    /// A name that finds the bundle again; empty if there is none.
    pub lasting_name: String,
    /// The bundle's location on this machine.
    pub location: Location,
    pub sources: Sources,
    pub pages: u64,
    /// The entry file, which changes when another bundle takes its place.
    pub entry: EntryFile,
}

/// An answer, or a stage of one.
#[derive(Debug)]
pub struct Answer {
    /// The question's number.
    pub id: u64,
    pub stage: Stage,
    /// Whether no better answer follows.
    pub is_last: bool,
    pub rows: Vec<Row>,
    pub facets: Vec<Facet>,
    pub pages: u64,
    pub sections: u64,
    pub took: Duration,
    /// Corrections, notices, suggestions and errors; harmless.
    pub remarks: Vec<String>,
    /// Whether no bundle could answer.
    pub is_refused: bool,
    /// The model that would have to be installed for this answer.
    pub missing_model: Option<String>,
}

/// A message of the thread.
#[derive(Debug)]
pub enum News {
    /// The bundles were opened, or opened again.
    Opened(Vec<Bundle>),
    /// A bundle was replaced by one that cannot be opened; the old one remains in use.
    Kept,
    /// Nothing can be searched.
    Failed(anyhow::Error),
    Answer(Box<Answer>),
}

/// The scope of a search.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// The bundles; all collections without any.
    pub targets: Vec<PathBuf>,
    pub vectors: VectorName,
}

/// Opens the bundles, then answers until the sender is gone.
pub fn run(wanted: &Wanted, jobs: &Receiver<Job>, tell: &dyn Fn(News)) {
    let mut searcher = match Searcher::open(wanted) {
        Ok(searcher) => searcher,
        Err(error) => return tell(News::Failed(error)),
    };
    tell(News::Opened(searcher.bundles()));
    let mut waiting = None;
    loop {
        let Some(job) = waiting.take().or_else(|| jobs.recv().ok()) else { return };
        match job {
            Job::Reopen => {
                if let Ok(again) = Searcher::open(wanted) {
                    searcher = again;
                    tell(News::Opened(searcher.bundles()));
                } else {
                    tell(News::Kept);
                }
            }
            Job::Ask(question) => waiting = searcher.answer(&question, jobs, tell),
        }
    }
}

/// Returns a job that arrived during another one.
fn newer(jobs: &Receiver<Job>, pause: Duration) -> Option<Job> {
    let mut newest = jobs.recv_timeout(pause).ok();
    loop {
        match jobs.try_recv() {
            // Bundles are opened again before the next question.
            Ok(_) if matches!(newest, Some(Job::Reopen)) => {}
            Ok(job) => newest = Some(job),
            Err(TryRecvError::Empty | TryRecvError::Disconnected) => return newest,
        }
    }
}

struct Searcher {
    opened: Opened,
    encoders: StageEncoders,
    console: Ui,
}

impl Searcher {
    fn open(Wanted { targets, vectors }: &Wanted) -> Result<Self> {
        // Messages would be written over the screen.
        let console = Ui::silent();
        let opened = open(Searched::Named(targets), vectors, RequireFresh::default(), &console)?;
        if let (true, Some((_, failure))) = (opened.asked.is_empty(), opened.failed.first()) {
            anyhow::bail!("{}", failure.message);
        }
        Ok(Self { opened, encoders: StageEncoders::default(), console })
    }

    fn bundles(&self) -> Vec<Bundle> {
        let bundle = |asked: &OpenBundle| Bundle {
            name: line(&asked.name).into_owned(),
            lasting_name: asked.target.as_ref().map(Target::lasting_name).unwrap_or_default(),
            location: asked.host.files().location(),
            sources: asked.sources.clone(),
            entry: *asked.host.files().entry_file(),
            pages: u64::from(asked.host.manifest().stats.n_pages),
        };
        self.opened.asked.iter().map(bundle).collect()
    }

    /// Answers stage by stage. Returns a newer job as soon as there is one.
    fn answer(
        &mut self,
        question: &Question,
        jobs: &Receiver<Job>,
        tell: &dyn Fn(News),
    ) -> Option<Job> {
        let fits = |stage: &Stage| self.opened.asked.iter().any(|one| stage.fits(&one.host));
        let stages: Vec<Stage> = question.mode.stages().iter().copied().filter(fits).collect();
        for (at, &stage) in stages.iter().enumerate() {
            let embeds = matches!(stage, Stage::Hybrid | Stage::Transformer);
            if let Some(job) = newer(jobs, if embeds { PAUSE } else { Duration::ZERO }) {
                return Some(job);
            }
            let mut answer = self.ask(question, stage);
            answer.is_last = at + 1 == stages.len();
            tell(News::Answer(Box::new(answer)));
        }
        None
    }

    fn ask(&mut self, question: &Question, stage: Stage) -> Answer {
        let started = Instant::now();
        let mut answer = Answer {
            id: question.id,
            stage,
            is_last: false,
            rows: Vec::new(),
            facets: Vec::new(),
            pages: 0,
            sections: 0,
            took: Duration::ZERO,
            remarks: Vec::new(),
            is_refused: true,
            missing_model: None,
        };
        let encoders = self.encoders.of(stage);
        // Only the page's own bundle has its vectors.
        let of_like = question.like.as_ref().map(|(bundle, _)| *bundle);
        let first = of_like.unwrap_or(0);
        let asked = self.opened.asked.iter_mut().enumerate();
        let asked = asked.filter(|(at, _)| of_like.is_none_or(|bundle| bundle == *at));
        let Replies { answers, refusals } = ask_as_one(asked.map(|(_, asked)| asked), |asked| {
            let mut request = request(question, stage);
            if let Some(since) = &question.since {
                request.filter = since_day(&asked.host, request.filter.take(), since)?;
            }
            Asked::new(asked, request, encoders, &self.console)
        });
        for (bundle, (_, Reply { response, .. })) in answers {
            answer.is_refused = false;
            add(&mut answer, first + bundle, &response, stage);
        }
        for (_, error) in refusals {
            answer.remarks.push(line(&format!("{error:#}")).into_owned());
            answer.missing_model = answer.missing_model.or_else(|| missing_model(&error));
        }
        match question.like.is_none() && question.query.trim().is_empty() {
            true => answer.rows.sort_by(|a, b| {
                newest_first(&a.page, &b.page).then_with(|| b.comparable.total_cmp(&a.comparable))
            }),
            false => answer.rows.sort_by(|a, b| b.comparable.total_cmp(&a.comparable)),
        }
        answer.rows.truncate(MAX_ROWS);
        for (name, failure) in &self.opened.failed {
            let remark = format!("{name} cannot be searched: {}", failure.message);
            answer.remarks.push(line(&remark).into_owned());
        }
        answer.remarks.dedup();
        answer.took = started.elapsed();
        answer
    }
}

/// Returns the model that an error says is not installed.
fn missing_model(error: &anyhow::Error) -> Option<String> {
    error.chain().find_map(|cause| match cause.downcast_ref()? {
        models::Error::NotInstalled { name, .. } => Some(name.clone()),
        _ => None,
    })
}

/// Returns a filter that lets only pages since a day through.
///
/// # Errors
/// If pages have no date.
fn since_day(host: &Host, filter: Option<Value>, since: &str) -> Result<Option<Value>> {
    let date = date_of_pages(host.manifest()).ok_or_else(|| {
        let message = "its pages have no date; F12 shows those of any time";
        UsageError { code: "unknown-attribute", message: message.to_owned() }
    })?;
    let since = Condition::test(date, Predicate::Compare(Bound::Gte, since.to_owned()));
    Ok(with_conditions(filter, vec![since])?)
}

fn request(question: &Question, stage: Stage) -> Request {
    let like = question.like.as_ref().map(|(_, id)| id.clone());
    Request {
        query: if like.is_some() { String::new() } else { question.query.clone() },
        similar_to: like,
        mode: stage.mode(),
        encoder: stage.encoder().of_engine(),
        filter: question.filter.clone(),
        limit: Limit(MAX_ROWS as u32),
        prefix: true,
        facets: if question.facets { vec!["*".to_owned()] } else { Vec::new() },
        facets_instead: question.facets,
        ..Request::default()
    }
}

fn add(answer: &mut Answer, bundle: usize, response: &Response, stage: Stage) {
    answer.rows.extend(rows(bundle, response));
    merge(&mut answer.facets, &response.facets);
    answer.pages += u64::from(response.total.pages);
    answer.sections += u64::from(response.total.sections);
    let remarks = &mut answer.remarks;
    for fixed in &response.corrections {
        remarks.push(format!("searched {} for {}", line(&fixed.replacement), line(&fixed.word)));
    }
    if stage.mode() != EngineMode::Lexical || response.results.is_empty() {
        remarks.extend(response.notices.iter().map(|notice| line(&notice.message).into_owned()));
    }
    let instead = response.suggestions.iter().filter(|_| response.results.is_empty());
    for suggestion in instead.take(3) {
        let asked = [suggestion.query.as_str(), suggestion.filter.as_deref().unwrap_or_default()];
        let asked: Vec<_> =
            asked.iter().filter(|part| !part.is_empty()).map(|part| line(part)).collect();
        if !asked.is_empty() {
            remarks.push(format!("did you mean {}", asked.join(" ")));
        }
    }
}

/// Starts the thread.
///
/// # Errors
/// If the system refuses.
pub fn spawn(
    wanted: Wanted,
    jobs: Receiver<Job>,
    news: Sender<super::Message>,
) -> std::io::Result<JoinHandle<()>> {
    let tell = move |one| {
        // The screen is gone when the program ends.
        let _ = news.send(super::Message::Search(one));
    };
    std::thread::Builder::new().name("search".to_owned()).spawn(move || run(&wanted, &jobs, &tell))
}

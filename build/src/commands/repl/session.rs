//! The state of the prompt: open bundles, settings, filters and the last answer.

use std::collections::HashMap;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use findling_engine::filter::Condition;
use findling_engine::{Facet, Limit, Request, Response};
use serde_json::Value;

use crate::commands::ask::{Question, Reply, ask_as_one};
use crate::commands::dependencies::Searched;
use crate::commands::merged_facets::most_frequent_first;
use crate::commands::open_bundle::{OpenBundle, Opened, open};
use crate::commands::require_fresh::RequireFresh;
use crate::commands::search::{FormatArg, condition, parse_filter};
use crate::commands::tui::modes::{Mode, Stage, StageEncoders};
use crate::commands::vector_name::VectorName;
use crate::output::{Answer, LastHit, Meta, UsageError, best};
use crate::safe_text::line;
use crate::ui::Ui;

/// Maximum number of values of an attribute that are offered.
const MAX_VALUES: usize = 1_000;

/// The state between two lines.
pub struct Session {
    pub asked: Vec<OpenBundle>,
    encoders: StageEncoders,
    pub mode: Mode,
    pub format: FormatArg,
    pub limit: u32,
    /// Each filter as typed, with its condition.
    pub filters: Vec<(String, Condition)>,
    pub last: Option<LastAnswer>,
    /// Values of attributes that were offered, by name.
    values: HashMap<String, Vec<String>>,
    console: Ui,
}

/// The answer to the last query.
pub struct LastAnswer {
    /// The request as sent, with the filters and the limit of that moment.
    pub request: Request,
    pub mode: Mode,
    /// Number of pages shown by earlier answers; the numbering continues from there.
    shown: usize,
    /// The best first. Bundles that found nothing are left out.
    pub found: Vec<Found>,
}

/// The response of one bundle.
pub struct Found {
    /// The place of the bundle.
    bundle: usize,
    pub response: Response,
    meta: Meta,
}

impl Session {
    /// Opens the bundles.
    ///
    /// # Errors
    /// If there is nothing to search.
    pub fn open(targets: &[PathBuf], vectors: &VectorName, ui: &Ui) -> Result<Self> {
        let Opened { asked, failed } =
            open(Searched::Named(targets), vectors, RequireFresh::default(), ui)?;
        if let (true, Some((_, failure))) = (asked.is_empty(), failed.first()) {
            bail!("{}", failure.message);
        }
        Ok(Self {
            asked,
            encoders: StageEncoders::default(),
            mode: Mode::default(),
            format: FormatArg::Text,
            limit: 5,
            filters: Vec::new(),
            last: None,
            values: HashMap::new(),
            console: ui.clone(),
        })
    }

    /// Returns the prompt: the searched bundles, and the filters.
    pub fn prompt(&self) -> String {
        let name = match &self.asked[..] {
            [one] => line(&one.name).into_owned(),
            several => format!("{} collections", several.len()),
        };
        let filters: Vec<_> = self.filters.iter().map(|(text, _)| line(text)).collect();
        match filters.is_empty() {
            true => format!("{name}> "),
            false => format!("{name} [{}]> ", filters.join(", ")),
        }
    }

    /// Returns names of attributes in all bundles, in order.
    pub fn attributes(&self) -> Vec<String> {
        let of = |asked: &OpenBundle| asked.host.manifest().attributes.clone();
        let mut names: Vec<String> =
            self.asked.iter().flat_map(of).map(|attribute| attribute.name).collect();
        names.sort();
        names.dedup();
        names
    }

    /// Returns the values of an attribute in all bundles, the most frequent first; empty if no
    /// bundle has it.
    pub fn values(&mut self, name: &str) -> Vec<String> {
        if let Some(known) = self.values.get(name) {
            return known.clone();
        }
        let mut counted: HashMap<String, u32> = HashMap::new();
        for asked in &mut self.asked {
            let request = Request {
                limit: Limit(0),
                facets: vec![name.to_owned()],
                mode: findling_engine::Mode::Lexical,
                ..Request::default()
            };
            let Ok((response, _)) = asked.host.search(request) else { continue };
            for (value, count) in response.facets.into_iter().flat_map(|facet| facet.values) {
                *counted.entry(value).or_default() += count;
            }
        }
        let values = most_frequent_first(counted).into_iter().take(MAX_VALUES);
        let values: Vec<String> = values.map(|(value, _)| value).collect();
        self.values.insert(name.to_owned(), values.clone());
        values
    }

    /// Keeps a filter if a bundle can be searched with it. Returns how many pages pass all filters.
    ///
    /// # Errors
    /// If it cannot be read, or no bundle has its attributes.
    pub fn add_filter(&mut self, text: &str) -> Result<u64> {
        let parsed = parse_filter(text).map_err(|message| UsageError {
            code: "filter",
            message: format!("filter: {message}"),
        })?;
        self.filters.push((text.to_owned(), condition(&parsed)?));
        let request =
            Request { limit: Limit(0), mode: findling_engine::Mode::Lexical, ..self.request("") };
        let Self { asked, encoders, console, filters, .. } = self;
        let replies = ask_as_one(asked, |asked| {
            Question::new(asked, request.clone(), encoders.of(Stage::Words), console)
        });
        let (answers, _) = replies.some(console).inspect_err(|_| drop(filters.pop()))?;
        let responses = || answers.iter().map(|(_, (_, reply))| &reply.response);
        for notice in responses().flat_map(|response| &response.notices) {
            console.warn(&notice.message);
        }
        Ok(responses().map(|response| u64::from(response.total.pages)).sum())
    }

    fn filter(&self) -> Option<Value> {
        let conditions = self.filters.iter().map(|(_, condition)| condition.clone());
        let all = Condition::all(conditions);
        (!all.is_everything()).then(|| all.to_json())
    }

    /// Returns the request for a query with the settings.
    fn request(&self, query: &str) -> Request {
        Request {
            query: query.to_owned(),
            filter: self.filter(),
            limit: Limit(self.limit),
            ..Request::default()
        }
    }

    /// Searches every bundle for a query with the settings, and keeps the answer.
    ///
    /// # Errors
    /// The errors of [`Session::reply`].
    pub fn ask(&mut self, query: &str) -> Result<()> {
        self.last = Some(self.reply(self.request(query), self.mode, 0)?);
        Ok(())
    }

    /// Requests the pages that follow the last answer, from each bundle.
    ///
    /// # Errors
    /// If there was no query; and as [`Session::reply`].
    pub fn more(&mut self) -> Result<()> {
        let last = self.last_answer()?;
        let request = &last.request;
        let request = Request { offset: request.offset + request.limit.0, ..request.clone() };
        let pages: usize = last.found.iter().map(|one| one.response.results.len()).sum();
        let (mode, shown) = (last.mode, last.shown + pages);
        self.last = Some(self.reply(request, mode, shown)?);
        Ok(())
    }

    /// Searches every bundle. A bundle that cannot answer gives a warning if others can.
    ///
    /// # Errors
    /// If no bundle can answer.
    fn reply(&mut self, request: Request, mode: Mode, shown: usize) -> Result<LastAnswer> {
        let Self { asked, encoders, console, .. } = self;
        let replies =
            ask_as_one(asked, |asked| question(asked, request.clone(), mode, encoders, console));
        let (answers, _) = replies.some(console)?;
        let mut found = Vec::new();
        for (bundle, (asked, Reply { response, timings, .. })) in answers {
            let meta = asked.target.as_ref().map(|target| Meta::new(target, &asked.host, timings));
            found.push(Found { bundle, response, meta: meta.unwrap_or_default() });
        }
        for notice in found.iter().flat_map(|one| &one.response.notices) {
            console.warn(&notice.message);
        }
        // A single bundle's response says that nothing was found, and suggests other queries.
        if found.len() > 1 && request.limit.0 > 0 {
            found.retain(|one| !one.response.results.is_empty());
        }
        found.sort_by(|a, b| best(&b.response).total_cmp(&best(&a.response)));
        Ok(LastAnswer { request, mode, shown, found })
    }

    /// Returns the answer to the last query.
    ///
    /// # Errors
    /// If there is none.
    pub fn last_answer(&self) -> Result<&LastAnswer> {
        self.last.as_ref().ok_or_else(|| {
            let message = "expected a query before this command, found none".to_owned();
            UsageError { code: "no-last", message }.into()
        })
    }

    /// Counts values of attributes over the results of the last query, or over all pages, in each
    /// bundle.
    ///
    /// # Errors
    /// The errors of [`Session::ask`].
    pub fn facets(&mut self, name: Option<&str>) -> Result<Vec<Facet>> {
        let (request, mode) = match &self.last {
            Some(last) => (last.request.clone(), last.mode),
            None => (self.request(""), self.mode),
        };
        let facets = vec![name.unwrap_or("*").to_owned()];
        let request = Request { limit: Limit(0), offset: 0, facets, ..request };
        let found = self.reply(request, mode, 0)?.found;
        Ok(found.into_iter().flat_map(|one| one.response.facets).collect())
    }

    /// Searches the bundle of a hit again to get the components of its scores. Returns the number
    /// of the bundle, the place of the hit in it, and the answer.
    ///
    /// # Errors
    /// If there is no such hit; errors of the encoder and of the engine.
    pub fn explained(&mut self, number: usize) -> Result<(usize, usize, Response)> {
        let (bundle, place, _) = self.hit(number)?;
        let last = self.last_answer()?;
        let (request, mode) = (Request { explain: true, ..last.request.clone() }, last.mode);
        // All bundles are searched again, because scores are relative to all of them.
        let Self { asked, encoders, console, .. } = self;
        let replies =
            ask_as_one(asked, |asked| question(asked, request.clone(), mode, encoders, console));
        let (answers, _) = replies.some(console)?;
        let own = answers.into_iter().find(|(place, _)| *place == bundle);
        let (_, (_, reply)) = own.context("the collection does not answer any more")?;
        Ok((bundle, place, reply.response))
    }

    /// Returns the last answer as it is printed. Hits are numbered across bundles.
    pub fn answers(&self) -> Vec<Answer<'_>> {
        let Some(last) = &self.last else { return Vec::new() };
        let mut offset = last.shown as u32;
        let mut answers = Vec::new();
        for Found { bundle, response, meta } in &last.found {
            let asked = &self.asked[*bundle];
            answers.push(Answer {
                response,
                offset,
                meta,
                sources: &asked.sources,
                collection: (self.asked.len() > 1).then_some(&*asked.name),
                group_by: None,
                timings: false,
                vectors: None,
            });
            offset += response.results.len() as u32;
        }
        answers
    }

    /// Returns the bundle, the place in its answer, and the hit that a printed number denotes.
    ///
    /// # Errors
    /// If there is no such hit.
    pub fn hit(&self, number: usize) -> Result<(usize, usize, LastHit)> {
        let last = self.last_answer()?;
        let first = last.shown + 1;
        let mut from = first;
        for Found { bundle, response, meta } in &last.found {
            let place = number.checked_sub(from);
            if let Some((place, page)) = place.and_then(|at| Some((at, response.results.get(at)?)))
            {
                let asked = &self.asked[*bundle];
                let collection = (self.asked.len() > 1).then_some(&*asked.name);
                let of = &meta.bundle.lasting_name;
                let hit = LastHit::of(number, page, &asked.sources, collection, of);
                return Ok((*bundle, place, hit));
            }
            from += response.results.len();
        }
        let found =
            if from == first { "no hits".to_owned() } else { format!("{first} to {}", from - 1) };
        let message = format!("expected the number of a hit ({found}), found {number}");
        Err(UsageError { code: "no-last", message }.into())
    }
}

/// Returns the question to one bundle, for the best stage of the mode that the bundle supports.
fn question(
    asked: &mut OpenBundle,
    request: Request,
    mode: Mode,
    encoders: &mut StageEncoders,
    console: &Ui,
) -> Result<Question> {
    let stages = mode.stages().iter().rev();
    let stage = stages.copied().find(|stage| stage.fits(&asked.host)).unwrap_or(Stage::Words);
    let encoder = stage.encoder().of_engine();
    let request = Request { mode: stage.mode(), encoder, ..request };
    Question::new(asked, request, encoders.of(stage), console)
}

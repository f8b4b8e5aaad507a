//! What the prompt keeps: open bundles, settings, filters and the last answer.

use std::collections::HashMap;
use std::path::PathBuf;

use anyhow::{Result, bail};
use findling_engine::filter::Condition;
use findling_engine::{Limit, Request, Response};
use serde_json::Value;

use crate::commands::asked::{Asked, Encoders, Opened, open};
use crate::commands::search::{FormatArg, condition, parse_filter};
use crate::commands::tui::modes::{Mode, Stage};
use crate::output::{Answer, Asked as Question, LastHit, Meta};
use crate::safe_text::line;
use crate::ui::Ui;

/// Most values that are offered of an attribute.
const MAX_VALUES: usize = 1_000;

/// The state between two lines.
pub struct Session {
    pub asked: Vec<Asked>,
    encoders: Vec<(Stage, Encoders)>,
    pub mode: Mode,
    pub format: FormatArg,
    pub limit: u32,
    /// As typed, and what it means.
    pub filters: Vec<(String, Condition)>,
    pub last: Option<LastAnswer>,
    /// Values of attributes that were offered, by name.
    values: HashMap<String, Vec<String>>,
    console: Ui,
}

/// The answer to the query asked last.
pub struct LastAnswer {
    pub query: String,
    /// How many pages were skipped first.
    pub offset: u32,
    /// By the place of the bundle, the best first. Bundles that found nothing are left out.
    pub found: Vec<(usize, Response)>,
}

impl Session {
    /// Opens the bundles.
    ///
    /// # Errors
    /// If there is nothing to search.
    pub fn open(targets: &[PathBuf], ui: &Ui) -> Result<Self> {
        let Opened { asked, failed } = open(targets, ui)?;
        if let (true, Some((_, failure))) = (asked.is_empty(), failed.first()) {
            bail!("{}", failure.message);
        }
        Ok(Self {
            asked,
            encoders: Vec::new(),
            mode: Mode::default(),
            format: FormatArg::Text,
            limit: 5,
            filters: Vec::new(),
            last: None,
            values: HashMap::new(),
            console: ui.clone(),
        })
    }

    /// The prompt: what is searched, and the filters.
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

    /// Names of attributes in all bundles, in order.
    pub fn attributes(&self) -> Vec<String> {
        let of = |asked: &Asked| asked.host.manifest().attributes.clone();
        let mut names: Vec<String> =
            self.asked.iter().flat_map(of).map(|attribute| attribute.name).collect();
        names.sort();
        names.dedup();
        names
    }

    /// Values of an attribute in all bundles, the most frequent first; none if no bundle has it.
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
        let mut values: Vec<(String, u32)> = counted.into_iter().collect();
        values.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        let values: Vec<String> =
            values.into_iter().take(MAX_VALUES).map(|(value, _)| value).collect();
        self.values.insert(name.to_owned(), values.clone());
        values
    }

    /// Keeps a filter if a bundle can be searched with it. Returns how many pages pass all filters.
    ///
    /// # Errors
    /// If it cannot be read, or no bundle has its attributes.
    pub fn add_filter(&mut self, text: &str) -> Result<u64> {
        let parsed = parse_filter(text).map_err(|message| Question {
            code: "filter",
            message: format!("filter: {message}"),
        })?;
        self.filters.push((text.to_owned(), condition(&parsed)?));
        let request =
            Request { limit: Limit(0), mode: findling_engine::Mode::Lexical, ..self.request("") };
        let (mut pages, mut refused) = (None, None);
        for asked in &mut self.asked {
            match asked.host.search(request.clone()) {
                Ok((response, _)) => {
                    *pages.get_or_insert(0) += u64::from(response.total.pages);
                    for notice in &response.notices {
                        self.console.warn(&notice.message);
                    }
                }
                Err(error) => refused = refused.or(Some(error)),
            }
        }
        if let (None, Some(error)) = (pages, refused) {
            self.filters.pop();
            return Err(error);
        }
        Ok(pages.unwrap_or(0))
    }

    fn filter(&self) -> Option<Value> {
        let conditions = self.filters.iter().map(|(_, condition)| condition.clone());
        let all = Condition::all(conditions);
        (!all.is_everything()).then(|| all.to_json())
    }

    /// The request for a query with the settings.
    pub fn request(&self, query: &str) -> Request {
        Request {
            query: query.to_owned(),
            filter: self.filter(),
            limit: Limit(self.limit),
            ..Request::default()
        }
    }

    /// Asks every bundle and keeps the answer. A bundle that cannot answer is a warning if others
    /// can.
    ///
    /// # Errors
    /// If none can.
    pub fn ask(&mut self, request: &Request) -> Result<()> {
        let (mut found, mut answered, mut refused) = (Vec::new(), false, None);
        for bundle in 0..self.asked.len() {
            match self.answer(bundle, request.clone()) {
                Ok(response) => {
                    answered = true;
                    for notice in &response.notices {
                        self.console.warn(&notice.message);
                    }
                    found.push((bundle, response));
                }
                Err(error) if refused.is_none() => refused = Some(error),
                Err(error) => self.console.warn(format!("{error:#}")),
            }
        }
        match refused {
            Some(error) if !answered => return Err(error),
            Some(error) => self.console.warn(format!("{error:#}")),
            None => {}
        }
        // A single bundle says that it found nothing, and what to ask instead.
        if found.len() > 1 {
            found.retain(|(_, response)| !response.results.is_empty());
        }
        let best = |response: &Response| {
            let first = response.results.first();
            first.map_or(0.0, |page| crate::output::comparable(response, page))
        };
        found.sort_by(|(_, a), (_, b)| best(b).total_cmp(&best(a)));
        self.last =
            Some(LastAnswer { query: request.query.clone(), offset: request.offset, found });
        Ok(())
    }

    /// What one bundle answers, by the best stage of the mode that it can give.
    ///
    /// # Errors
    /// Those of the encoder and of the engine.
    pub fn answer(&mut self, bundle: usize, request: Request) -> Result<Response> {
        let asked = &mut self.asked[bundle];
        let stages = self.mode.stages().iter().rev();
        let stage = stages.copied().find(|stage| stage.fits(&asked.host)).unwrap_or(Stage::Words);
        let known = self.encoders.iter().position(|(of, _)| *of == stage);
        let known = known.unwrap_or_else(|| {
            self.encoders.push((stage, Encoders::new(stage.encoder())));
            self.encoders.len() - 1
        });
        let encoder = stage.encoder().of_engine();
        let request = Request { mode: stage.mode(), encoder, ..request };
        Ok(asked.answer(request, &mut self.encoders[known].1, &self.console)?.0)
    }

    /// The last answer as it is printed. Numbers go on from one bundle to the next.
    pub fn answers<'a>(&'a self, meta: &'a Meta) -> Vec<Answer<'a>> {
        let Some(last) = &self.last else { return Vec::new() };
        let mut offset = last.offset;
        let mut answers = Vec::new();
        for (bundle, response) in &last.found {
            let asked = &self.asked[*bundle];
            answers.push(Answer {
                response,
                offset,
                meta,
                sources: &asked.sources,
                collection: (self.asked.len() > 1).then_some(&*asked.name),
                timings: false,
            });
            offset += response.results.len() as u32;
        }
        answers
    }

    /// The bundle, the place in its answer, and the hit, of a number that was printed.
    ///
    /// # Errors
    /// If there is no such hit.
    pub fn hit(&self, number: usize) -> Result<(usize, usize, LastHit)> {
        let Some(last) = &self.last else {
            let message = "expected a query before this command, found none".to_owned();
            return Err(Question { code: "no-last", message }.into());
        };
        let first = last.offset as usize + 1;
        let mut from = first;
        for (bundle, response) in &last.found {
            let place = number.checked_sub(from);
            if let Some((place, page)) = place.and_then(|at| Some((at, response.results.get(at)?)))
            {
                let asked = &self.asked[*bundle];
                let collection = (self.asked.len() > 1).then_some(&*asked.name);
                let hit = LastHit::of(number, page, &asked.sources, collection);
                return Ok((*bundle, place, hit));
            }
            from += response.results.len();
        }
        let found =
            if from == first { "no hits".to_owned() } else { format!("{first} to {}", from - 1) };
        let message = format!("expected the number of a hit ({found}), found {number}");
        Err(Question { code: "no-last", message }.into())
    }
}

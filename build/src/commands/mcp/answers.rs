//! The answers of the tools. They block, so the server runs them on a thread of their own.

use anyhow::Result;
use findling_bundle::AttributeKind;
use findling_engine::{Limit, PageHit, Request, Response, SectionsPerPage};
use serde::Serialize;
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use super::progress::Progress;
use super::text;
use super::types::{
    AttributeOutput, CollectionOutput, CollectionsOutput, ContextInput, ContextOutput, FacetOutput,
    FacetsInput, FacetsOutput, FailedOutput, Hit, PassageOutput, ReadInput, ReadOutput,
    SearchInput, SearchOutput, SimilarInput, UNTRUSTED, ValueOutput, limit, tokens,
};
use crate::commands::ask::{Question, ask_as_one};
use crate::commands::bundles::{Asked, Bundles};
use crate::commands::open_bundle::OpenBundle;
use crate::commands::search::{is_no_page, parse_filter};
use crate::host::Document;
use crate::output::{self, Failure, Place, Sources, UsageError, lines_of_anchor};
use crate::passages::{self, Passage, beginning, estimate};
use crate::safe_text::{line, lines, url};
use crate::ui::Ui;

/// Pages and sections that passages are taken from.
const CONTEXT_PAGES: u32 = 20;
const CONTEXT_SECTIONS: u32 = u32::MAX;
/// Tokens of an answer without its results.
const FRAME: usize = 60;

/// The data that a tool answers from.
pub struct Call<'a> {
    pub bundles: &'a Bundles,
    pub ui: &'a Ui,
    /// Set when the client has cancelled the request.
    pub cancelled: &'a CancellationToken,
    pub progress: &'a Progress,
}

/// The answers of the bundles that could answer, and why the others could not.
type Answers<T> = (Vec<T>, Vec<FailedOutput>);

/// Returns the answers with the failures of the other bundles.
///
/// # Errors
/// The first failure if no bundle has answered.
fn some<T>(answers: Vec<T>, mut failures: Vec<(String, anyhow::Error)>) -> Result<Answers<T>> {
    if answers.is_empty() && !failures.is_empty() {
        return Err(failures.swap_remove(0).1);
    }
    let failed = failures.iter().map(|(name, error)| FailedOutput {
        collection: line(name).into_owned(),
        code: Failure::of(error).code,
        message: lines(&format!("{error:#}")).into_owned(),
    });
    Ok((answers, failed.collect()))
}

/// The tokens that are left for an answer.
struct Budget(usize);

impl Budget {
    fn new(asked: Option<usize>) -> Self {
        Self(tokens(asked).saturating_sub(FRAME))
    }

    /// Reserves the tokens of an item, if enough are left.
    fn take(&mut self, item: &impl Serialize) -> bool {
        let json = serde_json::to_string(item).unwrap_or_default();
        match self.0.checked_sub(estimate(&json)) {
            Some(left) => {
                self.0 = left;
                true
            }
            None => false,
        }
    }
}

impl Call<'_> {
    fn go_on(&self) -> Result<()> {
        if self.cancelled.is_cancelled() {
            let message = "the request was cancelled".to_owned();
            return Err(UsageError { code: "cancelled", message }.into());
        }
        Ok(())
    }

    /// Returns the next bundle and reports progress: `done` of `all` bundles have answered.
    fn bundle(&self, name: &str, done: usize, all: usize) -> Result<Asked<'_>> {
        let what = if self.bundles.is_open(name) { "asking" } else { "opening" };
        self.progress.tell(done, all, format!("{what} {}", line(name)));
        self.bundles.get(name)
    }

    /// Searches each requested bundle.
    fn each<T>(
        &self,
        wanted: Option<&str>,
        mut ask: impl FnMut(&str, &mut OpenBundle) -> Result<T>,
    ) -> Result<Answers<T>> {
        let (mut answers, mut failures) = (Vec::new(), Vec::new());
        let names = self.bundles.wanted(wanted)?;
        for (done, name) in names.iter().enumerate() {
            self.go_on()?;
            let asked = self.bundle(name, done, names.len());
            match asked.and_then(|mut asked| ask(name, &mut asked)) {
                Ok(answer) => answers.push(answer),
                Err(error) => failures.push((name.clone(), error)),
            }
        }
        some(answers, failures)
    }

    /// Searches the requested bundles as one. `each` converts every answer.
    fn together<T>(
        &self,
        wanted: Option<&str>,
        request: &Request,
        mut each: impl FnMut(&str, &mut OpenBundle, Response) -> Result<T>,
    ) -> Result<Answers<T>> {
        let mut names = self.bundles.wanted(wanted)?;
        let mut seen = std::collections::HashSet::new();
        names.retain(|name| seen.insert(name.clone()));
        let (mut opened, mut failures) = (Vec::new(), Vec::new());
        for (done, name) in names.iter().enumerate() {
            self.go_on()?;
            match self.bundle(name, done, names.len()) {
                Ok(asked) => opened.push((name, asked)),
                Err(error) => failures.push((name.clone(), error)),
            }
        }
        let by_meaning = request.mode != findling_engine::Mode::Lexical;
        for (_, asked) in &opened {
            if self.bundles.is_first_question(&asked.name, by_meaning) {
                self.tell_what_takes_time(asked, request);
            }
        }
        self.go_on()?;
        let replies = ask_as_one(opened.iter_mut().map(|(_, asked)| &mut **asked), |asked| {
            Question::new(asked, request.clone(), self.bundles.encoders(), self.ui)
        });
        failures.extend(replies.refusals);
        let mut answers = Vec::new();
        for (at, (asked, reply)) in replies.answers {
            let name = &names[at];
            match each(name, asked, reply.response) {
                Ok(answer) => answers.push(answer),
                Err(error) => failures.push((name.clone(), error)),
            }
        }
        some(answers, failures)
    }

    fn answer(&self, asked: &mut OpenBundle, request: Request) -> Result<Response> {
        let by_meaning = request.mode != findling_engine::Mode::Lexical;
        if self.bundles.is_first_question(&asked.name, by_meaning) {
            self.tell_what_takes_time(asked, &request);
        }
        Ok(asked.answer(request, self.bundles.encoders(), self.ui)?.0)
    }

    /// Reports why the first question to a bundle takes longer.
    fn tell_what_takes_time(&self, asked: &OpenBundle, request: &Request) {
        let name = line(&asked.name);
        if asked.host.files().is_copy() {
            self.progress.tell_within(format!("fetching what the question needs from {name}"));
        }
        let by_meaning = request.mode != findling_engine::Mode::Lexical;
        let has_text = request.similar_to.is_none() && !request.query.is_empty();
        if by_meaning && has_text && asked.host.manifest().dense.is_some() {
            self.progress.tell_within(format!("loading the encoder of {name}"));
        }
    }

    /// Answers `search`.
    pub fn search(&self, input: SearchInput) -> Result<SearchOutput> {
        let (limit, filter) = (limit(input.limit), condition(input.filter.as_deref())?);
        let several = self.bundles.wanted(input.collection.as_deref())?.len() > 1;
        // With several bundles, the pages to skip are known only after all have answered.
        let (skip, ask) = match several {
            true => (input.offset as usize, limit.saturating_add(input.offset).min(1_000)),
            false => (0, limit),
        };
        let request = Request {
            query: input.query,
            mode: input.mode.into(),
            limit: Limit(ask),
            offset: if several { 0 } else { input.offset },
            filter,
            sections_per_page: SectionsPerPage(1),
            ..Request::default()
        };
        let (answered, failed) =
            self.together(input.collection.as_deref(), &request, |name, asked, response| {
                Ok((name.to_owned(), asked.sources.clone(), response))
            })?;
        let mut budget = Budget::new(input.tokens);
        budget.take(&failed);
        let rank = input.offset as usize;
        Ok(SearchOutput { failed, ..found(&answered, skip, limit as usize, rank, &mut budget) })
    }

    /// Answers `similar`.
    pub fn similar(&self, input: SimilarInput) -> Result<SearchOutput> {
        let limit = limit(input.limit);
        let (name, mut asked, url) = self.bundle_of(&input.url, input.collection.as_deref())?;
        let request = Request {
            limit: Limit(limit),
            similar_to: Some(url),
            sections_per_page: SectionsPerPage(1),
            ..Request::default()
        };
        let response = self.answer(&mut asked, request)?;
        let answered = [(name, asked.sources.clone(), response)];
        Ok(found(&answered, 0, limit as usize, 0, &mut Budget::new(input.tokens)))
    }

    /// Answers `context`.
    pub fn context(&self, input: ContextInput) -> Result<ContextOutput> {
        let filter = condition(input.filter.as_deref())?;
        let several = self.bundles.wanted(input.collection.as_deref())?.len() > 1;
        let request = Request {
            query: input.query,
            mode: input.mode.into(),
            limit: Limit(CONTEXT_PAGES),
            filter,
            sections_per_page: SectionsPerPage(CONTEXT_SECTIONS),
            ..Request::default()
        };
        let (mut lists, failed) =
            self.together(input.collection.as_deref(), &request, |name, asked, response| {
                let name = several.then_some(name);
                passages::candidates(&mut asked.host, &response, 0, &asked.sources, name)
            })?;
        let found = if several { passages::merged(lists) } else { lists.pop().unwrap_or_default() };
        let mut budget = Budget::new(input.tokens);
        budget.take(&failed);
        let taken = passages::fill(found, budget.0);
        Ok(ContextOutput {
            untrusted: UNTRUSTED,
            passages: taken.passages.into_iter().map(passage).collect(),
            tokens: taken.tokens,
            left_out: taken.left_out,
            failed,
        })
    }

    /// Answers `read`.
    pub fn read(&self, input: ReadInput) -> Result<ReadOutput> {
        let (collection, mut asked, wanted) =
            self.bundle_of(&input.url, input.collection.as_deref())?;
        let document = asked.host.document(&wanted)?;
        let (address, whole) = text::of(&document, &wanted)?;
        let from = whole.char_indices().nth(input.offset).map_or(whole.len(), |(at, _)| at);
        let file = asked.sources.file(&document.id);
        let mut output = ReadOutput {
            untrusted: UNTRUSTED,
            collection,
            title: line(&document.title).into_owned(),
            url: url(&address),
            file: file.map(|path| line(&path.to_string_lossy()).into_owned()),
            attributes: safe(document.attributes),
            text: String::new(),
            offset: input.offset,
            length: whole.chars().count(),
            next_offset: None,
        };
        let mut budget = Budget::new(input.tokens);
        budget.take(&output);
        output.text = beginning(&whole[from..], budget.0.max(1)).to_owned();
        let end = input.offset + output.text.chars().count();
        output.next_offset = (end < output.length).then_some(end);
        Ok(output)
    }

    /// Answers `list_collections`.
    pub fn list_collections(&self) -> Result<CollectionsOutput> {
        let names = self.bundles.names()?;
        let one = |name: String| {
            self.collection(&name).unwrap_or_else(|error| CollectionOutput {
                name,
                error: Some(lines(&format!("{error:#}")).into_owned()),
                ..CollectionOutput::default()
            })
        };
        Ok(CollectionsOutput { collections: names.into_iter().map(one).collect() })
    }

    fn collection(&self, name: &str) -> Result<CollectionOutput> {
        let asked = self.bundles.get(name)?;
        let manifest = asked.host.manifest();
        let target = asked.target.as_ref();
        let freshness = target.and_then(|target| target.freshness().ok().flatten());
        Ok(CollectionOutput {
            name: name.to_owned(),
            pages: manifest.stats.n_pages,
            sections: manifest.stats.n_sections,
            languages: manifest.languages.clone(),
            has_meaning: manifest.dense.is_some(),
            attributes: manifest
                .attributes
                .iter()
                .map(|attribute| AttributeOutput {
                    name: line(&attribute.name).into_owned(),
                    kind: kind(attribute.kind),
                })
                .collect(),
            synced: freshness.as_ref().and_then(|freshness| freshness.synced.clone()),
            stale: freshness.as_ref().map(|freshness| freshness.stale),
            error: None,
        })
    }

    /// Answers `facets`.
    pub fn facets(&self, input: FacetsInput) -> Result<FacetsOutput> {
        let filter = condition(input.filter.as_deref())?;
        let asks = match input.attributes.is_empty() {
            true => vec!["*".to_owned()],
            false => input.attributes.clone(),
        };
        let (mut budget, mut left_out) = (Budget::new(input.tokens), 0);
        let (lists, failed) = self.each(input.collection.as_deref(), |name, asked| {
            let request = Request {
                query: input.query.clone(),
                mode: findling_engine::Mode::Lexical,
                limit: Limit(0),
                filter: filter.clone(),
                facets: asks.clone(),
                ..Request::default()
            };
            Ok((name.to_owned(), self.answer(asked, request)?.facets))
        })?;
        budget.take(&failed);
        let mut facets = Vec::new();
        for (collection, facet) in lists
            .into_iter()
            .flat_map(|(name, list)| list.into_iter().map(move |f| (name.clone(), f)))
        {
            let name = line(&facet.name).into_owned();
            let mut output = FacetOutput { collection, name, values: Vec::new() };
            let has_room = budget.take(&output);
            for (value, pages) in facet.values {
                let value = ValueOutput { value: line(&value).into_owned(), pages };
                if has_room && budget.take(&value) {
                    output.values.push(value);
                } else {
                    left_out += 1;
                }
            }
            if has_room {
                facets.push(output);
            }
        }
        Ok(FacetsOutput { untrusted: UNTRUSTED, facets, left_out, failed })
    }

    /// Finds the bundle that has a page: the requested one, or the first that has it.
    fn bundle_of(
        &self,
        address: &str,
        wanted: Option<&str>,
    ) -> Result<(String, Asked<'_>, String)> {
        let names = self.bundles.wanted(wanted)?;
        let mut failed = None;
        for (done, name) in names.iter().enumerate() {
            self.go_on()?;
            let found = self.bundle(name, done, names.len()).and_then(|mut asked| {
                let address = address_in(&mut asked, address)?;
                Ok((asked, address))
            });
            match found {
                Ok((asked, address)) => return Ok((name.clone(), asked, address)),
                Err(error) if is_no_page(&error) => {}
                Err(error) => failed = failed.or(Some(error)),
            }
        }
        // The page may be in a bundle that could not be read.
        Err(failed.unwrap_or_else(|| {
            findling_engine::Error::NoSuchPage { address: address.to_owned() }.into()
        }))
    }

    /// Returns the page of a collection with an address, for a resource.
    pub fn page(&self, collection: &str, address: &str) -> Result<Document> {
        let name = self.bundles.wanted(Some(collection))?.remove(0);
        self.bundles.get(&name)?.host.document(address)
    }
}

/// Returns the address of a page of a bundle, or of its section, from an address or the file that
/// `search` and `context` return: `/src/a.rs`, `/src/a.rs:12`.
///
/// # Errors
/// If the bundle has no such page.
fn address_in(asked: &mut OpenBundle, given: &str) -> Result<String> {
    let error = match asked.host.document(given) {
        Ok(_) => return Ok(given.to_owned()),
        Err(error) if !is_no_page(&error) => return Err(error),
        Err(error) => error,
    };
    let Some((id, place)) = asked.sources.document_at(given) else { return Err(error) };
    let document = asked.host.document(&id)?;
    let section = match place {
        Some(Place::Line(line)) => document.sections.iter().find(|section| {
            let lines = section.anchor.as_deref().and_then(lines_of_anchor);
            lines.is_some_and(|(first, last)| (first..=last).contains(&line))
        }),
        _ => None,
    };
    Ok(section.map_or_else(|| document.url.clone(), |section| document.url_of(section)))
}

/// Parses a filter of a tool.
fn condition(text: Option<&str>) -> Result<Option<Value>> {
    let parsed = text.map(parse_filter).transpose();
    parsed.map_err(|message| UsageError { code: "filter", message }.into())
}

/// Merges the pages of several responses by score, as many as fit.
fn found(
    answered: &[(String, Sources, Response)],
    skip: usize,
    limit: usize,
    offset: usize,
    budget: &mut Budget,
) -> SearchOutput {
    let mut pages: Vec<(f32, &str, &Sources, &PageHit)> = Vec::new();
    for (name, sources, response) in answered {
        let scored = response.results.iter().map(|page| (output::comparable(response, page), page));
        pages.extend(scored.map(|(score, page)| (score, name.as_str(), sources, page)));
    }
    if answered.len() > 1 {
        pages.sort_by(|a, b| b.0.total_cmp(&a.0));
    }
    let wanted: Vec<_> = pages.into_iter().skip(skip).take(limit).collect();
    let n_wanted = wanted.len();
    let mut results = Vec::new();
    for (rank, (score, name, sources, page)) in (offset + 1..).zip(wanted) {
        let hit = hit(rank, score, name, sources, page);
        if !budget.take(&hit) {
            break;
        }
        results.push(hit);
    }
    let responses = || answered.iter().map(|(_, _, response)| response);
    let corrections = responses().flat_map(|response| &response.corrections);
    let notices = responses().flat_map(|response| &response.notices);
    SearchOutput {
        untrusted: UNTRUSTED,
        left_out: n_wanted - results.len(),
        results,
        total: responses().map(|response| response.total.pages).sum(),
        corrections: corrections
            .map(|slip| format!("{} for {}", line(&slip.replacement), line(&slip.word)))
            .collect(),
        notices: notices.map(|notice| lines(&notice.message).into_owned()).collect(),
        failed: Vec::new(),
    }
}

fn hit(rank: usize, score: f32, collection: &str, sources: &Sources, page: &PageHit) -> Hit {
    let section = page.sections.first();
    let location = sources.locate(page, section);
    let address = section.map_or(&page.url, |section| &section.url);
    let headings = section.map_or(&[][..], |section| &section.heading_path);
    Hit {
        rank,
        collection: collection.to_owned(),
        title: line(output::title(page)).into_owned(),
        heading_path: headings.iter().map(|heading| line(heading).into_owned()).collect(),
        url: url(address),
        file: location.path().map(|_| location.to_string()),
        snippet: section
            .map(|section| lines(&section.snippet.text).into_owned())
            .unwrap_or_default(),
        score,
        attributes: safe(page.attributes.clone()),
    }
}

fn passage(passage: Passage) -> PassageOutput {
    PassageOutput {
        collection: passage.collection,
        title: line(&passage.title).into_owned(),
        heading_path: passage.heading_path.iter().map(|name| line(name).into_owned()).collect(),
        url: url(&passage.url),
        file: passage.location.path().map(|_| passage.location.to_string()),
        text: lines(&passage.text).into_owned(),
        whole: passage.whole,
    }
}

/// Makes the texts of attributes harmless.
fn safe(attributes: Map<String, Value>) -> Map<String, Value> {
    let text = |value: Value| match value {
        Value::String(text) => Value::from(line(&text).as_ref()),
        Value::Array(values) => {
            let texts = values.iter().filter_map(Value::as_str);
            texts.map(|text| Value::from(line(text).as_ref())).collect()
        }
        other => other,
    };
    attributes.into_iter().map(|(name, value)| (line(&name).into_owned(), text(value))).collect()
}

fn kind(kind: AttributeKind) -> &'static str {
    match kind {
        AttributeKind::String => "string",
        AttributeKind::Strings => "strings",
        AttributeKind::Number => "number",
        AttributeKind::Bool => "bool",
        AttributeKind::Date => "date",
    }
}

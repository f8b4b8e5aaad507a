//! `findling search`: searches a bundle or a collection.

mod args;
mod conditions;
mod filter;
mod forgiving_request;

use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::Context;
use findling_engine::{FacetsOf, Limit, Mode, Request, Response, SectionsPerPage};
use serde::Serialize;

use super::learned;
use super::open_bundle::{find_target, tell_if_stale};
use super::unknown_attribute::with_counts;
use crate::code_query;
use crate::collections::Target;
use crate::eval::judged::{Query, read_queries};
use crate::host::{Cost, EncoderChoice, Host, QueryEncoder};
use crate::output::{
    Answer, Exit, Failure, Format, Last, Meta, Sources, Timings, UsageError, Vectors,
    answers_nothing, pager, require_vectors,
};
use crate::replace_file::replace_by;
use crate::standard_streams::{is_closed, stdout};
use crate::ui::{Ui, count};
use crate::{safe_text, small_file};
pub use args::{Args, FormatArg, ModeArg, OrderArg, Output, Ranking, SearchOptions, Sections};
pub use conditions::Conditions;
#[cfg(feature = "tui")]
pub(crate) use conditions::{condition, with_conditions};
pub(crate) use filter::parse_filter;
pub(crate) use forgiving_request::{READ_AS, forgive};

/// Maximum number of words of a file that pages are compared with.
const MAX_WORDS: usize = 200;

/// The start of the command, and the time for loading the encoder.
#[derive(Clone, Copy)]
struct Clock {
    started: Instant,
    encoder: Duration,
}

/// Runs the command.
pub fn run(args: Args, ui: &Ui) -> anyhow::Result<ExitCode> {
    let output = args.output.clone();
    finish(&output, ui, || search(&args, ui))
}

/// Ends a command that answers: with its exit status, or with the error as text or JSON.
pub(crate) fn finish(
    output: &Output,
    ui: &Ui,
    run: impl FnOnce() -> anyhow::Result<Exit>,
) -> anyhow::Result<ExitCode> {
    let exit = match run() {
        Ok(exit) => exit,
        Err(error) => {
            let failure = Failure::of(&error);
            if output.is_json() {
                failure.print();
            } else {
                Failure::tell(&error, ui);
            }
            failure.exit()
        }
    };
    Ok(exit.into())
}

/// Calls `write` with the output: standard output, or a file that is replaced after everything is
/// written. An answer longer than the screen is shown in a pager.
pub(crate) fn write_to(
    output: &Output,
    ui: &Ui,
    write: impl FnOnce(&Ui, &mut dyn Write) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let Some(path) = &output.file else {
        if ui.screen_to_page().is_some() {
            let mut answer = Vec::new();
            write(ui, &mut answer)?;
            return pager::print(&answer, ui);
        }
        let mut out = BufWriter::new(stdout());
        write(ui, &mut out)?;
        return Ok(out.flush()?);
    };
    replace_by(path, |file| -> anyhow::Result<()> {
        let mut out = BufWriter::new(file);
        write(&ui.for_file(), &mut out)?;
        Ok(out.flush()?)
    })
    .with_context(|| format!("{} cannot be written", path.display()))
}

fn search(args: &Args, ui: &Ui) -> anyhow::Result<Exit> {
    let started = Instant::now();
    args.output.check_vectors(args.include_vectors)?;
    let target = find_target(&args.bundle, &args.options.vectors, ui)?;
    args.options.fresh.check(&target)?;
    let mut host = learned::open(&target)?;
    if args.include_vectors {
        require_vectors(&host, target.given())?;
    }
    host.set_streamed(args.options.ranking.streamed);
    let loading = Instant::now();
    let encoder =
        load_encoder(&host, &args.options.ranking.query_encoder, args.options.mode.into(), ui)?;
    let clock = Clock { started, encoder: loading.elapsed() };
    match (&args.batch, &args.query) {
        (Some(path), _) => {
            let queries = read_queries(path)?;
            // Lines of a batch are written one by one.
            write_to(&args.output, &ui.without_pager(), |ui, out| {
                batch(&mut host, encoder.as_ref(), &queries, args, ui, out)
            })?;
            Ok(Exit::Found)
        }
        (None, query) => {
            let query = query.as_deref().unwrap_or_default();
            single(&target, &mut host, encoder.as_ref(), query, clock, args, ui)
        }
    }
}

/// Changes a request to a bundle without vectors to a search by words, unless it explicitly
/// searches by meaning. Otherwise every search would give the same notice.
pub(crate) fn by_words_alone(request: &mut Request, host: &Host) {
    if host.manifest().dense.is_none() && request.mode == Mode::Hybrid {
        request.mode = Mode::Lexical;
    }
}

/// Loads the encoder that the mode needs. If the default encoder cannot be loaded, warns and
/// searches by words only.
pub(crate) fn load_encoder(
    host: &Host,
    choice: &EncoderChoice,
    mode: Mode,
    ui: &Ui,
) -> anyhow::Result<Option<QueryEncoder>> {
    if mode == Mode::Lexical {
        return Ok(None);
    }
    match QueryEncoder::load(host, choice) {
        Err(error) if *choice == EncoderChoice::Auto => {
            ui.warn(format!("searching by words only: {error:#}"));
            Ok(None)
        }
        loaded => loaded,
    }
}

fn request(args: &Args, query: &str) -> Request {
    Request {
        limit: Limit(args.limit),
        offset: args.offset,
        sections_per_page: args.sections.of_search(),
        explain: args.explain,
        also: args.also.clone(),
        facets: args.facets.clone(),
        facets_of: if args.facets_of_sections { FacetsOf::Sections } else { FacetsOf::Pages },
        facets_instead: args.facets_instead,
        ..args.options.request(query)
    }
}

/// Returns the request for pages like a page, or like the text of a file if no page has that
/// address.
///
/// # Errors
/// If there is neither such a page nor such a file, or the bundle cannot be read.
fn similar(host: &mut Host, like: &str, request: Request) -> anyhow::Result<Request> {
    let error = match host.document(like) {
        Ok(_) => return Ok(Request { similar_to: Some(like.to_owned()), ..request }),
        Err(error) => error,
    };
    let text = is_no_page(&error).then(|| small_file::text(Path::new(like))).flatten();
    let Some(text) = text else { return Err(near(host, error)) };
    // These words contain no phrase, exclusion or condition.
    let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let query = words.take(MAX_WORDS).collect::<Vec<_>>().join(" ");
    Ok(Request { query, verbatim: true, every_word: false, ..request })
}

fn single(
    target: &Target,
    host: &mut Host,
    encoder: Option<&QueryEncoder>,
    query: &str,
    clock: Clock,
    args: &Args,
    ui: &Ui,
) -> anyhow::Result<Exit> {
    let format = args.output.format()?;
    let mut request = match &args.similar_to {
        Some(like) => similar(host, like, request(args, ""))?,
        None => request(args, query),
    };
    args.options.complete_for(&mut request, host)?;
    by_words_alone(&mut request, host);
    let embedding = match encoder {
        Some(encoder) if request.similar_to.is_none() => encoder.embed(&mut request)?,
        _ => Duration::ZERO,
    };
    let filter = request.filter.clone();
    let (mut response, cost, vectors) =
        answer_with(args.include_vectors, host, encoder, request, ui)?;
    let n_told = response.notices.len();
    args.options.arrange(&mut response, host.manifest());
    response.notices[n_told..].iter().for_each(|notice| ui.warn(&notice.message));
    let timings = Timings::new(clock.started, host.open_time(), clock.encoder, embedding, &cost);
    let vectors = vectors.as_ref();
    let printed = Printed { target, host, response: &response, vectors, filter, timings, format };
    print(printed, args, ui)?;
    ui.detail(format!("{:.1} ms embedding, {cost}", embedding.as_secs_f64() * 1e3));
    Ok(exit(&response))
}

/// The input of [`print`].
struct Printed<'a> {
    target: &'a Target,
    host: &'a Host,
    response: &'a Response,
    vectors: Option<&'a Vectors>,
    filter: Option<serde_json::Value>,
    timings: Timings,
    format: Format,
}

fn print(printed: Printed<'_>, args: &Args, ui: &Ui) -> anyhow::Result<()> {
    let Printed { target, host, response, vectors, filter, timings, format } = printed;
    let mut meta = meta(target, host, timings, format)?.of_answer(filter, response);
    meta.vectors = vectors.map(Vectors::about);
    let sources = Sources::of(target);
    let (offset, timings) = (args.offset, args.timings);
    let group_by = args.options.group_by_in(host.manifest());
    let group_by = group_by.as_deref();
    let (meta, sources) = (&meta, &sources);
    let answer =
        Answer { response, offset, meta, sources, collection: None, group_by, timings, vectors };
    if format.is_for_people() {
        tell_if_stale(target, host, ui);
    }
    keep(&response.query, &[answer], &args.output, ui)?;
    write_to(&args.output, ui, |ui, mut out| {
        let printing = Instant::now();
        answer.write(format, ui, &mut out)?;
        out.flush()?;
        if timings && format == Format::Text {
            writeln!(out)?;
            meta.timings.with_print(printing.elapsed()).print(ui, &mut out)?;
        }
        Ok(())
    })
}

/// Keeps the hits of an answer: for `findling open` if the output is for people, and under the name
/// given by `--save`.
///
/// # Errors
/// If they cannot be saved. If the hits for `findling open` cannot be kept, the search has not
/// failed.
pub(crate) fn keep(
    query: &str,
    answers: &[Answer<'_>],
    output: &Output,
    ui: &Ui,
) -> anyhow::Result<()> {
    let is_for_people = output.format()?.is_for_people();
    if !is_for_people && output.save.is_none() {
        return Ok(());
    }
    // Finds the lines of the hits in the sources.
    let last = Last::of(query, answers);
    if let Some(name) = &output.save {
        last.keep(Some(name)).with_context(|| format!("the search cannot be saved as {name}"))?;
        ui.status(
            "Saved",
            format!("{}; `findling last {name}`", count(last.hits.len() as u64, "hits")),
        );
    }
    if is_for_people {
        // The search is already remembered if these are further pages of its results.
        #[cfg(feature = "history")]
        if answers.first().is_none_or(|answer| answer.offset == 0) {
            super::history::remember(&last, ui);
        }
        if let Err(error) = last.keep(None) {
            ui.detail(format!("the hits are not kept for `findling open`: {error:#}"));
        }
    }
    Ok(())
}

/// Returns the metadata in JSON output. For other formats the sources are not read.
pub(crate) fn meta(
    target: &Target,
    host: &Host,
    timings: Timings,
    format: Format,
) -> anyhow::Result<Meta> {
    let mut meta = Meta::new(target, host, timings);
    if format == Format::Json {
        // A source that cannot be read does not affect the answer.
        meta.freshness = target.freshness().unwrap_or_default();
    }
    Ok(meta)
}

/// Returns whether anything was found that may answer the query.
pub(crate) fn exit(response: &Response) -> Exit {
    if (response.total.pages == 0 && response.results.is_empty()) || answers_nothing(response) {
        Exit::Nothing
    } else {
        Exit::Found
    }
}

/// Searches, and prints the engine's notices as warnings. If no page has the address in the
/// request, the error names pages with similar addresses.
pub(crate) fn answer(
    host: &mut Host,
    encoder: Option<&QueryEncoder>,
    request: Request,
    ui: &Ui,
) -> anyhow::Result<(Response, Cost)> {
    let (response, cost, _) = answer_with(false, host, encoder, request, ui)?;
    Ok((response, cost))
}

/// Answers like [`answer`], and includes the vectors of the sections shown if `vectors` is set.
fn answer_with(
    vectors: bool,
    host: &mut Host,
    encoder: Option<&QueryEncoder>,
    mut request: Request,
    ui: &Ui,
) -> anyhow::Result<(Response, Cost, Option<Vectors>)> {
    let read = forgive(host, &mut request)?;
    let answer = Vectors::search(vectors, host, encoder, request);
    let mut answer = answer.map_err(|error| near(host, error))?;
    answer.0.notices.splice(..0, read);
    for notice in &answer.0.notices {
        ui.warn(&notice.message);
    }
    Ok(answer)
}

/// Returns whether an error is that no page has an address.
pub(crate) fn is_no_page(error: &anyhow::Error) -> bool {
    matches!(error.downcast_ref(), Some(findling_engine::Error::NoSuchPage { .. }))
}

/// Returns an error that suggests similar names: pages if the address is unknown, attributes if the
/// attribute is unknown.
fn near(host: &mut Host, error: anyhow::Error) -> anyhow::Error {
    let Some(findling_engine::Error::NoSuchPage { address }) = error.downcast_ref() else {
        return with_counts(host, error);
    };
    match host.near_addresses(address) {
        Ok(near) if !near.is_empty() => {
            let near = near.join(", ");
            let message = format!(
                "found no page with the address or id `{address}`; similar ones are {near}"
            );
            UsageError { code: "no-such-page", message }.into()
        }
        _ => error,
    }
}

/// A line of `--format json`.
#[derive(Serialize)]
struct BatchLine<'a> {
    #[serde(rename = "_id")]
    id: &'a str,
    #[serde(flatten)]
    response: &'a Response,
}

fn batch(
    host: &mut Host,
    encoder: Option<&QueryEncoder>,
    queries: &[Query],
    args: &Args,
    ui: &Ui,
    out: &mut dyn Write,
) -> anyhow::Result<()> {
    if args.output.save.is_some() {
        let message = "--save: expected a query with it, found --batch".into();
        return Err(UsageError { code: "usage", message }.into());
    }
    let trec = match args.output.format {
        None | Some(FormatArg::Trec) => !args.output.json,
        Some(FormatArg::Json) => false,
        Some(_) => {
            let message = "--batch: expected --format trec or json, found another one".into();
            return Err(UsageError { code: "usage", message }.into());
        }
    };
    let bar = ui.bar("Searching", queries.len() as u64, "queries");
    for Query { id, text } in queries {
        if is_closed() {
            break;
        }
        let mut request = request(args, text);
        args.options.complete_for(&mut request, host)?;
        by_words_alone(&mut request, host);
        let read = forgive(host, &mut request)?;
        if trec {
            request.sections_per_page = SectionsPerPage(1);
        }
        if let Some(encoder) = encoder {
            encoder.embed(&mut request)?;
        }
        let answer = code_query::search(host, encoder, request).map_err(|error| near(host, error));
        let (mut response, _) = answer.with_context(|| format!("query {id}"))?;
        response.notices.splice(..0, read);
        args.options.arrange(&mut response, host.manifest());
        if !trec {
            let line = BatchLine { id, response: &response };
            writeln!(out, "{}", safe_text::json(&line)?)?;
        }
        let ranked = response.results.iter().enumerate().filter(|_| trec);
        for (place, page) in ranked {
            let rank = args.offset as usize + place + 1;
            writeln!(out, "{} Q0 {} {rank} {} findling", field(id), field(&page.id), page.score)?;
        }
        bar.add(1);
    }
    bar.finish();
    Ok(())
}

/// Returns an id for a column of a TREC run: white space and harmful characters are
/// percent-encoded.
fn field(id: &str) -> String {
    let fits = |c: char| !c.is_whitespace() && safe_text::is_safe(c.encode_utf8(&mut [0; 4]));
    id.chars()
        .map(|c| if !fits(c) { format!("%{:02X}", u32::from(c)) } else { c.to_string() })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_fit_into_columns() {
        assert_eq!(field("a b/ç\t1.html"), "a%20b/ç%091.html");
    }
}

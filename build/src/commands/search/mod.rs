//! `findling search`: searches a bundle or a collection.

mod args;
pub(crate) mod print;
mod timings;

use std::io::{BufWriter, Write};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context, anyhow, bail};
use findling_engine::{Limit, Mode, Request, Response, SectionsPerPage};
use serde::Serialize;

use crate::collections::Target;
use crate::eval::judged::{Query, read_queries};
use crate::host::{Cost, EncoderChoice, Host, QueryEncoder};
use crate::ui::Ui;
pub(crate) use args::parse_filter;
pub use args::{Args, BatchFormat, ModeArg, OrderArg, Ranking};
use timings::Timings;

/// When the command began, and how long loading the encoder took.
#[derive(Clone, Copy)]
struct Clock {
    started: Instant,
    encoder: Duration,
}

/// The output of `--json`.
#[derive(Serialize)]
struct JsonOutput<'a> {
    #[serde(flatten)]
    response: &'a Response,
    #[serde(skip_serializing_if = "Option::is_none")]
    timings: Option<Timings>,
}

/// Runs the command.
pub fn run(args: Args, ui: &Ui) -> anyhow::Result<ExitCode> {
    let started = Instant::now();
    let target = Target::find(&args.bundle)?;
    let mut host = Host::open(target.path())?;
    host.set_streamed(args.ranking.streamed);
    let loading = Instant::now();
    let encoder = load_encoder(&host, &args.ranking.query_encoder, args.mode.into(), ui)?;
    let clock = Clock { started, encoder: loading.elapsed() };
    let mut out = BufWriter::new(std::io::stdout().lock());
    let outcome = match (&args.batch, &args.query) {
        (Some(path), _) => {
            let queries = read_queries(path)?;
            batch(&mut host, encoder.as_ref(), &queries, &args, ui, &mut out)
        }
        (None, Some(query)) => {
            single(&mut host, encoder.as_ref(), query, clock, &args, ui, &mut out)
        }
        (None, None) => bail!("expected a query, or --batch with a file of queries; found neither"),
    };
    match outcome.and_then(|()| Ok(out.flush()?)) {
        // The reader of the output has closed it, like `head` does.
        Err(error) if is_broken_pipe(&error) => Ok(ExitCode::SUCCESS),
        outcome => outcome.map(|()| ExitCode::SUCCESS),
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
        mode: args.mode.into(),
        limit: Limit(args.limit),
        offset: args.offset,
        explain: args.explain,
        also: args.also.clone(),
        facets: args.facets.clone(),
        facets_instead: args.facets_instead,
        ..args.ranking.request(query)
    }
}

fn single(
    host: &mut Host,
    encoder: Option<&QueryEncoder>,
    query: &str,
    clock: Clock,
    args: &Args,
    ui: &Ui,
    out: &mut impl Write,
) -> anyhow::Result<()> {
    let mut request = request(args, query);
    let mut embedding = Duration::ZERO;
    if let Some(encoder) = encoder {
        (request.vector, embedding) = encoder.encode(query)?;
        for query in &args.also {
            let (vector, more) = encoder.encode(query)?;
            request.also_vectors.push(vector);
            embedding += more;
        }
    }
    let (response, cost) = answer(host, encoder, request, ui)?;
    let timings = || Timings::new(clock.started, host.open_time(), clock.encoder, embedding, &cost);
    if args.json {
        let timings = args.timings.then(timings);
        let output = JsonOutput { response: &response, timings };
        writeln!(out, "{}", serde_json::to_string_pretty(&output)?)?;
    } else {
        let printing = Instant::now();
        print::response(&response, args.offset, ui, out)?;
        out.flush()?;
        let printing = printing.elapsed();
        if args.timings {
            writeln!(out)?;
            timings().with_print(printing).print(ui, out)?;
        }
    }
    ui.detail(format!("{:.1} ms embedding, {cost}", embedding.as_secs_f64() * 1e3));
    Ok(())
}

/// Searches, and prints the engine's notices as warnings. If no page has the address in the
/// request, the error names pages with similar addresses.
pub(crate) fn answer(
    host: &mut Host,
    encoder: Option<&QueryEncoder>,
    request: Request,
    ui: &Ui,
) -> anyhow::Result<(Response, Cost)> {
    let answer =
        host.search_as_meant(encoder, request).map_err(|error| match error.downcast_ref() {
            Some(findling_engine::Error::NoSuchPage { address }) => {
                match host.near_addresses(address) {
                    Ok(near) if !near.is_empty() => {
                        anyhow!(
                            "found no page with the address or id `{address}`; similar ones are {}",
                            near.join(", ")
                        )
                    }
                    _ => error,
                }
            }
            _ => error,
        })?;
    for notice in &answer.0.notices {
        ui.warn(&notice.message);
    }
    Ok(answer)
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
    out: &mut impl Write,
) -> anyhow::Result<()> {
    let bar = ui.bar("Searching", queries.len() as u64, "queries");
    for Query { id, text } in queries {
        let mut request = request(args, text);
        if args.format == BatchFormat::Trec {
            request.sections_per_page = SectionsPerPage(1);
        }
        if let Some(encoder) = encoder {
            request.vector = encoder.encode(text)?.0;
        }
        let (response, _) =
            host.search_as_meant(encoder, request).with_context(|| format!("query {id}"))?;
        match args.format {
            BatchFormat::Json => {
                writeln!(
                    out,
                    "{}",
                    serde_json::to_string(&BatchLine { id, response: &response })?
                )?;
            }
            BatchFormat::Trec => {
                for (place, page) in response.results.iter().enumerate() {
                    let rank = args.offset as usize + place + 1;
                    writeln!(
                        out,
                        "{} Q0 {} {rank} {} findling",
                        field(id),
                        field(&page.id),
                        page.score
                    )?;
                }
            }
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(())
}

/// An id for a column of a TREC run: white space is percent-encoded.
fn field(id: &str) -> String {
    id.chars()
        .map(|c| if c.is_whitespace() { format!("%{:02X}", u32::from(c)) } else { c.to_string() })
        .collect()
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error
        .downcast_ref::<std::io::Error>()
        .is_some_and(|error| error.kind() == std::io::ErrorKind::BrokenPipe)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_fit_into_columns() {
        assert_eq!(field("a b/ç\t1.html"), "a%20b/ç%091.html");
    }
}

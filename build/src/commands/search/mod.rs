//! `findling search`: searches a bundle.

pub(crate) mod print;

use std::io::{BufWriter, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, anyhow, bail};
use clap::ValueEnum;
use findling_engine::{
    Fusion, Limit, MAX_LIMIT, Mode, Order, Prefer, Request, Response, SectionsPerPage,
};
use serde::Serialize;

use crate::eval::judged::{Query, read_queries};
use crate::host::{Cost, EncoderChoice, Host, QueryEncoder};
use crate::ui::Ui;

/// Searches a bundle
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The bundle: its directory, or a single file
    pub bundle: PathBuf,
    /// What to search for
    #[arg(required_unless_present = "batch")]
    pub query: Option<String>,
    /// The same in other words, at most four times: each page counts by the wording that finds it
    /// best
    #[arg(long, value_name = "QUERY", conflicts_with = "batch")]
    pub also: Vec<String>,
    /// How many pages to show
    #[arg(short = 'k', long = "limit", value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(0..=i64::from(MAX_LIMIT)))]
    pub limit: u32,
    /// How many pages to pass over first
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub offset: u32,
    /// How the ranking is made, common to searching and measuring
    #[command(flatten)]
    pub ranking: Ranking,
    /// Which legs answer
    #[arg(long, value_enum, default_value_t = ModeArg::Hybrid)]
    pub mode: ModeArg,
    /// Count the values of an attribute among all pages found (* for every facet), as many times
    /// as wanted
    #[arg(long = "facet", value_name = "ATTRIBUTE", conflicts_with = "batch")]
    pub facets: Vec<String>,
    /// Count an attribute's values as if the filter asked nothing of it: what choosing another
    /// value instead would give
    #[arg(long, requires = "facets")]
    pub facets_instead: bool,
    /// Print the response as JSON
    #[arg(long, conflicts_with = "batch")]
    pub json: bool,
    /// Say how scores came about, and what the plan was
    #[arg(long)]
    pub explain: bool,
    /// Answer the queries of a JSONL file ({"_id", "text"} a line) instead
    #[arg(long, value_name = "QUERIES", conflicts_with = "query")]
    pub batch: Option<PathBuf>,
    /// What a batch prints: lines of a TREC run, or one JSON response a line
    #[arg(long, value_enum, default_value_t = BatchFormat::Trec, requires = "batch")]
    pub format: BatchFormat,
}

/// What decides the ranking besides the mode.
#[derive(Clone, Debug, clap::Args)]
pub struct Ranking {
    /// Who embeds the query: auto (the documents' own encoder where it is installed, else static),
    /// static, transformer, deployed (the transformer beside the bundle, as readers load it),
    /// hash, none, a model's name, or a file of `findling models prepare`
    #[arg(long, value_name = "NAME", default_value = "auto")]
    pub query_encoder: EncoderChoice,
    /// How the legs are fused: convex (alpha 0.35, for sentences 0.45), rrf, or with numbers,
    /// convex:alpha=0.5, rrf:k=5,dense-weight=0.7
    #[arg(long, value_name = "METHOD", value_parser = parse_fusion)]
    pub fusion: Option<Fusion>,
    /// Only what meets a condition: key=value,key=value, key:op:value, or JSON
    #[arg(long, value_name = "EXPR", value_parser = parse_filter)]
    pub filter: Option<serde_json::Value>,
    /// Take every word as it is spelt: correct nothing
    #[arg(long)]
    pub verbatim: bool,
    /// Prefer pages by a number or a date: date (0.3 of the score), date:0.9 (more than
    /// relevance), -size (the smallest first)
    #[arg(long, value_name = "ATTRIBUTE", value_parser = parse_prefer, allow_hyphen_values = true)]
    pub prefer: Option<Prefer>,
    /// How relevance and the pages' dates meet
    #[arg(long, value_enum, value_name = "ORDER", default_value_t = OrderArg::Relevance, conflicts_with = "prefer")]
    pub order: OrderArg,
    /// Let no value of an attribute fill the list; of the one that `build --attribute-from-path`
    /// names, no directory does
    #[arg(long, value_name = "ATTRIBUTE")]
    pub spread: Option<String>,
    /// Show every copy of a page, instead of one that stands for all
    #[arg(long)]
    pub copies: bool,
    /// Search as a browser does, in the vectors that lie around the query rather than in all of
    /// them
    #[arg(long)]
    pub streamed: bool,
}

/// Which legs answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ModeArg {
    /// Words and meaning, fused
    Hybrid,
    /// Words alone
    Lexical,
    /// Meaning alone
    Semantic,
}

impl From<ModeArg> for Mode {
    fn from(mode: ModeArg) -> Mode {
        match mode {
            ModeArg::Hybrid => Mode::Hybrid,
            ModeArg::Lexical => Mode::Lexical,
            ModeArg::Semantic => Mode::Semantic,
        }
    }
}

/// An order by name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum OrderArg {
    /// The most relevant first
    #[default]
    Relevance,
    /// The newest first, of all that is found
    Recent,
    /// The most relevant first, of equally relevant ones the newer
    Balanced,
}

impl From<OrderArg> for Order {
    fn from(order: OrderArg) -> Order {
        match order {
            OrderArg::Relevance => Order::Relevance,
            OrderArg::Recent => Order::Recent,
            OrderArg::Balanced => Order::Balanced,
        }
    }
}

/// What a batch prints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum BatchFormat {
    /// query Q0 document rank score run
    Trec,
    /// {"_id", and the fields of a response}
    Json,
}

/// Runs the command.
pub fn run(args: Args, ui: &Ui) -> anyhow::Result<ExitCode> {
    let mut host = Host::open(&args.bundle)?;
    host.set_streamed(args.ranking.streamed);
    let encoder = load_encoder(&host, &args.ranking.query_encoder, args.mode.into(), ui)?;
    let mut out = BufWriter::new(std::io::stdout().lock());
    let outcome = match (&args.batch, &args.query) {
        (Some(path), _) => {
            let queries = read_queries(path)?;
            batch(&mut host, encoder.as_ref(), &queries, &args, ui, &mut out)
        }
        (None, Some(query)) => single(&mut host, encoder.as_ref(), query, &args, ui, &mut out),
        (None, None) => bail!("expected a query, or --batch with a file of them"),
    };
    match outcome.and_then(|()| Ok(out.flush()?)) {
        // Who reads no further has seen enough.
        Err(error) if is_broken_pipe(&error) => Ok(ExitCode::SUCCESS),
        outcome => outcome.map(|()| ExitCode::SUCCESS),
    }
}

/// The encoder that a mode wants; a warning where the default one cannot be had.
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
            ui.warn(format!("meaning takes no part: {error:#}"));
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

impl Ranking {
    /// A request for a query that is ranked so.
    pub(crate) fn request(&self, query: &str) -> Request {
        Request {
            query: query.to_owned(),
            filter: self.filter.clone(),
            encoder: self.query_encoder.of_engine(),
            fusion: self.fusion.unwrap_or_default(),
            verbatim: self.verbatim,
            prefer: self.prefer.clone(),
            order: self.order.into(),
            spread: self.spread.clone(),
            copies: self.copies,
            ..Request::default()
        }
    }
}

fn single(
    host: &mut Host,
    encoder: Option<&QueryEncoder>,
    query: &str,
    args: &Args,
    ui: &Ui,
    out: &mut impl Write,
) -> anyhow::Result<()> {
    let mut request = request(args, query);
    let mut embedding = None;
    if let Some(encoder) = encoder {
        let (vector, mut time) = encoder.encode(query)?;
        request.vector = vector;
        for query in &args.also {
            let (vector, more) = encoder.encode(query)?;
            request.also_vectors.push(vector);
            time += more;
        }
        embedding = Some(time);
    }
    let (response, cost) = answer(host, encoder, request, ui)?;
    if args.json {
        writeln!(out, "{}", serde_json::to_string_pretty(&response)?)?;
    } else {
        print::response(&response, args.offset, ui, out)?;
    }
    let embedded = embedding
        .map_or(String::new(), |time| format!("{:.1} ms embedding, ", time.as_secs_f64() * 1e3));
    ui.detail(format!("{embedded}{cost}"));
    Ok(())
}

/// Asks, and passes on what the engine has to tell. Where no page has the address asked about, the
/// error says which pages have one that is spelt like it.
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
                            "no page has the address or id `{address}`; there are {}",
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

/// An id as TREC's columns can hold it: white space percent-encoded.
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

/// `convex`, `rrf`, each with numbers behind a colon.
fn parse_fusion(text: &str) -> Result<Fusion, String> {
    let (method, numbers) = text.split_once(':').unwrap_or((text, ""));
    let mut object = serde_json::Map::new();
    object.insert("method".into(), method.into());
    for pair in numbers.split(',').filter(|pair| !pair.is_empty()) {
        let (name, value) =
            pair.split_once('=').ok_or_else(|| format!("expected name=number, found `{pair}`"))?;
        let value: f64 =
            value.parse().map_err(|_| format!("expected a number, found `{value}`"))?;
        object.insert(name.replace('-', "_"), value.into());
    }
    Fusion::from_json(object.into()).map_err(|error| {
        format!(
            "expected convex, rrf, convex:alpha=0.35 or rrf:k=5,dense-weight=0.7, found `{text}` ({error})"
        )
    })
}

/// `date`, `date:0.9`, `-size`.
fn parse_prefer(text: &str) -> Result<Prefer, String> {
    let (name, share) = text.rsplit_once(':').unwrap_or((text, "0.3"));
    let (by, ascending) = name.strip_prefix('-').map_or((name, false), |name| (name, true));
    let share: f32 =
        share.parse().ok().filter(|share| (0.0..=1.0).contains(share)).ok_or_else(|| {
            format!("expected an attribute and a share from 0 to 1, as in date:0.5, found `{text}`")
        })?;
    Ok(Prefer { by: by.to_owned(), share, half: None, ascending })
}

pub(crate) fn parse_filter(text: &str) -> Result<serde_json::Value, String> {
    if text.trim_start().starts_with('{') {
        serde_json::from_str(text)
            .map_err(|error| format!("the filter begins like JSON, but is not: {error}"))
    } else {
        Ok(text.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fusion_is_spelt_with_numbers_or_without() {
        assert_eq!(parse_fusion("convex"), Ok(Fusion::default()));
        assert_eq!(parse_fusion("convex:alpha=0.5"), Ok(Fusion::Convex { alpha: Some(0.5) }));
        assert_eq!(
            parse_fusion("rrf:k=60,dense-weight=1"),
            Ok(Fusion::Rrf { k: 60.0, dense_weight: 1.0 })
        );
        assert!(matches!(parse_fusion("rrf"), Ok(Fusion::Rrf { .. })));
        for wrong in ["", "sum", "rrf:60", "rrf:k=x", "convex:beta=1"] {
            assert!(parse_fusion(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn preferences_have_a_share_and_a_direction() {
        let prefer =
            |by: &str, share, ascending| Prefer { by: by.into(), share, half: None, ascending };
        assert_eq!(parse_prefer("date"), Ok(prefer("date", 0.3, false)));
        assert_eq!(parse_prefer("-size:0.5"), Ok(prefer("size", 0.5, true)));
        assert!(parse_prefer("date:2").is_err() && parse_prefer("date:often").is_err());
    }

    #[test]
    fn filters_are_text_or_json() {
        assert_eq!(parse_filter("book=nomicon"), Ok("book=nomicon".into()));
        assert_eq!(parse_filter(" {\"must\": []}"), Ok(serde_json::json!({"must": []})));
        assert!(parse_filter("{book").is_err());
    }

    #[test]
    fn ids_fit_into_columns() {
        assert_eq!(field("a b/ç\t1.html"), "a%20b/ç%091.html");
    }
}

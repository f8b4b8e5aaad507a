//! Arguments of `findling search`, and arguments that it shares with other commands.

use std::path::PathBuf;

use clap::ValueEnum;
use findling_bundle::Manifest;
use findling_engine::{
    Error, Fusion, MAX_LIMIT, Mode, Order, Prefer, Request, Response, SectionsPerPage, Sort, Total,
};

use super::conditions::{Conditions, date_of};
use super::filter::parse_filter;
use super::forgiving_request::{attribute, replace};
use crate::collections::Name;
use crate::commands::newest::order_by_date;
use crate::commands::require_fresh::RequireFresh;
use crate::commands::unknown_attribute::with_counts;
use crate::commands::vector_name::VectorName;
use crate::host::{EncoderChoice, Host};
use crate::output::citations::Style;
use crate::output::{Format, UsageError, comparable, group};

/// Search a bundle or a collection
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The bundle
    #[arg(help = crate::commands::BUNDLE_HELP)]
    pub bundle: PathBuf,
    /// The query
    #[arg(required_unless_present_any = ["batch", "similar_to"])]
    pub query: Option<String>,
    /// Find pages like this one instead: its URL, path or document id; or like the text of a file
    #[arg(long, value_name = "ID_OR_FILE", conflicts_with_all = ["query", "batch", "also"])]
    pub similar_to: Option<String>,
    /// Another phrasing of the query. Each page counts with the phrasing that finds it best.
    /// Repeatable, at most four times
    #[arg(long, value_name = "QUERY", conflicts_with = "batch")]
    pub also: Vec<String>,
    /// Number of pages to show
    #[arg(
        short = 'k',
        long = "limit",
        value_name = "N",
        default_value_t = 10,
        value_parser = clap::value_parser!(u32).range(0..=i64::from(MAX_LIMIT))
    )]
    pub limit: u32,
    /// Number of pages to skip first
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub offset: u32,
    /// Number of sections to show of each page.
    #[command(flatten)]
    pub sections: Sections,
    /// How the query is searched.
    #[command(flatten)]
    pub options: SearchOptions,
    /// Count the values of an attribute over all pages found; * counts every facet. Repeatable
    #[arg(long = "facet", value_name = "ATTRIBUTE", conflicts_with = "batch")]
    pub facets: Vec<String>,
    /// Count each attribute as if the filter had no condition on it, which shows what another
    /// value would give
    #[arg(long, requires = "facets")]
    pub facets_instead: bool,
    /// Count sections found, not pages
    #[arg(long, requires = "facets")]
    pub facets_of_sections: bool,
    /// What is printed
    #[command(flatten)]
    pub output: Output,
    /// Explain the scores and the query plan
    #[arg(long)]
    pub explain: bool,
    /// Report the time of each phase: opening, loading the encoder, embedding, reading, decoding,
    /// searching. With --json, in the field `timings`
    #[arg(long, conflicts_with = "batch")]
    pub timings: bool,
    /// Add the vectors of the sections found and of the query, for programs that rank again. With
    /// --json or --format jsonl
    #[arg(long, conflicts_with = "batch")]
    pub include_vectors: bool,
    /// Answer the queries of a JSONL file instead; each line is {"_id", "text"}. --format is trec,
    /// the default, or json for one response per line
    #[arg(long, value_name = "QUERIES", conflicts_with = "query")]
    pub batch: Option<PathBuf>,
}

impl Args {
    /// Returns a search of a collection without facets.
    pub(crate) fn of(
        collection: &Name,
        query: String,
        limit: u32,
        options: SearchOptions,
        output: Output,
    ) -> Self {
        Self {
            bundle: PathBuf::from(collection.as_str()),
            query: Some(query),
            similar_to: None,
            also: Vec::new(),
            limit,
            offset: 0,
            sections: Sections::default(),
            options,
            facets: Vec::new(),
            facets_instead: false,
            facets_of_sections: false,
            output,
            explain: false,
            timings: false,
            include_vectors: false,
            batch: None,
        }
    }
}

/// The number of sections to show of each page. `search`, `find` and `context` have this option.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub struct Sections {
    /// Number of sections to show of each page, or all [default: 3; of context: what fits]
    #[arg(long, value_name = "N|all", value_parser = parse_sections)]
    pub sections: Option<u32>,
}

impl Sections {
    /// Returns the number for a request; `default` without the option.
    pub(crate) fn per_page(self, default: u32) -> SectionsPerPage {
        SectionsPerPage(self.sections.unwrap_or(default))
    }

    /// Returns the number for a request of a search.
    pub(crate) fn of_search(self) -> SectionsPerPage {
        self.per_page(SectionsPerPage::default().0)
    }
}

fn parse_sections(text: &str) -> Result<u32, String> {
    let expected = || format!("expected a number from 1, or all; found `{text}`");
    match text {
        "all" => Ok(u32::MAX),
        _ => text.parse().ok().filter(|n| *n > 0).ok_or_else(expected),
    }
}

/// How a query is searched. `search`, `find`, `relevance`, `context` and `note` have these options.
#[derive(Clone, Debug, clap::Args)]
pub struct SearchOptions {
    /// How results are ranked; `findling eval` takes the same options.
    #[command(flatten)]
    pub ranking: Ranking,
    /// Conditions on common attributes.
    #[command(flatten)]
    pub conditions: Conditions,
    /// Search by words, by meaning, or both
    #[arg(long, value_enum, default_value_t = ModeArg::Hybrid)]
    pub mode: ModeArg,
    /// Show only pages with at least this relevance, 0 to 1, as it is printed. The number of pages
    /// found counts the others too, unless no page is shown
    #[arg(long, visible_alias = "min-score", value_name = "SCORE")]
    pub threshold: Option<f32>,
    /// Put pages with the same value of an attribute together, below that value
    #[arg(long, value_name = "ATTRIBUTE")]
    pub group_by: Option<String>,
    /// Which vectors are searched.
    #[command(flatten)]
    pub vectors: VectorName,
    /// How old the index may be.
    #[command(flatten)]
    pub fresh: RequireFresh,
}

impl SearchOptions {
    /// Returns the request for a query, without the fields that depend on the bundle.
    pub(crate) fn request(&self, query: &str) -> Request {
        Request { mode: self.mode.into(), ..self.ranking.request(query) }
    }

    /// Completes a request for one bundle, as [`SearchOptions::complete_for`] describes.
    fn complete(&self, request: &mut Request, manifest: &Manifest) -> anyhow::Result<()> {
        self.conditions.add_to(request, manifest)?;
        if self.ranking.order == OrderArg::Oldest {
            let date = date_of(manifest)?;
            request.sort = Some(Sort { by: date.name.clone(), descending: false });
        }
        order_by_date(request, manifest);
        if let Some(name) = &self.group_by
            && attribute(manifest, "--group-by", name)?.is_none()
        {
            let known = manifest.attributes.iter().map(|one| one.name.clone()).collect();
            return Err(Error::UnknownAttribute { name: name.clone(), known }.into());
        }
        Ok(())
    }

    /// Adds the fields that depend on the bundle.
    ///
    /// # Errors
    /// If the bundle does not have a requested attribute, or the filter cannot be read.
    pub(crate) fn complete_for(&self, request: &mut Request, host: &Host) -> anyhow::Result<()> {
        self.complete(request, host.manifest()).map_err(|error| with_counts(host, error))
    }

    /// Leaves out pages below the threshold, and puts pages of the same group together.
    pub(crate) fn arrange(&self, response: &mut Response, manifest: &Manifest) {
        if let Some(least) = self.threshold {
            let is_shown = !response.results.is_empty();
            let relevance: Vec<f32> =
                response.results.iter().map(|page| comparable(response, page)).collect();
            let mut relevance = relevance.into_iter();
            response.results.retain(|_| relevance.next().is_some_and(|one| one >= least));
            if is_shown && response.results.is_empty() {
                response.total = Total::default();
            }
        }
        if let (Some(typed), Some(name)) = (&self.group_by, self.group_by_in(manifest)) {
            group(response, &name);
            response.notices.extend(replace(&mut typed.clone(), name));
        }
    }

    /// Returns the attribute of a bundle that pages are grouped by.
    pub(crate) fn group_by_in(&self, manifest: &Manifest) -> Option<String> {
        attribute(manifest, "--group-by", self.group_by.as_ref()?).ok().flatten()
    }
}

/// Options of what is printed, and where.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct Output {
    /// Format of the output
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub format: Option<FormatArg>,
    /// The same as --format json
    #[arg(long, conflicts_with = "format")]
    pub json: bool,
    /// Style of --format citations
    #[arg(long, value_enum, value_name = "STYLE", default_value_t)]
    pub style: Style,
    /// Write to a file instead of standard output
    #[arg(short = 'o', long = "output", value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// Keep the hits under a name, for `findling last NAME` and `findling open N --of NAME`
    #[arg(long, value_name = "NAME")]
    pub save: Option<Name>,
}

/// Format of the output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FormatArg {
    /// For people
    Text,
    /// The whole response, with what is known about the bundle
    Json,
    /// A JSON object for each page, one per line
    Jsonl,
    /// A list with links and quotations
    Markdown,
    /// A line for each page
    Brief,
    /// A table for spreadsheets
    Csv,
    /// path:line (path:page12 in a PDF), or the URL, of each section
    Paths,
    /// A list of references, in the style that --style names
    Citations,
    /// A TREC run; with --batch only
    Trec,
}

impl Output {
    /// Returns the format of an answer.
    ///
    /// # Errors
    /// If the format is for batches only.
    pub(crate) fn format(&self) -> Result<Format, UsageError> {
        if self.json {
            return Ok(Format::Json);
        }
        Ok(match self.format {
            None | Some(FormatArg::Text) => Format::Text,
            Some(FormatArg::Json) => Format::Json,
            Some(FormatArg::Jsonl) => Format::Jsonl,
            Some(FormatArg::Markdown) => Format::Markdown,
            Some(FormatArg::Brief) => Format::Brief,
            Some(FormatArg::Csv) => Format::Csv,
            Some(FormatArg::Paths) => Format::Paths,
            Some(FormatArg::Citations) => Format::Citations(self.style),
            Some(FormatArg::Trec) => {
                return Err(UsageError {
                    code: "usage",
                    message: "--format trec: expected --batch with it, found a query".into(),
                });
            }
        })
    }

    /// Checks that the format has a place for vectors, if they are included.
    ///
    /// # Errors
    /// If the format is neither JSON nor JSON Lines.
    pub(crate) fn check_vectors(&self, included: bool) -> Result<(), UsageError> {
        if !included || self.is_json() {
            return Ok(());
        }
        let format = self.format.and_then(|format| format.to_possible_value());
        let found = format.as_ref().map_or("text", |format| format.get_name());
        let message = format!(
            "--include-vectors: expected --format json or jsonl with it, found {found}; add --json"
        );
        Err(UsageError { code: "usage", message })
    }

    /// Returns whether errors are printed as JSON.
    pub(crate) fn is_json(&self) -> bool {
        self.json || matches!(self.format, Some(FormatArg::Json | FormatArg::Jsonl))
    }
}

/// Options that decide the ranking, besides the mode.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct Ranking {
    /// Encoder of the query: auto (the documents' encoder if installed, otherwise static), static,
    /// transformer, deployed (the transformer that the bundle deploys to readers), hash, none, the
    /// name of a model, or a file from `findling models prepare`
    #[arg(long, value_name = "NAME", default_value = "auto")]
    pub query_encoder: EncoderChoice,
    /// How results by words and by meaning are merged: convex or rrf, also with parameters, such
    /// as convex:alpha=0.5 or rrf:k=5,dense-weight=0.7 [default: convex with alpha 0.35, for
    /// sentences 0.45]
    #[arg(long, value_name = "METHOD", value_parser = parse_fusion)]
    pub fusion: Option<Fusion>,
    /// Show only pages that meet a condition: key=value, key!=value, key>=2020, key in a,b,
    /// key~part, with and, or, not and brackets; key:op:value, or JSON
    #[arg(long, value_name = "EXPR", value_parser = parse_filter)]
    pub filter: Option<serde_json::Value>,
    /// Show only pages that have every word of the query, anywhere on the page
    #[arg(long)]
    pub every_word: bool,
    /// Do not correct misspelled words
    #[arg(long)]
    pub verbatim: bool,
    /// Prefer pages by a number or a date: date (30% of the score), date:0.9 (90% of the score),
    /// -size (small values first)
    #[arg(
        long,
        value_name = "ATTRIBUTE",
        value_parser = parse_prefer,
        allow_hyphen_values = true
    )]
    pub prefer: Option<Prefer>,
    /// How relevance and dates decide the order
    #[arg(
        long,
        value_enum,
        value_name = "ORDER",
        default_value_t = OrderArg::Relevance,
        conflicts_with = "prefer"
    )]
    pub order: OrderArg,
    /// Order by an attribute instead of by relevance: year (large values first), -year (small
    /// values first)
    #[arg(
        long,
        value_name = "ATTRIBUTE",
        value_parser = parse_sort,
        allow_hyphen_values = true,
        conflicts_with_all = ["prefer", "order"]
    )]
    pub sort: Option<Sort>,
    /// Spread results over the values of an attribute, so that no value fills the list
    #[arg(long, value_name = "ATTRIBUTE")]
    pub spread: Option<String>,
    /// Show every copy of a page instead of one for all
    #[arg(long)]
    pub copies: bool,
    /// Search as a browser does: in the cells near the query instead of in all vectors
    #[arg(long)]
    pub streamed: bool,
}

/// Search by words, by meaning, or both.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ModeArg {
    /// By words and by meaning
    Hybrid,
    /// By words only
    Lexical,
    /// By meaning only
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

/// How relevance and dates decide the order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum OrderArg {
    /// Most relevant first
    #[default]
    Relevance,
    /// Newest first, among all pages found
    #[value(alias = "newest")]
    Recent,
    /// Most relevant first; newer first among equally relevant pages
    Balanced,
    /// Oldest first, among all pages found
    Oldest,
    /// Best match first: relevance without the site's boosts and pins
    #[value(alias = "match-quality")]
    Match,
}

impl From<OrderArg> for Order {
    fn from(order: OrderArg) -> Order {
        match order {
            // Oldest first is a sort by the bundle's date.
            OrderArg::Relevance | OrderArg::Oldest => Order::Relevance,
            OrderArg::Recent => Order::Recent,
            OrderArg::Balanced => Order::Balanced,
            OrderArg::Match => Order::Match,
        }
    }
}

impl Ranking {
    /// Returns a request with these options.
    pub(crate) fn request(&self, query: &str) -> Request {
        Request {
            query: query.to_owned(),
            filter: self.filter.clone(),
            encoder: self.query_encoder.of_engine(),
            fusion: self.fusion.unwrap_or_default(),
            every_word: self.every_word,
            verbatim: self.verbatim,
            prefer: self.prefer.clone(),
            order: self.order.into(),
            sort: self.sort.clone(),
            spread: self.spread.clone(),
            copies: self.copies,
            ..Request::default()
        }
    }
}

/// Parses `convex` or `rrf`, optionally with parameters after a colon.
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
            "expected convex, rrf, convex:alpha=0.35 or rrf:k=5,dense-weight=0.7, found `{text}` \
             ({error})"
        )
    })
}

/// Parses `year` or `-year`.
fn parse_sort(text: &str) -> Result<Sort, String> {
    let (name, descending) = text.strip_prefix('-').map_or((text, true), |name| (name, false));
    if name.is_empty() {
        return Err(format!("expected an attribute, as in year or -year, found `{text}`"));
    }
    Ok(Sort { by: name.to_owned(), descending })
}

/// Parses `date`, `date:0.9` or `-size`.
fn parse_prefer(text: &str) -> Result<Prefer, String> {
    let (name, share) = text.rsplit_once(':').unwrap_or((text, "0.3"));
    let (by, ascending) = name.strip_prefix('-').map_or((name, false), |name| (name, true));
    let share: f32 =
        share.parse().ok().filter(|share| (0.0..=1.0).contains(share)).ok_or_else(|| {
            format!("expected an attribute and a share from 0 to 1, as in date:0.5, found `{text}`")
        })?;
    Ok(Prefer { by: by.to_owned(), share, half: None, ascending })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fusion_is_parsed_with_and_without_parameters() {
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
    fn preferences_are_parsed_with_share_and_direction() {
        let prefer =
            |by: &str, share, ascending| Prefer { by: by.into(), share, half: None, ascending };
        assert_eq!(parse_prefer("date"), Ok(prefer("date", 0.3, false)));
        assert_eq!(parse_prefer("-size:0.5"), Ok(prefer("size", 0.5, true)));
        assert!(parse_prefer("date:2").is_err() && parse_prefer("date:often").is_err());
    }
}

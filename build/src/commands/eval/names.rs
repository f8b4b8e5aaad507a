//! `findling eval --synthetic`: searches for pages by the names that the site itself gives them.

use std::collections::BTreeMap;
use std::io::Write;

use anyhow::Context;
use findling_engine::{Limit, Mode, Request, SectionsPerPage, Suggest};
use serde::Serialize;

use super::{Args, Judged, embed, mode_name, one, shorten};
use crate::eval::own_names::{Kind, names};
use crate::host::{Host, QueryEncoder};
use crate::safe_text::line;
use crate::standard_streams::stdout;
use crate::ui::{Paint, Ui, print_json, thousands};

/// Largest number of names of a kind that are searched.
const MAX_NAMES: usize = 2_000;
/// Pages of an answer in which a page has to be, as on the first page of a search.
const DEPTH: u32 = 10;
/// Lost pages that are printed; JSON has all of them.
const MAX_LINES: usize = 20;

/// The results of the command.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Report {
    encoder: Option<&'static str>,
    found: Vec<Found>,
    /// Titles whose pages are not among the first ten, by the last of the modes.
    lost: Vec<Lost>,
}

/// Shares of the names of a kind that find their page.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Found {
    mode: Mode,
    kind: Kind,
    n_names: usize,
    /// Share of the names whose page is first.
    first: f64,
    /// Share of the names whose page is among the first ten.
    in_ten: f64,
}

/// A title that does not find its page.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
struct Lost {
    title: String,
    pages: Vec<String>,
    /// The page that is first instead.
    first: Option<String>,
}

/// Searches for each name in each mode.
pub fn run(
    host: &mut Host,
    encoder: Option<&QueryEncoder>,
    modes: &[Mode],
    args: &Args,
    ui: &Ui,
) -> anyhow::Result<()> {
    let mut kinds: BTreeMap<Kind, Vec<Judged>> = BTreeMap::new();
    for (kind, queries) in names(host.files(), args.site.as_deref(), MAX_NAMES)? {
        let judged = queries.into_iter();
        let judged = judged.map(|(query, judgements)| Judged { query, judgements, vector: None });
        let mut judged: Vec<Judged> = judged.collect();
        shorten(&mut judged, args.typed);
        kinds.insert(kind, judged);
    }
    if let Some(encoder) = encoder {
        for judged in kinds.values_mut() {
            embed(encoder, judged, ui)?;
        }
    }
    let mut report =
        Report { encoder: encoder.map(QueryEncoder::kind), found: Vec::new(), lost: Vec::new() };
    for &mode in modes {
        for (&kind, judged) in &kinds {
            let (found, lost) = ask(host, encoder, mode, kind, judged, args, ui)?;
            report.found.push(found);
            if kind == Kind::Title {
                report.lost = lost;
            }
        }
    }
    if args.json {
        print_json(&report)?;
    } else {
        print(&report, ui)?;
    }
    Ok(())
}

/// Searches for the names of one kind. Also returns the names that do not find their page.
fn ask(
    host: &mut Host,
    encoder: Option<&QueryEncoder>,
    mode: Mode,
    kind: Kind,
    judged: &[Judged],
    args: &Args,
    ui: &Ui,
) -> anyhow::Result<(Found, Vec<Lost>)> {
    let bar = ui.bar("Searching", judged.len() as u64, "names");
    let (mut n_first, mut lost) = (0, Vec::new());
    for name in judged {
        let request = Request {
            limit: Limit(DEPTH),
            sections_per_page: SectionsPerPage(1),
            suggest: Suggest(false),
            prefix: args.typed.is_some(),
            ..one(&args.ranking, mode, name)
        };
        let which = || format!("query {}", name.query.id);
        let (response, _) = host.search_as_meant(encoder, request).with_context(which)?;
        let rank = response.results.iter().position(|page| name.judgements.contains_key(&page.id));
        match rank {
            Some(rank) => n_first += usize::from(rank == 0),
            None => lost.push(Lost {
                title: name.query.text.clone(),
                pages: name.judgements.keys().cloned().collect(),
                first: response.results.first().map(|page| page.id.clone()),
            }),
        }
        bar.add(1);
    }
    bar.finish();
    let share = |n: usize| n as f64 / judged.len().max(1) as f64;
    let found = Found {
        mode,
        kind,
        n_names: judged.len(),
        first: share(n_first),
        in_ten: share(judged.len() - lost.len()),
    };
    Ok((found, lost))
}

fn print(report: &Report, ui: &Ui) -> anyhow::Result<()> {
    let mut out = stdout();
    let head = format!("{:<9} {:<9} {:>7} {:>8} {:>8}", "mode", "names", "n", "first", "in ten");
    writeln!(out, "{}", ui.paint(Paint::Bold, &head))?;
    for found in &report.found {
        let kind = match found.kind {
            Kind::Title => "titles",
            Kind::Heading => "headings",
            Kind::Link => "links",
        };
        writeln!(
            out,
            "{:<9} {kind:<9} {:>7} {:>7.1}% {:>7.1}%",
            mode_name(found.mode),
            thousands(found.n_names as u64),
            100.0 * found.first,
            100.0 * found.in_ten,
        )?;
    }
    if report.lost.is_empty() {
        writeln!(out, "Every page is among the first ten for its title.")?;
        return Ok(());
    }
    writeln!(out, "\nNot among the first ten for their own title:")?;
    for lost in report.lost.iter().take(MAX_LINES) {
        let first = line(lost.first.as_deref().unwrap_or("nothing"));
        writeln!(
            out,
            "  {}  {}",
            line(&lost.title),
            ui.paint(Paint::Dim, &format!("first is {first}"))
        )?;
        for page in &lost.pages {
            writeln!(out, "    {}", line(page))?;
        }
    }
    if report.lost.len() > MAX_LINES {
        let more = thousands((report.lost.len() - MAX_LINES) as u64);
        writeln!(out, "  and {more} more; --json lists all")?;
    }
    Ok(())
}

//! `findling show`: reads a page in the terminal: a conversation, a paper, or any other.

mod print;
pub mod resume;

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use findling_engine::{Limit, PageHit, Request};
use serde::Serialize;
use serde_json::{Map, Value};

use super::dependencies::Searched;
use super::open_bundle::{OpenBundle, open};
use super::require_fresh::RequireFresh;
use super::search::{Output, answer, finish, is_no_page, write_to};
use super::vector_name::VectorName;
use crate::host::{Document, Host};
use crate::output::byline::{is_conversation, is_paper};
use crate::output::citations::{Style, reference};
use crate::output::{Exit, Failure, Last, Location, Sources, UsageError};
use crate::safe_text::json_pretty;
use crate::ui::Ui;

/// Pages that are listed as related to a paper.
const RELATED: u32 = 5;

/// The page that a command is about.
#[derive(Debug, clap::Args)]
pub struct Wanted {
    /// The page: its address, id, key or title, with #turn-12 or another anchor behind it; or the
    /// number of a hit of the last search
    #[arg(value_name = "PAGE")]
    pub page: String,
    /// The bundle; without any, the one of the last search and then all collections
    #[arg(
        long = "in",
        value_name = "BUNDLE",
        help = concat!("Look only in this bundle: ", bundle_forms!(), ". Repeatable")
    )]
    pub targets: Vec<PathBuf>,
}

/// Read a page in the terminal: a conversation by turns, a paper with its citation, or any other
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    wanted: Wanted,
    /// Show all text: of a paper its sections, of a conversation long code in full
    #[arg(long)]
    pub full: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// A page that was found.
struct Found {
    bundle: OpenBundle,
    document: Document,
    /// The own attributes of each section.
    attributes: Vec<Map<String, Value>>,
    /// The requested anchor; empty for the whole page.
    anchor: String,
}

/// The output of `--json`.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Printed<'a> {
    collection: &'a str,
    id: &'a str,
    url: &'a str,
    title: &'a str,
    language: &'a str,
    location: Location,
    attributes: &'a Map<String, Value>,
    meta: Map<String, Value>,
    citations: Map<String, Value>,
    sections: Vec<PrintedSection<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PrintedSection<'a> {
    anchor: Option<&'a str>,
    heading_path: &'a [String],
    attributes: &'a Map<String, Value>,
    text: &'a str,
}

/// Runs the command.
pub fn run(args: Args, ui: &Ui) -> Result<ExitCode> {
    let output = Output { json: args.json, ..Output::default() };
    finish(&output, ui, || {
        let mut found = find(&args.wanted, ui)?;
        let sources = found.bundle.sources.relative();
        if args.json {
            write_to(&output, ui, |_, out| Ok(writeln!(out, "{}", json(&found, &sources)?)?))?;
            return Ok(Exit::Found);
        }
        let is_of_paper = is_paper(&found.document.attributes);
        let related = if is_of_paper { related(&mut found, ui) } else { Vec::new() };
        write_to(&output, ui, |ui, out| {
            let page = print::Page {
                document: &found.document,
                attributes: &found.attributes,
                anchor: &found.anchor,
                sources: &sources,
                full: args.full,
            };
            if is_of_paper {
                print::paper(&page, &related, ui, out)
            } else if is_conversation(&found.document.attributes) {
                print::conversation(&page, ui, out)
            } else {
                print::document(&page, ui, out)
            }
        })?;
        Ok(Exit::Found)
    })
}

/// Finds the requested page.
///
/// # Errors
/// If no bundle has it, or several pages have that name.
fn find(Wanted { page, targets }: &Wanted, ui: &Ui) -> Result<Found> {
    let (mut targets, mut name) = (targets.clone(), page.clone());
    if let Ok(number) = page.parse::<usize>() {
        let last = Last::read(None)?;
        let hit = last.hit(number)?;
        let anchor = hit.url.split_once('#').map(|(_, anchor)| format!("#{anchor}"));
        name = format!("{}{}", hit.id, anchor.unwrap_or_default());
        if targets.is_empty() && !hit.bundle.is_empty() {
            targets.push(PathBuf::from(&hit.bundle));
        }
    }
    let (page, anchor) = match name.split_once('#') {
        Some((page, anchor)) => (page, anchor),
        None => (name.as_str(), ""),
    };
    let asked =
        open(Searched::Named(&targets), &VectorName::default(), RequireFresh::default(), ui)?.asked;
    let mut near: Vec<String> = Vec::new();
    for mut bundle in asked {
        let id = match named(&mut bundle.host, page) {
            Ok(id) => id,
            Err(error) if is_no_page(&error) => {
                near.extend(bundle.host.near_addresses(page).unwrap_or_default());
                continue;
            }
            Err(error) => return Err(error),
        };
        let (number, document) = bundle.host.find_document(&id)?;
        let attributes = bundle.host.attributes_of_sections(number)?;
        let anchor = anchor.to_owned();
        return Ok(Found { bundle, document, attributes, anchor });
    }
    near.truncate(5);
    let similar = match near.is_empty() {
        true => String::new(),
        false => format!("; similar ones are {}", near.join(", ")),
    };
    let message = format!("found no page with the address, id, key or title `{page}`{similar}");
    Err(UsageError { code: "no-such-page", message }.into())
}

/// Returns the id of the page that a name means: its address or id, its key in a file, or its
/// title.
///
/// # Errors
/// If there is none, or several.
pub(crate) fn named(host: &mut Host, name: &str) -> Result<String> {
    let error = match host.document(name) {
        Ok(document) => return Ok(document.id),
        Err(error) if !is_no_page(&error) => return Err(error),
        Err(error) => error,
    };
    let mut ids = host.pages_named(name)?;
    match ids.len() {
        0 => Err(error),
        1 => Ok(ids.remove(0)),
        n => {
            ids.truncate(5);
            let message = format!(
                "expected one page, found {n} with the name `{name}`: {}; write the whole id",
                ids.join(", ")
            );
            Err(UsageError { code: "ambiguous", message }.into())
        }
    }
}

/// Returns the pages most like a page. Without vectors or words to compare, there are no similar
/// pages.
fn related(found: &mut Found, ui: &Ui) -> Vec<PageHit> {
    let request = Request {
        similar_to: Some(found.document.id.clone()),
        limit: Limit(RELATED),
        ..Request::default()
    };
    match answer(&mut found.bundle.host, None, request, &Ui::silent()) {
        Ok((response, _)) => response.results,
        Err(error) => {
            ui.detail(format!("related pages: {}", Failure::of(&error).message));
            Vec::new()
        }
    }
}

fn json(found: &Found, sources: &Sources) -> Result<String> {
    let Found { bundle, document, attributes, .. } = found;
    let page = document.to_hit();
    let mut citations = Map::new();
    if is_paper(&document.attributes) {
        for (name, style) in [("apa", Style::Apa), ("bibtex", Style::Bibtex)] {
            if let Ok(text) = reference(&page, style) {
                citations.insert(name.to_owned(), text.into());
            }
        }
    }
    let none = Map::new();
    let sections = document.sections.iter().enumerate().map(|(at, section)| PrintedSection {
        anchor: section.anchor.as_deref(),
        heading_path: &section.heading_path,
        attributes: attributes.get(at).unwrap_or(&none),
        text: &section.text,
    });
    let meta = document.meta.iter().map(|(name, text)| (name.clone(), Value::from(text.as_str())));
    let printed = Printed {
        collection: &bundle.name,
        id: &document.id,
        url: &document.url,
        title: &document.title,
        language: &document.language,
        location: sources.locate(&page, None),
        attributes: &document.attributes,
        meta: meta.collect(),
        citations,
        sections: sections.collect(),
    };
    Ok(json_pretty(&printed)?)
}

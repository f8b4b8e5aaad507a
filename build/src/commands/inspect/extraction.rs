//! `findling inspect --extraction`: shows a page as it is indexed, and what was left out of it, or
//! the summary of a site.
//!
//! The page is read by the same code as in a build. In addition, every rule that leaves something
//! out is recorded.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use findling_bundle::AttributeValue;
use serde::Serialize;
use serde_json::{Map, Value};
use ureq::http::{Uri, header};

use super::site_report::report as report_of_site;
use super::site_summary::{severity_name, summary};
use crate::commands::format_values::formats;
use crate::page::{Block, Page};
use crate::private_network::{self, PrivateHosts};
use crate::site::checked_ocr;
use crate::sources::conversations::fields::Fields;
use crate::sources::left_out::LeftOut;
use crate::sources::{self, Document, Extraction, Format, Options, Problem, Severity};
use crate::standard_streams::stdout;
use crate::ui::{Paint, Ui, print_json};

/// Largest page that is fetched.
const MAX_PAGE_BYTES: u64 = 64 << 20;

/// Timeout of a request.
const MAX_FETCH_TIME: Duration = Duration::from_secs(30);

/// Options of `--extraction`.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Pages")]
pub struct ExtractionArgs {
    /// Show a page as it is indexed: give a file (HTML, Markdown, JSON lines, source code,
    /// a conversation, a PDF) or an http(s) address. Of a directory, show what is left out and what
    /// makes pages hard to find
    #[arg(long)]
    pub extraction: bool,
    /// For a file of records or conversations: show the one with this id
    #[arg(long, requires = "extraction", value_name = "ID")]
    id: Option<String>,
    /// Read the file as a page of the site in this directory, as a build does
    #[arg(long, requires = "extraction", value_name = "DIR")]
    root: Option<PathBuf>,
    /// Format of the page [default: detected]
    #[arg(long, requires = "extraction", value_parser = formats())]
    format: Option<Format>,
    /// Show what tools returned in conversations as indexed, as --tool-output does in a build
    #[arg(long, requires = "extraction")]
    tool_output: bool,
    /// Show the lists of references of papers as indexed, as --references does in a build
    #[arg(long, requires = "extraction")]
    references: bool,
    /// Recognise the text of scans, as --ocr does in a build
    #[arg(
        long,
        requires = "extraction",
        value_name = "LANGUAGES",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "eng"
    )]
    ocr: Option<String>,
    /// Names of the fields of messages, as in a build
    #[arg(long, requires = "extraction", value_name = "FILE")]
    chat_fields: Option<PathBuf>,
}

/// A page as `--json` prints it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PageReport<'a> {
    id: &'a str,
    url: &'a str,
    title: &'a str,
    language: &'a str,
    aliases: &'a [String],
    pins: &'a [String],
    attributes: Map<String, Value>,
    meta: Map<String, Value>,
    content: &'a str,
    sections: Vec<SectionReport<'a>>,
    left_out: &'a [LeftOut],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SectionReport<'a> {
    level: u8,
    heading: &'a str,
    /// Headings from the outermost one to the section's own.
    path: Vec<&'a str>,
    anchor: Option<&'a str>,
    #[serde(skip_serializing_if = "Map::is_empty")]
    attributes: Map<String, Value>,
    blocks: Vec<BlockReport<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct BlockReport<'a> {
    text: &'a str,
    is_code_block: bool,
    /// Byte ranges of code in the text.
    code: &'a [(u32, u32)],
    weight: f32,
}

#[derive(Serialize)]
struct ProblemReport {
    severity: &'static str,
    path: PathBuf,
    line: Option<u64>,
    reason: String,
}

#[derive(Serialize)]
struct Report<'a> {
    pages: Vec<PageReport<'a>>,
    problems: Vec<ProblemReport>,
}

/// Runs the command on `target`, a file or an address.
///
/// # Errors
/// If the page cannot be read, or the file has no record with the id.
pub fn run(target: &Path, args: &ExtractionArgs, json: bool, ui: &Ui) -> Result<ExitCode> {
    if target.is_dir() {
        return summarize(target, args, json, ui);
    }
    let mut problems = Vec::new();
    let mut pages = read(target, args, &mut problems)?;
    if let Some(id) = &args.id {
        pages.retain(|page| page.page.id == *id);
        if pages.is_empty() {
            bail!("{}: expected a record with the id \"{id}\", found none", target.display());
        }
    }
    let failed = pages.is_empty() || problems.iter().any(|p| p.severity == Severity::Error);
    if json {
        let pages = pages.iter().map(report).collect();
        let problems = problems.into_iter().map(problem_report).collect();
        print_json(&Report { pages, problems })?;
    } else {
        for page in &pages {
            stdout().write_all(text_report(page, ui).as_bytes())?;
        }
        for problem in &problems {
            let line = problem.line.map_or(String::new(), |line| format!(":{line}"));
            let path = problem.path.display();
            let left_out = if problem.severity == Severity::Skipped { "left out: " } else { "" };
            ui.warn(format!("{path}{line}: {left_out}{}", problem.reason));
        }
    }
    Ok(if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// Shows which parts of a whole site are indexed and which are left out.
fn summarize(root: &Path, args: &ExtractionArgs, json: bool, ui: &Ui) -> Result<ExitCode> {
    if args.id.is_some() || args.root.is_some() {
        bail!(
            "{}: expected a file with --id or --root, found a directory; leave the option out for \
             the summary of the site",
            root.display()
        );
    }
    let mut problems = Vec::new();
    let on_problem = &mut |problem| problems.push(problem);
    let pages = sources::extract(&[root.to_owned()], &options(args)?, on_problem);
    let summary = summary(root, &pages, &problems);
    if json {
        print_json(&summary)?;
    } else {
        stdout().write_all(report_of_site(root, &summary, ui).as_bytes())?;
    }
    let failed = problems.iter().any(|problem| problem.severity == Severity::Error);
    Ok(if pages.is_empty() || failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn options(args: &ExtractionArgs) -> Result<Options> {
    Ok(Options {
        format: args.format,
        tool_output: args.tool_output,
        references: args.references,
        ocr: args.ocr.as_deref().map(checked_ocr).transpose()?,
        chat_fields: args.chat_fields.as_deref().map(Fields::read).transpose()?,
        ..Options::default()
    })
}

fn read(
    target: &Path,
    args: &ExtractionArgs,
    problems: &mut Vec<Problem>,
) -> Result<Vec<Extraction>> {
    let options = options(args)?;
    if let Some(url) = target.to_str().filter(|text| is_address(text)) {
        let fetched = fetch(url, args.format)?;
        let document = Document {
            url: fetched.url,
            id: fetched.id,
            format: fetched.format,
            charset: fetched.charset,
            bytes: &fetched.bytes,
        };
        let on_problem = &mut |problem| problems.push(problem);
        return Ok(sources::extract_document(&document, &options, on_problem));
    }
    if !target.is_file() {
        bail!(
            "{}: expected a file, a directory or an http(s) address, found no such file",
            target.display()
        );
    }
    let Some(root) = &args.root else {
        let on_problem = &mut |problem| problems.push(problem);
        return Ok(sources::extract(&[target.to_owned()], &options, on_problem));
    };
    let wanted = target.canonicalize().with_context(|| target.display().to_string())?;
    let is_wanted = |path: &Path| path.canonicalize().is_ok_and(|path| path == wanted);
    let pages = sources::extract(std::slice::from_ref(root), &options, &mut |problem| {
        if is_wanted(&problem.path) {
            problems.push(problem);
        }
    });
    let pages: Vec<_> = pages.into_iter().filter(|page| is_wanted(&page.path)).collect();
    if pages.is_empty() && problems.is_empty() {
        bail!(
            "{}: expected a page of the site {}, found none with that path",
            target.display(),
            root.display()
        );
    }
    Ok(pages)
}

fn is_address(text: &str) -> bool {
    text.starts_with("http://") || text.starts_with("https://")
}

/// A page as a server sent it.
struct Fetched {
    /// The address after redirects.
    url: String,
    id: String,
    format: Format,
    charset: Option<String>,
    bytes: Vec<u8>,
}

fn fetch(url: &str, format: Option<Format>) -> Result<Fetched> {
    let config = ureq::Agent::config_builder()
        .http_status_as_error(false)
        .timeout_global(Some(MAX_FETCH_TIME))
        .user_agent(concat!("findling/", env!("CARGO_PKG_VERSION")))
        .build();
    // The host may be private, such as a development server. Redirects to other hosts are refused.
    let parsed: Option<Uri> = url.parse().ok();
    let host = parsed.as_ref().and_then(Uri::host).unwrap_or_default();
    let agent = private_network::agent(config, PrivateHosts::of_environment().and(host));
    let mut response = agent
        .get(url)
        .call()
        .map_err(|error| match private_network::refusal(&error) {
            Some(refused) => refused.clone().into(),
            None => anyhow::Error::new(error),
        })
        .with_context(|| format!("{url}: the page cannot be fetched"))?;
    if !response.status().is_success() {
        bail!("{url}: expected status 200, found {}", response.status());
    }
    let kind = response
        .headers()
        .get(header::CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default()
        .to_ascii_lowercase();
    let final_url = ureq::ResponseExt::get_uri(&response).to_string();
    let path = final_url.split(['?', '#']).next().unwrap_or_default();
    let path = path.splitn(4, '/').nth(3).unwrap_or_default();
    let Some(format) = format.or_else(|| format_of(&kind, path)) else {
        bail!(
            "{url}: expected HTML, Markdown, reStructuredText, AsciiDoc, Org, JSON lines, PDF or a \
             document, found `{kind}`; give its format with --format \
             html|markdown|rst|asciidoc|org|jsonl|pdf|documents"
        );
    };
    let charset = kind.split("charset=").nth(1).map(|value| {
        value.split(';').next().unwrap_or_default().trim_matches(['"', '\'', ' ']).to_owned()
    });
    let bytes = response
        .body_mut()
        .with_config()
        .limit(MAX_PAGE_BYTES)
        .read_to_vec()
        .with_context(|| format!("{url}: expected a page of at most {MAX_PAGE_BYTES} bytes"))?;
    let index = if path.is_empty() || path.ends_with('/') { "index.html" } else { "" };
    Ok(Fetched { id: format!("{path}{index}"), url: final_url, format, charset, bytes })
}

/// Returns the format of a page by its media type, otherwise by its name.
fn format_of(kind: &str, path: &str) -> Option<Format> {
    let kind = kind.split(';').next().unwrap_or_default().trim();
    match kind {
        "text/html" | "application/xhtml+xml" => return Some(Format::Html),
        "text/markdown" | "text/x-markdown" => return Some(Format::Markdown),
        "text/x-rst" | "text/prs.fallenstein.rst" => return Some(Format::Rst),
        "text/asciidoc" | "text/x-asciidoc" => return Some(Format::Asciidoc),
        "text/org" | "text/x-org" => return Some(Format::Org),
        "application/jsonl" | "application/x-ndjson" | "application/jsonlines" => {
            return Some(Format::Jsonl);
        }
        "application/pdf" => return Some(Format::Pdf),
        _ => {}
    }
    Format::of_name(Path::new(path))
}

/// Returns for each section the headings from the outermost one to its own.
fn heading_paths(page: &Page) -> Vec<Vec<&str>> {
    let mut open: Vec<(u8, &str)> = Vec::new();
    let mut paths = Vec::with_capacity(page.sections.len());
    for section in &page.sections {
        open.retain(|(level, _)| *level < section.level);
        if !section.heading.is_empty() {
            open.push((section.level, &section.heading));
        }
        paths.push(open.iter().map(|(_, heading)| *heading).collect());
    }
    paths
}

fn report(extraction: &Extraction) -> PageReport<'_> {
    let page = &extraction.page;
    let sections = page
        .sections
        .iter()
        .zip(heading_paths(page))
        .map(|(section, path)| SectionReport {
            level: section.level,
            heading: &section.heading,
            path,
            anchor: section.anchor.as_deref(),
            attributes: attributes(&section.attributes),
            blocks: section
                .blocks
                .iter()
                .map(|block| BlockReport {
                    text: &block.text,
                    is_code_block: block.is_code_block,
                    code: &block.code,
                    weight: block.weight,
                })
                .collect(),
        })
        .collect();
    let meta =
        page.meta.iter().map(|(name, value)| (name.clone(), Value::from(value.as_str()))).collect();
    PageReport {
        id: &page.id,
        url: &page.url,
        title: &page.title,
        language: &page.language,
        aliases: &page.aliases,
        pins: &page.pins,
        attributes: attributes(&page.attributes),
        meta,
        content: &extraction.content,
        sections,
        left_out: &extraction.left_out,
    }
}

fn attributes(values: &BTreeMap<String, AttributeValue>) -> Map<String, Value> {
    values.iter().map(|(name, value)| (name.clone(), attribute(value))).collect()
}

/// Writes attributes in the terminal's form: `name: value`.
fn attribute_lines(values: &BTreeMap<String, AttributeValue>) -> impl Iterator<Item = String> {
    values.iter().map(|(name, value)| match attribute(value) {
        Value::String(text) => format!("{name}: {text}"),
        other => format!("{name}: {other}"),
    })
}

fn attribute(value: &AttributeValue) -> Value {
    match value {
        AttributeValue::String(text) => Value::from(text.as_str()),
        AttributeValue::Strings(list) => Value::from(list.as_slice()),
        AttributeValue::Number(number) => Value::from(*number),
        AttributeValue::Bool(value) => Value::from(*value),
        AttributeValue::Date(at) => {
            let date = jiff::Timestamp::from_millisecond(*at).map(|date| date.to_string());
            Value::from(date.unwrap_or_else(|_| at.to_string()))
        }
    }
}

fn problem_report(problem: Problem) -> ProblemReport {
    let severity = severity_name(problem.severity);
    ProblemReport { severity, path: problem.path, line: problem.line, reason: problem.reason }
}

/// Returns the report for a terminal.
fn text_report(extraction: &Extraction, ui: &Ui) -> String {
    let page = &extraction.page;
    let mut out = String::new();
    let mut field = |name: &str, value: &str| {
        if !value.is_empty() {
            out.push_str(&ui.paint(Paint::Bold, &format!("{name:<12}")));
            out.push_str(value);
            out.push('\n');
        }
    };
    field("title", &page.title);
    field("url", &page.url);
    field("language", &page.language);
    field("content", &extraction.content);
    field("aliases", &page.aliases.join(", "));
    field("pins", &page.pins.join(", "));
    for line in attribute_lines(&page.attributes) {
        field("attribute", &line);
    }
    for (name, value) in &page.meta {
        field("meta", &format!("{name}: {value}"));
    }
    if page.sections.is_empty() {
        out.push_str("\nno text\n");
    }
    for (section, path) in page.sections.iter().zip(heading_paths(page)) {
        let heading = if path.is_empty() { "(no heading)".to_owned() } else { path.join(" > ") };
        let anchor = section.anchor.as_ref().map_or(String::new(), |anchor| format!("  #{anchor}"));
        out.push('\n');
        out.push_str(&ui.paint(Paint::Bold, &heading));
        out.push_str(&ui.paint(Paint::Blue, &anchor));
        out.push('\n');
        for line in attribute_lines(&section.attributes) {
            out.push_str(&line);
            out.push('\n');
        }
        for block in &section.blocks {
            push_block(block, &mut out);
        }
    }
    if !extraction.left_out.is_empty() {
        out.push('\n');
        out.push_str(&ui.paint(Paint::Bold, "left out"));
        out.push('\n');
        for LeftOut { rule, element, text } in &extraction.left_out {
            out.push_str(&format!("  {:<20}{element:<30} {text}\n", rule.name()));
        }
    }
    out
}

/// Adds a block: code after bars, inline code between backticks, weighted words with their weight.
fn push_block(block: &Block, out: &mut String) {
    if block.is_code_block {
        for line in block.text.lines() {
            out.push_str(format!("    | {line}").trim_end());
            out.push('\n');
        }
        return;
    }
    out.push_str("    ");
    let mut at = 0;
    for &(start, end) in &block.code {
        let (start, end) = (start as usize, end as usize);
        out.push_str(&block.text[at..start]);
        out.push('`');
        out.push_str(&block.text[start..end]);
        out.push('`');
        at = end;
    }
    out.push_str(&block.text[at..]);
    if block.weight != 1.0 {
        out.push_str(&format!("  (weight {})", block.weight));
    }
    out.push('\n');
}

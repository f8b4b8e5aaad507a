//! A page on the terminal.

use std::io::Write;

use anyhow::Result;
use findling_engine::PageHit;
use serde_json::{Map, Value};

use crate::commands::highlight;
use crate::host::{Document, DocumentSection};
use crate::output::Sources;
use crate::output::byline::{authors_and_year, byline, known};
use crate::output::citations::{Style, reference};
use crate::safe_text::{line as clean, lines};
use crate::ui::{Paint, Ui, count};

/// Number of lines from which code is folded, and the number of lines shown then.
const LONG_CODE: usize = 14;
const SHOWN_CODE: usize = 8;

/// A page and how it is shown.
pub struct Page<'a> {
    pub document: &'a Document,
    /// The own attributes of each section.
    pub attributes: &'a [Map<String, Value>],
    /// The anchor to begin at; empty for the beginning.
    pub anchor: &'a str,
    pub sources: &'a Sources,
    /// Whether all text is shown.
    pub full: bool,
}

impl Page<'_> {
    fn attribute(&self, at: usize, name: &str) -> String {
        self.attributes.get(at).map(|own| known(own, name)).unwrap_or_default()
    }

    fn meta(&self, name: &str) -> &str {
        let found = self.document.meta.iter().find(|(known, _)| known == name);
        found.map_or("", |(_, value)| value)
    }

    /// Prints a name and a value, if there is one.
    fn field(&self, name: &str, value: &str, ui: &Ui, out: &mut dyn Write) -> Result<()> {
        if !value.is_empty() {
            writeln!(out, "{} {}", ui.paint(Paint::Dim, &format!("{name:<10}")), clean(value))?;
        }
        Ok(())
    }

    fn title(&self, ui: &Ui, out: &mut dyn Write) -> Result<()> {
        let title = match self.document.title.as_str() {
            "" => &self.document.id,
            title => title,
        };
        Ok(writeln!(out, "{}", ui.paint(Paint::Bold, &clean(title)))?)
    }

    fn location(&self, ui: &Ui, out: &mut dyn Write) -> Result<()> {
        let location = self.sources.locate(&self.document.to_hit(), None);
        self.field("file", &location.to_string(), ui, out)
    }

    /// Returns the place of the first section to show: that with the anchor, or 0.
    fn first_section(&self) -> usize {
        let sections = &self.document.sections;
        let wanted = match self.anchor.parse::<usize>() {
            Ok(number) => format!("turn-{number}"),
            Err(_) => self.anchor.to_owned(),
        };
        let is = |section: &DocumentSection| section.anchor.as_deref() == Some(&*wanted);
        sections.iter().position(is).unwrap_or(0)
    }
}

/// Prints a conversation by its turns. With an anchor, prints the exchange that begins there, up to
/// the next question.
pub fn conversation(page: &Page<'_>, ui: &Ui, out: &mut dyn Write) -> Result<()> {
    page.title(ui, out)?;
    let text = |name: &str| known(&page.document.attributes, name);
    let (started, updated) = (minute(&text("started")), minute(&text("updated")));
    let times = if started == updated { started } else { format!("{started} to {updated}") };
    for (name, value) in [
        ("agent", text("agent")),
        ("project", text("project")),
        ("branch", text("branch")),
        ("model", text("model")),
        ("session", text("session")),
        ("time", times),
        ("id", page.document.id.clone()),
        ("task of", page.meta("parent").to_owned()),
        ("continues", page.meta("continues").to_owned()),
    ] {
        page.field(name, &value, ui, out)?;
    }
    for child in page.meta("children").lines() {
        page.field("subagent", child, ui, out)?;
    }
    page.location(ui, out)?;
    let first = page.first_section();
    let mut last_anchor = String::new();
    for (at, section) in page.document.sections.iter().enumerate().skip(first) {
        let role = page.attribute(at, "role");
        if !page.anchor.is_empty() && at > first && role == "user" {
            break;
        }
        let anchor = section.anchor.clone().unwrap_or_default();
        let turn = turn_of(&anchor);
        if turn != last_anchor {
            let time = minute(&page.attribute(at, "time"));
            let tools = tools(page.attributes.get(at));
            let about = [role, time, tools].join("  ");
            let paint = if about.starts_with("user") { Paint::Green } else { Paint::Blue };
            writeln!(
                out,
                "\n{} {}",
                ui.paint(paint, about.trim_end()),
                ui.paint(Paint::Dim, &format!("#{}", clean(&turn)))
            )?;
        }
        last_anchor = turn;
        print_text(section, page.full, ui, out)?;
    }
    Ok(())
}

/// Returns the anchor of a turn without the number of its part.
fn turn_of(anchor: &str) -> String {
    anchor.splitn(3, '-').take(2).collect::<Vec<_>>().join("-")
}

fn tools(attributes: Option<&Map<String, Value>>) -> String {
    let tools = attributes.and_then(|own| own.get("tool")).and_then(Value::as_array);
    let names: Vec<_> = tools.into_iter().flatten().filter_map(Value::as_str).map(clean).collect();
    if names.is_empty() { String::new() } else { format!("({})", names.join(", ")) }
}

/// Returns a time to the minute.
fn minute(time: &str) -> String {
    time.get(..16).map(|minute| minute.replace('T', " ")).unwrap_or_else(|| time.to_owned())
}

/// Prints what is known about a paper, its abstract and its headings; with `full` its text.
pub fn paper(page: &Page<'_>, related: &[PageHit], ui: &Ui, out: &mut dyn Write) -> Result<()> {
    page.title(ui, out)?;
    let document = page.document;
    let hit = document.to_hit();
    let text = |name: &str| known(&document.attributes, name);
    let list = |name: &str| {
        let values = document.attributes.get(name).and_then(Value::as_array);
        let values = values.into_iter().flatten().filter_map(Value::as_str);
        values.collect::<Vec<_>>().join(", ")
    };
    let year = document.attributes.get("year").and_then(Value::as_f64);
    let key = document.id.rsplit('/').next().unwrap_or_default();
    for (name, value) in [
        ("authors", page.meta("authors").to_owned()),
        ("year", year.map(|year| year.to_string()).unwrap_or_default()),
        ("venue", text("venue")),
        ("type", text("type")),
        ("doi", text("doi")),
        ("keywords", list("keywords")),
        ("groups", list("groups")),
        ("key", key.to_owned()),
    ] {
        page.field(name, &value, ui, out)?;
    }
    page.location(ui, out)?;
    let is_abstract = |at: usize| page.attribute(at, "chunk_type") == "abstract";
    for (at, section) in document.sections.iter().enumerate() {
        if page.full || is_abstract(at) {
            print_heading(section, ui, out)?;
            print_text(section, true, ui, out)?;
        }
    }
    if !page.full {
        print_outline(document, ui, out)?;
    }
    for (name, style) in [("Reference", Style::Apa), ("BibTeX", Style::Bibtex)] {
        if let Ok(reference) = reference(&hit, style) {
            writeln!(out, "\n{}\n{reference}", ui.paint(Paint::Bold, name))?;
        }
    }
    if !related.is_empty() {
        writeln!(out, "\n{}", ui.paint(Paint::Bold, "Related"))?;
    }
    for other in related {
        let id = ui.paint(Paint::Dim, &clean(&other.id));
        writeln!(out, "{} {}  {id}", authors_and_year(other), clean(&other.title))?;
    }
    Ok(())
}

fn print_outline(document: &Document, ui: &Ui, out: &mut dyn Write) -> Result<()> {
    let mut last = "";
    let mut is_first = true;
    for section in &document.sections {
        let Some(heading) = section.heading_path.last().filter(|heading| *heading != last) else {
            continue;
        };
        if is_first {
            writeln!(out, "\n{}", ui.paint(Paint::Bold, "Sections"))?;
            is_first = false;
        }
        last = heading;
        let indent = "  ".repeat(usize::from(section.level).saturating_sub(1));
        let anchor = section.anchor.as_deref().map(|anchor| format!("  #{}", clean(anchor)));
        let anchor = ui.paint(Paint::Dim, &anchor.unwrap_or_default());
        writeln!(out, "{indent}{}{anchor}", clean(heading))?;
    }
    Ok(())
}

/// Prints any other page with all its text.
pub fn document(page: &Page<'_>, ui: &Ui, out: &mut dyn Write) -> Result<()> {
    page.title(ui, out)?;
    if let Some(line) = byline(&page.document.to_hit(), None) {
        writeln!(out, "{line}")?;
    }
    page.location(ui, out)?;
    for section in page.document.sections.iter().skip(page.first_section()) {
        print_heading(section, ui, out)?;
        print_text(section, true, ui, out)?;
    }
    Ok(())
}

fn print_heading(section: &DocumentSection, ui: &Ui, out: &mut dyn Write) -> Result<()> {
    if let Some(heading) = section.heading_path.last() {
        writeln!(out, "\n{}", ui.paint(Paint::Bold, &clean(heading)))?;
    }
    Ok(())
}

/// Prints the text of a section: prose in lines that fit, code with colours, long code folded
/// unless all is shown.
fn print_text(section: &DocumentSection, full: bool, ui: &Ui, out: &mut dyn Write) -> Result<()> {
    let text = section.text.as_str();
    let mut at = 0;
    let is_block = |(start, end): (usize, usize)| {
        text.get(..start).is_some_and(|before| before.is_empty() || before.ends_with('\n'))
            && text.get(end..).is_some_and(|after| after.is_empty() || after.starts_with('\n'))
    };
    for &(start, end) in section.code.iter().filter(|range| is_block(**range)) {
        if start < at {
            continue;
        }
        print_prose(text.get(at..start).unwrap_or_default(), ui, out)?;
        print_code(text.get(start..end).unwrap_or_default(), full, ui, out)?;
        at = end;
    }
    print_prose(text.get(at..).unwrap_or_default(), ui, out)
}

fn print_prose(text: &str, ui: &Ui, out: &mut dyn Write) -> Result<()> {
    let width = ui.columns();
    for paragraph in text.lines().filter(|paragraph| !paragraph.trim().is_empty()) {
        let mut column = 0;
        let safe = lines(paragraph);
        for word in safe.split_whitespace() {
            let length = unicode_width::UnicodeWidthStr::width(word);
            if column > 0 && column + 1 + length > width {
                writeln!(out)?;
                column = 0;
            }
            if column > 0 {
                write!(out, " ")?;
                column += 1;
            }
            write!(out, "{word}")?;
            column += length;
        }
        writeln!(out)?;
    }
    Ok(())
}

fn print_code(code: &str, full: bool, ui: &Ui, out: &mut dyn Write) -> Result<()> {
    let all: Vec<&str> = code.lines().collect();
    let is_folded = !full && all.len() > LONG_CODE;
    let shown = if is_folded { &all[..SHOWN_CODE] } else { &all[..] };
    for line in shown {
        let painted: String = highlight::code(line)
            .into_iter()
            .map(|(range, kind)| {
                let part = clean(line.get(range).unwrap_or_default()).into_owned();
                match kind {
                    highlight::Kind::Code => part,
                    highlight::Kind::Keyword => ui.paint(Paint::Bold, &part),
                    highlight::Kind::String => ui.paint(Paint::Green, &part),
                    highlight::Kind::Number => ui.paint(Paint::Blue, &part),
                    highlight::Kind::Comment => ui.paint(Paint::Dim, &part),
                }
            })
            .collect();
        writeln!(out, "    {painted}")?;
    }
    if is_folded {
        let more = count((all.len() - SHOWN_CODE) as u64, "lines");
        let note = format!("    … {more} more; --full shows all");
        writeln!(out, "{}", ui.paint(Paint::Dim, &note))?;
    }
    Ok(())
}

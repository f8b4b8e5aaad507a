//! Prints a response as text.

use std::collections::HashSet;
use std::io::Write;

use findling_engine::{Explanation, Facet, Legs, PageHit, Plan, SectionHit, Suggestion};
use serde_json::Value;

use super::byline::{byline, is_conversation, is_paper};
use super::groups::headings;
use super::{Answer, Location, Sources, answers_nothing, below_title, comparable, snippet, title};
use crate::safe_text::line as clean;
use crate::ui::{Paint, Ui, count, thousands};

/// Prefix of all lines of a page except its title, followed by a space.
const INDENT: &str = "   ";

/// Prints the pages of a response.
pub fn response(answer: &Answer<'_>, ui: &Ui, out: &mut impl Write) -> anyhow::Result<()> {
    let Answer { response, sources, group_by, .. } = *answer;
    for correction in &response.corrections {
        let (word, replacement) = (clean(&correction.word), clean(&correction.replacement));
        let note =
            ui.paint(Paint::Dim, &format!("instead of {word}, which the site does not have"));
        writeln!(out, "{} {note}", ui.paint(Paint::Bold, &replacement))?;
    }
    if !response.corrections.is_empty() {
        writeln!(out)?;
    }
    if answers_nothing(response) && !response.results.is_empty() {
        let note = "nothing here answers this; the nearest by meaning:";
        writeln!(out, "{}\n", ui.paint(Paint::Bold, note))?;
    }
    for ((rank, page), heading) in answer.pages().zip(headings(&response.results, group_by)) {
        if let Some(heading) = heading {
            writeln!(out, "{}\n", ui.paint(Paint::Green, &clean(&heading)))?;
        }
        print_page(rank, page, comparable(response, page), sources, ui, out)?;
    }
    for facet in &response.facets {
        print_facet(facet, ui, out)?;
    }
    if let Some(plan) = &response.plan {
        print_plan(plan, ui, out)?;
    }
    let total = response.total;
    let more = if total.at_least { "+" } else { "" };
    let found = match (total.pages, response.results.len()) {
        (0, _) => "nothing matches".to_owned(),
        (pages, 0) => format!("{} found, none shown", count(pages.into(), "pages")),
        (pages, _) => format!(
            "{}{more} {} in {}{more} {}",
            thousands(pages.into()),
            if pages == 1 { "page" } else { "pages" },
            thousands(total.sections.into()),
            if total.sections == 1 { "section" } else { "sections" },
        ),
    };
    for suggestion in &response.suggestions {
        print_suggestion(suggestion, ui, out)?;
    }
    let how = match (&response.mode, &response.encoder) {
        (findling_engine::Mode::Lexical, _) => "words".to_owned(),
        (findling_engine::Mode::Semantic, Some(encoder)) => format!("meaning ({encoder})"),
        (_, Some(encoder)) => format!("words and meaning ({encoder})"),
        (_, None) => "words".to_owned(),
    };
    writeln!(out, "{}", ui.paint(Paint::Dim, &format!("{found}; by {how}")))?;
    Ok(())
}

/// Prints the values of an attribute with their counts.
pub fn print_facet(facet: &Facet, ui: &Ui, out: &mut impl Write) -> anyhow::Result<()> {
    let counted = facet.values.iter();
    let counted = counted.map(|(value, n)| format!("{} {}", clean(value), thousands((*n).into())));
    let values = counted.collect::<Vec<_>>().join(", ");
    Ok(writeln!(out, "{}: {values}", ui.paint(Paint::Bold, &clean(&facet.name)))?)
}

/// Prints a suggestion. A notice names what it leaves out of the query or the filter.
fn print_suggestion(suggestion: &Suggestion, ui: &Ui, out: &mut impl Write) -> anyhow::Result<()> {
    let Suggestion { what, instead: Some(instead), query, filter, pages, .. } = suggestion else {
        return Ok(());
    };
    let asked = [query, filter.as_deref().unwrap_or_default()].map(|part| clean(part));
    let asked =
        asked.iter().filter(|part| !part.is_empty()).map(|part| ui.paint(Paint::Bold, part));
    let found = count((*pages).into(), "pages");
    let note = format!("{} for {}: {found}", clean(instead), clean(what));
    writeln!(
        out,
        "did you mean {}  {}",
        asked.collect::<Vec<_>>().join(" "),
        ui.paint(Paint::Dim, &note)
    )?;
    Ok(())
}

/// Prints a page with its relevance from 0 to 1: its title and best section, then the other
/// sections by their headings.
pub fn print_page(
    rank: usize,
    page: &PageHit,
    relevance: f32,
    sources: &Sources,
    ui: &Ui,
    out: &mut impl Write,
) -> anyhow::Result<()> {
    let score = match relevance > 0.0 {
        true => ui.paint(Paint::Dim, &format!("  {relevance:.2}")),
        // Without a query there is no relevance.
        false => String::new(),
    };
    let number = ui.paint(Paint::Dim, &format!("{rank:>2}."));
    let name = ui.paint(Paint::Bold, &clean(title(page)));
    let best = page.sections.first();
    let path = best.map(|best| heading_path(page, best)).unwrap_or_default();
    writeln!(out, "{number} {name}{path}{score}")?;
    if let Some(line) = byline(page, best) {
        writeln!(out, "{INDENT} {}", ui.paint(Paint::Dim, &line))?;
    }
    if let Some(best) = best {
        let is_told = is_paper(&page.attributes) || is_conversation(&page.attributes);
        print_section(best, !is_told, ui, out)?;
    }
    let location = sources.locate(page, best);
    print_location(&location, ui, out)?;
    if let Some(best) = best {
        print_explanation(best, ui, out)?;
    }
    let mut told = HashSet::from([(path, location.to_string())]);
    for other in page.sections.iter().skip(1) {
        let (path, location) = (heading_path(page, other), sources.locate(page, Some(other)));
        if !told.insert((path.clone(), location.to_string())) {
            continue;
        }
        if !path.is_empty() {
            writeln!(out, "{INDENT} {}{path}", ui.paint(Paint::Dim, "also"))?;
        }
        print_location(&location, ui, out)?;
    }
    let hidden = page.n_sections.saturating_sub(page.sections.len() as u32);
    if hidden > 0 {
        print_note(&format!("and {} more", count(hidden.into(), "sections")), ui, out)?;
    }
    if page.copies > 0 {
        let copies = if page.copies == 1 { "copy" } else { "copies" };
        print_note(&format!("and {} {copies} of this page", page.copies), ui, out)?;
    }
    writeln!(out)?;
    Ok(())
}

fn print_note(note: &str, ui: &Ui, out: &mut impl Write) -> anyhow::Result<()> {
    Ok(writeln!(out, "{INDENT} {}", ui.paint(Paint::Dim, note))?)
}

fn print_location(location: &Location, ui: &Ui, out: &mut impl Write) -> anyhow::Result<()> {
    let text = ui.paint(Paint::Blue, &location.to_string());
    let linked = ui.link(location.href().as_deref(), &text);
    Ok(writeln!(out, "{INDENT} {linked}")?)
}

fn heading_path(page: &PageHit, section: &SectionHit) -> String {
    let headings = below_title(title(page), &section.heading_path);
    headings.map(|heading| format!(" › {}", clean(heading))).collect()
}

/// Returns a section's own attributes: `kind: method, line: 3`.
fn attributes(section: &SectionHit) -> String {
    let named = section.attributes.iter().map(|(name, value)| {
        let texts = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
        let text = |value: &Value| clean(value.as_str().unwrap_or(&value.to_string())).into_owned();
        format!("{}: {}", clean(name), texts.iter().map(text).collect::<Vec<_>>().join(" "))
    });
    named.collect::<Vec<_>>().join(", ")
}

/// Prints a snippet, and the section's own attributes if requested.
fn print_section(
    section: &SectionHit,
    with_attributes: bool,
    ui: &Ui,
    out: &mut impl Write,
) -> anyhow::Result<()> {
    let mark = |text: &str| {
        let painted = ui.paint(Paint::Bold, text);
        // Without colours, marks show the matches.
        if painted == text { format!("**{text}**") } else { painted }
    };
    let width = ui.columns() - INDENT.len() - 1;
    let lines = if snippet::is_of_code(section) {
        // Asterisks around a word would look like part of the code.
        snippet::verbatim(&section.snippet, |text| ui.paint(Paint::Bold, text))
    } else {
        snippet::wrapped(&section.snippet, width, mark)
    };
    for line in lines {
        writeln!(out, "{}", format!("{INDENT} {line}").trim_end())?;
    }
    if with_attributes && !section.attributes.is_empty() {
        writeln!(out, "{INDENT} {}", ui.paint(Paint::Dim, &attributes(section)))?;
    }
    Ok(())
}

fn print_explanation(section: &SectionHit, ui: &Ui, out: &mut impl Write) -> anyhow::Result<()> {
    if let Some(explanation) = &section.explain {
        for line in explain_lines(&section.legs, explanation) {
            writeln!(out, "{INDENT} {}", ui.paint(Paint::Dim, &line))?;
        }
    }
    Ok(())
}

fn explain_lines(legs: &Legs, explanation: &Explanation) -> Vec<String> {
    let mut lines = Vec::new();
    if let (Some(rank), Some(score)) = (legs.lexical_rank, legs.lexical_score) {
        lines.push(format!(
            "words:   rank {rank}, BM25F {score:.3}, gives {:.4}",
            legs.lexical_share
        ));
        for term in &explanation.terms {
            let [title, path, heading, ancestors, body, code] = term.frequencies;
            let fields: Vec<String> = [
                ("title", title),
                ("path", path),
                ("heading", heading),
                ("ancestors", ancestors),
                ("body", body),
                ("code", code),
            ]
            .iter()
            .filter(|(_, n)| *n > 0)
            .map(|(name, n)| format!("{name} {n}"))
            .collect();
            let term_text = clean(&term.term);
            lines.push(format!(
                "         {term_text}: {:.3} (idf {:.3}; {})",
                term.score,
                term.idf,
                fields.join(", ")
            ));
        }
    }
    if let (Some(rank), Some(similarity)) = (legs.semantic_rank, legs.similarity) {
        lines.push(format!(
            "meaning: rank {rank}, cosine {similarity:.4}, gives {:.4}",
            legs.semantic_share
        ));
    } else if let Some(similarity) = legs.similarity {
        lines.push(format!("meaning: cosine {similarity:.4}, gives {:.4}", legs.semantic_share));
    }
    lines
}

/// Prints how a query was understood and run.
pub fn print_plan(plan: &Plan, ui: &Ui, out: &mut impl Write) -> anyhow::Result<()> {
    let list =
        |items: &[String]| if items.is_empty() { "none".to_owned() } else { items.join(", ") };
    let lines = [
        format!("terms        {}", list(&plan.terms)),
        format!("phrases      {}", list(&plan.phrases)),
        format!("excluded     {}", list(&plan.excluded)),
        format!("filter       {}", plan.filter.as_deref().unwrap_or("none")),
        format!("selectivity  {}", plan.selectivity),
        format!(
            "neighbours   {}, {} vectors compared",
            plan.neighbours,
            thousands(plan.vectors_compared.into())
        ),
        format!("fusion       {}", plan.fusion),
    ];
    for line in lines {
        writeln!(out, "{}", ui.paint(Paint::Dim, &clean(&line)))?;
    }
    Ok(())
}

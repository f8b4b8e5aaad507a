//! Prints the comparison of a page with the pages above it.

use std::io::Write;

use findling_engine::{PageHit, Response, SectionHit, TermExplanation, Why};

use crate::output::text::print_plan;
use crate::safe_text::line as clean;
use crate::ui::{Paint, Ui};

/// Columns of a page.
const WIDTH: usize = 36;
/// Columns of the labels.
const LABEL: usize = 24;

const FIELDS: [&str; 6] = ["title", "path", "heading", "ancestors", "body", "code"];

/// Prints the comparison.
pub fn why(why: &Why, response: &Response, ui: &Ui, out: &mut impl Write) -> anyhow::Result<()> {
    let title = if why.page.title.is_empty() { &why.page.id } else { &why.page.title };
    writeln!(out, "{}", ui.paint(Paint::Bold, &clean(title)))?;
    writeln!(out, "{}", ui.paint(Paint::Blue, &clean(&why.page.url)))?;
    writeln!(out, "{}\n", clean(&why.reason))?;

    if let Some(hit) = &why.hit {
        let mut columns = vec![Column::new("this page", why.rank, hit, hit.sections.first())];
        if let Some(section) =
            why.section.as_ref().filter(|section| Some(*section) != hit.sections.first())
        {
            columns.push(Column::new("this section", None, hit, Some(section)));
        }
        columns.extend(
            why.first
                .iter()
                .map(|hit| Column::new("the first", Some(1), hit, hit.sections.first())),
        );
        let above = why.rank.map(|rank| rank - 1);
        let above = why
            .above
            .iter()
            .map(|hit| Column::new("right above", above, hit, hit.sections.first()));
        columns.extend(above);
        table(&columns, ui, out)?;
        writeln!(out)?;
    }
    for removal in &why.removed_by {
        let line = match removal.kind.as_str() {
            "filter" => format!("the filter {} leaves out", removal.text),
            "phrase" => format!("the phrase \"{}\" is missing in", removal.text),
            _ => format!("{}, which is excluded, is in", removal.text),
        };
        let sections =
            format!("{line} {} of the page's {} sections", removal.sections, why.n_sections);
        writeln!(out, "{}", clean(&sections))?;
    }
    if !why.words.is_empty() {
        let words: Vec<String> = why
            .words
            .iter()
            .map(|word| format!("{} {}", word.word, if word.on_page { "yes" } else { "no" }))
            .collect();
        line("on the page", &words.join(", "), ui, out)?;
    }
    for correction in &response.corrections {
        line("corrected", &format!("{} for {}", correction.replacement, correction.word), ui, out)?;
    }
    if let Some(plan) = &response.plan {
        print_plan(plan, ui, out)?;
    }
    let total = response.total;
    let more = if total.at_least { "+" } else { "" };
    line(
        "found",
        &format!("{}{more} pages in {}{more} sections", total.pages, total.sections),
        ui,
        out,
    )
}

fn line(label: &str, text: &str, ui: &Ui, out: &mut impl Write) -> anyhow::Result<()> {
    let text = format!("{label:<13}{text}");
    writeln!(out, "{}", ui.paint(Paint::Dim, &clean(&text)))?;
    Ok(())
}

/// A page, or a section of it, in a column.
struct Column<'a> {
    name: &'static str,
    rank: Option<u32>,
    hit: &'a PageHit,
    section: Option<&'a SectionHit>,
}

impl<'a> Column<'a> {
    fn new(
        name: &'static str,
        rank: Option<u32>,
        hit: &'a PageHit,
        section: Option<&'a SectionHit>,
    ) -> Self {
        Self { name, rank, hit, section }
    }

    fn term(&self, term: &str) -> Option<&'a TermExplanation> {
        self.section?.explain.as_ref()?.terms.iter().find(|own| own.term == term)
    }
}

fn table(columns: &[Column<'_>], ui: &Ui, out: &mut impl Write) -> anyhow::Result<()> {
    let mut row = |label: &str, paint: Option<Paint>, cell: &dyn Fn(&Column<'_>) -> String| {
        let cells: Vec<String> =
            columns.iter().map(|column| clean(&cell(column)).into_owned()).collect();
        if cells.iter().all(String::is_empty) {
            return Ok(());
        }
        let cells: String = cells.iter().map(|cell| fitted(cell)).collect();
        let cells = paint.map_or_else(|| cells.clone(), |paint| ui.paint(paint, &cells));
        writeln!(
            out,
            "{}{}",
            ui.paint(Paint::Dim, &format!("{:<LABEL$}", cut(label, LABEL - 1))),
            cells.trim_end()
        )
    };
    row("", Some(Paint::Bold), &|column| column.name.to_owned())?;
    row("page", None, &|column| column.hit.title.clone())?;
    row("section", None, &|column| {
        column.section.map_or(String::new(), |section| section.heading_path.join(" › "))
    })?;
    row("address", None, &|column| {
        column.section.map_or(&column.hit.url, |section| &section.url).clone()
    })?;
    row("rank", None, &|column| column.rank.map_or(String::new(), |rank| rank.to_string()))?;
    row("score", None, &|column| match (column.rank, column.section) {
        (None, Some(section)) => format!("{:.4}", section.score),
        _ => format!("{:.4}", column.hit.score),
    })?;
    row("words", None, &|column| {
        let Some(legs) = column.section.map(|section| &section.legs) else { return String::new() };
        match (legs.lexical_rank, legs.lexical_score) {
            (Some(rank), Some(score)) => {
                format!("+{:.4} (rank {rank}, BM25F {score:.3})", legs.lexical_share)
            }
            _ => "none".into(),
        }
    })?;
    let mut terms: Vec<&str> = Vec::new();
    for explained in columns.iter().filter_map(|column| column.section?.explain.as_ref()) {
        for term in &explained.terms {
            if !terms.contains(&term.term.as_str()) {
                terms.push(&term.term);
            }
        }
    }
    for term in terms {
        let idf = columns.iter().find_map(|column| column.term(term)).map_or(0.0, |term| term.idf);
        row(&format!("  {} (idf {idf:.2})", cut(term, LABEL - 14)), None, &|column| {
            let Some(own) = column.term(term) else { return "-".into() };
            let fields: Vec<String> = FIELDS
                .iter()
                .zip(own.frequencies)
                .filter(|(_, n)| *n > 0)
                .map(|(name, n)| format!("{name} {n}"))
                .collect();
            format!("{:.3} ({})", own.score, fields.join(", "))
        })?;
    }
    row("  boosts", None, &|column| {
        let boosts = column
            .section
            .and_then(|section| section.explain.as_ref())
            .map(|explain| &explain.boosts);
        let boosts = boosts
            .into_iter()
            .flatten()
            .map(|boost| format!("{} +{:.0}%", boost.reason, boost.share * 100.0));
        boosts.collect::<Vec<_>>().join(", ")
    })?;
    row("meaning", None, &|column| {
        let Some(legs) = column.section.map(|section| &section.legs) else { return String::new() };
        match (legs.semantic_rank, legs.similarity) {
            (Some(rank), Some(cosine)) => {
                format!("+{:.4} (rank {rank}, cosine {cosine:.4})", legs.semantic_share)
            }
            (None, Some(cosine)) => format!("+{:.4} (cosine {cosine:.4})", legs.semantic_share),
            (_, None) if legs.semantic_share > 0.0 => {
                format!("+{:.4} (not looked at)", legs.semantic_share)
            }
            _ => String::new(),
        }
    })?;
    row("further", None, &|column| match column.section {
        Some(section) if column.rank.is_some() => {
            format!("+{:.4} ({} sections)", column.hit.score - section.score, column.hit.n_sections)
        }
        _ => String::new(),
    })?;
    Ok(())
}

/// Fits a text to [`WIDTH`] columns, the last of which is blank.
fn fitted(text: &str) -> String {
    let text = cut(text, WIDTH - 2);
    let missing = WIDTH.saturating_sub(text.chars().count());
    text + &" ".repeat(missing)
}

fn cut(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    text.chars().take(most.saturating_sub(1)).chain(['…']).collect()
}

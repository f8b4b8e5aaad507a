//! Prints a response as text.

use std::io::Write;

use findling_engine::{
    Explanation, Legs, PageHit, Plan, Response, SectionHit, Snippet, Suggestion,
};

use crate::ui::{Paint, Ui, thousands};

/// Columns of running text.
const WIDTH: usize = 96;
const INDENT: &str = "   ";

/// Prints the pages of a response.
pub fn response(
    response: &Response,
    offset: u32,
    ui: &Ui,
    out: &mut impl Write,
) -> anyhow::Result<()> {
    for correction in &response.corrections {
        let (word, replacement) = (clean(&correction.word), clean(&correction.replacement));
        let note =
            ui.paint(Paint::Dim, &format!("instead of {word}, which the site does not have"));
        writeln!(out, "{} {note}", ui.paint(Paint::Bold, &replacement))?;
    }
    if !response.corrections.is_empty() {
        writeln!(out)?;
    }
    for (place, page) in response.results.iter().enumerate() {
        print_page(offset as usize + place + 1, page, ui, out)?;
    }
    for facet in &response.facets {
        let values: Vec<String> = facet
            .values
            .iter()
            .map(|(value, count)| format!("{} {}", clean(value), thousands((*count).into())))
            .collect();
        writeln!(out, "{}: {}", ui.paint(Paint::Bold, &clean(&facet.name)), values.join(", "))?;
    }
    if let Some(plan) = &response.plan {
        print_plan(plan, ui, out)?;
    }
    let total = response.total;
    let more = if total.at_least { "+" } else { "" };
    let count = match (total.pages, response.results.len()) {
        (0, _) => "nothing matches".to_owned(),
        (_, 0) => format!("{} pages match, none is shown", thousands(total.pages.into())),
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
    writeln!(out, "{}", ui.paint(Paint::Dim, &format!("{count}; by {how}")))?;
    Ok(())
}

/// Prints a suggestion. A notice names what it leaves out of the query or the filter.
fn print_suggestion(suggestion: &Suggestion, ui: &Ui, out: &mut impl Write) -> anyhow::Result<()> {
    let Suggestion { what, instead: Some(instead), query, filter, pages, .. } = suggestion else {
        return Ok(());
    };
    let asked = [query, filter.as_deref().unwrap_or_default()].map(clean);
    let asked =
        asked.iter().filter(|part| !part.is_empty()).map(|part| ui.paint(Paint::Bold, part));
    let found =
        format!("{} {}", thousands((*pages).into()), if *pages == 1 { "page" } else { "pages" });
    let note = format!("{} for {}: {found}", clean(instead), clean(what));
    writeln!(
        out,
        "did you mean {}  {}",
        asked.collect::<Vec<_>>().join(" "),
        ui.paint(Paint::Dim, &note)
    )?;
    Ok(())
}

fn print_page(rank: usize, page: &PageHit, ui: &Ui, out: &mut impl Write) -> anyhow::Result<()> {
    let title = if page.title.is_empty() { &page.id } else { &page.title };
    let score = ui.paint(Paint::Dim, &format!("{:.4}", page.score));
    let number = ui.paint(Paint::Dim, &format!("{rank:>2}."));
    let title = ui.paint(Paint::Bold, &clean(title));
    match page.sections.split_first() {
        None => {
            writeln!(out, "{number} {title}  {score}")?;
            writeln!(out, "{INDENT} {}", ui.paint(Paint::Blue, &clean(&page.url)))?;
        }
        Some((best, others)) => {
            writeln!(out, "{number} {title}{}  {score}", heading_path(best))?;
            print_section(best, ui, out)?;
            for other in others {
                writeln!(out, "{INDENT} {}{}", ui.paint(Paint::Dim, "also"), heading_path(other))?;
                writeln!(out, "{INDENT} {}", ui.paint(Paint::Blue, &clean(&other.url)))?;
            }
            let hidden = page.n_sections.saturating_sub(page.sections.len() as u32);
            if hidden > 0 {
                let more = format!(
                    "and {hidden} more {}",
                    if hidden == 1 { "section" } else { "sections" }
                );
                writeln!(out, "{INDENT} {}", ui.paint(Paint::Dim, &more))?;
            }
        }
    }
    if page.copies > 0 {
        let more = format!(
            "and {} {} of this page",
            page.copies,
            if page.copies == 1 { "copy" } else { "copies" }
        );
        writeln!(out, "{INDENT} {}", ui.paint(Paint::Dim, &more))?;
    }
    writeln!(out)?;
    Ok(())
}

fn heading_path(section: &SectionHit) -> String {
    section.heading_path.iter().map(|heading| format!(" › {}", clean(heading))).collect()
}

fn print_section(section: &SectionHit, ui: &Ui, out: &mut impl Write) -> anyhow::Result<()> {
    for line in snippet_lines(&section.snippet, |text| {
        let painted = ui.paint(Paint::Bold, text);
        // Without colours, marks show what matched.
        if painted == text { format!("**{text}**") } else { painted }
    }) {
        writeln!(out, "{INDENT} {line}")?;
    }
    writeln!(out, "{INDENT} {}", ui.paint(Paint::Blue, &clean(&section.url)))?;
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

/// Removes control characters, because indexed text must not control the terminal.
pub fn clean(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

/// Breaks the snippet into lines of at most [`WIDTH`] columns (longer words stay whole); `mark`
/// marks the matches.
fn snippet_lines(snippet: &Snippet, mark: impl Fn(&str) -> String) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    let mut column = 0;
    let mut word = Vec::new();
    // The position of each character in UTF-16 code units, which the snippet uses.
    let mut at = 0;
    let front = snippet.cut_start.then_some(('…', false));
    let back = snippet.cut_end.then_some(('…', false));
    let chars = snippet.text.chars().map(|c| {
        let marked = snippet.ranges.iter().any(|&(start, end)| (start..end).contains(&at));
        at += c.len_utf16() as u32;
        (c, marked)
    });
    let mut place = |word: &mut Vec<(char, bool)>, breaks: bool| {
        if !word.is_empty() {
            if column > 0 && column + 1 + word.len() > WIDTH {
                lines.push(std::mem::take(&mut line));
                column = 0;
            }
            if column > 0 {
                line.push(' ');
                column += 1;
            }
            column += word.len();
            for part in word.chunk_by(|a, b| a.1 == b.1) {
                let text: String = part.iter().map(|&(c, _)| c).collect();
                line.push_str(&if part[0].1 { mark(&text) } else { text });
            }
            word.clear();
        }
        if breaks && !line.is_empty() {
            lines.push(std::mem::take(&mut line));
            column = 0;
        }
    };
    for (c, marked) in front.into_iter().chain(chars).chain(back) {
        match c {
            '\n' => place(&mut word, true),
            c if c.is_whitespace() || c.is_control() => place(&mut word, false),
            c => word.push((c, marked)),
        }
    }
    place(&mut word, true);
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(snippet: &Snippet) -> Vec<String> {
        snippet_lines(snippet, |text| format!("[{text}]"))
    }

    #[test]
    fn matches_are_marked_in_utf16_units() {
        let snippet = Snippet {
            // 😀 takes two units.
            text: "😀 share the data".into(),
            ranges: vec![(3, 8), (13, 17)],
            cut_end: true,
            ..Snippet::default()
        };
        assert_eq!(lines(&snippet), ["😀 [share] the [data]…"]);
    }

    #[test]
    fn long_snippets_wrap_and_code_keeps_its_lines() {
        let text = "word ".repeat(40) + "\nlet x;\n\nlet y;\u{1b}[2J";
        let got = lines(&Snippet { text, cut_start: true, ..Snippet::default() });
        assert!(got.iter().all(|line| line.chars().count() <= WIDTH));
        assert!(got[0].starts_with("…word word"));
        assert_eq!(got[got.len() - 2..], ["let x;", "let y; [2J"]);
    }
}

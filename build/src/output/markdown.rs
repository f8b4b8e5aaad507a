//! `--format markdown`: a numbered list with links and quotations.

use std::io::Write;

use anyhow::Result;
use findling_engine::SectionHit;

use super::byline::byline;
use super::groups::headings;
use super::{Answer, address, names, snippet};
use crate::safe_text;

/// Returns a link and a quotation for each page. Matches are bold.
pub fn list(answer: &Answer<'_>, out: &mut impl Write) -> Result<()> {
    let groups = headings(&answer.response.results, answer.group_by);
    for ((rank, page), heading) in answer.pages().zip(groups) {
        if let Some(heading) = heading {
            writeln!(out, "### {}\n", safe_text::markdown(&heading))?;
        }
        let section = page.sections.first();
        let names: Vec<_> = names(page, section).map(safe_text::markdown).collect();
        let number = format!("{rank}. ");
        let indent = " ".repeat(number.len());
        writeln!(out, "{number}{}", link(&names.join(" › "), address(page)))?;
        if let Some(line) = byline(page, section) {
            writeln!(out, "{indent}{}", safe_text::markdown(&line))?;
        }
        let location = answer.sources.locate(page, section);
        if location.path().is_some() {
            writeln!(out, "{indent}{}", safe_text::markdown(&location.to_string()))?;
        }
        for line in section.into_iter().flat_map(quotation) {
            writeln!(out, "{indent}> {line}")?;
        }
        writeln!(out)?;
    }
    Ok(())
}

/// Returns a link, or the text followed by the address if the address must not become a link.
fn link(text: &str, address: &str) -> String {
    if !safe_text::is_link(address) {
        return format!("{text} ({})", safe_text::markdown(address));
    }
    format!("[{text}]({})", safe_text::url(address))
}

/// Returns the lines of a snippet.
fn quotation(section: &SectionHit) -> Vec<String> {
    if snippet::is_of_code(section) {
        let lines = snippet::verbatim(&section.snippet, str::to_owned).join("\n");
        return safe_text::markdown_code(&lines).lines().map(str::to_owned).collect();
    }
    let text: String = snippet::parts(&section.snippet)
        .iter()
        .map(|part| {
            let lines: Vec<_> = part.text.split('\n').map(safe_text::markdown).collect();
            let text = lines.join("\n");
            if part.marked { format!("**{text}**") } else { text }
        })
        .collect();
    text.lines().map(|line| line.trim().to_owned()).filter(|line| !line.is_empty()).collect()
}

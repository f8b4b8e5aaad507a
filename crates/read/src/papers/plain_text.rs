//! The plain text of a paper: paragraphs under lines that are headings.

use super::chunk_types::{ChunkType, without_number};
use crate::markdown::slug;
use crate::outline::{Outline, fold};
use findling_page::page::Section;

/// Longest heading, in bytes.
const MAX_HEADING_BYTES: usize = 100;

/// A title and sections.
pub(super) struct Document {
    /// The text's first line, if it reads like a title.
    pub title: Option<String>,
    pub sections: Vec<Section>,
}

/// Reads a text. A separate line with a number in front, or with the name of a part of a paper, is
/// a heading. Words that are divided at line ends are joined.
pub(super) fn read(text: &str) -> Document {
    let lines: Vec<&str> = text.lines().collect();
    let mut outline = Outline::new();
    let mut slugs = slug::Slugs::default();
    let mut title = None;
    let is_blank = |at: usize| lines.get(at).is_none_or(|line| line.trim().is_empty());
    let first = lines.iter().position(|line| !line.trim().is_empty()).unwrap_or_default();
    let mut divided = false;
    for (at, line) in lines.iter().enumerate() {
        let folded = fold(line);
        if folded.is_empty() {
            outline.end_block();
            divided = false;
            continue;
        }
        let stands_alone = (at == 0 || is_blank(at - 1)) && is_blank(at + 1);
        if at == first && stands_alone && folded.len() <= 300 && !folded.ends_with('.') {
            title = Some(folded);
            continue;
        }
        let above_blank = at == 0 || is_blank(at - 1);
        if let Some(level) = heading(&folded, stands_alone, above_blank) {
            let anchor = slugs.make(&folded);
            outline.heading(level, folded, Some(anchor));
            divided = false;
            continue;
        }
        let is_divided = line.trim_end().ends_with('-')
            && line.trim_end().trim_end_matches('-').ends_with(char::is_alphabetic)
            && lines
                .get(at + 1)
                .is_some_and(|next| next.trim_start().starts_with(|c: char| c.is_lowercase()));
        if !std::mem::replace(&mut divided, is_divided) {
            outline.text().space();
        }
        let line = line.trim();
        outline.text().push(if is_divided { line.trim_end_matches('-') } else { line });
    }
    Document { title, sections: outline.finish() }
}

/// Returns the level of a heading. The name of a part, alone on its line, is a heading even if the
/// text follows directly.
fn heading(line: &str, stands_alone: bool, above_blank: bool) -> Option<u8> {
    if line.len() > MAX_HEADING_BYTES || line.ends_with(['.', ',', ';']) {
        return None;
    }
    let words = without_number(line);
    // After a Roman numeral, headings are in capitals: "I. Newton" is a person.
    let has_number = words.len() < line.len()
        && (line.starts_with(|c: char| c.is_ascii_digit()) || !words.contains(char::is_lowercase));
    let is_part = ChunkType::of_heading(line).is_some() && words.split(' ').count() <= 4;
    let starts_upper = words.starts_with(char::is_uppercase);
    let is_heading = starts_upper
        && ((above_blank && is_part) || (stands_alone && has_number && words.len() > 2));
    let number = &line[..line.len() - words.len()];
    let depth = number.trim().trim_end_matches('.').matches('.').count() as u8;
    is_heading.then_some((1 + depth).min(6))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_are_lines_with_a_number_or_the_name_of_a_part() {
        let text = "On pools of workers\n\nA. Silva, B. Koch\n\nAbstract\nWe mea-\nsure pools.\n\n\
                    1 Introduction\n\nPools starve. In\n2019 they did.\n\n1.1 Related work\n\n\
                    Many.\n\nREFERENCES\n\n[1] X.\n";
        let document = read(text);
        assert_eq!(document.title.as_deref(), Some("On pools of workers"));
        let sections: Vec<(u8, &str, String)> = document
            .sections
            .iter()
            .map(|section| {
                let texts = section.blocks.iter().map(|block| block.text.as_str());
                (section.level, section.heading.as_str(), texts.collect::<Vec<_>>().join("/"))
            })
            .collect();
        assert_eq!(
            sections,
            [
                (0, "", "A. Silva, B. Koch".into()),
                (1, "Abstract", "We measure pools.".into()),
                (1, "1 Introduction", "Pools starve. In 2019 they did.".into()),
                (2, "1.1 Related work", "Many.".into()),
                (1, "REFERENCES", "[1] X.".into()),
            ]
        );
    }
}

//! The classification of sections by the parts of a paper.

use std::collections::BTreeMap;

use findling_bundle::AttributeValue;

use super::super::left_out::{Rule, Trace};
use findling_page::page::{Block, Section};

/// Parts of a paper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ChunkType {
    Abstract,
    Introduction,
    Methods,
    Results,
    Discussion,
    References,
    Caption,
    /// A note or the annotations of a reader.
    Note,
    /// Any other part.
    Body,
}

impl ChunkType {
    /// Returns the name in filters.
    pub fn name(self) -> &'static str {
        match self {
            ChunkType::Abstract => "abstract",
            ChunkType::Introduction => "introduction",
            ChunkType::Methods => "methods",
            ChunkType::Results => "results",
            ChunkType::Discussion => "discussion",
            ChunkType::References => "references",
            ChunkType::Caption => "caption",
            ChunkType::Note => "note",
            ChunkType::Body => "body",
        }
    }

    /// Returns the part that a heading begins; `None` if it does not say.
    pub fn of_heading(heading: &str) -> Option<Self> {
        let words = without_number(heading).to_lowercase();
        let words = words.trim_end_matches([':', '.']);
        let begins = |names: &[&str]| {
            names.iter().any(|name| {
                words.strip_prefix(name).is_some_and(|rest| !rest.starts_with(char::is_alphabetic))
            })
        };
        let ends = |names: &[&str]| names.iter().any(|name| words.ends_with(name));
        if begins(&["abstract", "summary"]) {
            Some(Self::Abstract)
        } else if begins(&["introduction", "background", "motivation"]) {
            Some(Self::Introduction)
        } else if begins(&["references", "bibliography", "literature cited", "works cited"]) {
            Some(Self::References)
        } else if begins(&["discussion", "conclusion", "conclusions", "limitations", "concluding"])
        {
            Some(Self::Discussion)
        } else if begins(&["results", "result", "findings", "evaluation"]) || ends(&[" results"]) {
            Some(Self::Results)
        } else if begins(&[
            "method",
            "methods",
            "methodology",
            "materials and methods",
            "materials & methods",
            "experimental setup",
            "study design",
            "data and methods",
        ]) || ends(&[" methods", " methodology"])
        {
            Some(Self::Methods)
        } else {
            None
        }
    }
}

/// Returns a heading without its number: `2.1 Methods`, `IV. Results`, `A Proofs` stays.
pub(super) fn without_number(heading: &str) -> &str {
    let heading = heading.trim();
    let Some((first, rest)) = heading.split_once(char::is_whitespace) else { return heading };
    let number = first.trim_end_matches(['.', ')']);
    let is_decimal = number.contains(|c: char| c.is_ascii_digit())
        && number.chars().all(|c| c.is_ascii_digit() || c == '.');
    let is_roman = first.ends_with('.')
        && !number.is_empty()
        && number.chars().all(|c| matches!(c, 'I' | 'V' | 'X'));
    if is_decimal || is_roman { rest.trim() } else { heading }
}

/// Gives each section its type. A section below a heading that does not name a part has the type of
/// the heading above. Captions become sections of their own. References are left out unless
/// `with_references` is set.
pub(super) fn classify(
    sections: Vec<Section>,
    with_references: bool,
    trace: &mut Trace,
) -> Vec<Section> {
    let mut open: Vec<(u8, ChunkType)> = Vec::new();
    let mut classified = Vec::with_capacity(sections.len());
    for mut section in sections {
        while open.last().is_some_and(|(level, _)| *level >= section.level) {
            open.pop();
        }
        let above = open.last().map_or(ChunkType::Body, |(_, kind)| *kind);
        let kind = ChunkType::of_heading(&section.heading).unwrap_or(above);
        if section.level > 0 {
            open.push((section.level, kind));
        }
        if kind == ChunkType::References && !with_references {
            trace.note(Rule::References, || (section.heading.clone(), text_of(&section)));
            continue;
        }
        let blocks = std::mem::take(&mut section.blocks);
        let (captions, blocks): (Vec<_>, Vec<_>) =
            blocks.into_iter().partition(|block| caption(block).is_some());
        let level = section.level;
        let page = section.attributes.get("page").cloned();
        // An address in a PDF is the address of a page.
        let place = section.anchor.clone().filter(|_| page.is_some());
        set(&mut section.attributes, kind);
        if !blocks.is_empty() || captions.is_empty() {
            classified.push(Section { blocks, ..section });
        }
        for block in captions {
            let mut attributes = BTreeMap::new();
            attributes.extend(page.clone().map(|page| ("page".to_owned(), page)));
            set(&mut attributes, ChunkType::Caption);
            let heading = caption(&block).unwrap_or_default().to_owned();
            let slug = || heading.to_lowercase().replace([' ', '.'], "-");
            let anchor = place.clone().unwrap_or_else(slug);
            classified.push(Section {
                level: (level + 1).min(6),
                heading,
                anchor: Some(anchor),
                attributes,
                blocks: vec![block],
                ..Section::default()
            });
        }
    }
    classified
}

/// Sets a section's type.
pub(super) fn set(attributes: &mut BTreeMap<String, AttributeValue>, kind: ChunkType) {
    attributes.insert("chunk_type".to_owned(), AttributeValue::String(kind.name().to_owned()));
}

/// Returns the `Figure 3` of a paragraph that is the caption of a figure: a word and a number,
/// followed by a punctuation mark.
fn caption(block: &Block) -> Option<&str> {
    let text = block.text.as_str();
    let word = ["Figure ", "Fig. ", "Fig ", "Table ", "FIGURE ", "TABLE ", "Algorithm "]
        .iter()
        .find(|word| text.starts_with(**word))?;
    let rest = &text[word.len()..];
    let digits = rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
    let is_number = rest.starts_with(|c: char| c.is_ascii_digit() || matches!(c, 'I' | 'V' | 'X'))
        && digits <= 5;
    let is_marked = rest[digits..].starts_with([':', '.', '|']);
    (is_number && is_marked && !block.is_code_block).then(|| &text[..word.len() + digits])
}

fn text_of(section: &Section) -> String {
    let texts = section.blocks.iter().map(|block| block.text.as_str());
    texts.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_say_the_part() {
        for (heading, expect) in [
            ("Abstract", Some(ChunkType::Abstract)),
            ("1 Introduction", Some(ChunkType::Introduction)),
            ("II. MATERIALS AND METHODS", Some(ChunkType::Methods)),
            ("3.2. Experimental results", Some(ChunkType::Results)),
            ("5 Conclusions and outlook", Some(ChunkType::Discussion)),
            ("REFERENCES", Some(ChunkType::References)),
            ("Methodical doubt", None),
            ("A graph of pools", None),
            ("", None),
        ] {
            assert_eq!(ChunkType::of_heading(heading), expect, "{heading}");
        }
    }

    #[test]
    fn captions_have_a_number_and_a_mark() {
        let block = |text: &str| Block {
            text: text.to_owned(),
            code: Vec::new(),
            is_code_block: false,
            weight: 1.0,
        };
        assert_eq!(caption(&block("Figure 3: Pools.")), Some("Figure 3"));
        assert_eq!(caption(&block("Fig. 2a. Pools.")), Some("Fig. 2a"));
        assert_eq!(caption(&block("TABLE IV. Pools.")), Some("TABLE IV"));
        for text in ["Figure 3 shows pools.", "Table of contents.", "Figure"] {
            assert_eq!(caption(&block(text)), None, "{text}");
        }
    }
}

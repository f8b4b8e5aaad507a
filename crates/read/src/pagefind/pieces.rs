//! A page's content as a sequence of text and marks, and its words, sections and anchors.

use super::fragment::{Anchor, Weights};
use super::segments;
use findling_page::page::{Block, Section};

/// A part of the content.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Piece {
    Text(String),
    /// The beginning of an element with an id, given by its index among the page's anchors.
    Anchor(usize),
    /// The beginning of text with another weight.
    Weight(f32),
    /// The beginning of a heading, which has a higher weight unless it is inside text with its own
    /// weight.
    Heading {
        level: u8,
        anchor: Option<usize>,
    },
    EndHeading,
    /// The end of text with another weight.
    EndWeight,
    /// The beginning or end of a paragraph, a list item or a cell.
    Break,
}

/// The content of a page, read from its pieces.
#[derive(Debug, Default)]
pub(super) struct Content {
    pub text: String,
    pub n_words: u32,
    pub anchors: Vec<Anchor>,
    pub weights: Weights,
    pub sections: Vec<Section>,
}

/// The largest weight.
const MAX_WEIGHT: f32 = 10.0;

/// Returns the weight of a heading: 7 for `<h1>` to 2 for `<h6>`.
fn heading_weight(level: u8) -> f32 {
    f32::from(8 - level.min(6))
}

/// Reads a content. `anchors` are the page's elements with an id, without their places;
/// `segmented` is set for languages that do not separate words by spaces.
pub(super) fn read(pieces: &[Piece], anchors: &[Anchor], segmented: bool) -> Content {
    let mut reader = Reader {
        content: Content { sections: vec![Section::default()], ..Content::default() },
        anchors,
        segmented,
        word: String::new(),
        weights: vec![(1.0, Origin::Page)],
        in_heading: false,
        block: String::new(),
        block_weight: 1.0,
    };
    for piece in pieces {
        reader.piece(piece);
    }
    reader.finish()
}

/// The source of a weight.
#[derive(Clone, Copy, PartialEq)]
enum Origin {
    Page,
    Heading,
    Author,
}

struct Reader<'a> {
    content: Content,
    anchors: &'a [Anchor],
    segmented: bool,
    word: String,
    weights: Vec<(f32, Origin)>,
    in_heading: bool,
    block: String,
    block_weight: f32,
}

impl Reader<'_> {
    fn piece(&mut self, piece: &Piece) {
        if let Piece::Text(text) = piece {
            for c in text.chars() {
                if c.is_whitespace() {
                    self.end_word();
                } else if c != segments::BORDER {
                    self.word.push(c);
                }
            }
            return;
        }
        self.end_word();
        match piece {
            Piece::Text(_) => {}
            Piece::Anchor(at) => {
                let anchor = Anchor { location: self.content.n_words, ..self.anchors[*at].clone() };
                self.content.anchors.push(anchor);
            }
            Piece::Weight(weight) => {
                self.end_block();
                self.weights.push((weight.clamp(0.0, MAX_WEIGHT), Origin::Author));
            }
            Piece::EndWeight => {
                self.end_block();
                self.weights.pop();
            }
            Piece::Heading { level, anchor } => {
                self.end_block();
                let outer = self.weight();
                self.weights.push(match outer {
                    (_, Origin::Page) => (heading_weight(*level), Origin::Heading),
                    authored => authored,
                });
                self.in_heading = true;
                self.content.sections.push(Section {
                    level: *level,
                    anchor: anchor.map(|at| self.anchors[at].id.clone()),
                    ..Section::default()
                });
            }
            Piece::EndHeading => {
                self.weights.pop();
                self.in_heading = false;
            }
            Piece::Break => self.end_block(),
        }
    }

    fn weight(&self) -> (f32, Origin) {
        self.weights.last().copied().unwrap_or((1.0, Origin::Page))
    }

    fn end_word(&mut self) {
        let run = std::mem::take(&mut self.word);
        if run.is_empty() {
            return;
        }
        let words: Vec<&str> =
            if self.segmented { segments::words(&run) } else { vec![run.as_str()] };
        let (weight, origin) = self.weight();
        let n_words = words.len() as u32;
        let start = self.content.n_words;
        self.content.n_words += n_words;
        if (weight - 1.0).abs() > f32::EPSILON {
            match self.content.weights.last_mut() {
                Some(last) if last.1 == start && last.2 == weight => last.1 += n_words,
                _ => self.content.weights.push((start, start + n_words, weight)),
            }
        }
        for (at, word) in words.iter().enumerate() {
            self.content.text.push_str(word);
            if at + 1 == words.len() {
                self.content.text.push(' ');
            }
            if self.segmented {
                self.content.text.push(segments::BORDER);
            }
        }
        if self.in_heading
            && let Some(section) = self.content.sections.last_mut()
        {
            push_word(&mut section.heading, &run);
            return;
        }
        // The index counts whole occurrences; `pagefind.js` corrects for lighter text.
        self.block_weight = if origin == Origin::Author { weight.max(1.0) } else { 1.0 };
        push_word(&mut self.block, &run);
    }

    fn end_block(&mut self) {
        let text = std::mem::take(&mut self.block);
        if text.is_empty() || self.in_heading {
            return;
        }
        let block =
            Block { text, code: Vec::new(), is_code_block: false, weight: self.block_weight };
        if let Some(section) = self.content.sections.last_mut() {
            section.blocks.push(block);
        }
    }

    fn finish(mut self) -> Content {
        self.end_word();
        self.end_block();
        let kept = self.content.text.trim_end_matches([' ', segments::BORDER]).len();
        self.content.text.truncate(kept);
        self.content
            .sections
            .retain(|section| !section.heading.is_empty() || !section.blocks.is_empty());
        self.content
    }
}

fn push_word(text: &mut String, word: &str) {
    if !text.is_empty() {
        text.push(' ');
    }
    text.push_str(word);
}

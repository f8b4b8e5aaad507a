//! The builder of sections: it takes text in reading order and returns
//! sections of blocks.

use bincode::{Decode, Encode};
use findling_bundle::AttributeValue;
use findling_text::normalise::is_invisible;

use super::reference_marks::{Raised, classify};
use findling_page::page::{Block, Section};

/// Longest heading, in bytes. Longer ones come from broken markup.
pub(super) const MAX_HEADING_BYTES: usize = 400;

/// Deepest level of a section.
const MAX_LEVEL: u8 = 6;

/// Text with white space folded as a browser shows it, and the ranges of it that are code.
#[derive(Debug, Default)]
pub(super) struct Folded {
    text: String,
    code: Vec<(u32, u32)>,
    space: bool,
    /// The white space since the last word, if it is a single character that can group digits.
    digit_space: Option<char>,
    code_depth: u32,
    code_start: Option<usize>,
    /// The position where raised text (`<sup>`) began, and whether white space precedes it.
    raised: Option<(usize, bool)>,
    /// Number of open links around the text.
    link_depth: u32,
    /// Number of bytes of text in links.
    linked: usize,
    /// The target of the first link.
    target: Option<String>,
    n_links: u32,
}

/// Returns whether a character is a space that can separate groups of digits.
fn is_digit_space(c: char) -> bool {
    matches!(c, '\u{a0}' | '\u{2007}' | '\u{2009}' | '\u{202f}')
}

impl Folded {
    /// Appends running text.
    pub fn push(&mut self, text: &str) {
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            if first.is_whitespace() {
                let is_first = !self.space && is_digit_space(first);
                self.digit_space = is_first.then_some(first);
                self.space = true;
                rest = &rest[first.len_utf8()..];
            } else if is_invisible(first) {
                rest = &rest[first.len_utf8()..];
            } else {
                let end =
                    rest.find(|c: char| c.is_whitespace() || is_invisible(c)).unwrap_or(rest.len());
                self.push_word(&rest[..end]);
                rest = &rest[end..];
            }
        }
    }

    fn push_word(&mut self, word: &str) {
        if self.space && !self.text.is_empty() {
            // Between digits it makes one number: `12 500`.
            let groups = self.text.ends_with(|c: char| c.is_ascii_digit())
                && word.starts_with(|c: char| c.is_ascii_digit());
            self.text.push(self.digit_space.filter(|_| groups).unwrap_or(' '));
        }
        self.space = false;
        if self.code_depth > 0 && self.code_start.is_none() {
            self.code_start = Some(self.text.len());
        }
        self.text.push_str(word);
        if self.link_depth > 0 {
            self.linked += word.len() + 1;
        }
    }

    /// Begins a link.
    pub fn start_link(&mut self, address: &str) {
        self.link_depth += 1;
        self.n_links += 1;
        self.target.get_or_insert_with(|| address.to_owned());
    }

    /// Ends the innermost link.
    pub fn end_link(&mut self) {
        self.link_depth = self.link_depth.saturating_sub(1);
    }

    /// Returns `None` unless most of the text so far is in links. Otherwise returns the target of
    /// the link, if there is only one.
    fn take_links(&mut self) -> Option<Option<String>> {
        let n_links = std::mem::replace(&mut self.n_links, self.link_depth);
        let (linked, target) = (std::mem::take(&mut self.linked), self.target.take());
        let is_links = n_links > 0 && linked * 2 >= self.text.len();
        is_links.then(|| target.filter(|_| n_links == 1))
    }

    /// Separates the text so far from the text that follows with white space.
    pub fn space(&mut self) {
        self.space = true;
        self.digit_space = None;
    }

    /// Separates the text so far from the text that follows with `mark`; does nothing at the
    /// beginning.
    pub fn separate(&mut self, mark: &str) {
        if !self.text.is_empty() && !self.text.ends_with(mark) {
            self.space = true;
            self.push_word(mark);
            self.space = true;
        }
    }

    /// Returns whether a range of code is open.
    pub fn is_in_code(&self) -> bool {
        self.code_depth > 0
    }

    /// Begins a range of code.
    pub fn start_code(&mut self) {
        self.code_depth += 1;
    }

    /// Ends the innermost range of code.
    pub fn end_code(&mut self) {
        self.code_depth = self.code_depth.saturating_sub(1);
        if self.code_depth == 0 {
            self.close_code();
        }
    }

    fn close_code(&mut self) {
        if let Some(start) = self.code_start.take() {
            match self.code.last_mut() {
                Some(last) if last.1 as usize == start => last.1 = self.text.len() as u32,
                _ => self.code.push((start as u32, self.text.len() as u32)),
            }
        }
    }

    /// Begins raised text.
    pub fn start_raised(&mut self) {
        if self.code_depth == 0 && self.raised.is_none() {
            self.raised = Some((self.text.len(), self.space));
        }
    }

    /// Ends raised text. A reference mark is removed and returned.
    pub fn end_raised(&mut self) -> Option<String> {
        let (start, space_before) = self.raised.take()?;
        let before = self.text.get(..start)?;
        match if space_before { Raised::PartOfWord } else { classify(before, &self.text[start..]) }
        {
            Raised::PartOfWord => {
                self.raise_power(start);
                None
            }
            Raised::Apart => {
                self.text.insert(start, ' ');
                for range in self.code.iter_mut().filter(|range| range.0 as usize >= start) {
                    *range = (range.0 + 1, range.1 + 1);
                }
                None
            }
            Raised::Mark => {
                let mark = self.text.split_off(start);
                self.code.retain(|range| (range.0 as usize) < start);
                Some(mark)
            }
        }
    }

    /// Writes a number that is raised after a digit, `10<sup>6</sup>`, in raised digits: normal
    /// digits would form one number with the digits before.
    fn raise_power(&mut self, start: usize) {
        let is_behind_digit = self.text[..start].ends_with(|c: char| c.is_ascii_digit());
        let has_code = self.code.last().is_some_and(|range| range.1 as usize > start);
        let power: Option<String> = self.text[start..].chars().map(raised_digit).collect();
        if let Some(power) = power.filter(|_| is_behind_digit && !has_code) {
            self.text.truncate(start);
            self.text.push_str(&power);
        }
    }

    /// Returns the text so far.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns whether there is no text yet.
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    /// Takes the text with its ranges of code. An open range continues in the text that follows.
    pub fn take(&mut self) -> (String, Vec<(u32, u32)>) {
        self.close_code();
        self.space = false;
        self.raised = None;
        let mut text = std::mem::take(&mut self.text);
        // A separator at the end has no effect.
        if text.ends_with(" |") {
            text.truncate(text.len() - 2);
        }
        let mut code = std::mem::take(&mut self.code);
        let end = text.len() as u32;
        code.retain_mut(|range| {
            range.1 = range.1.min(end);
            range.0 < range.1
        });
        (text, code)
    }
}

/// Returns the raised form of a digit or a minus.
fn raised_digit(c: char) -> Option<char> {
    match c {
        '0'..='9' => "⁰¹²³⁴⁵⁶⁷⁸⁹".chars().nth(c as usize - '0' as usize),
        '-' | '\u{2212}' => Some('⁻'),
        _ => None,
    }
}

/// Folds a single text, such as a title or an attribute's value.
pub(super) fn fold(text: &str) -> String {
    let mut folded = Folded::default();
    folded.push(text);
    folded.take().0
}

/// Shortens a text to at most `max` bytes, at the end of a word, and adds an ellipsis.
pub(super) fn shorten(text: &mut String, max: usize) {
    if text.len() <= max {
        return;
    }
    let mut end = max;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    if let Some(space) = text[..end].rfind(' ').filter(|&space| space > end / 2) {
        end = space;
    }
    text.truncate(end);
    text.push('…');
}

/// Sections under construction.
#[derive(Debug)]
pub(super) struct Outline {
    sections: Vec<Section>,
    /// The section that text is added to: an index into `sections`.
    current: usize,
    /// The sections that continue when an entry of a definition list ends.
    suspended: Vec<usize>,
    pending: Folded,
    weight: f32,
    /// The level of a heading whose section is left out.
    excluded_level: Option<u8>,
    /// Whether the next heading is the one whose section is left out.
    excludes_next: bool,
    /// Sections that are left out.
    excluded: Vec<usize>,
    /// Listings of the code that sections document. They are at the ends of the sections.
    listings: Vec<(usize, Block)>,
    links: Vec<Links>,
}

/// A block made of links, or a heading that leads to another page.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode)]
pub(super) struct Links {
    /// The section.
    pub section: u32,
    /// The number in the section; `None` for the heading.
    pub block: Option<u32>,
    /// The target of its only link.
    pub target: Option<String>,
}

/// Weight of a listing of source code, relative to the text that documents it.
const LISTING_WEIGHT: f32 = 0.2;

impl Outline {
    pub fn new() -> Self {
        Self {
            sections: vec![Section::default()],
            current: 0,
            suspended: Vec::new(),
            pending: Folded::default(),
            weight: 1.0,
            excluded_level: None,
            excludes_next: false,
            excluded: Vec::new(),
            listings: Vec::new(),
            links: Vec::new(),
        }
    }

    /// Returns the text of the current block.
    pub fn text(&mut self) -> &mut Folded {
        &mut self.pending
    }

    /// Sets the weight of the text that follows; returns the previous weight.
    pub fn set_weight(&mut self, weight: f32) -> f32 {
        if weight != self.weight {
            self.end_block();
        }
        std::mem::replace(&mut self.weight, weight)
    }

    /// Ends the current block.
    pub fn end_block(&mut self) {
        if self.pending.is_empty() {
            self.pending.space = false;
            self.pending.take_links();
            return;
        }
        let links = self.pending.take_links();
        let (text, code) = self.pending.take();
        if !text.is_empty() {
            if let Some(target) = links {
                let block = Some(self.blocks().len() as u32);
                self.links.push(Links { section: self.current as u32, block, target });
            }
            let weight = self.weight;
            self.blocks().push(Block { text, code, is_code_block: false, weight });
        }
    }

    /// Adds a code block and keeps its white space.
    pub fn code_block(&mut self, code: &str) {
        self.end_block();
        let text = clean_code(code);
        if !text.is_empty() {
            let weight = self.weight;
            let range = (0, text.len() as u32);
            self.blocks().push(Block { text, code: vec![range], is_code_block: true, weight });
        }
    }

    /// Adds the source code that the section documents, after its text.
    pub fn listing(&mut self, code: &str) {
        self.end_block();
        let text = clean_code(code);
        if !text.is_empty() {
            let code = vec![(0, text.len() as u32)];
            let block = Block { text, code, is_code_block: true, weight: LISTING_WEIGHT };
            self.listings.push((self.current, block));
        }
    }

    /// Leaves out the section whose heading follows, with the sections in it.
    pub fn exclude(&mut self, level: u8) {
        if self.excluded_level.is_none_or(|excluded| level <= excluded) {
            self.excluded_level = Some(level);
        }
        self.excludes_next = true;
    }

    /// Marks the heading of the current section as a link to another page.
    pub fn leads_to(&mut self, target: String) {
        let section = self.current as u32;
        self.links.push(Links { section, block: None, target: Some(target) });
    }

    /// Adds a folded line as a block.
    pub fn line(&mut self, text: String, code: Vec<(u32, u32)>) {
        self.end_block();
        let weight = self.weight;
        self.blocks().push(Block { text, code, is_code_block: false, weight });
    }

    /// Starts a section. Does nothing if the heading is empty.
    pub fn heading(&mut self, level: u8, mut heading: String, anchor: Option<String>) {
        self.end_block();
        if heading.is_empty() {
            return;
        }
        let is_excluded = std::mem::take(&mut self.excludes_next);
        if !is_excluded && self.excluded_level.is_some_and(|excluded| level <= excluded) {
            self.excluded_level = None;
        }
        shorten(&mut heading, MAX_HEADING_BYTES);
        self.suspended.clear();
        self.push(Section {
            level: level.clamp(1, MAX_LEVEL),
            heading,
            anchor,
            ..Section::default()
        });
    }

    /// Returns the level of the current section, if an anchor leads to it.
    pub fn anchored_level(&self) -> Option<u8> {
        let section = &self.sections[self.current];
        section.anchor.as_ref().map(|_| section.level)
    }

    /// Sets the language of the current section, as a BCP 47 tag.
    pub fn language(&mut self, tag: String) {
        self.sections[self.current].language = tag;
    }

    /// Gives the current section an attribute.
    pub fn attribute(&mut self, name: &str, value: AttributeValue) {
        self.sections[self.current].attributes.insert(name.to_owned(), value);
    }

    /// Gives the current section another anchor, if it has nothing but its title.
    pub fn anchor_of_empty(&mut self, anchor: String) {
        self.end_block();
        let section = &mut self.sections[self.current];
        if section.anchor.is_some() && section.blocks.is_empty() {
            section.anchor = Some(anchor);
        }
    }

    /// Starts a section for an entry of a definition list or a table, one level below the current
    /// section. The current section continues when the entry ends. Returns the index of the new
    /// section.
    pub fn enter_definition(&mut self, mut heading: String, anchor: String) -> usize {
        self.end_block();
        shorten(&mut heading, MAX_HEADING_BYTES);
        self.suspended.push(self.current);
        let outer = &self.sections[self.current];
        let level = (outer.level + 1).min(MAX_LEVEL);
        let language = outer.language.clone();
        self.push(Section { level, heading, anchor: Some(anchor), language, ..Section::default() });
        self.current
    }

    /// Continues an entry that has ended.
    pub fn resume(&mut self, place: usize) {
        self.end_block();
        if place < self.sections.len() {
            self.suspended.push(self.current);
            self.current = place;
        }
    }

    /// Ends the innermost entry.
    pub fn leave_definition(&mut self) {
        self.end_block();
        // A heading inside the entry may have ended it.
        if let Some(outer) = self.suspended.pop() {
            self.current = outer;
        }
    }

    fn push(&mut self, section: Section) {
        self.sections.push(section);
        self.current = self.sections.len() - 1;
        if self.excluded_level.is_some() {
            self.excluded.push(self.current);
        }
    }

    fn blocks(&mut self) -> &mut Vec<Block> {
        &mut self.sections[self.current].blocks
    }

    /// Returns the sections. The first one, which has no heading, is left out if it has no text.
    pub fn finish(self) -> Vec<Section> {
        self.finish_with_links().0
    }

    /// Returns the sections, and which of their blocks are links.
    pub fn finish_with_links(mut self) -> (Vec<Section>, Vec<Links>) {
        self.end_block();
        for (section, block) in std::mem::take(&mut self.listings) {
            self.sections[section].blocks.push(block);
        }
        let mut gone = std::mem::take(&mut self.excluded);
        if self.sections[0].blocks.is_empty() {
            gone.insert(0, 0);
        }
        if gone.is_empty() {
            return (self.sections, self.links);
        }
        let mut at = 0;
        self.sections.retain(|_| {
            at += 1;
            gone.binary_search(&(at - 1)).is_err()
        });
        self.links.retain_mut(|links| match gone.binary_search(&(links.section as usize)) {
            Ok(_) => false,
            Err(before) => {
                links.section -= before as u32;
                true
            }
        });
        (self.sections, self.links)
    }
}

/// Normalises code: line feeds as line ends, no blank lines at the beginning and end, no white
/// space at line ends, no indentation that all lines share.
pub(super) fn clean_code(code: &str) -> String {
    let mut text = String::with_capacity(code.len());
    let indent = common_indent(code).len();
    for line in code.lines() {
        let line = line.get(indent..).unwrap_or_default();
        text.extend(line.trim_end().chars().filter(|&c| !is_invisible(c)));
        text.push('\n');
    }
    text.truncate(text.trim_end().len());
    let start = text
        .char_indices()
        .take_while(|(_, c)| c.is_whitespace())
        .filter(|&(_, c)| c == '\n')
        .last()
        .map_or(0, |(at, _)| at + 1);
    text.drain(..start);
    text
}

/// Returns the white space that all lines begin with, except blank lines.
fn common_indent(code: &str) -> &str {
    let mut common: Option<&str> = None;
    for line in code.lines().filter(|line| !line.trim().is_empty()) {
        let indent = &line[..line.len() - line.trim_start_matches([' ', '\t']).len()];
        let shared = match common {
            None => indent,
            Some(known) => {
                &known[..known.bytes().zip(indent.bytes()).take_while(|(a, b)| a == b).count()]
            }
        };
        if shared.is_empty() {
            return "";
        }
        common = Some(shared);
    }
    common.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_space_is_folded_and_code_ranges_follow_the_text() {
        let mut folded = Folded::default();
        folded.push("  Call\n ");
        folded.start_code();
        folded.push(" a\tb ");
        folded.end_code();
        folded.push(" now\u{200b}here");
        let (text, code) = folded.take();
        assert_eq!(text, "Call a b nowhere");
        assert_eq!(code, [(5, 8)]);
    }

    #[test]
    fn a_no_break_space_between_digits_stays() {
        for (text, expect) in [
            ("12\u{a0}500 sacks", "12\u{a0}500 sacks"),
            ("12\u{202f}500", "12\u{202f}500"),
            ("12\u{a0} 500", "12 500"),
            ("12 \u{a0}500", "12 500"),
            ("12\u{a0}kg and\u{a0}5", "12 kg and 5"),
        ] {
            assert_eq!(fold(text), expect);
        }
    }

    #[test]
    fn code_that_spans_two_blocks_is_code_in_both() {
        let mut outline = Outline::new();
        outline.text().start_code();
        outline.text().push("one");
        outline.end_block();
        outline.text().push("two");
        outline.end_block();
        let sections = outline.finish();
        assert!(sections[0].blocks.iter().all(|block| block.code == [(0, 3)]));
    }

    #[test]
    fn text_behind_a_definition_list_goes_back_to_the_section_around_it() {
        let mut outline = Outline::new();
        outline.heading(2, "Options".into(), None);
        outline.enter_definition("-n".into(), "n".into());
        outline.text().push("dry run");
        outline.leave_definition();
        outline.text().push("and so on");
        let sections = outline.finish();
        assert_eq!(sections[0].blocks[0].text, "and so on");
        assert_eq!((sections[1].level, sections[1].blocks[0].text.as_str()), (3, "dry run"));
    }

    #[test]
    fn code_keeps_its_shape_but_no_indentation_of_all_lines_and_no_blank_lines_around() {
        assert_eq!(clean_code("\n\n  a {\r\n    b  \n\n  }\n\n"), "a {\n  b\n\n}");
        assert_eq!(clean_code("a {\n  b"), "a {\n  b");
        assert_eq!(clean_code(" \n "), "");
    }

    #[test]
    fn headings_are_cut_at_words() {
        let mut text = "one two three".to_owned();
        shorten(&mut text, 9);
        assert_eq!(text, "one two…");
    }
}

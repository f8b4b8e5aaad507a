//! The writer of a manual page into sections.

use std::collections::HashSet;

use super::super::outline::{Outline, fold};
use super::Read;
use super::roff::{Font, Roff};
use findling_page::page::Section;

/// Longest list of options that is a heading, in bytes. Longer lists are text.
const MAX_OPTIONS_BYTES: usize = 200;

/// The kind of the next line of text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Next {
    #[default]
    Text,
    Heading(u8),
    Tag,
    Font(Font),
}

/// Sections under construction.
pub(super) struct Writer {
    outline: Outline,
    title: Option<String>,
    /// The name of the program, which `.Nm` repeats.
    pub name: String,
    next: Next,
    /// The font that text begins with.
    font: Font,
    /// Lines that keep their form.
    code: Option<String>,
    /// The number of `.RS` or lists that are open.
    depth: usize,
    /// The depths of the options whose sections are open.
    entries: Vec<usize>,
    anchors: HashSet<String>,
    is_empty: bool,
}

impl Default for Writer {
    fn default() -> Self {
        Self {
            outline: Outline::new(),
            title: None,
            name: String::new(),
            next: Next::Text,
            font: Font::Roman,
            code: None,
            depth: 0,
            entries: Vec::new(),
            anchors: HashSet::new(),
            is_empty: true,
        }
    }
}

impl Writer {
    /// Returns whether nothing was written yet.
    pub fn is_empty(&self) -> bool {
        self.is_empty
    }

    /// Sets the title, `ls(1)`.
    pub fn title(&mut self, name: &str, section: &str) {
        let title = match (name.trim(), section.trim()) {
            ("", _) => return,
            (name, "") => name.to_owned(),
            (name, section) => format!("{name}({section})"),
        };
        if self.title.is_none() {
            self.outline.heading(1, title.clone(), None);
            self.title = Some(title);
        }
    }

    /// Writes a line of text.
    pub fn text_line(&mut self, line: &str, roff: &Roff<'_>) {
        if let Some(code) = &mut self.code {
            code.push_str(&roff.plain(line));
            code.push('\n');
            self.is_empty = false;
            return;
        }
        match std::mem::take(&mut self.next) {
            Next::Heading(level) => return self.heading(level, &roff.plain(line)),
            Next::Tag => return self.tag(line, roff),
            Next::Font(font) => {
                let before = std::mem::replace(&mut self.font, font);
                self.inline(line, roff);
                self.font = before;
            }
            Next::Text if line.trim().is_empty() => self.paragraph(),
            // A line that begins with a space begins a line of output.
            Next::Text if line.starts_with([' ', '\t']) => {
                self.outline.end_block();
                self.inline(line, roff);
            }
            Next::Text => self.inline(line, roff),
        }
        // Text after `\c` follows at once.
        if !line.ends_with("\\c") {
            self.outline.text().space();
        }
    }

    /// Adds text with escapes to the open paragraph.
    pub fn inline(&mut self, text: &str, roff: &Roff<'_>) {
        let mut font = self.font;
        let pieces = roff.pieces(text, &mut font);
        // A font that a line selects by an escape lasts beyond the line.
        self.font = font;
        self.pieces(&pieces);
    }

    /// Adds text in a font. Returns to the font before.
    pub fn in_font(&mut self, font: Font, text: &str, roff: &Roff<'_>) {
        if let Some(code) = &mut self.code {
            code.push_str(&roff.plain(text));
            return;
        }
        let pieces = roff.pieces(text, &mut { font });
        self.pieces(&pieces);
    }

    fn pieces(&mut self, pieces: &[(Font, String)]) {
        for (font, text) in pieces {
            self.is_empty = false;
            let out = self.outline.text();
            // Names of options, commands and files are bold. So are sentences that shout.
            if *font == Font::Bold && !text.trim().is_empty() && !text.trim().contains(' ') {
                out.start_code();
                out.push(text);
                out.end_code();
            } else {
                out.push(text);
            }
        }
    }

    /// Adds white space, or in lines that keep their form the end of a line.
    pub fn space(&mut self) {
        match &mut self.code {
            Some(code) => code.push('\n'),
            None => self.outline.text().space(),
        }
    }

    /// Adds white space between words of one line.
    pub fn space_between(&mut self) {
        match &mut self.code {
            Some(code) => code.push(' '),
            None => self.outline.text().space(),
        }
    }

    /// Ends a line of output.
    pub fn end_block(&mut self) {
        if self.code.is_none() {
            self.outline.end_block();
        }
    }

    /// Begins a paragraph. It ends an option at the same depth.
    pub fn paragraph(&mut self) {
        self.next = Next::Text;
        self.font = Font::Roman;
        if self.code.is_some() {
            return self.space();
        }
        self.outline.end_block();
    }

    /// Ends the options at this depth and below.
    pub fn end_entries(&mut self) {
        while self.entries.last().is_some_and(|&depth| depth >= self.depth) {
            self.entries.pop();
            self.outline.leave_definition();
        }
    }

    /// Begins a section. Without a text, it is the next line.
    pub fn begin_heading(&mut self, level: u8, text: &str) {
        self.end_code();
        if fold(text).is_empty() {
            self.next = Next::Heading(level);
        } else {
            self.heading(level, text);
        }
    }

    fn heading(&mut self, level: u8, text: &str) {
        self.depth = 0;
        self.end_entries();
        self.font = Font::Roman;
        let text = fold(text);
        let anchor = self.anchor(&text.replace(' ', "_"));
        self.outline.heading(level, text, anchor);
        self.is_empty = false;
    }

    /// Returns a name as an anchor, unless another section has it.
    fn anchor(&mut self, name: &str) -> Option<String> {
        (!name.is_empty() && self.anchors.insert(name.to_owned())).then(|| name.to_owned())
    }

    /// Begins an item. Its tag is the next line.
    pub fn begin_item(&mut self) {
        self.end_code();
        self.paragraph();
        self.end_entries();
        self.next = Next::Tag;
    }

    /// Sets the font of the next line.
    pub fn next_in(&mut self, font: Font) {
        if self.next == Next::Text {
            self.next = Next::Font(font);
        }
    }

    /// Returns whether the next line is a tag or a heading; calls of fonts write it too.
    pub fn takes_line(&mut self, line: &str, roff: &Roff<'_>) -> bool {
        match std::mem::take(&mut self.next) {
            Next::Heading(level) => self.heading(level, &roff.plain(line)),
            Next::Tag => self.tag(line, roff),
            next => {
                self.next = next;
                return false;
            }
        }
        true
    }

    /// Writes the tag of an item. An option begins a section.
    pub fn tag(&mut self, tag: &str, roff: &Roff<'_>) {
        self.next = Next::Text;
        let plain = fold(&roff.plain(tag));
        // The second option of a name is text of the section of the first one.
        if is_option(&plain) && self.begin_option(plain.clone()) {
            return;
        }
        let is_bullet = plain.chars().all(|c| !c.is_alphanumeric());
        if !is_bullet || plain.starts_with(['-', '+']) {
            let font = std::mem::take(&mut self.font);
            self.inline(tag, roff);
            self.font = font;
            self.outline.text().space();
        }
    }

    /// Begins the section of an option. Returns whether its name is new.
    fn begin_option(&mut self, names: String) -> bool {
        let first = names.split([' ', ',', '=', '[']).next().unwrap_or_default().to_owned();
        let Some(anchor) = self.anchor(&first) else { return false };
        self.end_entries();
        self.outline.enter_definition(names, anchor);
        self.entries.push(self.depth);
        self.is_empty = false;
        true
    }

    /// Begins text that is set further in, or a list.
    pub fn begin_inner(&mut self) {
        // Pages made of DocBook and AsciiDoc have options as paragraphs, and their text in `.RS`.
        let open = self.outline.text().as_str().trim();
        if self.code.is_none() && is_option(open) {
            let (text, _) = self.outline.text().take();
            if !self.begin_option(fold(&text)) {
                self.outline.text().push(&text);
            }
        }
        self.end_block();
        self.depth += 1;
    }

    /// Ends text that is set further in.
    pub fn end_inner(&mut self) {
        self.paragraph();
        self.end_entries();
        self.depth = self.depth.saturating_sub(1);
    }

    /// Begins lines that keep their form.
    pub fn begin_code(&mut self) {
        if self.code.is_none() {
            self.outline.end_block();
            self.code = Some(String::new());
        }
    }

    /// Ends lines that keep their form.
    pub fn end_code(&mut self) {
        if let Some(code) = self.code.take() {
            self.outline.code_block(&code);
        }
    }

    /// Writes the rows of a table, a block each.
    pub fn table(&mut self, rows: &[Vec<String>], roff: &Roff<'_>) {
        self.end_code();
        self.outline.end_block();
        for row in rows {
            for (place, cell) in row.iter().enumerate() {
                if place > 0 {
                    self.outline.text().separate("|");
                }
                self.in_font(Font::Roman, cell.trim(), roff);
            }
            self.outline.end_block();
        }
    }

    /// Handles a request of roff. Returns whether it is one.
    pub fn common(&mut self, name: &str, args: &[String], roff: &Roff<'_>) -> bool {
        match name {
            "nf" | "EX" | "Vb" => self.begin_code(),
            "fi" | "EE" | "Ve" => self.end_code(),
            "br" | "ti" | "in" | "ce" => self.end_block(),
            "sp" | "Sp" => self.paragraph(),
            "ft" => {
                self.font = match args.first().map(String::as_str) {
                    Some("B" | "3" | "CB" | "CW" | "CR") => Font::Bold,
                    Some("I" | "2") => Font::Italic,
                    _ => Font::Roman,
                }
            }
            "nop" => self.text_line(&args.join(" "), roff),
            // Macros for the look of the page, for indexes and for printers.
            "PD" | "DT" | "UC" | "AT" | "IX" | "ad" | "na" | "hy" | "nh" | "nr" | "rm" | "rn"
            | "rr" | "ta" | "tr" | "ne" | "ps" | "vs" | "ll" | "lt" | "lf" | "mk" | "rt" | "bp"
            | "pl" | "po" | "ev" | "di" | "da" | "cc" | "c2" | "ec" | "eo" | "fam" | "hw"
            | "warn" | "als" | "so" | "ss" | "tm" | "ab" | "ex" | "pc" | "em" | "ch" | "wh"
            | "lg" | "cs" | "bd" | "fp" | "return" | "break" | "EQ" | "EN" | "mso" | "color"
            | "defcolor" | "hlm" | "hys" | "psbb" | "shc" | "cflags" | "char" | "tkf" | "af" => {}
            _ => return false,
        }
        true
    }

    /// Returns the page.
    pub fn finish(mut self) -> Read {
        self.end_code();
        let mut sections = self.outline.finish();
        let title = self.title.map(|title| spelled(title, &mut sections));
        Read { title, sections }
    }
}

/// Returns whether a tag has the form of an option.
fn is_option(tag: &str) -> bool {
    let name = tag.strip_prefix(['-', '+']).unwrap_or_default();
    !name.is_empty()
        && !name.starts_with(char::is_whitespace)
        && tag.len() <= MAX_OPTIONS_BYTES
        && name.chars().any(char::is_alphanumeric)
}

/// Returns the title as the first section spells it, also in the sections: `.TH` is often in
/// capitals, and the name `git-log` is not.
fn spelled(title: String, sections: &mut [Section]) -> String {
    let Some((name, rest)) = title.split_once('(') else { return title };
    let first = sections.iter().find(|section| section.level == 2);
    let said = first.and_then(|section| section.blocks.first()).map(|block| block.text.as_str());
    let mut names = said.into_iter().flat_map(|said| said.split([' ', ',']));
    match names.find(|word| word.eq_ignore_ascii_case(name)) {
        Some(word) if word != name => {
            let spelled = format!("{word}({rest}");
            for section in sections.iter_mut().filter(|section| section.heading == title) {
                section.heading.clone_from(&spelled);
            }
            spelled
        }
        _ => title,
    }
}

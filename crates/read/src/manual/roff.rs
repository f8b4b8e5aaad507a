//! The language of roff: lines of text and calls of macros, conditions, definitions, strings and
//! escapes.

use std::collections::HashMap;

use super::characters::named;

/// Maximum number of characters that strings of the page may add: a string can contain others.
const MAX_EXPANSION: usize = 1 << 20;

/// A line of a page.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// Text with escapes.
    Text(String),
    /// A macro or a request with its arguments, which have escapes.
    Call { name: String, args: Vec<String> },
    /// The rows of a table.
    Table(Vec<Vec<String>>),
}

/// The typeface of a piece of text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Font {
    #[default]
    Roman,
    Bold,
    Italic,
}

/// A page that is read line by line.
pub(super) struct Roff<'a> {
    lines: std::str::Lines<'a>,
    /// A line that a condition left over.
    pending: Option<String>,
    strings: HashMap<String, String>,
    /// Names that the page defines as macros. They change how it looks.
    defined: Vec<String>,
    /// The number of open blocks `\{` whose condition holds.
    open_blocks: usize,
    /// Whether the last condition of `.ie` held.
    held: bool,
    room: usize,
}

impl<'a> Roff<'a> {
    pub fn new(text: &'a str) -> Self {
        Self {
            lines: text.lines(),
            pending: None,
            strings: HashMap::new(),
            defined: Vec::new(),
            open_blocks: 0,
            held: false,
            room: MAX_EXPANSION,
        }
    }

    /// Returns the next line.
    pub fn next(&mut self) -> Option<Line> {
        loop {
            let line = self.raw_line()?;
            let Some(call) = line.strip_prefix(['.', '\'']) else {
                // The end of a block is before a text or at its end.
                let line = self.without_block_end(&line);
                return Some(Line::Text(line));
            };
            let call = call.trim_start();
            if call.is_empty() {
                continue;
            }
            let call =
                if call.contains("\\}") { self.without_block_end(call) } else { call.into() };
            let end = call.find([' ', '\t', '\\', '"']).unwrap_or(call.len());
            let (name, rest) = call.split_at(end);
            if name.is_empty() {
                continue;
            }
            match name {
                "if" | "ie" | "el" | "while" => self.condition(name, rest.trim_start()),
                "ig" => self.skip_to(rest.split_whitespace().next().unwrap_or(".")),
                "de" | "de1" | "am" | "dei" => {
                    let mut words = rest.split_whitespace();
                    self.defined.extend(words.next().map(str::to_owned));
                    self.skip_to(words.next().unwrap_or("."));
                }
                "ds" | "ds1" | "as" => self.define_string(name == "as", rest.trim_start()),
                "TS" => return Some(Line::Table(self.table())),
                _ if self.defined.iter().any(|known| known == name) && !is_known(name) => {}
                _ => return Some(Line::Call { name: name.to_owned(), args: arguments(rest) }),
            }
        }
    }

    /// Returns a line without its comment, together with the lines that continue it.
    fn raw_line(&mut self) -> Option<String> {
        let mut line = match self.pending.take() {
            Some(line) => line,
            None => without_comment(self.lines.next()?).to_owned(),
        };
        while ends_in_backslash(&line) {
            line.pop();
            line.push_str(without_comment(self.lines.next()?));
        }
        Some(line)
    }

    /// Skips the definition of a macro, or a long comment, up to the line that ends it.
    fn skip_to(&mut self, end: &str) {
        for line in self.lines.by_ref() {
            let rest = line.strip_prefix(['.', '\'']).map(str::trim);
            if rest == Some(end) {
                return;
            }
        }
    }

    /// Reads a condition. Pages ask whether they are read in a terminal (`n`).
    fn condition(&mut self, name: &str, rest: &str) {
        let (holds, body) = match name {
            "el" => (!self.held, rest),
            _ => evaluate(rest),
        };
        if name == "ie" {
            self.held = holds;
        }
        let holds = holds && name != "while";
        let body = body.trim_start();
        match (body.strip_prefix("\\{"), holds) {
            (Some(block), true) => {
                self.open_blocks += 1;
                let block = block.trim_start_matches('\\').trim_start();
                self.pending = (!block.is_empty()).then(|| block.to_owned());
            }
            (Some(block), false) => self.skip_block(block),
            (None, true) => self.pending = (!body.is_empty()).then(|| body.to_owned()),
            (None, false) => {}
        }
    }

    /// Skips a block whose condition does not hold.
    fn skip_block(&mut self, first: &str) {
        let mut depth =
            1 + first.matches("\\{").count() as i64 - first.matches("\\}").count() as i64;
        while depth > 0 {
            let Some(line) = self.lines.next() else { return };
            depth += line.matches("\\{").count() as i64 - line.matches("\\}").count() as i64;
        }
    }

    fn without_block_end(&mut self, line: &str) -> String {
        let n = line.matches("\\}").count();
        if n == 0 || self.open_blocks == 0 {
            return line.to_owned();
        }
        self.open_blocks = self.open_blocks.saturating_sub(n);
        line.replace("\\}", "")
    }

    fn define_string(&mut self, appends: bool, rest: &str) {
        let (name, value) = rest.split_once([' ', '\t']).unwrap_or((rest, ""));
        let value = value.trim_start();
        // A quotation mark keeps the spaces behind it.
        let value = value.strip_prefix('"').unwrap_or(value);
        if value.len() > self.room {
            return;
        }
        self.room -= value.len();
        let known = self.strings.entry(name.to_owned()).or_default();
        if !appends {
            known.clear();
        }
        known.push_str(value);
    }

    /// Reads a table of tbl(1): options up to `;`, formats up to `.`, then rows.
    fn table(&mut self) -> Vec<Vec<String>> {
        let mut separator = '\t';
        let mut rows = Vec::new();
        let mut in_formats = true;
        let mut block: Option<String> = None;
        let mut row: Vec<String> = Vec::new();
        while let Some(line) = self.lines.next().map(without_comment) {
            if line.starts_with(".TE") {
                break;
            }
            if in_formats {
                if let Some(at) = line.find("tab") {
                    let given = line[at + 3..].trim_start().trim_start_matches('(');
                    separator = given.chars().next().unwrap_or('\t');
                }
                in_formats = !line.trim_end().ends_with('.');
                continue;
            }
            match line.trim() {
                ".T&" => in_formats = true,
                "_" | "=" | "" => {}
                _ if line.starts_with('.') => {
                    // A macro within a cell, such as `.B`.
                    if let Some(text) = &mut block {
                        let (_, args) = line.split_once(' ').unwrap_or_default();
                        text.push_str(&arguments(args).join(" "));
                        text.push(' ');
                    }
                }
                _ => {
                    let mut rest = line;
                    if let Some(mut text) = block.take() {
                        let Some(after) = line.strip_prefix("T}") else {
                            text.push_str(line);
                            text.push(' ');
                            block = Some(text);
                            continue;
                        };
                        row.push(text);
                        rest = after.strip_prefix(separator).unwrap_or(after);
                        if after.is_empty() {
                            rows.push(std::mem::take(&mut row));
                            continue;
                        }
                    }
                    let mut cells: Vec<&str> = rest.split(separator).collect();
                    if cells.last() == Some(&"T{") {
                        cells.pop();
                        block = Some(String::new());
                    }
                    row.extend(cells.into_iter().map(str::to_owned));
                    if block.is_none() {
                        rows.push(std::mem::take(&mut row));
                    }
                }
            }
        }
        rows
    }

    /// Returns the pieces of a text without escapes, each with its font. `font` is the font at the
    /// beginning, and afterwards the one at the end.
    pub fn pieces(&self, text: &str, font: &mut Font) -> Vec<(Font, String)> {
        let mut pieces = Pieces { done: Vec::new(), font: *font, previous: Font::Roman };
        let mut room = MAX_EXPANSION;
        self.add_pieces(text, &mut pieces, 0, &mut room);
        *font = pieces.font;
        pieces.done
    }

    /// Returns a text without escapes and fonts.
    pub fn plain(&self, text: &str) -> String {
        self.pieces(text, &mut Font::Roman).into_iter().map(|(_, text)| text).collect()
    }

    fn add_pieces(&self, text: &str, pieces: &mut Pieces, depth: usize, room: &mut usize) {
        let mut rest = text;
        while let Some(at) = rest.find('\\') {
            pieces.push(&rest[..at]);
            rest = &rest[at + 1..];
            let Some(escape) = rest.chars().next() else { return };
            rest = &rest[escape.len_utf8()..];
            match escape {
                '-' => pieces.push("-"),
                'e' | '\\' => pieces.push("\\"),
                ' ' | '~' | '0' => pieces.push(" "),
                't' => pieces.push("\t"),
                '\'' => pieces.push("\u{b4}"),
                '`' => pieces.push("`"),
                '.' => pieces.push("."),
                '"' | '#' => return,
                'f' => {
                    let name;
                    (name, rest) = name_of(rest);
                    pieces.select(name);
                }
                '(' | '[' => {
                    let name;
                    (name, rest) = name_after(escape, rest);
                    pieces.push(&named(name));
                }
                '*' => {
                    let name;
                    (name, rest) = name_of(rest);
                    let value = self.string(name);
                    // Strings contain strings, also themselves.
                    if depth < 8 && value.len() <= *room {
                        *room -= value.len();
                        self.add_pieces(&value, pieces, depth + 1, room);
                    }
                }
                'N' => {
                    let number;
                    (number, rest) = quoted(rest);
                    let code = number.parse().ok().and_then(char::from_u32);
                    pieces.push(&code.map(String::from).unwrap_or_default());
                }
                's' => rest = after_size(rest),
                'n' => rest = name_of(rest.trim_start_matches(['+', '-'])).1,
                'g' | 'F' | 'k' | 'm' | 'M' | 'O' | 'V' | 'Y' => rest = name_of(rest).1,
                'h' | 'v' | 'w' | 'o' | 'b' | 'l' | 'L' | 'D' | 'R' | 'S' | 'H' | 'x' | 'X'
                | 'A' | 'B' | 'C' | 'Z' => rest = quoted(rest).1,
                'z' => {}
                // `\&`, `\|`, `\^`, `\/`, `\,`, `\)`, `\%`, `\:`, `\c`, `\d`, `\u`, `\p`: no width.
                '&' | '|' | '^' | '/' | ',' | ')' | '%' | ':' | 'c' | 'd' | 'u' | 'p' | 'a'
                | 'r' | '{' | '}' | '!' | '?' => {}
                other => pieces.push(other.encode_utf8(&mut [0; 4])),
            }
        }
        pieces.push(rest);
    }

    fn string(&self, name: &str) -> String {
        match (self.strings.get(name), name) {
            (Some(value), _) => value.clone(),
            (None, "R") => "\u{ae}".to_owned(),
            (None, "Tm") => "\u{2122}".to_owned(),
            (None, "lq" | "Lq" | "``") => "\u{201c}".to_owned(),
            (None, "rq" | "Rq" | "''") => "\u{201d}".to_owned(),
            (None, "q" | "quot") => "\"".to_owned(),
            (None, "Gt") => ">".to_owned(),
            (None, "Lt") => "<".to_owned(),
            (None, "Am") => "&".to_owned(),
            (None, "Ba") => "|".to_owned(),
            _ => String::new(),
        }
    }
}

/// Text without escapes.
struct Pieces {
    done: Vec<(Font, String)>,
    font: Font,
    previous: Font,
}

impl Pieces {
    fn push(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        match self.done.last_mut().filter(|(font, _)| *font == self.font) {
            Some((_, last)) => last.push_str(text),
            None => self.done.push((self.font, text.to_owned())),
        }
    }

    /// Selects a font by its name. `P` is the previous font.
    fn select(&mut self, name: &str) {
        let font = match name {
            "P" | "" => self.previous,
            "B" | "3" | "BI" | "4" | "CB" | "CW" | "C" | "CR" => Font::Bold,
            "I" | "2" | "CI" => Font::Italic,
            _ => Font::Roman,
        };
        self.previous = std::mem::replace(&mut self.font, font);
    }
}

/// Returns whether a macro is part of a set of macros. Pages may bring their own copy.
fn is_known(name: &str) -> bool {
    matches!(name, "UR" | "UE" | "MT" | "ME" | "EX" | "EE" | "SY" | "YS" | "OP" | "TQ")
        || matches!(name, "Vb" | "Ve" | "Sp")
}

/// Returns a line without its comment.
fn without_comment(line: &str) -> &str {
    let mut from = 0;
    while let Some(at) = line[from..].find("\\\"").map(|at| from + at) {
        // `\\"` is a backslash in front of a quotation mark.
        let slashes = line[..at].bytes().rev().take_while(|&byte| byte == b'\\').count();
        if slashes % 2 == 0 {
            return &line[..at];
        }
        from = at + 2;
    }
    line
}

fn ends_in_backslash(line: &str) -> bool {
    line.bytes().rev().take_while(|&byte| byte == b'\\').count() % 2 == 1
}

/// Returns whether a condition holds in a terminal, and the line after it.
fn evaluate(condition: &str) -> (bool, &str) {
    let (is_negated, rest) = match condition.strip_prefix('!') {
        Some(rest) => (true, rest),
        None => (false, condition),
    };
    let mut chars = rest.chars();
    let (holds, rest) = match chars.next() {
        Some(known @ ('n' | 't' | 'o' | 'e' | 'v')) => (matches!(known, 'n' | 'o'), &rest[1..]),
        // `'\*[x]'y'`, a comparison of texts.
        Some(quote @ ('\'' | '"')) => {
            let mut parts = rest[1..].splitn(3, quote);
            let (left, right) = (parts.next().unwrap_or_default(), parts.next());
            (right == Some(left), parts.next().unwrap_or_default())
        }
        _ => {
            let end = rest.find([' ', '\t']).unwrap_or(rest.len());
            // Registers such as `\n(.g` ask for the program. Numbers in front are conditions too.
            (
                rest.trim_start_matches('(').starts_with("\\n(.g") && !rest.contains('<'),
                &rest[end..],
            )
        }
    };
    (holds != is_negated, rest)
}

/// Returns the arguments of a call: words, or texts between quotation marks.
fn arguments(rest: &str) -> Vec<String> {
    let mut args = Vec::new();
    let mut chars = rest.chars().peekable();
    loop {
        while chars.next_if(|c| matches!(c, ' ' | '\t')).is_some() {}
        let Some(&first) = chars.peek() else { return args };
        let mut arg = String::new();
        if first == '"' {
            chars.next();
            while let Some(c) = chars.next() {
                // Two quotation marks mean one quotation mark.
                if c == '"' && chars.next_if_eq(&'"').is_none() {
                    break;
                }
                arg.push(c);
            }
        } else {
            while let Some(c) = chars.next_if(|c| !matches!(c, ' ' | '\t')) {
                arg.push(c);
                // `\ ` is a space within a word.
                if c == '\\'
                    && let Some(escaped) = chars.next()
                {
                    arg.push(escaped);
                }
            }
        }
        args.push(arg);
    }
}

/// Returns a name in the form `x`, `(xx` or `[xxx]`, and the text after it.
fn name_of(text: &str) -> (&str, &str) {
    match text.chars().next() {
        Some(first @ ('(' | '[')) => name_after(first, &text[1..]),
        Some(first) => text.split_at(first.len_utf8()),
        None => ("", ""),
    }
}

/// Returns a name whose opening bracket has been read.
fn name_after(bracket: char, text: &str) -> (&str, &str) {
    if bracket == '[' {
        return text.split_once(']').unwrap_or((text, ""));
    }
    let end = text.char_indices().nth(2).map_or(text.len(), |(at, _)| at);
    text.split_at(end)
}

/// Returns the argument of an escape between two equal characters, and the text after it.
fn quoted(text: &str) -> (&str, &str) {
    let Some(quote) = text.chars().next() else { return ("", "") };
    text[quote.len_utf8()..].split_once(quote).unwrap_or(("", ""))
}

/// Returns the text after a size such as `-1`, `+2`, `10`, `(12`, `[+1]` or `'8'`.
fn after_size(text: &str) -> &str {
    let text = text.trim_start_matches(['+', '-']);
    match text.chars().next() {
        Some('\'') => quoted(text).1,
        Some('(' | '[') => name_of(text).1,
        // `\s10` up to `\s39` have two digits.
        Some('1'..='3') if text[1..].starts_with(|c: char| c.is_ascii_digit()) => &text[2..],
        Some(c) if c.is_ascii_digit() => &text[1..],
        _ => text,
    }
}

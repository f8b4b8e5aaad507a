//! Identifiers: names, flags, versions, numbers and error codes, as a whole and by their parts.
//!
//! A chunk is one or more runs of letters and digits with connectors between them: `_`, `.`, `::`,
//! a hyphen, or a separator that groups the digits of a number. Its parts are the runs, divided
//! again where case changes (`HashMap`, `XMLHttpRequest`) and where a unit follows a number
//! (`64MB`). A unit after a space belongs to the chunk too. A chunk of one part is a plain word.
//!
//! The whole is spelled without its connectors, so that `pre-commit`, `preCommit`, `pre_commit` and
//! `precommit` are one term. Between two digits a `.` or `-` stays, so that 3.11 is not 311, unless
//! it groups digits, so that 1.000.000 is 1000000. Some wholes keep their marks because the marks
//! make the name: `--force`, `-f`, `__init__`, `.gitignore`, `c++`, `c#`.

use crate::normalise::is_ignorable;
use crate::number::{
    Raised, groups_digits, is_grouped_by_points, raised, spaced_number_end, spaced_unit,
    stroke_len, unit_start,
};
use crate::segment::{Class, Run, class, letters_end, next_run};

/// The most runs of a chunk, and twice the most changes of case in a run. More changes of case are
/// encoded data, not a name.
const MAX_PARTS: usize = 16;

/// A name as a text writes it, in bytes of the text.
#[derive(Debug, Default)]
pub(crate) struct Chunk {
    /// First byte, preceding marks included.
    pub start: usize,
    /// The byte after the last, following marks included.
    pub end: usize,
    /// The beginning of the text after the chunk: after `end`, and after a reference to a note.
    pub next: usize,
    /// Whether the whole keeps its marks.
    pub verbatim: bool,
    /// The end of the number, if the chunk is a number and its unit.
    pub number_end: Option<usize>,
    /// Whether the whole differs from its only part: `log²`.
    raised: bool,
    /// Byte ranges of the parts.
    pub parts: Vec<(usize, usize)>,
}

impl Chunk {
    /// Returns whether there is more to index than one word.
    pub fn is_identifier(&self) -> bool {
        self.verbatim || self.raised || self.parts.len() > 1
    }

    /// Returns the byte range of the number before a unit, if the number is not a part by itself.
    pub fn number(&self) -> Option<(usize, usize)> {
        self.number_end.filter(|_| self.parts.len() > 2).map(|end| (self.start, end))
    }

    /// Returns the first part of the last component, which follows the last `.` or `::`, if the
    /// component has several parts. A component of one part is a word already.
    pub fn last_component(&self, text: &str) -> Option<usize> {
        let chunk = &text[self.start..self.end];
        let bytes = chunk.as_bytes();
        let dot = bytes.iter().rposition(|&b| b == b'.').map(|at| at + 1);
        let colons = bytes.windows(2).rposition(|two| two == b"::").map(|at| at + 2);
        let start = self.start + dot.max(colons)?;
        let first = self.parts.iter().position(|part| part.0 >= start)?;
        let named = text[start..].starts_with(|c: char| c.is_alphabetic());
        (!self.verbatim && named && first > 0 && self.parts.len() - first > 1).then_some(first)
    }

    /// Reads the chunk that begins with `run`. `apostrophes`: an apostrophe between letters belongs
    /// to the word. `from`: the beginning of the text after the previous chunk.
    pub fn read(&mut self, text: &str, run: Run, apostrophes: bool, from: usize) {
        let bytes = text.as_bytes();
        self.parts.clear();
        self.start = run.start;
        self.end = run.end;
        self.verbatim = false;
        self.number_end = None;
        self.raised = false;
        let spaced_end = spaced_number_end(bytes, run.start);
        let mut raised_end = None;
        loop {
            let start = self.end.max(run.start);
            let (start, end) = if self.parts.is_empty() {
                (run.start, run.end)
            } else {
                (start, letters_end(text, start))
            };
            let end = if apostrophes { join_apostrophes(text, end) } else { end };
            if bytes[end - 1] >= 0x80
                && let Some((len, what)) = raised(&text[start..end])
                && what != Raised::Unit
            {
                // The digits that are raised are no part of the word.
                let word_end = start + len;
                split_case(text, start, word_end, &mut self.parts);
                self.raised = what == Raised::Either && self.parts.len() == 1;
                self.end = if self.raised { end } else { word_end };
                raised_end = Some(if what == Raised::Power { word_end } else { end });
                break;
            }
            match unit_start(&text[start..end]) {
                Some(len) => {
                    self.number_end = Some(start + len).filter(|_| self.is_number(bytes));
                    self.parts.extend([(start, start + len), (start + len, end)]);
                }
                None => split_case(text, start, end, &mut self.parts),
            }
            self.end = end;
            let connector = match connector_len(bytes, end) {
                0 if end < spaced_end => text[end..].chars().next().map_or(0, char::len_utf8),
                0 if self.parts.len() == 1 => stroke_len(bytes, run.start, end),
                len => len,
            };
            let goes_on = connector > 0
                && self.parts.len() < MAX_PARTS
                && begins_letters(text, end + connector);
            if !goes_on {
                break;
            }
            self.end = end + connector;
        }
        if raised_end.is_none() && self.number_end.is_none() && self.is_number(bytes) {
            self.add_spaced_unit(text);
        }
        self.marks(bytes, run.start, from);
        self.next = raised_end.unwrap_or(0).max(self.end);
    }

    /// Returns whether all parts so far are the digits of one number.
    fn is_number(&self, bytes: &[u8]) -> bool {
        let chunk = bytes.get(self.start..self.end).unwrap_or_default();
        self.parts.iter().all(|&(start, end)| bytes[start..end].iter().all(u8::is_ascii_digit))
            && !chunk.contains(&b'-')
    }

    /// Adds the unit that follows the number after a space.
    fn add_spaced_unit(&mut self, text: &str) {
        let Some((start, end)) = spaced_unit(text, self.end) else { return };
        let chunk = &text[self.start..self.end];
        let n_points = chunk.bytes().filter(|b| *b == b'.').count();
        if n_points > 1 && !is_grouped_by_points(chunk) {
            // A version.
            return;
        }
        self.number_end = Some(self.end);
        self.parts.push((start, end));
        self.end = end;
    }

    /// Adds the marks before and after a chunk to it, if they make it another name.
    fn marks(&mut self, bytes: &[u8], first: usize, from: usize) {
        let front = bytes.get(from..first).unwrap_or(&[]);
        let at_start = |rest: &[u8]| match rest.last() {
            // The previous chunk ends here, unless the text begins here.
            None => from == 0,
            Some(b) => b.is_ascii_whitespace() || b"([{\"'`,|/*=<>".contains(b),
        };
        let letter = bytes.get(first).is_some_and(u8::is_ascii_alphabetic);
        let mut taken = 0;
        if letter && first > from {
            if let Some(rest) = front.strip_suffix(b"--") {
                taken = if at_start(rest) { 2 } else { 0 };
            } else if let Some(rest) = front.strip_suffix(b"__") {
                taken = if rest.last() == Some(&b'_') { 0 } else { 2 };
            } else if let Some(rest) = front.strip_suffix(b"-").or_else(|| front.strip_suffix(b"."))
            {
                taken = if at_start(rest) { 1 } else { 0 };
            }
        }
        if taken > 0 {
            self.start = first - taken;
            self.verbatim = true;
        }
        let behind = &bytes[self.end..];
        if taken == 2 && bytes[self.start] == b'_' && behind.starts_with(b"__") {
            self.end += 2;
        } else if letter && behind.starts_with(b"++") && behind.get(2) != Some(&b'+') {
            self.end += 2;
            self.verbatim = true;
        } else if letter
            && self.end - first == 1
            && behind.starts_with(b"#")
            && !behind.get(1).is_some_and(|b| b.is_ascii_alphanumeric() || *b >= 0x80)
        {
            self.end += 1;
            self.verbatim = true;
        }
    }
}

/// Returns the length of the number at the beginning of a text, with the unit after it, if it
/// contains ordinary spaces: `1 250 000`, `64 MB`. Otherwise returns 0.
pub fn spaced_number_len(text: &str) -> usize {
    if !text.bytes().next().is_some_and(|b| b.is_ascii_digit()) {
        return 0;
    }
    let Some(run) = next_run(text, 0) else { return 0 };
    let mut chunk = Chunk::default();
    chunk.read(text, run, false, 0);
    if text[..chunk.end].contains(char::is_whitespace) { chunk.end } else { 0 }
}

/// Returns the length of the connector at byte `at`; 0 if there is none.
#[inline]
fn connector_len(bytes: &[u8], at: usize) -> usize {
    match bytes.get(at) {
        Some(b'.' | b'-') => 1,
        Some(b',' | b'\'') if groups_digits(bytes, at) => 1,
        Some(b'_') => bytes[at..].iter().take_while(|&&b| b == b'_').count(),
        Some(b':') if bytes.get(at + 1) == Some(&b':') => 2,
        // U+2010 hyphen, U+2011 non-breaking hyphen, and U+2019 apostrophe.
        Some(0xe2) => match bytes.get(at + 1..at + 3) {
            Some([0x80, 0x90 | 0x91]) => 3,
            Some([0x80, 0x99]) if groups_digits(bytes, at) => 3,
            _ => 0,
        },
        _ => 0,
    }
}

#[inline]
fn begins_letters(text: &str, at: usize) -> bool {
    match text.as_bytes().get(at) {
        Some(b) if b.is_ascii() => b.is_ascii_alphanumeric(),
        Some(_) => text[at..].chars().next().is_some_and(|c| class(c) == Class::Letter),
        None => false,
    }
}

/// Returns the end of a run, including apostrophes between letters.
fn join_apostrophes(text: &str, mut end: usize) -> usize {
    loop {
        let len = match text.as_bytes().get(end) {
            Some(b'\'') => 1,
            Some(0xe2) if text[end..].starts_with('\u{2019}') => 3,
            _ => return end,
        };
        let follows = text[end + len..]
            .chars()
            .next()
            .is_some_and(|c| c.is_alphabetic() && class(c) == Class::Letter);
        if !follows {
            return end;
        }
        end = letters_end(text, end + len);
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Case {
    Upper,
    Lower,
    Digit,
    None,
}

#[inline]
fn case(c: char) -> Case {
    match c {
        'a'..='z' => Case::Lower,
        'A'..='Z' => Case::Upper,
        '0'..='9' => Case::Digit,
        '\0'..='\x7f' => Case::None,
        _ if c.is_lowercase() => Case::Lower,
        _ if c.is_uppercase() => Case::Upper,
        _ => Case::None,
    }
}

/// Adds the parts of a run. It is divided before a capital after a lower-case letter
/// (`hash|Map`), after a digit where a lower-case letter follows (`base64|Encoder`), and after a
/// capital where at least two follow (`XML|Http`, but `URLs`, `IPv4`).
fn split_case(text: &str, start: usize, end: usize, parts: &mut Vec<(usize, usize)>) {
    let run = &text[start..end];
    let capitals = run.bytes().skip(1).any(|b| b.is_ascii_uppercase() || b >= 0x80);
    if !capitals {
        return parts.push((start, end));
    }
    let n_before = parts.len();
    let mut part = start;
    let mut before = Case::None;
    let mut chars = run.char_indices();
    while let Some((i, c)) = chars.next() {
        if c >= '\u{80}' && is_ignorable(c) {
            continue;
        }
        let now = case(c);
        if now == Case::Upper {
            let mut ahead = chars.clone().map(|(_, c)| case(c) == Case::Lower);
            let (first, second) = (ahead.next() == Some(true), ahead.next() == Some(true));
            let divides = match before {
                Case::Lower => true,
                Case::Digit => first,
                Case::Upper => first && second,
                Case::None => false,
            };
            if divides {
                parts.push((part, start + i));
                part = start + i;
            }
        }
        before = now;
    }
    parts.push((part, end));
    if parts.len() - n_before > MAX_PARTS / 2 {
        parts.truncate(n_before);
        parts.push((start, end));
    }
}

/// Appends the spelling of the whole to `out`, case and diacritics as in the text. Returns whether
/// it has a digit.
pub(crate) fn whole_into(chunk: &str, verbatim: bool, out: &mut String) -> bool {
    let mut has_digit = false;
    let mut chars = chunk.char_indices().peekable();
    let mut before = '\0';
    // Where a number ends whose points group its digits.
    let mut grouped_end = 0;
    while let Some((at, c)) = chars.next() {
        if c.is_ascii_digit() && !before.is_ascii_digit() && before != '.' {
            let rest = &chunk[at..];
            let len = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
            if is_grouped_by_points(&rest[..len]) {
                grouped_end = at + len;
            }
        }
        has_digit |= c.is_ascii_digit();
        let digits = || {
            before.is_ascii_digit() && chars.clone().next().is_some_and(|(_, c)| c.is_ascii_digit())
        };
        match c {
            '_' | ':' if !verbatim => {}
            '.' | '-' if !verbatim && (at < grouped_end || !digits()) => {}
            '\'' | '\u{2019}' if digits() => {}
            ',' | '\u{2010}' | '\u{2011}' => {}
            '\u{2044}' => out.push('/'),
            _ if c.is_whitespace() => {}
            _ => out.push(c),
        }
        before = c;
    }
    has_digit
}

//! Identifiers: names, flags, versions and error codes, whole and by their parts.
//!
//! A chunk is one or more runs of letters and digits with connectors between them: `_`, `.`, `::`,
//! a hyphen, a comma that groups digits. Its parts are the runs, divided once more where case
//! changes (`HashMap`, `XMLHttpRequest`). A chunk of one part is a plain word.
//!
//! The whole is spelt without its connectors, so that `pre-commit`, `preCommit`, `pre_commit` and
//! `precommit` are one term; between two digits a `.` or `-` stays, so that 3.11 is not 311, and a
//! comma goes, so that 1,000 is 1000. Some wholes are verbatim because the marks in front or behind
//! make the name: `--force`, `-f`, `__init__`, `.gitignore`, `c++`, `c#`.

use crate::segment::{Class, Run, class, letters_end};

/// More runs than this start a new chunk; more changes of case than this are no name (encoded
/// data).
const MAX_PARTS: usize = 16;

/// What stands between white space and reads as one name, in bytes of the text.
#[derive(Debug, Default)]
pub(crate) struct Chunk {
    /// First byte, marks in front included.
    pub start: usize,
    /// The byte behind the last, marks behind included.
    pub end: usize,
    /// Whether the whole keeps its marks.
    pub verbatim: bool,
    /// Byte ranges of the parts.
    pub parts: Vec<(usize, usize)>,
}

impl Chunk {
    /// Whether there is more to index than one word.
    pub fn is_identifier(&self) -> bool {
        self.verbatim || self.parts.len() > 1
    }

    /// The first part of what stands behind the last `.` or `::`, if that has several parts itself;
    /// a single one is a word already.
    pub fn last_component(&self, text: &str) -> Option<usize> {
        let chunk = &text[self.start..self.end];
        let dot = chunk.rfind('.').map(|at| at + 1);
        let start = self.start + dot.max(chunk.rfind("::").map(|at| at + 2))?;
        let first = self.parts.iter().position(|part| part.0 >= start)?;
        let named = text[start..].starts_with(|c: char| c.is_alphabetic());
        (!self.verbatim && named && first > 0 && self.parts.len() - first > 1).then_some(first)
    }

    /// Reads the chunk that begins with `run`. `apostrophes`: an apostrophe between letters belongs
    /// to the word. `from`: where the chunk before ended.
    pub fn read(&mut self, text: &str, run: Run, apostrophes: bool, from: usize) {
        let bytes = text.as_bytes();
        self.parts.clear();
        self.start = run.start;
        self.end = run.end;
        self.verbatim = false;
        loop {
            let start = self.end.max(run.start);
            let (start, end) = if self.parts.is_empty() {
                (run.start, run.end)
            } else {
                (start, letters_end(text, start))
            };
            let end = if apostrophes { join_apostrophes(text, end) } else { end };
            split_case(text, start, end, &mut self.parts);
            self.end = end;
            match connector_len(bytes, end) {
                0 => break,
                len if self.parts.len() < MAX_PARTS && begins_letters(text, end + len) => {
                    self.end = end + len
                }
                _ => break,
            }
        }
        self.marks(bytes, run.start, from);
    }

    /// Takes in the marks that make a name of what they surround.
    fn marks(&mut self, bytes: &[u8], first: usize, from: usize) {
        let front = bytes.get(from..first).unwrap_or(&[]);
        let at_start = |rest: &[u8]| match rest.last() {
            // What the chunk before ended with is no white space, unless the text begins here.
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

/// Length of the connector at byte `at`, 0 where there is none.
#[inline]
fn connector_len(bytes: &[u8], at: usize) -> usize {
    match bytes.get(at) {
        Some(b'.' | b'-') => 1,
        Some(b',') if groups_digits(bytes, at) => 1,
        Some(b'_') => bytes[at..].iter().take_while(|&&b| b == b'_').count(),
        Some(b':') if bytes.get(at + 1) == Some(&b':') => 2,
        // U+2010 hyphen and U+2011 non-breaking hyphen.
        Some(0xe2) if matches!(bytes.get(at + 1..at + 3), Some([0x80, 0x90 | 0x91])) => 3,
        _ => 0,
    }
}

/// Whether the comma at byte `at` groups the digits of one number: 1,000 is 1000.
fn groups_digits(bytes: &[u8], at: usize) -> bool {
    let digits = |bytes: &[u8]| bytes.iter().take_while(|b| b.is_ascii_digit()).count();
    let before = bytes[..at].iter().rev().take_while(|b| b.is_ascii_digit()).count();
    (1..=3).contains(&before) && digits(&bytes[at + 1..]) == 3
}

#[inline]
fn begins_letters(text: &str, at: usize) -> bool {
    match text.as_bytes().get(at) {
        Some(b) if b.is_ascii() => b.is_ascii_alphanumeric(),
        Some(_) => text[at..].chars().next().is_some_and(|c| class(c) == Class::Letter),
        None => false,
    }
}

/// Where a run ends once apostrophes between letters are part of it.
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

/// Adds the parts of a run: it is divided in front of a capital behind a lower-case letter
/// (`hash|Map`), behind a digit where a lower-case letter follows (`base64|Encoder`), and behind a
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

/// Appends the whole's spelling to `out`, case and diacritics as in the text. Returns whether it
/// has a digit.
pub(crate) fn whole_into(chunk: &str, verbatim: bool, out: &mut String) -> bool {
    let mut has_digit = false;
    let mut chars = chunk.chars().peekable();
    let mut before = '\0';
    while let Some(c) = chars.next() {
        has_digit |= c.is_ascii_digit();
        let keep = match c {
            '_' | ':' => verbatim,
            '.' | '-' => {
                let digits =
                    before.is_ascii_digit() && chars.peek().is_some_and(char::is_ascii_digit);
                verbatim || digits
            }
            ',' | '\u{2010}' | '\u{2011}' => false,
            _ => true,
        };
        if keep {
            out.push(c);
        }
        before = c;
    }
    has_digit
}

//! Blocks of Org.

use std::collections::HashSet;

use findling_bundle::AttributeValue;

use super::super::Options;
use super::super::html;
use super::super::includes::Includes;
use super::super::left_out::{LeftOut, Rule, Trace};
use super::super::markdown::slug::Slugs;
use super::super::outline::Outline;
use super::headline::Headline;
use super::inline;
use super::keywords::{Keywords, keyword};
use findling_page::page::Section;

/// Deepest nesting of included files.
const MAX_INCLUDES: usize = 8;

/// Deepest nesting of blocks.
const MAX_DEPTH: usize = 16;

/// Longest drawer, in lines.
const MAX_DRAWER_LINES: usize = 1000;

/// State of reading a page.
pub(super) struct Reader {
    pub keywords: Keywords,
    outline: Outline,
    slugs: Slugs,
    trace: Trace,
    includes: Includes,
    /// Levels of the open headlines with their tags.
    open: Vec<(usize, Vec<String>)>,
    /// Names of blocks whose end was not found.
    unclosed: HashSet<String>,
    files: Vec<std::path::PathBuf>,
    depth: usize,
}

/// The result of reading a page.
pub(super) struct Finished {
    pub keywords: Keywords,
    pub includes: Includes,
    pub sections: Vec<Section>,
    pub left_out: Vec<LeftOut>,
}

impl Reader {
    pub fn new(includes: Includes, options: &Options) -> Self {
        Self {
            keywords: Keywords::default(),
            outline: Outline::new(),
            slugs: Slugs::default(),
            trace: Trace::new(options.trace),
            includes,
            open: Vec::new(),
            unclosed: HashSet::new(),
            files: Vec::new(),
            depth: 0,
        }
    }

    pub fn finish(self) -> Finished {
        Finished {
            keywords: self.keywords,
            includes: self.includes,
            sections: self.outline.finish(),
            left_out: self.trace.finish(),
        }
    }

    /// Reads lines with their headlines.
    pub fn read(&mut self, lines: &[&str]) {
        let mut at = 0;
        while at < lines.len() {
            at += match Headline::of(lines[at], &self.keywords.states) {
                Some(headline) => self.headline(&headline, &lines[at..]),
                None => self.block(&lines[at..]),
            };
        }
        self.outline.end_block();
    }

    fn headline(&mut self, headline: &Headline<'_>, lines: &[&str]) -> usize {
        self.outline.end_block();
        if headline.is_comment || self.keywords.excludes(&headline.tags) {
            let states = &self.keywords.states;
            let ends = |line: &&str| {
                Headline::of(line, states).is_some_and(|next| next.level <= headline.level)
            };
            let len = lines[1..].iter().position(ends).map_or(lines.len(), |at| at + 1);
            self.trace.note(Rule::Comment, || (String::new(), headline.title.to_owned()));
            return len;
        }
        let (used, custom_id) = properties(&lines[1..]);
        let title = inline::plain(headline.title, &self.keywords.macros);
        self.open.retain(|(level, _)| *level < headline.level);
        // Tags apply to all headlines below.
        let mut tags: Vec<String> =
            self.open.last().map(|(_, tags)| tags.clone()).unwrap_or_default();
        for tag in &headline.tags {
            if !tags.iter().any(|known| known == tag) {
                tags.push((*tag).to_owned());
            }
        }
        self.open.push((headline.level, tags.clone()));
        let anchor = match custom_id {
            Some(id) => self.slugs.taken(id),
            None => self.slugs.make(&title),
        };
        if !title.is_empty() {
            let level = u8::try_from(headline.level).unwrap_or(u8::MAX);
            let anchor = Some(anchor).filter(|anchor| !anchor.is_empty());
            self.outline.heading(level, title, anchor);
            if let Some(state) = headline.state {
                self.outline.attribute("todo", AttributeValue::String(state.to_owned()));
            }
            if !tags.is_empty() {
                tags.sort();
                self.outline.attribute("tags", AttributeValue::Strings(tags));
            }
        }
        used + 1
    }

    /// Reads the block at the beginning. Returns the number of its lines.
    fn block(&mut self, lines: &[&str]) -> usize {
        let line = lines[0];
        let text = line.trim();
        if text.is_empty() {
            self.outline.end_block();
            return 1;
        }
        if let Some(used) = self.block_with_end(lines, text) {
            return used;
        }
        if let Some((name, value)) = keyword(line) {
            self.keyword(&name, value);
            return 1;
        }
        if text == "#" || text.starts_with("# ") {
            self.trace.note(Rule::Comment, || (String::new(), text.to_owned()));
            return 1;
        }
        if text == ":" || text.starts_with(": ") {
            let is_fixed = |line: &&&str| {
                let text = line.trim_start();
                text.starts_with(": ") || text.trim_end() == ":"
            };
            let n = lines.iter().take_while(is_fixed).count();
            let code: Vec<&str> = lines[..n]
                .iter()
                .map(|line| {
                    let line = line.trim_start();
                    line.strip_prefix(": ").unwrap_or(line.trim_start_matches(':'))
                })
                .collect();
            self.outline.code_block(&code.join("\n"));
            return n;
        }
        if let Some(used) = drawer_len(lines) {
            self.drawer(&lines[..used]);
            return used;
        }
        if is_planning(text) {
            return 1;
        }
        if text.starts_with('|') {
            self.row(text);
            return 1;
        }
        if text.len() >= 5 && text.bytes().all(|byte| byte == b'-') {
            self.outline.end_block();
            return 1;
        }
        if let Some(content) = item(line) {
            self.outline.end_block();
            self.item(content);
            return 1;
        }
        if let Some((label, definition)) = footnote(line) {
            self.outline.end_block();
            self.trace.note(Rule::ReferenceMark, || (String::new(), label.to_owned()));
            self.text(definition);
            return 1;
        }
        // Markup may span several lines.
        let n = 1 + lines[1..].iter().take_while(|line| self.is_text(line)).count();
        self.text(&lines[..n].join("\n"));
        n
    }

    /// Returns whether a line continues a paragraph.
    fn is_text(&self, line: &str) -> bool {
        let text = line.trim();
        !(text.is_empty()
            || text.starts_with(['|', '#'])
            || text == ":"
            || text.starts_with(": ")
            || text.starts_with("\\begin{")
            || is_drawer(text)
            || item(line).is_some()
            || footnote(line).is_some()
            || Headline::of(line, &self.keywords.states).is_some())
    }

    /// Reads a block with a line that ends it.
    fn block_with_end(&mut self, lines: &[&str], text: &str) -> Option<usize> {
        if let Some(name) = text.strip_prefix("\\begin{") {
            let end = format!("\\end{{{name}");
            let at = self.end_of(lines, &end)?;
            self.outline.code_block(&lines[..=at].join("\n"));
            return Some(at + 1);
        }
        let rest = text.get(..8).filter(|mark| mark.eq_ignore_ascii_case("#+begin_"))?;
        let name = text[rest.len()..].split_whitespace().next()?.to_ascii_lowercase();
        let end = format!("#+end_{name}");
        let at = self.end_of(lines, &end)?;
        self.outline.end_block();
        let content = &lines[1..at];
        match name.as_str() {
            "src" | "example" => {
                let code: Vec<&str> = content.iter().map(|line| unescaped(line)).collect();
                if !header(text, "exports")
                    .is_some_and(|value| matches!(value, "none" | "results") && name == "src")
                {
                    self.outline.code_block(&code.join("\n"));
                }
            }
            "comment" => {
                self.trace.note(Rule::Comment, || ("comment".to_owned(), content.join(" ")));
            }
            "export" => self.export(text, content),
            _ if self.depth < MAX_DEPTH => {
                self.depth += 1;
                let mut from = 0;
                while from < content.len() {
                    from += self.block(&content[from..]);
                }
                self.depth -= 1;
                self.outline.end_block();
            }
            _ => self.text(&content.join("\n")),
        }
        Some(at + 1)
    }

    /// Returns the line that ends a block. The missing end of a block is searched for only once.
    fn end_of(&mut self, lines: &[&str], end: &str) -> Option<usize> {
        if self.unclosed.contains(end) {
            return None;
        }
        let at = lines.iter().position(|line| line.trim().eq_ignore_ascii_case(end));
        if at.is_none() {
            self.unclosed.insert(end.to_owned());
        }
        at
    }

    fn export(&mut self, first: &str, content: &[&str]) {
        if !first.split_whitespace().nth(1).is_some_and(|kind| kind.eq_ignore_ascii_case("html")) {
            self.trace.note(Rule::NotText, || ("export".to_owned(), content.join(" ")));
            return;
        }
        let outline = std::mem::replace(&mut self.outline, Outline::new());
        let fragment = html::read_fragment(&content.join("\n"), outline, self.trace.is_on());
        self.outline = fragment.outline;
        self.trace.extend(fragment.left_out);
    }

    fn keyword(&mut self, name: &str, value: &str) {
        match name {
            "caption" => {
                self.outline.end_block();
                self.text(value);
                self.outline.end_block();
            }
            "include" => self.include(value),
            _ => {}
        }
    }

    /// Reads the file that a keyword includes: `#+INCLUDE: "file.org::*Part" src rust`.
    fn include(&mut self, value: &str) {
        let (target, rest) = match value.strip_prefix('"').and_then(|rest| rest.split_once('"')) {
            Some(split) => split,
            None => value.split_once(char::is_whitespace).unwrap_or((value, "")),
        };
        let (target, place) = target.split_once("::").unwrap_or((target, ""));
        if target.is_empty() || self.files.len() >= MAX_INCLUDES {
            return;
        }
        let from = self.files.last().cloned();
        let Ok((path, text)) = self.includes.open(from.as_deref(), target) else { return };
        if self.files.contains(&path) {
            return;
        }
        self.outline.end_block();
        if matches!(rest.split_whitespace().next(), Some("src" | "example")) {
            self.outline.code_block(&text);
            return;
        }
        let lines: Vec<&str> = text.lines().collect();
        let lines = part(&lines, place, &self.keywords.states);
        self.files.push(path);
        self.keywords.define_macros(lines);
        let unclosed = std::mem::take(&mut self.unclosed);
        self.read(lines);
        self.unclosed = unclosed;
        self.files.pop();
    }

    fn drawer(&mut self, lines: &[&str]) {
        let name = lines[0].trim().trim_matches(':').to_ascii_uppercase();
        if matches!(name.as_str(), "PROPERTIES" | "LOGBOOK" | "CLOCK") {
            return;
        }
        let content = &lines[1..lines.len() - 1];
        self.outline.end_block();
        if self.depth >= MAX_DEPTH {
            self.text(&content.join("\n"));
            return;
        }
        self.depth += 1;
        let mut from = 0;
        while from < content.len() {
            from += self.block(&content[from..]);
        }
        self.outline.end_block();
        self.depth -= 1;
    }

    fn row(&mut self, text: &str) {
        self.outline.end_block();
        if text.starts_with("|-") {
            return;
        }
        for cell in text.trim_matches('|').split('|') {
            self.outline.text().separate("|");
            self.text(cell);
            self.outline.text().space();
        }
        self.outline.end_block();
    }

    fn item(&mut self, content: &str) {
        let content = ["[ ] ", "[X] ", "[-] ", "[x] "]
            .iter()
            .find_map(|mark| content.strip_prefix(mark))
            .unwrap_or(content);
        match content.split_once(" :: ") {
            Some((term, text)) => {
                self.write(term);
                self.outline.text().push(": ");
                self.text(text);
            }
            None => self.text(content.strip_suffix(" ::").unwrap_or(content)),
        }
    }

    fn text(&mut self, text: &str) {
        self.write(text);
        self.outline.text().space();
    }

    fn write(&mut self, text: &str) {
        inline::write(text, &self.keywords.macros, self.outline.text(), &mut self.trace);
    }
}

/// Returns the number of lines of planning and properties below a headline, and the anchor that
/// they give the headline.
fn properties(lines: &[&str]) -> (usize, Option<String>) {
    let mut used = lines.iter().take_while(|line| is_planning(line.trim())).count();
    let mut custom_id = None;
    let rest = &lines[used..];
    if rest.first().is_some_and(|line| line.trim().eq_ignore_ascii_case(":PROPERTIES:"))
        && let Some(len) = drawer_len(rest)
    {
        for line in &rest[..len] {
            let text = line.trim();
            if let Some(mark) = text.get(..11)
                && mark.eq_ignore_ascii_case(":CUSTOM_ID:")
            {
                custom_id = Some(text[11..].trim().trim_start_matches('#').to_owned());
            }
        }
        used += len;
    }
    (used, custom_id.filter(|id| !id.is_empty()))
}

/// Returns whether a line is planning, such as `SCHEDULED: <2025-03-01>`.
fn is_planning(text: &str) -> bool {
    ["SCHEDULED:", "DEADLINE:", "CLOSED:", "CLOCK:"].iter().any(|mark| text.starts_with(mark))
}

/// Returns whether a line is the mark of a drawer: `:NAME:`.
fn is_drawer(text: &str) -> bool {
    text.strip_prefix(':').and_then(|rest| rest.strip_suffix(':')).is_some_and(|name| {
        !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-'))
    })
}

/// Returns the number of lines of a drawer.
fn drawer_len(lines: &[&str]) -> Option<usize> {
    if !is_drawer(lines.first()?.trim()) {
        return None;
    }
    for (at, line) in lines.iter().enumerate().take(MAX_DRAWER_LINES).skip(1) {
        if line.trim().eq_ignore_ascii_case(":END:") {
            return Some(at + 1);
        }
        // A headline ends open blocks and drawers.
        if line.starts_with('*') && line.trim_start_matches('*').starts_with(' ') {
            return None;
        }
    }
    None
}

/// Returns the content of a list's item.
fn item(line: &str) -> Option<&str> {
    let text = line.trim_start();
    let is_indented = text.len() < line.len();
    for mark in ["-", "+", "*"] {
        if let Some(rest) = text.strip_prefix(mark)
            && (mark != "*" || is_indented)
            && (rest.is_empty() || rest.starts_with(' '))
        {
            return Some(rest.trim_start());
        }
    }
    let end = text.find(['.', ')'])?;
    let number = &text[..end];
    let is_number =
        !number.is_empty() && number.len() <= 9 && number.bytes().all(|byte| byte.is_ascii_digit());
    let rest = &text[end + 1..];
    (is_number && (rest.is_empty() || rest.starts_with(' '))).then(|| {
        let rest = rest.trim_start();
        // A number that the author sets.
        match rest.strip_prefix("[@").and_then(|rest| rest.split_once(']')) {
            Some((_, rest)) => rest.trim_start(),
            None => rest,
        }
    })
}

/// Returns the label and the text of a footnote: `[fn:1] text`.
fn footnote(line: &str) -> Option<(&str, &str)> {
    let rest = line.strip_prefix("[fn:")?;
    let end = rest.find(']')?;
    let label = &rest[..end];
    (!label.contains(':')).then(|| (label, rest[end + 1..].trim_start()))
}

/// Returns a line of code without the comma that Org writes before text that looks like its own
/// marks.
fn unescaped(line: &str) -> &str {
    match line.trim_start().strip_prefix(',') {
        Some(rest) if rest.starts_with('*') || rest.starts_with("#+") || rest.starts_with(',') => {
            rest
        }
        _ => line,
    }
}

/// Returns the value of an argument in the first line of a block: `:exports none`.
fn header<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let mut words = text.split_whitespace().skip_while(|word| word.strip_prefix(':') != Some(name));
    words.next()?;
    words.next()
}

/// Returns the part of a file below a headline, `*Title` or `#custom-id`; the whole file without
/// one.
fn part<'a, 'l>(lines: &'l [&'a str], place: &str, states: &[String]) -> &'l [&'a str] {
    let is_start = |at: usize, headline: &Headline<'_>| match place.strip_prefix('#') {
        Some(id) => properties(&lines[at + 1..]).1.as_deref() == Some(id),
        None => place.strip_prefix('*').is_some_and(|title| title.trim() == headline.title),
    };
    if place.is_empty() {
        return lines;
    }
    let mut start = None;
    for (at, line) in lines.iter().enumerate() {
        let Some(headline) = Headline::of(line, states) else { continue };
        match start {
            None if is_start(at, &headline) => start = Some((at, headline.level)),
            Some((start, level)) if headline.level <= level => return &lines[start..at],
            _ => {}
        }
    }
    start.map_or(lines, |(start, _)| &lines[start..])
}

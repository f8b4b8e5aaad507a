//! Blocks of reStructuredText, in the order in which docutils tries them.

use super::super::Options;
use super::super::includes::Includes;
use super::super::left_out::Rule;
use super::super::outline::Outline;
use super::directives::Directive;
use super::inline::{Context, is_footnote, is_label};
use super::lines::{
    adornment, bullet, dedent, enumerator, field, indent, indented_len, is_blank, options,
    paragraph_len, underlines, without_indent,
};
use super::objects::Objects;
use super::tables;

/// Deepest nesting of blocks. Deeper blocks are read as text.
const MAX_DEPTH: usize = 32;

/// State of reading a page.
pub(super) struct Reader {
    pub outline: Outline,
    pub context: Context,
    pub includes: Includes,
    /// The modules that the page describes.
    pub modules: Vec<String>,
    /// Fields at the beginning, and fields of `.. meta::`.
    pub fields: Vec<(String, String)>,
    pub h1: Option<String>,
    pub objects: Objects,
    pub definition_sections: bool,
    /// The adornments of titles in the order of their levels.
    styles: Vec<(char, bool)>,
    /// Whether nothing but the page's title, fields and comments has come so far.
    at_start: bool,
    depth: usize,
    /// Number of files that are being included, one inside the other.
    pub files: Vec<std::path::PathBuf>,
}

impl Reader {
    pub fn new(includes: Includes, options: &Options) -> Self {
        Self {
            outline: Outline::new(),
            context: Context::new(super::trace(options)),
            includes,
            fields: Vec::new(),
            modules: Vec::new(),
            h1: None,
            objects: Objects::default(),
            definition_sections: options.definition_sections,
            styles: Vec::new(),
            at_start: true,
            depth: 0,
            files: Vec::new(),
        }
    }

    /// Finds substitutions and labels, which may be used before they are defined.
    pub fn define(&mut self, lines: &[&str]) {
        let mut labels: Vec<&str> = Vec::new();
        for (at, line) in lines.iter().enumerate() {
            let line = line.trim_start();
            if let Some(label) = line.strip_prefix(".. _").and_then(|rest| rest.strip_suffix(':')) {
                labels.push(label.trim_matches('`'));
            } else if let Some(rest) = line.strip_prefix(".. |") {
                if let Some((name, replacement)) = rest.split_once('|') {
                    let indented = indented_len(&lines[at + 1..], indent(lines[at]) + 1);
                    let more = &lines[at + 1..at + 1 + indented];
                    self.define_substitution(name, replacement, more);
                }
            } else if !labels.is_empty() && !is_blank(line) && adornment(line).is_none() {
                if lines.get(at + 1).is_some_and(|next| underlines(next, line)) {
                    for label in labels.drain(..) {
                        self.context.labels.insert(label.to_lowercase(), line.to_owned());
                    }
                }
                labels.clear();
            }
        }
    }

    fn define_substitution(&mut self, name: &str, directive: &str, more: &[&str]) {
        let Some((kind, text)) = directive.trim().split_once("::") else { return };
        let text = match kind {
            "replace" => {
                let more = more.iter().map(|line| line.trim());
                std::iter::once(text.trim()).chain(more).collect::<Vec<_>>().join(" ")
            }
            "image" => more
                .iter()
                .find_map(|line| line.trim().strip_prefix(":alt:"))
                .unwrap_or_default()
                .trim()
                .to_owned(),
            "unicode" => unicode(text),
            _ => return,
        };
        self.context.substitutions.insert(name.to_owned(), text);
    }

    /// Reads lines as blocks.
    pub fn read(&mut self, lines: &[&str]) {
        if self.depth >= MAX_DEPTH {
            for line in lines {
                self.context.write(line, self.outline.text());
                self.outline.text().space();
            }
            self.outline.end_block();
            return;
        }
        self.depth += 1;
        let mut at = 0;
        while at < lines.len() {
            if is_blank(lines[at]) {
                at += 1;
                continue;
            }
            at += self.block(&lines[at..]).max(1);
        }
        self.outline.end_block();
        self.depth -= 1;
    }

    /// Reads lines that share an indentation as blocks.
    pub fn read_indented(&mut self, lines: &[&str]) {
        let lines = dedent(lines);
        self.read(&lines);
    }

    /// Reads the block at the beginning. Returns the number of its lines.
    fn block(&mut self, lines: &[&str]) -> usize {
        let line = lines[0];
        if indent(line) > 0 {
            let len = indented_len(lines, 1);
            self.at_start = false;
            self.read_indented(&lines[..len]);
            return len;
        }
        if line == ".." || line.starts_with(".. ") {
            return self.explicit(lines);
        }
        if line == "__" || line.starts_with("__ ") {
            return paragraph_len(lines);
        }
        if let Some((name, at)) = field(line) {
            return self.field(lines, name, at);
        }
        let used = self.title(lines);
        if used > 0 {
            return used;
        }
        self.at_start = false;
        if let Some(at) = bullet(line) {
            return self.item(lines, at);
        }
        if let Some(at) = enumerator(line)
            && lines
                .get(1)
                .is_none_or(|next| is_blank(next) || indent(next) > 0 || enumerator(next).is_some())
        {
            return self.item(lines, at);
        }
        if let Some((names, at)) = options(line) {
            return self.option(lines, names, at);
        }
        if line.starts_with(">>> ") || line == ">>>" {
            let len = paragraph_len(lines);
            self.code(&lines[..len]);
            return len;
        }
        if line == "|" || line.starts_with("| ") {
            return self.line_block(lines);
        }
        if tables::is_grid(line) {
            return self.grid(lines);
        }
        if tables::is_simple(line) {
            return self.simple_table(lines);
        }
        self.text(lines)
    }

    /// Reads a section's title, or a transition between paragraphs. Returns the number of its
    /// lines, or 0 if there is neither.
    fn title(&mut self, lines: &[&str]) -> usize {
        let line = lines[0];
        let next = lines.get(1).copied().unwrap_or_default();
        if let Some(mark) = adornment(line) {
            let title = next.trim();
            if lines.get(2).copied() == Some(line) && !title.is_empty() && underlines(line, title) {
                self.section((mark, true), title);
                return 3;
            }
            if line.len() >= 4 && is_blank(next) {
                self.outline.end_block();
                return 1;
            }
            return 0;
        }
        match adornment(next).filter(|_| next != "::" && underlines(next, line)) {
            Some(mark) if !tables::is_simple(line) => {
                self.section((mark, false), line);
                2
            }
            _ => 0,
        }
    }

    fn section(&mut self, style: (char, bool), title: &str) {
        let known = self.styles.iter().position(|known| *known == style);
        let level = known.unwrap_or_else(|| {
            self.styles.push(style);
            self.styles.len() - 1
        });
        let title = self.context.plain(title);
        let anchor = self.context.ids.named(&title);
        if level == 0 && self.h1.is_none() {
            self.h1 = Some(title.clone());
        } else {
            self.at_start = false;
        }
        let level = u8::try_from(level + 1).unwrap_or(u8::MAX);
        self.outline.heading(level, title, Some(anchor));
    }

    /// Reads a paragraph, a definition list, or code after `::`.
    fn text(&mut self, lines: &[&str]) -> usize {
        let line = lines[0];
        let has_definition = lines.get(1).is_some_and(|next| indent(next) > 0 && !is_blank(next));
        if has_definition && !line.ends_with("::") {
            self.write_line(line);
            let len = indented_len(&lines[1..], 1);
            self.read_indented(&lines[1..=len]);
            return len + 1;
        }
        let mut len = paragraph_len(lines);
        if let Some(indented) = lines[..len].iter().position(|line| indent(line) > 0) {
            len = indented.max(1);
        }
        let paragraph = lines[..len].join("\n");
        let Some(front) = paragraph.strip_suffix("::") else {
            self.write_line(&paragraph);
            return len;
        };
        let ends = front.is_empty() || front.ends_with(char::is_whitespace);
        self.write_line(if ends { front.trim_end() } else { &paragraph[..paragraph.len() - 1] });
        len + self.literal(&lines[len..])
    }

    /// Reads code after `::`: lines that are indented, or that begin with the same mark.
    fn literal(&mut self, lines: &[&str]) -> usize {
        let Some(start) = lines.iter().position(|line| !is_blank(line)) else { return 0 };
        let first = lines[start];
        let len = if indent(first) > 0 {
            indented_len(&lines[start..], 1)
        } else {
            let Some(mark) = first.chars().next().filter(char::is_ascii_punctuation) else {
                return 0;
            };
            lines[start..].iter().take_while(|line| line.starts_with(mark)).count()
        };
        self.code(&lines[start..start + len]);
        start + len
    }

    /// Writes text as a block, after the name of a field if one precedes it.
    pub fn write_line(&mut self, text: &str) {
        self.context.write(text, self.outline.text());
        self.outline.end_block();
    }

    /// Writes lines as a block of code.
    pub fn code(&mut self, lines: &[&str]) {
        self.outline.code_block(&lines.join("\n"));
    }

    /// Reads an item of a list, whose content begins at a column. Returns the number of its lines.
    fn item(&mut self, lines: &[&str], at: usize) -> usize {
        let n = indented_len(&lines[1..], if at < lines[0].len() { at.min(2) } else { 1 });
        let mut content = vec![&lines[0][at..]];
        content.extend(lines[1..=n].iter().map(|line| without_indent(line, at)));
        self.read(&content);
        n + 1
    }

    fn option(&mut self, lines: &[&str], names: &str, at: usize) -> usize {
        let n = indented_len(&lines[1..], 1);
        self.outline.end_block();
        let text = self.outline.text();
        text.start_code();
        text.push(names);
        text.end_code();
        text.space();
        self.read(&body(&lines[0][at..], &lines[1..=n]));
        n + 1
    }

    fn field(&mut self, lines: &[&str], name: &str, at: usize) -> usize {
        let n = indented_len(&lines[1..], 1);
        let content = body(&lines[0][at..], &lines[1..=n]);
        if self.at_start && self.depth == 1 {
            let text = self.context.plain(&content.join("\n"));
            self.fields.push((name.to_owned(), text));
            return n + 1;
        }
        self.outline.end_block();
        let shown = match name.split_once(' ') {
            Some(("param" | "parameter" | "arg" | "argument" | "key" | "keyword", name)) => {
                name.rsplit(' ').next().unwrap_or(name)
            }
            Some(("raises" | "raise" | "except" | "exception" | "var" | "ivar" | "cvar", name)) => {
                name
            }
            _ => name,
        };
        self.context.write(shown, self.outline.text());
        self.outline.text().push(": ");
        self.read(&content);
        n + 1
    }

    fn line_block(&mut self, lines: &[&str]) -> usize {
        let len = paragraph_len(lines);
        let text: Vec<&str> =
            lines[..len].iter().map(|line| line.strip_prefix('|').unwrap_or(line).trim()).collect();
        self.write_line(&text.join("\n"));
        len
    }

    fn grid(&mut self, lines: &[&str]) -> usize {
        let len = lines.iter().take_while(|line| line.starts_with(['+', '|'])).count();
        for row in tables::grid_rows(&lines[..len]) {
            self.row(&row);
        }
        len
    }

    fn simple_table(&mut self, lines: &[&str]) -> usize {
        let len = tables::simple_len(lines);
        for row in tables::simple_rows(&lines[..len]) {
            self.row(&row);
        }
        len
    }

    /// Writes a row of a table as a block.
    pub fn row(&mut self, cells: &[String]) {
        self.outline.end_block();
        for cell in cells {
            self.outline.text().separate("|");
            self.context.write(cell, self.outline.text());
            self.outline.text().space();
        }
        self.outline.end_block();
    }

    /// Reads a block that begins with `..`: footnotes, targets, substitutions, directives,
    /// comments.
    fn explicit(&mut self, lines: &[&str]) -> usize {
        let first = lines[0].strip_prefix("..").unwrap_or_default().trim_start();
        // Two dots alone end a block before a quotation.
        if first.is_empty() && lines.get(1).is_none_or(|next| is_blank(next)) {
            return 1;
        }
        let n = indented_len(&lines[1..], 1);
        let more = &lines[1..=n];
        if let Some((label, text)) = first
            .strip_prefix('[')
            .and_then(|rest| rest.split_once(']'))
            .filter(|(label, _)| is_label(label))
        {
            if is_footnote(label) {
                self.context.ids.numbered();
            } else {
                self.context.ids.named(label);
                self.context.write(label, self.outline.text());
                self.outline.text().space();
            }
            self.read(&body(text.trim_start(), more));
        } else if let Some(target) = first.strip_prefix('_') {
            let name = target.split(": ").next().unwrap_or_default().trim_end_matches(':');
            self.context.ids.named(name.trim_matches('`'));
        } else if first.starts_with("__") || first.starts_with('|') {
            // An anonymous target, or a substitution, which `define` has read.
        } else if let Some(directive) = Directive::of(first, more) {
            if !matches!(directive.name, "meta" | "title" | "role" | "default-role" | "highlight") {
                self.at_start &= directive.name == "module";
            }
            self.directive(&directive);
        } else {
            self.context.trace.note(Rule::Comment, || {
                (String::new(), std::iter::once(first).chain(more.iter().copied()).collect())
            });
        }
        n + 1
    }
}

/// Returns the text of an item: the text after its mark, and the lines below it without their
/// indentation.
fn body<'a>(first: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let mut body = vec![first];
    if more.first().is_some_and(|line| is_blank(line)) {
        body.push("");
    }
    body.extend(dedent(more));
    body
}

/// Returns characters by their numbers: `0xA9 U+2014 text`.
fn unicode(codes: &str) -> String {
    let codes = codes.split(" .. ").next().unwrap_or_default();
    codes
        .split_whitespace()
        .filter(|code| !code.starts_with(':'))
        .map(|code| {
            let digits = ["0x", "U+", "u+", "\\u", "&#x"].iter().find_map(|mark| {
                code.strip_prefix(mark).map(|digits| digits.trim_end_matches(';'))
            });
            digits
                .and_then(|digits| u32::from_str_radix(digits, 16).ok())
                .and_then(char::from_u32)
                .map_or_else(|| code.to_owned(), String::from)
        })
        .collect()
}

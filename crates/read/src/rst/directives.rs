//! Directives: blocks that begin with `.. name::`.

use super::super::html;
use super::super::left_out::Rule;
use super::super::outline::{Outline, fold};
use super::blocks::Reader;
use super::ids::of_object;
use super::inline::unescaped;
use super::lines::{
    bullet, dedent, field, indent, indented_len, is_blank, trim_blank, without_indent,
};
use super::tables;

/// Deepest nesting of included files.
const MAX_INCLUDES: usize = 8;

/// A directive with its parts.
pub(super) struct Directive<'a> {
    /// The name without its domain.
    pub name: &'a str,
    domain: Option<&'a str>,
    /// The lines up to the options or the first blank line.
    argument: Vec<&'a str>,
    options: Vec<(&'a str, String)>,
    content: Vec<&'a str>,
    /// Whether a blank line or options are between argument and content.
    is_apart: bool,
}

impl<'a> Directive<'a> {
    /// Returns the directive of an explicit block; `None` if it is a comment.
    pub fn of(first: &'a str, more: &[&'a str]) -> Option<Self> {
        let (name, rest) = first.split_once("::")?;
        let name = name.trim_end();
        let is_name = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | ':' | '+' | '.');
        if name.is_empty()
            || !name.chars().all(is_name)
            || !rest.is_empty() && !rest.starts_with(' ')
        {
            return None;
        }
        let (domain, name) = match name.rsplit_once(':') {
            Some((domain, name)) => (Some(domain), name),
            None => (None, name),
        };
        let has_gap = more.first().is_none_or(|line| is_blank(line));
        let lines = dedent(more);
        let rest = rest.trim();
        let mut directive = Self {
            name,
            domain,
            argument: if rest.is_empty() { Vec::new() } else { vec![rest] },
            options: Vec::new(),
            content: Vec::new(),
            is_apart: false,
        };
        let mut at = 0;
        if !has_gap {
            while at < lines.len() && !is_blank(lines[at]) && field(lines[at]).is_none() {
                directive.argument.push(lines[at]);
                at += 1;
            }
            while at < lines.len() && !is_blank(lines[at]) {
                let Some((name, start)) = field(lines[at]) else { break };
                let n = lines[at + 1..].iter().take_while(|line| indent(line) > 0).count();
                let mut value = lines[at][start..].to_owned();
                for line in &lines[at + 1..=at + n] {
                    value.push(' ');
                    value.push_str(line.trim());
                }
                directive.options.push((name, value));
                at += n + 1;
            }
        }
        directive.is_apart = has_gap || at < lines.len();
        directive.content = trim_blank(&lines[at..]).to_vec();
        Some(directive)
    }

    fn option(&self, name: &str) -> Option<&str> {
        self.options.iter().find(|(known, _)| *known == name).map(|(_, value)| value.as_str())
    }

    fn argument(&self) -> String {
        self.argument.join(" ")
    }

    /// Returns everything except the options: the text of a note.
    fn body(&self) -> Vec<&'a str> {
        let mut body = self.argument.clone();
        if self.is_apart {
            body.push("");
        }
        body.extend(&self.content);
        body
    }

    /// Returns the content of a block without arguments.
    fn content_alone(&self) -> Vec<&'a str> {
        if self.argument.is_empty() { self.content.clone() } else { self.body() }
    }
}

impl Reader {
    /// Reads a directive.
    pub fn directive(&mut self, directive: &Directive<'_>) {
        match directive.name {
            "note" | "warning" | "tip" | "important" | "caution" | "danger" | "attention"
            | "hint" | "error" | "seealso" | "compound" | "epigraph" | "highlights"
            | "pull-quote" | "impl-detail" | "line-block" | "centered" | "hlist"
            | "availability" | "audit-event-table" => self.read(&directive.body()),
            "versionadded" | "versionchanged" | "deprecated" | "versionremoved"
            | "deprecated-removed" => self.version(directive),
            "only" | "ifconfig" | "container" | "rst-class" | "cssclass" | "tabs" | "tab-set"
            | "grid" | "compact" => self.read(&directive.content),
            "code-block" | "code" | "sourcecode" | "highlight-code" => {
                self.caption(directive);
                self.code(&directive.content);
            }
            "parsed-literal" => {
                let text: Vec<String> =
                    directive.content_alone().iter().map(|line| unescaped(line)).collect();
                self.outline.code_block(&text.join("\n"));
            }
            "doctest" | "testcode" | "testoutput" | "productionlist" | "prompt" | "plot"
            | "ipython" | "jupyter-execute" | "console" | "terminal" | "math"
            | "command-output" => {
                self.code(&directive.content_alone());
            }
            "toctree" => {
                let entries = directive.content.join(" ");
                self.context.trace.note(Rule::Navigation, || ("toctree".to_owned(), entries));
            }
            "todo" | "testsetup" | "testcleanup" | "graphviz" | "digraph" | "graph" | "mermaid"
            | "uml" | "raw"
                if directive.argument() != "html" =>
            {
                let text = directive.body().join(" ");
                let name = directive.name.to_owned();
                self.context.trace.note(Rule::NotText, || (name, text));
            }
            "raw" => self.raw(directive),
            "contents" | "sectnum" | "index" | "highlight" | "tabularcolumns" | "role"
            | "default-role" | "default-domain" | "header" | "footer" | "target-notes"
            | "codeauthor" | "sectionauthor" | "moduleauthor" | "currentclass" => {}
            "title" => self.fields.push(("title".to_owned(), directive.argument())),
            "meta" => self.meta(directive),
            "currentmodule" => {
                self.objects.module = match directive.argument().as_str() {
                    "None" => String::new(),
                    name => name.to_owned(),
                };
                self.read(&directive.content);
            }
            "module" => self.module(directive),
            "program" => {
                let name = directive.argument();
                let name = name.split_whitespace().collect::<Vec<_>>().join("-");
                self.objects.program = (name != "None" && !name.is_empty()).then_some(name);
            }
            "image" | "figure" => self.image(directive),
            "csv-table" | "list-table" | "table" | "flat-table" => self.table(directive),
            "include" | "literalinclude" => self.include(directive),
            "glossary" => self.glossary(&directive.content_alone()),
            _ => self.other(directive),
        }
    }

    /// Reads an object, or an unknown directive: its title and its content.
    fn other(&mut self, directive: &Directive<'_>) {
        if directive.domain == Some("cpp")
            && self.objects.namespace(directive.name, &directive.argument())
        {
            return;
        }
        let signatures: Vec<String> =
            directive.argument.iter().map(|line| fold(&unescaped(line))).collect();
        let signatures: Vec<String> =
            signatures.into_iter().filter(|signature| !signature.is_empty()).collect();
        let module = directive.option("module");
        let object = signatures.first().and_then(|signature| {
            self.objects.object(directive.domain, directive.name, signature, module)
        });
        let Some(object) = object else {
            let argument = directive.argument();
            let is_title = !argument.contains('/') && argument.contains(char::is_alphabetic);
            if is_title && !directive.content.is_empty() {
                self.write_line(&argument);
            }
            self.read(&directive.content);
            return;
        };
        let anchor = object.anchor.filter(|_| self.definition_sections);
        let is_section = anchor.is_some();
        if let Some(anchor) = anchor {
            self.outline.enter_definition(object.heading, anchor);
        } else {
            self.outline.line(object.heading.clone(), vec![(0, object.heading.len() as u32)]);
        }
        for more in &signatures[1..] {
            self.outline.line(more.clone(), vec![(0, more.len() as u32)]);
        }
        let is_class = object.class.is_some();
        self.objects.classes.extend(object.class);
        let around = object.cpp.map(|scope| std::mem::replace(&mut self.objects.cpp, scope));
        self.read(&directive.content);
        if let Some(around) = around {
            self.objects.cpp = around;
        }
        if is_class {
            self.objects.classes.pop();
        }
        if is_section {
            self.outline.leave_definition();
        }
    }

    /// Reads a module of Python. The objects below belong to the module, and its name also finds
    /// the page. If the module is the first thing below a title, the section gets its anchor
    /// (Sphinx, `MoveModuleTargets`).
    fn module(&mut self, directive: &Directive<'_>) {
        let name = directive.argument();
        self.objects.module.clone_from(&name);
        if !name.is_empty() {
            self.outline.anchor_of_empty(format!("module-{name}"));
            self.modules.push(name);
        }
        self.read(&directive.content);
    }

    fn version(&mut self, directive: &Directive<'_>) {
        let argument = directive.argument();
        let (version, text) = argument.split_once(' ').unwrap_or((&argument, ""));
        let label = match directive.name {
            "versionadded" => "New in version",
            "versionchanged" => "Changed in version",
            "versionremoved" => "Removed in version",
            _ => "Deprecated since version",
        };
        let mark = if text.is_empty() && directive.content.is_empty() { "" } else { ":" };
        self.outline.end_block();
        self.outline.text().push(&format!("{label} {version}{mark} "));
        self.context.write(text, self.outline.text());
        self.outline.text().space();
        if !text.is_empty() {
            self.outline.end_block();
        }
        self.read(&directive.content);
        self.outline.end_block();
    }

    fn caption(&mut self, directive: &Directive<'_>) {
        if let Some(caption) = directive.option("caption").filter(|caption| !caption.is_empty()) {
            self.write_line(caption);
        }
    }

    fn raw(&mut self, directive: &Directive<'_>) {
        let outline = std::mem::replace(&mut self.outline, Outline::new());
        let markup = directive.content.join("\n");
        let fragment = html::read_fragment(&markup, outline, self.context.trace.is_on());
        self.outline = fragment.outline;
        self.context.trace.extend(fragment.left_out);
    }

    fn meta(&mut self, directive: &Directive<'_>) {
        let lines = directive.content_alone();
        let fields = directive.options.iter().map(|(name, value)| (*name, value.as_str()));
        let more =
            lines.iter().filter_map(|line| field(line).map(|(name, at)| (name, &line[at..])));
        for (name, value) in fields.chain(more) {
            self.fields.push((name.to_owned(), value.to_owned()));
        }
    }

    fn image(&mut self, directive: &Directive<'_>) {
        if let Some(alt) = directive.option("alt") {
            self.write_line(alt);
        }
        self.read(&directive.content);
    }

    fn table(&mut self, directive: &Directive<'_>) {
        let title = directive.argument();
        if !title.is_empty() {
            self.write_line(&title);
        }
        match directive.name {
            "csv-table" => {
                let delimiter = match directive.option("delim") {
                    Some("tab") => b'\t',
                    Some("space") => b' ',
                    Some(delimiter) => delimiter.bytes().next().unwrap_or(b','),
                    None => b',',
                };
                let file = directive.option("file").and_then(|target| self.text_of(target));
                let head = directive.option("header").unwrap_or_default().to_owned();
                let text = file.unwrap_or_else(|| directive.content.join("\n"));
                for text in [head, text] {
                    for row in tables::csv_rows(&text, delimiter) {
                        self.row(&row);
                    }
                }
            }
            "list-table" | "flat-table" => {
                for row in list_rows(&directive.content) {
                    self.row(&row);
                }
            }
            _ => self.read(&directive.content),
        }
    }

    /// Returns the text of a file that the page includes.
    fn text_of(&mut self, target: &str) -> Option<String> {
        // `<isonum.txt>` are files that come with docutils.
        if target.is_empty() || target.starts_with('<') {
            return None;
        }
        let from = self.files.last().cloned();
        self.includes.open(from.as_deref(), target).ok().map(|(_, text)| text)
    }

    fn include(&mut self, directive: &Directive<'_>) {
        let target = directive.argument();
        if target.is_empty() || target.starts_with('<') || self.files.len() >= MAX_INCLUDES {
            return;
        }
        let from = self.files.last().cloned();
        let Ok((path, text)) = self.includes.open(from.as_deref(), &target) else { return };
        if self.files.contains(&path) {
            return;
        }
        let text = super::lines::expanded(&part_of(&text, directive));
        let lines: Vec<&str> = text.lines().collect();
        let is_code = directive.name == "literalinclude"
            || directive.option("literal").is_some()
            || directive.option("code").is_some();
        if is_code {
            self.caption(directive);
            self.code(&lines);
            return;
        }
        self.files.push(path);
        self.define(&lines);
        self.read(&lines);
        self.files.pop();
    }

    /// Reads terms, each with its definition.
    fn glossary(&mut self, lines: &[&str]) {
        let mut at = 0;
        let mut terms: Vec<&str> = Vec::new();
        while at < lines.len() {
            if is_blank(lines[at]) {
                at += 1;
                continue;
            }
            if indent(lines[at]) == 0 {
                if !lines[at].starts_with(".. ") {
                    terms.push(lines[at].split(" : ").next().unwrap_or(lines[at]));
                }
                at += 1;
                continue;
            }
            let n = indented_len(&lines[at..], 1);
            let names: Vec<String> = terms.drain(..).map(|term| self.context.plain(term)).collect();
            if let Some(first) =
                names.first().filter(|name| self.definition_sections && !name.is_empty())
            {
                self.outline.enter_definition(names.join(", "), of_object("term", first));
                self.read_indented(&lines[at..at + n]);
                self.outline.leave_definition();
            } else {
                self.write_line(&names.join(", "));
                self.read_indented(&lines[at..at + n]);
            }
            at += n;
        }
        for term in terms {
            self.write_line(term);
        }
    }
}

/// Returns the part of a file that a directive includes.
fn part_of(text: &str, directive: &Directive<'_>) -> String {
    let number = |name| directive.option(name).and_then(|n| n.trim().parse::<usize>().ok());
    let mut text = text;
    if let Some(mark) = directive.option("start-after").filter(|mark| !mark.is_empty())
        && let Some(at) = text.find(mark)
    {
        text = &text[at + mark.len()..];
        if directive.name == "literalinclude" {
            text = text.split_once('\n').map_or("", |(_, rest)| rest);
        }
    }
    if let Some(mark) = directive.option("end-before").filter(|mark| !mark.is_empty())
        && let Some(at) = text.find(mark)
    {
        text = &text[..at];
        if directive.name == "literalinclude" {
            text = &text[..text.rfind('\n').map_or(0, |end| end + 1)];
        }
    }
    let (start, end) = (number("start-line").unwrap_or(0), number("end-line"));
    let wanted = directive.option("lines").filter(|_| directive.name == "literalinclude");
    let mut part = String::new();
    for (at, line) in text.lines().enumerate() {
        let is_in = at >= start
            && end.is_none_or(|end| at < end)
            && wanted.is_none_or(|ranges| is_in_ranges(at + 1, ranges));
        if is_in {
            part.push_str(line);
            part.push('\n');
        }
    }
    part
}

/// Returns whether a line is in ranges such as `1-3,5,7-`.
fn is_in_ranges(line: usize, ranges: &str) -> bool {
    ranges.split(',').any(|range| {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let first = first.trim().parse().unwrap_or(1);
        first <= line && last.trim().parse().map_or(last.trim().is_empty(), |last| line <= last)
    })
}

/// Returns the rows of a table that is written as a list of lists.
fn list_rows(lines: &[&str]) -> Vec<Vec<String>> {
    let mut rows = Vec::new();
    for row in items(lines) {
        let cells = items(&row).into_iter();
        rows.push(cells.map(|cell| cell.join("\n").trim().to_owned()).collect());
    }
    rows
}

/// Returns the items of a list, each as its lines.
fn items<'a>(lines: &[&'a str]) -> Vec<Vec<&'a str>> {
    let mut items: Vec<Vec<&str>> = Vec::new();
    let mut start = 0;
    for line in lines {
        match bullet(line) {
            Some(at) => {
                start = at;
                items.push(vec![&line[at..]]);
            }
            None => {
                if let Some(item) = items.last_mut() {
                    item.push(without_indent(line, start));
                }
            }
        }
    }
    items
}

//! Reads the events of the Markdown parser: text becomes blocks, headings become sections.

use pulldown_cmark::{CodeBlockKind, Event, Options as Extensions, Parser, Tag, TagEnd};

use super::super::html;
use super::super::left_out::{LeftOut, Rule, Trace};
use super::super::outline::{Folded, Outline};
use super::inline_html::{InlineHtml, anchor_of, has_text};
use super::slug::Slugs;
use crate::page::Section;

/// Deepest nesting of Markdown inside code blocks.
const MAX_DEPTH: usize = 6;

/// Info string for indented code blocks, which have none.
const INDENTED: &str = "\0indented";

/// State of reading a body.
pub(super) struct Reader {
    outline: Outline,
    slugs: Slugs,
    h1: Option<String>,
    trace: Trace,
    /// The anchor of an `<a id>` or `<a name>` just passed.
    loose_anchor: Option<String>,
    is_mdx: bool,
    /// The open heading.
    heading: Option<Heading>,
    inline: InlineHtml,
}

/// The result of reading.
pub(super) struct Reading {
    pub sections: Vec<Section>,
    pub h1: Option<String>,
    pub left_out: Vec<LeftOut>,
}

/// An open heading.
struct Heading {
    text: Folded,
    id: Option<String>,
}

impl Reader {
    pub fn new(is_mdx: bool, trace: Trace) -> Self {
        Self {
            outline: Outline::new(),
            slugs: Slugs::default(),
            h1: None,
            trace,
            loose_anchor: None,
            is_mdx,
            heading: None,
            inline: InlineHtml::default(),
        }
    }

    pub fn finish(self) -> Reading {
        Reading { sections: self.outline.finish(), h1: self.h1, left_out: self.trace.finish() }
    }

    /// Reads a body, or Markdown inside a body.
    pub fn read(&mut self, body: &str, depth: usize) {
        let extensions = Extensions::ENABLE_TABLES
            | Extensions::ENABLE_FOOTNOTES
            | Extensions::ENABLE_STRIKETHROUGH
            | Extensions::ENABLE_TASKLISTS
            | Extensions::ENABLE_HEADING_ATTRIBUTES
            | Extensions::ENABLE_GFM
            | Extensions::ENABLE_DEFINITION_LIST;
        let mut code: Option<(String, String)> = None;
        let mut markup: Option<String> = None;
        for event in Parser::new_ext(body, extensions) {
            match event {
                Event::Start(Tag::CodeBlock(kind)) => {
                    let info = match kind {
                        CodeBlockKind::Fenced(info) => info.to_string(),
                        CodeBlockKind::Indented => INDENTED.to_owned(),
                    };
                    code = Some((info, String::new()));
                }
                Event::End(TagEnd::CodeBlock) => {
                    if let Some((info, text)) = code.take() {
                        self.end_code(&info, &text, depth);
                    }
                }
                Event::Start(Tag::HtmlBlock) => markup = Some(String::new()),
                Event::End(TagEnd::HtmlBlock) => {
                    if let Some(markup) = markup.take() {
                        self.end_markup(&markup);
                    }
                }
                Event::Html(text) => match &mut markup {
                    Some(markup) => markup.push_str(&text),
                    None => self.end_markup(&text),
                },
                Event::Text(text) if code.is_some() => {
                    if let Some((_, code)) = &mut code {
                        code.push_str(&text);
                    }
                }
                Event::Text(text) if markup.is_some() => {
                    if let Some(markup) = &mut markup {
                        markup.push_str(&text);
                    }
                }
                event => self.event(event),
            }
        }
        self.outline.end_block();
    }

    fn sink(&mut self) -> &mut Folded {
        match &mut self.heading {
            Some(heading) => &mut heading.text,
            None => self.outline.text(),
        }
    }

    /// Reads an event that is neither code nor a block of HTML.
    fn event(&mut self, event: Event) {
        match event {
            Event::Start(Tag::Heading { id, .. }) => {
                self.outline.end_block();
                self.inline = InlineHtml::default();
                self.heading =
                    Some(Heading { text: Folded::default(), id: id.map(|id| id.to_string()) });
            }
            Event::End(TagEnd::Heading(level)) => {
                if let Some(heading) = self.heading.take() {
                    self.end_heading(level as u8, heading);
                }
            }
            Event::InlineHtml(tag) => self.tag(&tag),
            Event::Text(text) => self.text(&text, false),
            Event::Code(text) => self.text(&text, true),
            Event::SoftBreak | Event::HardBreak => self.sink().space(),
            Event::Start(Tag::TableCell) => self.outline.text().separate("|"),
            Event::End(TagEnd::TableCell) => self.outline.text().space(),
            Event::Start(Tag::Image { .. }) | Event::End(TagEnd::Image) => self.sink().space(),
            Event::Start(Tag::Superscript) => self.sink().start_raised(),
            Event::Start(tag) if is_inline(&tag.to_end()) => {}
            Event::End(tag) if is_inline(&tag) => {}
            Event::Start(_) | Event::End(_) | Event::Rule => {
                // An element that was not closed does not continue in the next block.
                self.inline = InlineHtml::default();
                self.outline.end_block();
            }
            Event::InlineMath(text) | Event::DisplayMath(text) => self.text(&text, false),
            Event::FootnoteReference(label) => {
                self.trace.note(Rule::ReferenceMark, || (String::new(), format!("[^{label}]")));
            }
            Event::TaskListMarker(_) | Event::Html(_) => {}
        }
    }

    fn text(&mut self, text: &str, is_code: bool) {
        if self.inline.is_skipping() {
            return;
        }
        if self.heading.is_none() && !text.trim().is_empty() {
            self.loose_anchor = None;
        }
        let sink = self.sink();
        if is_code {
            sink.start_code();
        }
        sink.push(text);
        if is_code {
            sink.end_code();
        }
    }

    fn tag(&mut self, tag: &str) {
        let in_heading = self.heading.is_some();
        let sink = match &mut self.heading {
            Some(heading) => &mut heading.text,
            None => self.outline.text(),
        };
        let Some(anchor) = self.inline.tag(tag, in_heading, sink, &mut self.trace) else { return };
        match &mut self.heading {
            Some(heading) => heading.id = heading.id.take().or(Some(anchor)),
            None => self.loose_anchor = Some(anchor),
        }
    }

    fn end_heading(&mut self, level: u8, mut heading: Heading) {
        self.inline = InlineHtml::default();
        let (text, _) = heading.text.take();
        let loose = self.loose_anchor.take();
        let anchor = match heading.id.or(loose).filter(|id| !id.is_empty()) {
            Some(id) => self.slugs.taken(id),
            None => self.slugs.make(&text),
        };
        if level == 1 && self.h1.is_none() && !text.is_empty() {
            self.h1 = Some(text.clone());
        }
        self.outline.heading(level, text, Some(anchor).filter(|anchor| !anchor.is_empty()));
    }

    fn end_code(&mut self, info: &str, text: &str, depth: usize) {
        self.loose_anchor = None;
        if info == INDENTED && self.is_mdx && depth < MAX_DEPTH {
            // MDX has no indented code: this is the indented content of a component.
            self.read(text, depth + 1);
            return;
        }
        if let Some(directive) = directive(info).filter(|_| depth < MAX_DEPTH) {
            self.outline.end_block();
            self.outline.text().push(directive.title);
            self.read(options_removed(text), depth + 1);
            return;
        }
        self.outline.code_block(&shown_code(info, text));
    }

    fn end_markup(&mut self, markup: &str) {
        if let Some(anchor) = anchor_of(markup) {
            self.loose_anchor = Some(anchor);
        }
        if !has_text(markup) {
            return;
        }
        self.outline.end_block();
        let outline = std::mem::replace(&mut self.outline, Outline::new());
        let fragment = html::read_fragment(markup, outline, self.trace.is_on());
        self.outline = fragment.outline;
        self.h1 = self.h1.take().or(fragment.h1);
        self.trace.extend(fragment.left_out);
    }
}

fn is_inline(tag: &TagEnd) -> bool {
    matches!(
        tag,
        TagEnd::Emphasis
            | TagEnd::Strong
            | TagEnd::Strikethrough
            | TagEnd::Link
            | TagEnd::Superscript
            | TagEnd::Subscript
    )
}

/// A directive of MyST whose content is Markdown: ```` ```{note} Title ````.
struct Directive<'a> {
    title: &'a str,
}

fn directive(info: &str) -> Option<Directive<'_>> {
    let (name, title) = info.strip_prefix('{')?.split_once('}')?;
    let holds_text = matches!(
        name,
        "note"
            | "tip"
            | "hint"
            | "important"
            | "warning"
            | "caution"
            | "danger"
            | "attention"
            | "error"
            | "admonition"
            | "seealso"
            | "todo"
            | "dropdown"
            | "tab-set"
            | "tab-item"
            | "card"
            | "grid"
            | "grid-item"
            | "grid-item-card"
            | "sidebar"
            | "topic"
            | "versionadded"
            | "versionchanged"
            | "deprecated"
            | "details"
    );
    holds_text.then(|| Directive { title: title.trim() })
}

/// The content of a directive without its options: lines of `:name: value` at its beginning.
fn options_removed(text: &str) -> &str {
    let mut rest = text;
    while let Some((line, after)) = rest.split_once('\n') {
        let is_option = line.strip_prefix(':').is_some_and(|line| line.contains(':'));
        if !is_option {
            break;
        }
        rest = after;
    }
    rest
}

/// Code as the site shows it, without hidden lines of mdBook and without marks of VitePress.
fn shown_code(info: &str, text: &str) -> String {
    let language = info
        .split(|c: char| !(c.is_alphanumeric() || matches!(c, '+' | '#')))
        .next()
        .unwrap_or_default();
    let hides_lines = language == "rust";
    let mut shown = String::with_capacity(text.len());
    for line in text.lines() {
        let trimmed = line.trim();
        if (hides_lines && (trimmed == "#" || trimmed.starts_with("# ")))
            || (trimmed.starts_with("{{#") && trimmed.ends_with("}}"))
        {
            continue;
        }
        let line = match line.find("[!code ") {
            Some(at) => {
                line[..at].trim_end().trim_end_matches(['/', '#', '*', '-', '<', '!']).trim_end()
            }
            None => line,
        };
        shown.push_str(line);
        shown.push('\n');
    }
    shown
}

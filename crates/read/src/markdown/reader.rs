//! The reader of the Markdown parser's events: text becomes blocks, headings become sections.

use pulldown_cmark::{CodeBlockKind, Event, Options as Extensions, Parser, Tag, TagEnd};

use super::super::html;
use super::super::left_out::{LeftOut, Rule, Trace};
use super::super::outline::{Folded, Outline, fold};
use super::directives;
use super::inline_html::{InlineHtml, anchor_of, attribute, has_text};
use super::slug::Slugs;
use findling_page::page::Section;

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
    /// The links of the heading to this page: the range of their text, and the fragment.
    links: Vec<HeadingLink>,
}

/// A link in a heading.
struct HeadingLink {
    start: usize,
    /// `None` while it is open.
    end: Option<usize>,
    fragment: String,
}

impl Heading {
    fn new(id: Option<String>) -> Self {
        Self { text: Folded::default(), id, links: Vec::new() }
    }

    fn open_link(&mut self, address: &str) {
        if let Some(fragment) = address.strip_prefix('#') {
            let (start, fragment) = (self.text.as_str().len(), fragment.to_owned());
            self.links.push(HeadingLink { start, end: None, fragment });
        }
    }

    fn close_link(&mut self) {
        if let Some(link) = self.links.last_mut().filter(|link| link.end.is_none()) {
            link.end = Some(self.text.as_str().len());
        }
    }

    /// Returns the heading's text without links from the heading to itself, and the text of these
    /// links.
    fn take_text(&mut self) -> (String, Option<String>) {
        let (text, _) = self.text.take();
        let slug = |text: &str| -> String {
            text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
        };
        for HeadingLink { start, end, fragment } in self.links.drain(..) {
            let Some(end) = end else { continue };
            let (Some(front), Some(mark), Some(back)) =
                (text.get(..start), text.get(start..end), text.get(end..))
            else {
                continue;
            };
            let rest = fold(&format!("{front} {back}"));
            let leads_here = slug(&rest) == slug(&fragment)
                || self.id.as_ref().is_some_and(|id| *id == fragment);
            if leads_here && !slug(&rest).is_empty() {
                return (rest, Some(mark.trim().to_owned()));
            }
        }
        (text, None)
    }
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
                self.heading = Some(Heading::new(id.map(|id| id.to_string())));
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
            Event::Start(Tag::Link { dest_url, .. }) => {
                if let Some(heading) = &mut self.heading {
                    heading.open_link(&dest_url);
                }
            }
            Event::End(TagEnd::Link) => {
                if let Some(heading) = &mut self.heading {
                    heading.close_link();
                }
            }
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
        let anchor = self.inline.tag(tag, in_heading, sink, &mut self.trace);
        if let Some(heading) = self.heading.as_mut().filter(|_| !self.inline.is_skipping()) {
            if tag.starts_with("<a ")
                && let Some(address) = attribute(tag, "href")
            {
                heading.open_link(&address);
            } else if tag == "</a>" {
                heading.close_link();
            }
        }
        let Some(anchor) = anchor else { return };
        match &mut self.heading {
            Some(heading) => heading.id = heading.id.take().or(Some(anchor)),
            None => self.loose_anchor = Some(anchor),
        }
    }

    fn end_heading(&mut self, level: u8, mut heading: Heading) {
        self.inline = InlineHtml::default();
        let (text, mark) = heading.take_text();
        if let Some(mark) = mark {
            self.trace.note(Rule::HeadingMark, || (String::new(), mark));
        }
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
        if let Some(title) = directives::fenced_title(info).filter(|_| depth < MAX_DEPTH) {
            self.outline.end_block();
            self.outline.text().push(&title);
            self.read(&text[directives::options_len(text)..], depth + 1);
            return;
        }
        if hides_code(info, text) {
            self.trace.note(Rule::HiddenCode, || (String::new(), fold(text)));
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
            | TagEnd::Superscript
            | TagEnd::Subscript
    )
}

/// Returns whether a chunk of Quarto or R Markdown only shows its result.
fn hides_code(info: &str, text: &str) -> bool {
    if !info.starts_with('{') {
        return false;
    }
    let plain: String =
        info.chars().filter(|c| !c.is_whitespace()).flat_map(char::to_lowercase).collect();
    let options = text.lines().map_while(|line| line.trim().strip_prefix("#|"));
    ["echo=false", "include=false", "echo=f,", "include=f,"].iter().any(|no| plain.contains(no))
        || options.filter_map(|option| option.split_once(':')).any(|(name, value)| {
            matches!(name.trim(), "echo" | "include") && value.trim() == "false"
        })
}

/// Returns code as the site shows it, without hidden lines of mdBook and without marks of
/// VitePress.
fn shown_code(info: &str, text: &str) -> String {
    let language = info
        .split(|c: char| !(c.is_alphanumeric() || matches!(c, '+' | '#')))
        .next()
        .unwrap_or_default();
    let hides_lines = language == "rust";
    let mut shown = String::with_capacity(text.len());
    for line in text.lines() {
        let trimmed = line.trim();
        if info.starts_with('{') && trimmed.starts_with("#|") {
            continue;
        }
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

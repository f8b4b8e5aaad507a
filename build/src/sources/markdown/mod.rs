//! Markdown and MDX: front matter, headings with the anchors that site generators give them, text,
//! code.

mod dialects;
mod front_matter;
mod slug;

use findling_engine::BOOST;
use pulldown_cmark::{CodeBlockKind, Event, Options as Extensions, Parser, Tag, TagEnd};

use super::attributes::Raw;
use super::files::{self, File};
use super::html;
use super::outline::{Folded, Outline, fold};
use super::{Options, Outcome, RawPage, Severity};
use slug::Slugs;

/// Deepest nesting of indented MDX content.
const MAX_DEPTH: usize = 6;

/// Reads a page. `Err`: it is left out on purpose, and why.
pub(super) fn read(
    text: &str,
    file: &File,
    options: &Options,
    outcome: &mut Outcome,
) -> Result<RawPage, String> {
    let (front, body) = front_matter::split(text);
    let fields = match front.map(|front| front.parse()) {
        None => serde_json::Map::new(),
        Some(Ok(fields)) => fields,
        Some(Err((line, reason))) => {
            outcome.tell(
                Severity::Warning,
                &file.path,
                line,
                format!("front matter is not understood and left out: {reason}"),
            );
            serde_json::Map::new()
        }
    };
    let mut raw = RawPage::default();
    apply(fields, file, options, &mut raw)?;

    let is_mdx =
        file.path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("mdx"));
    let mut reader = Reader {
        outline: Outline::new(),
        slugs: Slugs::default(),
        h1: None,
        loose_anchor: None,
        is_mdx,
    };
    reader.read(&dialects::plain(body, is_mdx), 0);
    raw.names.h1 = reader.h1;
    raw.page.sections = reader.outline.finish();
    if raw.page.sections.is_empty()
        && raw.names.explicit.is_some()
        && let Some((_, description)) =
            raw.page.meta.iter().find(|(name, _)| name.eq_ignore_ascii_case("description"))
    {
        // A section's front page: what the site shows of it is its description.
        let mut outline = Outline::new();
        outline.text().push(description);
        raw.page.sections = outline.finish();
    }
    Ok(raw)
}

/// Names in front matter that say how to render a page, not what it is about.
const PRESENTATION: [&str; 33] = [
    "audit",
    "bodyclass",
    "body_class",
    "canonical",
    "class",
    "css",
    "cssclass",
    "editurl",
    "editlink",
    "footer",
    "head",
    "hide_table_of_contents",
    "index",
    "js",
    "layout",
    "linktitle",
    "markup",
    "nav_order",
    "navbar",
    "next",
    "outline",
    "pagination_next",
    "pagination_prev",
    "prev",
    "redirect_from",
    "redirects",
    "sidebar",
    "sidebar_label",
    "sidebar_position",
    "slug",
    "template",
    "toc",
    "type",
];

/// One text or a list of them.
fn names(value: &serde_json::Value) -> impl Iterator<Item = String> {
    let list = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
    list.iter().filter_map(scalar).map(|name| fold(&name)).filter(|name| !name.is_empty())
}

/// Takes from front matter what a page is: title, language, address; the rest becomes attributes.
fn apply(
    fields: serde_json::Map<String, serde_json::Value>,
    file: &File,
    options: &Options,
    raw: &mut RawPage,
) -> Result<(), String> {
    use serde_json::Value;
    let mut slug = None;
    let mut address = None;
    raw.page.unmarked = true;
    for (name, value) in fields {
        let lower = name.to_ascii_lowercase();
        let is = |wanted: bool| {
            value.as_bool() == Some(wanted)
                || value.as_str() == Some(if wanted { "true" } else { "false" })
        };
        match lower.as_str() {
            "draft" if is(true) => return Err("a draft".to_owned()),
            "published" if is(false) => return Err("not published".to_owned()),
            "search" | "pagefind" | "searchable" if is(false) => {
                return Err(format!("asks not to be searched ({name}: false)"));
            }
            "noindex" | "search_exclude" | "unlisted" if is(true) => {
                return Err(format!("asks not to be searched ({name}: true)"));
            }
            "headless" if is(true) => {
                return Err("is not a page by itself (headless: true)".to_owned());
            }
            "title" => {
                raw.names.explicit =
                    scalar(&value).map(|title| fold(&title)).filter(|title| !title.is_empty())
            }
            "lang" | "language" | "locale" => {
                if let Some(language) = value.as_str() {
                    raw.page.language = language.trim().replace('_', "-");
                }
            }
            // Some generators keep addresses of old here, which are no names.
            "aliases" => {
                raw.page.aliases = names(&value).filter(|name| !name.contains('/')).collect()
            }
            "search_pin" => raw.page.pins = names(&value).collect(),
            "search" if value.is_object() => {
                if value["exclude"] == true {
                    return Err(format!("asks not to be searched ({name}: exclude: true)"));
                }
                raw.page.pins.extend(value.get("pin").into_iter().flat_map(names));
                if let Some(boost) = value.get("boost").and_then(Raw::from_json) {
                    raw.attributes.insert(BOOST.to_owned(), boost);
                }
            }
            "url" | "permalink" => address = value.as_str().map(str::to_owned),
            "slug" => slug = scalar(&value),
            "description" | "summary" | "excerpt" | "image" | "thumbnail" => {
                if let Value::String(text) = &value {
                    raw.page.meta.push((name, fold(text)));
                }
            }
            "draft" | "published" | "search" | "pagefind" | "searchable" | "noindex"
            | "search_exclude" | "unlisted" | "headless" => {}
            other if PRESENTATION.contains(&other) => {}
            _ => {
                if let Some(value) = Raw::from_json(&value) {
                    raw.attributes.insert(name, value);
                }
            }
        }
    }
    // Addresses with placeholders (`/:year/:title/`) are the generator's to fill in.
    if let Some(address) = address.filter(|address| {
        !address.is_empty() && !address.contains([':', '{', '*']) || address.starts_with("http")
    }) {
        raw.page.url = if address.contains("://") {
            address
        } else {
            files::join(&options.base_url, &address)
        };
    } else if let Some(slug) = slug.filter(|slug| !slug.is_empty() && !slug.contains([':', '{'])) {
        raw.page.url = slugged(&slug, file, options);
    }
    Ok(())
}

fn scalar(value: &serde_json::Value) -> Option<String> {
    match value {
        serde_json::Value::String(text) => Some(text.clone()),
        serde_json::Value::Number(number) => Some(number.to_string()),
        serde_json::Value::Bool(value) => Some(value.to_string()),
        _ => None,
    }
}

/// A slug takes the place of the file's name; with a leading slash it is the whole path.
fn slugged(slug: &str, file: &File, options: &Options) -> String {
    let path = if slug.starts_with('/') {
        slug.to_owned()
    } else {
        let directory = file.id.rsplit_once('/').map_or("", |(directory, _)| directory);
        format!("{directory}/{slug}")
    };
    // As a file's name, so that its URL is made like any other's.
    files::url(&format!("{}.md", path.trim_matches('/')), file.format, options)
}

/// State of reading a body.
struct Reader {
    outline: Outline,
    slugs: Slugs,
    h1: Option<String>,
    /// The anchor of an `<a id>` or `<a name>` just passed.
    loose_anchor: Option<String>,
    is_mdx: bool,
}

/// A heading under way.
struct Heading {
    text: Folded,
    id: Option<String>,
}

impl Reader {
    fn read(&mut self, body: &str, depth: usize) {
        let extensions = Extensions::ENABLE_TABLES
            | Extensions::ENABLE_FOOTNOTES
            | Extensions::ENABLE_STRIKETHROUGH
            | Extensions::ENABLE_TASKLISTS
            | Extensions::ENABLE_HEADING_ATTRIBUTES
            | Extensions::ENABLE_GFM
            | Extensions::ENABLE_DEFINITION_LIST;
        let mut heading: Option<Heading> = None;
        let mut code: Option<(String, String)> = None;
        let mut markup: Option<String> = None;
        let mut hidden_inline: Option<&'static str> = None;
        for event in Parser::new_ext(body, extensions) {
            if let Event::Text(text) | Event::Code(text) = &event
                && hidden_inline.is_none()
                && !text.trim().is_empty()
                && heading.is_none()
            {
                self.loose_anchor = None;
            }
            match event {
                Event::Start(Tag::Heading { id, .. }) => {
                    self.outline.end_block();
                    heading =
                        Some(Heading { text: Folded::default(), id: id.map(|id| id.to_string()) });
                }
                Event::End(TagEnd::Heading(level)) => {
                    if let Some(heading) = heading.take() {
                        self.end_heading(level as u8, heading);
                    }
                }
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
                Event::InlineHtml(tag) => {
                    let sink = heading
                        .as_mut()
                        .map_or_else(|| self.outline.text(), |heading| &mut heading.text);
                    if let Some(anchor) = inline_markup(&tag, sink, &mut hidden_inline) {
                        match &mut heading {
                            Some(heading) => heading.id = heading.id.take().or(Some(anchor)),
                            None => self.loose_anchor = Some(anchor),
                        }
                    }
                }
                Event::Text(text) => match (&mut code, &mut markup, &mut heading) {
                    _ if hidden_inline.is_some() => {}
                    (Some((_, code)), _, _) => code.push_str(&text),
                    (_, Some(markup), _) => markup.push_str(&text),
                    (_, _, Some(heading)) => heading.text.push(&text),
                    _ => self.outline.text().push(&text),
                },
                Event::Code(text) => {
                    let sink = heading
                        .as_mut()
                        .map_or_else(|| self.outline.text(), |heading| &mut heading.text);
                    sink.start_code();
                    sink.push(&text);
                    sink.end_code();
                }
                Event::SoftBreak | Event::HardBreak => {
                    heading
                        .as_mut()
                        .map_or_else(|| self.outline.text(), |heading| &mut heading.text)
                        .space();
                }
                Event::Start(Tag::TableCell) => self.outline.text().separate("|"),
                Event::End(TagEnd::TableCell) => self.outline.text().space(),
                Event::Start(Tag::Image { .. }) | Event::End(TagEnd::Image) => {
                    heading
                        .as_mut()
                        .map_or_else(|| self.outline.text(), |heading| &mut heading.text)
                        .space();
                }
                Event::Start(tag) if is_inline(&tag.to_end()) => {}
                Event::End(tag) if is_inline(&tag) => {}
                Event::Start(_) | Event::End(_) | Event::Rule => self.outline.end_block(),
                Event::InlineMath(text) | Event::DisplayMath(text) => {
                    self.outline.text().push(&text)
                }
                Event::FootnoteReference(_) | Event::TaskListMarker(_) => {}
            }
        }
        self.outline.end_block();
    }

    fn end_heading(&mut self, level: u8, mut heading: Heading) {
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
        if info == INDENTED && self.is_mdx && depth < MAX_DEPTH {
            // MDX has no indented code: this is the indented content of a component.
            self.read(text, depth + 1);
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
        let (outline, h1) = html::read_fragment(markup, outline);
        self.outline = outline;
        self.h1 = self.h1.take().or(h1);
    }
}

/// Stands for the info string of an indented code block, which has none.
const INDENTED: &str = "\0indented";

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

/// Reads an inline tag; returns the anchor that it sets.
fn inline_markup(
    tag: &str,
    sink: &mut Folded,
    hidden: &mut Option<&'static str>,
) -> Option<String> {
    let inner = tag.strip_prefix('<')?;
    let (closes, inner) = inner.strip_prefix('/').map_or((false, inner), |inner| (true, inner));
    let name = inner
        .split(|c: char| !c.is_ascii_alphanumeric())
        .next()
        .unwrap_or_default()
        .to_ascii_lowercase();
    if let Some(waiting) = hidden {
        if closes && name == *waiting {
            *hidden = None;
        }
        return None;
    }
    match (name.as_str(), closes) {
        ("script", false) => *hidden = Some("script"),
        ("style", false) => *hidden = Some("style"),
        ("br" | "p" | "div" | "li" | "td", _) => sink.space(),
        ("code" | "kbd" | "samp" | "tt", false) => sink.start_code(),
        ("code" | "kbd" | "samp" | "tt", true) => sink.end_code(),
        ("img", false) => {
            if let Some(text) = attribute(tag, "alt") {
                sink.space();
                sink.push(&text);
                sink.space();
            }
        }
        ("a" | "span", false) => {
            return attribute(tag, "id").or_else(|| attribute(tag, "name").filter(|_| name == "a"));
        }
        _ => {}
    }
    None
}

/// A quoted attribute of a tag.
fn attribute(tag: &str, name: &str) -> Option<String> {
    let mut from = 0;
    while let Some(found) = tag[from..].find(name) {
        let at = from + found;
        from = at + name.len();
        if !tag[..at].ends_with(|c: char| c.is_ascii_whitespace()) {
            continue;
        }
        let Some(rest) = tag[from..].trim_start().strip_prefix('=').map(str::trim_start) else {
            continue;
        };
        let quote = rest.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
        let value = rest[1..].split(quote).next().unwrap_or_default();
        return Some(fold(value)).filter(|value| !value.is_empty());
    }
    None
}

/// The anchor of the only tag of a piece of markup: `<a id="x"></a>` on a line of its own.
fn anchor_of(markup: &str) -> Option<String> {
    let markup = markup.trim();
    let tag = markup.get(..markup.find('>')? + 1)?;
    let is_anchor = tag.starts_with("<a ") || tag.starts_with("<span ");
    attribute(tag, "id").or_else(|| attribute(tag, "name")).filter(|_| is_anchor)
}

/// Whether markup has text outside of tags, or a picture with a description.
fn has_text(markup: &str) -> bool {
    let mut in_tag = false;
    let mut text = false;
    for c in markup.chars() {
        match c {
            '<' => in_tag = true,
            '>' if in_tag => in_tag = false,
            c if !in_tag && !c.is_whitespace() => {
                text = true;
                break;
            }
            _ => {}
        }
    }
    text || markup.contains("alt=")
}

/// Code as the site shows it: without the lines that mdBook hides or fills in, without the marks of
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

#[cfg(test)]
mod tests;

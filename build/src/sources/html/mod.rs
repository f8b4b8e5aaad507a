//! Rendered HTML: the main content of a page, its headings with their anchors, and what the site
//! says of it.

mod annotations;
mod content;
mod rows;
mod rules;

use scraper::{ElementRef, Html, Node};

use super::RawPage;
use super::outline::{Outline, fold};
use content::Walker;
use rules::Attrs;

/// Reads a page. `path` is relative to the site's root. `Err`: it is left out on purpose, and why.
pub(super) fn read(text: &str, path: &str, definition_sections: bool) -> Result<RawPage, String> {
    let file_name = path.rsplit('/').next().unwrap_or(path);
    if let Some(reason) = left_out_by_name(file_name) {
        return Err(reason.to_owned());
    }
    let html = Html::parse_document(text);
    let annotated = annotations::may_be_annotated(text);
    let survey = Survey::of(&html, annotated);
    if let Some(target) = survey.refresh {
        return Err(format!("a redirect to {target}"));
    }
    if survey.noindex {
        return Err("asks not to be indexed (robots: noindex)".to_owned());
    }
    if survey.general_index {
        return Err("a general index of terms".to_owned());
    }
    if file_name == "search.html" && survey.search_results {
        return Err("a search page".to_owned());
    }
    let (roots, in_content) = survey.roots();
    let mut walker = Walker::new(Outline::new(), in_content);
    walker.explicit = !survey.bodies.is_empty();
    walker.annotated = annotated;
    walker.definition_sections = definition_sections;
    for root in roots {
        walker.walk(root);
    }
    let mut raw = RawPage { marked_body: !survey.bodies.is_empty(), ..RawPage::default() };
    raw.page.language = survey.language.unwrap_or_default();
    raw.names.tag = survey.title;
    raw.names.h1 = walker.h1.take();
    raw.page.sections = walker.outline.finish();
    if annotated {
        let said = annotations::collect(&html);
        raw.names.explicit = said.title;
        if raw.marked_body {
            raw.names.h1 = raw.names.h1.or(said.first_h1);
        }
        raw.page.meta = said.meta;
        raw.page.sort_only = said.sort_only;
        raw.page.pins = said.pins;
        raw.attributes = said.attributes;
    }
    Ok(raw)
}

/// Adds a fragment's content, such as HTML inside Markdown, to an outline. Returns its first
/// `<h1>`.
pub(super) fn read_fragment(text: &str, outline: Outline) -> (Outline, Option<String>) {
    if nests_too_deep(text) {
        return (outline, None);
    }
    let html = Html::parse_fragment(text);
    let mut walker = Walker::new(outline, true);
    if let Some(root) = html.tree.root().children().find_map(ElementRef::wrap) {
        walker.walk(root);
    }
    (walker.outline, walker.h1)
}

/// Deepest nesting that is read. The parser's time grows with the square of it, and browsers stop
/// at a quarter.
pub(super) const MAX_DEPTH: i64 = 2000;

/// Whether elements that only their end tags close are open in larger number than any page means.
pub(super) fn nests_too_deep(text: &str) -> bool {
    let mut depth = 0i64;
    for (at, _) in text.match_indices('<') {
        let tag = &text.as_bytes()[at + 1..];
        let (name, step) = match tag {
            [b'/', rest @ ..] => (rest, -1),
            _ => (tag, 1),
        };
        let len = name.iter().take(11).take_while(|byte| byte.is_ascii_alphabetic()).count();
        let is_container = [
            "div",
            "section",
            "article",
            "blockquote",
            "ul",
            "ol",
            "dl",
            "table",
            "center",
            "main",
            "aside",
            "details",
        ]
        .iter()
        .any(|container| container.as_bytes().eq_ignore_ascii_case(&name[..len]));
        if is_container {
            depth = (depth + step).max(0);
            if depth > MAX_DEPTH {
                return true;
            }
        }
    }
    false
}

fn left_out_by_name(file_name: &str) -> Option<&'static str> {
    let stem = file_name.rsplit_once('.').map_or(file_name, |(stem, _)| stem);
    match stem {
        "404" | "not_found" | "not-found" => Some("an error page"),
        "genindex" | "modindex" | "py-modindex" | "http-routingtable" => Some("a general index"),
        _ if stem.starts_with("genindex-") => Some("a general index"),
        _ => None,
    }
}

/// What one pass over a document finds.
#[derive(Default)]
struct Survey<'a> {
    title: Option<String>,
    language: Option<String>,
    refresh: Option<String>,
    noindex: bool,
    general_index: bool,
    search_results: bool,
    bodies: Vec<ElementRef<'a>>,
    main: Option<ElementRef<'a>>,
    role_main: Option<ElementRef<'a>>,
    articles: Vec<ElementRef<'a>>,
    container: Option<ElementRef<'a>>,
    body: Option<ElementRef<'a>>,
}

impl<'a> Survey<'a> {
    fn of(html: &'a Html, annotated: bool) -> Self {
        let mut survey = Self::default();
        let mut declared_language = None;
        for node in html.tree.root().descendants() {
            let Node::Element(element) = node.value() else { continue };
            let Some(reference) = ElementRef::wrap(node) else { continue };
            let noted = |slot: &mut Option<ElementRef<'a>>| {
                slot.get_or_insert(reference);
            };
            match element.name() {
                "html" => {
                    survey.language = element
                        .attrs()
                        .filter(|(name, value)| {
                            matches!(*name, "lang" | "xml:lang") && !value.trim().is_empty()
                        })
                        .min_by_key(|(name, _)| name.len())
                        .map(|(_, value)| value.trim().replace('_', "-"));
                    if survey.language.is_some() {
                        declared_language = None;
                    }
                }
                "title"
                    if survey.title.is_none()
                        && node.ancestors().all(|above| !is_named(above.value(), "svg")) =>
                {
                    survey.title = Some(annotations::text_of(reference));
                }
                "meta" => survey.note_meta(element, &mut declared_language),
                "main" => noted(&mut survey.main),
                "article" => survey.articles.push(reference),
                "body" => noted(&mut survey.body),
                _ => {}
            }
            if element.attrs.is_empty() {
                continue;
            }
            let attrs = Attrs::of(element);
            if attrs.role == "main" {
                survey.role_main.get_or_insert(reference);
            }
            if rules::is_content_container(&attrs) {
                survey.container.get_or_insert(reference);
            }
            survey.general_index |= element.name() == "div"
                && attrs.class == "index"
                && reference
                    .child_elements()
                    .any(|child| Attrs::of(child.value()).class == "titlepage");
            survey.search_results |= attrs.id == Some("search-results") || attrs.role == "search";
            if annotated
                && annotations::annotation!(element, "body").is_some()
                && !ignored(reference)
            {
                survey.bodies.push(reference);
            }
        }
        survey.language = survey.language.or(declared_language);
        survey
    }

    fn note_meta(
        &mut self,
        element: &scraper::node::Element,
        declared_language: &mut Option<String>,
    ) {
        let (mut name, mut content) = ("", "");
        for (key, value) in element.attrs() {
            match key {
                "name" | "http-equiv" => name = value,
                "content" => content = value,
                _ => {}
            }
        }
        if name.eq_ignore_ascii_case("robots") {
            self.noindex |= content.split(',').any(|word| {
                word.trim().eq_ignore_ascii_case("noindex")
                    || word.trim().eq_ignore_ascii_case("none")
            });
        } else if name.eq_ignore_ascii_case("refresh") {
            let lower = content.to_ascii_lowercase();
            if let Some(at) = lower.find("url=") {
                self.refresh = Some(fold(content[at + 4..].trim_matches(['"', '\'', ' '])));
            }
        } else if name.eq_ignore_ascii_case("content-language") && !content.trim().is_empty() {
            *declared_language = Some(content.trim().replace('_', "-"));
        }
    }

    /// Where the content is, and whether that is more than a guess.
    fn roots(&self) -> (Vec<ElementRef<'a>>, bool) {
        if !self.bodies.is_empty() {
            let ids: Vec<_> = self.bodies.iter().map(|body| body.id()).collect();
            let outermost = self
                .bodies
                .iter()
                .filter(|body| !body.ancestors().any(|above| ids.contains(&above.id())));
            return (outermost.copied().collect(), true);
        }
        if let Some(main) = self.main.or(self.role_main) {
            return (vec![main], true);
        }
        let article = match self.articles.as_slice() {
            [article] => Some(*article),
            _ => None,
        };
        if let Some(body) = self.body {
            // A teaser can be an article, too: the content is where most of the text is.
            let length =
                |element: ElementRef| element.text().map(|text| text.trim().len()).sum::<usize>();
            if let Some(found) =
                article.or(self.container).filter(|found| length(*found) * 2 > length(body))
            {
                return (vec![found], true);
            }
            return (vec![body], false);
        }
        (article.or(self.container).into_iter().collect(), true)
    }
}

fn is_named(node: &Node, name: &str) -> bool {
    node.as_element().is_some_and(|element| element.name() == name)
}

/// Whether the element or one around it is left out of everything.
fn ignored(element: ElementRef) -> bool {
    std::iter::once(*element)
        .chain(element.ancestors())
        .filter_map(|node| node.value().as_element())
        .any(|element| annotations::ignore(element).is_some())
}

#[cfg(test)]
mod tests;

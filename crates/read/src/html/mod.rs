//! Rendered HTML: the main content of a page, its headings with their anchors, and the site's
//! declarations about it.

mod annotations;
mod apart;
mod attribute_count;
mod attrs;
mod code_block;
mod content;
mod contents;
mod controls;
mod definitions;
mod entries;
mod exclusions;
mod footnotes;
mod furniture;
mod generated;
mod heading;
mod ids;
mod line_numbers;
mod link_lists;
pub(super) mod marks;
mod notebook_cells;
mod page_kind;
mod pop_ups;
mod rows;
mod rules;
mod steps;
mod survey;
mod text;
mod walker;
mod xhtml;

use scraper::{ElementRef, Html, Node};

use super::hints::Hints;
use super::left_out::{LeftOut, Rule, Trace};
use super::outline::{Outline, fold};
use super::{Options, RawPage, Removed};
use controls::describe;
use findling_page::page::Section;
use generated::Generated;
pub(super) use page_kind::is_error_page_of_site;
use survey::Survey;
use text::Words;
use walker::{Known, Walker};

/// Fewest words of a page for which the share of indexed words is judged.
const MIN_WORDS_TO_JUDGE: usize = 60;

/// Maximum number of keywords of a page that are taken.
const MAX_KEYWORDS: usize = 20;

/// Reads a page. `path` is relative to the site's root.
///
/// # Errors
/// The reason why the page is left out on purpose.
pub(super) fn read(text: &str, path: &str, options: &Options) -> Result<RawPage, String> {
    let text = &*if is_xml(path) { xhtml::as_html(text) } else { text.into() };
    let html = Html::parse_document(text);
    let annotated = annotations::may_be_annotated(text);
    let survey = Survey::of(&html, annotated);
    if let Some(reason) = page_kind::left_out(&html, &survey, path) {
        return Err(reason);
    }
    let generated = generated::kind(&survey, path);
    if generated == Some(Generated::List) {
        return Err("a generated list of what other pages document".to_owned());
    }
    let (roots, in_content) = survey.roots();
    let mut trace = Trace::new(options.trace);
    note_outside(&survey, &roots, &mut trace);
    let mut walker = Walker::new(Outline::new(), Known::of(&html), trace);
    let only_h1 = survey.h1s.len() == 1;
    walker.place = rules::Place { explicit: !survey.bodies.is_empty(), in_content, only_h1 };
    walker.annotated = annotated;
    walker.definition_sections = options.definition_sections;
    for root in &roots {
        walker.walk(*root);
    }
    let mut raw = RawPage { marked_body: !survey.bodies.is_empty(), ..RawPage::default() };
    raw.content = roots.first().map(|root| describe(**root).0).unwrap_or_default();
    raw.page.language = survey.language.unwrap_or_default();
    raw.names.tag = survey.title;
    raw.names.h1 = walker.h1.take();
    raw.names.n_h1 = walker.n_h1;
    let (mut sections, mut links) = walker.outline.finish_with_links();
    if !raw.marked_body {
        let colophon = contents::take_colophon(&mut sections, &mut links);
        let files = contents::take_source_files(&mut sections, &mut links);
        for line in colophon.into_iter().chain(files) {
            walker.trace.note(Rule::PageFrame, || (String::new(), line));
        }
    }
    link_lists::weigh(&mut sections, &links);
    raw.page.sections = sections;
    raw.lost = walker.trace.take_lost();
    raw.left_out = walker.trace.finish();
    raw.names.lead = lead(&raw.page.sections);
    raw.is_generated = generated == Some(Generated::Beside);
    let mut hints = Hints::of(&raw.page.sections, links);
    hints.canonical = survey.canonical.clone();
    for root in &roots {
        let below = root.descendants().filter_map(|below| below.value().as_element());
        let links = below.filter(|element| element.name() == "a");
        links.filter_map(|link| link.attr("href")).for_each(|href| hints.note_link(href));
    }
    raw.hints = Some(Box::new(hints));
    if let Some(keywords) = &survey.keywords {
        add_keywords(keywords, &mut raw);
    }
    if in_content && !annotated {
        raw.removed = removed(&roots, &raw.page.sections);
    }
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

/// Maximum number of texts before the first heading that may be the page's name.
const MAX_LEAD: usize = 16;

/// The longest of these texts, in bytes.
const MAX_LEAD_BYTES: usize = 160;

/// Returns the short texts before the first heading.
fn lead(sections: &[Section]) -> Vec<String> {
    let lead = sections.first().filter(|section| section.level == 0);
    let blocks = lead.into_iter().flat_map(|section| &section.blocks).take(MAX_LEAD);
    blocks.map(|block| block.text.clone()).filter(|text| text.len() <= MAX_LEAD_BYTES).collect()
}

/// Adds words by which the author wants the page to be found, as other names of it.
fn add_keywords(keywords: &str, raw: &mut RawPage) {
    let words = keywords.split([',', ';']).map(fold).filter(|word| !word.is_empty());
    raw.keywords.extend(words.take(MAX_KEYWORDS));
}

/// Returns whether browsers read a file as XML, by its name.
fn is_xml(path: &str) -> bool {
    let end = path.rsplit_once('.').map_or("", |(_, end)| end);
    end.eq_ignore_ascii_case("xhtml") || end.eq_ignore_ascii_case("xht")
}

/// Returns the numbers of all words and of indexed words, if the content has many words and most of
/// them are not indexed. Links and controls do not count.
fn removed(roots: &[ElementRef], sections: &[Section]) -> Option<Removed> {
    let words = roots.iter().map(|root| Words::of(**root, usize::MAX).prose).sum();
    if words < MIN_WORDS_TO_JUDGE {
        return None;
    }
    let texts = |section: &Section| {
        let blocks = section.blocks.iter().map(|block| text::count(&block.text)).sum::<usize>();
        text::count(&section.heading) + blocks
    };
    let indexed = sections.iter().map(texts).sum::<usize>();
    (indexed > 0 && indexed * 3 < words).then_some(Removed { words, indexed })
}

/// A fragment of HTML, such as HTML inside of Markdown.
pub(super) struct Fragment {
    /// The outline with the fragment's content added.
    pub outline: Outline,
    /// The fragment's first `<h1>`.
    pub h1: Option<String>,
    /// The parts that were left out.
    pub left_out: Vec<LeftOut>,
}

/// Adds a fragment's content to an outline.
pub(super) fn read_fragment(text: &str, outline: Outline, trace: bool) -> Fragment {
    if refused(text).is_some() {
        return Fragment { outline, h1: None, left_out: Vec::new() };
    }
    let html = Html::parse_fragment(text);
    let mut walker = Walker::new(outline, Known::of(&html), Trace::new(trace));
    if let Some(root) = html.tree.root().children().find_map(ElementRef::wrap) {
        walker.walk(root);
    }
    Fragment { outline: walker.outline, h1: walker.h1, left_out: walker.trace.finish() }
}

/// Records the parts outside of the content: for each element around it, the other children.
fn note_outside(survey: &Survey, roots: &[ElementRef], trace: &mut Trace) {
    let Some(body) = survey.body else { return };
    let holds_root = |node: ego_tree::NodeRef<Node>| {
        roots.iter().any(|root| {
            root.id() == node.id() || root.ancestors().any(|above| above.id() == node.id())
        })
    };
    let is_root = |node: ego_tree::NodeRef<Node>| roots.iter().any(|root| root.id() == node.id());
    let mut around = vec![*body];
    while let Some(node) = around.pop() {
        if is_root(node) {
            continue;
        }
        for child in node.children().filter(|child| child.value().is_element()) {
            if holds_root(child) {
                around.push(child);
            } else if !child
                .value()
                .as_element()
                .is_some_and(|child| rules::is_not_text(child.name()))
            {
                trace.note(Rule::OutsideContent, || describe(child));
            }
        }
    }
}

/// Deepest nesting that is read. The parser's time grows with the square of the nesting, and
/// browsers stop at a quarter of it.
const MAX_DEPTH: i64 = 2000;

/// Returns whether more elements are open than any real page has, counting elements that are only
/// closed by end tags.
fn nests_too_deep(text: &str) -> bool {
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

/// Returns the reason why a page is refused before it is parsed, if there is one: its parser would
/// take too long, or its reader would call itself too often.
pub(super) fn refused(text: &str) -> Option<String> {
    if nests_too_deep(text) {
        return Some(format!("nests elements more than {MAX_DEPTH} deep; close its tags"));
    }
    attribute_count::has_too_many(text)
        .then(|| "has elements with thousands of attributes; close its tags".to_owned())
}

/// Returns whether a node is an element of this name.
fn is_named(node: &Node, name: &str) -> bool {
    node.as_element().is_some_and(|element| element.name() == name)
}

#[cfg(test)]
mod tests;

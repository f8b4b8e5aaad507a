//! Links to the next page, the previous page and up, in any element.

use std::collections::HashSet;

use ego_tree::{NodeId, NodeRef};
use scraper::node::Element;
use scraper::{ElementRef, Html, Node};

use super::annotations::text_of;
use super::rules;

/// Maximum number of words of such a block, with the titles of the pages.
const MAX_WORDS: usize = 60;

/// Maximum number of links of such a block.
const MAX_LINKS: usize = 12;

/// Number of elements around a link that are examined.
const MAX_LEVELS: usize = 8;

/// The outermost elements that only hold links to other pages of a sequence.
#[derive(Debug, Default)]
pub(super) struct Steps {
    blocks: HashSet<NodeId>,
}

impl Steps {
    /// Finds these elements.
    pub fn of(html: &Html) -> Self {
        let mut found = Self::default();
        let mut refused = HashSet::new();
        for node in html.tree.root().descendants() {
            let Some(link) = ElementRef::wrap(node) else { continue };
            if link.value().name() != "a" || direction_of(link).is_none() {
                continue;
            }
            let mut outermost = None;
            for above in node.ancestors().take(MAX_LEVELS) {
                let Some(element) = above.value().as_element() else { break };
                let is_outer = matches!(
                    element.name(),
                    "body" | "main" | "article" | "html" | "section" | "nav"
                );
                if is_outer || refused.contains(&above.id()) {
                    break;
                }
                if found.blocks.contains(&above.id()) {
                    outermost = None;
                    break;
                }
                let Some(n_steps) = steps(above) else {
                    refused.insert(above.id());
                    break;
                };
                // One word in a cell or an item may be the name of something.
                let is_cell = matches!(
                    element.name(),
                    "td" | "th" | "tr" | "li" | "ul" | "ol" | "dd" | "dt" | "table"
                );
                if is_cell && n_steps < 2 {
                    continue;
                }
                if rules::is_block(element.name()) || matches!(element.name(), "tr" | "td") {
                    outermost = Some(above.id());
                }
            }
            found.blocks.extend(outermost);
        }
        found
    }

    /// Returns whether an element is such a block.
    pub fn has(&self, node: NodeId) -> bool {
        !self.blocks.is_empty() && self.blocks.contains(&node)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Direction {
    Next,
    Previous,
    Up,
    /// The list of contents, the index.
    Overview,
    /// The way forward, shown only by an arrow.
    Onward,
}

/// Returns the number of links in an element, if all of its words are links to pages of a sequence
/// or names of directions.
fn steps(node: NodeRef<Node>) -> Option<usize> {
    let (mut links, mut steps, mut words) = (0usize, Vec::new(), 0usize);
    // Whether a word before the next link names its direction.
    let mut label = None;
    let mut skipped: Option<NodeId> = None;
    for below in node.descendants() {
        if let Some(id) = skipped {
            if below.ancestors().any(|above| above.id() == id) {
                continue;
            }
            skipped = None;
        }
        match below.value() {
            Node::Element(element) if rules::is_not_text(element.name()) => {
                skipped = Some(below.id());
            }
            Node::Element(element) if rules::is_heading(element.name()) => return None,
            Node::Element(element)
                if matches!(element.name(), "pre" | "form" | "input" | "select" | "textarea") =>
            {
                return None;
            }
            Node::Element(element) if element.name() == "a" => {
                let Some(link) = ElementRef::wrap(below) else { continue };
                let text = shown(link);
                words += text.split_whitespace().count();
                links += usize::from(!text.trim().is_empty());
                match direction_of(link).or(label) {
                    Some(direction) => steps.push(direction),
                    // Without words: a picture, or `[ ? ]` to the page about these links.
                    None if !text.contains(char::is_alphanumeric) => {}
                    None => return None,
                }
                skipped = Some(below.id());
            }
            Node::Text(text) => {
                for word in text.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty()) {
                    words += 1;
                    match direction(&word.to_lowercase()) {
                        Some(found) => label = Some(found),
                        None if matches!(word, "page" | "chapter" | "section") => {}
                        None => return None,
                    }
                }
            }
            _ => {}
        }
        if words > MAX_WORDS || links > MAX_LINKS {
            return None;
        }
    }
    let leads = |wanted| steps.contains(&wanted);
    (leads(Direction::Next) || leads(Direction::Previous)).then_some(steps.len())
}

/// Returns the text of a link, with the alternative texts of its pictures.
fn shown(link: ElementRef) -> String {
    let mut text = text_of(link);
    for image in link.descendants().filter_map(|below| below.value().as_element()) {
        if let Some(alt) = image.attr("alt").filter(|_| image.name() == "img") {
            text.push(' ');
            text.push_str(alt);
        }
    }
    text
}

/// Returns the direction of a link: by its relation, its key, or its first or last word.
fn direction_of(link: ElementRef) -> Option<Direction> {
    let element: &Element = link.value();
    let href = element.attr("href")?;
    // A page with several sections of a sequence has links within itself (Texinfo).
    let to_section = |title: &str| title.contains("section") || title.contains("chapter");
    if href.starts_with('#') && !element.attr("title").is_some_and(to_section) {
        return None;
    }
    if let Some(rel) = element.attr("rel") {
        let of_rel =
            rel.split_ascii_whitespace().find_map(|rel| match rel.to_ascii_lowercase().as_str() {
                "next" => Some(Direction::Next),
                "prev" | "previous" => Some(Direction::Previous),
                "up" => Some(Direction::Up),
                "contents" | "index" | "start" | "home" | "toc" => Some(Direction::Overview),
                _ => None,
            });
        if of_rel.is_some() {
            return of_rel;
        }
    }
    let key = element.attr("accesskey").map(str::to_ascii_lowercase);
    match key.as_deref() {
        Some("n") => return Some(Direction::Next),
        Some("p") => return Some(Direction::Previous),
        Some("u") => return Some(Direction::Up),
        Some("h" | "t") => return Some(Direction::Overview),
        _ => {}
    }
    let text = shown(link).to_lowercase();
    let text = text.trim();
    let is_mark = |c: char| c.is_whitespace() || "[](){}|:.,".contains(c);
    let bare = text.trim_matches(|c| is_mark(c) || is_arrow(c));
    // `Next`, `[Contents]`, `← Previous`: the whole text.
    if let Some(found) = direction(bare) {
        return Some(found);
    }
    // `[ << ]`: nothing but arrows.
    let first = text.chars().find(|c| !is_mark(*c));
    if bare.is_empty()
        && let Some(arrow) = first
    {
        return Some(match arrow {
            '<' | '\u{2190}' | '\u{ab}' | '\u{2039}' | '\u{25c0}' | '\u{25c4}' | '\u{276e}' => {
                Direction::Previous
            }
            '^' | '\u{2191}' => Direction::Up,
            _ => Direction::Onward,
        });
    }
    let mut words = bare.split(is_mark).filter(|word| !word.is_empty());
    // `Next Mooring`, `Mooring →`: with the page's title.
    let by_word = words.next().and_then(direction).filter(|direction| {
        matches!(direction, Direction::Next | Direction::Previous)
            && !bare.contains(['.', '!', '?'])
            && bare.split_whitespace().count() <= 12
            && has_break_after_first_word(link)
    });
    by_word.or_else(|| match (text.chars().next()?, text.chars().next_back()?) {
        ('\u{2190}' | '\u{ab}' | '\u{2039}' | '\u{21d0}' | '\u{276e}', _) => {
            Some(Direction::Previous)
        }
        (_, '\u{2192}' | '\u{bb}' | '\u{203a}' | '\u{21d2}' | '\u{276f}') => {
            Some(Direction::Onward)
        }
        _ => None,
    })
}

/// Returns whether the first word of a link is a separate element or text, or is followed by a
/// colon.
fn has_break_after_first_word(link: ElementRef) -> bool {
    let mut texts = link.text().map(str::trim).filter(|text| !text.is_empty());
    let first = texts.next().unwrap_or_default();
    first.ends_with(':')
        || (texts.next().is_some() && first.split_whitespace().count() <= 2)
        || first.split_whitespace().nth(1).is_some_and(|second| second.chars().all(is_arrow))
        || first.contains(": ")
}

fn is_arrow(c: char) -> bool {
    matches!(
        c,
        '\u{2190}'
            ..='\u{21ff}'
                | '\u{ab}'
                | '\u{bb}'
                | '\u{2039}'
                | '\u{203a}'
                | '<'
                | '>'
                | '\u{25c0}'
                | '\u{25b6}'
                | '\u{25c4}'
                | '\u{25ba}'
                | '\u{276e}'
                | '\u{276f}'
                | '^'
    )
}

/// Returns the direction that words name, in lower case.
fn direction(words: &str) -> Option<Direction> {
    Some(match words {
        "next" | "forward" | "forwards" | "next page" | "next chapter" | "next section"
        | "next topic" | "weiter" | "vor" | "nächste" | "suivant" | "suivante" | "siguiente"
        | "avanti" | "successivo" | "próximo" | "seguinte" | "далее" | "volgende" | "następny"
        | "次へ" | "次" | "下一页" | "下一頁" | "下一章" | "다음" => Direction::Next,
        "previous" | "prev" | "back" | "backward" | "previous page" | "previous chapter"
        | "previous section" | "previous topic" | "zurück" | "vorherige" | "précédent"
        | "précédente" | "anterior" | "indietro" | "precedente" | "назад" | "vorige"
        | "poprzedni" | "前へ" | "前" | "上一页" | "上一頁" | "上一章" | "이전" => {
            Direction::Previous
        }
        "up" | "top" | "nach oben" | "hoch" | "haut" | "arriba" => Direction::Up,
        "contents" | "index" | "home" | "toc" | "table of contents" | "start" | "main"
        | "inhalt" | "sommaire" | "índice" | "indice" | "目次" | "目录" => Direction::Overview,
        _ => return None,
    })
}

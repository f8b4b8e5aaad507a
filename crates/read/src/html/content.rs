//! The choice of the elements that hold the content of a page.
//!
//! The choice loses no text: an element is not chosen if there are several like it, or if there is
//! text beside it outside of frames.

use std::iter;

use ego_tree::NodeRef;
use scraper::{ElementRef, Node};

use super::attrs::Attrs;
use super::rules::{self, Place};
use super::survey::Survey;
use super::text::Words;

/// Smallest number of words beside the only article at which the whole page is the content.
const MIN_WORDS_BESIDE: usize = 8;

/// Maximum number of words of an element above the content that has the page's name.
const MAX_LEAD_WORDS: usize = 120;

/// Returns the elements with the content, and whether they are more than a guess.
pub(super) fn roots<'a>(survey: &Survey<'a>) -> (Vec<ElementRef<'a>>, bool) {
    if !survey.bodies.is_empty() {
        return (outermost(&survey.bodies), true);
    }
    let mains = shown_mains(&survey.mains).or_else(|| shown_mains(&survey.role_mains));
    if let Some(mains) = mains {
        return (with_lead(mains, survey), true);
    }
    let article = match survey.articles.as_slice() {
        [article] => Some(*article),
        _ => None,
    };
    let Some(body) = survey.body else {
        return (article.or(survey.container).into_iter().collect(), true);
    };
    // A teaser can be an article, too: the content is where most of the text is.
    let length = |element: ElementRef| element.text().map(|text| text.trim().len()).sum::<usize>();
    let holds_most = |found: &ElementRef| length(*found) * 2 > length(body);
    let article = article.filter(holds_most);
    let container = survey.container.filter(holds_most);
    let found = match (article, container) {
        (Some(article), Some(container)) if is_within(*article, *container) => {
            let is_all = words_around(*container, *article) == 0;
            Some(if is_all { article } else { container })
        }
        (article, container) => article.or(container),
    };
    let found = found.filter(|found| {
        let words = words_around(*body, **found);
        words < MIN_WORDS_BESIDE || words * 10 < Words::of(**found, usize::MAX).prose
    });
    match found {
        Some(found) => (with_lead(vec![found], survey), true),
        None => (vec![body], false),
    }
}

fn is_within(node: NodeRef<Node>, around: NodeRef<Node>) -> bool {
    iter::once(node).chain(node.ancestors()).any(|above| above.id() == around.id())
}

/// Returns the elements that are in none of the others.
fn outermost<'a>(elements: &[ElementRef<'a>]) -> Vec<ElementRef<'a>> {
    let ids: Vec<_> = elements.iter().map(|element| element.id()).collect();
    let is_outer =
        |element: &&ElementRef| !element.ancestors().any(|above| ids.contains(&above.id()));
    elements.iter().filter(is_outer).copied().collect()
}

/// Returns the main elements that are shown and have text; if none is shown, the main elements that
/// have text.
fn shown_mains<'a>(mains: &[ElementRef<'a>]) -> Option<Vec<ElementRef<'a>>> {
    let with_text: Vec<ElementRef> = mains
        .iter()
        .filter(|main| main.text().any(|text| !text.trim().is_empty()))
        .copied()
        .collect();
    let is_hidden = |node: NodeRef<Node>| {
        node.value().as_element().is_some_and(|element| Attrs::of(element).hidden)
    };
    let shown: Vec<ElementRef> = with_text
        .iter()
        .filter(|main| !iter::once(***main).chain(main.ancestors()).any(is_hidden))
        .copied()
        .collect();
    let mains = outermost(if shown.is_empty() { &with_text } else { &shown });
    (!mains.is_empty()).then_some(mains)
}

/// Returns the content, extended by the element above it that has the page's only heading of the
/// first level.
fn with_lead<'a>(mut roots: Vec<ElementRef<'a>>, survey: &Survey<'a>) -> Vec<ElementRef<'a>> {
    let [h1] = survey.h1s.as_slice() else { return roots };
    let Some(first) = roots.first() else { return roots };
    if roots.iter().any(|root| is_within(**h1, **root)) || h1.id() > first.id() {
        return roots;
    }
    let is_frame = |node: NodeRef<Node>| {
        node.value().as_element().is_some_and(|element| {
            let attrs = Attrs::of(element);
            matches!(element.name(), "nav" | "footer" | "aside" | "dialog" | "form")
                || matches!(attrs.role, "navigation" | "search" | "dialog" | "banner")
                || attrs.hidden
        })
    };
    if h1.ancestors().any(is_frame) {
        return roots;
    }
    let mut lead = *h1;
    for above in h1.ancestors().filter_map(ElementRef::wrap) {
        let holds_root = roots.iter().any(|root| is_within(**root, *above));
        let is_document = matches!(above.value().name(), "body" | "html");
        if holds_root || is_document || above.descendants().any(is_frame) {
            break;
        }
        lead = above;
    }
    // The name of a site is a link to its first page.
    let is_link =
        h1.ancestors().chain(h1.children()).any(|node| super::is_named(node.value(), "a"));
    let in_header = h1.ancestors().any(|above| super::is_named(above.value(), "header"));
    if Words::of(*lead, MAX_LEAD_WORDS).prose < MAX_LEAD_WORDS && !(is_link && in_header) {
        roots.insert(0, lead);
    }
    roots
}

/// Returns the number of words of text in an element, except in a given inner element and in
/// frames.
fn words_around(around: NodeRef<Node>, inner: NodeRef<Node>) -> usize {
    let place = Place { explicit: false, in_content: false, only_h1: false };
    let mut words = 0;
    let mut open = vec![around];
    while let Some(node) = open.pop() {
        for child in node.children() {
            if child.id() == inner.id() {
                continue;
            }
            match child.value() {
                Node::Text(text) => words += super::text::count(text),
                Node::Element(element) => {
                    let attrs = Attrs::of(element);
                    let is_frame = rules::is_machinery(element.name())
                        || attrs.hidden
                        || rules::surrounding(child, element.name(), &attrs, place).is_some();
                    if is_frame {
                        continue;
                    }
                    if is_within(inner, child) {
                        open.push(child);
                        continue;
                    }
                    let own = Words::of(child, usize::MAX);
                    words += if own.is_prose() { own.prose } else { 0 };
                }
                _ => {}
            }
        }
    }
    words
}

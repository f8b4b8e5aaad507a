//! Annotations of pages in `data-findling-*` attributes. Pagefind's `data-pagefind-*` attributes
//! have the same meaning.

use std::collections::BTreeMap;

use scraper::node::Element;
use scraper::{ElementRef, Html, Node};

use super::super::attributes::Raw;
use super::super::outline::fold;

/// An attribute in either spelling. `$name` is the part after the prefix.
macro_rules! annotation {
    ($element:expr, $name:literal) => {
        $element
            .attr(concat!("data-findling-", $name))
            .or_else(|| $element.attr(concat!("data-pagefind-", $name)))
    };
}
pub(super) use annotation;

/// Returns whether a page can have annotations. Most pages have none, and need not be searched.
pub(super) fn may_be_annotated(html: &str) -> bool {
    html.contains("data-findling-") || html.contains("data-pagefind-")
}

/// The value of `…-ignore`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ignore {
    /// Not indexed, but meta, filters and sorts inside are used.
    Index,
    /// Ignored completely.
    All,
}

/// Returns whether and how an element is to be ignored.
pub(super) fn ignore(element: &Element) -> Option<Ignore> {
    annotation!(element, "ignore").map(|value| {
        if value.trim().eq_ignore_ascii_case("all") { Ignore::All } else { Ignore::Index }
    })
}

/// Returns the value of `…-weight`, within 0 to 10.
pub(super) fn weight(element: &Element) -> Option<f32> {
    annotation!(element, "weight")?
        .trim()
        .parse()
        .ok()
        .filter(|weight: &f32| weight.is_finite())
        .map(|weight| weight.clamp(0.0, 10.0))
}

/// The annotations of a page.
#[derive(Debug, Default)]
pub(super) struct Annotations {
    pub title: Option<String>,
    /// The first `<h1>` anywhere, for pages whose marked body has none.
    pub first_h1: Option<String>,
    /// The metadata in the order of the page, with the last value of each name.
    pub meta: Vec<(String, String)>,
    pub attributes: BTreeMap<String, Raw>,
    pub sort_only: Vec<String>,
    /// Queries for which the page is the first result.
    pub pins: Vec<String>,
}

/// Collects meta, filters and sorts from the whole document, including parts outside the marked
/// body.
pub(super) fn collect(html: &Html) -> Annotations {
    let mut found = Annotations::default();
    let mut default_meta = Vec::new();
    let mut filters: Vec<(String, String)> = Vec::new();
    let mut sorts: Vec<(String, String)> = Vec::new();
    let mut node = html.tree.root();
    loop {
        let mut descend = true;
        if let (Node::Element(element), Some(reference)) = (node.value(), ElementRef::wrap(node)) {
            if ignore(element) == Some(Ignore::All) {
                descend = false;
            } else {
                if element.name() == "h1" && found.first_h1.is_none() {
                    found.first_h1 = Some(text_of(reference)).filter(|text| !text.is_empty());
                }
                if let Some(spec) = annotation!(element, "meta") {
                    found.meta.extend(parse(spec, reference));
                }
                if let Some(spec) = annotation!(element, "default-meta") {
                    default_meta.extend(parse(spec, reference));
                }
                if let Some(spec) = annotation!(element, "filter") {
                    filters.extend(parse(spec, reference));
                }
                if let Some(queries) = annotation!(element, "pin") {
                    found
                        .pins
                        .extend(queries.split(',').map(fold).filter(|query| !query.is_empty()));
                }
                if let Some(spec) = annotation!(element, "sort") {
                    sorts.extend(parse(spec, reference));
                }
            }
        }
        if descend && let Some(child) = node.first_child() {
            node = child;
            continue;
        }
        let next = std::iter::successors(Some(node), |node| node.parent())
            .find_map(|node| node.next_sibling());
        match next {
            Some(sibling) => node = sibling,
            None => break,
        }
    }
    for (name, value) in default_meta {
        if !found.meta.iter().any(|(known, _)| *known == name) {
            found.meta.push((name, value));
        }
    }
    found.meta = last_of_each(found.meta);
    if let Some(at) = found.meta.iter().position(|(name, _)| name == "title") {
        found.title = Some(found.meta.remove(at).1);
    }
    for (name, value) in last_of_each(sorts) {
        if !filters.iter().any(|(known, _)| *known == name) {
            found.sort_only.push(name.clone());
            found.attributes.insert(name, Raw::Untyped(value));
        }
    }
    for (name, value) in filters {
        match found.attributes.remove(&name) {
            None => found.attributes.insert(name, Raw::Untyped(value)),
            Some(Raw::List(mut list)) => {
                list.push(value);
                found.attributes.insert(name, Raw::List(list))
            }
            Some(Raw::Untyped(first) | Raw::Text(first)) => {
                found.attributes.insert(name, Raw::List(vec![first, value]))
            }
            Some(other) => found.attributes.insert(name, other),
        };
    }
    found
}

fn last_of_each(pairs: Vec<(String, String)>) -> Vec<(String, String)> {
    let mut kept: Vec<(String, String)> = Vec::with_capacity(pairs.len());
    for (name, value) in pairs {
        match kept.iter_mut().find(|(known, _)| *known == name) {
            Some(known) => known.1 = value,
            None => kept.push((name, value)),
        }
    }
    kept
}

/// Reads a list of `name`, `name[attribute]` and `name:value to the end`, separated by commas.
/// Names without a value are left out.
fn parse(spec: &str, element: ElementRef) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut rest = spec;
    while !rest.trim().is_empty() {
        let end = rest.find(',').unwrap_or(rest.len());
        let item = &rest[..end];
        let (name, value) = match (item.find('['), item.find(':')) {
            (bracket, Some(colon)) if bracket.is_none_or(|bracket| colon < bracket) => {
                let value = fold(&rest[colon + 1..]);
                rest = "";
                (&item[..colon], value)
            }
            (Some(bracket), _) => {
                let attribute = item[bracket + 1..].split(']').next().unwrap_or_default().trim();
                (&item[..bracket], element.value().attr(attribute).map(fold).unwrap_or_default())
            }
            (None, _) => (item, text_of(element)),
        };
        let name = name.trim();
        if !name.is_empty() && !value.is_empty() {
            found.push((name.to_owned(), value));
        }
        rest = rest.get(end + 1..).unwrap_or_default();
    }
    found
}

/// Returns all text below an element, folded.
pub(super) fn text_of(element: ElementRef) -> String {
    let mut text = String::new();
    for part in element.text() {
        text.push_str(part);
    }
    fold(&text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn collected(html: &str) -> Annotations {
        collect(&Html::parse_document(html))
    }

    #[test]
    fn a_list_of_names_takes_text_attributes_and_at_last_a_value() {
        let found = collected(
            r#"<a href="/" title="Homepage"
            data-pagefind-meta="link_text, link_title[title], other:Freeform, captured to the end"
            >Hello World</a>"#,
        );
        let expect = [
            ("link_text", "Hello World"),
            ("link_title", "Homepage"),
            ("other", "Freeform, captured to the end"),
        ];
        assert_eq!(found.meta, expect.map(|(name, value)| (name.to_owned(), value.to_owned())));
    }

    #[test]
    fn filters_gather_values_and_sorts_keep_one() {
        let found = collected(
            r#"<head><meta data-findling-filter="site[content]" content="Docs"></head>
               <b data-findling-filter="author">Ann</b> <b data-findling-filter="author">Bob</b>
               <i data-findling-sort="date:2024-01-01"></i>
                <i data-findling-filter="rank:2" data-findling-sort="rank:2"></i>"#,
        );
        assert_eq!(found.attributes["author"], Raw::List(vec!["Ann".into(), "Bob".into()]));
        assert_eq!(found.attributes["site"], Raw::Untyped("Docs".into()));
        assert_eq!(found.sort_only, ["date"]);
    }

    #[test]
    fn what_is_ignored_still_counts_unless_all_of_it_is() {
        let found = collected(
            r#"<div data-pagefind-ignore><h1>Title</h1><p data-pagefind-meta="a">1</p></div>
               <div data-pagefind-ignore="all"><p data-pagefind-meta="b">2</p></div>"#,
        );
        assert_eq!(found.first_h1.as_deref(), Some("Title"));
        assert_eq!(found.meta, [("a".to_owned(), "1".to_owned())]);
    }

    #[test]
    fn the_title_is_not_among_the_rest() {
        let found = collected(
            r#"<h1 data-findling-meta="title">A title</h1>
               <img data-findling-default-meta="image[src]" src="x.png">"#,
        );
        assert_eq!(found.title.as_deref(), Some("A title"));
        assert_eq!(found.meta, [("image".to_owned(), "x.png".to_owned())]);
    }
}

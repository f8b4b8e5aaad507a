//! The walk over a page: it collects the content, and the site's declarations about the page in
//! `data-pagefind-*` attributes.
//!
//! The rules are Pagefind's, so that a site moves over with the same pages, texts and filters. In a
//! page without `data-pagefind-body` all text is content, except in elements that are never
//! content. Each element collects what is inside it and passes that on to its parent when it ends,
//! or drops it.

use std::collections::BTreeMap;

use ego_tree::iter::Edge;
use scraper::node::Element;
use scraper::{ElementRef, Html, Node, Selector};

use super::fragment::Anchor;
use super::pieces::Piece;
use super::spec::{self, Spec, Value, fold};

/// Elements that are never content.
const NEVER_CONTENT: &[&str] = &[
    "head", "style", "script", "noscript", "label", "form", "svg", "footer", "nav", "iframe",
    "template",
];

/// Elements whose text is a separate sentence.
const SENTENCES: &[&str] =
    &["h1", "h2", "h3", "h4", "h5", "h6", "p", "td", "div", "ul", "li", "article", "section"];

/// Elements whose text belongs to the element around them.
const INLINE: &[&str] = &[
    "a", "abbr", "acronym", "b", "bdo", "big", "br", "button", "cite", "code", "dfn", "em", "i",
    "img", "input", "kbd", "label", "map", "object", "output", "q", "samp", "script", "select",
    "small", "span", "strong", "sub", "sup", "textarea", "time", "tt", "var",
];

/// The selectors of the elements to read.
pub(super) struct Selectors {
    /// The element of a page that is read.
    pub root: Selector,
    /// The elements that are never content, besides [`NEVER_CONTENT`].
    pub excluded: Vec<Selector>,
}

/// The parts of a page.
#[derive(Debug, Default)]
pub(super) struct Digest {
    pub pieces: Vec<Piece>,
    /// Elements with an id, in order.
    pub anchors: Vec<Anchor>,
    pub filters: BTreeMap<String, Vec<String>>,
    pub sorts: BTreeMap<String, String>,
    pub meta: BTreeMap<String, String>,
    pub marked_body: bool,
    /// The `lang` of `<html>`, in lower case.
    pub language: Option<String>,
    /// Values of `data-pagefind-ignore` that have no meaning.
    pub odd_ignores: Vec<String>,
}

/// The treatment of an element.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Status {
    Content,
    /// The element is not content, but its statements about the page count.
    Ignored,
    /// The element is treated as if it were not there.
    Excluded,
    Body,
    /// The element contains a body, so only the body is content.
    AroundBody,
}

struct Frame {
    status: Status,
    pieces: Vec<Piece>,
    /// Anchors whose text is inside the element.
    anchors: Vec<usize>,
    /// The anchor of the element itself.
    own_anchor: Option<usize>,
}

/// Reads a page.
pub(super) fn read(html: &Html, selectors: &Selectors) -> Digest {
    let language = html
        .root_element()
        .value()
        .attr("lang")
        .map(|language| language.trim().to_lowercase())
        .filter(|language| !language.is_empty());
    let mut walk = Walk {
        selectors,
        digest: Digest { language, ..Digest::default() },
        default_meta: BTreeMap::new(),
        title: None,
        page_title: None,
        image: None,
        frames: vec![Frame {
            status: Status::Content,
            pieces: Vec::new(),
            anchors: Vec::new(),
            own_anchor: None,
        }],
    };
    // Nesting depth inside roots: a root may contain another.
    let mut depth = 0;
    for edge in html.tree.root().traverse() {
        match edge {
            Edge::Open(node) => match node.value() {
                Node::Element(element) => {
                    let Some(reference) = ElementRef::wrap(node) else { continue };
                    if depth > 0 || selectors.root.matches(&reference) {
                        depth += 1;
                        walk.open(reference, element);
                    }
                }
                Node::Text(text) if depth > 0 => walk.text(text),
                _ => {}
            },
            Edge::Close(node) => {
                if let (Node::Element(element), true) = (node.value(), depth > 0) {
                    depth -= 1;
                    walk.close(element);
                }
            }
        }
    }
    walk.finish()
}

struct Walk<'a> {
    selectors: &'a Selectors,
    digest: Digest,
    default_meta: BTreeMap<String, String>,
    /// The text of the first `<h1>`.
    title: Option<String>,
    /// The text of `<title>`.
    page_title: Option<String>,
    /// Source and description of the first image after the title.
    image: Option<(String, Option<String>)>,
    frames: Vec<Frame>,
}

impl Walk<'_> {
    fn open(&mut self, reference: ElementRef, element: &Element) {
        let Some(parent) = self.frames.last_mut() else { return };
        let mut status = self.digest.status_of(element);
        let mut own_anchor = None;
        let counts = !matches!(status, Status::Ignored | Status::Excluded);
        let outside = parent.status == Status::AroundBody && status != Status::Body;
        if let (Some(id), true, false) = (element.attr("id"), counts, outside) {
            own_anchor = Some(self.digest.anchors.len());
            parent.pieces.push(Piece::Anchor(self.digest.anchors.len()));
            self.digest.anchors.push(Anchor {
                element: element.name().to_owned(),
                id: id.split_whitespace().collect(),
                title: element.attr("data-pagefind-title").map(fold),
                ..Anchor::default()
            });
        }
        if status != Status::Excluded {
            if let Some(names) = element.attr("data-pagefind-index-attrs") {
                for value in names.split(',').filter_map(|name| element.attr(name.trim())) {
                    let stop = if ends_open(value) { "." } else { "" };
                    parent.pieces.push(Piece::Text(format!(" {value}{stop} ")));
                }
            }
            if element.name() == "br" {
                parent.pieces.push(Piece::Text(" ".to_owned()));
            }
        }
        let inherits = INLINE.contains(&element.name());
        let mut anchors = if inherits { parent.anchors.clone() } else { Vec::new() };
        anchors.extend(own_anchor);
        if parent.status == Status::Excluded {
            status = Status::Excluded;
        } else if status != Status::Excluded && self.is_left_out(reference, element) {
            status = Status::Ignored;
        }
        self.frames.push(Frame { status, pieces: Vec::new(), anchors, own_anchor });
    }

    fn is_left_out(&self, reference: ElementRef, element: &Element) -> bool {
        NEVER_CONTENT.contains(&element.name())
            || self.selectors.excluded.iter().any(|selector| selector.matches(&reference))
    }

    fn text(&mut self, text: &str) {
        let Some(frame) = self.frames.last_mut() else { return };
        frame.pieces.push(Piece::Text(text.to_owned()));
        if !matches!(frame.status, Status::Ignored | Status::Excluded) {
            for anchor in &frame.anchors {
                self.digest.anchors[*anchor].text.push_str(text);
            }
        }
    }

    fn close(&mut self, element: &Element) {
        let Some(mut frame) = self.frames.pop() else { return };
        if frame.status == Status::Excluded {
            return;
        }
        self.said(element, &frame);
        if frame.status == Status::Ignored {
            return;
        }
        if SENTENCES.contains(&element.name()) {
            // Sentences of an excerpt end with a full stop.
            if let Some(Piece::Text(text)) = frame.pieces.last_mut()
                && ends_open(text)
            {
                text.push('.');
            }
            frame.pieces.insert(0, Piece::Break);
            frame.pieces.push(Piece::Break);
        }
        let weight = element.attr("data-pagefind-weight").map(|weight| {
            weight.trim().parse().ok().filter(|weight: &f32| weight.is_finite()).unwrap_or(1.0)
        });
        if let Some(level) = heading_level(element.name()) {
            frame.pieces.insert(0, Piece::Heading { level, anchor: frame.own_anchor });
            frame.pieces.push(Piece::EndHeading);
        }
        if let Some(weight) = weight {
            frame.pieces.insert(0, Piece::Weight(weight));
            frame.pieces.push(Piece::EndWeight);
        }
        self.pass_on(frame);
    }

    /// Passes the contents of an element to its parent.
    fn pass_on(&mut self, frame: Frame) {
        let Some(parent) = self.frames.last_mut() else { return };
        let has_body = matches!(frame.status, Status::Body | Status::AroundBody);
        if parent.status == Status::AroundBody && !has_body {
            return;
        }
        if has_body && parent.status != Status::AroundBody {
            parent.pieces.clear();
            parent.status = Status::AroundBody;
        }
        parent.pieces.extend(frame.pieces);
    }

    /// Collects the statements of an element about the page.
    fn said(&mut self, element: &Element, frame: &Frame) {
        let text = || fold(&text_of(&frame.pieces));
        let pairs = |name: &str| -> Vec<(String, String)> {
            let specs = element.attr(name).map_or_else(Vec::new, |spec| {
                spec::parse(spec, |name| element.attr(name).map(str::to_owned))
            });
            specs
                .into_iter()
                .filter_map(|Spec { name, value }| match value {
                    Value::Given(value) => Some((name, value)),
                    Value::Text => Some((name, text())).filter(|(_, text)| !text.is_empty()),
                })
                .collect()
        };
        for (name, value) in pairs("data-pagefind-filter") {
            self.digest.filters.entry(name).or_default().push(value);
        }
        self.digest.sorts.extend(pairs("data-pagefind-sort"));
        self.digest.meta.extend(pairs("data-pagefind-meta"));
        self.default_meta.extend(pairs("data-pagefind-default-meta"));
        match element.name() {
            "h1" if self.title.is_none() => self.title = Some(text()).filter(|t| !t.is_empty()),
            "title" if self.page_title.is_none() => self.page_title = Some(text()),
            "img" if self.image.is_none() => {
                let after_title = self.title.is_some() || self.digest.meta.contains_key("title");
                if let (Some(source), true) = (element.attr("src"), after_title) {
                    self.image = Some((source.to_owned(), element.attr("alt").map(str::to_owned)));
                }
            }
            _ => {}
        }
    }

    fn finish(mut self) -> Digest {
        let mut digest = self.digest;
        if let Some(page) = self.frames.pop() {
            digest.marked_body = page.status == Status::AroundBody;
            digest.pieces = page.pieces;
        }
        for anchor in &mut digest.anchors {
            anchor.text = fold(&anchor.text);
        }
        if let (Some((source, alt)), false) = (self.image, digest.meta.contains_key("image")) {
            digest.meta.insert("image".to_owned(), source);
            digest.meta.insert("image_alt".to_owned(), alt.unwrap_or_default());
        }
        if let Some(title) = self.title.or(self.page_title) {
            digest.meta.entry("title".to_owned()).or_insert(title);
        }
        for (name, value) in self.default_meta {
            digest.meta.entry(name).or_insert(value);
        }
        digest
    }
}

impl Digest {
    fn status_of(&mut self, element: &Element) -> Status {
        if element.attr("data-pagefind-body").is_some() {
            return Status::Body;
        }
        match element.attr("data-pagefind-ignore").map(|value| value.trim().to_ascii_lowercase()) {
            None => Status::Content,
            Some(value) if matches!(value.as_str(), "" | "index" | "true") => Status::Ignored,
            Some(value) => {
                if value != "all" {
                    self.odd_ignores.push(value);
                }
                Status::Excluded
            }
        }
    }
}

fn heading_level(name: &str) -> Option<u8> {
    match name.as_bytes() {
        [b'h', level @ b'1'..=b'6'] => Some(level - b'0'),
        _ => None,
    }
}

/// Returns whether text ends without a mark that ends a sentence.
fn ends_open(text: &str) -> bool {
    text.chars()
        .next_back()
        .is_some_and(|c| c.is_alphanumeric() || matches!(c, '_' | '\'' | ')' | '$' | '*'))
}

fn text_of(pieces: &[Piece]) -> String {
    let mut text = String::new();
    for piece in pieces {
        match piece {
            Piece::Text(part) => text.push_str(part),
            Piece::Break => text.push(' '),
            _ => {}
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::pieces;
    use super::*;

    fn digest(html: &str) -> Digest {
        let selectors = Selectors {
            root: Selector::parse("html").unwrap(),
            excluded: vec![Selector::parse(".chrome").unwrap()],
        };
        read(&Html::parse_document(html), &selectors)
    }

    fn content(html: &str) -> String {
        let digest = digest(html);
        pieces::read(&digest.pieces, &digest.anchors, false).text
    }

    #[test]
    fn blocks_are_sentences_and_inline_elements_are_not() {
        assert_eq!(content("<p>Hello</p><p>World?</p><p>Yes!</p>"), "Hello. World? Yes!");
        assert_eq!(content("<span>Hello</span><b>World</b>"), "HelloWorld");
        assert_eq!(content("<p>One<br>two</p>"), "One two.");
        assert_eq!(
            content("<img alt='A cat' data-pagefind-index-attrs='alt, title'><p>x</p>"),
            "A cat. x."
        );
    }

    #[test]
    fn marked_bodies_are_the_only_content() {
        let html = "<h1>Out</h1><div data-pagefind-body><p>In</p></div><p>Out</p>\
                    <div><p>Out</p><main data-pagefind-body><p>Also</p></main><p>Out</p></div>";
        assert_eq!(content(html), "In. Also.");
        let digest = digest(html);
        assert!(digest.marked_body);
        assert_eq!(digest.meta["title"], "Out");
    }

    #[test]
    fn what_is_ignored_still_speaks_unless_all_of_it_is() {
        let html = "<p>a <i data-pagefind-ignore>b</i> c</p><nav>n</nav><p class=chrome>x</p>\
                    <p data-pagefind-ignore data-pagefind-meta=one>1</p>\
                    <p data-pagefind-ignore=all data-pagefind-meta=two>2</p>\
                    <p data-pagefind-ignore=misc>3</p>";
        assert_eq!(content(html), "a c.");
        let digest = digest(html);
        assert_eq!(digest.meta, BTreeMap::from([("one".to_owned(), "1".to_owned())]));
        assert_eq!(digest.odd_ignores, ["misc"]);
    }

    #[test]
    fn titles_and_images_have_defaults() {
        let digest = digest(
            "<title data-pagefind-default-meta=title>Site</title>\
             <meta data-pagefind-default-meta='image[content]' content=/d.png>\
             <img src=/logo.png><h1></h1><h1>Page</h1><img src=/a.png alt=A><img src=/b.png>",
        );
        assert_eq!(digest.meta["title"], "Page");
        assert_eq!(digest.meta["image"], "/a.png");
        assert_eq!(digest.meta["image_alt"], "A");
    }

    #[test]
    fn anchors_know_their_place_and_text() {
        let digest = digest(
            "<p>One two</p><h2 id='a b'>Three <a id=c href=/>four</a></h2><ul id=l><li>x</li></ul>",
        );
        let content = pieces::read(&digest.pieces, &digest.anchors, false);
        let anchors: Vec<_> = content
            .anchors
            .iter()
            .map(|a| (a.element.as_str(), a.id.as_str(), a.text.as_str(), a.location))
            .collect();
        assert_eq!(
            anchors,
            [("h2", "ab", "Three four", 2), ("a", "c", "four", 3), ("ul", "l", "", 4)]
        );
        let sections: Vec<_> =
            content.sections.iter().map(|s| (s.heading.as_str(), s.anchor.as_deref())).collect();
        assert_eq!(sections, [("", None), ("Three four.", Some("ab"))]);
    }

    #[test]
    fn headings_and_authors_weigh_words() {
        let digest = digest(
            "<h1>a</h1><p>b</p><div data-pagefind-weight=3><h2>c</h2><p>d e</p></div><h6>f</h6>",
        );
        let content = pieces::read(&digest.pieces, &digest.anchors, false);
        assert_eq!(content.weights, [(0, 1, 7.0), (2, 5, 3.0), (5, 6, 2.0)]);
        assert_eq!(content.sections[1].blocks[0].weight, 3.0);
    }
}

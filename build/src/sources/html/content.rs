//! The walk over an element's content: text into blocks, headings and definition entries into
//! sections.
//!
//! It goes by links between nodes and keeps its own stack, so that no depth of nesting exhausts the
//! thread's.

use ego_tree::{NodeId, NodeRef};
use scraper::{ElementRef, Node};

use super::super::outline::{Folded, Outline};
use super::annotations::{self, annotation};
use super::rows::row_entry;
use super::rules::{self, Attrs};

/// State of the walk.
pub(super) struct Walker {
    pub outline: Outline,
    /// The site marked the content itself.
    pub explicit: bool,
    /// Inside `<main>`, `<article>` or such.
    pub in_content: bool,
    /// The page may have annotations.
    pub annotated: bool,
    /// Entries of definition lists and of tables with an anchor are sections.
    pub definition_sections: bool,
    /// The first heading of level 1.
    pub h1: Option<String>,
    root: Option<NodeId>,
    frames: Vec<Frame>,
    containers: Vec<Container>,
    lists: Vec<List>,
    rows: u32,
    /// The entry that a row of a table began last: its name, its place in the outline.
    last_entry: Option<(String, usize)>,
    capture: Option<Capture>,
    /// The anchor of an empty `<a id>` or `<a name>` just passed, which belongs to the heading
    /// that follows.
    loose_anchor: Option<String>,
}

/// What to undo when an element ends.
struct Frame {
    node: NodeId,
    undo: Undo,
}

enum Undo {
    Code,
    Weight(f32),
    Block,
    Row,
    Entry,
    Cell,
    Content(bool),
    Container,
    List,
    Capture,
}

/// An element that is a section of its document, with the anchor for its first heading.
struct Container {
    id: Option<String>,
    headed: bool,
}

/// A definition list.
#[derive(Default)]
struct List {
    /// An entry of it is a section that is under way.
    open: bool,
    /// That entry has its description already: the next term starts another.
    described: bool,
}

/// Text that goes elsewhere than into a block.
struct Capture {
    text: Folded,
    purpose: Purpose,
}

enum Purpose {
    Heading { level: u8, anchor: Option<String> },
    Term { anchor: String, name: Option<String> },
}

impl Walker {
    /// A walk that adds to `outline`.
    pub fn new(outline: Outline, in_content: bool) -> Self {
        Self {
            outline,
            explicit: false,
            in_content,
            annotated: false,
            definition_sections: true,
            h1: None,
            root: None,
            frames: Vec::new(),
            containers: Vec::new(),
            lists: Vec::new(),
            rows: 0,
            last_entry: None,
            capture: None,
            loose_anchor: None,
        }
    }

    /// Adds the content of an element.
    pub fn walk(&mut self, root: ElementRef) {
        self.root = Some(root.id());
        let mut node = *root;
        loop {
            let descend = self.open(node);
            if descend && let Some(child) = node.first_child() {
                node = child;
                continue;
            }
            loop {
                self.close(node.id());
                if node.id() == root.id() {
                    self.outline.end_block();
                    return;
                }
                if let Some(sibling) = node.next_sibling() {
                    node = sibling;
                    break;
                }
                match node.parent() {
                    Some(parent) => node = parent,
                    None => return,
                }
            }
        }
    }

    fn sink(&mut self) -> &mut Folded {
        match &mut self.capture {
            Some(capture) => &mut capture.text,
            None => self.outline.text(),
        }
    }

    /// A block begins or ends. In headings and in rows of tables that is no more than a space.
    fn boundary(&mut self) {
        if self.capture.is_some() || self.rows > 0 {
            self.sink().space();
        } else {
            self.outline.end_block();
        }
    }

    fn frame(&mut self, node: NodeId, undo: Undo) {
        self.frames.push(Frame { node, undo });
    }

    /// Begins a node; returns whether its children are to be visited.
    fn open(&mut self, node: NodeRef<Node>) -> bool {
        let element = match node.value() {
            Node::Element(element) => element,
            Node::Text(text) => {
                if self.loose_anchor.is_some() && !text.trim().is_empty() {
                    self.loose_anchor = None;
                }
                self.sink().push(text);
                return false;
            }
            Node::Fragment | Node::Document => return true,
            _ => return false,
        };
        let name = element.name();
        if rules::is_machinery(name) {
            return false;
        }
        let attrs = Attrs::of(element);
        if attrs.hidden {
            return false;
        }
        if self.annotated && annotations::ignore(element).is_some() {
            return false;
        }
        if !element.attrs.is_empty() || matches!(name, "nav" | "footer" | "header" | "aside") {
            // The root itself was chosen for its content, whatever its class.
            let is_root = self.root == Some(node.id());
            if !is_root && rules::is_surrounding(name, &attrs, self.explicit, self.in_content) {
                return false;
            }
        }
        let id = node.id();
        if self.annotated {
            if let Some(weight) = annotations::weight(element) {
                let before = self.outline.set_weight(weight);
                self.frame(id, Undo::Weight(before));
            }
            self.index_attributes(element);
        }
        match name {
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" if is_label(node, &attrs) => {
                self.boundary();
                self.frame(id, Undo::Block);
            }
            "h1" | "h2" | "h3" | "h4" | "h5" | "h6" if self.capture.is_none() => {
                let level = name.as_bytes()[1] - b'0';
                let anchor = self.heading_anchor(node, &attrs);
                self.outline.end_block();
                self.capture = Some(Capture {
                    text: Folded::default(),
                    purpose: Purpose::Heading { level, anchor },
                });
                self.frame(id, Undo::Capture);
            }
            "pre" => return self.preformatted(node),
            "img" => {
                if let Some((_, text)) = element.attrs().find(|(name, _)| *name == "alt") {
                    self.sink().space();
                    self.sink().push(text);
                    self.sink().space();
                }
                return false;
            }
            "br" | "wbr" => {
                if name == "br" {
                    self.sink().space();
                }
                return false;
            }
            "a" => return self.link(node, &attrs),
            "sup" if is_footnote_mark(node) => return false,
            "dl" => {
                self.boundary();
                self.lists.push(List::default());
                self.frame(id, Undo::List);
            }
            "dt" => self.term(node, &attrs),
            "dd" => {
                if let Some(list) = self.lists.last_mut() {
                    list.described = true;
                }
                self.boundary();
                self.frame(id, Undo::Block);
            }
            "table" => {
                self.last_entry = None;
                self.boundary();
                self.frame(id, Undo::Block);
            }
            "tr" => {
                if self.capture.is_none() {
                    self.outline.end_block();
                }
                let entry = self.rows == 0 && self.capture.is_none() && self.row(node);
                self.rows += 1;
                self.frame(id, if entry { Undo::Entry } else { Undo::Row });
            }
            "td" | "th" => {
                self.sink().separate("|");
                self.frame(id, Undo::Cell);
            }
            "main" | "article" => {
                self.container(id, &attrs, name == "article");
                let before = std::mem::replace(&mut self.in_content, true);
                self.boundary();
                self.frame(id, Undo::Content(before));
            }
            "section" => {
                self.container(id, &attrs, true);
                self.boundary();
                self.frame(id, Undo::Block);
            }
            "div" if attrs.has_class(rules::is_section_class) => {
                self.container(id, &attrs, true);
                self.boundary();
                self.frame(id, Undo::Block);
            }
            _ if rules::is_code(name) => {
                self.sink().start_code();
                self.frame(id, Undo::Code);
            }
            _ if rules::is_block(name) => {
                self.boundary();
                self.frame(id, Undo::Block);
            }
            "option" | "legend" => self.boundary(),
            _ => {
                if attrs.id.is_some() && node.first_child().is_none() {
                    self.loose_anchor = attrs.id.map(str::to_owned);
                }
            }
        }
        true
    }

    fn close(&mut self, node: NodeId) {
        while let Some(frame) = self.frames.pop_if(|frame| frame.node == node) {
            match frame.undo {
                Undo::Code => self.sink().end_code(),
                Undo::Weight(before) => {
                    self.outline.set_weight(before);
                }
                Undo::Block => self.boundary(),
                Undo::Row => {
                    self.rows = self.rows.saturating_sub(1);
                    self.boundary();
                }
                Undo::Entry => {
                    self.rows = self.rows.saturating_sub(1);
                    self.outline.leave_definition();
                }
                Undo::Cell => self.sink().space(),
                Undo::Content(before) => {
                    self.in_content = before;
                    self.boundary();
                }
                Undo::Container => {
                    self.containers.pop();
                }
                Undo::List => self.end_list(),
                Undo::Capture => self.end_capture(),
            }
        }
    }

    fn container(&mut self, node: NodeId, attrs: &Attrs, anchors: bool) {
        self.containers
            .push(Container { id: attrs.id.filter(|_| anchors).map(str::to_owned), headed: false });
        self.frame(node, Undo::Container);
    }

    fn index_attributes(&mut self, element: &scraper::node::Element) {
        let Some(names) = annotation!(element, "index-attrs") else { return };
        for name in names.split(',') {
            if let Some(value) = element.attr(name.trim()) {
                self.boundary();
                self.sink().push(value);
                self.boundary();
            }
        }
    }

    /// The heading's own id, one inside it, its link to itself, the id of the section it is the
    /// first heading of, or an empty anchor in front.
    fn heading_anchor(&mut self, node: NodeRef<Node>, attrs: &Attrs) -> Option<String> {
        let loose = self.loose_anchor.take();
        let mut inherited = None;
        for container in self.containers.iter_mut().rev() {
            if container.headed {
                break;
            }
            container.headed = true;
            if inherited.is_none() {
                inherited.clone_from(&container.id);
            }
        }
        let mut inside = None;
        let mut own_link = None;
        for below in node.descendants().skip(1) {
            let Node::Element(element) = below.value() else { continue };
            let attrs = Attrs::of(element);
            if attrs.has_class(|class| class == "indexterm") || rules::is_machinery(element.name())
            {
                continue;
            }
            if inside.is_none() {
                inside = attrs.id.or(attrs.name.filter(|_| element.name() == "a"));
            }
            if own_link.is_none() && element.name() == "a" {
                let marked = attrs.has_class(|class| {
                    class.contains("anchor")
                        || class.contains("headerlink")
                        || class.contains("hash-link")
                });
                own_link = attrs.href.and_then(|href| href.strip_prefix('#')).filter(|target| {
                    !target.is_empty()
                        && (marked
                            || ElementRef::wrap(below).is_some_and(|link| {
                                rules::is_permalink_mark(&annotations::text_of(link))
                            }))
                });
            }
        }
        attrs
            .id
            .or(inside)
            .map(str::to_owned)
            .or_else(|| own_link.map(percent_decoded))
            .or(inherited)
            .or(loose)
    }

    fn link(&mut self, node: NodeRef<Node>, attrs: &Attrs) -> bool {
        let empty = node.first_child().is_none();
        if let Some(anchor) = attrs.id.or(attrs.name)
            && empty
        {
            self.loose_anchor = Some(anchor.to_owned());
        }
        if empty {
            return false;
        }
        let to_itself = attrs.href.is_some_and(|href| href.starts_with('#'));
        !(to_itself && has_only_mark(node))
    }

    /// A code block: the text as it stands, without line numbers, buttons and what the page hides.
    fn preformatted(&mut self, pre: NodeRef<Node>) -> bool {
        if self.capture.is_some() {
            return true;
        }
        let mut code = String::new();
        let mut node = pre;
        'walk: loop {
            let descend = match node.value() {
                Node::Text(text) => {
                    code.push_str(text);
                    false
                }
                Node::Element(element) => {
                    let attrs = Attrs::of(element);
                    if element.name() == "br" {
                        code.push('\n');
                    }
                    let hidden = rules::is_machinery(element.name())
                        || attrs.hidden
                        || attrs.has_class(|class| {
                            matches!(
                                class,
                                "boring"
                                    | "linenos"
                                    | "lineno"
                                    | "linenumber"
                                    | "line-numbers"
                                    | "gutter"
                                    | "copybtn"
                            )
                        })
                        || (self.annotated && annotations::ignore(element).is_some());
                    !hidden || node.id() == pre.id()
                }
                _ => false,
            };
            if descend && let Some(child) = node.first_child() {
                node = child;
                continue;
            }
            while node.id() != pre.id() {
                if let Some(sibling) = node.next_sibling() {
                    node = sibling;
                    continue 'walk;
                }
                match node.parent() {
                    Some(parent) => node = parent,
                    None => break 'walk,
                }
            }
            break;
        }
        self.outline.code_block(&code);
        false
    }

    /// The term of a definition list: the heading of a section, where it can be linked to.
    fn term(&mut self, node: NodeRef<Node>, attrs: &Attrs) {
        let anchor = attrs.id.map(str::to_owned).or_else(|| {
            node.descendants().skip(1).filter_map(|below| below.value().as_element()).find_map(
                |element| {
                    let attrs = Attrs::of(element);
                    if attrs.has_class(|class| class == "indexterm") {
                        return None;
                    }
                    attrs.id.or(attrs.name.filter(|_| element.name() == "a")).map(str::to_owned)
                },
            )
        });
        let in_notes =
            node.parent().and_then(|list| list.value().as_element()).is_some_and(|list| {
                Attrs::of(list)
                    .has_class(|class| matches!(class, "footnote" | "citation" | "field-list"))
            });
        match anchor {
            Some(anchor)
                if self.definition_sections
                    && !in_notes
                    && self.capture.is_none()
                    && self.rows == 0
                    && !self.lists.is_empty() =>
            {
                self.outline.end_block();
                let purpose = Purpose::Term { anchor, name: signature_name(node) };
                self.capture = Some(Capture { text: Folded::default(), purpose });
                self.frame(node.id(), Undo::Capture);
            }
            _ => {
                if let Some(list) = self.lists.last_mut()
                    && list.open
                    && list.described
                    && self.capture.is_none()
                {
                    self.outline.leave_definition();
                    list.open = false;
                }
                self.boundary();
                self.frame(node.id(), Undo::Block);
            }
        }
    }

    /// Begins the entry that a row of a table is, or goes on with the one before; whether it is
    /// one.
    fn row(&mut self, row: NodeRef<Node>) -> bool {
        if !self.definition_sections {
            return false;
        }
        let Some(entry) = row_entry(row) else { return false };
        match (entry.anchor, &self.last_entry) {
            (None, Some((name, place))) if *name == entry.name => self.outline.resume(*place),
            (None, _) => return false,
            (Some(anchor), _) => {
                let place = self.outline.enter_definition(entry.name.clone(), anchor);
                self.last_entry = Some((entry.name, place));
            }
        }
        true
    }

    fn end_list(&mut self) {
        if self.lists.pop().is_some_and(|list| list.open) {
            self.outline.leave_definition();
        }
        self.boundary();
    }

    fn end_capture(&mut self) {
        let Some(mut capture) = self.capture.take() else { return };
        let (text, code) = capture.text.take();
        match capture.purpose {
            Purpose::Heading { level, anchor } => {
                if level == 1 && self.h1.is_none() && !text.is_empty() {
                    self.h1 = Some(text.clone());
                }
                self.outline.heading(level, text, anchor);
            }
            Purpose::Term { anchor, name } => {
                let list = self.lists.last_mut();
                let again = list.as_ref().is_some_and(|list| list.open && !list.described);
                if again || text.is_empty() {
                    // A second term of the same entry.
                    self.code_line(text, code, name.is_some());
                    return;
                }
                if let Some(list) = list {
                    if list.open {
                        self.outline.leave_definition();
                    }
                    list.open = true;
                    list.described = false;
                }
                let is_signature = name.is_some();
                let heading = name.unwrap_or_else(|| text.clone());
                let whole = heading == text;
                self.outline.enter_definition(heading, anchor);
                if !whole {
                    self.code_line(text, code, is_signature);
                }
            }
        }
    }

    fn code_line(&mut self, text: String, code: Vec<(u32, u32)>, is_signature: bool) {
        if text.is_empty() {
            return;
        }
        let code = if is_signature { vec![(0, text.len() as u32)] } else { code };
        self.outline.line(text, code);
    }
}

/// The dotted name in a signature as Sphinx marks it up.
pub(super) fn signature_name(term: NodeRef<Node>) -> Option<String> {
    let mut name = String::new();
    let mut called = false;
    for element in term.children().filter_map(ElementRef::wrap) {
        let attrs = Attrs::of(element.value());
        if attrs.has_class(|class| {
            matches!(class, "sig-prename" | "sig-name" | "descclassname" | "descname")
        }) {
            name.push_str(&annotations::text_of(element));
        } else if attrs.has_class(|class| class == "sig-paren") {
            called = true;
            break;
        }
    }
    if name.is_empty() {
        return None;
    }
    if called {
        name.push_str("()");
    }
    Some(name)
}

/// Whether a heading is no more than the word above a note (`Note`, `Warning`), as DocBook sets it:
/// nothing to link to, no section of its own.
fn is_label(heading: NodeRef<Node>, attrs: &Attrs) -> bool {
    attrs.id.is_none()
        && heading.parent().and_then(|parent| parent.value().as_element()).is_some_and(|parent| {
            parent.name() != "section"
                && Attrs::of(parent).has_class(|class| {
                    matches!(
                        class,
                        "note"
                            | "warning"
                            | "tip"
                            | "caution"
                            | "important"
                            | "admonition"
                            | "sidebar"
                            | "alert"
                            | "callout"
                    )
                })
        })
        && !heading
            .descendants()
            .skip(1)
            .filter_map(|below| below.value().as_element())
            .any(|below| Attrs::of(below).id.is_some())
}

fn has_only_mark(link: NodeRef<Node>) -> bool {
    let Some(element) = ElementRef::wrap(link) else { return false };
    // Pictures are content; their alternative text is read.
    let text = annotations::text_of(element);
    rules::is_permalink_mark(&text)
        && (!text.is_empty()
            || !link.descendants().any(|below| super::is_named(below.value(), "img")))
}

/// Whether an element holds nothing but a link with a number to a note on the same page.
fn is_footnote_mark(node: NodeRef<Node>) -> bool {
    let Some(element) = ElementRef::wrap(node) else { return false };
    let mut links = element.child_elements();
    let (Some(link), None) = (links.next(), links.next()) else { return false };
    link.value().name() == "a"
        && Attrs::of(link.value()).href.is_some_and(|href| href.contains('#'))
        && annotations::text_of(element)
            .trim_matches(['[', ']', '(', ')'])
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || c == '*')
}

/// An anchor as it is written in an `id`: links may spell it percent-encoded.
fn percent_decoded(target: &str) -> String {
    let bytes = target.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let escaped = (bytes[at] == b'%')
            .then(|| bytes.get(at + 1..at + 3))
            .flatten()
            .and_then(|digits| std::str::from_utf8(digits).ok())
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        decoded.push(escaped.unwrap_or(bytes[at]));
        at += if escaped.is_some() { 3 } else { 1 };
    }
    String::from_utf8(decoded).unwrap_or_else(|_| target.to_owned())
}

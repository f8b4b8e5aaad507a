//! The walk over an element's content: text into blocks, headings and definition entries into
//! sections.
//!
//! The walk follows the links between nodes and keeps its own stack, so that no depth of nesting
//! exhausts the thread's stack. [`Walker::left_out`] decides what is left out, and by which rule;
//! the rest of this file reads the remaining content.

use std::iter;

use ego_tree::{NodeId, NodeRef};
use scraper::node::Element;
use scraper::{ElementRef, Html, Node};

use super::super::left_out::{Rule, Trace};
use super::super::outline::{Folded, Outline};
use super::annotations::{self, annotation};
use super::attrs::Attrs;
use super::code_block::{self, is_code_control};
use super::controls::{self, Controls, describe};
use super::entries::{self, Entry};
use super::exclusions::{self, Switch};
use super::heading::{self, Heading};
use super::ids::{self, Ids};
use super::line_numbers::{NumberedTables, is_code_table, is_line_numbers};
use super::rules::{self, Place};
use super::steps::Steps;
use super::survey::language_of as language_of_element;
use super::text::Words;
use super::{apart, contents, footnotes, furniture, is_named, notebook_cells, pop_ups};

/// The facts about a document that are known before the walk.
pub(super) struct Known<'a> {
    controls: Controls<'a>,
    pub(super) ids: Ids<'a>,
    steps: Steps,
}

impl<'a> Known<'a> {
    /// Collects the facts about a document.
    pub fn of(html: &'a Html) -> Self {
        Self { controls: Controls::of(html), ids: Ids::of(html), steps: Steps::of(html) }
    }
}

/// State of the walk.
pub(super) struct Walker<'a> {
    pub outline: Outline,
    /// The place of the walk: inside of marked content, of `<main>`, `<article>` or such.
    pub place: Place,
    /// The page may have annotations.
    pub annotated: bool,
    /// Entries of definition lists and of tables with an anchor are sections.
    pub definition_sections: bool,
    /// The first heading of level 1.
    pub h1: Option<String>,
    /// Number of headings of level 1.
    pub n_h1: u32,
    /// The trace of the parts that are left out.
    pub trace: Trace,
    pub(super) capture: Option<Capture>,
    pub(super) lists: Vec<List>,
    pub(super) rows: u32,
    /// The entry that a table row began last: its name, and its place in the outline.
    pub(super) last_entry: Option<(String, usize)>,
    pub(super) known: Known<'a>,
    root: Option<NodeId>,
    /// Words of prose below the root, once they are needed.
    root_words: Option<usize>,
    numbered_tables: NumberedTables,
    frames: Vec<Frame>,
    containers: Vec<Container>,
    /// The anchor of an empty `<a id>` or `<a name>` just passed, which belongs to the heading
    /// that follows.
    loose_anchor: Option<String>,
    /// The last anchor passed.
    nearest_anchor: Option<String>,
    /// A comment switched indexing off.
    off: bool,
    /// The entry of an API that has begun, until its signature.
    entry: Option<Entry>,
}

/// The change to undo when an element ends.
struct Frame {
    node: NodeId,
    undo: Undo,
}

pub(super) enum Undo {
    Code,
    Raised,
    Weight(f32),
    Block,
    Row,
    Entry,
    ApiEntry,
    Link,
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
pub(super) struct List {
    /// One of its entries is an open section.
    pub open: bool,
    /// The open entry already has its description: the next term starts another entry.
    pub described: bool,
}

/// Text that does not go into a block.
pub(super) struct Capture {
    pub text: Folded,
    pub purpose: Purpose,
}

pub(super) enum Purpose {
    Heading { level: u8, heading: Heading, language: Option<String>, target: Option<String> },
    Signature { anchor: String, name: String },
    Term { anchor: String, name: Option<String> },
}

impl<'a> Walker<'a> {
    /// Returns a walk that adds to `outline`.
    pub fn new(outline: Outline, known: Known<'a>, trace: Trace) -> Self {
        Self {
            outline,
            place: Place { explicit: false, in_content: true, only_h1: false },
            annotated: false,
            definition_sections: true,
            h1: None,
            n_h1: 0,
            trace,
            capture: None,
            lists: Vec::new(),
            rows: 0,
            last_entry: None,
            known,
            root: None,
            root_words: None,
            numbered_tables: NumberedTables::default(),
            frames: Vec::new(),
            containers: Vec::new(),
            loose_anchor: None,
            nearest_anchor: None,
            off: false,
            entry: None,
        }
    }

    /// Adds the content of an element.
    pub fn walk(&mut self, root: ElementRef) {
        self.root = Some(root.id());
        self.root_words = None;
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

    pub(super) fn sink(&mut self) -> &mut Folded {
        match &mut self.capture {
            Some(capture) => &mut capture.text,
            None => self.outline.text(),
        }
    }

    /// Marks that a block begins or ends. In headings and in rows of tables, this adds only a
    /// space.
    pub(super) fn boundary(&mut self) {
        if self.capture.is_some() || self.rows > 0 {
            self.sink().space();
        } else {
            self.outline.end_block();
        }
    }

    pub(super) fn frame(&mut self, node: NodeId, undo: Undo) {
        self.frames.push(Frame { node, undo });
    }

    /// Begins a node; returns whether its children are to be visited.
    fn open(&mut self, node: NodeRef<Node>) -> bool {
        let element = match node.value() {
            Node::Element(element) => element,
            Node::Text(text) => {
                if self.off {
                    let words = || (String::new(), text.trim().to_owned());
                    self.trace.note(Rule::Ignored, words);
                    return false;
                }
                if self.loose_anchor.is_some() && !text.trim().is_empty() {
                    self.loose_anchor = None;
                }
                self.sink().push(text);
                return false;
            }
            Node::Fragment | Node::Document => return true,
            Node::Comment(comment) => {
                if let Some(switch) = exclusions::switch(comment) {
                    self.off = switch == Switch::Off;
                }
                return false;
            }
            _ => return false,
        };
        let attrs = Attrs::of(element);
        if let Some(rule) = self.left_out(node, element, &attrs) {
            self.trace.note(rule, || describe(node));
            if rules::is_block(element.name()) && self.capture.is_none() {
                self.boundary();
            }
            return false;
        }
        if self.annotated {
            if let Some(weight) = annotations::weight(element) {
                let before = self.outline.set_weight(weight);
                self.frame(node.id(), Undo::Weight(before));
            }
            self.index_attributes(element);
        }
        self.read(node, element, &attrs)
    }

    /// Returns the rule that leaves an element out, or `None` if it is content.
    fn left_out(&mut self, node: NodeRef<Node>, element: &Element, attrs: &Attrs) -> Option<Rule> {
        let name = element.name();
        if let Some(rule) = self.machinery(node, element, attrs) {
            return Some(rule);
        }
        if attrs.hidden && !self.known.controls.reveal(node, element, attrs) {
            return Some(Rule::Hidden);
        }
        let is_ignored = (self.annotated && annotations::ignore(element).is_some())
            || (self.off && !exclusions::switches_on_within(node))
            || (exclusions::asks_not_to_be_searched(element)
                && !exclusions::excludes_section(element));
        if is_ignored {
            return Some(Rule::Ignored);
        }
        // The root itself was chosen because of its content, regardless of its class.
        if self.root == Some(node.id()) {
            return None;
        }
        if !self.place.explicit && self.known.steps.has(node.id()) {
            return Some(Rule::Navigation);
        }
        let ids = &self.known.ids;
        let is_contents = match name {
            _ if self.place.explicit => false,
            "ul" | "ol" | "dl" => contents::is_contents(node, ids),
            "div" | "p" | "td" | "center" => contents::is_line_of_contents(node, ids),
            _ => false,
        };
        if is_contents {
            return Some(Rule::Navigation);
        }
        if element.attrs.is_empty() {
            // Only elements without a name of their own can be frames by their tag.
            let framed = matches!(name, "nav" | "footer" | "header" | "aside");
            let rule = framed.then(|| rules::surrounding(node, name, attrs, self.place)).flatten();
            return rule.or_else(|| {
                if heading::is_icon(element) {
                    return Some(Rule::Icon);
                }
                if name == "summary" && entries::is_source_control(node) {
                    return Some(Rule::Control);
                }
                is_line_numbers(node, element, false, &mut self.numbered_tables)
                    .then_some(Rule::LineNumbers)
            });
        }
        if let Some(rule) = rules::surrounding(node, name, attrs, self.place) {
            return Some(rule);
        }
        if !self.place.explicit {
            let ids_count = !self.place.in_content;
            if let Some(rule) = furniture::rule(node, element, attrs, ids_count) {
                return Some(rule);
            }
        }
        if notebook_cells::is_output(node, attrs) {
            return Some(Rule::NotebookOutput);
        }
        if is_line_numbers(node, element, false, &mut self.numbered_tables) {
            return Some(Rule::LineNumbers);
        }
        if heading::is_icon(element) {
            return Some(Rule::Icon);
        }
        if let Some(Capture { purpose: Purpose::Heading { heading, .. }, .. }) = &self.capture {
            if heading.is_screen_reader_text(element) {
                return Some(Rule::ScreenReaderText);
            }
            if heading::is_icon_name(node, element) {
                return Some(Rule::Icon);
            }
            let is_mark = (name == "a" && heading.is_mark_link(node, element))
                || heading.is_beside_its_text(element);
            if is_mark {
                return Some(Rule::HeadingMark);
            }
        } else if pop_ups::is_remark(node, element) {
            return Some(Rule::ScreenReaderText);
        } else if self.capture.is_none() {
            if name == "a" && heading::is_mark_beside_a_heading(node, attrs) {
                return Some(Rule::HeadingMark);
            }
            if is_code_control(node, element, attrs, false) {
                return Some(Rule::CodeControl);
            }
        }
        if pop_ups::is_pop_up(node, element, attrs) {
            return Some(Rule::PopUp);
        }
        if matches!(name, "a" | "label" | "summary" | "span") && entries::is_source_control(node) {
            return Some(Rule::Control);
        }
        footnotes::is_mark(node, element, attrs).then_some(Rule::ReferenceMark)
    }

    /// Returns the rule for elements that are not text according to their tag, unless they contain
    /// text anyway.
    fn machinery(&mut self, node: NodeRef<Node>, element: &Element, attrs: &Attrs) -> Option<Rule> {
        let name = element.name();
        let is_dialog = name == "dialog" || matches!(attrs.role, "dialog" | "alertdialog");
        match name {
            "button" => (!self.known.controls.reads_button(node, element)).then_some(Rule::Control),
            "form" => {
                let page_words = self.root_words(node);
                (!controls::form_is_content(node, page_words)).then_some(Rule::Form)
            }
            _ if is_dialog => {
                let page_words = self.root_words(node);
                let in_content = self.place.in_content;
                (!controls::dialog_is_content(node, element, in_content, page_words))
                    .then_some(Rule::Dialog)
            }
            _ if rules::is_not_text(name) && !rules::is_shadow_root(element) => Some(Rule::NotText),
            _ if rules::is_input(name) => Some(Rule::Control),
            _ => None,
        }
    }

    fn root_words(&mut self, node: NodeRef<Node>) -> usize {
        let root = self.root.and_then(|root| node.tree().get(root));
        *self
            .root_words
            .get_or_insert_with(|| root.map_or(0, |root| Words::of(root, usize::MAX).prose))
    }

    /// Reads an element that is content; returns whether its children are to be visited.
    fn read(&mut self, node: NodeRef<Node>, element: &Element, attrs: &Attrs) -> bool {
        let id = node.id();
        if let Some(anchor) = self.known.ids.anchor(node, attrs) {
            let is_mark = matches!(element.name(), "a" | "span" | "i" | "b" | "em" | "p" | "sup");
            if is_mark && ids::is_empty(node) {
                self.loose_anchor = Some(anchor.clone());
            }
            self.nearest_anchor = Some(anchor);
        }
        let may_stand_apart = !rules::is_block(element.name()) && !self.sink().is_in_code();
        if may_stand_apart
            && (apart::stands_apart(node, element) || apart::is_separator(node, element))
        {
            self.sink().space();
        }
        if self.signature(node, element, attrs) {
            return true;
        }
        if let Some(level) = heading::level(node, element, attrs) {
            self.heading(node, element, attrs, level);
            return true;
        }
        match element.name() {
            "pre" => return self.code_block(node),
            "table" if is_code_table(node) => return self.code_block(node),
            "div" if code_block::is_container_of_lines(node, attrs) => {
                return self.code_block(node);
            }
            "img" => {
                self.image(element);
                return false;
            }
            "br" => {
                self.sink().space();
                return false;
            }
            "wbr" => return false,
            "a" => return self.link(node, attrs),
            name if (name == "sup"
                || attrs.has_class(|class| matches!(class, "superscript" | "sup")))
                && !footnotes::is_behind_a_variable(node) =>
            {
                self.sink().start_raised();
                self.frame(id, Undo::Raised);
            }
            "dl" | "dt" | "dd" => self.definition(node, attrs),
            "table" | "tr" | "td" | "th" => self.table(node),
            "main" | "article" => {
                self.container(node, attrs, element.name() == "article");
                let before = std::mem::replace(&mut self.place.in_content, true);
                self.boundary();
                self.frame(id, Undo::Content(before));
            }
            name if name == "section"
                || (name == "div"
                    && (attrs.has_class(rules::is_section_class)
                        || attrs.id.is_some_and(|id| rules::is_section_called(node, id)))) =>
            {
                self.container(node, attrs, true);
                self.boundary();
                self.frame(id, Undo::Block);
            }
            name if rules::is_code(name) => {
                self.sink().start_code();
                self.frame(id, Undo::Code);
            }
            name if rules::is_block(name) || matches!(name, "form" | "dialog" | "button") => {
                self.boundary();
                self.frame(id, Undo::Block);
            }
            "option" | "legend" => self.boundary(),
            "label" => {
                self.sink().space();
                self.frame(id, Undo::Cell);
            }
            _ if apart::is_block_by_style(element) => {
                self.boundary();
                self.frame(id, Undo::Block);
            }
            _ => {}
        }
        true
    }

    fn close(&mut self, node: NodeId) {
        while let Some(frame) = self.frames.pop_if(|frame| frame.node == node) {
            match frame.undo {
                Undo::Code => self.sink().end_code(),
                Undo::Raised => {
                    if let Some(mark) = self.sink().end_raised() {
                        self.trace.note(Rule::ReferenceMark, || ("sup".to_owned(), mark));
                    }
                }
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
                Undo::ApiEntry => self.outline.leave_definition(),
                Undo::Link => self.sink().end_link(),
                Undo::Cell => self.sink().space(),
                Undo::Content(before) => {
                    self.place.in_content = before;
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

    fn container(&mut self, node: NodeRef<Node>, attrs: &Attrs, anchors: bool) {
        let id = self.known.ids.anchor(node, attrs).filter(|_| anchors);
        self.containers.push(Container { id, headed: false });
        self.frame(node.id(), Undo::Container);
    }

    fn index_attributes(&mut self, element: &Element) {
        let Some(names) = annotation!(element, "index-attrs") else { return };
        for name in names.split(',') {
            if let Some(value) = element.attr(name.trim()) {
                self.boundary();
                self.sink().push(value);
                self.boundary();
            }
        }
    }

    fn image(&mut self, element: &Element) {
        if let Some((_, text)) = element.attrs().find(|(name, _)| *name == "alt") {
            self.sink().space();
            self.sink().push(text);
            self.sink().space();
        }
    }

    fn heading(&mut self, node: NodeRef<Node>, element: &Element, attrs: &Attrs, level: u8) {
        let id = node.id();
        let may_begin = self.capture.is_none() && !heading::is_label(node, attrs);
        let anchor = may_begin.then(|| self.heading_anchor(node, attrs, level)).flatten();
        let is_part = anchor.is_none()
            && heading::is_label_of_part(node, level, self.outline.anchored_level());
        if !may_begin || is_part {
            self.boundary();
            self.frame(id, Undo::Block);
            return;
        }
        self.outline.end_block();
        if exclusions::asks_not_to_be_searched(element) {
            self.trace.note(Rule::Ignored, || describe(node));
            self.outline.exclude(level);
        }
        let heading = Heading::of(node, anchor);
        let (language, target) = (language_of(node), heading::target(node));
        self.capture = Some(Capture {
            text: Folded::default(),
            purpose: Purpose::Heading { level, heading, language, target },
        });
        self.frame(id, Undo::Capture);
    }

    /// Returns the anchor of the heading itself or of a link around it. If there is none, returns
    /// the id of the section whose first heading it is, or an empty anchor in front of it, or the
    /// id of an element that begins with it. If the heading's own id occurs earlier on the page,
    /// the id leads to the earlier place; then the nearest anchor before the heading is returned.
    fn heading_anchor(&mut self, node: NodeRef<Node>, attrs: &Attrs, level: u8) -> Option<String> {
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
        let ids = &self.known.ids;
        let found = heading::anchor_within(node, attrs, ids)
            .or_else(|| ids::around(node, 1, ids))
            .or(inherited)
            .or(loose)
            .or_else(|| ids::around(node, level, ids));
        let has_one = attrs.id.is_some() || heading::has_anchor(node);
        let found = found.or_else(|| self.nearest_anchor.clone().filter(|_| has_one));
        if found.is_some() {
            self.nearest_anchor.clone_from(&found);
        }
        found
    }

    /// Begins an entry of an API or its signature; returns whether the element is a signature.
    fn signature(&mut self, node: NodeRef<Node>, element: &Element, attrs: &Attrs) -> bool {
        if let Some(entry) = self.entry.take_if(|entry| entry.signature == node.id()) {
            self.outline.end_block();
            let purpose = Purpose::Signature { anchor: entry.anchor, name: entry.name };
            self.capture = Some(Capture { text: Folded::default(), purpose });
            self.frame(node.id(), Undo::Capture);
            return true;
        }
        let may_be = self.definition_sections
            && self.capture.is_none()
            && self.rows == 0
            && matches!(element.name(), "div" | "section" | "article" | "li");
        if may_be && let Some(entry) = entries::entry(node, attrs, &self.known.ids) {
            self.entry = Some(entry);
            self.frame(node.id(), Undo::ApiEntry);
        }
        false
    }

    fn link(&mut self, node: NodeRef<Node>, attrs: &Attrs) -> bool {
        if node.first_child().is_none() {
            return false;
        }
        let to_itself = attrs.href.is_some_and(|href| href.starts_with('#'));
        if to_itself && has_only_mark(node) {
            self.trace.note(Rule::HeadingMark, || describe(node));
            return false;
        }
        if let Some(href) = attrs.href {
            self.sink().start_link(href);
            self.frame(node.id(), Undo::Link);
        }
        true
    }

    fn code_block(&mut self, node: NodeRef<Node>) -> bool {
        if self.capture.is_some() {
            return true;
        }
        if self.off {
            self.trace.note(Rule::Ignored, || describe(node));
            return false;
        }
        let code = code_block::text(node, self.annotated, &mut self.trace);
        self.loose_anchor = None;
        if entries::is_listing(node) {
            self.outline.listing(&code);
        } else {
            self.outline.code_block(&code);
        }
        false
    }

    fn end_capture(&mut self) {
        let Some(mut capture) = self.capture.take() else { return };
        let (text, code) = capture.text.take();
        match capture.purpose {
            Purpose::Signature { anchor, name } => {
                self.outline.enter_definition(name.clone(), anchor);
                if text != name && !text.is_empty() {
                    let code = vec![(0, text.len() as u32)];
                    self.outline.line(text, code);
                }
            }
            Purpose::Heading { level, heading, language, target } => {
                if level == 1 && !text.is_empty() {
                    self.n_h1 += 1;
                    self.h1.get_or_insert_with(|| text.clone());
                }
                let has_text = !text.is_empty();
                self.outline.heading(level, text, heading.anchor);
                if let Some(target) = target.filter(|_| has_text) {
                    self.outline.leads_to(target);
                }
                if let Some(tag) = language.filter(|_| has_text) {
                    self.outline.language(tag);
                }
            }
            Purpose::Term { anchor, name } => self.end_term(text, code, anchor, name),
        }
    }
}

/// Returns the language that a heading or an element around it declares. A language of `<html>` or
/// `<body>` is the language of the page.
fn language_of(heading: NodeRef<Node>) -> Option<String> {
    let elements = iter::once(heading).chain(heading.ancestors());
    let elements = elements.filter_map(|node| node.value().as_element());
    let mut within = elements.filter(|element| !matches!(element.name(), "html" | "body"));
    within.find_map(language_of_element)
}

fn has_only_mark(link: NodeRef<Node>) -> bool {
    let Some(element) = ElementRef::wrap(link) else { return false };
    // Pictures are content; their alternative text is read.
    let text = annotations::text_of(element);
    rules::is_permalink_mark(&text)
        && (!text.is_empty() || !link.descendants().any(|below| is_named(below.value(), "img")))
}

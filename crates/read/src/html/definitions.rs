//! Entries of definition lists and tables: API entries, command options, settings. An entry that
//! can be linked to is a section.

use ego_tree::NodeRef;
use scraper::{ElementRef, Node};

use super::super::outline::Folded;
use super::annotations;
use super::attrs::Attrs;
use super::rows::row_entry;
use super::walker::{Capture, List, Purpose, Undo, Walker};

impl Walker<'_> {
    /// Begins a definition list, a term or a description.
    pub(super) fn definition(&mut self, node: NodeRef<Node>, attrs: &Attrs) {
        match node.value().as_element().map(|element| element.name()) {
            Some("dl") => {
                self.boundary();
                self.lists.push(List::default());
                self.frame(node.id(), Undo::List);
            }
            Some("dt") => self.term(node, attrs),
            _ => {
                if let Some(list) = self.lists.last_mut() {
                    list.described = true;
                }
                self.boundary();
                self.frame(node.id(), Undo::Block);
            }
        }
    }

    /// Begins a table, a row or a cell.
    pub(super) fn table(&mut self, node: NodeRef<Node>) {
        match node.value().as_element().map(|element| element.name()) {
            Some("table") => {
                self.last_entry = None;
                self.boundary();
                self.frame(node.id(), Undo::Block);
            }
            Some("tr") => {
                if self.capture.is_none() {
                    self.outline.end_block();
                }
                let entry = self.rows == 0 && self.capture.is_none() && self.row(node);
                self.rows += 1;
                self.frame(node.id(), if entry { Undo::Entry } else { Undo::Row });
            }
            _ => {
                self.sink().separate("|");
                self.frame(node.id(), Undo::Cell);
            }
        }
    }

    /// Begins the term of a definition list. The term is the heading of a section if it has an
    /// anchor.
    fn term(&mut self, node: NodeRef<Node>, attrs: &Attrs) {
        let ids = &self.known.ids;
        let anchor = ids.anchor(node, attrs).or_else(|| {
            node.descendants().skip(1).find_map(|below| {
                let attrs = Attrs::of(below.value().as_element()?);
                if attrs.has_class(|class| class == "indexterm") {
                    return None;
                }
                ids.anchor(below, &attrs)
            })
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

    /// Begins the entry of a table's row, or continues the previous one. Returns whether the row is
    /// an entry.
    fn row(&mut self, row: NodeRef<Node>) -> bool {
        if !self.definition_sections {
            return false;
        }
        let Some(entry) = row_entry(row, &self.known.ids) else { return false };
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

    pub(super) fn end_list(&mut self) {
        if self.lists.pop().is_some_and(|list| list.open) {
            self.outline.leave_definition();
        }
        self.boundary();
    }

    /// Ends a term, which begins an entry or is a second name of the previous entry.
    pub(super) fn end_term(
        &mut self,
        text: String,
        code: Vec<(u32, u32)>,
        anchor: String,
        name: Option<String>,
    ) {
        let list = self.lists.last_mut();
        let again = list.as_ref().is_some_and(|list| list.open && !list.described);
        if again || text.is_empty() {
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

    fn code_line(&mut self, text: String, code: Vec<(u32, u32)>, is_signature: bool) {
        if text.is_empty() {
            return;
        }
        let code = if is_signature { vec![(0, text.len() as u32)] } else { code };
        self.outline.line(text, code);
    }
}

/// Returns the dotted name in a signature as Sphinx marks it up.
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

//! The outline of a file: the headings that readers see beside the pages.

use std::collections::{HashMap, HashSet};

use hayro_interpret::hayro_syntax::Pdf;
use hayro_interpret::hayro_syntax::object::{Array, Dict, Name, Object, ObjectIdentifier};

use super::glyphs::text_string;
use crate::outline::fold;

/// Maximum number of entries that are read.
const MAX_ENTRIES: usize = 20_000;

/// Deepest nesting that is read.
const MAX_DEPTH: u8 = 12;

/// Maximum number of names of places that are read.
const MAX_NAMES: usize = 100_000;

/// An entry of an outline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Bookmark {
    pub title: String,
    /// The level, from 1.
    pub level: u8,
    /// The page, from 0.
    pub page: usize,
}

/// Returns the entries of a file's outline, in order. Entries that do not lead to a page are left
/// out.
pub(super) fn of(pdf: &Pdf) -> Vec<Bookmark> {
    let xref = pdf.xref();
    let Some(root) = xref.get::<Dict<'_>>(xref.root_id()) else { return Vec::new() };
    let Some(outlines) = root.get::<Dict<'_>>("Outlines") else { return Vec::new() };
    let mut places = Places { pages: HashMap::new(), names: HashMap::new() };
    for (number, page) in pdf.pages().iter().enumerate() {
        if let Some(id) = page.raw().obj_id() {
            places.pages.insert(id, number);
        }
    }
    places.read_names(&root);
    let mut found = Vec::new();
    let mut seen = HashSet::new();
    let mut open = vec![(outlines.get::<Dict<'_>>("First"), 1u8)];
    while let Some((entry, level)) = open.pop() {
        let Some(entry) = entry else { continue };
        let is_new = entry.obj_id().is_none_or(|id| seen.insert(id));
        if !is_new || found.len() >= MAX_ENTRIES {
            continue;
        }
        let title = entry.get::<Object<'_>>("Title").and_then(Object::into_string);
        let title = title.map(|title| fold(&text_string(title.as_bytes()))).unwrap_or_default();
        if let Some(page) = places.of_entry(&entry).filter(|_| !title.is_empty()) {
            found.push(Bookmark { title, level: level.min(6), page });
        }
        open.push((entry.get::<Dict<'_>>("Next"), level));
        if level < MAX_DEPTH {
            open.push((entry.get::<Dict<'_>>("First"), level + 1));
        }
    }
    found
}

/// The places in a file and their pages.
struct Places {
    pages: HashMap<ObjectIdentifier, usize>,
    /// The pages of named places.
    names: HashMap<Vec<u8>, usize>,
}

impl Places {
    /// Returns the page that an entry leads to.
    fn of_entry(&self, entry: &Dict<'_>) -> Option<usize> {
        let action = || entry.get::<Dict<'_>>("A");
        let place = entry.get::<Object<'_>>("Dest").or_else(|| action()?.get::<Object<'_>>("D"))?;
        self.of(place)
    }

    fn of(&self, place: Object<'_>) -> Option<usize> {
        match place {
            Object::Array(place) => self.of_array(&place),
            Object::String(name) => self.names.get(name.as_bytes()).copied(),
            Object::Name(name) => self.names.get(name.as_str().as_bytes()).copied(),
            Object::Dict(place) => self.of_array(&place.get::<Array<'_>>("D")?),
            _ => None,
        }
    }

    fn of_array(&self, place: &Array<'_>) -> Option<usize> {
        let first = place.raw_iter().next()?;
        let id = first.as_obj_ref()?;
        self.pages.get(&id.into()).copied()
    }

    /// Reads the named places: a dictionary, or a tree of names.
    fn read_names(&mut self, root: &Dict<'_>) {
        if let Some(places) = root.get::<Dict<'_>>("Dests") {
            let names: Vec<Name<'_>> = places.keys().take(MAX_NAMES).collect();
            for name in names {
                let page = places.get::<Object<'_>>(&*name).and_then(|place| self.of(place));
                if let Some(page) = page {
                    self.names.insert(name.as_str().as_bytes().to_vec(), page);
                }
            }
        }
        let tree = root.get::<Dict<'_>>("Names").and_then(|names| names.get::<Dict<'_>>("Dests"));
        let mut open: Vec<Dict<'_>> = tree.into_iter().collect();
        let mut seen = HashSet::new();
        while let Some(node) = open.pop() {
            if node.obj_id().is_some_and(|id| !seen.insert(id)) || self.names.len() >= MAX_NAMES {
                continue;
            }
            if let Some(kids) = node.get::<Array<'_>>("Kids") {
                open.extend(kids.iter::<Dict<'_>>());
            }
            let Some(pairs) = node.get::<Array<'_>>("Names") else { continue };
            let mut values = pairs.iter::<Object<'_>>();
            while let (Some(name), Some(place)) = (values.next(), values.next()) {
                let page = self.of(place);
                if let (Some(name), Some(page)) = (name.into_string(), page) {
                    self.names.insert(name.as_bytes().to_vec(), page);
                }
            }
        }
    }
}

//! The links between the entries of a bibliography: `crossref` and `xdata`.
//!
//! The library gives an entry the fields of the entries that it links to. It follows links
//! recursively and copies each entry on the way, so a circle overflows its stack, and a chain in
//! which each entry names the next one twice takes exponential time. Such links are removed before
//! the library sees them.

use std::collections::HashMap;

use biblatex::{Bibliography, Pair, ParseError, RawBibliography, RawEntry, Spanned};

/// Maximum number of copies of entries that are made for one entry.
const MAX_ENTRIES: usize = 1_000;

/// Longest chain of links from an entry to the entries from which it gets fields.
const MAX_STEPS: usize = 32;

/// Maximum number of bytes that are copied for one entry.
const MAX_BYTES: usize = 8 << 20;

/// Maximum number of bytes that are copied for all entries.
const MAX_FILE_BYTES: usize = 256 << 20;

/// Additional bytes that each field counts.
const FIELD_BYTES: usize = 200;

/// The fields that link, with the names under which they are read here: the library follows links
/// by their own names.
const LINKING: [(&str, &str); 2] = [("crossref", "findling-crossref"), ("xdata", "findling-xdata")];

/// Removes links that lead back to their own entry, or to too many entries or bytes. Returns the
/// places of the entries that lost a link.
///
/// # Errors
/// If the entries cannot be read: the library's error.
pub(super) fn cut(raw: &mut RawBibliography<'_>) -> Result<Vec<usize>, ParseError> {
    let is_linking = |pair: &Pair<'_>| renamed(pair.key.v).is_some();
    if !raw.entries.iter().any(|entry| entry.v.fields.iter().any(is_linking)) {
        return Ok(Vec::new());
    }
    let mut graph = Graph::of(raw)?;
    for entry in 0..graph.nodes.len() {
        graph.settle(entry);
    }
    let mut cut = Vec::new();
    for (place, (entry, node)) in raw.entries.iter_mut().zip(&graph.nodes).enumerate() {
        let before = entry.v.fields.len();
        entry.v.fields.retain(|pair| {
            let field = LINKING.iter().position(|(name, _)| pair.key.v.eq_ignore_ascii_case(name));
            field.is_none_or(|field| !node.is_cut[field])
        });
        if entry.v.fields.len() < before {
            cut.push(place);
        }
    }
    Ok(cut)
}

/// Returns the name under which a linking field is read here.
fn renamed(key: &str) -> Option<&'static str> {
    let known = LINKING.iter().find(|(name, _)| key.eq_ignore_ascii_case(name));
    known.map(|(_, renamed)| *renamed)
}

/// The amount that the library would copy for an entry.
#[derive(Clone, Copy, Debug)]
struct Weight {
    entries: usize,
    steps: usize,
    bytes: usize,
}

#[derive(Clone, Copy, Debug)]
enum State {
    New,
    Open,
    Settled(Weight),
}

#[derive(Debug)]
struct Node {
    own_bytes: usize,
    /// The entries that each of [`LINKING`] leads to.
    links: [Vec<usize>; 2],
    is_cut: [bool; 2],
    state: State,
}

/// The entries with their links.
struct Graph {
    nodes: Vec<Node>,
    copied: usize,
}

impl Graph {
    /// Reads the links like the library, which also accepts other names of entries (`ids`).
    fn of(raw: &RawBibliography<'_>) -> Result<Self, ParseError> {
        let entries = raw.entries.iter().map(|entry| {
            let fields = entry.v.fields.iter().filter_map(|pair| {
                let key = match renamed(pair.key.v) {
                    Some(name) => name,
                    None if pair.key.v.eq_ignore_ascii_case("ids") => "ids",
                    None => return None,
                };
                Some(Pair::new(Spanned::new(key, pair.key.span.clone()), pair.value.clone()))
            });
            let key = entry.v.key.clone();
            let kind = Spanned::new("misc", entry.v.kind.span.clone());
            Spanned::new(RawEntry { key, kind, fields: fields.collect() }, entry.span.clone())
        });
        let links = Bibliography::from_raw(RawBibliography {
            preamble: String::new(),
            entries: entries.collect(),
            abbreviations: Vec::new(),
        })?;
        let places: HashMap<&str, usize> = links.keys().zip(0..).collect();
        let place = |key: &String| places.get(links.get(key)?.key.as_str()).copied();
        let nodes = links.iter().zip(&raw.entries).map(|(entry, raw)| {
            let parent = entry.get_as::<String>(LINKING[0].1).ok();
            let data = entry.get_as::<Vec<String>>(LINKING[1].1).unwrap_or_default();
            let links = [
                parent.iter().filter_map(place).collect(),
                data.iter().filter_map(place).collect(),
            ];
            Node { own_bytes: size(&raw.v), links, is_cut: [false; 2], state: State::New }
        });
        Ok(Self { nodes: nodes.collect(), copied: 0 })
    }

    /// Computes the weight of an entry after the weights of the entries to which it links, and cuts
    /// links that are too heavy.
    fn settle(&mut self, entry: usize) {
        let mut waiting = vec![(entry, 0)];
        while let Some((entry, at)) = waiting.last_mut() {
            let (entry, next) = (*entry, *at);
            if matches!(self.nodes[entry].state, State::Settled(_)) {
                waiting.pop();
                continue;
            }
            self.nodes[entry].state = State::Open;
            let node = &self.nodes[entry];
            let n_first = node.links[0].len();
            let (field, target) = match node.links[0].get(next) {
                Some(target) => (0, Some(*target)),
                None => (1, node.links[1].get(next - n_first).copied()),
            };
            *at += 1;
            match target.map(|target| (target, self.nodes[target].state)) {
                Some((_, State::Open)) => self.nodes[entry].is_cut[field] = true,
                Some((target, State::New)) => waiting.push((target, 0)),
                Some((_, State::Settled(_))) => {}
                None => {
                    let weight = self.weigh(entry);
                    self.nodes[entry].state = State::Settled(weight);
                }
            }
        }
    }

    /// Returns the weight of an entry with the fields that are not cut.
    fn weigh(&mut self, entry: usize) -> Weight {
        let mut total = Weight { entries: 1, steps: 0, bytes: self.nodes[entry].own_bytes };
        let mut copied = 0;
        for field in 0..LINKING.len() {
            if self.nodes[entry].is_cut[field] {
                continue;
            }
            let mut added = Weight { entries: 0, steps: 0, bytes: 0 };
            for target in &self.nodes[entry].links[field] {
                let State::Settled(weight) = self.nodes[*target].state else { continue };
                added.entries += weight.entries;
                added.steps = added.steps.max(weight.steps + 1);
                added.bytes += weight.bytes;
            }
            let is_too_much = total.entries + added.entries > MAX_ENTRIES
                || added.steps > MAX_STEPS
                || copied + added.bytes > MAX_BYTES
                || self.copied + copied + added.bytes > MAX_FILE_BYTES;
            if is_too_much {
                self.nodes[entry].is_cut[field] = true;
                continue;
            }
            copied += added.bytes;
            total.entries += added.entries;
            total.steps = total.steps.max(added.steps);
            total.bytes += added.bytes;
        }
        self.copied += copied;
        total
    }
}

/// Returns the bytes of an entry.
fn size(entry: &RawEntry<'_>) -> usize {
    let pieces = entry.fields.iter().flat_map(|pair| &pair.value.v);
    let texts: usize = pieces.map(|piece| piece.span.len() + FIELD_BYTES).sum();
    texts + entry.fields.len() * FIELD_BYTES
}

//! The choice of the part for each function and each piece of data.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

use anyhow::{Result, ensure};
use walrus::{FunctionKind, Module};
use xtask::deferred::names::{Functions, REST};

use crate::graph::{Graph, Reached};
use crate::links::Links;
use crate::seam;

/// The part of each function. Functions are named by their place in the module, because each part
/// is made from a separate reading.
pub struct Plan {
    pub first: Part,
    /// The other parts, by name.
    pub others: BTreeMap<String, Part>,
    /// Functions of the first part that other parts call.
    pub shared: Vec<usize>,
    /// The table's entries: slot and function. After the module's own entries come the entries for
    /// calls between parts.
    pub entries: BTreeMap<u32, usize>,
    /// The slots for calls between parts, by function.
    pub slots: BTreeMap<usize, u32>,
    /// The slots with a placeholder, which does nothing until the right function is loaded.
    pub stood_in: BTreeSet<u32>,
    /// The name of the module from which all parts were made.
    pub name: String,
}

/// One part.
pub struct Part {
    pub functions: HashSet<usize>,
    /// The places of the data that the part brings.
    pub data: Vec<Range<u32>>,
}

impl Plan {
    pub fn new(
        whole: &[u8],
        module: &Module,
        functions: &Functions,
        links: &Links,
    ) -> Result<Self> {
        let graph = Graph::new(module, links)?;
        let waits = waiting(module, &graph, functions)?;
        let (first, others) = parts(&graph, &waits, links);
        let ids = first.functions.iter().map(|&i| graph.ids[i]).collect();
        seam::check_first(module, functions, &ids)?;

        let all = graph.reach([], |_| false);
        let entries = graph.entries.iter().map(|(&slot, &i)| (slot, i));
        let mut entries: BTreeMap<u32, usize> =
            entries.filter(|(slot, _)| all.slots.contains(slot)).collect();
        // Functions that a part calls but does not contain. They are in the first part or called
        // through a slot.
        let calls = |part: &Part| {
            let calls = part.functions.iter().flat_map(|&i| graph.calls[i].iter().copied());
            calls.filter(|call| !part.functions.contains(call)).collect::<BTreeSet<usize>>()
        };
        let mut through = calls(&first);
        let (shared, more): (BTreeSet<usize>, BTreeSet<usize>) =
            others.values().flat_map(calls).partition(|call| first.functions.contains(call));
        through.extend(more);
        let end = u32::try_from(module.tables.get(graph.table).initial)?;
        let slots: BTreeMap<usize, u32> = through.into_iter().zip(end..).collect();
        entries.extend(slots.iter().map(|(&i, &slot)| (slot, i)));
        let is_stood_in = |i: &usize| waits.get(i).is_some_and(|part| part != REST);
        let stood_in =
            entries.iter().filter(|(_, i)| is_stood_in(i)).map(|(&slot, _)| slot).collect();
        let mut hasher = DefaultHasher::new();
        (whole, functions).hash(&mut hasher);
        let name = format!("{:016x}", hasher.finish());
        Ok(Self {
            first,
            others,
            shared: shared.into_iter().collect(),
            entries,
            slots,
            stood_in,
            name,
        })
    }
}

/// Returns the functions that are not in the first part, with their parts.
fn waiting(
    module: &Module,
    graph: &Graph,
    functions: &Functions,
) -> Result<HashMap<usize, String>> {
    let names =
        || graph.ids.iter().map(|&id| module.funcs.get(id).name.as_deref().unwrap_or_default());
    let absent = functions.absent(names());
    ensure!(
        absent.is_empty(),
        "expected each deferred function in the module, found none of these names: {}; a function \
         that nothing calls or that was inlined needs no marker",
        absent.join(", ")
    );
    let reached = graph.reach([], |_| false).functions;
    let waits: HashMap<usize, String> = names()
        .enumerate()
        .filter(|(i, _)| reached.contains(i) && !graph.outside.contains(i))
        .filter(|&(i, _)| matches!(module.funcs.get(graph.ids[i]).kind, FunctionKind::Local(_)))
        .filter_map(|(i, name)| Some((i, functions.part_of(name)?)))
        .collect();
    ensure!(!waits.is_empty(), "no function is deferred, or the module has no names");
    Ok(waits)
}

/// Returns the first part and the others. The first part has the items that can be reached from
/// outside without going through deferred functions. Another part has the items that can be reached
/// through its own functions.
fn parts(
    graph: &Graph,
    waits: &HashMap<usize, String>,
    links: &Links,
) -> (Part, BTreeMap<String, Part>) {
    let mut first = graph.reach([], |i| waits.contains_key(&i));
    let mut reached: BTreeMap<String, Reached> = BTreeMap::new();
    for part in waits.values() {
        if !reached.contains_key(part) {
            let own = waits.iter().filter(|(_, name)| *name == part).map(|(&i, _)| i);
            let of_part = graph.reach(own, |i| waits.get(&i).is_some_and(|name| name != part));
            reached.insert(part.clone(), of_part);
        }
    }
    let of_first = first.pieces.clone();
    let mut uses: HashMap<usize, usize> = HashMap::new();
    for &piece in reached.values().flat_map(|reached| reached.pieces.difference(&of_first)) {
        *uses.entry(piece).or_default() += 1;
    }
    // Data that can change must exist only once. Items that it refers to are in the same part as
    // the items that refer to it.
    let changing = uses.iter().filter(|&(&piece, &uses)| uses > 1 && !links.constant[piece]);
    first.pieces.extend(changing.map(|(&piece, _)| piece));
    let data = |pieces: &mut dyn Iterator<Item = &usize>| {
        let mut data: Vec<Range<u32>> = pieces.map(|&piece| links.pieces[piece].clone()).collect();
        data.sort_unstable_by_key(|piece| (piece.start, piece.end));
        data
    };
    let part = |reached: Reached| Part {
        functions: reached.functions.difference(&first.functions).copied().collect(),
        data: data(&mut reached.pieces.difference(&first.pieces)),
    };
    let others = reached.into_iter().map(|(name, reached)| (name, part(reached))).collect();
    (Part { data: data(&mut first.pieces.iter()), functions: first.functions }, others)
}

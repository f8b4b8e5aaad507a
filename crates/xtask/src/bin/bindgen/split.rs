//! A module in parts, so that a reader's first search need not wait for what few searches call, nor
//! for other sites' languages.
//!
//! The first part has everything but the deferred functions and what only they call. It exports its
//! memory, tables, globals and those of its functions that other parts call. Where a part calls a
//! function of another, it does so through a slot of the table, which that part fills when it is
//! instantiated ([`crate::seam`]). The other parts import all that, and bring the data that the
//! first does not refer to. What several of them need, and the first does not, each of them has:
//! instructions and constants are the same twice.
//!
//! Until the deferred part is instantiated its slots are empty: such a call traps
//! (`www/src/bundle.ts`). The slots of a language have a function that does nothing, which is how a
//! site goes without that language.
//!
//! Parts fit together only as they were made, down to the addresses in them. The module that the
//! others import from is named by a hash of the whole. The first part exports its memory by that
//! name as well, for the host to compare.

use std::collections::BTreeMap;

use anyhow::{Result, ensure};
use walrus::{Module, ModuleConfig, passes};
use xtask::deferred::names::Functions;

use crate::graph::Graph;
use crate::links::{self, Links};
use crate::plan::Plan;
use crate::table;

/// The parts of a module.
pub struct Parts {
    /// The first part.
    pub first: Vec<u8>,
    /// The others, by name.
    pub others: BTreeMap<String, Vec<u8>>,
}

/// Returns the parts of `whole`, a module with names. `functions`: those that are not in the first
/// part.
///
/// # Errors
/// If the module is none, has no table of functions or one that is filled in a way that linkers do
/// not; if a declared function is not in it; or if a part refers to a function of another otherwise
/// than by a call.
pub fn split(whole: &[u8], functions: &Functions, links: &Links) -> Result<Parts> {
    let mut first = read(whole)?;
    let plan = Plan::new(whole, &first, functions, links)?;
    plan.make_first(&mut first)?;
    let mut others = BTreeMap::new();
    for (name, part) in &plan.others {
        let mut module = read(whole)?;
        plan.make_other(name, part, &mut module)?;
        // Each import is an export of the first part; anything else nobody would give it.
        for import in module.imports.iter() {
            let given = import.module == plan.name
                && first.exports.iter().any(|export| export.name == import.name);
            ensure!(
                given,
                "the part `{name}` imports `{}` from `{}`, which the first part does not export",
                import.name,
                import.module
            );
        }
        others.insert(name.clone(), module.emit_wasm());
    }
    Ok(Parts { first: first.emit_wasm(), others })
}

/// Takes out of a module what nothing refers to.
///
/// # Errors
/// If the module is not as linkers make them.
pub fn prune(module: &mut Module, links: &Links) -> Result<()> {
    let graph = Graph::new(module, links)?;
    let reached = graph.reach([], |_| false);
    let (kept, gone): (Vec<usize>, Vec<usize>) =
        (0..links.pieces.len()).partition(|piece| reached.pieces.contains(piece));
    let pieces =
        |of: &[usize]| of.iter().map(|&piece| links.pieces[piece].clone()).collect::<Vec<_>>();
    links::clear(module, pieces(&kept).iter(), pieces(&gone).iter())?;
    let entries: BTreeMap<u32, usize> = graph
        .entries
        .iter()
        .map(|(&slot, &i)| (slot, i))
        .filter(|(slot, _)| reached.slots.contains(slot))
        .collect();
    table::fill(module, graph.table, 0, &entries, |_, i| Some(graph.ids[i]))?;
    passes::gc::run(module);
    Ok(())
}

/// Reads a module with names.
pub fn read(wasm: &[u8]) -> Result<Module> {
    ModuleConfig::new().generate_name_section(true).parse(wasm)
}

#[cfg(test)]
mod tests;

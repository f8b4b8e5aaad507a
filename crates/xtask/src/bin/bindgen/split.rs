//! Splits a module into parts, so that a reader's first search need not wait for functions that few
//! searches call, or for languages of other sites.
//!
//! The first part has everything except the deferred functions and the functions that only they
//! call. It exports its memory, tables, globals, and the functions that other parts call. If a part
//! calls a function of another part, it does so through a slot of the table, which the other part
//! fills when it is instantiated ([`crate::seam`]). The other parts import all of these, and
//! contain the data that the first part does not refer to. Instructions and constants that several
//! of them need, but not the first part, are copied into each of them.
//!
//! Until the deferred part is instantiated, its slots are empty, and a call traps
//! (`www/src/bundle.ts`). The slots of a language have a function that does nothing, so that a site
//! works without that language.
//!
//! Parts fit together only if they were made together, because they contain addresses. The module
//! that the others import from is named by a hash of the whole. The first part exports its memory
//! by that name as well, for the host to compare.

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

/// Returns the parts of `whole`, a module with names. `functions`: the functions that are not in
/// the first part.
///
/// # Errors
/// If the bytes are not a module, if it has no table of functions, or one that is filled in a way
/// that linkers do not use; if a declared function is not in it; or if a part refers to a function
/// of another part without a call.
pub fn split(whole: &[u8], functions: &Functions, links: &Links) -> Result<Parts> {
    let mut first = read(whole)?;
    let plan = Plan::new(whole, &first, functions, links)?;
    plan.make_first(&mut first)?;
    let mut others = BTreeMap::new();
    for (name, part) in &plan.others {
        let mut module = read(whole)?;
        plan.make_other(name, part, &mut module)?;
        // Each import is an export of the first part, because nothing else provides imports.
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

/// Removes everything from a module that nothing refers to.
///
/// # Errors
/// If the module does not have the form of a linker's output.
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

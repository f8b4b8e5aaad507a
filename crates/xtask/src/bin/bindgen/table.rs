//! The table of functions: its filled slots, and calls through them.

use std::collections::{BTreeMap, HashMap};

use anyhow::{Context, Result};
use walrus::ir::{self, Instr, InstrSeq, Value, VisitorMut};
use walrus::{ConstExpr, ElementItems, ElementKind, FunctionId, Module, TableId, TypeId};

/// Returns the table through which functions are called.
pub fn main(module: &Module) -> Result<TableId> {
    module.tables.main_function_table()?.context("the module has no table of functions")
}

/// Fills a table anew with those entries that are in this part, and makes room for `more` slots.
pub fn fill(
    module: &mut Module,
    table: TableId,
    more: usize,
    entries: &BTreeMap<u32, usize>,
    here: impl Fn(u32, usize) -> Option<FunctionId>,
) -> Result<()> {
    for element in module.elements.iter().map(walrus::Element::id).collect::<Vec<_>>() {
        module.elements.delete(element);
    }
    let more = u64::try_from(more)?;
    let place = module.tables.get_mut(table);
    place.elem_segments.clear();
    place.initial += more;
    place.maximum = place.maximum.map(|maximum| maximum + more);
    let mut runs: Vec<(u32, Vec<FunctionId>)> = Vec::new();
    for (&slot, &function) in entries {
        let Some(id) = here(slot, function) else { continue };
        match runs.last_mut() {
            Some((at, run)) if *at as usize + run.len() == slot as usize => run.push(id),
            _ => runs.push((slot, vec![id])),
        }
    }
    for (at, run) in runs {
        fill_from(module, table, at, run);
    }
    Ok(())
}

/// Fills the table from `at`.
pub fn fill_from(module: &mut Module, table: TableId, at: u32, functions: Vec<FunctionId>) {
    let offset = ConstExpr::Value(Value::I32(at.cast_signed()));
    let element = module
        .elements
        .add(ElementKind::Active { table, offset }, ElementItems::Functions(functions));
    module.tables.get_mut(table).elem_segments.insert(element);
}

/// Replaces calls of some functions by calls through their slots.
pub struct ThroughSlots<'a> {
    pub slots: &'a HashMap<FunctionId, (u32, TypeId)>,
    pub table: TableId,
}

impl VisitorMut for ThroughSlots<'_> {
    fn start_instr_seq_mut(&mut self, seq: &mut InstrSeq) {
        let mut through = Vec::with_capacity(seq.instrs.len());
        for (instr, at) in seq.instrs.drain(..) {
            match &instr {
                Instr::Call(ir::Call { func }) if self.slots.contains_key(func) => {
                    let (slot, ty) = self.slots[func];
                    let slot = Instr::Const(ir::Const { value: Value::I32(slot.cast_signed()) });
                    let call = ir::CallIndirect { ty, table: self.table };
                    through.push((slot, at));
                    through.push((Instr::CallIndirect(call), at));
                }
                _ => through.push((instr, at)),
            }
        }
        seq.instrs = through;
    }
}

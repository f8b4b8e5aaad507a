//! The functions and data of a module as a graph of references.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use anyhow::{Context, Result, bail, ensure};
use walrus::ir::{self, Value, Visitor};
use walrus::{
    ConstExpr, ElementItems, ElementKind, ExportItem, FunctionId, FunctionKind, Module, TableId,
};

use crate::links::{Links, Target};

/// A module's functions by place, and the items that can be reached from each.
pub struct Graph {
    pub ids: Vec<FunctionId>,
    pub calls: Vec<Vec<usize>>,
    /// The functions that are called from outside.
    pub outside: HashSet<usize>,
    /// The table's entries: slot and function.
    pub entries: BTreeMap<u32, usize>,
    pub table: TableId,
    targets: Vec<BTreeSet<Target>>,
    of_pieces: Vec<BTreeSet<Target>>,
}

/// The functions and data that can be reached.
#[derive(Default)]
pub struct Reached {
    pub functions: HashSet<usize>,
    pub pieces: HashSet<usize>,
    pub slots: HashSet<u32>,
}

impl Graph {
    /// Reads the graph of a module's functions and data.
    ///
    /// # Errors
    /// If the module has no table of functions, or one filled in a way that linkers do not.
    pub fn new(module: &Module, links: &Links) -> Result<Self> {
        let table =
            module.tables.main_function_table()?.context("the module has no table of functions")?;
        let ids: Vec<FunctionId> = module.funcs.iter().map(walrus::Function::id).collect();
        let place: HashMap<FunctionId, usize> =
            ids.iter().enumerate().map(|(i, &id)| (id, i)).collect();
        let mut entries = BTreeMap::new();
        for element in module.elements.iter() {
            let (
                ElementKind::Active { table: of, offset: ConstExpr::Value(Value::I32(at)) },
                ElementItems::Functions(functions),
            ) = (&element.kind, &element.items)
            else {
                bail!("expected a table of functions as linkers fill it, found {:?}", element.kind);
            };
            ensure!(*of == table, "expected one table of functions, found two that are filled");
            entries.extend(functions.iter().zip(*at as u32..).map(|(id, slot)| (slot, place[id])));
        }
        let mut outside: HashSet<usize> = module.start.iter().map(|id| place[id]).collect();
        for export in module.exports.iter() {
            match export.item {
                ExportItem::Function(id) => drop(outside.insert(place[&id])),
                ExportItem::Table(of) => {
                    ensure!(of != table, "hosts may call any function of the table")
                }
                _ => {}
            }
        }
        let names = ids.iter().map(|&id| module.funcs.get(id).name.as_deref().unwrap_or_default());
        Ok(Self {
            calls: ids
                .iter()
                .map(|&id| called(module, id).iter().map(|id| place[id]).collect())
                .collect(),
            targets: names
                .map(|name| links.of_functions.get(name).cloned().unwrap_or_default())
                .collect(),
            of_pieces: links.of_pieces.clone(),
            ids,
            outside,
            entries,
            table,
        })
    }

    /// Returns the items that can be reached from outside and from `besides`, without going through
    /// deferred functions.
    pub fn reach(
        &self,
        besides: impl IntoIterator<Item = usize>,
        waits: impl Fn(usize) -> bool,
    ) -> Reached {
        let mut reached = Reached::default();
        let mut functions: Vec<usize> = self.outside.iter().copied().chain(besides).collect();
        let mut targets: Vec<Target> = Vec::new();
        loop {
            if let Some(i) = functions.pop() {
                if (self.outside.contains(&i) || !waits(i)) && reached.functions.insert(i) {
                    functions.extend(&self.calls[i]);
                    targets.extend(&self.targets[i]);
                }
            } else {
                match targets.pop() {
                    Some(Target::Data(piece)) if reached.pieces.insert(piece) => {
                        targets.extend(&self.of_pieces[piece])
                    }
                    Some(Target::Slot(slot)) if reached.slots.insert(slot) => {
                        functions.extend(self.entries.get(&slot))
                    }
                    Some(_) => {}
                    None => return reached,
                }
            }
        }
    }
}

/// Returns the functions that a function calls, or whose address it takes.
pub fn called(module: &Module, id: FunctionId) -> Vec<FunctionId> {
    #[derive(Default)]
    struct Called(Vec<FunctionId>);
    impl<'i> Visitor<'i> for Called {
        fn visit_function_id(&mut self, id: &FunctionId) {
            self.0.push(*id);
        }
    }
    let mut found = Called::default();
    if let FunctionKind::Local(function) = &module.funcs.get(id).kind {
        ir::dfs_in_order(&mut found, function, function.entry_block());
    }
    found.0
}
